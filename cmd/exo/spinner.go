package main

import (
	"fmt"
	"time"

	"github.com/exoagent/exoagent/internal/spin"
	"github.com/exoagent/exoagent/schema"
)

// spinAfter is how long something may take before a word is said about it.
const spinAfter = time.Second / 2

// during does something that may take long, and says so on standard error if that is a terminal. What f writes goes to the stdio that
// it is given.
func during[T any](std stdio, what string, f func(std stdio) (T, error)) (T, error) {
	what = schema.Printable(what)
	if short := []rune(what); len(short) > 50 { // one line, which can be taken away again
		what = string(short[:49]) + "…"
	}
	s := &spin.Spinner{}
	if screen := terminal(std.err); spin.Moves(screen) {
		s = spin.Start(screen, spinAfter, func(frame string, took time.Duration) string {
			return fmt.Sprintf("%s %s, %.1f s; Ctrl-C stops it", frame, what, took.Seconds())
		})
	}
	defer s.End()
	std.out, std.err = s.Writer(std.out), s.Writer(std.err)
	return f(std)
}

// holding is what is shown while a grant file is opened.
func holding(path string) string { return "holding " + path + " against its databases" }
