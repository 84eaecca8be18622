//go:build linux && (amd64 || arm64)

package worker

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/internal/wall"
)

// calls are the system calls that the Go runtime needs, and glibc if the binary has it: memory, its own threads, time, signals to itself,
// reading and writing open files. The only open file is the connection. Every other call ends the process.
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

// threadFlags are exactly the flags with which the Go runtime makes a thread: cloneFlags in its os_linux.go, and those that clone adds in
// sys_linux_*.s.
const threadFlags = plainFlags | moreThreadFlags

const plainFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD

// These are the flags with which a C library makes a thread: glibc, and musl.
const (
	glibcFlags = plainFlags | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	muslFlags  = glibcFlags | unix.CLONE_DETACHED
)

const (
	futexPrivate = 128 // FUTEX_PRIVATE_FLAG of the kernel
	firstForeign = 16  // MAX_CLOCKS of the kernel: clocks from this number on belong to a process or a file
)

// filter returns the program that the kernel runs at each system call. c admits the threads of a C library.
func filter(c bool) []unix.SockFilter {
	const notFound, allow, kill = wall.NotFound, wall.Allow, wall.Kill
	ret, when, set, arg := wall.Return, wall.When, wall.IfSet, wall.Arg
	f := wall.Begin()
	for _, c := range append(calls, moreCalls...) {
		f = append(f, when(c, ret(allow))...)
	}
	// Admit memory that is not executable and belongs to no file.
	f = append(f, when(unix.SYS_MMAP, append([]unix.SockFilter{arg(3),
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_ANONYMOUS, Jt: 1}, ret(kill),
		// Refuse shared memory: it does not count as the worker's own, so it could grow without limit.
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_SHARED, Jf: 1}, ret(kill), arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	f = append(f, when(unix.SYS_MPROTECT, append([]unix.SockFilter{arg(2)}, set(unix.PROT_EXEC, kill, allow)...)...)...)
	// Admit clone only for threads, with the runtime's flags. clone3 has its flags in memory, which a filter can't read. Without clone3 the C
	// library uses clone.
	clone := append([]unix.SockFilter{wall.UpperHalf(0),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}, ret(kill), arg(0)}, when(threadFlags, ret(allow))...)
	if c {
		clone = append(append(clone, when(glibcFlags, ret(allow))...), when(muslFlags, ret(allow))...)
	}
	clone = append(clone, ret(kill))
	f = append(f, when(unix.SYS_CLONE, clone...)...)
	f = append(f, when(unix.SYS_CLONE3, ret(notFound))...)
	// Refuse prctl always: the runtime uses it only to name memory and threads, and works without it.
	f = append(f, when(unix.SYS_PRCTL, ret(notFound))...)
	// Admit futexes in the worker's own memory. All workers share the pages of the binary, so two workers could signal each other by a futex
	// there. A C library (musl) uses shared futexes and works without them.
	shared := uint32(kill)
	if c {
		shared = notFound
	}
	f = append(f, when(unix.SYS_FUTEX, append([]unix.SockFilter{arg(1)}, set(futexPrivate, allow, shared)...)...)...)
	// Admit clocks of the machine and of the worker itself. The clock of another process would reveal how much it computes.
	for _, call := range []uint32{unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP} {
		f = append(f, when(call, arg(0), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: firstForeign, Jf: 1}, ret(kill), ret(allow))...)
	}
	// Admit the question for the worker's own processors. The kernel's reply for another number would reveal whether that process exists. A C
	// library asks with the number of a thread, and works without a reply.
	f = append(f, when(unix.SYS_SCHED_GETAFFINITY, append([]unix.SockFilter{arg(0)}, append(when(0, ret(allow)), ret(notFound))...)...)...)
	// Admit reading from the connection, without waiting.
	f = append(f, when(unix.SYS_RECVFROM, append([]unix.SockFilter{arg(0)}, append(when(uint32(connection), ret(allow)), ret(kill))...)...)...)
	// Admit signals to the worker itself, by which the runtime preempts its threads.
	f = append(f, when(unix.SYS_TGKILL, append([]unix.SockFilter{arg(0)}, append(when(uint32(os.Getpid()), ret(allow)), ret(kill))...)...)...)
	return append(f, ret(kill))
}

// seccomp sets the filter on all threads of the process. ok is false if the kernel has no filters. c reports that the binary has a C library.
func seccomp(c bool) (ok bool, err error) { return wall.Install(filter(c), true) }

// landlock refuses all files and networks by another means of the kernel, in case the filter of calls has a hole. It returns false if the
// kernel lacks it.
func landlock() bool {
	abi, err := wall.Landlock(nil, nil, false, true)
	return err == nil && abi > 0
}
