package exo

import (
	"errors"
	"reflect"
	"slices"
)

// peel takes the wrappings off the object that Refs[slot] refers to, and notes them.
func (m *Message) peel(slot int, o Object) (Object, error) {
	var by []*wrapped
	for {
		w, ok := o.(*wrapped)
		if !ok {
			break
		}
		if w.revoked() {
			return nil, &Error{Kind: Revoked}
		}
		if c := w.by.policy.Cut; c != nil {
			m.cuts = append(m.cuts, c)
		}
		if !slices.Contains(m.policies, w.by) { // two objects of one policy are one message to it
			m.policies = append(m.policies, w.by)
		}
		by, o = append(by, w), w.inner
	}
	if by != nil {
		m.peeled = append(m.peeled, peeled{slot, by})
	}
	return o, nil
}

// rewrap wraps an object of the reply as the receiver is wrapped. An argument that is
// handed back stays wrapped as it was: it was peeled for the object, not for the program.
func (m *Message) rewrap(o Object) Object {
	receiver := m.Root.receiver().Slot
	given := o
	for _, p := range m.peeled {
		if p.slot != receiver && same(m.Objects[p.slot], given) {
			o = p.by[0]
		}
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

// same compares objects of types that == may panic on.
func same(a, b Object) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && reflect.ValueOf(a).Comparable() && a == b
}

// before asks the policies of a message that the gate would admit, outermost first.
func (s *Session) before(m *Message, e *pending) (err error) {
	if len(m.policies) == 0 {
		return nil
	}
	if p := s.hostCode(e, func() {
		for _, w := range m.policies {
			if f := w.policy.Before; f != nil && !f(m) {
				err = &Error{Kind: Denied, Op: s.opName(e.root), Msg: w.policy.Refusal}
				return
			}
		}
	}); p != nil {
		return s.policyFailed(p)
	}
	return err
}

// hostCode calls a function of the host's at admission, and returns what it panicked with.
func (s *Session) hostCode(e *pending, f func()) (panicked any) {
	returned := false
	defer func() {
		if panicked = recover(); returned || panicked != nil {
			return
		}
		// It ended its goroutine, which is the one that would settle the message.
		s.settle(e, Reply{ID: e.id, Err: s.policyFailed(nil)})
	}()
	f()
	returned = true
	return nil
}

// after tells the policies of a message what came of it.
func (s *Session) after(m *Message, v Value, err error) (failed error) {
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

// policyFailed ends the run as a panic of Record does: a policy that failed may not
// have refused what it should have, or not have seen what it should have.
func (s *Session) policyFailed(p any) error {
	if p == nil {
		p = errPolicyEnded
	}
	s.callbackFailed(p)
	return &Error{Kind: Internal, Err: errPolicy}
}

var (
	errPolicy      = errors.New("exo: a policy's function panicked")
	errPolicyEnded = errors.New("exo: a policy's function ended its goroutine")
)
