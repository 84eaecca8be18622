//go:build unix && !linux

package worker

import (
	"os"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// orphaned reports whether the host has died.
func orphaned() bool { return os.Getppid() == 1 }

var environment = []string{"GOMAXPROCS=1"}
