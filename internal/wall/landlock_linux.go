package wall

// This file limits a thread to some files, by Landlock.

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	readFile   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	changeFile = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// The program can't make links, sockets, pipes and devices, because they could mislead other programs that use the folder.
	changeFolder = changeFile | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REFER
)

// Landlock limits the calling thread, or all threads of the process, to files in read and write. Without network it refuses TCP, too. It
// returns the version of the kernel's interface, or 0 if the kernel has none. An error means that a path can't be used.
func Landlock(read, write []string, network, all bool) (abi int, err error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if v >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if v >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if v >= 4 && !network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if v >= 4 {
		size += unsafe.Sizeof(attr.Handled_access_net)
	}
	if v >= 6 && !all { // each thread gets its own domain, and early kernels refuse signals between domains
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return 0, nil
	}
	defer unix.Close(int(fd))
	for _, p := range read {
		if err := admit(fd, p, readFile, readFile|unix.LANDLOCK_ACCESS_FS_READ_DIR, attr.Handled_access_fs); err != nil {
			return 0, err
		}
	}
	for _, p := range write {
		if err := admit(fd, p, changeFile, changeFolder, attr.Handled_access_fs); err != nil {
			return 0, err
		}
	}
	restrict := syscall.RawSyscall
	if all {
		restrict = syscall.AllThreadsSyscall
	}
	if _, _, errno = restrict(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return 0, nil
	}
	return int(v), nil
}

// admit adds a file, or a folder with its contents, to the rules.
func admit(rules uintptr, path string, file, folder, handled uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s, which the program may use, can't be opened: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("%s, which the program may use, can't be examined: %w", path, err)
	}
	a := unix.LandlockPathBeneathAttr{Allowed_access: file & handled, Parent_fd: int32(fd)}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		a.Allowed_access = folder & handled
	}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&a)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("the kernel (Landlock) can't let the program use %s: %w", path, errno)
	}
	return nil
}
