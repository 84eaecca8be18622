package exo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/value"
)

// Finish ends the run and returns why it failed, or nil. result is the value that would leave. failed is the error of a program that has no result;
// Finish itself may also fail.
//
// The order is the promise. First, calls that are still open are cancelled and waited for, so nothing of the run acts any more. An object that ignores
// its context delays Finish. Labels decide whether the result may leave. The units of work are prepared, and the intent to commit is recorded. If
// anything has failed so far, or the caller's context has ended, everything is rolled back. Otherwise the units commit, which is recorded. Then held
// effects act, in call order, each recorded before and after it acts. Each step has a time limit of its own, even if ctx has ended.
func (s *Session) Finish(ctx context.Context, result value.Value, failed error) error {
	if err := s.begun(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		select {
		case <-s.over: // a second caller waits until the first is done
			return s.finishErr
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.closed = true
	s.mu.Unlock()
	s.cancel(context.Canceled)
	s.wg.Wait()
	defer close(s.over)
	s.finishErr = s.endApart(ctx, result, failed)
	if s.purse != nil {
		s.purse.Settle(len(slices.DeleteFunc(s.Effects(), func(c Effect) bool { return !c.Outward().MayHaveHappened() })))
	}
	return s.finishErr
}

// endApart ends the run on a goroutine of its own. A callback of the host may end its goroutine, or
// return an error with methods that panic; the run must end completely all the same.
func (s *Session) endApart(ctx context.Context, result value.Value, program error) error {
	done := make(chan error, 1)
	go func() {
		p, err := any(errCallbackEnded), error(&fail.Error{Kind: fail.Internal, Err: errCallbackEnded})
		defer func() {
			if r := recover(); r != nil {
				p = r
			}
			if p != nil {
				s.callbackFailed(p)
				s.forget(context.WithoutCancel(ctx))
				if s.committing {
					s.become(StateFailed, err, func(c *change) bool { return c.Mode == message.Held })
					s.become(StateUnknown, err, anyChange)
				} else {
					_ = s.undo(context.WithoutCancel(ctx))
					s.become(StateRolledBack, err, anyChange)
				}
				s.dropWork()
			}
			done <- err
		}()
		err, p = s.end(ctx, result, program), nil
	}()
	return <-done
}

var errCallbackEnded = fail.Named("exo: a function of the host, such as a Recorder or a policy, ended its goroutine: return from it, and don't call runtime.Goexit")

// end ends the run in the order that Finish describes. All checks come before the commit, so a run that fails has changed
// nothing. The entry Ended is recorded last.
func (s *Session) end(ctx context.Context, result value.Value, program error) error {
	failed, lost := fail.Classify("", program), fail.CauseOf(s.caller)
	if s.work != nil {
		if lost = nil; !s.keep() {
			lost = fail.CauseOf(s.work)
		}
	}
	if failed == nil && (lost != nil || ctx.Err() != nil) {
		failed = fail.Classify("", errors.Join(ctx.Err(), lost))
	}
	ctx = context.WithoutCancel(ctx)
	released := s.Release()
	if failed == nil {
		failed = released
	}
	if err := s.note(Entry{Step: Released, Label: s.Label(), Digest: s.digestOf(result), Err: released}); failed == nil {
		failed = err
	}
	if failed == nil {
		failed = s.doomedBy()
	}
	if failed == nil {
		failed = s.prepare(ctx)
	}
	final := s.waiting()
	if failed == nil {
		failed = s.raised()
	}
	var changes, more []any
	if failed == nil && final && (s.gate.record != nil || s.gate.review != nil) {
		changes, failed = s.announced(ctx)
	}
	if failed == nil && final && s.gate.review != nil && !s.run.Preview {
		more, failed = s.review(ctx, changes)
		changes = append(changes, more...)
	}
	if failed == nil && final && !s.run.Preview {
		if failed = s.stage(ctx); failed == nil {
			failed = s.note(Entry{Step: Committing, Label: s.Label(), Prepared: s.prepared(), Details: changes})
		}
	}
	switch {
	case failed == nil && s.run.Preview:
		if err := s.undo(ctx); err != nil {
			failed = fail.Classify("", err)
		}
		s.become(StateRolledBack, ErrPreview, anyChange)
		if final {
			if err := s.note(Entry{Step: Committed, Label: s.Label(), State: StateRolledBack, Details: changes, Err: ErrPreview}); failed == nil {
				failed = err
			}
		}
	case failed == nil:
		s.committing = true
		failed = s.settleChanges(ctx, final)
	default:
		s.forget(ctx)
		if err := s.undo(ctx); err != nil {
			e := *fail.AsError("", failed)
			e.Err = errors.Join(e.Err, fmt.Errorf("exo: a unit of work could not be undone: %w", err))
			failed = &e
		}
		why := failed
		if released != nil { // drop the program's error: it may depend on values that may not leave
			why = released
		}
		s.become(StateRolledBack, why, anyChange)
		if fail.KindOf(failed) == fail.Pending { // the record keeps the changes that a person is to agree to
			_ = s.note(Entry{Step: Committed, Label: s.Label(), State: StateRolledBack, Details: changes, Err: failed})
		}
	}
	s.dropWork()
	if err := s.note(Entry{Step: Ended, Label: s.Label(), Err: failed}); failed == nil && err != nil && !final {
		failed = err // if final is true, this is no failure: the changes stay, and the entry is owed and appended later
	}
	return failed
}

// dropWork ends the context of units of work, if any was opened.
func (s *Session) dropWork() {
	if s.drop != nil {
		s.drop(context.Canceled)
	}
}

// raised refuses a run that asked for an effect and then read values that may not leave by that effect. Otherwise the program
// could reveal one bit of these values, by letting the run commit or fail. raised looks at labels alone, never at values.
func (s *Session) raised() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sorted() {
		if c.State == StateHeld && !MayLeave(s.label, c.admits) {
			return fail.Errorf(fail.Denied, c.Op, "the program asked for this call and then read values that may not leave through it, so the call was not made: read them in another program")
		}
	}
	return nil
}

// settleChanges commits the units. If final is true, the run changes something: settleChanges also records the commit, and lets held effects act.
func (s *Session) settleChanges(ctx context.Context, final bool) error {
	stores := s.changed()
	state, failed := s.commit(ctx)
	if !final {
		return failed
	}
	if err := s.note(Entry{Step: Committed, Label: s.Label(), State: state, Err: failed}); err != nil && failed == nil {
		// The run is committed, but the record does not show that until the owed entry has been appended. Until then the state of these
		// effects counts as unknown.
		failed = err
		s.mu.Lock()
		for _, c := range s.effects {
			if c.State == StateApplied {
				c.State, c.Err = StateUnknown, err
			}
		}
		s.mu.Unlock()
	}
	switch {
	case failed == nil:
		s.settleUnits(ctx, stores)
		s.actHeld(ctx)
	default:
		if state == StateUnknown && len(s.stores(func(c *change) bool { return c.State == StateUnknown })) > 0 { // a Stager asks the stores later
			s.become(StateUnknown, failed, func(c *change) bool { return slices.Contains(s.staged, c) })
		}
		if s.forget(ctx); state != StateRolledBack {
			state = StateFailed
		}
		s.become(state, failed, anyChange)
	}
	return failed
}

// actHeld lets the held effects act, one after the other. Each is recorded before it acts. If that entry can't be
// appended, the effect is not tried. An effect is never tried again, even if the record does not have its outcome.
func (s *Session) actHeld(ctx context.Context) {
	defer s.forget(ctx)
	ctx, stop := context.WithTimeout(ctx, s.gate.limits.Held)
	defer stop()
	s.mu.Lock()
	all := s.sorted()
	s.mu.Unlock()
	for _, c := range all {
		if c.State != StateHeld {
			continue
		}
		state, err := StateFailed, error(nil)
		if failed := s.noteMessage(c.held.entry, Entry{Step: Acting, Label: s.Label()}); failed != nil {
			err = failed
		} else {
			start := time.Now()
			var v value.Value
			v, state, err = s.actOne(ctx, c.held)
			s.mu.Lock()
			details := c.held.entry.details
			s.mu.Unlock()
			_ = s.noteMessage(c.held.entry, Entry{Step: Acted, Label: s.Label(), Digest: s.digestOf(v), State: state, Err: err, Details: details, Took: time.Since(start)}) // if note fails, the entry is owed and appended later
		}
		s.mu.Lock()
		c.State, c.Err = state, err
		s.mu.Unlock()
	}
}

func (s *Session) actOne(ctx context.Context, held *Message) (v value.Value, state State, err error) {
	if cut := held.cutOff(); cut != nil {
		return v, StateFailed, cut
	}
	if ctx.Err() != nil {
		return v, StateFailed, fail.Errorf(fail.Limit, "", "this call was not made: earlier calls used up the %v for calls that wait for the end of their program; make fewer of them in one program", s.gate.limits.Held)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer held.whenCut(cancel)()
	ctx, end := observe.Begin(ctx, held.Root.Observed())
	defer func() { end(observe.Outcome{Error: observe.ErrorOf(err), Rows: v.Count()}) }()
	replied := make(chan value.Value, 1)
	failed, returned := within.Limit(ctx, s.gate.limits.Held, func(ctx context.Context) error {
		m, err := held.unsealing()
		if err != nil {
			return err
		}
		v, err := ask(ctx, m)
		replied <- v
		return err
	})
	if returned {
		select {
		case v = <-replied:
		default: // the object ended its goroutine
		}
	}
	_ = s.after(held, v, failed) // the error needs no handling: after a policy's panic, s.note refuses what follows
	switch {
	case failed == nil:
		return v, StateApplied, nil
	case returned && nothingDone(failed):
		return value.Value{}, StateFailed, failed
	}
	return value.Value{}, StateUnknown, failed // the effect may have happened: a mail may be sent, although the connection is lost before the reply
}

// unsealing returns the held message with the contents of its sealed values. It checks these contents, since the
// gate admitted the message knowing only their types.
func (m *Message) unsealing() (*Message, error) {
	if m.entry.sealed == nil {
		return m, nil
	}
	e := &pending{id: m.entry.id}
	open, err := m.session.check(m.session.open(m.asked), e, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNothingDone, err)
	}
	open.entry = m.entry
	return open, nil
}

// Release decides whether the run's result may leave. The result is a sink like any other.
func (s *Session) Release() error {
	if err := s.begun(); err != nil {
		return err
	}
	if l := s.Label(); !MayLeave(l, s.gate.admits) {
		// The text must not depend on what the program read: otherwise the program could reveal one bit with each tag that it
		// chooses to read or not. So the text names only the first message that brought such a tag (withheld.first).
		which := ""
		if !s.gate.kept.Empty() { // if kept is empty, the run began with the tag
			which = " (" + s.gate.kept.String() + ")"
		}
		if !MayLeave(s.run.Label, s.gate.admits) { // the run began with a label that its result may not carry
			return &fail.Error{Kind: fail.Denied, Msg: "this program was written by a model that had read values which its result may not contain: let a model write it that has not read them", Err: because(l.Secrecy().Without(s.gate.admits), s.Causes())}
		}
		s.mu.Lock()
		if w := s.withheld; w != nil {
			which += ": " + w.first(s.gate.admits)
		}
		s.mu.Unlock()
		text := fmt.Sprintf("the program read values with a label that may not leave this way%s; %s", which, s.gate.catalog.Say(nil, "withheld", "do without them"))
		return &fail.Error{Kind: fail.Denied, Msg: text, Err: because(l.Secrecy().Without(s.gate.admits), s.Causes())}
	}
	return nil
}
