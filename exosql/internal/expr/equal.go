package expr

// This file compares text columns in a program's conditions, groups and distinct. Compared with a program's value, or with a
// column of the same equality, a column uses its own equality (citext, NOCASE, RTRIM, a nondeterministic collation). All else,
// and everything that decides which rows are in scope, is compared by characters: see exact.go.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Loose returns x in the form that its column's equality compares. ok is false if that equality is
// exact, or if x is no column: then x is compared by its characters.
func (f *From) Loose(x Expr) (own Expr, by decl.Form, ok bool) {
	var col *decl.Column
	switch e := x.(type) {
	case Column:
		col = e.Col
	case Cell:
		if e.By != nil {
			return Cell{Row: e.Row, Col: e.By, Of: e.Of}, e.Like, true
		}
		return x, by, false
	case Subquery:
		if col = f.c.Queries.Column(f, e); col == nil {
			return x, by, false
		}
	default:
		return x, by, false
	}
	by = f.c.FormOf(col)
	ok = f.c.Wider(col) && !by.Numbers && (by.Equality == decl.WiderEquality || by.Equality == decl.CaselessType)
	return ownText{x, by}, by, ok
}

// looselyEqual returns texts in the form that their columns' equality compares, if all columns among them have the same equality.
func (f *From) looselyEqual(args []Expr) ([]Expr, bool) {
	var of decl.Form
	out := slices.Clone(args)
	for i, a := range args {
		if len(f.columns([]Expr{a})) == 0 {
			continue
		}
		own, by, ok := f.Loose(a)
		if !ok || of != (decl.Form{}) && (by.Equality != of.Equality || by.Collation != of.Collation) {
			return nil, false
		}
		out[i], of = own, by
	}
	return out, of != decl.Form{}
}

// Equally converts x so that GROUP BY and DISTINCT treat two values as the same exactly if they are equal for the column of x.
func (f *From) Equally(x Expr) Expr {
	if own, _, ok := f.Loose(x); ok {
		return own
	}
	return f.Canonical(x)
}

// Canonical returns a key in a form in which equal keys are written alike.
func (f *From) Canonical(x Expr) Expr {
	switch t := x.Type(); {
	case t.Kind == value.TypeText && t.Native.Ordered:
		return Native{x, false}
	case t.Kind == value.TypeText:
		return Text{x}
	case t.Decimal() && f.c.Dialect == sqlast.SQLite: // 1.0 and 1.00 are two texts of one number
		x = f.bounded(x)
		return Operation{sqlast.Plus, []Expr{x, Const(sqlast.Zero)}, Type{Kind: t.Kind, Exact: true, Size: x.Type().digits()}}
	}
	return x
}

// CanonicalSQL writes a key in the form of Canonical.
func (f *From) CanonicalSQL(x Expr) sqlast.Expr {
	if c, column := x.(Column); column && c.single() {
		return x.SQL(f)
	} else if column { // all misfits (see misfit.go) are in one group
		return Compared(x, f)
	}
	if _, native := x.(Native); native || x.Type().Kind == value.TypeTime && f.c.Dialect == sqlast.Postgres {
		return Compared(x, f)
	}
	return Shown(x, f)
}
