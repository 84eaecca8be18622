package wall

// This file has the parts of filters of system calls, and the filter for programs that Start runs.

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These are the decisions of a filter about a system call.
const (
	NotFound = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	Refuse   = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	Allow    = unix.SECCOMP_RET_ALLOW
	Kill     = unix.SECCOMP_RET_KILL_PROCESS
)

// These are offsets in struct seccomp_data on little-endian machines.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16
)

// arch is the kernel's number for this machine's system calls. With 0 there are no filters.
var arch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

func load(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

// Arg loads the lower half of the call's argument i into the accumulator.
func Arg(i uint32) unix.SockFilter { return load(dataArgs + 8*i) }

// UpperHalf loads the upper half of the call's argument i.
func UpperHalf(i uint32) unix.SockFilter { return load(dataArgs + 8*i + 4) }

// Return ends the filter with a decision.
func Return(what uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
}

// When returns instructions that run the instructions in then, if the accumulator equals k. The last of these must be a return.
func When(k uint32, then ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: uint8(len(then))}}, then...)
}

// IfSet returns the decision yes if one of some bits of the accumulator is set, and otherwise no.
func IfSet(bits uint32, yes, no uint32) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: bits, Jf: 1}, Return(yes), Return(no)}
}

// Begin ends the process at a call of another architecture, which has other numbers. Then it loads the number of the call.
func Begin() []unix.SockFilter {
	return []unix.SockFilter{load(dataArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1}, Return(Kill), load(dataCall)}
}

// Install sets a filter on the calling thread, or on all threads of the process. The result ok is false if the kernel has no filters.
func Install(f []unix.SockFilter, all bool) (ok bool, err error) {
	if arch == 0 {
		return false, nil
	}
	flags := uintptr(0)
	if all {
		flags = unix.SECCOMP_FILTER_FLAG_TSYNC
	}
	p := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	runtime.KeepAlive(f)
	switch {
	case errno == unix.ENOSYS || errno == unix.EINVAL || errno == unix.EPERM || errno == unix.EACCES:
		return false, nil
	case errno != 0:
		return false, fmt.Errorf("the kernel refused the filter of system calls: %w", errno)
	case r != 0:
		return false, fmt.Errorf("the kernel can't filter the system calls of the thread %d, which has a filter of its own: start the process again", r)
	}
	return true, nil
}

// opening are calls that no ordinary server makes, and with which attacks on a kernel begin. setsid and setpgid are among them, so that a
// program's processes stay in one group, which can be ended.
var opening = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_SETSID, unix.SYS_SETPGID,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG,
	unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_ACCT,
	unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}

// anew are the flags of clone that make new namespaces.
const anew = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// otherNumbers is set in the numbers of a second set of system calls, which amd64 has for 32-bit programs.
const otherNumbers = 0x40000000

// filter returns the filter of a program that Start runs. It lists what is refused, because an arbitrary program's needs are not known.
func filter(network bool) []unix.SockFilter {
	f := append(Begin(), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: otherNumbers, Jf: 1}, Return(NotFound))
	for _, c := range opening {
		f = append(f, When(c, Return(Refuse))...)
	}
	// Refuse io_uring, because no filter sees its operations. clone3 has its flags in memory, which a filter can't read; without it libraries use
	// clone.
	for _, c := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_CLONE3} {
		f = append(f, When(c, Return(NotFound))...)
	}
	f = append(f, When(unix.SYS_CLONE, append([]unix.SockFilter{Arg(0)}, IfSet(anew, Refuse, Allow)...)...)...)
	// With this call the program could cut its tie to the host.
	f = append(f, When(unix.SYS_PRCTL, append([]unix.SockFilter{Arg(0)}, append(When(unix.PR_SET_PDEATHSIG, Return(Refuse)), Return(Allow))...)...)...)
	socket := []unix.SockFilter{Return(Refuse)}
	if network { // admit no UNIX sockets, because services of this machine listen on them
		socket = append([]unix.SockFilter{Arg(0)}, append(append(When(unix.AF_INET, Return(Allow)), When(unix.AF_INET6, Return(Allow))...), Return(Refuse))...)
	}
	f = append(f, When(unix.SYS_SOCKET, socket...)...)
	return append(f, Return(Allow))
}
