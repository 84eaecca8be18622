package fail

// This file has the way in which a host ends a run by its context and gives a reason.

import (
	"cmp"
	"context"
	"errors"
)

// Stop is the cause with which a host ends the context of a run (context.WithCancelCause). The run then fails with this Kind and Msg.
type Stop struct {
	Kind Kind   // zero: Cancelled
	Msg  string // the text that the program and its model read; so it must not depend on what another run has read
	Err  error  // the reason, for the host
}

func (s *Stop) Error() string { return (&Error{Kind: s.Kind, Msg: s.Msg, Err: s.Err}).Error() }

// CauseOf returns the cause of a context that has ended, for the error of a run, or nil. The result is an *Error only if the cause itself is a *Stop: one
// that another error wraps does not count. If another cause wraps an *Error, CauseOf keeps only the text. An errgroup ends the contexts of all its runs with the error of
// one, and other programs must not read that error.
func CauseOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if s, ok := cause.(*Stop); ok && s == nil {
		return errors.New("the context was ended with a nil *fail.Stop as its cause: pass one that is not nil")
	} else if ok {
		return &Error{Kind: cmp.Or(s.Kind, Cancelled), Msg: s.Msg, Err: s.Err}
	}
	if e, ok := errors.AsType[*Error](cause); ok {
		if e == nil {
			return errors.New("the context was ended with a nil *fail.Error as its cause: pass one that is not nil")
		}
		return errors.New(cause.Error())
	}
	return cause
}
