package compile

import (
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// The inner query selects the rows in scope. The program's conditions are outside of it, after a fence: see package fence. Engines try the
// conditions of one WHERE in any order. Without a fence an engine could try a program's condition on a row out of scope (TestFence). Leakproof
// conditions may come before the fence. This file puts each condition of a program into the form that it needs.

// require adds a condition of the scope, of a link or of the host.
func (f *from) require(cond sqlast.Expr) {
	f.where = append(f.where, cond)
	f.open = true
}

// fence puts a fence around the sources of f, if something was added since the last fence.
func (f *from) fence() {
	if f.open && !f.c.Open {
		f.enclose()
	}
}

// enclose puts a fence around all sources so far: they become one derived table.
func (f *from) enclose() {
	f.c.fences++
	var inner *from
	f.wrap(func(in *from, sel *sqlast.Select, _ string) []sqlast.Expr {
		inner = in
		fence.Close(sel)
		return nil
	})
	f.fenced = map[*expr.Derived]*from{f.At[f.Rows[0]].Derived: inner}
}

// demand adds a condition of a program, behind a fence or a guard.
func (f *from) demand(cond expr.Expr) {
	if f.asked != nil {
		*f.asked = append(*f.asked, expr.Conjuncts(cond)...)
		return
	}
	for _, c := range expr.Conjuncts(cond) {
		for _, x := range expr.Values(c) {
			if _, here := f.At[x.Row]; here {
				f.Valued = append(f.Valued, x)
			}
		}
		if row := expr.Leakproof(c); row != nil {
			f.admit(c, row)
			continue
		}
		f.fence()
		x := once(f.where, f.guard(func() sqlast.Expr { return c.SQL(&f.From) }))
		if len(f.c.Scans) > 0 { // most rows of a scanned table are in scope, so the engine reads the table whole; x includes the scope and excludes more rows, so x is tried first
			f.where = slices.Insert(f.where, 0, x)
			continue
		}
		f.where = append(f.where, x)
	}
}

// admit adds a leakproof condition on a row. The condition goes inside the fences around that row,
// where an index can serve it.
func (f *from) admit(c expr.Expr, row *expr.Row) {
	if d := f.At[row].Derived; f.fenced[d] != nil {
		f.fenced[d].admit(c, row)
		d.Sel.Where = f.fenced[d].where
		return
	}
	f.where = append(f.where, once(f.where, f.guard(func() sqlast.Expr { return c.SQL(&f.From) })))
}

// once drops the parts of x that are in the list where already, since all conditions of the list must be true.
// So the second bound of a range needs no second guard (see misfit.go in package expr).
func once(where []sqlast.Expr, x sqlast.Expr) sqlast.Expr {
	c, ok := x.(sqlast.Call)
	if !ok || c.Op != sqlast.And {
		return x
	}
	parts := slices.DeleteFunc(slices.Clone(c.Args), func(part sqlast.Expr) bool {
		return slices.ContainsFunc(where, func(w sqlast.Expr) bool {
			before, ok := w.(sqlast.Call)
			return ok && before.Op == sqlast.And && slices.ContainsFunc(before.Args, func(y sqlast.Expr) bool { return reflect.DeepEqual(part, y) })
		})
	})
	if len(parts) == 0 {
		return x
	}
	return expr.All(parts)
}
