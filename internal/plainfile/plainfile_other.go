//go:build !unix

package plainfile

import "io/fs"

const nonblock = 0

// names returns 1: this system does not count the names of a file, so a file with a second name can be read.
func names(fs.FileInfo) uint64 { return 1 }
