//go:build unix

package plainfile

import (
	"io/fs"
	"syscall"
)

// nonblock lets the opening of a pipe return at once.
const nonblock = syscall.O_NONBLOCK

// names returns how many names a file has.
func names(of fs.FileInfo) uint64 {
	if s, ok := of.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
