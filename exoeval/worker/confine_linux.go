package worker

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Confine takes from the calling process, all its threads included, every system call but those
// that a worker has: memory, threads, time, and files that are open. It can't be undone. It is for
// a host's own processes that run other hostile code than programs. held is false where the system
// has no such filter.
func Confine() (held bool, err error) {
	runtime.LockOSThread() // one thread makes the promise and hands on the filter
	defer runtime.UnlockOSThread()
	_, _, all := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if all != 0 { // threads of a C library: they get it with the filter
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return false, fmt.Errorf("worker: no new privileges: %w", err)
		}
	}
	return seccomp(all != 0)
}
