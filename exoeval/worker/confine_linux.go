package worker

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Confine takes all system calls from the calling process, except those of a worker: memory, threads, time, and open files. It can't be
// undone. Use it for a host's own processes that run hostile code other than programs. held is false if the system has no such filter.
func Confine() (held bool, err error) {
	runtime.LockOSThread() // the filter must be set by the thread that sets no-new-privileges
	defer runtime.UnlockOSThread()
	_, _, all := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if all != 0 { // a C library has made threads, which get no-new-privileges together with the filter
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return false, fmt.Errorf("worker: the process can't give up its privileges (prctl PR_SET_NO_NEW_PRIVS): %w", err)
		}
	}
	return seccomp(all != 0)
}
