package record

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Store can say whether a run committed, from what the run's unit of work left there (see
// [exo.Witness]).
type Store interface {
	// Committed reports whether the run's changes of this store were kept. false is for
	// good: a transaction of the run that is still on its way must not be kept after it. So
	// a store does not only look, it takes the run's place: where it finds nothing it leaves
	// a mark at which the run's own witness fails. An error leaves the run unsettled;
	// ErrUnknown says that this store will never know.
	Committed(ctx context.Context, run exo.RunID) (bool, error)
}

// ErrUnknown is the answer of a Store that does not know what became of a run, and never will.
var ErrUnknown = errors.New("record: the store does not know what became of the run")

// Forgetful is a Store that drops old marks: that it has none of a run which began before Forgotten does not mean that the run was undone.
type Forgetful interface {
	Store
	// Forgotten is the time before which the store has forgotten runs; zero: none.
	Forgotten(ctx context.Context) (time.Time, error)
}

// ErrInterrupted is the error of a run whose process ended before it did.
var ErrInterrupted = errors.New("record: the process ended before the run did")

// ErrAsked is in the entries that Reconcile adds to a run that has ended without knowing whether it was kept.
var ErrAsked = errors.New("record: the run's stores were asked after it had ended")

// settling reports whether an entry is one of Reconcile's, by its error as the record has it.
func settling(err error) bool {
	return err != nil && (err.Error() == ErrInterrupted.Error() || err.Error() == ErrAsked.Error())
}

// Reconcile appends to a record what is missing there of runs whose process ended: whether they
// committed, what became of their effects, and that they are over. It asks stores, which must be
// all that the runs could change, and it never guesses: what no store knows is unknown. A held
// effect that was about to act is unknown and is not tried again; one that was not never acted. A
// run of which a store gave no answer is left as it was, and its error returned when the others are
// done.
//
// Call it before the first run of a process that continues the record.
func Reconcile(ctx context.Context, to exo.Recorder, runs []UnsettledRun, stores ...Store) error {
	var failed []error
	for i := range runs {
		if err := runs[i].settle(ctx, to, stores); err != nil {
			failed = append(failed, fmt.Errorf("record: run %v: %w", runs[i].ID, err))
		}
	}
	return errors.Join(failed...)
}

func (r *UnsettledRun) settle(ctx context.Context, to exo.Recorder, stores []Store) error {
	state, why := r.committed, ErrInterrupted
	if r.ended {
		why = ErrAsked
	}
	if r.Committing {
		var err error
		if state, err = r.ask(ctx, stores); err != nil {
			return err
		}
		if err := r.append(ctx, to, exo.Entry{Step: exo.Committed, State: state, Err: why}); err != nil {
			return err
		}
	}
	for _, e := range r.Effects {
		if e.Mode == message.InUnit {
			continue // it is what the run's commit is
		}
		entry := exo.Entry{Step: exo.Outcome, Call: e.Call, Op: e.Op, Effect: e.Mode, State: exo.StateUnknown, Err: why}
		if e.Mode == message.Held {
			entry.Step = exo.Acted
			if !r.effects[e.Call].acting {
				entry.State = never(state)
			}
		}
		if err := r.append(ctx, to, entry); err != nil {
			return err
		}
	}
	return r.append(ctx, to, exo.Entry{Step: exo.Ended, Err: why})
}

// never is the state of a held effect that did not begin to act before its process ended.
func never(committed exo.State) exo.State {
	switch committed {
	case exo.NoState, exo.StateRolledBack:
		return exo.StateRolledBack
	}
	return exo.StateFailed
}

func (r *UnsettledRun) append(ctx context.Context, to exo.Recorder, e exo.Entry) error {
	e.RunID, e.Label, e.At = r.ID, r.Label, time.Now()
	return to.Record(ctx, e)
}

// ask is what became of a run that was to be committed.
func (r *UnsettledRun) ask(ctx context.Context, stores []Store) (exo.State, error) {
	if r.Changed == 0 {
		return exo.StateRolledBack, nil // it had nothing to commit: only held effects, which follow
	}
	if r.Changed < 0 || len(stores) == 0 {
		return exo.StateUnknown, nil
	}
	kept, forgot := 0, false
	for _, s := range stores {
		yes, err := s.Committed(ctx, r.ID)
		if f, ok := s.(Forgetful); ok && err == nil && !yes { // asked after: what is forgotten in between counts, too
			var until time.Time
			until, err = f.Forgotten(ctx)
			forgot = forgot || r.Began.Before(until)
		}
		switch {
		case errors.Is(err, ErrUnknown):
			return exo.StateUnknown, nil
		case err != nil:
			return exo.NoState, err
		case yes:
			kept++
		}
	}
	switch {
	case kept == r.Changed:
		return exo.StateApplied, nil
	case kept == 0 && !forgot:
		return exo.StateRolledBack, nil
	}
	return exo.StateUnknown, nil // some of its stores kept it and others did not, or nobody remembers
}
