package guest

// This file makes Decimals from numbers in replies, and applies operators in functions that record nothing: exactly with Decimals, and not
// with the texts of times.

import (
	"cmp"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// A text in a reply becomes a Decimal only if the type of the call is decimal or int: "12" of a text column stays a text. A whole number
// beyond 2^53 always becomes a Decimal.

// shown returns the type of the values if t is the type of an expression, else t.
func (r *Guest) shown(t *message.Type) *message.Type {
	if t != nil {
		if i := r.Check.Catalog[t.Name]; i != nil && i.Expr && t.Args["of"] != nil {
			return t.Args["of"]
		}
	}
	return t
}

// elementType returns the type of a list's items, or of a link's rows. It returns nil for an unknown type.
func (r *Guest) elementType(t *message.Type) *message.Type {
	if t = r.shown(t); t == nil {
		return nil
	}
	return cmp.Or(t.Args["one"], t.Args["of"])
}

// fieldType returns the type of a record's field. It returns nil for an unknown type.
func (r *Guest) fieldType(t *message.Type, name string) *message.Type {
	if t = r.shown(t); t == nil {
		return nil
	}
	if t.Args["one"] != nil { // a link to at most one row
		t = t.Args["one"]
	}
	return r.Check.Catalog.FieldType(t, name)
}

// cellTypes appends the types of the cells of a row, with those of nested rows, to the slice types.
func (r *Guest) cellTypes(s *value.Shape, of *message.Type, types []*message.Type) []*message.Type {
	if s == nil {
		return nil
	}
	for i, n := range s.Names {
		if sub := s.Sub(i); sub != nil {
			types = r.cellTypes(sub, r.fieldType(of, n), types)
		} else {
			types = append(types, r.fieldType(of, n))
		}
	}
	return types
}

// watch notes whether a reply of a type can have Decimals, or texts of times or of lengths of time.
func (r *Guest) watch(t *message.Type, depth int) {
	if t = r.shown(t); t == nil || depth > 16 {
		return
	}
	switch t.Name {
	case value.TypeDecimal:
		r.ChecksOperands = true
	case value.TypeTime, value.TypeDate:
		r.ChecksOperands, r.ReadsTimes = true, true
	case value.TypeInterval:
		r.ChecksOperands, r.ReadsLengths = true, true
	}
	if i := r.Check.Catalog[t.Name]; i != nil && !i.Expr && !r.watched[t.Name] {
		if r.watched == nil {
			r.watched = map[string]bool{}
		}
		r.watched[t.Name] = true
		for _, f := range i.Fields {
			r.watch(f.Type, depth+1)
		}
	}
	for _, f := range t.Fields {
		r.watch(f.Type, depth+1)
	}
	r.watch(t.Args["of"], depth+1)
	r.watch(t.Args["one"], depth+1)
}

// exactly makes the program check operands from now on, if a reply has Decimals or texts of times.
func (r *Guest) exactly(v value.Value, of *message.Type) {
	r.watch(of, 0)
	r.ChecksOperands = r.ChecksOperands || v.Wide()
	if r.ChecksOperands && r.calculates != nil {
		r.thunk(r.calculates)
		r.calculates = nil
	}
}

// calculate applies an operator in a function that records nothing.
func (r *Guest) calculate(op string, a, b goja.Value) goja.Value {
	r.RefuseDates(op, a, b)
	a, b = r.Primitives(op, a, b)
	for _, v := range []goja.Value{a, b} {
		if x, recorded := v.(*Opaque); recorded {
			panic(x.refuse()) // the engine would call a method of only one operand, so the other could not throw
		}
	}
	if b != nil {
		if v := r.Numbers(op, a, b); v != nil {
			return v
		}
	}
	r.RefuseTimes(op, a, b)
	if v := r.Calculate(op, a, b, r.plain); v != nil {
		return v
	}
	if op == "case" || op == "Number" {
		return a
	} else if b == nil {
		return r.plain(op, a)
	}
	return r.plain(op, a, b)
}

// target is the member that an operator assigns to. As in JavaScript, the object and the name are evaluated once, and the member is read
// before the other operand is evaluated.
type target struct {
	*goja.Object
	of, name, was goja.Value
}
