//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lock locks the file by creating a second file, which only one process can do. A killed process leaves the second file behind: only the host can know that
// nothing uses it.
func Lock(f *os.File) (unlock func() error, err error) {
	path := f.Name() + ".lock"
	l, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if a killed process left this lock, remove %s", ErrInUse, path)
	}
	if err != nil {
		return nil, err
	}
	return func() error { return os.Remove(path) }, l.Close()
}
