package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// openExecutable opens a file under a descriptor number that no worker uses for its own files.
func openExecutable(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // O_NONBLOCK keeps a pipe of this name from blocking the host
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	const firstFree = 10
	if fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, firstFree); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// executable returns a path that leads the kernel to the open file f.
func executable(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// ownedSafely refuses a file that users other than root and this one may change.
func ownedSafely(info os.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("the owner of the file is not known: use a file system that has owners")
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("the file belongs to user %d, who could change it: make root or the host's user its owner", st.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("the file's mode is %v, so other users could change the file: set the mode to 0755", info.Mode().Perm())
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("the file's mode is %v, so the file can't be executed: set the mode to 0755", info.Mode().Perm())
	}
	return nil
}
