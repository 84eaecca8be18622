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

// introduce remembers which wrapped objects were arguments of a message that is to act: an
// object that keeps one of them has it without its policies, and may hand it back later.
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

// lent is an object that another one got as an argument, and how the program holds it.
type lent struct {
	bare Object
	as   *wrapped
}

// introduced is o as the program held it when it was an argument; o itself if it was none.
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
		_ = s.policyFailed(nil) // it ended its goroutine: admit settles the message
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
