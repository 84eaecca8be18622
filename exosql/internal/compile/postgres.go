package compile

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Where PostgreSQL's own rules differ from the ones that hold on both engines:
//
// A text column is compared and shown as text, whatever type of text it has:
// otherwise an enum refuses values that it does not have, char(n) ignores spaces, citext
// case, and a value that was read would not find its row. For text and varchar
// the cast is nothing, and an index serves. Texts are sorted by code point, which an index
// of another collation does not serve.
//
// A time is compared, sorted and shown in milliseconds, as programs have them;
// the column may hold microseconds. A comparison with a value is written as a
// range of the column itself, so that an index serves. StoredISO says that the column
// holds no finer times.

// comparablePostgres is the column x as it is compared by = and in lists. A
// column with OneOf may be an enum: no other value gets here, and an index on it serves.
func (e colExpr) comparablePostgres(x sqlast.Expr) sqlast.Expr {
	switch {
	case x == nil:
	case e.col.Kind == value.TypeText && (e.col.Enum == nil || !e.typ().native.Text() && !e.typ().native.Ordered):
		return call(sqlast.CastedText, textual(e, x))
	case e.col.Kind == value.TypeTime && !e.col.Iso():
		return call(sqlast.TruncMillis, x)
	case e.single():
		return call(sqlast.FloatExact, x)
	}
	return x
}

// single reports whether the column has PostgreSQL's type real. It is the number that it is written as: beside a double, 0.1 would be
// another one, and no row would have what the program was shown.
func (e colExpr) single() bool { return e.row.form != nil && e.row.form(e.col).Type == "real" }

// tieBreak is a column of a key in an order that only breaks ties: times as they
// are stored are as good as any.
func (f *from) tieBreak(row *occurrence, col *decl.Column) sqlast.Expr {
	if col.Kind == value.TypeTime {
		return f.col(row, col)
	}
	return sorted(f.keyOrder(colExpr{row, col})).sql(f)
}

// postgres is the operation where it is written in a way of its own, or nil.
func (e opExpr) postgres(f *from) sqlast.Expr {
	switch e.op {
	case sqlast.Eq, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge:
	default:
		return nil
	}
	c, ok := e.args[0].(colExpr)
	if !ok || len(e.args) != 2 || !f.c.needed && f.c.guards(c) || c.col.Kind != value.TypeTime || c.col.Iso() {
		return nil
	}
	if v, ok := e.args[1].(argExpr); ok {
		return c.postgresRange(e.op, f.col(c.row, c.col), v.sql(f))
	}
	return nil
}

// postgresRange compares the milliseconds of x with v, which has no finer part,
// in terms of x: they are at least v when x is, and equal to v within a millisecond.
func (e colExpr) postgresRange(op sqlast.Op, x, v sqlast.Expr) sqlast.Expr {
	if x == nil {
		return nil
	}
	next := call(sqlast.NextMillis, v)
	switch op {
	case sqlast.Eq:
		return call(sqlast.And, call(sqlast.Ge, x, v), call(sqlast.Lt, x, next))
	case sqlast.Gt:
		return call(sqlast.Ge, x, next)
	case sqlast.Le:
		return call(sqlast.Lt, x, next)
	}
	return call(op, x, v) // < and >= are the same for x and for its milliseconds
}

// shownPostgres is an expression as a result shows it. A time is cut when it is read.
func shownPostgres(e expr, f *from) sqlast.Expr {
	if s, ok := e.(subquery); ok {
		return s.shown(f)
	}
	write := func() sqlast.Expr { return e.sql(f) }
	x := sqlast.Expr(nil)
	if _, ok := e.(colExpr); ok {
		x = f.unguarded(write)
	} else {
		x = write()
	}
	if c, ok := e.(colExpr); x != nil && (ok && c.col.Kind == value.TypeText || !ok && inItsType(e)) {
		return call(sqlast.CastedText, textual(e, x))
	}
	return x
}
