package message

// This file refuses ambiguous declarations, and labels that nothing would enforce.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Validate refuses an interface with two members of one name, or with a member that already has a
// meaning in JavaScript.
func (i *Interface) Validate() error {
	if i.Name == "" || undescribed(i.Name) {
		return fmt.Errorf("%q can't be the name of an interface: want a name that is not empty and not that of a built-in type", i.Name)
	}
	if i.Call != "" && (i.Methods[i.Call] == nil || len(i.Methods) > 1 || len(i.Fields) > 0) {
		return fmt.Errorf("%s: an interface with Call must have the method %q and no other member", i.Name, i.Call)
	}
	if m := i.Methods[i.Keys]; i.Keys != "" && (m == nil || m.Sends || len(m.Params) != 1 || !m.Params[0].Fixed) {
		return fmt.Errorf("%s: Keys is %q: want the name of a method without Sends and with one parameter, which has Fixed", i.Name, i.Keys)
	}
	for n := range i.Fields {
		if scalar.ReservedName(n) {
			return fmt.Errorf("%s: %q can't be the name of a field: want letters, digits, _ and $, no digit first, and no reserved name", i.Name, n)
		}
		if i.Methods[n] != nil {
			return fmt.Errorf("%s: %q is both a field and a method: rename one of them", i.Name, n)
		}
	}
	for n, m := range i.Methods {
		switch bad := checkName(n); {
		case m == nil:
			return fmt.Errorf("%s: method %q is nil: leave it out", i.Name, n)
		case bad != nil:
			return fmt.Errorf("%s: the method %q: %s", i.Name, n, bad.Msg)
		case i.Methods[m.Name] != m:
			return fmt.Errorf("%s: the method listed as %q has the Name %q: list it under that name, too", i.Name, n, m.Name)
		case m.Effect >= EffectModes || m.Effect != NoEffect && !m.Sends:
			return fmt.Errorf("%s.%s: a method with an Effect needs Sends, and the Effect must be a constant of type EffectMode", i.Name, m.Name)
		case m.Nested != nil && (m.Effect != NoEffect || m.Sink):
			return fmt.Errorf("%s.%s: a method with Nested can't be a Sink or have an Effect", i.Name, m.Name)
		case m.Total && (!i.Expr || m.Sends || m.Row || m.Nested != nil || slices.ContainsFunc(m.Params, func(p Param) bool { return p.Lambda != nil })):
			return fmt.Errorf("%s.%s: a Total method must belong to an expression, send nothing and take no callback", i.Name, m.Name)
		case m.Measure && (!m.Sends || m.Nested == nil || len(m.Params) > 0):
			return fmt.Errorf("%s.%s: a Measure must have Sends and Nested, and no parameters", i.Name, m.Name)
		case m.Trusted && !m.Sends:
			return fmt.Errorf("%s.%s: a Trusted method needs Sends", i.Name, m.Name)
		case m.Fresh && m.Effect != InUnit && m.Effect != Immediate:
			return fmt.Errorf("%s.%s: a Fresh method must have the Effect InUnit or Immediate", i.Name, m.Name)
		case m.Effect == Held && !isReceipt(m.Result):
			return fmt.Errorf("%s.%s: a method with the Effect Held must have Receipt() as its Result", i.Name, m.Name)
		}
		if err := m.checkDeclassifies(); err != nil {
			return fmt.Errorf("%s.%s: %w", i.Name, m.Name, err)
		}
		for k := range m.Params {
			if m.Params[k].Want == nil {
				return fmt.Errorf("%s.%s: parameter %d has no Want, which gives its type: set it", i.Name, m.Name, k)
			}
			if k > 0 && m.Params[k-1].Opt && !m.Params[k].Opt {
				return fmt.Errorf("%s.%s: parameter %d is required and follows an optional one: put the required parameters first", i.Name, m.Name, k)
			}
		}
	}
	return i.checkLabels()
}

func checkName(n string) *fail.Error {
	if why := scalar.BadName(n); why != "" {
		return fail.Errorf(fail.Invalid, "", "%s", why)
	}
	return nil
}

func checkIdent(op, what, n string) error {
	if err := checkName(n); err != nil {
		return fail.Errorf(fail.Invalid, op, "%s: %s", what, err.Msg)
	}
	if !scalar.Simple(n) {
		return fail.Errorf(fail.Invalid, op, "%s must be a simple name of letters and digits", what)
	}
	return nil
}

// labels joins the labels of the fields of a type, at any depth.
func (t *Type) labels() (l value.Label) {
	t.fields(func(f *TypeField) { l = l.Join(f.Label) })
	return l
}

// each visits t and the types that are parts of t.
func (t *Type) each(visit func(*Type)) {
	if t == nil {
		return
	}
	visit(t)
	for _, f := range t.Fields {
		f.Type.each(visit)
	}
	for _, a := range t.Args {
		a.each(visit)
	}
}

// each visits the types that are parts of a term.
func (t *Term) each(visit func(*Type)) {
	if t == nil {
		return
	}
	t.Con.each(visit)
	t.Of.each(visit)
	t.Own.each(visit)
	for _, x := range t.Ext {
		x.each(visit)
	}
	for _, x := range t.Wide {
		x.each(visit)
	}
	for _, x := range t.Args {
		x.each(visit)
	}
}

// Shows joins the labels of the fields of m's result.
func (m *Method) Shows() (l value.Label) {
	m.Result.each(func(t *Type) {
		for _, f := range t.Fields {
			l = l.Join(f.Label)
		}
	})
	return l
}

// takes joins the labels of the fields of m's arguments. A program that gives such a field gets the label, since the outcome reveals something.
func (m *Method) takes() (l value.Label) {
	for i := range m.Params {
		if w := m.Params[i].Want; w != nil {
			l = l.Join(w.Con.labels())
		}
	}
	return l
}

// checkLabels refuses a label where nothing enforces it: it would look as if it protected something.
func (i *Interface) checkLabels() error {
	var err error
	refuse := func(member, what string) {
		if err == nil {
			err = fmt.Errorf("%s.%s: %s", i.Name, member, what)
		}
	}
	bare := func(member string) func(*Type) {
		return func(t *Type) {
			if t.Min > t.Max || (t.Min != 0 || t.Max != 0) && t.Name != value.TypeInt {
				refuse(member, fmt.Sprintf("the type %s has Min %d and Max %d: only an int may have these, and Min must not be above Max", t.Name, t.Min, t.Max))
			}
			if !t.Label.Empty() {
				refuse(member, fmt.Sprintf("the type %s has the label %s, which only exo's checker may set: label a field, or the method", t.Name, t.Label))
			}
		}
	}
	if i.Expr && !i.Label.Empty() {
		return fmt.Errorf("%s is an expression and has the label %s: label the fields of this type instead", i.Name, i.Label)
	}
	for n, f := range i.Fields {
		if f == nil || f.Type == nil {
			continue // the use of such a field is refused in another place
		}
		f.Type.each(bare(n))
	}
	for n, m := range i.Methods {
		m.Result.each(bare(n))
		m.Nested.each(bare(n))
		for k := range m.Params {
			m.Params[k].Want.each(func(t *Type) {
				bare(n)(t)
				for _, f := range t.Fields {
					if !f.Admits.Empty() && m.Effect != InUnit {
						refuse(n, fmt.Sprintf("field %s of an argument admits %s, but the Effect of the method is not InUnit: use Method.Admits instead", f.Name, f.Admits))
					}
				}
			})
		}
		m.Result.each(func(t *Type) {
			for _, f := range t.Fields {
				if !f.Admits.Empty() {
					refuse(n, fmt.Sprintf("field %s of the result admits %s: only a field of an argument can", f.Name, f.Admits))
				}
			}
		})
	}
	return err
}
