package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record/tree"
)

// Store knows whether a run committed, by a mark that the run's unit of work left there (see
// [exo.Witness]).
type Store interface {
	// Committed reports whether the run's changes of this store were kept. false is final: the
	// run's transaction must not commit later. So a store without a mark of the run writes one
	// itself, and then the run's own attempt to write it fails. An error leaves the run unsettled;
	// ErrUnknown means that this store will never know.
	Committed(ctx context.Context, run exo.RunID) (bool, error)
}

// ErrUnknown is the error of a Store that does not know whether a run committed, and never will.
var ErrUnknown = errors.New("record: the store does not know what became of the run")

// Forgetful is a Store that drops old marks, or can lose them. If it has no mark of a run that began before Forgotten, the run may still have
// committed. If it has a method String, UnsettledRun.Why names the store with it.
type Forgetful interface {
	Store
	// Forgotten returns the time before which marks may be missing. The zero time means that none is.
	Forgotten(ctx context.Context) (time.Time, error)
}

// ErrInterrupted is the error of a run whose process ended before the run did.
var ErrInterrupted = errors.New("record: the process ended before the run did")

// ErrAsked is the error in the entries that Reconcile adds to a run that ended without knowing whether its changes were kept.
var ErrAsked = errors.New("record: the run's stores were asked after it had ended")

// settling reports whether an entry with this error was written by Reconcile.
func settling(err error) bool {
	return err != nil && (err.Error() == ErrInterrupted.Error() || err.Error() == ErrAsked.Error())
}

// Settler is an object that can report the outcome of its calls after the process that made them has ended. A service.Service is one, if one of
// its methods has Settle.
type Settler interface {
	// Settle reports whether the call with an idempotency key took place: StateApplied, StateFailed or StateUnknown. StateFailed is
	// final: the call did not take place, and must not take place later. An object that can't rule that out returns StateUnknown.
	Settle(ctx context.Context, method, key string) (exo.State, error)
}

// Resumer is a Settler that has kept some calls since before their run committed, such as files that wait for their names. Its Settle carries out such a
// call, unless that has been done. So Reconcile also asks it about calls that had not begun to act when their process was killed.
type Resumer interface {
	Settler
	// Resumes reports whether Settle is to be asked about a call of the method that has not begun. committed is the recorded state of the run's commit.
	Resumes(method string, committed exo.State) bool
}

// Settlers has the stores and objects that know the outcome of runs. The zero Settlers has none.
type Settlers struct {
	Stores  []Store            // all stores that the runs could change
	Objects map[string]Settler // the objects by the names that all runs of the record had for them
}

// Reconcile calls the method Reconcile of a Settlers that has only these stores.
func Reconcile(ctx context.Context, to exo.Recorder, runs []UnsettledRun, stores ...Store) error {
	return Settlers{Stores: stores}.Reconcile(ctx, to, runs)
}

// Reconcile appends the entries that runs lack because their process was killed: whether they committed, what became of their effects, and
// that they ended. It asks s and never guesses. A held effect that was about to act, and an immediate one, is never tried again. Its state is
// the answer of its object. Without an answer the state is unknown, and [Unknown] lists the run. If the object fails, Reconcile returns that
// error at the end. Any other held effect never acted, unless its object is a [Resumer] that answers for it. If a store fails, Reconcile
// leaves the run unsettled, and returns the error when the other runs are done. In a shared log, Reconcile skips runs that another process is settling.
//
// Call it before the first run of a process that continues the record.
func (s Settlers) Reconcile(ctx context.Context, to exo.Recorder, runs []UnsettledRun) error {
	var failed []error
	for i := range runs {
		if runs[i].Settled {
			continue
		}
		if err := runs[i].settle(ctx, to, s); err != nil && !errors.Is(err, tree.ErrAlive) { // ErrAlive is no failure: another process of a shared log settles the run
			failed = append(failed, fmt.Errorf("record: run %v: %w", runs[i].ID, err))
		}
	}
	return errors.Join(failed...)
}

// effect asks the object of an effect, which it finds by the name of the grant in the operation. Without that name the effect stays unknown: if
// a method returned the object, or the operation is encrypted or erased.
func (s Settlers) effect(ctx context.Context, run exo.RunID, e *exo.Effect) (exo.State, error) {
	name, method, _ := strings.Cut(e.Op, ".")
	of := s.Objects[name]
	if of == nil || method == "" {
		return exo.StateUnknown, nil
	}
	state, err := settled(ctx, of, method, run.KeyOf(e.Call))
	if err == nil && state != exo.StateApplied && state != exo.StateFailed && state != exo.StateUnknown {
		err = fmt.Errorf("method Settle returned the state %v: want StateApplied, StateFailed or StateUnknown", state)
	}
	switch now := e.Mode == message.Immediate; {
	case err != nil:
		return exo.StateUnknown, fmt.Errorf("the service of %s can't say what became of call %d: %w", e.Op, e.Call, err)
	case now && state == exo.StateApplied:
		state = exo.StateImmediate
	case now && state == exo.StateFailed:
		state = exo.StateRolledBack
	}
	return state, nil
}

// resumes reports whether the object of a held effect that has not begun is to be asked about it.
func (s Settlers) resumes(e *exo.Effect, committed exo.State) bool {
	name, method, _ := strings.Cut(e.Op, ".")
	of, ok := s.Objects[name].(Resumer)
	return ok && of.Resumes(method, committed)
}

// maxSettle bounds how long an object is asked about one call.
const maxSettle = 30 * time.Second

// settled asks an object what became of its call with this key.
func settled(ctx context.Context, of Settler, method, key string) (state exo.State, err error) {
	err = guarded(ctx, func(ctx context.Context) (err error) { state, err = of.Settle(ctx, method, key); return err })
	return state, err
}

// guarded calls a function of an object, which may take maxSettle. A panic becomes an error, so that the object can't keep a host from starting.
func guarded(ctx context.Context, f func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, maxSettle)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the object's code panicked: %s", textOf(fmt.Errorf("%v", p)))
		}
	}()
	return f(ctx)
}

func (r *UnsettledRun) settle(ctx context.Context, to exo.Recorder, s Settlers) error {
	state, why := r.committed, ErrInterrupted
	if r.ended {
		why = ErrAsked
	}
	if r.Committing {
		var err error
		if state, err = r.ask(ctx, s.Stores); err != nil {
			return err
		}
		if err := r.append(ctx, to, exo.Entry{Step: exo.Committed, State: state, Err: why}); err != nil {
			return err
		}
	}
	var unanswered error
	known := r.ended && !r.owes(false) // the record has all entries of the run, but with effects that are unknown
	for i := range r.Effects {
		e := &r.Effects[i]
		if e.Mode == message.InUnit {
			continue // an effect in the unit has the state of the run's commit
		}
		entry, p := exo.Entry{Step: exo.Outcome, Call: e.Call, Op: e.Op, Effect: e.Mode, Err: why}, cmp.Or(r.effects[e.Call], &progress{acting: true})
		if e.Mode == message.Held {
			entry.Step = exo.Acted
		}
		if e.Mode == message.Held && !p.acting && !s.resumes(e, state) {
			entry.State = never(state)
		} else {
			if e.Mode == message.Held && !p.acting { // record first that the effect begins, since what is not on the record must not happen
				begins := entry
				begins.Step = exo.Acting
				if err := r.append(ctx, to, begins); err != nil {
					return err
				}
			}
			var err error
			entry.State, err = s.effect(ctx, r.ID, e)
			unanswered = errors.Join(unanswered, err)
		}
		if p.settled && entry.State == exo.StateUnknown {
			continue // the record already has an entry with this state
		}
		if err := r.append(ctx, to, entry); err != nil {
			return err
		}
		known = false
	}
	if !known {
		if err := r.append(ctx, to, exo.Entry{Step: exo.Ended, Err: why}); err != nil {
			return err
		}
	}
	r.Settled, r.Commit = true, state
	return unanswered
}

// never returns the state of a held effect that had not begun to act when its process was killed.
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
		return exo.StateRolledBack, nil // the run had only held effects, which act after the commit
	}
	if r.Changed < 0 || len(stores) == 0 {
		return exo.StateUnknown, nil
	}
	kept, forgot := 0, false
	for i, s := range stores {
		yes, err := s.Committed(ctx, r.ID)
		if f, ok := s.(Forgetful); ok && err == nil && !yes { // asked after Committed, so that a mark which was dropped between the two calls counts as forgotten
			var until time.Time
			if until, err = f.Forgotten(ctx); err == nil && r.Began.Before(until) {
				forgot = true
				name := fmt.Sprintf("store %d of %d", i+1, len(stores))
				if named, is := s.(fmt.Stringer); is {
					name = named.String()
				}
				r.Why = fmt.Errorf("%s has lost its marks of runs before %s, so it can't show what became of this run. Check in the store's data whether the changes that the record shows are there", name, until.UTC().Format(time.RFC3339))
			}
		}
		switch {
		case errors.Is(err, ErrUnknown):
			forgot = true
		case err != nil:
			return exo.NoState, err
		case yes:
			kept++
		}
	}
	switch {
	case kept == r.Changed:
		r.Why = nil
		return exo.StateApplied, nil
	case kept == 0 && !forgot:
		return exo.StateRolledBack, nil
	}
	return exo.StateUnknown, nil // some stores kept the run's changes and others did not, or a store has forgotten the run
}
