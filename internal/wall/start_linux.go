package wall

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const walled = true

// namespaces hide other processes and their shared memory from the program.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC

// launch starts this binary. init in enter_linux.go then takes the process over.
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
	if err != nil { // a system may forbid namespaces, or have none left
		p, err = start(0)
	}
	return p, err
}

// ended returns when a process has ended, but leaves the process for Wait to collect. Until Wait collects it, no other process gets its
// number.
func ended(p *os.Process) {
	for unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// killGroup ends the processes of the group. With the wall of system calls, no process can leave the group. With the wall "apart", the kernel
// also ends those that left. Without both, a process that left the group continues.
func killGroup(p *os.Process) { _ = unix.Kill(-p.Pid, unix.SIGKILL) }
