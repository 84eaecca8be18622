//go:build !linux

package control

import (
	"os"
	"os/exec"
)

// Walls lists what confines a process of this package, in the words of the challenge's pages.
const Walls = "time"

func self() (string, error) { return os.Executable() }

func tie(*exec.Cmd) {}

func breached(*os.ProcessState) bool { return false }

// lockdown: elsewhere the process is bounded by its deadline, and by the
// authorizer. A public host runs on Linux.
func lockdown() error { return nil }
