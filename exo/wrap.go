package exo

import (
	"context"
	"errors"
	"sync"
)

// Policy says in what a wrapped object may do less than the object itself. Each part
// may be left out; the zero Policy changes nothing. A policy is the host's code, and its
// functions are called from several goroutines at a time.
type Policy struct {
	// Narrow is called once, with a copy of the object's description, which it changes. It
	// may delete methods (a method's canonical name stands for all its names), interfaces
	// that nothing leads to any more, and optional parameters from the last one on; make an
	// optional parameter required; narrow the closed type of a parameter (no null, fewer
	// Enum values, optional fields gone or required, data to a type, number to int); add
	// tags to labels and take some from Admits; make a method a Sink or an Effect; change
	// the Docs. Anything else is an error when the object is granted. Fields can't be
	// deleted, since an object would still show them in whole rows, and nothing of a
	// result can change, since only the object knows what it returns. An expression that
	// stands for a parameter, like a column, is not held against a narrowed Enum.
	Narrow func(d *Description) error

	// Before refuses a message by returning false. It is called for each message that
	// mentions the object, as its receiver or as an argument, when the gate would admit it:
	// after the labels were joined and the sink was checked, in the order in which
	// messages arrive, outermost policy first. It must not wait: the run waits for it. What
	// it decides must follow from the messages alone and never from how fast replies are:
	// nothing that After saw.
	Before func(m *Message) bool

	// Blind says that Before looks at no value: it is handed the message with the zero Value in the place of each that is sealed or
	// labelled. The policy of an object that is not blind judges sealed values by what is in them, so the gate opens
	// them for it, and the run has read them.
	Blind bool

	// Refusal is what a program reads that Before refused: a fixed text, so that Before
	// can't tell it anything else.
	Refusal string

	// Admits, if it is set, takes labels from what a message may carry: see Sink, as which
	// it is called, for each message that mentions the object and is a sink or an effect.
	Admits func(m *Message) Label

	// After is told of each message that was admitted what came of it: the reply, or an
	// error. It only observes: what it does can't change the reply. Replies come in no
	// fixed order. It may add to the record with (*Message).Detail.
	After func(m *Message, v Value, err error)

	// Cut, when it is closed, revokes the object for good: messages that come later are
	// refused with Kind Revoked, and those being answered are cancelled.
	Cut <-chan struct{}
}

// Wrap returns an object that forwards to o what policy p lets through. A policy can
// only take away: the gate is shown the meet of the object's description and what Narrow
// made of it, and granting the object fails, with the place, where Narrow would widen it. What messages to the
// wrapped object return is wrapped by the same policy. Interfaces that Narrow
// changed, and all that lead to one of them, have other names than before, so one gate
// can hold the object beside its wrapped form and neither borrows from the other.
func Wrap(o Object, p Policy) Object {
	w := &wrapped{inner: o, by: &wrapping{policy: p}}
	if p.Narrow != nil {
		w.by.narrowed = sync.OnceValues(func() (*Narrowing, error) { return narrowed(o, p.Narrow) })
	}
	return w
}

// wrapped is an object that stands for another: the gate peels it off, after checking
// the message with the wrapped object's own description.
type wrapped struct {
	inner Object
	by    *wrapping
	led   bool // a message to a wrapped object returned it
}

// wrapping is what a wrapped object and all that it leads to have in common.
type wrapping struct {
	policy   Policy
	narrowed func() (*Narrowing, error) // nil: the description stays as it is
}

// wrap wraps an object that a message to this one returned.
func (w *wrapped) wrap(result Object) Object { return &wrapped{inner: result, by: w.by, led: true} }

func (w *wrapped) revoked() bool {
	select {
	case <-w.by.policy.Cut:
		return true
	default:
		return false
	}
}

func (w *wrapped) Describe() (Description, error) {
	if w.inner == nil {
		return Description{}, errors.New("exo: Wrap of a nil object")
	}
	d, err := w.inner.Describe()
	if err != nil || w.by.narrowed == nil {
		return d, err
	}
	n, err := w.by.narrowed()
	if err != nil {
		return Description{}, err
	}
	if d, err = n.Of(d); err == nil && !w.led {
		d.Doc = n.Doc
	}
	return d, err
}

// Eval answers nothing: past the gate there is no policy.
func (w *wrapped) Eval(context.Context, *Message) (Value, error) { return Value{}, errNotPeeled }

var errNotPeeled = errors.New("exo: a wrapped object answers through a Session only")
