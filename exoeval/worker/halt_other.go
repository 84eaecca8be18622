//go:build !unix

package worker

import (
	"errors"
	"os"
)

// This system can't stop a process, so a program keeps its place while it waits.
func halt(*os.Process) error    { return errors.ErrUnsupported }
func proceed(*os.Process) error { return errors.ErrUnsupported }
