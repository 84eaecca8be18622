package exo

import "fmt"

// labels joins those of the fields of a type, at any depth.
func (t *Type) labels() (l Label) {
	t.fields(func(f *TypeField) { l = l.Join(f.Label) })
	return l
}

// each visits t and the types that it is made of.
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

// each visits the types that a term is made of.
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

// Shows joins the labels that the fields of what m gives have.
func (m *Method) Shows() (l Label) {
	m.Result.each(func(t *Type) {
		for _, f := range t.Fields {
			l = l.Join(f.Label)
		}
	})
	return l
}

// takes joins the labels that whoever gives fields to m has read.
func (m *Method) takes() (l Label) {
	for i := range m.Params {
		if w := m.Params[i].Want; w != nil {
			l = l.Join(w.Con.labels())
		}
	}
	return l
}

// checkLabels refuses labels where nobody would go by them: a label that is dropped in silence looks like one that holds.
func (i *Interface) checkLabels() error {
	var err error
	refuse := func(member, what string) {
		if err == nil {
			err = fmt.Errorf("%s.%s: %s", i.Name, member, what)
		}
	}
	bare := func(member string) func(*Type) {
		return func(t *Type) {
			if t.Min > t.Max || (t.Min != 0 || t.Max != 0) && t.Name != TypeInt {
				refuse(member, fmt.Sprintf("type %s is from %d to %d: only whole numbers have a range, from the least to the largest", t.Name, t.Min, t.Max))
			}
			if !t.Label.Empty() {
				refuse(member, fmt.Sprintf("type %s is labelled %s, which the checker alone does: label a field of the interface or of a record, or the method", t.Name, t.Label))
			}
		}
	}
	if i.Expr && !i.Label.Empty() {
		return fmt.Errorf("%s is labelled %s, and stands for a value: label the field that shows it", i.Name, i.Label)
	}
	for n, f := range i.Fields {
		if f == nil || f.Type == nil {
			continue // as before: who uses it is told
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
						refuse(n, fmt.Sprintf("%s of an argument admits %s, and the method keeps nothing in a unit: Method.Admits says what it may be given", f.Name, f.Admits))
					}
				}
			})
		}
		m.Result.each(func(t *Type) {
			for _, f := range t.Fields {
				if !f.Admits.Empty() {
					refuse(n, fmt.Sprintf("%s of its result admits %s: only what it takes can", f.Name, f.Admits))
				}
			}
		})
	}
	return err
}
