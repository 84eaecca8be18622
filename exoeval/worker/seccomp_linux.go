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

// calls are the system calls that the running Go runtime needs, and glibc if the
// binary has it: memory, its own threads, time, signals to itself, and reading and
// writing open files, which is only the connection. Every other call ends the process.
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

// Offsets in struct seccomp_data on little-endian machines.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16
)

const notFound, allow, kill = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_KILL_PROCESS

// threadFlags are the exact flags with which the Go runtime makes a thread:
// cloneFlags in its os_linux.go, and those that clone adds in sys_linux_*.s.
const threadFlags = plainFlags | moreThreadFlags

const plainFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

// The flags with which a C library makes a thread: glibc, and musl.
const (
	glibcFlags = plainFlags | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	muslFlags  = glibcFlags | unix.CLONE_DETACHED
)

const (
	futexPrivate = 128 // FUTEX_PRIVATE_FLAG
	firstForeign = 16  // MAX_CLOCKS: a clock with this number or more belongs to a process or a file
)

// filter returns the program that the kernel runs for each
// system call. c allows the threads of a C library.
func filter(c bool) []unix.SockFilter {
	load := func(off uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
	}
	ret := func(what uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what} }
	// when returns instructions that run those in the argument then if the accumulator equals k. The last of them must be a return.
	when := func(k uint32, then ...unix.SockFilter) []unix.SockFilter {
		return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(len(then))}}, then...)
	}
	set := func(bits uint32, yes, no uint32) []unix.SockFilter {
		return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: bits, Jf: 1}, ret(yes), ret(no)}
	}
	arg := func(i uint32) unix.SockFilter { return load(dataArgs + 8*i) }

	f := []unix.SockFilter{load(dataArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch, Jt: 1}, ret(kill), // another architecture has other call numbers
		load(dataCall)}
	for _, c := range append(calls, moreCalls...) {
		f = append(f, when(c, ret(allow))...)
	}
	// Memory, if it is not executable and belongs to no file.
	f = append(f, when(unix.SYS_MMAP, append([]unix.SockFilter{arg(3),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_ANONYMOUS, Jt: 1}, ret(kill),
		// Shared memory does not count as the worker's own, so it could grow without limit.
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_SHARED, Jf: 1}, ret(kill), arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	f = append(f, when(unix.SYS_MPROTECT, append([]unix.SockFilter{arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	// Threads that are made as the runtime makes them; clone for nothing else. clone3 has its
	// flags in memory, which a filter can't read. Without clone3 the C library uses clone.
	clone := append([]unix.SockFilter{load(dataArgs + 4),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}, ret(kill), arg(0)}, when(threadFlags, ret(allow))...)
	if c {
		clone = append(append(clone, when(glibcFlags, ret(allow))...), when(muslFlags, ret(allow))...)
	}
	clone = append(clone, ret(kill))
	f = append(f, when(unix.SYS_CLONE, clone...)...)
	f = append(f, when(unix.SYS_CLONE3, ret(notFound))...)
	// The runtime uses prctl only to name memory and threads, and works without it. So prctl always fails.
	f = append(f, when(unix.SYS_PRCTL, ret(notFound))...)
	// Futexes in the worker's own memory. A futex in a page of the binary
	// is shared by all workers, so two of them could signal each other by
	// it. A C library (musl) uses shared ones and works without them.
	shared := uint32(kill)
	if c {
		shared = notFound
	}
	f = append(f, when(unix.SYS_FUTEX, append([]unix.SockFilter{arg(1)}, set(futexPrivate, allow, shared)...)...)...)
	// Clocks of the machine and of the worker itself. The clock of another process would reveal how much it computes.
	for _, call := range []uint32{unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP} {
		f = append(f, when(call, arg(0), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: firstForeign, Jf: 1}, ret(kill), ret(allow))...)
	}
	// A worker may ask only for its own processors. For another number the kernel's answer would reveal
	// whether that process exists. A C library asks by the number of a thread, and works without the answer.
	f = append(f, when(unix.SYS_SCHED_GETAFFINITY, append([]unix.SockFilter{arg(0)}, append(when(0, ret(allow)), ret(notFound))...)...)...)
	// Reading its connection, without waiting.
	f = append(f, when(unix.SYS_RECVFROM, append([]unix.SockFilter{arg(0)}, append(when(uint32(connection), ret(allow)), ret(kill))...)...)...)
	// Signals to itself: the runtime uses them to preempt its threads.
	f = append(f, when(unix.SYS_TGKILL, append([]unix.SockFilter{arg(0)}, append(when(uint32(os.Getpid()), ret(allow)), ret(kill))...)...)...)
	return append(f, ret(kill))
}

// seccomp sets the filter on all threads of the process. ok is false if
// the kernel has no filters. c says whether the binary has a C library.
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

// landlock refuses all files and networks by another means of the kernel: it is there in
// case the filter of calls has a hole. It returns false if the kernel does not have it.
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
