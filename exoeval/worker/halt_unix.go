//go:build unix

package worker

import (
	"os"
	"syscall"
)

// halt stops a process, and proceed lets it go on. No
// process can refuse either, and a stopped one can't grow.
func halt(p *os.Process) error    { return p.Signal(syscall.SIGSTOP) }
func proceed(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
