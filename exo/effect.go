package exo

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// State is what became of an effect.
type State uint8

const (
	NoState         State = iota
	StateHeld             // the effect waits for the end of the run
	StateApplied          // the effect took place, for good
	StateRolledBack       // nothing of the effect was kept, or it never began
	StateFailed           // the run committed, but the held effect did not take place
	StateImmediate        // the effect happened at once, and stays even if the run fails
	StateUnknown          // it is not known whether the effect took place
	states
)

var stateNames = [...]string{NoState: "none", StateHeld: "held", StateApplied: "applied", StateRolledBack: "rolled back",
	StateFailed: "failed", StateImmediate: "immediate", StateUnknown: "unknown"}

func (s State) String() string {
	if s >= states {
		return fmt.Sprintf("state(%d)", uint8(s))
	}
	return stateNames[s]
}

// Effect is a message of a run that changes something and that began to act.
type Effect struct {
	Call  uint64
	Op    string // the operation as the program wrote it, shortened
	Mode  message.EffectMode
	State State
	Err   error // for the host: the reason if the effect is not applied

	// Sealed reports that the message had sealed values, which were opened when it acted. The outcome may reveal
	// these values, so the model does not read it.
	Sealed bool

	// NoRowsText is the interface's text (message.Phrase) for a change that replied 0, since it changed no rows. It is "" for any other effect.
	NoRowsText string

	// Provisional reports that the effect is applied within a transaction of the host's (see HostUnit), which may still undo it.
	Provisional bool
}

// MayHaveHappened reports whether the effect took place, or may have.
func (e Effect) MayHaveHappened() bool {
	return e.State != StateRolledBack && e.State != StateFailed && e.State != NoState
}

// Outward returns the effect for everything that a program or its model can observe: results, budgets, news. For an effect with sealed values
// that acted it hides the outcome, which would reveal a bit of them.
func (e Effect) Outward() Effect {
	if e.Sealed && (e.State == StateFailed || e.State == StateUnknown) {
		e.State, e.Err = StateApplied, nil
	}
	return e
}

// refuseEffect returns why message m may not change anything, or nil. It is called while messages are
// admitted, in their order: nothing that it looks at depends on how fast calls are.
func (s *Session) refuseEffect(m *Message) error {
	mode := m.Root.Method().Effect
	if mode == message.NoEffect {
		return nil
	}
	op := s.opName(m.Root)
	if s.run.Preview && mode != message.InUnit { // only a unit of work can be undone, so a preview refuses all other effects
		return fail.Errorf(fail.Denied, op, "this run is a preview, which undoes everything at its end, and this call can't be undone: leave it out of the preview")
	}
	if s.gate.record != nil {
		if err := s.gate.pay(s.ctx); err != nil {
			return &fail.Error{Op: op, Kind: fail.Internal, Err: err}
		}
	}
	switch rule, _ := s.asks(m); {
	case rule != "" && s.gate.review == nil:
		return &fail.Error{Op: op, Kind: fail.Internal, Err: errNoReview}
	case rule != "" && mode == message.Immediate:
		return fail.Errorf(fail.Denied, op, "no program can make this call: a person may have to agree to it first, but it acts at once and can't wait; only the host can change that")
	case rule != "" && s.immediate != "": // if a person must agree, the program runs a second time, and its immediate effect would happen twice
		return fail.Errorf(fail.Denied, op, "a person may have to agree to this call first, but %s, which this program has already called, acted at once: make this call in another program", s.immediate)
	case mode == message.Immediate && s.pending != "":
		return fail.Errorf(fail.Denied, op, "this call can't be undone, but the earlier call of %s still can: make this call first, or in a program of its own", s.pending)
	case mode != message.InUnit:
		return nil
	case m.store == nil:
		return &fail.Error{Op: op, Kind: fail.Internal, Err: errNoStore}
	case s.written != nil && s.written != m.store && !s.gate.severalStores:
		// A run can't commit two stores as one: PREPARE TRANSACTION is off by default, and SQLite has none. The second
		// commit could fail after the first, and the program would learn of neither.
		return fail.Errorf(fail.Denied, op, "%s", s.gate.catalog.Say(nil, "second.store", "this program has already changed another store, and a program can change only one: write another program for this call"))
	}
	return nil
}

var errNoReview = fail.Named("exo: a person must agree to some changes of this object, but there is no Review: set codemode.Options.Review or exo.Config.Review (see exo/review)")

var errNoStore = fail.Named("exo: a method has the Effect InUnit, but its object names no store: implement exo.Transactional, and return the key of the store from UnitKey")

// claim notes the effect that an admitted message will have.
func (s *Session) claim(m *Message) {
	first := &s.pending
	switch m.Root.Method().Effect {
	case message.InUnit:
		s.written = m.store
	case message.Immediate:
		first = &s.immediate
	case message.NoEffect:
		return
	}
	if *first == "" {
		*first = s.opName(m.Root)
	}
}

// Transactional is an object whose messages belong to a unit of work. Messages with the same UnitKey act one at a time and in call order,
// so that reads see the writes before them. UnitKey returns a key for a map. The key is the same for all objects of one database, and nil
// for an object that can't change the database.
type Transactional interface {
	Object
	UnitKey() any
}

// UnitReader is an object that reads a store and can't change it. ReadUnitKey returns the UnitKey of the objects that can. If a program is
// granted such an object, too, messages to the UnitReader belong to that object's unit of work. So the program reads the store as of the moment
// at which it changes it.
type UnitReader interface {
	Object
	ReadUnitKey() any
}

// storeOf returns the store of an object's messages: its own, or the store that it reads, if another grant can change that store.
func (g *Gate) storeOf(o Object) (key any, err error) {
	if key, err = storeOf(o); key != nil || err != nil || len(g.stores) == 0 {
		return key, err
	}
	b, ok := o.(UnitReader)
	if !ok {
		return nil, nil
	}
	if key, err = keyFrom("ReadUnitKey", b.ReadUnitKey); key == nil || !reflect.ValueOf(key).Comparable() {
		return nil, err
	}
	if _, changed := g.stores[key]; !changed {
		return nil, nil
	}
	return key, nil
}

// keyFrom calls a method of an object that returns the key of a store. A panic becomes an error.
func keyFrom(name string, method func() any) (key any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: the method %s of an object panicked: %v", name, p)}
		}
	}()
	return method(), nil
}

// storeOf asks o for the key of its store.
func storeOf(o Object) (key any, err error) {
	s, ok := o.(Transactional)
	if !ok {
		return nil, nil
	}
	if key, err = keyFrom("UnitKey", s.UnitKey); key != nil && !reflect.ValueOf(key).Comparable() {
		return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: UnitKey returned a %T, which == can't compare: return a pointer, or another comparable value", key)}
	}
	return key, err
}

// Validator is an object with methods that are [message.Held]. Validate returns at once what would be
// wrong with a message, and has no effect.
type Validator interface {
	Object
	Validate(m *Message) error
}

// change is an effect that has begun.
type change struct {
	Effect
	store  any
	admits value.Label // the label that may leave by the effect
	held   *Message    // the message of an effect that acts after the run has committed
	asks   bool        // the effect is in a unit of work, and a person may have to agree to it
}

// errOpen is the Err of an effect that has not ended yet.
var errOpen = fail.Named("exo: the call has not ended, so its outcome is not known yet")

// changes notes that message m begins to act, if m changes something. It returns a function
// that notes how the change ended.
func (s *Session) changes(m *Message, e *pending) func(value.Value, error) State {
	if e.effect == message.NoEffect {
		return func(value.Value, error) State { return NoState }
	}
	c := &change{Effect: Effect{Call: e.id, Op: s.opName(e.root), Mode: e.effect, State: StateUnknown, Err: errOpen, Sealed: e.sealed != nil}, admits: e.admits}
	if e.effect == message.InUnit {
		rule, _ := s.asks(m)
		c.store, c.asks = m.store, rule != ""
	}
	s.mu.Lock()
	s.effects = append(s.effects, c)
	s.mu.Unlock()
	return func(v value.Value, err error) State {
		lost := errors.Is(err, errOutside)
		s.mu.Lock()
		defer s.mu.Unlock()
		c.Err = err
		switch nothing := nothingDone(err); {
		case lost && e.effect == message.InUnit:
			c.State = StateUnknown // the object opened no unit of work, so its change is in no transaction of the run
			s.doom(c)
		case e.effect == message.Immediate && err == nil:
			c.State = StateImmediate
		case e.effect == message.Immediate && !nothing:
			c.State = StateUnknown
		case e.effect == message.InUnit && err != nil && !nothing:
			c.State = StateHeld // the change stays until the run is rolled back
			s.doom(c)
		case err != nil: // nothing was done, or the message is Held and was only validated
			c.State = StateRolledBack
		default:
			c.State = StateHeld
			if e.effect == message.Held {
				c.held = m
			} else if v.Type() == value.TypeInt && v.Int() == 0 { // the type is checked, since a sealed reply is no Int
				c.NoRowsText = s.gate.catalog.Say(s.gate.catalog[e.root.Recv.Type.Name], "nothing."+e.root.Name, "")
			}
		}
		return c.State
	}
}

// doom notes that change c may be half done, so the run must not commit. Of several such changes it keeps
// the one with the lowest call number, which does not depend on how fast calls are. s.mu is held.
func (s *Session) doom(c *change) {
	if s.doomed == nil || c.Call < s.doomed.Call {
		s.doomed = c
	}
}

// doomedBy returns why the run must not commit, or nil if it may.
func (s *Session) doomedBy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doomed == nil && s.unrecorded {
		return &fail.Error{Kind: fail.Internal, Err: errRecord}
	} else if s.doomed == nil {
		return nil
	}
	why := fail.AsError(s.doomed.Op, s.doomed.Err)
	return &fail.Error{Op: s.doomed.Op, Kind: why.Kind, Msg: "this call failed and may be half done, so nothing that this program changed is kept: " + why.Message(), Err: why}
}

// Effects returns what a run has changed, or may have changed, in call order, without messages that were
// refused. The list is final when Finish has returned.
func (s *Session) Effects() []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := scalar.Each(s.sorted(), func(c *change) Effect { return c.Effect })
	return out
}

// sorted returns the effects in call order. s.mu is held.
func (s *Session) sorted() []*change {
	slices.SortStableFunc(s.effects, func(a, b *change) int { return cmp.Compare(a.Call, b.Call) })
	return s.effects
}

// become sets the state and the error of those effects for which the function of returns true, if they wait for the end of the run.
func (s *Session) become(state State, err error, of func(*change) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.effects {
		if c.State == StateHeld && of(c) {
			c.State, c.Err = state, err
		}
	}
}

func anyChange(*change) bool { return true }

// waiting reports whether any effect waits for the end of the run.
func (s *Session) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.effects, func(c *change) bool { return c.State == StateHeld })
}
