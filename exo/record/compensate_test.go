package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// refunds is a service that makes up for calls of pay, and keeps what it was asked.
type refunds struct {
	err   error
	asked []string
}

func (r *refunds) Compensates(method string) bool { return method == "pay" }

func (r *refunds) Compensate(_ context.Context, method, key, as string) error {
	if r.asked = append(r.asked, method+" "+key+" "+as); r.err == errPanic {
		panic("a bug")
	}
	return r.err
}

var errPanic = errors.New("panics")

// acted is a run with a call that took place, one that may have, one that did not, and one that nothing makes up for.
func acted(id exo.RunID) []exo.Entry {
	call := func(n uint64, effect message.EffectMode, step exo.Step, op string, state exo.State) exo.Entry {
		e := about(id, effect, step, op, state)
		e.Call = n
		return e
	}
	return []exo.Entry{entry(id, exo.Begun), call(1, message.InUnit, exo.Outcome, "staff.update", exo.StateApplied),
		call(5, message.Held, exo.Acted, "bank.pay", exo.StateUnknown), call(2, message.Held, exo.Acted, "bank.pay", exo.StateApplied),
		call(3, message.Held, exo.Acted, "bank.pay", exo.StateFailed), call(4, message.Immediate, exo.Outcome, "bank.tell", exo.StateImmediate),
		call(6, message.Held, exo.Acted, "bank.pay", exo.StateUnknown), call(6, message.Held, exo.Acted, "bank.pay", exo.StateApplied), entry(id, exo.Ended)}
}

// TestCompensation: an undo makes up, once and only after it was kept, for what is known to have taken place, and lists the rest.
func TestCompensation(t *testing.T) {
	for name, c := range map[string]struct {
		state exo.State
		do    error
		by    error
		acted exo.State // of the compensation; NoState: it is not asked
		told  string
	}{
		"kept":                    {exo.StateApplied, nil, nil, exo.StateApplied, ""},
		"refused":                 {exo.StateRolledBack, nil, nil, exo.NoState, ""},
		"unknown":                 {exo.StateUnknown, errDisk, nil, exo.NoState, errDisk.Error()},
		"the service refuses":     {exo.StateApplied, nil, fmt.Errorf("too late: %w", exo.ErrNothingDone), exo.StateFailed, "too late"},
		"the service may have":    {exo.StateApplied, nil, errDisk, exo.StateUnknown, "not known"},
		"the service has a panic": {exo.StateApplied, nil, errPanic, exo.StateUnknown, "panicked"},
	} {
		t.Run(name, func(t *testing.T) {
			run, as, bank := exo.NewRunID(), exo.NewRunID(), &refunds{err: c.by}
			left, err := LeftOf(func(yield func(exo.Entry, error) bool) {
				for _, e := range append(acted(run), acted(exo.NewRunID())...) {
					if !yield(e, nil) {
						return
					}
				}
			}, run, map[string]Compensator{"bank": bank})
			var words []string
			for _, l := range left {
				words = append(words, l.String())
			}
			want := []string{"a call that can't be undone, and that its service compensates: bank.pay (applied)", "a call that can't be undone: bank.tell (immediate)",
				"a call that can't be undone: bank.pay (unknown)", "a call that can't be undone, and that its service compensates: bank.pay (applied)"}
			if err != nil || !slices.Equal(words, want) {
				t.Fatalf("%v %q", err, words)
			}
			var b bytes.Buffer
			err = Undoing{Of: run, As: as, Principal: "operator", Left: left}.Run(t.Context(), New(&b), func(context.Context) (exo.State, error) {
				if len(bank.asked) > 0 {
					t.Error("the service was asked before the undo was kept")
				}
				return c.state, c.do
			})
			if (err != nil) != (c.told != "") || err != nil && !strings.Contains(err.Error(), c.told) {
				t.Errorf("told %v, want %q", err, c.told)
			}
			var asked []string
			if c.acted != exo.NoState {
				asked = []string{"pay " + run.KeyOf(6) + " " + run.KeyOf(6) + "-undo", "pay " + run.KeyOf(2) + " " + run.KeyOf(2) + "-undo"} // the last call first
			}
			if !slices.Equal(bank.asked, asked) {
				t.Errorf("asked %q, want %q", bank.asked, asked)
			}
			steps := map[exo.Step]int{}
			for _, e := range all(t, bytes.NewReader(b.Bytes())) {
				if steps[e.Step]++; e.RunID != as || e.Step == exo.Acted && e.State != c.acted || e.Call > 0 && e.Op != "bank.pay compensation" {
					t.Errorf("%+v", e)
				}
			}
			if steps[exo.Intent] != 2 || steps[exo.Acting] != len(asked) || steps[exo.Acted] != len(asked) || steps[exo.Committed] != 1 || steps[exo.Ended] != 1 {
				t.Errorf("steps %v", steps)
			}
		})
	}
}

// TestLeftOfAKilledRun: an effect of which the record has only the beginning may have left. One that is known to have failed, or was never begun, has not.
func TestLeftOfAKilledRun(t *testing.T) {
	run := exo.NewRunID()
	var list []exo.Entry
	for n, e := range []exo.Entry{
		about(run, message.Held, exo.Acting, "mail.send", exo.NoState), about(run, message.Immediate, exo.Intent, "bank.pay", exo.NoState), about(run, message.Held, exo.Intent, "mail.held", exo.NoState),
		about(run, message.Held, exo.Acting, "mail.failed", exo.NoState), about(run, message.Held, exo.Acted, "mail.failed", exo.StateFailed),
	} {
		e.Call = uint64(min(n, 3) + 1)
		list = append(list, e)
	}
	left, err := LeftOf(func(yield func(exo.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}, run, map[string]Compensator{"bank": &refunds{}})
	if s := fmt.Sprint(left); err != nil || s != "[a call that can't be undone: mail.send (unknown) a call that can't be undone: bank.pay (unknown)]" {
		t.Errorf("%v %s", err, s)
	}
}

// TestCompensationNeedsTheRecord: what can't be recorded before it happens does not happen.
func TestCompensationNeedsTheRecord(t *testing.T) {
	for n := range 9 {
		run, bank := exo.NewRunID(), &refunds{}
		u := Undoing{Of: run, As: exo.NewRunID(), Left: []Left{{Call: 2, Op: "bank.pay", State: exo.StateApplied, by: bank}}}
		did, at := false, 0
		err := u.Run(t.Context(), recorder(func(exo.Entry) error {
			if at++; at > n {
				return errDisk
			}
			return nil
		}), func(context.Context) (exo.State, error) { did = true; return exo.StateApplied, nil })
		// Begun, Intent, Outcome, Committing, then the undo; Committed, Acting, then the service; Acted, Ended
		if did != (n >= 4) || (len(bank.asked) > 0) != (n >= 6) || (err == nil) != (n >= 8) {
			t.Errorf("after %d entries: did %v, asked %v, %v", n, did, bank.asked, err)
		}
	}
}

type recorder func(exo.Entry) error

func (r recorder) Record(_ context.Context, e exo.Entry) error { return r(e) }
