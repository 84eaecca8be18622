package service

// This file has the calls that a person must agree to before they happen: see exo/review.

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

// approval says which calls a person must agree to.
type approval struct {
	field string // "": every call
	known []string
	who   changeset.Who
}

// Approve makes a person agree to each call before it happens; who says who may. Without a Reviewer (codemode.Options.Review) the service can't be
// granted. It is for a Method that is not Immediate: what acts at once can't be shown before.
func (op Operation) Approve(who changeset.Who) Operation {
	return op.approvedBy(&approval{who: who})
}

// ApproveOutside makes a person agree to each call whose field, a text or a list of texts, has another value than these: a mail to an address outside. Upper
// and lower case are the same. A call without the field needs a person, too.
func (op Operation) ApproveOutside(who changeset.Who, field string, known ...string) Operation {
	return op.approvedBy(&approval{field: field, known: slices.Clone(known), who: who})
}

func (op Operation) approvedBy(a *approval) Operation {
	if op.approve != nil { // the second would take the place of the first, which guards another field
		op.misuse = errors.New("Approve or ApproveOutside is there twice: a method has one rule, so use Approve")
	}
	op.approve = a
	return op
}

// check refuses an approval that can have no effect.
func (a *approval) check(mode message.EffectMode, in *message.Type) error {
	switch {
	case a == nil:
		return nil
	case mode != message.Held:
		return errors.New("a person can't agree to a call that acts at once or changes nothing: make it with Method, without Immediate, or without Approve")
	case a.field == "":
		return nil
	}
	i := slices.IndexFunc(in.Fields, func(f message.TypeField) bool { return f.Name == a.field })
	if i < 0 {
		return fmt.Errorf("the argument has no field %q for ApproveOutside", a.field)
	}
	if t := in.Fields[i].Type; t.Name != value.TypeText && (t.Name != value.TypeList || t.Args["of"] == nil || t.Args["of"].Name != value.TypeText) {
		return fmt.Errorf("ApproveOutside wants a text or a list of texts, and %s is %s", a.field, t.Name)
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

// knows reports whether a value has no text but the known ones. A value that can't be read, since it is sealed, is not known.
func (a *approval) knows(v value.Value) bool {
	is := func(v value.Value) bool {
		return v.Type() == value.TypeText && slices.ContainsFunc(a.known, func(k string) bool { return strings.EqualFold(k, v.Text()) })
	}
	if v.Type() != value.TypeList {
		return is(v)
	}
	for i := range v.Len() {
		if !is(v.At(i)) {
			return false
		}
	}
	return v.Len() > 0
}
