package wall

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const walled = true

// namespaces are those in which the program sees no process and no shared memory of others.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC

// launch starts this binary, which init in enter_linux.go takes over.
func launch(s *Spec, files []*os.File) (*os.Process, error) {
	if err := standalone(); err != nil {
		return nil, err
	}
	flags := uintptr(namespaces)
	if !s.Network {
		flags |= unix.CLONE_NEWNET
	}
	start := func(flags uintptr) (*os.Process, error) {
		return os.StartProcess("/proc/self/exe", []string{marker}, &os.ProcAttr{
			Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true, Cloneflags: flags},
		})
	}
	p, err := start(flags)
	if err != nil { // a system may forbid namespaces, or have no more of them
		p, err = start(0)
	}
	return p, err
}

// ended returns when a process has ended. It is not waited for: until it is, no other process has its number.
func ended(p *os.Process) {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// killGroup ends the processes of the group. With the wall of system calls none of them can leave it, and with the wall "apart" the kernel ends
// those that have left it, too. Without both walls, a process that has left the group goes on.
func killGroup(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }
