package worker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is the worker's end of the connection: file descriptor 3. Plain system calls read and write it, so the filter can refuse all others.
type socket int

const connection socket = 3

// asks bounds how often each side polls for a frame before it waits. The reply to a small call comes during the polls. A wake-up takes longer
// than all of them (BenchmarkRun/calls).
const asks = 100

func (s socket) Read(b []byte) (int, error) {
	for range asks {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(s), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
		if errno == 0 && n > 0 {
			return int(n), nil
		}
		if errno != unix.EAGAIN {
			break
		}
		unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	for {
		n, err := unix.Read(int(s), b)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			return 0, os.ErrClosed
		}
		return max(n, 0), err
	}
}

func (s socket) Write(b []byte) (n int, err error) {
	for n < len(b) {
		k, err := unix.Write(int(s), b[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}

type stderr struct{}

func (stderr) Write(b []byte) (int, error) { return unix.Write(2, b) }

// exit ends the process at once, without the functions that are registered for its end.
func exit(status int) { unix.Exit(status) }

// orphaned is false, because the kernel kills a worker when its host dies (Pdeathsig).
func orphaned() bool { return false }

type locked struct {
	rw        socket
	isolation Isolation
	size      uint64 // the address space in bytes
}

// lockdown drops every right of the process that no program needs, so that code that takes over the engine has none. A wall that this system
// lacks is missing in isolation. A wall that fails and leaves a hole is an error.
func lockdown() (l locked, err error) {
	l.rw, l.isolation = connection, Process
	if t, err := unix.GetsockoptInt(int(connection), unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || t != unix.AF_UNIX {
		return l, fmt.Errorf("the process was not started by a Go program that uses exoagent")
	}
	// The first timer opens the runtime's poller, which is not possible after the lockdown.
	time.Sleep(1 * time.Nanosecond)
	if err := closeInherited(); err != nil {
		return l, err
	}
	size, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return l, err
	}
	pages, err := strconv.ParseUint(strings.Fields(string(size))[0], 10, 64)
	if err != nil {
		return l, err
	}
	l.size = pages * uint64(os.Getpagesize())
	for _, r := range []struct {
		resource int
		max      uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 0}, {unix.RLIMIT_NOFILE, 0}, {unix.RLIMIT_MEMLOCK, 0}, {unix.RLIMIT_MSGQUEUE, 0}} {
		if err := unix.Setrlimit(r.resource, &unix.Rlimit{Cur: r.max, Max: r.max}); err != nil {
			return l, fmt.Errorf("the process can't set its kernel limit with the number %d (setrlimit): %w", r.resource, err)
		}
	}
	l.isolation |= Resources
	// No-new-privileges and Landlock are set per thread, and the runtime can't set them on threads of a C library. The filter can: it synchronises
	// all threads, and sets no-new-privileges on them.
	_, _, all := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if all != 0 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return l, fmt.Errorf("the process can't give up its privileges (prctl PR_SET_NO_NEW_PRIVS): %w", err)
		}
	} else if landlock() {
		l.isolation |= Files
	}
	if ok, err := seccomp(all != 0); err != nil {
		return l, err
	} else if ok {
		l.isolation |= SystemCalls
	}
	return l, nil
}

// closeInherited closes files that a library of the host left open without close-on-exec, but not those of the runtime's poller.
func closeInherited() error {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range dir {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= int(connection) {
			continue
		}
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil {
			continue // the folder's own descriptor, which is already closed
		}
		if to == "anon_inode:[eventpoll]" || strings.HasPrefix(to, "anon_inode:[eventfd") {
			// The Go runtime's event descriptors close at exec. A descriptor that does not close at exec comes from the host: close it, because a
			// worker could send the host events through it.
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC != 0 {
				continue
			}
		}
		unix.Close(fd)
	}
	return nil
}
