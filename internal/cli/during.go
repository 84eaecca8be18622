package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/exoagent/exoagent/internal/printable"
	"github.com/exoagent/exoagent/internal/spin"
	"github.com/exoagent/exoagent/schema"
)

// SpinAfter is how long an operation may take before the terminal shows it.
const SpinAfter = time.Second / 2

// During runs f, which may take long. If standard error is a terminal, During shows there that f is running. f must write to the Stdio that it gets.
func During[T any](std Stdio, what string, f func(std Stdio) (T, error)) (T, error) {
	what = schema.Printable(what)
	if short := []rune(what); len(short) > 50 { // the text must fit on one line, which is erased later
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

// Terminal returns the device behind a command's writer, for its width. A caller that writes to the device must escape texts itself.
func Terminal(w io.Writer) io.Writer {
	if p, ok := w.(*printable.Writer); ok {
		return p.Unwrap()
	}
	return w
}
