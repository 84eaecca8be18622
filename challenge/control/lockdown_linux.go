package control

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Walls says what holds a process of this package.
const Walls = "memory, processor time, files"

// tie ends the process with its host.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// lockdown bounds what the process may use, and takes files and networks from it.
func lockdown() error {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		return err
	}
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 && errno != syscall.ENOTSUP {
		return fmt.Errorf("control: no new privileges: %w", errno)
	}
	landlock() // it needs a descriptor, of which there are none later
	for _, l := range []struct {
		what int
		max  uint64
	}{
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_NOFILE, 0},
		{unix.RLIMIT_CPU, processor}, {unix.RLIMIT_AS, pages*uint64(os.Getpagesize()) + memory},
	} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.max, Max: l.max}); err != nil {
			return fmt.Errorf("control: limit %d: %w", l.what, err)
		}
	}
	return nil
}

// landlock refuses ways to files that need no descriptor, like removing one. Kernels
// before 5.13 have none: then no file can be opened all the same.
func landlock() {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	if errno != 0 {
		return
	}
	defer unix.Close(int(fd))
	_, _, _ = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
}
