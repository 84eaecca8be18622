//go:build unix

package plainfile

import (
	"io/fs"
	"syscall"
)

// nonblock makes opening a pipe return at once, instead of waiting until another process opens the pipe, too.
const nonblock = syscall.O_NONBLOCK

// names returns the number of a file's names (hard links).
func names(of fs.FileInfo) uint64 {
	if s, ok := of.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
