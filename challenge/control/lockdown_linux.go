package control

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exoeval/worker"
)

// Walls lists the walls round a process of this package, in the words of the challenge's pages.
const Walls = "process, resources, system calls, tied"

// self is the path of this binary, even if its file was replaced or removed. A new file may be another version, which does not know the
// marker.
func self() (string, error) { return "/proc/self/exe", nil }

// tie makes the kernel end the process when its host ends.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// breached reports whether the process was ended for a system call that no statement makes.
func breached(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGSYS
}

// lockdown bounds the resources of the process, and takes files, networks and other processes from it. If lockdown fails, nothing runs.
func lockdown() error {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		what int
		max  uint64
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_NOFILE, 0},
		{unix.RLIMIT_CPU, processor}, {unix.RLIMIT_AS, pages*uint64(os.Getpagesize()) + memory},
	} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.max, Max: l.max}); err != nil {
			return fmt.Errorf("control: the kernel refused a limit for the resource %d of setrlimit: %w", l.what, err)
		}
	}
	if held, err := worker.Confine(); err != nil {
		return err
	} else if !held {
		return fmt.Errorf("control: this system can't filter system calls (seccomp), so no statement runs")
	}
	return nil
}
