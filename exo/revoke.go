package exo

import (
	"context"
	"sync"
)

// Revocable returns an object that forwards to o, and a function that cuts it
// off for good: messages that come later are refused with Kind Revoked, and
// those being answered are cancelled. It cuts off what messages to it have
// returned, too. (The caretaker of Redell 1974, by way of
// Miller's Robust Composition.)
func Revocable(o Object) (Object, func()) {
	c := &caretaker{inner: o, cut: make(chan struct{})}
	return c, sync.OnceFunc(func() { close(c.cut) })
}

type caretaker struct {
	inner Object
	cut   chan struct{}
}

func (c *caretaker) unwrap() (Object, <-chan struct{}, error) {
	select {
	case <-c.cut:
		return nil, nil, &Error{Kind: Revoked}
	default:
	}
	if c.inner == nil {
		return nil, nil, &Error{Kind: Denied}
	}
	return c.inner, c.cut, nil
}

func (c *caretaker) rewrap(result Object) Object { return &caretaker{inner: result, cut: c.cut} }

func (c *caretaker) Describe() (Description, error) {
	if c.inner == nil {
		return Description{}, errNotPeeled
	}
	return c.inner.Describe()
}

func (c *caretaker) Eval(ctx context.Context, m *Message) (Value, error) {
	return Value{}, errNotPeeled
}
