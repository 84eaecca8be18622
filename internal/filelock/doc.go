// Package filelock locks a file for whoever opened it, so that two that append to it don't cut off each other's lines.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse is what Lock fails with where somebody else has the file.
var ErrInUse = errors.New("it is open elsewhere, in another process or in this one: close it there, or wait until that process has ended")

// Open opens a file to append to and to read, makes it for its owner only if it is not there, and locks it: what is read of it then is all there is.
func Open(path string) (f *os.File, unlock func() error, err error) {
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, nil, err
	}
	if unlock, err = Lock(f); err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, unlock, nil
}
