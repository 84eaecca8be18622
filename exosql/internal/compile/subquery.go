package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// ask interprets a node of a callback that asks about linked rows. It uses a trial, which yields only the node's type and errors.
func (f *from) ask(n *message.Node, env expr.Names) (expr.Expr, error) {
	trial, at := f.c.trial(&f.From)
	_, of, err := trial.subquery(at, n, env, expr.Expr.SQL)
	f.c.steps = trial.steps
	if err == nil {
		err = trial.Failed
	}
	return expr.Subquery{N: n, Env: env, Of: of}, err
}

// Value writes the subquery that e describes.
func (c *compiler) Value(f *expr.From, e expr.Subquery, how func(expr.Expr, *expr.From) sqlast.Expr) sqlast.Expr {
	if !c.mayAsk() {
		return sqlast.Null
	}
	needed, sorting := c.Needed, c.Sorting
	c.Needed = false  // the subquery's own conditions require what they need
	c.Sorting = false // the outer rows are sorted by the subquery's one value, so no engine reads the subquery's tables in the order of that value
	x, _, err := c.subquery(f, e.N, e.Env, how)
	c.Needed, c.Sorting = needed, sorting
	if err != nil {
		c.Fail(err)
		return sqlast.Null
	}
	return x
}

// mayAsk counts one more subquery, and reports whether the limit allows it.
func (c *compiler) mayAsk() bool {
	if c.asked++; c.asked > maxSources {
		c.Fail(fail.Errorf(fail.Limit, "", "too many links and queries in the expressions of one query: the limit is %d, and each use counts; write several queries", maxSources))
		return false
	}
	return true
}

// subquery builds and writes the query of a node that asks about linked rows.
func (c *compiler) subquery(f *expr.From, n *message.Node, env expr.Names, how func(expr.Expr, *expr.From) sqlast.Expr) (sqlast.Expr, expr.Type, error) {
	sub := c.inside(n, f)
	q, err := sub.query(n.Recv, env)
	if err == nil && n.Op == message.OpField {
		return sub.ofOne(q, n, how)
	}
	if err == nil {
		err = sub.settle(q)
	}
	if err != nil {
		return nil, expr.Type{}, err
	}
	switch truth := (expr.Type{Kind: value.TypeBool}); n.Name {
	case language.ExistsMethod:
		return sqlast.Exists{Sub: sub.one()}, truth, nil
	case language.Some, language.Every, language.None:
		cond, err := sub.expr(n.Args[0].Args[0], sub.bound(n.Args[0], q, env))
		if err != nil {
			return nil, truth, err
		}
		if n.Name == language.Every { // every is true if no row makes the condition false or unknown
			cond = expr.Apply(sqlast.Case, []expr.Expr{expr.Demanded(cond), expr.Const(sqlast.False), expr.Const(sqlast.True)}, truth)
		}
		sub.demand(cond)
		return sqlast.Exists{Sub: sub.one(), Not: n.Name != language.Some}, truth, nil
	}
	return sub.ofMany(q, n, env, how)
}

// inside returns the from for a query of n in a callback. A query that uses no row of the callback gets an
// independent from: its limits act once, it may group, and an engine runs it once (TestSubqueriesRunOnce).
func (c *compiler) inside(n *message.Node, f *expr.From) *from {
	if n.Closed() {
		return c.newFrom(nil)
	}
	return c.newFrom(f)
}

// one returns a select of a constant for each row, to find out whether there are rows.
func (f *from) one() *sqlast.Select {
	return f.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: sqlast.One, As: "k"}}, Where: f.where})
}

// ofOne returns a column of the one row that a link leads to, or of the first row. It takes the
// first row if only the declaration makes the row unique, and not the table's key.
func (f *from) ofOne(q *query, n *message.Node, how func(expr.Expr, *expr.From) sqlast.Expr) (sqlast.Expr, expr.Type, error) {
	row := q.base
	if row.Facet == nil || row.Facet.Column(n.Name) == nil {
		return nil, expr.Type{}, fail.Errorf(fail.Denied, n.Name, "no such column")
	}
	x := expr.ColumnOf(row, row.Facet.Column(n.Name))
	sel := &sqlast.Select{Columns: []sqlast.Output{{Expr: how(x, &f.From), As: "k"}}}
	f.limitOne(sel, q)
	f.sources.Of(sel).Where = f.where
	return sqlast.Scalar{Sub: sel}, x.Type(), nil
}

// limitOne makes a select return the first row of q. A row that is found by its key needs no sorting.
func (f *from) limitOne(sel *sqlast.Select, q *query) {
	row := q.base
	if q.pending() || len(f.Rows) > 1 || row.By == nil || !row.Table.KeyOf(row.By.Pairs, func(p decl.Pair) *decl.Column { return p.To }) {
		sel.OrderBy = f.orders(q, true)
	}
	sel.Limit, sel.Offset = append(q.limits[:len(q.limits):len(q.limits)], sqlast.One), q.offsets
}

// ofMany returns an aggregate of linked rows.
func (f *from) ofMany(q *query, n *message.Node, env expr.Names, how func(expr.Expr, *expr.From) sqlast.Expr) (sqlast.Expr, expr.Type, error) {
	x, err := expr.Expr(nil), error(nil)
	if n.Name != language.Count {
		f.fence() // an engine may answer from an index, and would then read rows out of scope in the order of the index: see group
	}
	if len(n.Args) > 0 {
		if err := q.after(n.Name, n.Args[0]); err != nil {
			return nil, expr.Type{}, err
		}
		if !mentions(n.Args[0].Args[0], n.Args[0].Recv) {
			// In SQL an aggregate of only the outer row's columns belongs to the outer query.
			return nil, expr.Type{}, fail.Errorf(fail.Invalid, n.Name, "the callback has to use a column of its own row, like t => t.column")
		}
		if x, err = f.expr(n.Args[0].Args[0], f.bound(n.Args[0], q, env)); err != nil {
			return nil, expr.Type{}, err
		}
	}
	if x, err = f.aggregate(q, n, x, nil); err != nil {
		return nil, expr.Type{}, err
	}
	sel := f.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: how(x, &f.From), As: "k"}}})
	sel.Where = f.where
	return sqlast.Scalar{Sub: sel}, x.Type(), nil
}

// mentions reports whether a node uses the parameter of a callback.
func mentions(n, param *message.Node) bool {
	if n == nil || n == param {
		return n == param
	}
	if n.Op == message.OpParam {
		return false
	}
	for _, a := range n.Args {
		if mentions(a, param) {
			return true
		}
	}
	return mentions(n.Recv, param)
}
