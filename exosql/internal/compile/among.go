package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// isQuery reports whether the argument of an operator is a query, and no list.
func isQuery(n *message.Node) bool {
	return n.Op == message.OpRef || n.Op == message.OpCall && n.Type.Args["row"] != nil
}

// among interprets in and notIn of a query.
func (f *from) among(x expr, n *message.Node, env names) (expr, error) {
	e := Among{x: x, n: n.Args[0], env: env, not: n.Name == "notIn"}
	trial, at := f.c.trial(&f.From) // for its errors
	err := trial.writeAmong(at, e, func(*from, sqlast.Expr, sqlast.Expr, []sqlast.Expr) {})
	f.c.steps = trial.steps
	if err == nil {
		err = trial.failed
	}
	return e, err
}

// Among writes whether a value is among those of a query.
func (c *compiler) Among(f *From, e Among) (x sqlast.Expr) {
	if !c.mayAsk() {
		return sqlast.Null
	}
	err := c.writeAmong(f, e, func(sub *from, theirs, ours sqlast.Expr, fence []sqlast.Expr) {
		if e.not && c.dialect == sqlast.Postgres { // which makes an anti-join of it, and of NOT IN nothing
			sub.where = append(sub.where, call(sqlast.Eq, theirs, ours))
			x = ofValue(e, f, sqlast.Exists{Sub: sub.one(), Not: true})
			return
		}
		x = sqlast.InSelect{X: ours, Sub: sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: theirs, As: "k"}}, Where: sub.where, Offset: fence})}
		switch {
		case e.not && e.null:
			x = call(sqlast.Not, call(sqlast.Coalesce, x, sqlast.False))
		case e.not && f.neverNull(e.x):
			x = call(sqlast.Not, x)
		case e.not:
			x = ofValue(e, f, call(sqlast.Not, x))
		}
	})
	if err != nil {
		c.fail(err)
		return sqlast.Null
	}
	return x
}

// ofValue is the condition none where x is a value. Where it is NULL the condition is unknown.
func ofValue(e Among, f *From, none sqlast.Expr) sqlast.Expr {
	switch {
	case e.null:
		return none
	case e.held: // PostgreSQL makes no anti-join in a CASE
		return call(sqlast.And, call(sqlast.IsNotNull, e.x.SQL(f)), none)
	}
	return call(sqlast.Case, call(sqlast.IsNotNull, e.x.SQL(f)), none, sqlast.Null)
}

// writeAmong builds the query of e and gives write the two sides as they are compared, and the fence that the select of theirs
// needs itself.
func (c *compiler) writeAmong(f *From, e Among, write func(sub *from, theirs, ours sqlast.Expr, fence []sqlast.Expr)) error {
	sub := c.inside(e.n, f)
	q, err := sub.query(e.n, e.env)
	if err == nil {
		err = sub.settle(q)
	}
	if err != nil {
		return err
	}
	out := q.out
	if out == nil {
		out = wholeRow(q.base)
	}
	if len(out.items) != 1 || out.items[0].sub != nil {
		return fail.Errorf(fail.Invalid, "in", "the query must show one column: write .select(t => t.column) behind it")
	}
	theirs := out.items[0].expr
	if c, ok := theirs.(cell); ok && c.list != "" {
		return fail.Errorf(fail.Invalid, "in", "a collected list can only be shown: select it, and go on with the rows")
	}
	var fence []sqlast.Expr
	if sub.fence(); len(c.Guards) > 0 { // an engine may join the two, and look up the value in a guarded table
		if c.dialect == sqlast.SQLite && sub.neverNull(theirs) {
			fence = []sqlast.Expr{sqlast.Zero} // it reads a derived table slowly here; of one that may be null a condition stands outside
		} else {
			sub.enclose()
		}
	}
	f.handle(sqlast.Eq, []expr{e.x, theirs})
	both := f.keyed([]expr{e.x, theirs})
	if !sub.neverNull(theirs) {
		sub.where = append(sub.where, call(sqlast.IsNotNull, theirs.SQL(&sub.From)))
	}
	needed := c.needed
	c.needed = false // of the operands
	theirSide, ourSide := compared(both[1], &sub.From), compared(both[0], f)
	c.needed = needed
	write(sub, theirSide, ourSide, fence)
	return nil
}
