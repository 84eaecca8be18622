package fail_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
)

// TestCauseOf: a context's cause gives a run its kind and text only if it is a *fail.Stop. The error of another run, which an errgroup makes the cause, does
// not, however it is wrapped.
func TestCauseOf(t *testing.T) {
	secret := &fail.Error{Kind: fail.Program, Msg: "ann's salary is 90000"}
	var none *fail.Error
	var stop *fail.Stop
	for _, cause := range []error{secret, fmt.Errorf("ann: %w", secret), errors.Join(context.Canceled, secret), none, stop, &fail.Stop{Msg: "no kind"}, fmt.Errorf("in: %w", &fail.Stop{Kind: fail.Revoked, Err: secret}), context.DeadlineExceeded, errors.New("no")} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		err := fail.Classify("", errors.Join(ctx.Err(), fail.CauseOf(ctx)))
		if fail.KindOf(err) != fail.Cancelled && cause != context.DeadlineExceeded || strings.Contains(fail.GuestText(err), "salary") {
			t.Errorf("%v: %v; a program reads %s", cause, fail.KindOf(err), fail.GuestText(err))
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if fail.CauseOf(ctx) != nil {
		t.Error("a context that goes on has a cause")
	}
	cancel(&fail.Stop{Kind: fail.Revoked, Msg: "gone", Err: secret})
	if err := fail.CauseOf(ctx); fail.KindOf(err) != fail.Revoked || !strings.Contains(fail.GuestText(err), "gone") || strings.Contains(fail.GuestText(err), "salary") {
		t.Errorf("%v; a program reads %s", err, fail.GuestText(err))
	}
}
