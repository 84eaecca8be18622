//go:build !unix

package worker

import (
	"os"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return nil }

// orphaned is false: a worker notices the death of its host at its next read or write.
func orphaned() bool { return false }

// environment has what Windows needs to start a process.
var environment = []string{"GOMAXPROCS=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
