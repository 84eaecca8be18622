package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Where PostgreSQL's own rules differ from the rules that are the same on both engines:
//
// A text column is compared and shown as text, whatever its type: otherwise an enum would
// refuse values that it does not have, char(n) would ignore spaces and citext case, and a value
// that was read would not find its row. For text and varchar the cast does nothing, and an
// index serves. Texts are sorted by code point, which an index of another collation does not
// serve.
//
// A time is compared, sorted and shown in milliseconds, as programs have times; the column may
// have microseconds. A comparison with a value is written as a range of the column itself, so
// that an index serves. StoredISO declares that the column has no finer times.

// comparablePostgres returns the column x as = and lists compare it. A column with OneOf may be
// an enum: only its own values are compared with it, and an index on it serves.
func (e Column) comparablePostgres(x sqlast.Expr) sqlast.Expr {
	switch {
	case x == nil:
	case e.Col.Kind == value.TypeText && (e.Col.Enum == nil || !e.Type().Native.Text() && !e.Type().Native.Ordered):
		return Call(sqlast.CastedText, textual(e, x))
	case e.Col.Kind == value.TypeTime && !e.Col.Iso():
		return Call(sqlast.TruncMillis, x)
	case e.single():
		return Call(sqlast.FloatExact, x)
	}
	return x
}

// TieBreak returns a column of a key in an order that only breaks ties: stored times are good
// enough.
func (f *From) TieBreak(row *Row, col *decl.Column) sqlast.Expr {
	if col.Kind == value.TypeTime {
		return f.Col(row, col)
	}
	return sorted(f.KeyOrder(Column{row, col})).SQL(f)
}

// postgres writes an operation that needs a form of its own on PostgreSQL; nil for others.
func (e Operation) postgres(f *From) sqlast.Expr {
	switch e.Op {
	case sqlast.Eq, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge:
	default:
		return nil
	}
	c, ok := e.Args[0].(Column)
	if !ok || len(e.Args) != 2 || !f.c.Needed && f.c.Misfits(c) || c.Col.Kind != value.TypeTime || c.Col.Iso() {
		return nil
	}
	if v, ok := e.Args[1].(Argument); ok {
		return c.postgresRange(e.Op, f.Col(c.Row, c.Col), v.SQL(f))
	}
	return nil
}

// postgresRange compares the milliseconds of x with v, which has no finer part, in terms of x:
// they are at least v if x is, and equal to v if x is within the millisecond.
func (e Column) postgresRange(op sqlast.Op, x, v sqlast.Expr) sqlast.Expr {
	if x == nil {
		return nil
	}
	next := Call(sqlast.NextMillis, v)
	switch op {
	case sqlast.Eq:
		return Call(sqlast.And, Call(sqlast.Ge, x, v), Call(sqlast.Lt, x, next))
	case sqlast.Gt:
		return Call(sqlast.Ge, x, next)
	case sqlast.Le:
		return Call(sqlast.Lt, x, next)
	}
	return Call(op, x, v) // < and >= are the same for x as for its milliseconds
}

// shownPostgres returns an expression as a result shows it. Times are cut to milliseconds when they are read.
func shownPostgres(e Expr, f *From) sqlast.Expr {
	if s, ok := e.(Subquery); ok {
		return s.shown(f)
	}
	write := func() sqlast.Expr { return e.SQL(f) }
	x := sqlast.Expr(nil)
	if _, ok := e.(Column); ok {
		x = f.unguarded(write)
	} else {
		x = write()
	}
	if c, ok := e.(Column); x != nil && (ok && c.Col.Kind == value.TypeText || !ok && inItsType(e)) {
		return Call(sqlast.CastedText, textual(e, x))
	}
	return x
}
