package compile

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file says what a condition of a program is: of which parts, and whether it may be tried on rows out of scope.

// conjuncts are the parts of a condition of which all have to hold.
func conjuncts(e expr) []expr {
	if k, ok := e.(known); ok {
		e = k.x
	}
	op, ok := e.(Operation)
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
	case Among:
		x.held = true
		return x
	}
	op, ok := e.(Operation)
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
	case In:
		if e.not {
			return nil
		}
		x, with = e.x, e.list
	case Operation:
		if len(e.args) == 0 {
			return nil
		}
		op, x, with = e.op, e.args[0], e.args[1:]
	default:
		return nil
	}
	c, ok := plainText(x).(Column)
	if !ok || !fence.Leakproof(op, operand(x), mapped(with, operand)...) {
		return nil
	}
	return c.row
}

// operand is what an expression is as a side of a condition.
func operand(e expr) fence.Operand {
	switch t := plainText(e).(type) {
	case Column:
		if t.single() {
			return fence.Operand{} // it is compared by a function
		}
		return fence.Operand{Column: true, Key: t.col.Key, Indexed: t.col.Indexed, Optional: t.row.optional}
	case Argument:
		return fence.Operand{Value: true}
	}
	return fence.Operand{}
}

func plainText(e expr) expr {
	switch t := e.(type) {
	case Text:
		return t.x
	case Native:
		return t.x
	case ownText:
		return t.x
	}
	return e
}

// bare reports whether an expression is a column as it is stored.
func bare(e expr) bool {
	_, ok := plainText(e).(Column)
	return ok
}

// free reports whether rows may be sorted by an expression before their scope is looked at.
func free(e expr) bool { return operand(e).Free() }

// identity reports whether a condition compares two columns that a link could.
func identity(e expr) bool {
	op, ok := e.(Operation)
	if !ok || len(op.args) != 2 {
		return false
	}
	a, ok := keyColumn(op.args[0])
	b, ok2 := keyColumn(op.args[1])
	return ok && ok2 && fence.Identity(op.op, operand(a), operand(b), declared(a, b) || declared(b, a))
}

// keyColumn is the column that an operand compares as it is stored.
func keyColumn(e expr) (Column, bool) {
	switch t := e.(type) {
	case sameText:
		return t.x, true
	case exactText:
		return t.x, true
	case stored:
		return t.x, true
	case Native:
		c, ok := t.x.(Column)
		return c, ok
	}
	c, ok := e.(Column)
	return c, ok
}

func declared(a, b Column) bool {
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

func all(conds []sqlast.Expr) sqlast.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return call(sqlast.And, conds...)
}
