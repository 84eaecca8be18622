package expr

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file has the places where PostgreSQL's own rules differ from those of this module, which are
// the same on both engines.
//
// A text column is compared and shown as text, whatever its type. Otherwise an enum would refuse
// values that it lacks, char(n) would ignore spaces and citext case, and a value that was read
// would not find its row. For text and varchar the cast does nothing, and an index serves. Texts
// are sorted by code points, which an index of another collation does not serve.
//
// A time is compared, sorted and shown in milliseconds, the times of programs, though the column
// may have microseconds. A comparison with a value becomes a range of the column itself, so that an
// index serves. StoredISO declares that a column has no finer times.

// comparablePostgres returns the column x in the form in which = and lists compare it. A column
// with OneOf may be an enum: it is compared only with its own values, and its index serves.
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

// TieBreak returns a key column in an order that only breaks ties, where times need not be cut to
// milliseconds.
func (f *From) TieBreak(row *Row, col *decl.Column) sqlast.Expr {
	if col.Kind == value.TypeTime {
		return f.Col(row, col)
	}
	return sorted(f.KeyOrder(Column{row, col})).SQL(f)
}

// postgres writes an operation that has a form of its own on PostgreSQL. It returns nil for any other operation.
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

// postgresRange compares x, cut to milliseconds, with v, which has no finer part. The cut x is at least v
// exactly if x is at least v, and equals v exactly if x is within the millisecond of v.
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
	return Call(op, x, v) // x and its milliseconds give the same result for < and >=
}

// shownPostgres returns an expression in the form in which a result shows it. The reader of the answer cuts times to milliseconds.
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
