//go:build !linux

package control

import (
	"os"
	"os/exec"
)

// Walls lists the walls round a process of this package, in the words of the challenge's pages.
const Walls = "time"

func self() (string, error) { return os.Executable() }

func tie(*exec.Cmd) {}

func breached(*os.ProcessState) bool { return false }

// lockdown does nothing here: only the deadline and the authorizer bound the process. A public host runs on Linux.
func lockdown() error { return nil }
