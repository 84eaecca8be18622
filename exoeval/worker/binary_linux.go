package worker

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// openExecutable opens a file at a descriptor number that no file of a worker uses.
func openExecutable(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // O_NONBLOCK: a pipe of that name must not block the host
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

// executable returns a path by which the kernel finds the open file f.
func executable(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// ownedSafely refuses a file that another user than this one and root may change.
func ownedSafely(info os.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("its owner is not known")
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("it belongs to user %d, who could change it", st.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("its mode is %v: its group, or everybody, could change it", info.Mode().Perm())
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("its mode is %v: nobody may execute it", info.Mode().Perm())
	}
	return nil
}
