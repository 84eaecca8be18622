package message

// This file finds the fields of its type that an argument gives, and the labels and the trust that these fields demand.

import (
	"github.com/exoagent/exoagent/exo/value"
	"slices"
)

// given calls visit for the fields of an argument's type that the argument gives, at any depth. If the given fields are unknown, it visits all fields.
func (t *Type) given(n *Node, visit func(*TypeField)) {
	if t == nil {
		return
	}
	switch {
	case n.Op == OpLit:
		t.givenBy(n.Lit, visit)
	case n.Op == OpLambda:
		t.given(n.Args[0], visit)
	case n.Op == OpRecord && t.Name == value.TypeRecord:
		for i, name := range n.Names {
			if k := slices.IndexFunc(t.Fields, func(f TypeField) bool { return f.Name == name }); k >= 0 {
				visit(&t.Fields[k])
				t.Fields[k].Type.given(n.Args[i], visit)
			}
		}
	case n.Op == OpList && t.Name == value.TypeList:
		for _, a := range n.Args {
			t.Args["of"].given(a, visit)
		}
	default:
		t.fields(visit)
	}
}

// givenBy does the work of given for a literal.
func (t *Type) givenBy(v value.Value, visit func(*TypeField)) {
	switch {
	case t == nil || v.IsNull():
	case t.Name == value.TypeRecord && v.Kind() == value.KindRecord:
		for k := range t.Fields {
			f := &t.Fields[k]
			if x, ok := v.Get(f.Name); ok {
				visit(f)
				f.Type.givenBy(x, visit)
			}
		}
	case t.Name == value.TypeList && v.Kind() == value.KindList:
		for i := range v.Len() {
			t.Args["of"].givenBy(v.At(i), visit)
		}
	default:
		t.fields(visit)
	}
}

// fields visits all fields of a type, at any depth.
func (t *Type) fields(visit func(*TypeField)) {
	t.each(func(x *Type) {
		for k := range x.Fields {
			visit(&x.Fields[k])
		}
	})
}

// labelsOf joins the labels of the fields that an argument gives for a parameter.
func (p *Param) labelsOf(n *Node) (l value.Label) {
	if p.Want == nil || p.Want.Con == nil || p.Want.Con.labels().Empty() {
		return l
	}
	p.Want.Con.given(n, func(f *TypeField) { l = l.Join(f.Label) })
	return l
}

// admits reports whether any field of the type admits a label.
func (t *Type) admits() (any bool) {
	t.fields(func(f *TypeField) { any = any || !f.Admits.Empty() })
	return any
}

// Writes returns the label that all fields of the message admit. It is empty if the message gives no field.
func (m *Checked) Writes() (l value.Label) {
	first := true
	for i, a := range m.Root.Args {
		if p := &m.Root.Method().Params[i]; p.Want != nil && p.Want.Con.admits() {
			p.Want.Con.given(a, func(f *TypeField) {
				if first {
					l, first = f.Admits, false
				}
				l = l.Meet(f.Admits)
			})
		}
	}
	return l
}

// Refuses names the fields that the message sets in existing rows and that do not admit l. It
// returns nil if the message adds or removes rows, which no field can admit.
func (m *Checked) Refuses(l value.Label) (out []string) {
	for i, a := range m.Root.Args {
		if p := &m.Root.Method().Params[i]; p.Lambda != nil && p.Want != nil && p.Want.Con != nil {
			p.Want.Con.given(a, func(f *TypeField) {
				if name := "`" + f.Name + "`"; !l.FlowsTo(f.Admits) && !slices.Contains(out, name) {
					out = append(out, name)
				}
			})
		}
	}
	return out
}

// WrittenTo names the fields that admit a tag, of a method with the Effect InUnit; of others it names none.
func (m *Method) WrittenTo(tag string) (out []string) {
	if m.Effect != InUnit {
		return nil
	}
	for i := range m.Params {
		if w := m.Params[i].Want; w != nil {
			w.Con.fields(func(f *TypeField) {
				if value.NewLabel(tag).FlowsTo(f.Admits) && !slices.Contains(out, f.Name) {
					out = append(out, f.Name)
				}
			})
		}
	}
	return out
}

// Trusting names the fields of the type that demand trust.
func (t *Type) Trusting() (out []string) {
	if t == nil {
		return nil
	}
	for _, f := range t.Fields {
		if f.Trusted {
			out = append(out, f.Name)
		} else {
			out = append(out, f.Type.Trusting()...)
		}
	}
	return append(out, t.Args["of"].Trusting()...)
}

// Demands names a field that demands trust and that the argument gives. It returns "" if there is none.
func Demands(t *Type, n *Node) (name string) {
	if len(t.Trusting()) == 0 {
		return ""
	}
	t.given(n, func(f *TypeField) {
		if f.Trusted && name == "" {
			name = f.Name
		}
	})
	return name
}
