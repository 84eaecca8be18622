package compile

import (
	"errors"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Some tables are best read as a whole, or by a key that a row in scope refers to. Examples are small tables, tables without an index that begins
// with their scope, and the end of a link. The engine then reads rows out of scope. So the statement is compiled once more, with the scope before
// each condition of the program on such a table:
//
//	t0.org = ? AND CASE WHEN t0.org = ? THEN condition ELSE FALSE END
//
// No engine evaluates THEN before WHEN is true, in whatever order it tries the conditions of a WHERE. No index serves a condition in a CASE.
// Outside of a CASE are only the scope and the conditions of the host's links. Columns, orders and counts are evaluated after the WHERE.

// link notes that a link compares two columns, so that package fence can judge open plans.
func (c *compiler) link(fa *from, a *expr.Row, ca *decl.Column, fb *from, b *expr.Row, cb *decl.Column) {
	if !c.Open {
		return
	}
	c.linked = append(c.linked, ca, cb)
	// f.Col notes both rows as read. So a condition about linked rows is guarded by the scope of the row with the link, too
	// (TestLinkGuards).
	names := func(f *from, row *expr.Row, col *decl.Column) []sqlast.Column {
		out := []sqlast.Column{{Alias: row.Alias, Name: col.Name}}
		if x, ok := f.Col(row, col).(sqlast.Column); ok && x != out[0] {
			out = append(out, x)
		}
		return out
	}
	c.links = append(c.links, link{names(fa, a, ca), names(fb, b, cb)})
}

// matches returns the links that compare columns of the table with the given alias.
func (c *compiler) matches(alias string) (out []fence.Match) {
	add := func(a, b []sqlast.Column) {
		if a[0].Alias != alias {
			return
		}
		for _, x := range b {
			if m := (fence.Match{Column: a[0].Name, Alias: x.Alias, Other: x.Name}); !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	for _, l := range c.links {
		add(l.a, l.b)
		add(l.b, l.a)
	}
	return out
}

// guard writes a condition of a program inside CASE WHEN scope THEN, with the scopes of the guarded tables that the condition reads.
func (f *from) guard(write func() sqlast.Expr) sqlast.Expr {
	before := f.c.Touched
	f.c.Touched = nil
	f.c.Conditions++
	x := f.c.Need(true, write)
	f.c.Conditions--
	var within []sqlast.Expr
	for _, row := range f.c.Touched {
		// f does not see a row of a subquery in the condition (exists): the subquery itself has that row's scope and link.
		if !f.Sees(row) {
			continue
		}
		if row.Optional { // where a left join finds no row, the scope fails but the condition may be met (x IS NULL), so no guard is right
			f.c.Unguarded = true
		}
		f.c.Guarding = true
		scope, err := f.scopeOf(row)
		f.c.Guarding = false
		f.c.Unguarded = f.c.Unguarded || err != nil
		within = append(within, scope...)
	}
	f.c.Touched = before
	if len(within) == 0 {
		return x
	}
	return fence.Behind(expr.All(within), x)
}

// guardEach guards each part of a condition that consists of parts that must all be true.
func (f *from) guardEach(cond expr.Expr) (out []sqlast.Expr) {
	for _, c := range expr.Conjuncts(cond) {
		out = append(out, f.guard(func() sqlast.Expr { return c.SQL(&f.From) }))
	}
	return out
}

// scopeOf writes the scope of a row in an open statement: an equality for each column that the scope fixes. A value
// that comes over a link counts only if the row at the link's start exists. On SQLite the equality looks that
// row up. On PostgreSQL an EXISTS looks the row up once. It uses no row of the query, so the plan evaluates the EXISTS as a filter above all tables
// (the gate). fence.JudgePostgres requires that.
func (f *from) scopeOf(row *expr.Row) ([]sqlast.Expr, error) {
	fixed, ok := f.c.FixedOf(row.Entry)
	if !ok {
		return nil, errNotFixed
	}
	var out []sqlast.Expr
	for _, x := range fixed {
		if x.Via == nil || f.c.Dialect == sqlast.Postgres {
			f.c.Satisfying = true
			out = append(out, f.Predicate(x.Pred, row, x.Origin))
			f.c.Satisfying = false
		}
		if x.Via == nil || f.c.Dialect == sqlast.Postgres && f.c.Guarding {
			continue // the statement's gate checks this link's start already
		}
		sub := f.c.newFrom(nil)
		other, err := sub.reaching(*x.Via)
		if err != nil {
			return nil, err
		}
		if f.c.Dialect == sqlast.Postgres {
			row.Gates = append(row.Gates, other.Alias)
			out = append(out, sqlast.Exists{Sub: sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: sqlast.One, As: "k"}}, Where: sub.where})})
			continue
		}
		f.c.Satisfying = true
		theirs, ours := f.Pair(expr.ColumnOf(other, x.Via.Link.Pairs[0].From), expr.ColumnOf(row, x.Col))
		key := sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: expr.Compared(theirs, &sub.From), As: "k"}}, Where: sub.where, Limit: []sqlast.Expr{sqlast.One}})
		out = append(out, expr.Call(sqlast.Eq, expr.Compared(ours, &f.From), sqlast.Scalar{Sub: key}))
		f.c.Satisfying = false
	}
	return out, nil
}

// errNotFixed ends the compilation of an open statement: only the statement with fences runs.
var errNotFixed = errors.New("exosql: the scope names no values by which an index could be searched")
