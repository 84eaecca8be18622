package record

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Store knows whether a run committed, by a mark that the run's unit of work left there (see
// [exo.Witness]).
type Store interface {
	// Committed reports whether the run's changes of this store were kept. false is final: a
	// transaction of the run that is still in progress must not commit later. So a store that
	// finds no mark of the run leaves a mark itself. Then the run's own witness fails, and with
	// it the transaction. An error leaves the run unsettled; ErrUnknown means that this store
	// will never know.
	Committed(ctx context.Context, run exo.RunID) (bool, error)
}

// ErrUnknown is the error of a Store that does not know whether a run committed, and never will.
var ErrUnknown = errors.New("record: the store does not know what became of the run")

// Forgetful is a Store that drops old marks. If it has no mark of a run that began before Forgotten, the run may have committed all the same.
type Forgetful interface {
	Store
	// Forgotten returns the time before which the store has forgotten runs; zero: it has forgotten none.
	Forgotten(ctx context.Context) (time.Time, error)
}

// ErrInterrupted is the error of a run whose process ended before the run did.
var ErrInterrupted = errors.New("record: the process ended before the run did")

// ErrAsked is the error in the entries that Reconcile adds to a run that ended without knowing whether its changes were kept.
var ErrAsked = errors.New("record: the run's stores were asked after it had ended")

// settling reports whether Reconcile wrote an entry, by the error in the entry.
func settling(err error) bool {
	return err != nil && (err.Error() == ErrInterrupted.Error() || err.Error() == ErrAsked.Error())
}

// Reconcile appends to a record the entries that runs lack because their process ended: whether
// they committed, what became of their effects, and that they ended. It asks stores, which must be
// all stores that the runs could change. It never guesses: if no store knows, the state is unknown. A
// held effect that was about to act is unknown and is not tried again; any other held effect never
// acted. If a store gives no answer about a run, Reconcile leaves the run as it was, and returns the
// store's error when the other runs are done.
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
			continue // its state is that of the run's commit
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

// never returns the state of a held effect that had not begun to act when its process ended.
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

// ask returns the state of a run that was about to commit.
func (r *UnsettledRun) ask(ctx context.Context, stores []Store) (exo.State, error) {
	if r.Changed == 0 {
		return exo.StateRolledBack, nil // the run had changed no store: it had only held effects, which act after the commit
	}
	if r.Changed < 0 || len(stores) == 0 {
		return exo.StateUnknown, nil
	}
	kept, forgot := 0, false
	for _, s := range stores {
		yes, err := s.Committed(ctx, r.ID)
		if f, ok := s.(Forgetful); ok && err == nil && !yes { // after Committed, so that a mark which was dropped in between counts as forgotten
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
	return exo.StateUnknown, nil // some stores kept the run's changes and others did not, or a store has forgotten the run
}
