package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// isQuery reports whether the argument of an operator is a query, not a list.
func isQuery(n *message.Node) bool {
	return n.Op == message.OpRef || n.Op == message.OpCall && n.Type.Args["row"] != nil
}

// among interprets a call of in or notIn with a query as its argument.
func (f *from) among(x expr.Expr, n *message.Node, env expr.Names) (expr.Expr, error) {
	e := expr.Among{X: x, N: n.Args[0], Env: env, Not: n.Name == "notIn"}
	trial, at := f.c.trial(&f.From) // the subquery is interpreted here only to find its errors
	err := trial.writeAmong(at, e, func(*from, sqlast.Expr, sqlast.Expr, []sqlast.Expr) {})
	f.c.steps = trial.steps
	if err == nil {
		err = trial.Failed
	}
	return e, err
}

// Among writes the condition that a value is, or with e.Not is not, among the values of a query.
func (c *compiler) Among(f *expr.From, e expr.Among) (x sqlast.Expr) {
	if !c.mayAsk() {
		return sqlast.Null
	}
	err := c.writeAmong(f, e, func(sub *from, theirs, ours sqlast.Expr, fence []sqlast.Expr) {
		if e.Not && c.Dialect == sqlast.Postgres { // PostgreSQL runs NOT EXISTS as an anti-join, but not NOT IN
			sub.where = append(sub.where, expr.Call(sqlast.Eq, theirs, ours))
			x = ofValue(e, f, sqlast.Exists{Sub: sub.one(), Not: true})
			return
		}
		x = sqlast.InSelect{X: ours, Sub: sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: theirs, As: "k"}}, Where: sub.where, Offset: fence})}
		switch {
		case e.Not && e.Null:
			x = expr.Call(sqlast.Not, expr.Call(sqlast.Coalesce, x, sqlast.False))
		case e.Not && f.NeverNull(e.X):
			x = expr.Call(sqlast.Not, x)
		case e.Not:
			x = ofValue(e, f, expr.Call(sqlast.Not, x))
		}
	})
	if err != nil {
		c.Fail(err)
		return sqlast.Null
	}
	return x
}

// ofValue takes the condition none, that no row of the query has the value, and makes it unknown if the value is NULL. If e.Held is set, it may be
// false there instead. If e.Null is set, ofValue returns none unchanged.
func ofValue(e expr.Among, f *expr.From, none sqlast.Expr) sqlast.Expr {
	switch {
	case e.Null:
		return none
	case e.Held: // PostgreSQL makes no anti-join from a CASE, and false serves here as well as unknown
		return expr.Call(sqlast.And, expr.Call(sqlast.IsNotNull, e.X.SQL(f)), none)
	}
	return expr.Call(sqlast.Case, expr.Call(sqlast.IsNotNull, e.X.SQL(f)), none, sqlast.Null)
}

// writeAmong builds the query of e, and calls write with both sides of the comparison, in the form in which they are compared.
// fence is the OFFSET that makes the select inside IN a fence, or nil if none is needed.
func (c *compiler) writeAmong(f *expr.From, e expr.Among, write func(sub *from, theirs, ours sqlast.Expr, fence []sqlast.Expr)) error {
	sub := c.inside(e.N, f)
	q, err := sub.query(e.N, e.Env)
	if err == nil {
		err = sub.settle(q)
	}
	if err != nil {
		return err
	}
	out := q.shown()
	if len(out.items) != 1 || out.items[0].sub != nil {
		return fail.Errorf(fail.Invalid, "in", "the query must show one column: write .select(t => t.column) after it")
	}
	theirs := out.items[0].expr
	if c, ok := theirs.(expr.Cell); ok && c.List != "" {
		return fail.Errorf(fail.Invalid, "in", "a collected list can only be shown: select it, and use it in the rows of the result")
	}
	var fence []sqlast.Expr
	if sub.fence(); len(c.Guards) > 0 { // an engine may join both queries and look up the value in a guarded table (see guard.go), so a fence is needed
		if c.Dialect == sqlast.SQLite && sub.NeverNull(theirs) {
			fence = []sqlast.Expr{sqlast.Zero} // SQLite runs a derived table inside IN slowly, so OFFSET 0 is the fence; a column that may be NULL needs a condition outside of the fence
		} else {
			sub.enclose()
		}
	}
	f.Handle(sqlast.Eq, []expr.Expr{e.X, theirs})
	both := f.Keyed([]expr.Expr{e.X, theirs})
	if !sub.NeverNull(theirs) {
		sub.where = append(sub.where, expr.Call(sqlast.IsNotNull, theirs.SQL(&sub.From)))
	}
	needed := c.Needed
	c.Needed = false // a condition that must be true does not need its operands to be true
	theirSide, ourSide := expr.Compared(both[1], &sub.From), expr.Compared(both[0], f)
	c.Needed = needed
	write(sub, theirSide, ourSide, fence)
	return nil
}
