package expr

// How a program's conditions, groups and distinct compare a column of texts: by its own equality, be that citext, NOCASE, RTRIM or a
// collation of PostgreSQL that is not deterministic. All texts that are compared with it have to be values of the program, or columns of
// the same equality. Whatever else is compared, and all that decides which rows are in scope, is compared by its characters: see exact.go.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Loose is x as its column's equality compares it. ok is false where that equality is exact, and where x is no column: such a text is
// compared by its characters.
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

// looselyEqual are texts as they are compared by the one equality that all columns among them have.
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

// Equally is x such that rows for which it is equal are one group, or one row of distinct.
func (f *From) Equally(x Expr) Expr {
	if own, _, ok := f.Loose(x); ok {
		return own
	}
	return f.Canonical(x)
}

// Canonical is a key such that equal ones are shown alike.
func (f *From) Canonical(x Expr) Expr {
	switch t := x.Type(); {
	case t.Kind == value.TypeText && t.Native.Ordered:
		return Native{x, false}
	case t.Kind == value.TypeText:
		return Text{x}
	case t.Decimal() && f.c.Dialect == sqlast.SQLite: // 1.0 and 1.00 are two texts
		x = f.bounded(x)
		return Operation{sqlast.Plus, []Expr{x, Const(sqlast.Zero)}, Type{Kind: t.Kind, Exact: true, Size: x.Type().digits()}}
	}
	return x
}

// CanonicalSQL writes a key as it is shown.
func (f *From) CanonicalSQL(x Expr) sqlast.Expr {
	if c, column := x.(Column); column && c.single() {
		return x.SQL(f)
	} else if column { // misfits are of one group
		return Compared(x, f)
	}
	if _, native := x.(Native); native || x.Type().Kind == value.TypeTime && f.c.Dialect == sqlast.Postgres {
		return Compared(x, f)
	}
	return Shown(x, f)
}
