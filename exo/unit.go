package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"reflect"
	"slices"
	"time"
)

// Unit is an object's share of a run: a connection, a transaction. It ends with the run:
// by Prepare and then Commit, or by Rollback, which may come after Prepare, too. Each is called
// at most once, and no two at a time.
// A method that does not return though its context has ended is given up: nothing more is
// called, and the context with which the unit was opened ends.
//
// A unit that is no [Witness] leaves nothing by which its store could be asked: of every run
// whose process is killed between committing and committed it stays unknown for good whether
// it was kept. Package record has an example of a transaction that does all of this.
type Unit interface {
	// Prepare forces what can still go wrong, such as deferred constraints: after it Commit
	// should have no reason to fail but the connection.
	Prepare(ctx context.Context) error
	// Commit makes it all final. An error that wraps ErrNothingDone says that nothing was
	// kept; after any other it is not known.
	Commit(ctx context.Context) error
	// Rollback undoes it all.
	Rollback(ctx context.Context) error
}

// Witness is a Unit whose store can say later whether a run committed: where the run has
// changed it, it is asked to write the ID of the run into its transaction, between Prepare
// and Commit.
type Witness interface {
	Unit
	Witness(ctx context.Context, run RunID) error
}

// ChangeLister is a Unit that can list what it is about to change. It is asked where there is a record, once it is prepared,
// and what it says is among the Details of the entry Committing: the record has what was there before and what will be
// before anything is final, and a Recorder that fails keeps it from committing. nil: nothing.
type ChangeLister interface {
	Unit
	Changes(ctx context.Context) (any, error)
}

// AfterCommitter is a Unit that has something to do once all that the run has changed is kept, and the record says so: before the held
// effects act. It is asked at most once, and never if a unit failed to commit, or that is not known; a process that is killed
// between the commit and this call never makes up for it. An error changes nothing: the record has it, in the entry AfterCommitFailed.
type AfterCommitter interface {
	Unit
	AfterCommit(ctx context.Context) error
}

// HostUnit is a Unit that may run within a transaction of the host's. Where InHostTransaction gives true, what it commits is kept only if that
// is, and the run's effects say so: a model that reads "will not be undone" would rely on it.
type HostUnit interface {
	Unit
	InHostTransaction() bool
}

// ErrNothingDone is what an error wraps that says of a change, or of a commit, that nothing of it
// was done, or all of it undone: a transaction that was rolled back to a savepoint, a mail that was
// refused before it was sent. After other errors it is not known.
var ErrNothingDone = errors.New("exo: nothing was done")

// Unit returns the run's unit of work under key, opening it at first use. All messages of
// a run that name one key share one unit; a message with an effect InUnit names the UnitKey
// of its object. open is given a context that ends when the unit has ended or the run was
// cut off before it was to commit.
func (m *Message) Unit(key any, open func(context.Context) (Unit, error)) (Unit, error) {
	if key == nil || !reflect.ValueOf(key).Comparable() {
		return nil, fmt.Errorf("exo: a unit of work under a %T, which can't be the key of a map", key)
	}
	if m.session == nil {
		return nil, errZeroSession
	}
	if m.entry.effect == message.InUnit && key != m.store {
		return nil, errors.New("exo: a method that changes something asked for a unit of work under another key than its object's UnitKey")
	}
	return m.session.unit(key, open)
}

// InUnit reports whether the message belongs to the unit of work under key: see Transactional and UnitReader.
func (m *Message) InUnit(key any) bool { return m.store != nil && m.store == key }

// UnitObjects are the objects that the same programs were granted and whose messages belong to the message's unit of work, in the
// order of their names and without the policies that they are wrapped in. What lets a program change something by one of them
// holds the change against the others: a written row may decide which rows another grant shows.
func (m *Message) UnitObjects() []Object {
	if m.session == nil || m.store == nil {
		return nil
	}
	return slices.Clone(m.session.gate.stores[m.store])
}

func (s *Session) unit(key any, open func(context.Context) (Unit, error)) (Unit, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fail.ErrCancelled
	}
	var u *unitEntry
	for _, o := range s.units {
		if o.key == key {
			u = o
		}
	}
	if u == nil {
		u = &unitEntry{key: key}
		s.units = append(s.units, u)
	}
	s.mu.Unlock()
	u.once.Do(func() {
		u.err = errNoUnit         // what stays if open panics
		unit, err := open(s.work) // not of the message: a transaction must outlive the one that began it
		if err == nil && unit == nil {
			err = errNoUnit
		}
		if u.err = err; err == nil { // with an error, what there is besides may be a nil pointer
			u.unit = unit
		}
	})
	return u.unit, u.err
}

// nothingDone asks an error of the host's code, whose own methods may panic.
func nothingDone(err error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return errors.Is(err, ErrNothingDone)
}

// HasHiddenCause reports whether err has a reason that its program did not read, which the host's log has to keep. An error that only the end of
// a context or ErrNothingDone explains has none, nor has that of a run that its caller ended.
func HasHiddenCause(err error) bool {
	if err == nil {
		return false
	}
	e := fail.AsError("", err)
	return e.Kind != fail.Cancelled && (e.Kind == fail.Internal || e.Kind == fail.Other || unshown(e.Err, e.Message()))
}

// unshown reports whether err, the cause of an error, has more in it than the text that the program read.
func unshown(err error, read string) bool {
	switch e := err.(type) {
	case nil:
		return false
	case *fail.Error: // an error round it has its text
		return unshown(e.Err, read)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool { return unshown(err, read) })
	}
	return err != ErrNothingDone && err != context.Canceled && err != context.DeadlineExceeded && err.Error() != read
}

var errNoUnit = errors.New("exo: a unit of work could not be opened")

var errOutside = errors.New("exo: the object changed something and opened no unit of work for it: see Message.Unit")

// opened reports whether the unit of work of a store was opened.
func (s *Session) opened(store any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.units, func(u *unitEntry) bool { return u.key == store && u.unit != nil })
}

// Prepared says, at Committing, how many stores the run has changed, and in how
// many of them it left its ID. Where these are one, whoever finds the record ending here
// asks the stores (package record).
type Prepared struct {
	Changed   int
	Witnessed int
}

// announced is what the units say that the run is about to change.
func (s *Session) announced(ctx context.Context) (out []any, err error) {
	stores := s.changed()
	for _, u := range s.units {
		c, ok := u.unit.(ChangeLister)
		if !ok || u.ended || !stores[u.key] {
			continue
		}
		var what any
		if err := s.step(ctx, u, func(ctx context.Context) (err error) { what, err = c.Changes(ctx); return err }); err != nil {
			return nil, fail.Classify("", err)
		}
		if what != nil {
			out = append(out, what)
		}
	}
	return out, nil
}

func (s *Session) prepared() *Prepared {
	var p Prepared
	stores := s.changed()
	p.Changed = len(stores)
	for _, u := range s.units {
		if stores[u.key] && u.witnessed {
			p.Witnessed++
		}
	}
	return &p
}

// changed are the stores that the run would change if it committed now.
func (s *Session) changed() map[any]bool {
	return s.stores(func(c *change) bool { return c.State == StateHeld })
}

// stores are those of the changes in units of work that of says.
func (s *Session) stores(of func(*change) bool) map[any]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stores := map[any]bool{}
	for _, c := range s.effects {
		if c.Mode == message.InUnit && of(c) {
			stores[c.store] = true
		}
	}
	return stores
}

// prepare prepares all units, so that what can fail does before the first commits.
func (s *Session) prepare(ctx context.Context) error {
	for _, u := range s.units {
		if u.unit == nil {
			continue
		}
		if err := s.step(ctx, u, u.unit.Prepare); err != nil {
			return fail.Classify("", err)
		}
		if w, ok := u.unit.(Witness); ok && s.changed()[u.key] {
			if err := s.step(ctx, u, func(ctx context.Context) error { return w.Witness(ctx, s.run.ID) }); err != nil {
				return fail.Classify("", err)
			}
			u.witnessed = true
		}
	}
	// Stores that were only read end before anything is final: a store that finds at its end that the
	// reads were of no one state (SERIALIZABLE) must not fail a run that has committed.
	touched := s.stores(func(*change) bool { return true })
	for _, u := range s.units {
		if u.unit == nil || touched[u.key] {
			continue
		}
		u.ended = true
		if err := s.step(ctx, u, u.unit.Commit); err != nil {
			return fail.Classify("", err)
		}
	}
	return nil
}

// undo rolls back whatever has not ended.
func (s *Session) undo(ctx context.Context) (err error) {
	for _, u := range s.units {
		if u.unit != nil && !u.ended && !u.lost {
			u.ended = true
			err = errors.Join(err, s.step(ctx, u, u.unit.Rollback))
		}
	}
	return err
}

// commit commits the units, in the order in which they were opened, and says what became
// of the run's changes. From the first that fails on the others are rolled back.
func (s *Session) commit(ctx context.Context) (state State, failed error) {
	kept := 0
	for _, u := range s.units {
		if u.unit == nil || u.ended {
			continue
		}
		if !s.changed()[u.key] { // all that it was to keep is undone
			continue
		}
		u.ended = true
		err := s.step(ctx, u, u.unit.Commit)
		switch {
		case err == nil:
			kept++
			part, ok := u.unit.(HostUnit)
			provisional := ok && part.InHostTransaction()
			s.become(StateApplied, nil, func(c *change) bool {
				if c.store != u.key {
					return false
				}
				c.Provisional = provisional
				return true
			})
			continue
		case nothingDone(err) && kept == 0:
			state = StateRolledBack
		case nothingDone(err): // those before it were kept
			state = StateUnknown
			s.become(StateRolledBack, err, func(c *change) bool { return c.store == u.key })
		default:
			state = StateUnknown
			s.become(StateUnknown, err, func(c *change) bool { return c.store == u.key })
		}
		_ = s.undo(ctx) // what did not commit is not kept, whether it says so or not
		s.become(StateRolledBack, err, func(c *change) bool { return c.Mode == message.InUnit })
		if failed = fail.Classify("", err); state == StateUnknown {
			failed = &fail.Error{Kind: fail.Internal, Err: err}
		}
		return state, failed
	}
	_ = s.undo(ctx)
	return StateApplied, nil
}

// settleUnits has the units that were committed do what they do afterwards. stores are those that the run has changed.
func (s *Session) settleUnits(ctx context.Context, stores map[any]bool) {
	for _, u := range s.units {
		w, ok := u.unit.(AfterCommitter)
		if !ok || u.lost || !stores[u.key] {
			continue
		}
		start := time.Now()
		if err, _ := within(ctx, s.gate.limits.Held, func(ctx context.Context) error { return fail.Foreign(w.AfterCommit(ctx)) }); err != nil {
			_ = s.note(Entry{Step: AfterCommitFailed, Label: s.Label(), Err: err, Took: time.Since(start)}) // owed if it fails
		}
	}
}

// step calls one method of a unit within Limits.Commit.
func (s *Session) step(ctx context.Context, u *unitEntry, f func(context.Context) error) error {
	if u.lost {
		return errLost
	}
	err, returned := within(ctx, s.gate.limits.Commit, func(ctx context.Context) error { return fail.Foreign(f(ctx)) })
	if !returned {
		u.lost = true
		s.drop(errLost)
	}
	return err
}

var errLost = errors.New("exo: a unit of work did not end in time, and was given up")

// grace is how long after its limit something that heeds its context may take to say so.
const grace = time.Second

// within calls f with a context that ends after limit, and reports whether f has returned:
// one that does not, a while after its context has ended, is waited for no longer.
func within(ctx context.Context, limit time.Duration, f func(context.Context) error) (err error, returned bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := errEnded // what stays where f ends its goroutine
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			done <- err
		}()
		err = f(ctx)
	}()
	select {
	case err = <-done:
		return err, true
	case <-ctx.Done():
	}
	late := time.NewTimer(min(limit, grace))
	defer late.Stop()
	select {
	case err = <-done:
		return err, true
	case <-late.C:
		return errLost, false
	}
}
