//go:build !unix

package plainfile

import "io/fs"

const nonblock = 0

// names is not known here.
func names(fs.FileInfo) uint64 { return 1 }
