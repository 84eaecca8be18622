package exoeval_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
)

// TestWhoEndedTheCall: what a call says of a context that ended is not taken for a limit of the program, where it was
// the caller's deadline; a limit that the program met stays one.
func TestWhoEndedTheCall(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	total, cancel := exoeval.Bounds{Total: time.Nanosecond}.Within(t.Context())
	defer cancel()
	<-total.Done()
	ofCall := fail.Classify("shop.wait", context.DeadlineExceeded)
	ofProgram := fail.Errorf(fail.Limit, "", "too many rows")
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		kind fail.Kind
		says string
	}{
		"a call, the caller's deadline": {late, ofCall, fail.Cancelled, "the program was stopped: the deadline of its caller had passed"},
		"a call, the total":             {total, ofCall, fail.Limit, "the program took longer than 1ns in all, waiting included; ask for less at a time"},
		"a call of its own deadline":    {t.Context(), ofCall, fail.Limit, "shop.wait: a time limit was reached: do less in one program"},
		"a limit before the deadline":   {late, ofProgram, fail.Limit, "too many rows"},
	} {
		gate, err := exo.NewGate(exo.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := gate.Begin(t.Context(), exo.Run{}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		res := exoeval.ProgramResult{Err: c.err}.Settle(c.ctx, s, exoeval.Job{}, exoeval.Bounds{Total: time.Nanosecond})
		if fail.KindOf(res.Err) != c.kind || fail.GuestText(res.Err) != c.says {
			t.Errorf("%s: %v %q", name, fail.KindOf(res.Err), fail.GuestText(res.Err))
		}
		if c.kind == fail.Cancelled && !errors.Is(res.Err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}
