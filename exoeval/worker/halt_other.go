//go:build !unix

package worker

import (
	"errors"
	"os"
)

// A process can't be stopped on this system, so its program keeps its place while it waits.
func halt(*os.Process) error    { return errors.ErrUnsupported }
func proceed(*os.Process) error { return errors.ErrUnsupported }
