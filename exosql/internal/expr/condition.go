package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file splits a program's condition into parts, and decides which parts may be tried on rows out of scope.

// Conjuncts returns the parts of a condition that must all be true.
func Conjuncts(e Expr) []Expr {
	if k, ok := e.(known); ok {
		e = k.x
	}
	op, ok := e.(Operation)
	if !ok || op.Op != sqlast.And {
		return []Expr{Demanded(e)}
	}
	var out []Expr
	for _, a := range op.Args {
		out = append(out, Conjuncts(a)...)
	}
	return out
}

// Demanded returns the form of a condition for a place where it must be true: there, unknown may replace false. In
// this form = replaces a null-safe comparison with a value that is not null, and an index of PostgreSQL serves =.
func Demanded(e Expr) Expr {
	switch x := e.(type) {
	case known:
		return Demanded(x.x)
	case Among:
		x.Held = true
		return x
	}
	op, ok := e.(Operation)
	if !ok {
		return e
	}
	switch op.Op {
	case sqlast.And, sqlast.Or:
		op.Args = Mapped(op.Args, Demanded)
	case sqlast.Is:
		if v, ok := asArgument(op.Args[1]); ok && v.Kind != value.TypeNull { // comparisons with null have become isNull before this
			op.Op = sqlast.Eq
		}
	}
	return op
}

// Leakproof returns the row that a condition is about, or nil if the condition may not be tried on rows out of scope.
func Leakproof(e Expr) *Row {
	op, x, with := sqlast.Eq, Expr(nil), []Expr(nil)
	switch e := e.(type) {
	case In:
		if e.not {
			return nil
		}
		x, with = e.x, e.list
	case Operation:
		if len(e.Args) == 0 {
			return nil
		}
		op, x, with = e.Op, e.Args[0], e.Args[1:]
	default:
		return nil
	}
	if s, ok := x.(SortKey); ok && !s.Type().Decimal() { // x is a key of the order of a page
		x = s.X
	}
	c, ok := PlainText(x).(Column)
	if !ok || !fence.Leakproof(op, operand(x), Mapped(with, operand)...) {
		return nil
	}
	return c.Row
}

// operand describes the operand e of a condition for package fence.
func operand(e Expr) fence.Operand {
	switch t := PlainText(e).(type) {
	case Column:
		if t.single() {
			return fence.Operand{} // a function compares this column
		}
		return fence.Operand{Column: true, Key: t.Col.Key, UnscopedLookup: t.Col.UnscopedLookup, Optional: t.Row.Optional}
	case Argument:
		return fence.Operand{Value: true}
	}
	return fence.Operand{}
}

// Bare reports whether an expression is just a column, as it is stored.
func Bare(e Expr) bool {
	_, ok := PlainText(e).(Column)
	return ok
}

// Free reports whether rows may be sorted by an expression before their scope is checked.
func Free(e Expr) bool { return operand(e).Free() }

// Identity reports whether a condition compares two columns in the way of a link: see fence.Identity.
func Identity(e Expr) bool {
	op, ok := e.(Operation)
	if !ok || len(op.Args) != 2 {
		return false
	}
	a, ok := KeyColumn(op.Args[0])
	b, ok2 := KeyColumn(op.Args[1])
	return ok && ok2 && fence.Identity(op.Op, operand(a), operand(b), declared(a, b) || declared(b, a))
}

// KeyColumn returns the column that an operand compares in its stored form.
func KeyColumn(e Expr) (Column, bool) {
	switch t := e.(type) {
	case sameText:
		return t.x, true
	case ExactText:
		return t.X, true
	case stored:
		return t.x, true
	case Native:
		c, ok := t.x.(Column)
		return c, ok
	}
	c, ok := e.(Column)
	return c, ok
}

// All returns the condition that all of conds are true.
func All(conds []sqlast.Expr) sqlast.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return Call(sqlast.And, conds...)
}
