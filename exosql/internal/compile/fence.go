package compile

import (
	"reflect"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// The inner query selects the rows in scope; the program's conditions are outside it, behind a fence: see package fence. An engine
// takes the conditions of one WHERE in any order: it would try a program's condition on a row that its scope refuses a moment later
// (TestFence). What is leakproof may go first. This file puts each condition of a program into the form that it needs.

// require adds a condition of the scope, of a link or of the host.
func (f *from) require(cond sqlast.Expr) {
	f.where = append(f.where, cond)
	f.open = true
}

// fence closes what is in f so far, if something came since the last fence.
func (f *from) fence() {
	if f.open && !f.c.Open {
		f.enclose()
	}
}

// enclose makes one derived table of all sources so far, and that is a fence.
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

// demand adds a condition of a program.
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
		if len(f.c.Scans) > 0 { // such a table is read whole, as most of its rows are in scope: x, with the scope in it, excludes more rows and is tried first
			f.where = slices.Insert(f.where, 0, x)
			continue
		}
		f.where = append(f.where, x)
	}
}

// admit adds a leakproof condition on a row within the fences that it is behind:
// there an index can serve it.
func (f *from) admit(c expr.Expr, row *expr.Row) {
	if d := f.At[row].Derived; f.fenced[d] != nil {
		f.fenced[d].admit(c, row)
		d.Sel.Where = f.fenced[d].where
		return
	}
	f.where = append(f.where, once(f.where, f.guard(func() sqlast.Expr { return c.SQL(&f.From) })))
}

// once drops the parts of x that a condition in where has already, since all in where must hold. The second bound of a range
// needs no second guard of its column: see misfit.go in package expr.
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
