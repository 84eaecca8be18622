package exo

import (
	"fmt"
	"math"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Sink is an Object whose methods admit labels that depend on their arguments: a mail may carry
// what its recipient may read. It decides in the host, when a message is admitted. A worker gets
// the catalogue, which does not show how it decides.
type Sink interface {
	Object
	// Admits is called for each message that is an effect and, if the run has read labelled values, for each message that is a sink. A label may
	// leave only if both Method.Admits and the returned label admit it. So Method.Admits must name every label that Admits returns for any
	// recipient. In m, each labelled argument, and each labelled part of an argument, is the zero Value: a value that a program
	// may not read must not decide where things go. If Admits does not know an argument, as with that zero Value, it must return the zero Label,
	// which admits public values only. A panic counts as the zero Label. Admits must neither wait nor act.
	Admits(m *Message) value.Label
}

// passSink refuses three kinds of message: those with labels that may not leave by the method; effects that could not be
// shown; and those that demand trust, although outsiders' words may have chosen them.
func (s *Session) passSink(m *Message, e *pending) error {
	meth, label, carries := m.Root.Method(), e.label, e.label
	if e.sealed != nil {
		carries = label.Join(*e.sealed)
	}
	if meth.Effect != message.NoEffect || meth.Sink && !label.Secrecy().Empty() {
		var why error
		if e.admits, why = s.admits(m, e); !MayLeave(carries, e.admits) {
			what := "this program has read values that may not leave this way: they are labelled "
			switch {
			case !MayLeave(s.run.Label, e.admits):
				what = "this program was written from values that may not leave this way: they are labelled "
			case MayLeave(label, e.admits):
				what = "a sealed value in this call may not leave this way: it is labelled "
			}
			if why == nil {
				why = because(label, s.causedUpTo(s.Label(), math.MaxUint64))
			}
			return &fail.Error{Kind: fail.Denied, Op: s.opName(e.root), Msg: what + carries.Secrecy().Without(e.admits).List() + m.admitting(carries.Secrecy().Without(e.admits)), Err: why}
		}
	}
	// The result of this run may not leave, so the model would not learn of the effect, and might ask for it again. Release
	// would undo the other changes of the run.
	if meth.Effect != message.NoEffect && !MayLeave(label, s.gate.admits) {
		what := "nothing that this program changes would be kept"
		if meth.Effect == message.Immediate {
			what = "this call acts at once and for good, and its outcome could not be shown"
		}
		return fail.Errorf(fail.Denied, s.opName(e.root), "%s: this program has read values labelled %s, so its result may not leave; make this call in another program", what, label.Secrecy().Without(s.gate.admits).List())
	}
	return s.distrust(m, e.chosen.Integrity(), e.admits)
}

// MayLeave reports whether values with label l may leave by a sink that admits these labels. It decides for messages, results, console lines and
// values that are shown unsealed. It looks at secrecy; distrust looks at integrity.
func MayLeave(l, admits value.Label) bool { return l.Secrecy().FlowsTo(admits) }

// admits returns the label that a sink's message may carry: its method, its object and the policies of
// all its objects must admit it. why is an error if one of them panicked.
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
			return value.Label{}, fmt.Errorf("exo: the function Admits of an object or a policy panicked: %v", p)
		}
		l = l.Meet(more)
	}
	return l, nil
}

// admitting names the declaration with which a host can let a write carry the refused labels. It is "" if m is no write.
func (m *Message) admitting(refused value.Label) string {
	// Advice in an error must work as written. A column never admits its own label if that label names readers (tag@reader).
	if m.Root.Method().Effect != message.InUnit || !refused.Equal(refused.About()) {
		return ""
	}
	where := "its facet"
	if names := m.Refuses(refused); names != nil {
		where = strings.Join(names, ", ")
	}
	return fmt.Sprintf("; the host can allow it with `admits: [%s]` at %s", refused.About().List(), where)
}

// unsealed returns a copy of m without its labelled values.
func (m *Message) unsealed() *Message {
	c := *m
	c.Checked = m.MapLiterals(withoutLabelled)
	return &c
}

// withoutLabelled returns v with the zero Value in the place of each part that has a label.
func withoutLabelled(v value.Value) value.Value {
	return v.Replace(func(x value.Value) (value.Value, bool) { return value.Value{}, !x.Label().Empty() })
}

// distrust returns why a run that has read what outsiders wrote may not send m, or nil. An instruction hidden in those words may have chosen
// the call, even if the model meant no harm. A method that acts on the world is refused unless it admits the tag. A method or an argument that
// demands trust is refused, and so is a declassifier. Other writes and reads are not refused. has is the label of what may have influenced m,
// without the label of the reply: a program that adds a row, and is shown its untrusted columns, sends m before it reads them.
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
	if !meth.Declassifies.Empty() { // outsiders must not choose which part of a secret a program reveals
		return m.UntrustedError(has, "they could have chosen what is asked about sealed values")
	}
	for i, a := range m.Root.Args {
		if name := message.Demands(meth.Params[i].Want.Con, a); name != "" {
			return m.UntrustedError(has, "they could have chosen `"+name+"`")
		}
	}
	return nil
}

// UntrustedError returns the error of a message that demands trust, for a run with the tags of integrity in has. what gives the reason.
func (m *Message) UntrustedError(has value.Label, what string) error {
	s := m.session
	if s == nil {
		return fail.Errorf(fail.Denied, "", "%s", what)
	}
	if !s.run.Label.Integrity().Meet(has).Empty() { // the run began with the tag, so advice to use another program would not help
		return fail.Errorf(fail.Denied, s.opName(m.Root), "this program was written by a model that has read what outsiders wrote (%s), and %s: ask the user to request this call in a message of their own", s.taints(has), what)
	}
	return fail.Errorf(fail.Denied, s.opName(m.Root), "this program has read what outsiders wrote (%s), and %s: make this call without reading their words, or in a program of its own", s.taints(has), what)
}

// taints lists tags of integrity, each with the operation that brought it. These tags hide nothing, so a program may read them.
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
