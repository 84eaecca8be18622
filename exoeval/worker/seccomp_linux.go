//go:build linux && (amd64 || arm64)

package worker

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are what the Go runtime needs once it runs, and glibc where the binary
// has it: memory, threads of its own, time, signals to itself; and reading and
// writing what is open, which is the connection. Everything else ends the process.
var calls = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE,
	unix.SYS_NANOSLEEP, unix.SYS_SCHED_YIELD,
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MREMAP, unix.SYS_BRK,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL,
	unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM,
	unix.SYS_GETTIMEOFDAY,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
}

// Offsets in struct seccomp_data, on little-endian machines.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16
)

const notFound, allow, kill = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_KILL_PROCESS

// threadFlags are how the Go runtime makes a thread: exactly these (cloneFlags in
// its os_linux.go, and what clone adds in sys_linux_*.s).
const threadFlags = plainFlags | moreThreadFlags

const plainFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

// How C libraries make one, in binaries that have one: glibc, and musl.
const (
	glibcFlags = plainFlags | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	muslFlags  = glibcFlags | unix.CLONE_DETACHED
)

const (
	futexPrivate = 128 // FUTEX_PRIVATE_FLAG
	firstForeign = 16  // MAX_CLOCKS: from here on a clock's number names a process, or a file
)

// filter is the program that the kernel runs for each system call. c is whether
// the threads may be those of a C library.
func filter(c bool) []unix.SockFilter {
	load := func(off uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
	}
	ret := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	// when runs then, which must end in a return, if the accumulator equals k.
	when := func(k uint32, then ...unix.SockFilter) []unix.SockFilter {
		return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(len(then))}}, then...)
	}
	set := func(bits uint32, yes, no uint32) []unix.SockFilter {
		return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: bits, Jf: 1}, ret(yes), ret(no)}
	}
	arg := func(i uint32) unix.SockFilter { return load(dataArgs + 8*i) }

	f := []unix.SockFilter{load(dataArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch, Jt: 1}, ret(kill), // another architecture has other numbers
		load(dataCall)}
	for _, c := range append(calls, moreCalls...) {
		f = append(f, when(c, ret(allow))...)
	}
	// Memory, but none that could be executed, and of no file.
	f = append(f, when(unix.SYS_MMAP, append([]unix.SockFilter{arg(3),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_ANONYMOUS, Jt: 1}, ret(kill),
		// Shared memory is not counted as the worker's own.
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_SHARED, Jf: 1}, ret(kill), arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	f = append(f, when(unix.SYS_MPROTECT, append([]unix.SockFilter{arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	// Threads as the runtime makes them, and nothing else that clone can do. clone3 has
	// its flags in memory, which a filter can't read; without it the C library falls
	// back to clone.
	clone := append([]unix.SockFilter{load(dataArgs + 4),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}, ret(kill), arg(0)}, when(threadFlags, ret(allow))...)
	if c {
		clone = append(append(clone, when(glibcFlags, ret(allow))...), when(muslFlags, ret(allow))...)
	}
	clone = append(clone, ret(kill))
	f = append(f, when(unix.SYS_CLONE, clone...)...)
	f = append(f, when(unix.SYS_CLONE3, ret(notFound))...)
	// Names for memory and threads are no matter; the rest of prctl is.
	f = append(f, when(unix.SYS_PRCTL, ret(notFound))...)
	// Futexes of its own memory. One in a page of the binary is the same for all
	// workers: one could wait there until another calls. A C library (musl) has shared
	// ones of its own, and makes do without.
	shared := uint32(kill)
	if c {
		shared = notFound
	}
	f = append(f, when(unix.SYS_FUTEX, append([]unix.SockFilter{arg(1)}, set(futexPrivate, allow, shared)...)...)...)
	// Clocks of the machine and of itself: others show what any process computes.
	for _, call := range []uint32{unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP} {
		f = append(f, when(call, arg(0), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: firstForeign, Jf: 1}, ret(kill), ret(allow))...)
	}
	// It may ask for its own processors only: asked about another number, the kernel would reveal whether there is such a
	// process. A C library asks by the number of a thread, and does without the answer.
	f = append(f, when(unix.SYS_SCHED_GETAFFINITY, append([]unix.SockFilter{arg(0)}, append(when(0, ret(allow)), ret(notFound))...)...)...)
	// Its connection, without waiting.
	f = append(f, when(unix.SYS_RECVFROM, append([]unix.SockFilter{arg(0)}, append(when(uint32(connection), ret(allow)), ret(kill))...)...)...)
	// Signals to itself: the runtime preempts its threads.
	f = append(f, when(unix.SYS_TGKILL, append([]unix.SockFilter{arg(0)}, append(when(uint32(os.Getpid()), ret(allow)), ret(kill))...)...)...)
	return append(f, ret(kill))
}

// seccomp gives all threads of the process the filter. ok is false where the
// kernel has none. c is whether the binary has a C library.
func seccomp(c bool) (ok bool, err error) {
	f := filter(c)
	p := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&p)))
	runtime.KeepAlive(f)
	switch {
	case errno == unix.ENOSYS || errno == unix.EINVAL || errno == unix.EPERM || errno == unix.EACCES:
		return false, nil
	case errno != 0:
		return false, fmt.Errorf("system call filter: %w", errno)
	case r != 0:
		return false, fmt.Errorf("system call filter: thread %d did not take it", r)
	}
	return true, nil
}

// landlock refuses every way to files and networks in the kernel's own terms:
// a second wall should the filter of calls have a hole. False where the kernel has none.
func landlock() bool {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return false
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return false
	}
	defer unix.Close(int(fd))
	_, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	return errno == 0
}
