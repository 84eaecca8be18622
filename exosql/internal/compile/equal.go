package compile

// How a program's conditions, groups and distinct compare a column of texts: by its own equality, be that citext, NOCASE, RTRIM or a
// collation of PostgreSQL that is not deterministic. All texts that are compared with it have to be values of the program, or columns of
// the same equality. Whatever else is compared, and all that decides which rows are in scope, is compared by its characters: see exact.go.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// collations write an expression of SQLite with the collation of a column that it was made of.
var collations = map[string]sqlast.Op{"NOCASE": sqlast.NoCase, "RTRIM": sqlast.RightTrim}

// ownText is a text as the equality of a column compares it: the column itself, or the one column of a subquery.
type ownText struct {
	x  expr
	by decl.Form
}

func (e ownText) Type() Type { return e.x.Type() }

func (e ownText) SQL(f *From) sqlast.Expr {
	c, column := e.x.(Column)
	if !column {
		return e.collated(e.x.(subquery).write(f, func(x expr, sub *From) sqlast.Expr { return ownText{x, e.by}.SQL(sub) }))
	}
	if f.c.dialect == sqlast.SQLite || e.by.Equality.ByType() {
		return f.unindexed(f.col(c.row, c.col), c.row, c.col)
	}
	return c.comparable(f)
}

// collated is what was made of the column: in an expression SQLite forgets a column's collation.
func (e ownText) collated(x sqlast.Expr) sqlast.Expr {
	if op, ok := collations[e.by.Collation]; ok && x != nil {
		return call(op, x)
	}
	return x
}

// loose is x as its column's equality compares it. ok is false where that equality is exact, and where x is no column: such a text is
// compared by its characters.
func (f *From) loose(x expr) (own expr, by decl.Form, ok bool) {
	var col *decl.Column
	switch e := x.(type) {
	case Column:
		col = e.col
	case cell:
		if e.by != nil {
			return cell{row: e.row, col: e.by, of: e.of}, e.like, true
		}
		return x, by, false
	case subquery:
		if col = f.c.queries.Column(f, e); col == nil {
			return x, by, false
		}
	default:
		return x, by, false
	}
	by = f.c.formOf(col)
	ok = f.c.wider(col) && !by.Numbers && (by.Equality == decl.WiderEquality || by.Equality == decl.CaselessType)
	return ownText{x, by}, by, ok
}

// looselyEqual are texts as they are compared by the one equality that all columns among them have.
func (f *From) looselyEqual(args []expr) ([]expr, bool) {
	var of decl.Form
	out := slices.Clone(args)
	for i, a := range args {
		if len(f.columns([]expr{a})) == 0 {
			continue
		}
		own, by, ok := f.loose(a)
		if !ok || of != (decl.Form{}) && (by.Equality != of.Equality || by.Collation != of.Collation) {
			return nil, false
		}
		out[i], of = own, by
	}
	return out, of != decl.Form{}
}

// equally is x such that rows for which it is equal are one group, or one row of distinct.
func (f *From) equally(x expr) expr {
	if own, _, ok := f.loose(x); ok {
		return own
	}
	return f.canonical(x)
}

// canonical is a key such that equal ones are shown alike.
func (f *From) canonical(x expr) expr {
	switch t := x.Type(); {
	case t.kind == value.TypeText && t.native.Ordered:
		return Native{x, false}
	case t.kind == value.TypeText:
		return Text{x}
	case t.decimal() && f.c.dialect == sqlast.SQLite: // 1.0 and 1.00 are two texts
		x = f.bounded(x)
		return Operation{sqlast.Plus, []expr{x, Const(sqlast.Zero)}, Type{kind: t.kind, exact: true, size: x.Type().digits()}}
	}
	return x
}

// canonicalSQL writes a key as it is shown.
func (f *From) canonicalSQL(x expr) sqlast.Expr {
	if _, column := x.(Column); column && f.c.dialect == sqlast.SQLite { // misfits are of one group
		return compared(x, f)
	}
	if _, native := x.(Native); native || x.Type().kind == value.TypeTime && f.c.dialect == sqlast.Postgres {
		return compared(x, f)
	}
	return shown(x, f)
}
