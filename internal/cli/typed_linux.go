package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops unread input of a terminal. Call it before a question that asks for consent. Otherwise text that was pasted together with
// the command would answer the question.
func DropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // a file that is no terminal returns an error, which does not matter
	}
}
