package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
)

// A message that merely shows a labelled value adds nothing to the run's label. The value stays with the host, and the program gets a sealed
// Value, which has only a number that the run gave it. A guest that forges such a number learns nothing. The content leaves only through a sink
// that admits its label; if it is opened for another message, the run gets the label. The idea comes from the faceted and sealed values of
// information-flow control (Austin and Flanagan 2012; CaMeL 2025). It needs no second run of the program.

// sealing turns the reply of an object into one that a guest may have.
type sealing struct {
	catalog message.Catalog
	open    value.Label // the label that the run already has; a value is not sealed if its label flows to open
	cells   []content   // the contents of the sealed values, by number
	at      string      // the name of the field that is being sealed
	fields  []string    // the name of the field of each cell, for origins

	calculated bool // the program's own expressions may have made some of the cells from labelled values
}

// value returns v, of type t, with a sealed value in the place of each labelled one. If v is not of type t, it is
// sealed as a whole, since the labelled parts can't be found.
func (s *sealing) value(t *message.Type, v value.Value) value.Value {
	if !t.Label.FlowsTo(s.open) {
		return s.cell(t, t.Label.Join(s.catalog.Shows(t)), v) // the whole value becomes one cell, so its label includes the tags of its parts
	}
	i := s.catalog[t.Name]
	if t.Name == value.TypeRows || i != nil && i.Expr || s.catalog.Shows(t).FlowsTo(s.open) {
		return v // rows within a row are not sealed: message.Checker.makeCall adds their labels to the run's
	}
	switch {
	case v.IsNull() || v.Kind() == value.KindRef: // the label covers the values of a row, not whether the row exists
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

// cell seals v, even if v is NULL, since whether a value is NULL is secret, too. The object may narrow a tag to the readers of the value, and add
// labels. The object can't take labels from l: otherwise it could let the value leave.
func (s *sealing) cell(t *message.Type, l value.Label, v value.Value) value.Value {
	l = l.Refined(v.Label()).Join(v.AllLabels())
	return s.put(t, l, content{plain: v.WithLabel(l)})
}

func (s *sealing) put(t *message.Type, l value.Label, c content) value.Value {
	s.cells, s.fields = append(s.cells, c), append(s.fields, s.at)
	return value.NewSealed(uint32(len(s.cells)-1), message.ShownType(s.catalog, t), l)
}

// content is the content of a sealed value: a value, or the recipe of a text.
type content struct {
	plain value.Value
	text  *recipe
}

// whole reports whether fs has all labelled fields of t. A missing field would reveal something about its value.
func (s *sealing) whole(t *message.Type, fs []value.Field) bool {
	for k := range t.Fields {
		f := &t.Fields[k]
		if !f.Label.FlowsTo(s.open) && !slices.ContainsFunc(fs, func(x value.Field) bool { return x.Name == f.Name }) {
			return false
		}
	}
	return true
}

// rows returns r with each labelled value sealed, or nil if r is not of the type.
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

// cellTypes appends the types of a row's cells to out. ok is false if t does not describe the shape, or labels a nested record as a whole.
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

// CellLabels returns a label for each cell of a row of this shape, without tags of integrity, or nil if nothing is labelled. It is for replies
// with rows of the type of the message's receiver. A cell is sealed if its label doesn't flow to the run's label. An object that counts the
// size of such a cell must not look at its value.
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

// recognize looks up each sealed value in v and joins its label to into. It refuses a cell that the guest was never given,
// or names with another type or label: an attacker may control the guest.
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
			return fail.Errorf(fail.Denied, "", "this program has read no such sealed value: pass one that a call of this program returned")
		}
		*into = into.Join(l)
	}
	return nil
}

// contentsOf returns v with the content of each sealed value that has a label which admits accepts. Call recognize first.
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

// open returns a message with the contents of all sealed values in it.
func (s *Session) open(x message.Expr) message.Expr {
	nodes := slices.Clone(x.Nodes)
	for i := range nodes {
		nodes[i].Lit = s.contentsOf(nodes[i].Lit, func(value.Label) bool { return true })
	}
	return message.Expr{Nodes: nodes}
}

// Unseal returns the result of the run as it may leave. It opens the sealed values with labels that Config.Admits
// admits; l joins these labels. It fails if the program names a sealed value that it was not given.
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
	var opened value.Label // the labels of opened values only: a value that stays sealed is not shown, so its label of integrity adds no warning
	v = s.contentsOf(result, func(of value.Label) bool {
		if !MayLeave(of, s.gate.admits) {
			return false
		}
		opened = opened.Join(of)
		return true
	})
	return v, opened, nil
}

// Reveal makes the object `reveal`: reveal(x) returns the content of a sealed value as plain data. x may also be a list or record with sealed
// values. From then on the run has their labels, and its messages are refused wherever these labels may not leave.
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
