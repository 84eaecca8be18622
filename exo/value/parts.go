package value

// This file walks values within values. All such walks of the module are here.

import (
	"iter"
	"slices"
	"strings"
)

// All yields each value without parts in v, at any depth; if v has no parts, v itself. It yields
// nothing for packed rows, which are plain data without labels.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) { v.all(yield) }
}

func (v Value) all(yield func(Value) bool) bool {
	switch r := v.ref.(type) {
	case []Value:
		for i := range r {
			if !r[i].all(yield) {
				return false
			}
		}
	case []Field:
		for i := range r {
			if !r[i].Value.all(yield) {
				return false
			}
		}
	case *Rows:
		if r == nil {
			return true
		}
		for i := range r.Cells {
			if !r.Cells[i].all(yield) {
				return false
			}
		}
	default:
		return yield(v)
	}
	return true
}

// ChangeInPlace calls f with each value in v that has no parts. Clone v first, since values are shared.
func (v *Value) ChangeInPlace(f func(*Value)) {
	switch r := v.ref.(type) {
	case []Value:
		for i := range r {
			r[i].ChangeInPlace(f)
		}
	case []Field:
		for i := range r {
			r[i].Value.ChangeInPlace(f)
		}
	case *Rows:
		for i := range r.Cells {
			r.Cells[i].ChangeInPlace(f)
		}
	default:
		f(v)
	}
}

// Replace returns v with each value replaced for which f returns true. f gets a value before its
// parts. Parts without a replacement are shared with v.
func (v Value) Replace(f func(Value) (Value, bool)) Value {
	w, _ := v.replace(f)
	return w
}

func (v Value) replace(f func(Value) (Value, bool)) (Value, bool) {
	if w, ok := f(v); ok {
		return w, true
	}
	changed := false
	switch r := v.ref.(type) {
	case []Value:
		v.ref, changed = replaced(r, func(x *Value) bool {
			w, ok := x.replace(f)
			*x = w
			return ok
		})
	case []Field:
		v.ref, changed = replaced(r, func(x *Field) bool {
			w, ok := x.Value.replace(f)
			x.Value = w
			return ok
		})
	case *Rows:
		if r == nil {
			break
		}
		cells, ok := replaced(r.Cells, func(x *Value) bool {
			w, ok := x.replace(f)
			*x = w
			return ok
		})
		if changed = ok; ok {
			c := *r
			c.Cells = cells
			v.ref = &c
		}
	}
	return v, changed
}

// replaced returns list with its items changed by f. It copies the list only if an item changes.
func replaced[T any](list []T, f func(*T) bool) ([]T, bool) {
	changed := false
	for i := range list {
		x := list[i]
		if !f(&x) {
			continue
		}
		if !changed {
			list, changed = slices.Clone(list), true
		}
		list[i] = x
	}
	return list, changed
}

// Clone copies all texts of plain data, since a text that is cut out of a message would keep the whole message in memory.
func (v Value) Clone() Value {
	v.str = strings.Clone(v.str)
	switch r := v.ref.(type) {
	case []Value:
		l := make([]Value, len(r))
		for i, x := range r {
			l[i] = x.Clone()
		}
		v.ref = l
	case []Field:
		l := make([]Field, len(r))
		for i, f := range r {
			l[i] = Field{strings.Clone(f.Name), f.Value.Clone()}
		}
		v.ref = l
	}
	return v
}

// AllLabels joins the labels of v and of everything in it, except sealed values.
func (v Value) AllLabels() Label {
	if v.kind == KindSealed {
		return Label{}
	}
	l := v.label
	switch r := v.ref.(type) {
	case []Value:
		for _, x := range r {
			l = l.Join(x.AllLabels())
		}
	case []Field:
		for _, f := range r {
			l = l.Join(f.Value.AllLabels())
		}
	case *Rows:
		if r != nil { // packed cells have no labels
			for _, c := range r.Cells {
				l = l.Join(c.AllLabels())
			}
		}
	}
	return l
}
