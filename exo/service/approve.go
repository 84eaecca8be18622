package service

// This file has the calls that a person must agree to before they happen (exo/review).

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// approval describes which calls a person must agree to.
type approval struct {
	field string // the field that decides; "": every call needs a person
	known []string
	who   changeset.Who
}

// Approve makes each call wait until a person agrees; who describes who may. The service can be granted only with a Reviewer
// (codemode.Options.Review). The Method must not be Immediate, since a call that acts at once can't be shown first.
func (op Operation) Approve(who changeset.Who) Operation {
	return op.approvedBy(&approval{who: who})
}

// ApproveOutside makes a call wait until a person agrees, if field has a value that is not in known. field is a text or a list of texts. An example is a
// mail to an outside address. Upper and lower case are the same. A call without the field waits, too.
func (op Operation) ApproveOutside(who changeset.Who, field string, known ...string) Operation {
	return op.approvedBy(&approval{field: field, known: slices.Clone(known), who: who})
}

func (op Operation) approvedBy(a *approval) Operation {
	if op.approve != nil { // a second approval would replace the first, which may check another field
		op.misuse = errors.New("a method can have only one approval rule: call Approve, which covers every call, or ApproveOutside, and only once")
	}
	op.approve = a
	return op
}

// check refuses an approval that could have no effect.
func (a *approval) check(mode message.EffectMode, in *message.Type) error {
	switch {
	case a == nil:
		return nil
	case mode != message.Held:
		return errors.New("a person can't agree to a call that acts at once or changes nothing: make the method with Method and without Immediate, or leave Approve out")
	case a.field == "":
		return nil
	}
	i := slices.IndexFunc(in.Fields, func(f message.TypeField) bool { return f.Name == a.field })
	if i < 0 {
		return fmt.Errorf("ApproveOutside names the field %q, which the argument does not have: correct the name", a.field)
	}
	if t := in.Fields[i].Type; t.Name != value.TypeText && (t.Name != value.TypeList || t.Args["of"] == nil || t.Args["of"].Name != value.TypeText) {
		return fmt.Errorf("ApproveOutside needs a field that is a text or a list of texts, but the field %q is %s: name another field", a.field, t)
	}
	return nil
}

// MayAsk implements exo.Asker.
func (s *Service) MayAsk() bool {
	if s != nil {
		for _, op := range s.ops {
			if op.approve != nil {
				return true
			}
		}
	}
	return false
}

// Asks implements exo.Asker.
func (s *Service) Asks(m *exo.Message) (rule string, who changeset.Who) {
	op, in, err := s.asked(m)
	if err != nil || op.approve == nil {
		return "", who
	}
	a := op.approve
	if a.field == "" {
		return "call of " + s.description.Type.Name + "." + op.name, a.who
	}
	for name, v := range in.Fields() {
		if name == a.field && a.knows(v) {
			return "", who
		}
	}
	return fmt.Sprintf("%s of %s.%s outside of %s", a.field, s.description.Type.Name, op.name, strings.Join(a.known, ", ")), a.who
}

// knows reports whether a value consists of known texts only. It returns false for a value that can't be read because it is sealed.
func (a *approval) knows(v value.Value) bool {
	is := func(v value.Value) bool {
		return v.Type() == value.TypeText && slices.ContainsFunc(a.known, func(k string) bool { return strings.EqualFold(k, v.Text()) })
	}
	if v.Type() != value.TypeList {
		return is(v)
	}
	return v.Len() > 0 && !slices.ContainsFunc(v.Items(), func(v value.Value) bool { return !is(v) })
}
