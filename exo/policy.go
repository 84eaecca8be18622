package exo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Policy takes permissions away from the object that it wraps. Each field may be left out; the zero
// Policy changes nothing. A policy is the host's code, and several goroutines may call its
// functions at a time.
type Policy struct {
	// Narrow is called once, with a copy of the object's description, and may make it weaker. Narrow may
	//   - delete methods, each with all its names;
	//   - delete interfaces that nothing refers to any more, and optional parameters from the last one on;
	//   - make an optional parameter required;
	//   - narrow a parameter's closed type: no null, fewer Enum values, optional fields gone or required, data to a type, number to int;
	//   - add tags to labels, and take tags from Admits;
	//   - make a method a Sink or an Effect, and change the Docs.
	// Granting the object fails if Narrow makes any other change. Fields can't be deleted, since an object would still show them in whole rows. Results can't change, since only the object knows what it returns. If an argument is an expression, like a column, it is not checked against a narrowed Enum.
	Narrow func(d *message.Description) error

	// Before refuses a message by returning false. It is called for each message that mentions the object, as receiver or argument, once the
	// gate's own checks have passed. Calls are in the order in which messages arrive, the outermost policy first. Before must not wait, since
	// the run waits for it. Its decision must depend on the messages alone, never on how fast replies are. So it must not use what After saw.
	Before func(m *Message) bool

	// Blind reports that Before needs no sealed or labelled value: Before gets the message with the zero Value in place of each. If a policy is
	// not Blind, the gate opens sealed values for Before. The decision may reveal these values, so the run gets their labels.
	Blind bool

	// Refusal is the text that a program reads if Before refused its message. It is fixed, so that it
	// can't reveal anything about the message.
	Refusal string

	// Admits, if it is set, takes labels from what a message may carry. It is called like the method Admits
	// of a Sink, for each message that mentions the object and is a sink or an effect.
	Admits func(m *Message) value.Label

	// After gets the reply, or the error, of each message that was admitted. It only observes, and
	// can't change the reply. Replies come in no fixed order. After may add to the record with
	// (*Message).AddDetail.
	After func(m *Message, v value.Value, err error)

	// Revoked revokes the object for good when the channel is closed: later messages are
	// refused with Kind Revoked, and messages being answered are cancelled.
	Revoked <-chan struct{}
}

// Wrap returns a weaker object, which forwards to o the messages that policy p allows. A policy can only take away. The gate allows only what
// both the object's description and the one that Narrow made allow. If Narrow widens the description, granting the object fails with an error
// that names the place. The same policy wraps the objects that messages to the wrapped object return. Interfaces that Narrow changed, and all
// interfaces that refer to a changed one, get new names. So one gate can grant both the object and its wrapped form, and neither gets methods of
// the other.
func Wrap(o Object, p Policy) Object {
	w := &wrapped{inner: o, by: &wrapping{policy: p}}
	if p.Narrow != nil {
		w.by.narrowed = sync.OnceValues(func() (*message.Narrowing, error) { return narrowed(o, p.Narrow) })
	}
	return w
}

// wrapped is an object around another, inner. The gate checks a message with the description of
// the wrapped object, and then takes the wrapping off.
type wrapped struct {
	inner Object
	by    *wrapping
	led   bool // a message to a wrapped object returned this object
}

// wrapping is shared by a wrapped object and all objects that its messages return.
type wrapping struct {
	policy   Policy
	narrowed func() (*message.Narrowing, error) // returns the narrowed description; nil if the policy does not narrow
}

// wrap wraps an object that a message to this one returned.
func (w *wrapped) wrap(result Object) Object { return &wrapped{inner: result, by: w.by, led: true} }

// judges reports whether a policy of o looks at sealed values.
func judges(o Object) bool {
	w, ok := o.(*wrapped)
	return ok && (w.by.policy.Before != nil && !w.by.policy.Blind || judges(w.inner))
}

func (w *wrapped) revoked() bool {
	select {
	case <-w.by.policy.Revoked:
		return true
	default:
		return false
	}
}

func (w *wrapped) Describe() (message.Description, error) {
	if w.inner == nil {
		return message.Description{}, errors.New("exo: Wrap got a nil object: pass the object to which the policy applies")
	}
	d, err := w.inner.Describe()
	if err != nil || w.by.narrowed == nil {
		return d, err
	}
	n, err := w.by.narrowed()
	if err != nil {
		return message.Description{}, err
	}
	if d, err = n.Of(d); err == nil && !w.led {
		d.Doc = n.Doc
	}
	return d, err
}

// Eval only returns an error: without the gate, no policy would be applied.
func (w *wrapped) Eval(context.Context, *Message) (value.Value, error) {
	return value.Value{}, errNotPeeled
}

var errNotPeeled = fail.Named("exo: Eval of a wrapped object was called directly: send it the message through a Session, which applies the policy")

// peel unwraps the object that Refs[slot] refers to, and notes its wrappings in the message.
func (m *Message) peel(slot int, o Object) (Object, error) {
	var by []*wrapped
	for {
		w, ok := o.(*wrapped)
		if !ok {
			break
		}
		if w.revoked() {
			return nil, &fail.Error{Kind: fail.Revoked}
		}
		if c := w.by.policy.Revoked; c != nil {
			m.cuts = append(m.cuts, c)
		}
		if !slices.Contains(m.policies, w.by) { // a policy that wraps two objects of one message is asked once
			m.policies = append(m.policies, w.by)
		}
		by, o = append(by, w), w.inner
	}
	if by != nil {
		m.peeled = append(m.peeled, peeled{slot, by})
	}
	return o, nil
}

// rewrap wraps an object of the reply as the receiver is wrapped. If the object returns one of its
// arguments, rewrap wraps the argument again: it was unwrapped for the object, not for the program.
func (m *Message) rewrap(o Object) Object {
	receiver := m.Root.Receiver().Slot
	given := o
	for _, p := range m.peeled {
		if p.slot != receiver && same(m.Objects[p.slot], given) {
			o = p.by[0]
		}
	}
	if o == given {
		o = m.session.introduced(given)
	}
	for _, p := range m.peeled {
		if p.slot == receiver {
			for i := len(p.by) - 1; i >= 0; i-- {
				o = p.by[i].wrap(o)
			}
		}
	}
	return o
}

// introduce remembers which wrapped objects were arguments of a message that is to act. An object gets its
// arguments unwrapped, and may keep one and return it in a later reply. Then introduced wraps it again.
func (s *Session) introduce(m *Message) {
	receiver := m.Root.Receiver().Slot
	for _, p := range m.peeled {
		if p.slot == receiver {
			continue
		}
		s.mu.Lock()
		if !slices.ContainsFunc(s.lent, func(l lent) bool { return l.as == p.by[0] }) {
			s.lent = append(s.lent, lent{m.Objects[p.slot], p.by[0]})
		}
		s.mu.Unlock()
	}
}

// lent is an object that was an argument of a message to another object, with the program's reference to it.
type lent struct {
	bare Object
	as   *wrapped
}

// introduced returns o as it was wrapped when it was an argument, or o itself if it was none.
func (s *Session) introduced(o Object) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lent {
		if same(l.bare, o) {
			return l.as
		}
	}
	return o
}

// same compares two objects. It does not panic if their types are not comparable.
func same(a, b Object) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && reflect.ValueOf(a).Comparable() && a == b
}

// before asks the policies of a message that the gate would admit, outermost first.
func (s *Session) before(m *Message, e *pending) (err error) {
	if len(m.policies) == 0 {
		return nil
	}
	var blind *Message
	if p := s.hostCode(e, func() {
		for _, w := range m.policies {
			of := m
			if w.policy.Blind {
				if blind == nil {
					blind = m.unsealed()
				}
				of = blind
			}
			if f := w.policy.Before; f != nil && !f(of) {
				err = &fail.Error{Kind: fail.Denied, Op: s.opName(e.root), Msg: w.policy.Refusal}
				return
			}
		}
	}); p != nil {
		return s.policyFailed(p)
	}
	return err
}

// hostCode calls a callback of the host while a message is admitted. If the callback panics, hostCode returns the value of the panic.
func (s *Session) hostCode(e *pending, f func()) (panicked any) {
	returned := false
	defer func() {
		if panicked = recover(); returned || panicked != nil {
			return
		}
		_ = s.policyFailed(nil) // f ended its goroutine: stop the run, while admit settles the message
	}()
	f()
	returned = true
	return nil
}

// after calls After of each policy of a message with the outcome of the message.
func (s *Session) after(m *Message, v value.Value, err error) (failed error) {
	returned := len(m.policies) == 0
	if returned {
		return nil
	}
	defer func() {
		if p := recover(); !returned {
			failed = s.policyFailed(p)
		}
	}()
	for _, w := range m.policies {
		if f := w.policy.After; f != nil {
			f(m, v, err)
		}
	}
	returned = true
	return nil
}

// policyFailed ends the run, like a panic of Record. A policy that failed may have missed a message
// that it had to refuse or observe.
func (s *Session) policyFailed(p any) error {
	if p == nil {
		p = errPolicyEnded
	}
	s.callbackFailed(p)
	return &fail.Error{Kind: fail.Internal, Err: errPolicy}
}

var (
	errPolicy      = fail.Named("exo: a function of a policy panicked, which ended the run")
	errPolicyEnded = fail.Named("exo: a function of a policy ended its goroutine: return from it, and don't call runtime.Goexit")
)

// LabelDeclarer is an object that must know which of its fields are labelled: the order of its rows, and how many bytes it counts for a value,
// depend on the labels. So a policy can't add a label of secrecy to one of its fields: the gate would seal the value, but the order of rows
// would still reveal it.
type LabelDeclarer interface {
	Object
	DeclaresLabels()
}

// declaresLabels refuses labels of secrecy that a policy adds to the fields of a LabelDeclarer.
func declaresLabels(o Object, own, met message.Description) error {
	if _, ok := unwrapped(o).(LabelDeclarer); !ok {
		return nil
	}
	for _, i := range met.Interfaces {
		if was := own.Interface(i.Name).Label; !i.Label.Secrecy().FlowsTo(was) {
			return fmt.Errorf("exo: a policy can't give the interface %s of this object the label %s: label it where the object is declared", i.Name, i.Label.Secrecy().Without(was))
		}
		for name, f := range i.Fields {
			if was := own.Interface(i.Name).Fields[name]; !f.Label.Secrecy().FlowsTo(was.Label) {
				return fmt.Errorf("exo: a policy can't give the field %s.%s of this object the label %s: label it where the object is declared", i.Name, name, f.Label.Secrecy().Without(was.Label))
			}
		}
	}
	return nil
}

// narrowed applies f to o's description and checks that the result only narrows it.
func narrowed(o Object, f func(*message.Description) error) (*message.Narrowing, error) {
	d, err := o.Describe()
	if err != nil {
		return nil, err
	}
	return message.Narrow(d, f, func(met message.Description) error { return declaresLabels(o, d, met) })
}
