//go:build !linux

package cli

import "io"

// DropTyped does nothing on this system: what was typed ahead answers the next question.
func DropTyped(io.Reader) {}
