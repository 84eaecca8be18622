package exosql

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// expr is an expression over rows. It becomes SQL when it is known in which
// from it is used.
type expr interface{ sql(f *from) sqlast.Expr }

type colExpr struct {
	row *occurrence
	col *column
}

func (e colExpr) sql(f *from) sqlast.Expr { return f.col(e.row, e.col) }

// comparable is the column as it can be compared and sorted: times on SQLite
// may be stored in many forms, so they are normalised unless declared ISO.
func (e colExpr) comparable(f *from) sqlast.Expr {
	x := f.col(e.row, e.col)
	if f.c.dialect == sqlast.Postgres {
		return e.comparablePostgres(x)
	}
	if e.col.kind == exo.TypeTime && !e.col.iso && f.c.dialect == sqlast.SQLite && x != nil {
		return sqlast.Call{Op: sqlast.StrftimeMillis, Args: []sqlast.Expr{x}}
	}
	return x
}

type argExpr struct{ x sqlast.Expr }

func (e argExpr) sql(*from) sqlast.Expr { return e.x }

type opExpr struct {
	op   sqlast.Op
	args []expr
}

func (e opExpr) sql(f *from) sqlast.Expr {
	if f.c.dialect == sqlast.Postgres {
		if x := e.postgres(f); x != nil {
			return x
		}
	}
	c := sqlast.Call{Op: e.op}
	for _, a := range e.args {
		x := compared(a, f)
		if e.op == sqlast.IsNull || e.op == sqlast.IsNotNull {
			x = a.sql(f) // as it is stored: normalising would hide an index, and call an unreadable time null
		}
		c.Args = append(c.Args, x)
	}
	return c
}

type inExpr struct {
	x    expr
	list []expr
}

func (e inExpr) sql(f *from) sqlast.Expr {
	in := sqlast.In{X: compared(e.x, f)}
	for _, a := range e.list {
		in.List = append(in.List, compared(a, f))
	}
	return in
}

// shown is an expression as a result shows it: a time exactly as it is compared,
// or a time that was read would not find the row that it came from. What can't be
// read as a time stays as it is, to be reported and not to pass for NULL.
func shown(e expr, f *from) sqlast.Expr {
	if f.c.dialect == sqlast.Postgres {
		return shownPostgres(e, f)
	}
	x := compared(e, f)
	if c, ok := x.(sqlast.Call); ok && c.Op == sqlast.StrftimeMillis {
		return sqlast.Call{Op: sqlast.Coalesce, Args: []sqlast.Expr{x, c.Args[0]}}
	}
	return x
}

// sortExpr is an expression that is sorted by. A condition is negated twice:
// SQLite makes the constant of one that can't hold, like in([]), and takes a
// number that stands alone in ORDER BY for that of an output.
type sortExpr struct{ x expr }

func (e sortExpr) sql(f *from) sqlast.Expr {
	if c, ok := e.x.(colExpr); ok {
		return c.ordered(f)
	}
	x := compared(e.x, f)
	if x == nil {
		return x
	}
	return sqlast.Call{Op: sqlast.Not, Args: []sqlast.Expr{sqlast.Call{Op: sqlast.Not, Args: []sqlast.Expr{x}}}}
}

func compared(e expr, f *from) sqlast.Expr {
	if c, ok := e.(colExpr); ok {
		return c.comparable(f)
	}
	return e.sql(f)
}

// predicate makes the SQL of a lifted predicate for one row. args says whose
// arguments its values are.
func (f *from) predicate(p *pred, row *occurrence, args argOrigin) sqlast.Expr {
	if p == nil {
		return sqlast.False // the zero predicate
	}
	switch p.op {
	case "all":
		return sqlast.True
	case "and", "or", "not":
		if len(p.subs) == 0 {
			return sqlast.False
		}
		c := sqlast.Call{Op: operatorByName[p.op].ast}
		for _, s := range p.subs {
			c.Args = append(c.Args, f.predicate(s, row, args))
		}
		return c
	}
	x := colExpr{row, p.col}
	var vals []expr
	for i := range p.vals {
		vals = append(vals, argExpr{f.c.arg(argSource{origin: args, index: p.slot + i, item: -1})})
	}
	if p.op == "in" {
		return inExpr{x, vals}.sql(f)
	}
	return opExpr{operatorByName[p.op].ast, append([]expr{x}, vals...)}.sql(f)
}

// argOrigin says whose arguments a placeholder takes its value from: those of
// the message, or those of grant number n of the message.
type argOrigin int

const fromMessage argOrigin = -1

// argSource is where the value of one placeholder comes from.
type argSource struct {
	origin argOrigin
	index  int
	item   int  // of a list, or -1
	count  bool // a limit or offset: must not be negative
}

func (c *compiler) arg(s argSource) sqlast.Expr {
	c.slots = append(c.slots, s)
	return sqlast.Arg{Slot: len(c.slots) - 1}
}
