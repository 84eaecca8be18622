//go:build unix && !linux

package wall

// This file ends a program and its processes on a Unix without walls.

import (
	"os"
	"syscall"
)

var ownGroup = &syscall.SysProcAttr{Setpgid: true}

// killGroup ends the processes of the group. A process that left the group, by setsid, continues.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
