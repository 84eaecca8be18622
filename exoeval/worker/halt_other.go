//go:build !unix

package worker

import (
	"errors"
	"os"
)

// Where a process can't be stopped, its program keeps its place while it waits.
func halt(*os.Process) error    { return errors.ErrUnsupported }
func proceed(*os.Process) error { return errors.ErrUnsupported }
