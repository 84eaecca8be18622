package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops what was typed at a terminal and not read yet. It is called before a question
// that asks for consent: otherwise text that was pasted together with the command would answer it.
func DropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // it does nothing for a file that is no terminal
	}
}
