//go:build !unix

package wall

// This file ends a program on a system without groups of processes.

import (
	"os"
	"syscall"
)

var ownGroup *syscall.SysProcAttr

// killGroup ends only the first process. Processes that the program has started continue.
func killGroup(p *os.Process) { _ = p.Kill() }
