package exo

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// adopt turns a value that an object returned into one that a guest may hold. Each object is replaced by its number in the reply, and on
// delivery by its number in this run (see number). The objects are wrapped as the receiver was. The labels of all parts join the label of the whole. adopt does not change v
// itself: the object may return the same value to another run.
func (m *Message) adopt(v value.Value, depth int) (value.Value, error) {
	if depth > value.MaxReplyDepth {
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: the object's reply is nested deeper than value.MaxReplyDepth: return flatter values")}
	}
	switch v.Kind() {
	case value.KindNone:
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: Eval returned the zero value.Value, perhaps inside a list or record: value.Float returns that for NaN, and value.Text for NUL or invalid UTF-8; to return nothing, use value.Null()")}
	case value.KindRef:
		return m.adoptObject(v)
	case value.KindList:
		l, label, err := m.adoptAll(v.Items(), v.Label(), depth)
		if err != nil {
			return value.Value{}, err
		}
		v = v.WithItems(l).WithLabel(label)
	case value.KindRecord:
		old, label := v.FieldList(), v.Label()
		fs := make([]value.Field, len(old))
		for i, f := range old {
			x, err := m.adopt(f.Value, depth+1)
			if err != nil {
				return value.Value{}, err
			}
			fs[i] = value.Field{Name: f.Name, Value: x}
			if x.Kind() != value.KindSealed { // a sealed value stays in the host, so its label does not count for the reply
				label = label.Join(x.Label())
			}
		}
		v = v.WithFields(fs).WithLabel(label)
	case value.KindRows:
		r := v.Rows()
		if r != nil && r.Packed() { // packed rows are plain data without labels, as deep as a reply may be
			if _, plain := r.Plain(); !plain && depth > 0 {
				return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: the object's reply is nested deeper than value.MaxReplyDepth: return flatter values")}
			}
			return v, nil
		}
		if r == nil || r.Shape == nil || r.Len()*r.Shape.Width() != len(r.Cells) {
			return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: Eval returned malformed value.Rows: set Shape, and give each row as many cells as the Shape is wide")}
		}
		cells, label, err := m.adoptAll(r.Cells, v.Label(), depth)
		if err != nil {
			return value.Value{}, err
		}
		v = v.WithRows(&value.Rows{Shape: r.Shape, Cells: cells}).WithLabel(label)
	}
	return v, nil
}

// adoptAll adopts the values vs and joins their labels to label. It copies vs only if a value has to change, since a reply may have many rows.
func (m *Message) adoptAll(vs []value.Value, label value.Label, depth int) ([]value.Value, value.Label, error) {
	out := vs
	for i := range vs {
		x := vs[i]
		switch x.Kind() {
		case value.KindNone, value.KindRef, value.KindList, value.KindRecord, value.KindRows:
			y, err := m.adopt(x, depth+1)
			if err != nil {
				return nil, label, err
			}
			if &out[0] == &vs[0] {
				out = append([]value.Value(nil), vs...)
			}
			out[i], x = y, y
		}
		if l := x.Label(); !l.Empty() && x.Kind() != value.KindSealed {
			label = label.Join(l)
		}
	}
	return out, label, nil
}

// adoptObject keeps the object for the reply. The gate checks messages to the object by the gate's own
// catalogue. So the object must agree with the catalogue on every interface that the object brings.
func (m *Message) adoptObject(v value.Value) (value.Value, error) {
	e, catalog, o := m.entry, m.session.gate.catalog, ObjectOf(v)
	if o == nil {
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: Eval returned a reference that holds no exo.Object: make references with value.RefValue")}
	}
	o = m.rewrap(o)
	d, err := o.Describe()
	if err != nil {
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: err}
	}
	if d.Type == nil || catalog[d.Type.Name] == nil {
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: Eval returned an object of type %s, which the Description of the granted object does not list: add its interface to Description.Interfaces", fmt.Sprint(d.Type))}
	}
	for _, i := range d.Interfaces {
		if !m.session.gate.own[i] && !message.SameInterface(i, catalog[i.Name]) {
			return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exo: Eval returned an object that describes the interface %s differently from the granted object: return the same interface from both", i.Name)}
		}
	}
	e.objects, e.types = append(e.objects, o), append(e.types, d.Type)
	return value.NumberedRef(uint32(len(e.objects) - 1)).WithLabel(v.Label()), nil
}

// number gives the objects and the sealed values of a reply their numbers in the run. It is called when the reply is delivered, with s.mu
// held. If a number were valid earlier, a guest could guess it. The guest could then learn which of its calls was faster, or use an object of a
// reply that a budget kept back.
func (s *Session) number(e *pending) {
	if e.reply.Err != nil || len(e.objects) == 0 && (e.shows == nil || len(e.shows.cells) == 0) {
		return
	}
	objects, cells := uint64(len(s.objects)), uint64(len(s.contents))
	s.objects, s.types = append(s.objects, e.objects...), append(s.types, e.types...)
	if e.shows != nil {
		s.origins.add(s, e, cells)
		s.contents = append(s.contents, e.shows.cells...)
		if e.shows.calculated {
			s.calculated = append(s.calculated, [2]uint64{cells, uint64(len(s.contents))})
		}
		s.sealed = slices.Grow(s.sealed, len(e.shows.cells))[:len(s.contents)]
	}
	e.reply.Value.ChangeInPlace(func(x *value.Value) { // the object's own value does not change: adopt has copied each value that holds a reference
		switch x.Kind() {
		case value.KindRef:
			*x = x.Renumbered(uint32(objects) + x.Number())
		case value.KindSealed:
			*x = x.Renumbered(uint32(cells) + x.Number())
			s.sealed[x.Number()] = *x
		}
	})
}
