//go:build unix

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// keysWait reports, without waiting, whether keys were pressed but not read yet.
func keysWait() bool {
	fds := []unix.PollFd{{Fd: int32(os.Stdin.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
}
