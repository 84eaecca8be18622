package exoeval

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
)

// Error is a failed run: what kind, what the model should read, and where in
// its program. Line and Column count from 1, Column in UTF-16 units as editors
// show them; both are 0 when no place is known. SourceLine is the program's own line.
type Error struct {
	Kind       exo.Kind
	Message    string // for the guest: says the least that is true
	Line       int
	Column     int
	SourceLine string
	Err        error // for the host's log; never shown to a guest
}

// Fail is the error of a run that err ended at no known place.
func Fail(err *exo.Error) *Error { return &Error{Kind: err.Kind, Message: err.Guest(), Err: err.Err} }

func (e *Error) Error() string {
	s := e.Kind.String() + ": " + e.Message
	if e.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", e.Line, e.Column, s)
	}
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is matches the sentinels of exo by Kind.
func (e *Error) Is(target error) bool { return (&exo.Error{Kind: e.Kind, Err: e.Err}).Is(target) }
