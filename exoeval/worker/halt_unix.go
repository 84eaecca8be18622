//go:build unix

package worker

import (
	"os"
	"syscall"
)

// halt stops a process where it is, and proceed lets it go on. No process can refuse
// either, and one that is stopped can't grow.
func halt(p *os.Process) error    { return p.Signal(syscall.SIGSTOP) }
func proceed(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
