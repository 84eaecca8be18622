package exo

import "slices"

// What a message merely shows of a labelled value adds nothing to the run's label: the value stays with the host, and the
// program holds a sealed Value, which is the run's number of it. A guest can forge a number and learns
// nothing by it: its content leaves through a sink that admits its label, or is opened for a message
// whose label is then the run's. The idea is that of the faceted and sealed values of information-flow
// control (Austin and Flanagan 2012; CaMeL 2025), without a second run of the program.

// sealing makes a reply that a guest may have of one that an object gave.
type sealing struct {
	catalog Catalog
	open    Label     // that the run has already: what carries no more is plain
	cells   []content // what was sealed, by the number that stands in its place
	at      string    // the field that is sealed,
	fields  []string  // and that of each cell: see origins

	calculated bool // some of the cells may be: see Message
}

// value is v, of type t, with a sealed value in the place of each labelled one. What is not as its type says is
// sealed as a whole: nobody knows what in it is labelled.
func (s *sealing) value(t *Type, v Value) Value {
	if !t.Label.FlowsTo(s.open) {
		return s.cell(t, t.Label.Join(s.catalog.shows(t)), v) // with the tags of a part, too: nobody looks into it again
	}
	i := s.catalog[t.Name]
	if t.Name == TypeRows || i != nil && i.Expr || s.catalog.shows(t).FlowsTo(s.open) {
		return v // the labels of rows within a row are the run's: see makeCall
	}
	switch {
	case v.IsNull() || v.Kind() == kindRef: // that a row is not there is no part of a labelled value
		return v
	case v.Kind() == kindRows && t.Name == TypeList:
		if r := s.rows(t.Args["of"], v.Rows()); r != nil {
			return v.WithRows(r)
		}
	case v.Kind() == kindList && t.Name == TypeList:
		l := slices.Clone(v.Items())
		for k := range l {
			l[k] = s.value(t.Args["of"], l[k])
		}
		return v.WithItems(l)
	case v.Kind() == kindRecord && t.Name != TypeList:
		fs := slices.Clone(v.FieldList())
		known := s.whole(t, fs)
		for k, f := range fs {
			of := s.catalog.FieldType(t, f.Name)
			if known = known && of != nil; !known {
				break
			}
			s.at = f.Name
			fs[k].Value = s.value(of, f.Value)
		}
		if known {
			return v.WithFields(fs)
		}
	}
	return s.cell(t, s.catalog.shows(t), v)
}

// cell seals v, NULL, too: whether a value is there is a part of the value. Its object may say whose it is, and add labels: with less
// than l it would be a way out.
func (s *sealing) cell(t *Type, l Label, v Value) Value {
	l = l.Refined(v.Label()).Join(v.AllLabels())
	return s.put(t, l, content{plain: v.WithLabel(l)})
}

func (s *sealing) put(t *Type, l Label, c content) Value {
	s.cells, s.fields = append(s.cells, c), append(s.fields, s.at)
	return NewSealed(uint32(len(s.cells)-1), shownType(s.catalog, t), l)
}

// content is what a sealed value stands for: a value, or how to make a text.
type content struct {
	plain Value
	text  *recipe
}

// whole reports whether each labelled field of t is among fs: that one is left out would tell of it.
func (s *sealing) whole(t *Type, fs []Field) bool {
	for k := range t.Fields {
		f := &t.Fields[k]
		if !f.Label.FlowsTo(s.open) && !slices.ContainsFunc(fs, func(x Field) bool { return x.Name == f.Name }) {
			return false
		}
	}
	return true
}

// rows are r with what is labelled sealed; nil: they are not of the type.
func (s *sealing) rows(of *Type, r *Rows) *Rows {
	if r == nil || r.Shape == nil {
		return nil
	}
	types, ok := s.cellTypes(nil, of, r.Shape)
	if !ok {
		return nil
	}
	names := r.Shape.CellNames(nil)
	out := &Rows{Shape: r.Shape, Cells: make([]Value, 0, r.Len()*len(types))}
	for row, reader := 0, r.Reader(); row < r.Len(); row++ {
		for k, v := range reader.Cells(row) {
			s.at = names[k]
			out.Cells = append(out.Cells, s.value(types[k], v))
		}
	}
	return out
}

// cellTypes are the types of a row's cells.
func (s *sealing) cellTypes(out []*Type, t *Type, shape *Shape) (_ []*Type, ok bool) {
	for i, name := range shape.Names {
		of, sub := s.catalog.FieldType(t, name), shape.Sub(i)
		if of == nil || sub != nil && !of.Label.Secrecy().Empty() {
			return nil, false
		}
		if sub != nil {
			if out, ok = s.cellTypes(out, of, sub); !ok {
				return nil, false
			}
			continue
		}
		out = append(out, of)
	}
	return out, true
}

// Shown are the labels of the cells of a row of this shape, one for each, where a row of the reply is one of what the message's
// receiver shows, without tags of integrity. What doesn't flow to the label of the run is sealed: whoever reads it counts it without
// regard to what it holds. nil: nothing is labelled.
func (m *Message) Shown(shape *Shape) []Label {
	row := m.Root.Recv.Type.Args[rowArg]
	if shape == nil || row == nil || m.Catalog.shows(row).Secrecy().Empty() {
		return nil
	}
	s := sealing{catalog: m.Catalog}
	types, ok := s.cellTypes(nil, row, shape)
	labels := make([]Label, shape.Width())
	for i := range labels {
		if labels[i] = m.Catalog.shows(row).Secrecy(); ok {
			labels[i] = m.Catalog.shows(types[i]).Secrecy()
		}
	}
	return labels
}
