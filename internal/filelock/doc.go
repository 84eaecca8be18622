// Package filelock locks a file for the handle that opened it, so that two writers can't cut off each other's lines.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse is the error of Lock if another handle has the lock.
var ErrInUse = errors.New("the file is open elsewhere, in another process or in this one: close it there, or wait until that process has ended")

// Open opens a file for appending and reading, and locks it against other writers. Only the owner can read a file that Open creates.
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
