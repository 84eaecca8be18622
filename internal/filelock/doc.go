// Package filelock locks a file for whoever opened it, so that two that append to it don't cut off each other's lines.
package filelock

import "errors"

// ErrInUse is what Lock fails with where somebody else has the file.
var ErrInUse = errors.New("it is open elsewhere, in another process or in this one: close it there, or wait until that process has ended")
