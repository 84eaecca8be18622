package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/spin"
	"github.com/exoagent/exoagent/schema"
)

// SpinAfter is how long something may take before a word is said about it.
const SpinAfter = time.Second / 2

// During does something that may take long, and says so on standard error if that is a terminal. What f writes goes to the stdio that
// it is given.
func During[T any](std Stdio, what string, f func(std Stdio) (T, error)) (T, error) {
	what = schema.Printable(what)
	if short := []rune(what); len(short) > 50 { // one line, which can be taken away again
		what = string(short[:49]) + "…"
	}
	s := &spin.Spinner{}
	if screen := Terminal(std.Err); spin.Moves(screen) {
		s = spin.Start(screen, SpinAfter, func(frame string, took time.Duration) string {
			return fmt.Sprintf("%s %s, %.1f s; Ctrl-C stops it", frame, what, took.Seconds())
		})
	}
	defer s.End()
	std.Out, std.Err = s.Writer(std.Out), s.Writer(std.Err)
	return f(std)
}

// Terminal is what a writer that a command is given writes to. Who uses it escapes for itself, and needs the device to know its width.
func Terminal(w io.Writer) io.Writer {
	if p, ok := w.(*printable.Writer); ok {
		return p.Unwrap()
	}
	return w
}
