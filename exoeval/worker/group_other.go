//go:build !unix

package worker

import (
	"os"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return nil }

// orphaned: a worker finds out when it next reads or writes.
func orphaned() bool { return false }

// environment names what Windows itself needs to start a process.
var environment = []string{"GOMAXPROCS=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
