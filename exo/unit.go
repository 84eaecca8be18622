package exo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/spell"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Unit is an object's part of a run: a connection, or a transaction. It ends with the run: Prepare and then Commit, or Rollback, which may also
// follow Prepare. Each method is called at most once, and no two at a time. If a method does not return after its context has ended, the unit is
// given up: no more methods are called, and the context with which the unit was opened ends.
//
// The store of a unit that is no [Witness] does not show which runs committed. If the process is killed between the entries Committing and
// Committed, nothing shows whether the changes were kept. Package record has an example of a transaction that does all of this.
type Unit interface {
	// Prepare does everything now that can still fail, such as deferred constraints. After it,
	// Commit should fail only if the connection does.
	Prepare(ctx context.Context) error
	// Commit makes all changes final. If an error wraps ErrNothingDone, nothing was kept; after any
	// other error it is not known what was kept.
	Commit(ctx context.Context) error
	// Rollback undoes all changes.
	Rollback(ctx context.Context) error
}

// Witness is a Unit with a store that can show later whether a run committed. If the run has
// changed the store, Witness is called between Prepare and Commit, and writes the ID of the run
// into the unit's transaction.
type Witness interface {
	Unit
	Witness(ctx context.Context, run RunID) error
}

// ChangeLister is a Unit that can list its changes before the commit. If there is a record, Changes is called once the unit is prepared, and its
// list is added to the Details of the entry Committing; nil adds nothing. So the record has the values before and after each change before
// anything is final. If the Recorder fails, nothing is committed.
type ChangeLister interface {
	Unit
	Changes(ctx context.Context) (any, error)
}

// Reviewer decides whether a run may commit. Review is called when the program has ended and all units are prepared, before anything is final. If it
// returns an error, nothing is kept, and the run ends with that error. A run with Preview is not reviewed.
type Reviewer interface {
	Review(ctx context.Context, r *Reviewed) error
}

// Reviewed describes a run to the Reviewer that decides whether it commits.
type Reviewed struct {
	Run     Run
	Program string
	Granted value.Digest    // the digest of the grants, as in Start
	Label   value.Label     // the label of everything that the run has read
	Asks    []changeset.Ask // the rules that the run meets, and rules that depend on a count of rows
	Details []any           // the Reviewer's own details for the entry Committing

	set func(context.Context) (changeset.Set, error)
}

// Set returns everything that the run would do. It may read the stores.
func (r *Reviewed) Set(ctx context.Context) (changeset.Set, error) { return r.set(ctx) }

// Asker is an object that may make changes which a person must see before they happen.
type Asker interface {
	Object
	// MayAsk reports whether a person may be asked about a message to the object, or to objects that it returns. If so, it can be granted only with a
	// Reviewer.
	MayAsk() bool
	// Asks returns the rule, in words, under which the host's Reviewer may ask a person about the message, and who may agree; "" if there is none.
	// For a method that is [message.Held] the rule applies to every call; for a change in a unit of work, its ChangeLister decides.
	Asks(m *Message) (rule string, who changeset.Who)
}

// asks returns the rule for which a person may be asked about m. If the object's code panics, asks returns a rule, so that a person is asked.
func (s *Session) asks(m *Message) (rule string, who changeset.Who) {
	o, ok := m.Objects[m.Root.Receiver().Slot].(Asker)
	if !ok {
		return "", who
	}
	defer func() {
		if recover() != nil {
			rule = "the rule of this call can't be read"
		}
	}()
	return o.Asks(m)
}

// review asks the host's Reviewer. stores are the lists of the units that the run has changed.
func (s *Session) review(ctx context.Context, stores []any) (details []any, err error) {
	var unlisted error // a change that can't be listed can't be approved either
	if n := len(s.changed()); n > len(stores) {
		unlisted = &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: the run changed %d stores, and the units of only %d list their changes, as a Reviewer needs: implement exo.ChangeLister", n, len(stores))}
	}
	r := &Reviewed{Run: s.run, Program: s.program, Granted: s.gate.digest(), Label: s.Label()}
	lists := make([]changeset.Lister, len(stores))
	for i, x := range stores {
		l, ok := x.(changeset.Lister)
		if !ok {
			return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: ChangeLister.Changes returned a %T, which a Reviewer can't use: return a changeset.Lister", x)}
		}
		lists[i], r.Asks = l, append(r.Asks, l.Asks()...)
	}
	s.mu.Lock()
	effects := slices.Clone(s.sorted())
	s.mu.Unlock()
	var messages []changeset.Message
	for _, c := range effects {
		if c.State == StateHeld && c.asks && unlisted != nil {
			return nil, unlisted
		}
		if c.State != StateHeld || c.held == nil {
			continue
		}
		m, err := s.outgoing(c)
		if err != nil {
			return nil, fail.Classify("", err)
		}
		if messages = append(messages, m); m.Rule != "" {
			r.Asks = append(r.Asks, changeset.Ask{Rule: m.Rule, Who: m.Who})
		}
	}
	r.set = func(ctx context.Context) (set changeset.Set, err error) {
		if set.Messages = messages; unlisted != nil {
			return set, unlisted
		}
		for _, l := range lists {
			of, err := l.Changes(ctx)
			if err != nil {
				return set, err
			}
			set.Parts = append(set.Parts, of)
		}
		return set, nil
	}
	err, returned := within.Limit(ctx, s.gate.limits.Commit, func(ctx context.Context) error { return s.gate.review.Review(ctx, r) })
	if !returned || err != nil {
		return nil, fail.Classify("", err)
	}
	return r.Details, nil
}

// outgoing describes a held effect to the person who reviews it.
func (s *Session) outgoing(c *change) (to changeset.Message, err error) {
	open, err := c.held.unsealing()
	if err != nil {
		return to, err
	}
	names, named := c.held.GrantNames()
	to = changeset.Message{Op: c.Op, Sealed: c.Sealed, Label: c.held.entry.label.Tags()}
	to.Rule, to.Who = s.asks(open)
	var whole bool
	if to.Text, whole = spell.Message(c.held.Root, names, maxReviewed); !whole {
		to.Unfit = "is too long to be shown to a person"
	} else if !named { // an object without a granted name has only a number, which means nothing to a reader
		to.Unfit = "has an object that came with a reply, which can't be shown"
	}
	to.Known, err = open.Root.Expr().AppendBinary(nil)
	return to, err
}

// maxReviewed bounds the text of one message that a person is shown, in bytes.
const maxReviewed = 64 << 10

// AfterCommitter is a Unit with work to do after the commit. AfterCommit is called at most once, when all changes of the run are kept and recorded, and
// before the held effects act. It is not called if a unit failed to commit, the outcome of a commit is unknown, or the process is killed first. Its
// error is recorded in the entry AfterCommitFailed, and changes nothing.
type AfterCommitter interface {
	Unit
	AfterCommit(ctx context.Context) error
}

// HostUnit is a Unit that may run within a transaction of the host's. If InHostTransaction returns true, the changes are kept only if the
// host's transaction commits. The run's effects are then Provisional, so that a model does not rely on them.
type HostUnit interface {
	Unit
	InHostTransaction() bool
}

// ErrNothingDone is wrapped by the error of a change, or of a commit, if nothing was done, or everything
// was undone. Examples are a transaction rolled back to a savepoint, and a mail refused before it was
// sent. After other errors it is not known what was done.
var ErrNothingDone = fail.Named("exo: nothing was done")

// Unit returns the run's unit of work under key, and opens it at the first use. All messages of a run
// that use the same key share one unit. For a message with the effect InUnit, key must be the UnitKey
// of its object. open gets a context that ends when the unit has ended, or when the run is cut off
// before its commit.
func (m *Message) Unit(key any, open func(context.Context) (Unit, error)) (Unit, error) {
	if key == nil || !reflect.ValueOf(key).Comparable() {
		return nil, fmt.Errorf("exo: Message.Unit got a %T as its key: pass a pointer, or another value that == can compare", key)
	}
	if m.session == nil {
		return nil, errZeroSession
	}
	if m.entry.effect == message.InUnit && key != m.store {
		return nil, errors.New("exo: a method with the Effect InUnit must give Message.Unit the key that its object's UnitKey returns, and gave another")
	}
	return m.session.unit(key, open)
}

// InUnit reports whether the message belongs to the unit of work under key (see Transactional and UnitReader).
func (m *Message) InUnit(key any) bool { return m.store != nil && m.store == key }

// UnitObjects returns the granted objects of the message's unit of work, in the order of their names, without their policies. An object that
// changes something checks the change against the others: a written row may decide which rows another grant shows.
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
		u.err = errNoUnit         // this error stays if open panics
		unit, err := open(s.work) // open gets the context of the run's units, since a transaction must outlive the message that began it
		if err == nil && unit == nil {
			err = errNoUnit
		}
		if u.err = err; err == nil { // keep unit only if err is nil: otherwise it may be an interface with a nil pointer
			u.unit = unit
		}
	})
	return u.unit, u.err
}

// nothingDone reports whether err wraps ErrNothingDone. It returns false if a method of err panics, since err may be the host's code.
func nothingDone(err error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return errors.Is(err, ErrNothingDone)
}

var errNoUnit = fail.Named("exo: the function that opens a unit of work must return a Unit or an error, and returned neither or panicked")

var errOutside = fail.Named("exo: the object changed something without a unit of work: open one with Message.Unit")

// opened reports whether the unit of work of a store was opened.
func (s *Session) opened(store any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.units, func(u *unitEntry) bool { return u.key == store && u.unit != nil })
}

// Prepared counts, at Committing, the stores that the run has changed, and those in which it left its
// ID. If the record of a run ends here and the numbers are equal, the stores can report whether the run
// committed (package record).
type Prepared struct {
	Changed, Witnessed int
}

// Stager is an object that keeps held messages where they outlive the process, before the run commits what it changed in stores. After a kill, or a
// commit without an answer, the Stager asks the stores whether the run was kept. If it is Transactional, it also keeps the messages of runs that changed no store.
type Stager interface {
	Object
	// Stage keeps a held message. Eval or Forget follows; neither follows after a kill, or after a commit without an answer. witnessed reports whether each
	// changed store will know of the run. An error fails the run, so it must not depend on the content of the message, which may be sealed.
	Stage(ctx context.Context, m *Message, witnessed bool) error
	// Forget drops a message that Stage was to keep, even if Stage failed. The message does not act.
	Forget(ctx context.Context, m *Message) error
}

// stage lets Stagers keep the held effects of a run that has changed a store. If the run has changed none, only objects with a store keep theirs.
func (s *Session) stage(ctx context.Context) error {
	p := s.prepared()
	for _, c := range s.effects { // the program has ended, so no other goroutine uses the effects
		if c.State != StateHeld || c.held == nil || p.Changed == 0 && c.held.store == nil {
			continue
		}
		if o, ok := c.held.Objects[c.held.Root.Receiver().Slot].(Stager); ok {
			s.staged = append(s.staged, c)
			if err := s.step(ctx, &unitEntry{}, func(ctx context.Context) error {
				if m, err := c.held.unsealing(); err == nil { // no error if unsealing fails: an error would reveal the sealed values to the program
					return o.Stage(ctx, m, p.Witnessed == p.Changed)
				}
				return nil
			}); err != nil {
				return fail.Classify(c.Op, err)
			}
		}
	}
	return nil
}

// forget drops the staged messages that did not act. If an object can't drop a message now, the stores will report later that the run was not kept.
func (s *Session) forget(ctx context.Context) {
	for _, c := range s.staged {
		if c.State != StateHeld && c.State != StateFailed {
			continue
		}
		_ = s.step(ctx, &unitEntry{}, func(ctx context.Context) error {
			return c.held.Objects[c.held.Root.Receiver().Slot].(Stager).Forget(ctx, c.held)
		})
	}
}

// announced returns the lists of the units that are ChangeListers.
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
	stores := s.changed()
	p := Prepared{Changed: len(stores)}
	for _, u := range s.units {
		if stores[u.key] && u.witnessed {
			p.Witnessed++
		}
	}
	return &p
}

// changed returns the stores that the run has changed and would commit now.
func (s *Session) changed() map[any]bool {
	return s.stores(func(c *change) bool { return c.State == StateHeld })
}

// stores returns the stores of those changes in units of work for which the function of returns true.
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

// prepare prepares all units, so that every error comes before the first unit commits.
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
	// Units that were only read commit before anything is final. A store may find only then that the reads were
	// not serializable: that must not fail a run that has committed.
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

// undo rolls back all units that have not ended.
func (s *Session) undo(ctx context.Context) (err error) {
	for _, u := range s.units {
		if u.unit != nil && !u.ended && !u.lost {
			u.ended = true
			err = errors.Join(err, s.step(ctx, u, u.unit.Rollback))
		}
	}
	return err
}

// commit commits the units, in the order in which they were opened, and returns the state of the
// run's changes. When a unit fails, the units after it are rolled back.
func (s *Session) commit(ctx context.Context) (state State, failed error) {
	kept := 0
	for _, u := range s.units {
		if u.unit == nil || u.ended {
			continue
		}
		if !s.changed()[u.key] { // every change in the unit is undone already, so its error does not count
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
		case nothingDone(err): // this unit kept nothing, but the units before it were committed
			state = StateUnknown
			s.become(StateRolledBack, err, func(c *change) bool { return c.store == u.key })
		default:
			state = StateUnknown
			s.become(StateUnknown, err, func(c *change) bool { return c.store == u.key })
		}
		_ = s.undo(ctx) // a unit that did not commit keeps nothing, even if its Rollback fails
		s.become(StateRolledBack, err, func(c *change) bool { return c.Mode == message.InUnit })
		if failed = fail.Classify("", err); state == StateUnknown {
			failed = &fail.Error{Kind: fail.Internal, Err: err}
		}
		return state, failed
	}
	_ = s.undo(ctx)
	return StateApplied, nil
}

// settleUnits calls AfterCommit of the units that were committed. stores has the stores that the run has changed.
func (s *Session) settleUnits(ctx context.Context, stores map[any]bool) {
	for _, u := range s.units {
		w, ok := u.unit.(AfterCommitter)
		if !ok || u.lost || !stores[u.key] {
			continue
		}
		start := time.Now()
		if err, _ := within.Limit(ctx, s.gate.limits.Held, func(ctx context.Context) error { return fail.Foreign(w.AfterCommit(ctx)) }); err != nil {
			_ = s.note(Entry{Step: AfterCommitFailed, Label: s.Label(), Err: err, Took: time.Since(start)}) // if note fails, the entry is owed and appended later
		}
	}
}

// step calls one method of a unit within Limits.Commit.
func (s *Session) step(ctx context.Context, u *unitEntry, f func(context.Context) error) error {
	if u.lost {
		return within.ErrLost
	}
	err, returned := within.Limit(ctx, s.gate.limits.Commit, func(ctx context.Context) error { return fail.Foreign(f(ctx)) })
	if !returned {
		u.lost = true
		s.drop(within.ErrLost)
	}
	return err
}
