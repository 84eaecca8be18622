package fail_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
)

type stateError struct{}

func (*stateError) Error() string    { return "CANARY" }
func (*stateError) SQLState() string { return "22P02CANARY" }

type codeError struct{}

func (codeError) Error() string     { return "CANARY" }
func (codeError) ErrorCode() string { return "11" }

type nilError struct{ text string }

func (e *nilError) Error() string     { return "CANARY" }
func (e *nilError) LogReason() string { return e.text }

//go:noinline
func deep(name string, n int) int { panic(name) }

// ring is an error that wraps itself.
type ring struct{}

func (*ring) Error() string   { return "CANARY" }
func (r *ring) Unwrap() error { return r }

// TestReason: a reason has kinds, types, codes, fixed texts and places, and no text that may quote a value.
func TestReason(t *testing.T) {
	panicked := func(f func()) (err error) {
		defer func() { err = fail.NewPanicError(recover()) }()
		f()
		return nil
	}
	full := &fs.PathError{Op: "write", Path: "/CANARY", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("CANARY"), "internal: a *errors.errorString"},
		{fmt.Errorf("CANARY: %w", errors.New("CANARY")), "internal: a *errors.errorString"},
		{&fail.Error{Op: "notes.CANARY", Kind: fail.Denied, Msg: "CANARY", Err: fail.Named("the trigger %s of %s may act on others' rows", "audit", "notes")}, "denied: the trigger audit of notes may act on others' rows"},
		{fmt.Errorf("CANARY: %w: %w", fail.Named("the record can't be written"), full), "internal: the record can't be written: write: no space left on device"},
		{errors.Join(context.DeadlineExceeded, context.DeadlineExceeded), "limit: context deadline exceeded"},
		{&fail.Error{Kind: fail.Internal, Err: fmt.Errorf("CANARY %w", &stateError{})}, "internal: *fail_test.stateError 22P02"},
		{codeError{}, "internal: fail_test.codeError 11"},
		{&ring{}, "internal: a *errors.errorString"},
		{(*nilError)(nil), "a *fail_test.nilError"},
		{panicked(func() { panic("CANARY") }), "internal: panic in github.com/exoagent/exoagent/exo/fail_test.TestReason.func"},
		{panicked(func() { deep("CANARY", 7) }), "internal: panic in github.com/exoagent/exoagent/exo/fail_test.deep"},
		{panicked(func() { _ = os.Args[len("CANARY")+len(os.Args)] }), "internal: panic in github.com/exoagent/exoagent/exo/fail_test.TestReason.func"},
	} {
		if got := fail.Reason(c.err); got != c.want && !(strings.HasSuffix(c.want, "func") && strings.HasPrefix(got, c.want)) || strings.Contains(got, "CANARY") || strings.Contains(got, "0x") {
			t.Errorf("%v: the reason is %q, want %q", c.err, got, c.want)
		}
	}
	many := make([]error, 1000)
	for i := range many {
		many[i] = fail.Named("%s", fmt.Sprint(i))
	}
	if got := fail.Reason(errors.Join(many...)); len(got) > 1000 {
		t.Errorf("a reason has %d bytes", len(got))
	}
}
