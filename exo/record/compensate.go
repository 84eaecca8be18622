package record

// This file undoes a run by a second run, and reports the effects that left with the first: a mail, for example, can't be undone.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Compensator is an object that can make up for its calls as its host declares, such as by a refund or a second mail. A service.Service is one.
type Compensator interface {
	// Compensates reports whether the object can make up for calls of a method.
	Compensates(method string) bool
	// Compensate makes up for the call with an idempotency key. as is the key of the compensation, and the same in every attempt. If an error wraps
	// exo.ErrNothingDone, nothing was done.
	Compensate(ctx context.Context, method, key, as string) error
}

// Left is an effect outside of the stores that took place with a run, such as a mail. It stays when the run is undone.
type Left struct {
	Call  uint64
	Op    string
	State exo.State // StateUnknown if the record does not show whether the effect took place; then no service makes up for it
	by    Compensator
}

// Compensated reports whether an [Undoing] asks a service to make up for the effect.
func (l Left) Compensated() bool { return l.by != nil }

// String describes in words what the undo does about the effect.
func (l Left) String() string {
	if l.by != nil {
		return fmt.Sprintf("a call that can't be undone, and that its service compensates: %s (%s)", l.Op, l.State)
	}
	return fmt.Sprintf("a call that can't be undone: %s (%s)", l.Op, l.State)
}

// LeftOf finds in a record the effects that left with a run (see Left). objects can make up for calls, and are listed by the names that the run had for them.
func LeftOf(all iter.Seq2[exo.Entry, error], run exo.RunID, objects map[string]Compensator) ([]Left, error) {
	calls := map[uint64]Left{}
	for e, err := range all {
		if err != nil {
			return nil, err
		}
		if e.RunID != run {
			continue
		}
		l := Left{Call: e.Call, Op: e.Op, State: e.State}
		switch {
		case e.Step == exo.Acted || e.Step == exo.Outcome && e.Effect == message.Immediate:
		case e.Step == exo.Acting || e.Step == exo.Intent && e.Effect == message.Immediate: // an effect has only this entry if the process was killed
			l.State = exo.StateUnknown
		default:
			continue
		}
		name, method, _ := strings.Cut(e.Op, ".")
		if by := objects[name]; by != nil && (e.State == exo.StateApplied || e.State == exo.StateImmediate) && by.Compensates(method) {
			l.by = by
		}
		if delete(calls, e.Call); l.State != exo.StateRolledBack && l.State != exo.StateFailed && l.State != exo.NoState {
			calls[e.Call] = l // a later entry replaces this one
		}
	}
	return slices.SortedFunc(maps.Values(calls), func(a, b Left) int { return int(a.Call) - int(b.Call) }), nil
}

// Undoing describes the undo of a run.
type Undoing struct {
	Of, As    exo.RunID // the run that is undone, and the run that undoes it
	Principal exo.Principal
	Left      []Left // the effects that left with the run (LeftOf)
}

// Run records the undo and calls the function do, which undoes the run's changes in its stores and returns the state of that undo. If the changes were undone, the
// services make up for the effects that left. This is tried once for each effect, and recorded before and after. If a service fails, the undo stays.
func (u Undoing) Run(ctx context.Context, to exo.Recorder, do func(context.Context) (exo.State, error)) error {
	ctx = context.WithoutCancel(ctx)
	note := func(e exo.Entry) error {
		e.RunID, e.At = u.As, time.Now()
		return to.Record(ctx, e)
	}
	err := note(exo.Entry{Step: exo.Begun, Start: &exo.Start{Principal: u.Principal, Program: "// exo undo " + u.Of.String(), Clock: time.Now()}})
	held := func(l Left, e exo.Entry) error {
		e.Call, e.Op, e.Effect = l.Call, l.Op+" compensation", message.Held
		return note(e)
	}
	for _, l := range u.Left {
		if err == nil && l.by != nil {
			if err = held(l, exo.Entry{Step: exo.Intent}); err == nil {
				err = held(l, exo.Entry{Step: exo.Outcome, State: exo.StateHeld})
			}
		}
	}
	if err == nil {
		err = note(exo.Entry{Step: exo.Committing, Prepared: &exo.Prepared{Changed: 1, Witnessed: 1}})
	}
	if err != nil { // the undo can't be recorded, so nothing was done
		return err
	}
	state, failed := do(ctx)
	err = note(exo.Entry{Step: exo.Committed, State: state, Err: failed})
	for _, l := range slices.Backward(u.Left) { // of two writes of one file, the second is taken back first
		if l.by == nil || state != exo.StateApplied || err != nil {
			continue
		}
		if err = held(l, exo.Entry{Step: exo.Acting}); err != nil {
			break
		}
		became, why := l.compensate(ctx, u.Of)
		err = held(l, exo.Entry{Step: exo.Acted, State: became, Err: why})
		failed = errors.Join(failed, why)
	}
	return errors.Join(failed, err, note(exo.Entry{Step: exo.Ended, Err: failed}))
}

// compensate asks the service to make up for the effect. A panic of the service becomes an error, since the stores have already kept the undo.
func (l Left) compensate(ctx context.Context, run exo.RunID) (state exo.State, err error) {
	_, method, _ := strings.Cut(l.Op, ".")
	err = guarded(ctx, func(ctx context.Context) error {
		return l.by.Compensate(ctx, method, run.KeyOf(l.Call), run.KeyOf(l.Call)+"-undo")
	})
	switch {
	case err == nil:
		return exo.StateApplied, nil
	case errors.Is(err, exo.ErrNothingDone):
		return exo.StateFailed, fmt.Errorf("record: the service did not compensate for %s: %w", l.Op, err)
	}
	return exo.StateUnknown, fmt.Errorf("record: it is not known whether the service compensated for %s: %w", l.Op, err)
}
