//go:build !linux

package cli

import "io"

// DropTyped does nothing on this system, so text that was typed earlier answers the next question.
func DropTyped(io.Reader) {}
