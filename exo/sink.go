package exo

import (
	"fmt"
	"math"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
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
	Admits(m *Message) value.Label
}

// passSink refuses a message that would carry what may not leave by its method, whose effect could not be shown, or that
// may have been chosen by what outsiders wrote.
func (s *Session) passSink(m *Message, e *pending) error {
	meth, label, carries := m.Root.Method(), e.label, e.label
	if e.sealed != nil {
		carries = label.Join(*e.sealed)
	}
	if meth.Effect != message.NoEffect || meth.Sink && !label.Secrecy().Empty() {
		var why error
		if e.admits, why = s.admits(m, e); !mayLeave(carries, e.admits) {
			what := "this program has read values that may not leave this way: they are labelled "
			switch {
			case !mayLeave(s.run.Label, e.admits):
				what = "this program was written from values that may not leave this way: they are labelled "
			case mayLeave(label, e.admits):
				what = "a sealed value that it is given may not leave this way: it is labelled "
			}
			if why == nil {
				why = because(label, s.causedUpTo(s.Label(), math.MaxUint64))
			}
			return &fail.Error{Kind: fail.Denied, Op: s.opName(e.root), Msg: what + carries.Secrecy().Without(e.admits).List() + m.admitting(carries.Secrecy().Without(e.admits)), Err: why}
		}
	}
	// The model could not be shown what it did, and would ask for it again. What the program changed otherwise is
	// not kept then, either: see Release.
	if meth.Effect != message.NoEffect && !mayLeave(label, s.gate.admits) {
		what := "nothing that it changes would be kept"
		if meth.Effect == message.Immediate {
			what = "it acts at once and for good, and its outcome could not be shown"
		}
		return fail.Errorf(fail.Denied, s.opName(e.root), "%s: this program has read values labelled %s, so its result may not leave", what, label.Secrecy().Without(s.gate.admits).List())
	}
	return s.distrust(m, e.chosen.Integrity(), e.admits)
}

// mayLeave is the comparison before messages, results and console lines leave. It looks at secrecy; distrust looks at integrity.
func mayLeave(l, admits value.Label) bool { return l.Secrecy().FlowsTo(admits) }

// admits is what a message that is a sink may carry: what its method admits, its
// object, and the policies of all its objects. why is not nil where one of them panicked.
func (s *Session) admits(m *Message, e *pending) (l value.Label, why error) {
	l = m.Root.Method().Admits
	if m.Root.Method().Effect == message.InUnit {
		l = l.Join(m.Writes())
	}
	var fs []func(*Message) value.Label
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
		var more value.Label
		if p := s.hostCode(e, func() { more = f(m) }); p != nil {
			return value.Label{}, fmt.Errorf("exo: panic in Admits: %v", p)
		}
		l = l.Meet(more)
	}
	return l, nil
}

// admitting names the declaration by which a host lets a write have what a program read: "" where m is no write.
func (m *Message) admitting(refused value.Label) string {
	// One with readers never admits its own label, and the type doesn't say which has: a form that an error names works.
	if m.Root.Method().Effect != message.InUnit || !refused.Equal(refused.About()) {
		return ""
	}
	where := "its facet"
	if names := m.Refuses(refused); names != nil {
		where = strings.Join(names, ", ")
	}
	return fmt.Sprintf("; the host lets it with `admits: [%s]` at %s", refused.About().List(), where)
}

// unsealed is m without the values that are labelled.
func (m *Message) unsealed() *Message {
	c := *m
	c.Checked = m.MapLiterals(withoutLabelled)
	return &c
}

// withoutLabelled is v, with the zero Value for each part that has a label.
func withoutLabelled(v value.Value) value.Value {
	return v.Replace(func(x value.Value) (value.Value, bool) { return value.Value{}, !x.Label().Empty() })
}

// distrust says why a run that has read what outsiders wrote may not ask for m: an instruction that was hidden there
// may have chosen the call, whatever the model made of it. What acts on the world is refused unless it admits
// the tag; a write is kept unless its method demands trust, or a field that it sets. Reads are never refused. has is the label of what chose m: what m itself
// is told comes later, so a row that is added and shown with its untrusted columns is asked for before they are read.
func (s *Session) distrust(m *Message, has, admits value.Label) error {
	if has.Empty() {
		return nil
	}
	meth := m.Root.Method()
	if (meth.Effect == message.Held || meth.Effect == message.Immediate) && !has.FlowsTo(admits) {
		return m.UntrustedError(has.Without(admits), "they could have chosen what is asked for here")
	}
	if meth.Trusted {
		return m.UntrustedError(has, "they could have asked for `"+meth.Name+"`")
	}
	if !meth.Declassifies.Empty() { // the program chooses what is revealed of a secret, and outsiders must not
		return m.UntrustedError(has, "they could have chosen what is asked about sealed values")
	}
	for i, a := range m.Root.Args {
		if name := message.Demands(meth.Params[i].Want.Con, a); name != "" {
			return m.UntrustedError(has, "they could have chosen `"+name+"`")
		}
	}
	return nil
}

// UntrustedError is the error of a message whose run has tags of integrity, where what it asks for demands trust; what says why.
func (m *Message) UntrustedError(has value.Label, what string) error {
	s := m.session
	if s == nil {
		return fail.Errorf(fail.Denied, "", "%s", what)
	}
	if !s.run.Label.Integrity().Meet(has).Empty() { // another program would begin with it, too
		return fail.Errorf(fail.Denied, s.opName(m.Root), "this program was begun with labels of what outsiders wrote (%s), and %s: ask the user to request it in a message of their own", s.taints(has), what)
	}
	return fail.Errorf(fail.Denied, s.opName(m.Root), "this program has read what outsiders wrote (%s), and %s: do it without reading that, or in a program of its own", s.taints(has), what)
}

// taints lists tags of integrity, each with what the program got it by: they hide nothing, so a program may read them.
func (s *Session) taints(l value.Label) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tags := l.Tags()
	for i, t := range tags {
		if op := s.causes[t].Op; op != "" {
			tags[i] = t + ", by " + op
		}
	}
	return strings.Join(tags, "; ")
}
