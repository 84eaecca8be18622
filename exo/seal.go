package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
)

// What a message merely shows of a labelled value adds nothing to the run's label: the value stays with the host, and the
// program holds a sealed Value, which is the run's number of it. A guest can forge a number and learns
// nothing by it: its content leaves through a sink that admits its label, or is opened for a message
// whose label is then the run's. The idea is that of the faceted and sealed values of information-flow
// control (Austin and Flanagan 2012; CaMeL 2025), without a second run of the program.

// sealing makes a reply that a guest may have of one that an object gave.
type sealing struct {
	catalog message.Catalog
	open    value.Label // that the run has already: what carries no more is plain
	cells   []content   // what was sealed, by the number that stands in its place
	at      string      // the field that is sealed,
	fields  []string    // and that of each cell: see origins

	calculated bool // some of the cells may be: see Message
}

// value is v, of type t, with a sealed value in the place of each labelled one. A value that is not of its type
// is sealed as a whole: it is not known which parts are labelled.
func (s *sealing) value(t *message.Type, v value.Value) value.Value {
	if !t.Label.FlowsTo(s.open) {
		return s.cell(t, t.Label.Join(s.catalog.Shows(t)), v) // with the tags of a part, too: nobody looks into it again
	}
	i := s.catalog[t.Name]
	if t.Name == value.TypeRows || i != nil && i.Expr || s.catalog.Shows(t).FlowsTo(s.open) {
		return v // the labels of rows within a row are the run's: see makeCall
	}
	switch {
	case v.IsNull() || v.Kind() == value.KindRef: // that a row is not there is no part of a labelled value
		return v
	case v.Kind() == value.KindRows && t.Name == value.TypeList:
		if r := s.rows(t.Args["of"], v.Rows()); r != nil {
			return v.WithRows(r)
		}
	case v.Kind() == value.KindList && t.Name == value.TypeList:
		l := slices.Clone(v.Items())
		for k := range l {
			l[k] = s.value(t.Args["of"], l[k])
		}
		return v.WithItems(l)
	case v.Kind() == value.KindRecord && t.Name != value.TypeList:
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
	return s.cell(t, s.catalog.Shows(t), v)
}

// cell seals v, NULL, too: whether a value is there is a part of the value. Its object may say whose it is, and add labels: with less
// than l it would be a way out.
func (s *sealing) cell(t *message.Type, l value.Label, v value.Value) value.Value {
	l = l.Refined(v.Label()).Join(v.AllLabels())
	return s.put(t, l, content{plain: v.WithLabel(l)})
}

func (s *sealing) put(t *message.Type, l value.Label, c content) value.Value {
	s.cells, s.fields = append(s.cells, c), append(s.fields, s.at)
	return value.NewSealed(uint32(len(s.cells)-1), message.ShownType(s.catalog, t), l)
}

// content is what a sealed value stands for: a value, or how to make a text.
type content struct {
	plain value.Value
	text  *recipe
}

// whole reports whether each labelled field of t is among fs: a missing one would reveal something of it.
func (s *sealing) whole(t *message.Type, fs []value.Field) bool {
	for k := range t.Fields {
		f := &t.Fields[k]
		if !f.Label.FlowsTo(s.open) && !slices.ContainsFunc(fs, func(x value.Field) bool { return x.Name == f.Name }) {
			return false
		}
	}
	return true
}

// rows are r with what is labelled sealed; nil: they are not of the type.
func (s *sealing) rows(of *message.Type, r *value.Rows) *value.Rows {
	if r == nil || r.Shape == nil {
		return nil
	}
	types, ok := s.cellTypes(nil, of, r.Shape)
	if !ok {
		return nil
	}
	names := r.Shape.CellNames(nil)
	out := &value.Rows{Shape: r.Shape, Cells: make([]value.Value, 0, r.Len()*len(types))}
	for row, reader := 0, r.Reader(); row < r.Len(); row++ {
		for k, v := range reader.Cells(row) {
			s.at = names[k]
			out.Cells = append(out.Cells, s.value(types[k], v))
		}
	}
	return out
}

// cellTypes are the types of a row's cells.
func (s *sealing) cellTypes(out []*message.Type, t *message.Type, shape *value.Shape) (_ []*message.Type, ok bool) {
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

// CellLabels returns a label for each cell of a row of this shape, if the rows of the reply are those that the message's receiver shows;
// tags of integrity are left out. A cell whose label doesn't flow to that of the run is sealed: count it without regard to its
// value. nil: nothing is labelled.
func (m *Message) CellLabels(shape *value.Shape) []value.Label {
	row := m.Root.Recv.Type.Args[message.RowArg]
	if shape == nil || row == nil || m.Catalog.Shows(row).Secrecy().Empty() {
		return nil
	}
	s := sealing{catalog: m.Catalog}
	types, ok := s.cellTypes(nil, row, shape)
	labels := make([]value.Label, shape.Width())
	for i := range labels {
		if labels[i] = m.Catalog.Shows(row).Secrecy(); ok {
			labels[i] = m.Catalog.Shows(types[i]).Secrecy()
		}
	}
	return labels
}

// recognize looks each sealed value in v up and joins their labels. A guest that was taken over names cells that it
// was never given, and calls them text, public or what it likes.
func (s *Session) recognize(v value.Value, into *value.Label) error {
	for x := range v.All() {
		l, sealed := x.Sealed()
		if !sealed {
			continue
		}
		s.mu.Lock()
		known := int(x.Number()) < len(s.sealed) && s.sealed[x.Number()].SealedType() == x.SealedType() && s.sealed[x.Number()].Label().Equal(l)
		s.mu.Unlock()
		if !known {
			return fail.Errorf(fail.Denied, "", "no such sealed value")
		}
		*into = into.Join(l)
	}
	return nil
}

// contentsOf is v with the content of each sealed value whose label flows to admits. recognize was asked.
func (s *Session) contentsOf(v value.Value, admits func(value.Label) bool) value.Value {
	return v.Replace(func(x value.Value) (value.Value, bool) {
		l, sealed := x.Sealed()
		if !sealed || !admits(l) {
			return x, false
		}
		s.mu.Lock()
		c := s.contents[x.Number()]
		s.mu.Unlock()
		return s.made(c, l), true
	})
}

// open is a message with the contents of all sealed values in it.
func (s *Session) open(x message.Expr) message.Expr {
	nodes := slices.Clone(x.Nodes)
	for i := range nodes {
		nodes[i].Lit = s.contentsOf(nodes[i].Lit, func(value.Label) bool { return true })
	}
	return message.Expr{Nodes: nodes}
}

// Unseal is the result of the run as it may leave. It opens the sealed values whose labels Config.Admits
// admits; l is the label of those. It fails where the program names one that it was not given.
func (s *Session) Unseal(result value.Value) (v value.Value, l value.Label, err error) {
	if err := s.begun(); err != nil {
		return value.Value{}, value.Label{}, err
	}
	if !result.HoldsSealed() {
		return result, value.Label{}, nil
	}
	if err := s.recognize(result, &l); err != nil {
		return value.Value{}, value.Label{}, err
	}
	var opened value.Label // a value that stays sealed is shown to nobody, so its writer makes nobody wary
	v = s.contentsOf(result, func(of value.Label) bool {
		if !mayLeave(of, s.gate.admits) {
			return false
		}
		opened = opened.Join(of)
		return true
	})
	return v, opened, nil
}

// Reveal makes the object `reveal`: reveal(x) gives what is in a sealed value, or a list or record that holds some, as
// plain data. The run carries the labels of those from then on, so what may not leave then is refused. It grants no more
// than a condition on the value would.
func Reveal() Object { return revealer{} }

type revealer struct{}

// A tool grants the Reveal object as RevealName, unless the host uses that name. RevealInterface names its interface.
const (
	RevealName      = "reveal"
	RevealInterface = "Reveal"
)

func (revealer) Describe() (message.Description, error) {
	m := &message.Method{Name: RevealName, Sends: true,
		Params: []message.Param{{Name: "the value", Want: &message.Term{Con: &message.Type{Name: value.TypeData, Null: true}}}}, Result: &message.Term{Con: &message.Type{Name: value.TypeData, Null: true}}}
	i := &message.Interface{Name: RevealInterface, Call: RevealName, Methods: map[string]*message.Method{RevealName: m}}
	return message.Description{Type: &message.Type{Name: i.Name}, Interfaces: []*message.Interface{i}, Doc: "plain values of sealed ones"}, nil
}

func (revealer) Eval(_ context.Context, m *Message) (value.Value, error) {
	return m.Root.Args[0].Lit, nil
}
