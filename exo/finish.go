package exo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Finish ends the run, and says why it failed though failed is nil. result is what would
// leave; failed why there is no result.
//
// The order is the promise: calls that are still open are cancelled and waited for, so
// nothing of the run acts any more, and an object that does not heed its context holds
// Finish up. What may leave is decided. The units of work are prepared, and the intent to
// commit is recorded; if anything failed so far, also the caller's context, all is rolled
// back. They commit, which is recorded. Then held effects act, in call order, each
// recorded before and after. Each step has a limit of its own, whatever becomes of ctx.
func (s *Session) Finish(ctx context.Context, result Value, failed error) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		select {
		case <-s.over: // a second caller waits for the first
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
	s.finishErr = s.end(ctx, result, failed)
	return s.finishErr
}

func (s *Session) end(ctx context.Context, result Value, program error) error {
	failed := AsError("", program)
	if !s.keep() && failed == nil || failed == nil && ctx.Err() != nil {
		failed = AsError("", errors.Join(ctx.Err(), context.Cause(s.work)))
	}
	ctx = context.WithoutCancel(ctx)
	released := s.Release()
	if failed == nil {
		failed = released
	}
	if err := s.note(s.releasing(result, released)); failed == nil {
		failed = err
	}
	s.mu.Lock()
	unrecorded := s.unrecorded
	s.mu.Unlock()
	if failed == nil && unrecorded {
		failed = &Error{Kind: Internal, Err: errRecord}
	}
	if failed == nil {
		failed = s.prepare(ctx)
	}
	final := s.waiting()
	if failed == nil && final {
		failed = s.note(Entry{Step: Committing, Label: s.Label(), Prepared: s.prepared()})
	}
	if failed == nil {
		failed = s.settleChanges(ctx, final)
	} else {
		if err := s.undo(ctx); err != nil {
			e := *asError("", failed)
			e.Err = errors.Join(e.Err, fmt.Errorf("exo: at the end of a unit of work: %w", err))
			failed = &e
		}
		s.become(StateRolledBack, failed, anyChange)
	}
	s.drop(context.Canceled)
	if err := s.note(Entry{Step: Ended, Label: s.Label(), Err: failed}); failed == nil && err != nil && !final {
		failed = err // what was changed is told all the same: the entry is owed
	}
	if failed == nil || program != nil {
		return nil
	}
	return failed
}

// settleChanges makes final what the run has changed, and then lets held effects act.
func (s *Session) settleChanges(ctx context.Context, final bool) error {
	state, failed := s.commit(ctx)
	if !final {
		return failed
	}
	if err := s.note(Entry{Step: Committed, Label: s.Label(), State: state, Err: failed}); err != nil && failed == nil {
		// It is committed, and nobody will find that in the record: until the entry, which is
		// owed, has been appended, nobody can say of it what it was.
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
		s.actHeld(ctx)
	case state == StateRolledBack:
		s.become(StateRolledBack, failed, anyChange)
	default:
		s.become(StateFailed, failed, anyChange)
	}
	return failed
}

// heldEffect is a message that acts when its run has committed.
type heldEffect struct {
	m *Message
	e *pending
}

// actHeld lets the held effects act, one after the other. Each is recorded before it acts:
// what was not is never tried, and one of which the record does not say how it ended is
// never tried again.
func (s *Session) actHeld(ctx context.Context) {
	s.mu.Lock()
	all := s.sorted()
	s.mu.Unlock()
	for _, c := range all {
		if c.State != StateHeld {
			continue
		}
		state, err := StateFailed, error(nil)
		if failed := s.noteMessage(c.held.e, Entry{Step: Acting, Label: s.Label()}); failed != nil {
			err = failed
		} else {
			start := time.Now()
			state, err = s.actOne(ctx, c.held)
			_ = s.noteMessage(c.held.e, Entry{Step: Acted, Label: s.Label(), State: state, Err: err, Details: s.details(c.held.e), Took: time.Since(start)}) // owed if it fails
		}
		s.mu.Lock()
		c.State, c.Err = state, err
		s.mu.Unlock()
	}
}

func (s *Session) actOne(ctx context.Context, h *heldEffect) (State, error) {
	if cut := h.m.cutOff(); cut != nil {
		return StateFailed, cut
	}
	failed, returned := within(ctx, s.gate.limits.Held, func(ctx context.Context) error {
		v, err := ask(ctx, h.m)
		_ = s.after(h.m, v, err) // a policy that panics ends what follows: see note
		return err
	})
	switch {
	case failed == nil:
		return StateApplied, nil
	case !returned || errors.Is(failed, context.DeadlineExceeded) || errors.Is(failed, context.Canceled) || errors.Is(failed, errPanicked) || errors.Is(failed, errEnded):
		return StateUnknown, failed // it may have done it, or half of it
	}
	return StateFailed, failed
}

func (s *Session) details(e *pending) []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.details
}

// Release decides whether the run's result may leave: the result is a sink like any other.
func (s *Session) Release() error {
	if l := s.Label(); !l.FlowsTo(s.gate.admits) {
		// The tags are the declaration's words and no data; which value it was is not said.
		return Errorf(Denied, "", "the program read values labelled %s, which may not leave this way; leave their columns out of select, where and orderBy", l.without(s.gate.admits))
	}
	return nil
}

func (s *Session) releasing(result Value, refused error) Entry {
	return Entry{Step: Released, Label: s.Label(), Digest: s.digestOf(result), Err: refused}
}
