//go:build !linux

package control

import (
	"os"
	"os/exec"
)

// Walls says what holds a process of this package.
const Walls = "time"

func self() (string, error) { return os.Executable() }

func tie(*exec.Cmd) {}

func breached(*os.ProcessState) bool { return false }

// lockdown: elsewhere the process is bounded by its deadline, and by the
// authorizer. A public host runs on Linux.
func lockdown() error { return nil }
