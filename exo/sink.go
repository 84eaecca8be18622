package exo

import (
	"fmt"
)

// Sink is an Object whose methods admit labels by what they are called with: a mail may
// carry what its recipient may read. It decides on the host, when a message is admitted,
// and nothing of how it decides is in the catalogue, which crosses to a worker.
type Sink interface {
	Object
	// Admits is called for each message to the object that is an effect, and for one that is a
	// sink if the run has read anything that is labelled. What may leave is what both Method.Admits and the
	// result admit; so Method.Admits names all labels that any recipient may have. In m,
	// each argument that is labelled itself, or has a labelled part, is the zero Value there:
	// what a program may not read must not decide where things go. What is not known,
	// that zero Value included, must be answered with the zero Label: public only. A
	// panic counts as that. It must not wait, and not act.
	Admits(m *Message) Label
}

// admits is what a message that is a sink may carry: what its method admits, its
// object, and the policies of all its objects. why is not nil where one of them panicked.
func (s *Session) admits(m *Message, e *pending) (l Label, why error) {
	l = m.Root.Method().Admits
	if m.Root.Method().Effect == InUnit {
		l = l.Join(m.Writes())
	}
	var fs []func(*Message) Label
	if o, ok := m.Objects[m.Root.Receiver().Slot].(Sink); ok {
		fs = append(fs, o.Admits)
	}
	for _, w := range m.policies {
		if f := w.policy.Admits; f != nil {
			fs = append(fs, f)
		}
	}
	if len(fs) == 0 {
		return l, nil
	}
	m = m.unsealed()
	for _, f := range fs {
		var more Label
		if p := s.hostCode(e, func() { more = f(m) }); p != nil {
			return Label{}, fmt.Errorf("exo: panic in Admits: %v", p)
		}
		l = l.meet(more)
	}
	return l, nil
}

// unsealed is m without the values that are labelled.
func (m *Message) unsealed() *Message {
	c := *m
	c.Checked = m.MapLiterals(withoutLabelled)
	return &c
}

// withoutLabelled is v, with the zero Value for each part that has a label.
func withoutLabelled(v Value) Value {
	return v.Replace(func(x Value) (Value, bool) { return Value{}, !x.Label().Empty() })
}
