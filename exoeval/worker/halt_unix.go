//go:build unix

package worker

import (
	"os"
	"syscall"
)

// halt stops a process, and proceed resumes it. A process can refuse neither, and can't grow while it is stopped.
func halt(p *os.Process) error    { return p.Signal(syscall.SIGSTOP) }
func proceed(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
