package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
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

// enclose makes one source of everything so far, and a fence of that.
func (f *from) enclose() {
	f.c.fences++
	f.wrap(func(_ *from, sel *sqlast.Select, _ string) []sqlast.Expr {
		fence.Close(sel)
		return nil
	})
	f.at[f.rows[0]].derived.fence = true
}

// demand adds a condition of a program.
func (f *from) demand(cond expr) {
	if f.asked != nil {
		*f.asked = append(*f.asked, conjuncts(cond)...)
		return
	}
	for _, c := range conjuncts(cond) {
		for _, x := range values(c) {
			if _, here := f.at[x.row]; here {
				f.valued = append(f.valued, x)
			}
		}
		if row := leakproof(c); row != nil {
			f.admit(c, row)
			continue
		}
		f.fence()
		x := f.guard(func() sqlast.Expr { return c.sql(f) })
		if len(f.c.Scans) > 0 { // most rows are in scope, and it is in the guard: what fewer rows meet comes first
			f.where = slices.Insert(f.where, 0, x)
			continue
		}
		f.where = append(f.where, x)
	}
}

// admit adds a leakproof condition on a row within the fences that it is behind:
// there an index can serve it.
func (f *from) admit(c expr, row *occurrence) {
	if p, here := f.at[row]; here && p.derived != nil && p.derived.fence {
		p.derived.inner.admit(c, row)
		p.derived.sel.Where = p.derived.inner.where
		return
	}
	f.where = append(f.where, f.guard(func() sqlast.Expr { return c.sql(f) }))
}

// conjuncts are the parts of a condition of which all have to hold.
func conjuncts(e expr) []expr {
	if k, ok := e.(known); ok {
		e = k.x
	}
	op, ok := e.(opExpr)
	if !ok || op.op != sqlast.And {
		return []expr{demanded(e)}
	}
	var out []expr
	for _, a := range op.args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

// demanded is a condition that has to hold: unknown is as good as false. So = does for a
// null-safe comparison with a value that is not null, and an index of PostgreSQL serves it.
func demanded(e expr) expr {
	switch x := e.(type) {
	case known:
		return demanded(x.x)
	case amongExpr:
		x.held = true
		return x
	}
	op, ok := e.(opExpr)
	if !ok {
		return e
	}
	switch op.op {
	case sqlast.And, sqlast.Or:
		op.args = mapped(op.args, demanded)
	case sqlast.Is:
		if v, ok := asArgument(op.args[1]); ok && v.kind != value.TypeNull { // one that is null has become isNull already
			op.op = sqlast.Eq
		}
	}
	return op
}

// leakproof gives the row of a condition that may be tried on rows out of scope, or nil.
func leakproof(e expr) *occurrence {
	op, x, with := sqlast.Eq, expr(nil), []expr(nil)
	switch e := e.(type) {
	case inExpr:
		if e.not {
			return nil
		}
		x, with = e.x, e.list
	case opExpr:
		if len(e.args) == 0 {
			return nil
		}
		op, x, with = e.op, e.args[0], e.args[1:]
	default:
		return nil
	}
	if s, ok := x.(sortExpr); ok && !s.typ().decimal() { // of a page
		x = s.x
	}
	c, ok := plainText(x).(colExpr)
	if !ok || !fence.Leakproof(op, operand(x), mapped(with, operand)...) {
		return nil
	}
	return c.row
}

// operand is what an expression is as a side of a condition.
func operand(e expr) fence.Operand {
	switch t := plainText(e).(type) {
	case colExpr:
		if t.single() {
			return fence.Operand{} // it is compared by a function
		}
		return fence.Operand{Column: true, Key: t.col.Key, Indexed: t.col.Indexed, Optional: t.row.optional}
	case argExpr:
		return fence.Operand{Value: true}
	}
	return fence.Operand{}
}

func plainText(e expr) expr {
	switch t := e.(type) {
	case textExpr:
		return t.x
	case nativeExpr:
		return t.x
	case ownText:
		return t.x
	}
	return e
}

// bare reports whether an expression is a column as it is stored.
func bare(e expr) bool {
	_, ok := plainText(e).(colExpr)
	return ok
}

// free reports whether rows may be sorted by an expression before their scope is looked at.
func free(e expr) bool { return operand(e).Free() }

// identity reports whether a condition compares two columns that a link could.
func identity(e expr) bool {
	op, ok := e.(opExpr)
	if !ok || len(op.args) != 2 {
		return false
	}
	a, ok := keyColumn(op.args[0])
	b, ok2 := keyColumn(op.args[1])
	return ok && ok2 && fence.Identity(op.op, operand(a), operand(b), declared(a, b) || declared(b, a))
}

// keyColumn is the column that an operand compares as it is stored.
func keyColumn(e expr) (colExpr, bool) {
	switch t := e.(type) {
	case sameText:
		return t.x, true
	case exactText:
		return t.x, true
	case stored:
		return t.x, true
	case nativeExpr:
		c, ok := t.x.(colExpr)
		return c, ok
	}
	c, ok := e.(colExpr)
	return c, ok
}

func declared(a, b colExpr) bool {
	if a.row.facet == nil {
		return false
	}
	for _, m := range a.row.facet.Links {
		for _, p := range m.L.Pairs {
			if p.From == a.col && p.To == b.col {
				return true
			}
		}
	}
	return false
}

// guarded is what a program demands of a row that may be missing, for the ON of its
// join, where no fence can stand: an engine does not enter THEN before WHEN holds.
// implied is the link if it says all that the scope would.
func (f *from) guarded(row *occurrence, asked []expr, implied []sqlast.Expr) ([]sqlast.Expr, error) {
	var out, behind []sqlast.Expr
	for _, c := range asked {
		if x := f.guard(func() sqlast.Expr { return c.sql(f) }); leakproof(c) != nil {
			out = append(out, x)
		} else {
			behind = append(behind, x)
		}
	}
	if len(behind) == 0 || f.c.Open {
		return append(out, behind...), nil
	}
	f.c.fences++
	within := implied
	if f.open && len(implied) == 0 { // its table stands here as it is: in full, since what would imply its scope stands beside this
		n := len(f.where)
		e, err := row.grant.Enter(row.table, nil, nil)
		if err == nil {
			err = f.satisfy(row, e.Conditions())
		}
		if err != nil {
			return nil, err
		}
		within = append(within, f.where[n:]...)
		f.where = f.where[:n:n]
	}
	if len(within) == 0 {
		return append(out, behind...), nil
	}
	return append(out, fence.Behind(call(sqlast.And, within...), call(sqlast.And, behind...))), nil
}
