//go:build !unix

package worker

import (
	"os"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return nil }

// orphaned is false, because a worker notices its host's death at the next read or write.
func orphaned() bool { return false }

// environment has the variables that Windows needs to start a process.
var environment = []string{"GOMAXPROCS=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
