package message

// This file compares the description that a policy wants with the object's own, and lets it only be narrower. narrow.go calls its functions.

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/value"
	"maps"
	"reflect"
	"slices"
)

// meet returns d without what a policy took away; want is the policy's version of d. If want has
// more than d, an error names the place. Parts of an interface that are not compared here must be
// equal: otherwise a policy could widen a part that this code does not know. changed names the
// interfaces that differ from d's.
func (d Description) meet(want Description) (met Description, changed map[string]bool, err error) {
	if !reflect.DeepEqual(d.Type, want.Type) {
		return met, nil, fmt.Errorf("the policy changed Description.Type, which no policy may change")
	}
	met = Description{Type: d.Type, Doc: want.Doc}
	seen := map[string]bool{}
	for _, w := range want.Interfaces {
		switch {
		case w == nil:
			return met, nil, fmt.Errorf("the policy added a nil interface")
		case d.Interface(w.Name) == nil:
			return met, nil, fmt.Errorf("the policy added the interface %s, which no policy may do", w.Name)
		case seen[w.Name]:
			return met, nil, fmt.Errorf("the policy listed the interface %s twice", w.Name)
		}
		seen[w.Name] = true
	}
	for _, i := range d.Interfaces {
		if w := want.Interface(i.Name); w != nil {
			n, err := i.meet(w)
			if err != nil {
				return met, nil, fmt.Errorf("%s%w", i.Name, err)
			}
			met.Interfaces = append(met.Interfaces, n)
		}
	}
	return met, met.settle(d), met.whole(d)
}

// whole refuses a description in which a type or method refers to an interface that was removed: an
// object of that interface would be of no known type.
func (d Description) whole(full Description) error {
	leads := func(what string, to map[string]bool) error {
		for name := range to {
			if d.Interface(name) == nil && full.Interface(name) != nil {
				return fmt.Errorf("%s refers to %s, which the policy removed: keep it, or remove what refers to it", what, name)
			}
		}
		return nil
	}
	for _, i := range d.Interfaces {
		if err := leads(i.Name, i.mentions()); err != nil {
			return err
		}
	}
	return leads("the object", names(func(r renamer) { r.typ(d.Type) }))
}

// settle clears each Truth that names a removed method, and returns the names of the interfaces that differ from the full description.
func (d Description) settle(full Description) (changed map[string]bool) {
	changed = map[string]bool{}
	for k, i := range d.Interfaces {
		for _, m := range i.Methods {
			of := m.Result
			if m.Nested != nil {
				of = m.Nested
			}
			if m.Truth != "" && !d.has(of, i, m.Truth) && full.has(of, full.Interface(i.Name), m.Truth) {
				m.Truth = ""
			}
		}
		if old := full.Interface(i.Name); SameInterface(i, old) {
			d.Interfaces[k] = old
		} else {
			changed[i.Name] = true
		}
	}
	return changed
}

// has reports whether the interface that results from term t has a method of this name.
func (d Description) has(t *Term, self *Interface, method string) bool {
	var i *Interface
	switch {
	case t == nil:
	case t.Con != nil:
		i = d.Interface(t.Con.Name)
	case t.App != "":
		i = d.Interface(t.App)
	case t.Var == "self":
		i = self
	}
	return i != nil && i.Methods[method] != nil
}

// meet returns i, narrowed as w asks, which is the policy's version of i. The result shares nothing with w.
func (i *Interface) meet(w *Interface) (*Interface, error) {
	n := renamer{}.iface(i)
	n.Doc = w.Doc
	if len(w.Words) == 0 {
		n.Words = w.Words // phrases stay right when methods are removed, since their Needs lists the methods that they name
	}
	if len(w.Fields) != len(i.Fields) {
		return nil, fmt.Errorf(": the policy added or deleted a field, which no policy may do")
	}
	for name, f := range n.Fields {
		x := w.Fields[name]
		if x == nil || f == nil {
			return nil, fmt.Errorf(".%s: the policy deleted this field, which no policy may do", name)
		}
		if !f.Label.FlowsTo(x.Label) {
			return nil, fmt.Errorf(".%s: the policy removed %s from the label of this field, to which it may only add tags", name, f.Label.Without(x.Label))
		}
		f.Label, f.Doc = x.Label, x.Doc
		if !reflect.DeepEqual(f, x) {
			return nil, fmt.Errorf(".%s: the policy may change only Doc and Label of this field", name)
		}
	}
	if !i.Label.FlowsTo(w.Label) {
		return nil, fmt.Errorf(": the policy removed %s from the label of this interface, to which it may only add tags", i.Label.Without(w.Label))
	}
	n.Label = w.Label
	for name := range w.Methods {
		if n.Methods[name] == nil {
			return nil, fmt.Errorf(".%s: the policy added this method, which no policy may do", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Methods)) {
		m := n.Methods[name]
		x := w.Methods[m.Name] // looked up by its canonical name, so that one entry decides for all names of a method
		switch {
		case x == nil || w.Methods[name] == nil:
			delete(n.Methods, name)
		case w.Methods[name] != x:
			return nil, fmt.Errorf(".%s: the policy gave this name to another method than %s", name, m.Name)
		case name == m.Name:
			if err := m.meet(x); err != nil {
				return nil, fmt.Errorf(".%s: %w", name, err)
			}
		}
	}
	n.Order = slices.DeleteFunc(n.Order, func(s string) bool { return n.Fields[s] == nil && n.Methods[s] == nil })
	if n.Methods[n.Await] == nil || w.Await == "" {
		n.Await = ""
	}
	if n.Methods[n.Call] == nil {
		n.Call = ""
	}
	if n.Methods[n.Keys] == nil {
		n.Keys = ""
	}
	rest := *w
	rest.Fields, rest.Methods, rest.Order = n.Fields, n.Methods, n.Order
	if rest.Await == i.Await {
		rest.Await = n.Await
	}
	if rest.Call == i.Call {
		rest.Call = n.Call
	}
	if rest.Keys == i.Keys {
		rest.Keys = n.Keys
	}
	if !reflect.DeepEqual(&rest, n) {
		return nil, fmt.Errorf(": the policy changed Is, Expr, Await, Call, Keys, Many or another part, which no policy may change")
	}
	return n, nil
}

// meet narrows m, a copy of the object's method, as x asks.
func (m *Method) meet(x *Method) error {
	switch {
	case !m.Label.FlowsTo(x.Label):
		return fmt.Errorf("the policy removed %s from the label of this method, to which it may only add tags", m.Label.Without(x.Label))
	case !m.Reply.FlowsTo(x.Reply):
		return fmt.Errorf("the policy removed %s from Reply, to which it may only add tags", m.Reply.Without(x.Reply))
	case x.Total && !m.Total: // only the object can promise this: a program would be shown values without their labels joining the run's label
		return fmt.Errorf("the policy set Total, which only the object itself can promise")
	case x.Fresh && !m.Fresh: // otherwise a program could be shown what outsiders wrote, and still count as trusted
		return fmt.Errorf("the policy set Fresh, which only the object itself can promise")
	case m.Row && !x.Row:
		return fmt.Errorf("the policy cleared Row, which only the object itself may clear")
	case x.Effect != m.Effect && (m.Effect != NoEffect || x.Effect != Immediate):
		return fmt.Errorf("the policy changed Effect from %s to %s: it may change NoEffect to Immediate, and nothing else", m.Effect, x.Effect)
	case m.Sink && !x.Sink:
		return fmt.Errorf("the policy cleared Sink, which a policy may only set")
	case (m.Sink || m.Effect != NoEffect) && !x.Admits.FlowsTo(m.Admits):
		return fmt.Errorf("the policy added %s to Admits, from which it may only remove tags", x.Admits.Without(m.Admits))
	case !x.Declassifies.FlowsTo(m.Declassifies):
		return fmt.Errorf("the policy added %s to Declassifies, from which it may only remove tags", x.Declassifies.Without(m.Declassifies))
	case m.Trusted && !x.Trusted:
		return fmt.Errorf("the policy cleared Trusted, which a policy may only set")
	case !m.Sends && (x.Effect != m.Effect || x.Sink != m.Sink || !reflect.DeepEqual(x.Admits, m.Admits)):
		return fmt.Errorf("a policy can't give an Effect, Sink or Admits to a method that does not send: change those of the method that sends")
	case x.Truth != "" && x.Truth != m.Truth:
		return fmt.Errorf("the policy changed Truth, which a policy may only clear")
	case len(x.Params) > len(m.Params):
		return fmt.Errorf("the policy added a parameter, which no policy may do")
	}
	for k := range m.Params {
		p := &m.Params[k]
		if k >= len(x.Params) {
			if !p.Opt {
				return fmt.Errorf("the policy removed the parameter %s, which is not optional", p.Name)
			}
			continue
		}
		if err := p.meet(&x.Params[k]); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if len(x.Params) < len(m.Params) {
		m.Params = m.Params[:len(x.Params)]
	}
	m.Doc, m.Label, m.Reply, m.Row, m.Total, m.Effect, m.Sink, m.Admits, m.Truth, m.Declassifies, m.Trusted, m.Fresh = x.Doc, x.Label, x.Reply, x.Row, x.Total, x.Effect, x.Sink, x.Admits, x.Truth, x.Declassifies, x.Trusted, x.Fresh
	rest := *x
	rest.Params = m.Params
	if !reflect.DeepEqual(&rest, m) {
		return fmt.Errorf("the policy changed Name, Result, Sends or another part of the method, which no policy may change")
	}
	return nil
}

// meet narrows p, a copy of the object's parameter, as x asks.
func (p *Param) meet(x *Param) error {
	plain := p.Want != nil && p.Want.Con != nil
	switch {
	case x.Opt && !p.Opt, x.Null && !p.Null, x.Plain && !p.Plain, x.Filter && !p.Filter:
		return fmt.Errorf("the policy set Opt, Null, Plain or Filter, which a policy may only clear")
	case p.Count && !x.Count, x.Count && !p.Count && !(plain && p.Want.Con.Name == value.TypeInt):
		return fmt.Errorf("the policy changed Count: it may set Count for a parameter of type int, and never clear it")
	case p.Ident && !x.Ident, x.Ident && !p.Ident && !p.Static:
		return fmt.Errorf("the policy changed Ident, which it may set only for a Static parameter")
	}
	if err := p.Want.meet(x.Want, p.Bind == "" && p.Lambda == nil && !p.Many); err != nil {
		return err
	}
	p.Opt, p.Null, p.Plain, p.Filter, p.Count, p.Ident = x.Opt, x.Null, x.Plain, x.Filter, x.Count, x.Ident
	rest := *x
	rest.Want = p.Want
	if !reflect.DeepEqual(&rest, p) {
		return fmt.Errorf("the policy may change only Want, Opt, Null, Plain, Filter, Count and Ident of this parameter")
	}
	return nil
}

// meet narrows t, a copy of the term that the object wants, as x asks. free reports that only the
// object sees which type the argument has.
func (t *Term) meet(x *Term, free bool) error {
	if x == nil {
		return fmt.Errorf("the policy removed the type of the argument, which it may only narrow")
	}
	if t.Wide == nil && t.Null && !x.Null {
		t.Null = false
	}
	if t.Con != nil && x.Con != nil {
		if err := t.Con.meet(x.Con, free); err != nil {
			return err
		}
	}
	rest := *x
	rest.Con = t.Con
	if (t.Con == nil) != (x.Con == nil) || !reflect.DeepEqual(&rest, t) {
		return fmt.Errorf("the policy gave the argument a type that is not narrower than the object's")
	}
	return nil
}

// meet narrows t, a copy of the type of an argument, to x. t must admit each value that x admits.
// x must convert the value as t does: the object expects arguments as its own description converts
// them.
func (t *Type) meet(x *Type, free bool) error {
	if x == nil {
		return fmt.Errorf("the policy removed the type of the argument, which it may only narrow")
	}
	narrower := t.Name == value.TypeNumber && x.Name == value.TypeInt || free && t.Name == value.TypeData && x.plain(0)
	switch {
	case x.Null && !t.Null && !(t.Name == value.TypeData && free):
		return fmt.Errorf("the policy allows null, which the object does not allow")
	case x.Name != t.Name && !narrower:
		return fmt.Errorf("the policy gave the argument the type %s, which is not narrower than %s", x, t)
	case x.Name != t.Name:
		*t = *renamer{}.typ(x)
		return nil
	case len(x.Enum) == 0 && len(t.Enum) > 0, len(x.Enum) > 0 && x.Name != value.TypeText:
		return fmt.Errorf("the policy gave the argument the type %s, which is not narrower than %s", x, t)
	}
	for _, e := range x.Enum {
		if len(t.Enum) > 0 && !slices.Contains(t.Enum, e) {
			return fmt.Errorf("the policy allows the text %q, which the object does not allow", e)
		}
	}
	t.Null, t.Enum = x.Null, slices.Clone(x.Enum)
	switch t.Name {
	case value.TypeList:
		if t.Args["of"] == nil {
			return fmt.Errorf("the list type lacks the type of its items: set Args[\"of\"]")
		}
		if err := t.Args["of"].meet(x.Args["of"], free); err != nil {
			return fmt.Errorf("items: %w", err)
		}
	case value.TypeRecord:
		if err := t.meetFields(x, free); err != nil {
			return err
		}
	}
	rest := *x
	if rest.Fields != nil {
		rest.Fields = t.Fields
	}
	if !reflect.DeepEqual(&rest, t) {
		return fmt.Errorf("the policy gave the argument a type that is not narrower than the object's")
	}
	return nil
}

// meetFields deletes optional fields that x lacks, and narrows the others. It keeps their order,
// which is that of the argument's fields.
func (t *Type) meetFields(x *Type, free bool) error {
	var fs []TypeField
	rest := x.Fields
	for _, f := range t.Fields {
		if len(rest) == 0 || rest[0].Name != f.Name {
			if !f.Opt {
				return fmt.Errorf("the policy removed the field %s, which is not optional", f.Name)
			}
			continue
		}
		w := rest[0]
		if rest = rest[1:]; w.Opt && !f.Opt {
			return fmt.Errorf("the policy made the field %s optional, which the object requires", f.Name)
		}
		if f.Trusted && !w.Trusted {
			return fmt.Errorf("the policy cleared Trusted of the field %s, which a policy may only set", f.Name)
		}
		if err := f.Type.meet(w.Type, free); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		f.Opt, f.Doc, f.Trusted = w.Opt, w.Doc, w.Trusted
		if !reflect.DeepEqual(w, f) {
			return fmt.Errorf("the policy may change only Type, Opt, Doc and Trusted of the field %s", f.Name)
		}
		fs = append(fs, f)
	}
	if len(rest) > 0 {
		return fmt.Errorf("the policy added the field %s, which no policy may do", rest[0].Name)
	}
	t.Fields = fs
	return nil
}

// plain reports whether the type is plain data. An object that wants any data takes such an argument without conversion.
func (t *Type) plain(depth int) bool {
	if t == nil || depth > 16 {
		return false
	}
	switch t.Name {
	case value.TypeNull, value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeNumber, value.TypeText, value.TypeTime, value.TypeData:
		return true
	case value.TypeList:
		return t.Args["of"].plain(depth + 1)
	case value.TypeRecord:
		for _, f := range t.Fields {
			if !f.Type.plain(depth + 1) {
				return false
			}
		}
		return true
	}
	return false
}
