package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// DropTyped drops what was typed at a terminal and not read yet. A question whose answer is a consent is asked after it: text that
// was pasted together with the command would answer it.
func DropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // of a file that is no terminal it does nothing
	}
}
