package compile

// This file reads join, leftJoin and distinct.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/sqlast"
)

func (f *from) doJoin(q *query, n *message.Node, env expr.Names) error {
	if err := f.settle(q); err != nil {
		return err
	}
	item, inner := n.Args[0], env
	if item.Op == message.OpLambda {
		inner = f.bound(item, q, env)
		item = item.Args[0]
	}
	var q2 *query
	var sub *from
	var err error
	if item.Closed() {
		// The other query depends on no row of this one. It is built alone, so that its limit acts once
		// and not for every row.
		sub = f.c.newFrom(nil)
		if q2, err = sub.query(item, inner); err == nil {
			err = sub.settle(q2)
		}
		if err == nil && f.sources.Len()+sub.sources.Len() > maxSources {
			err = fail.Errorf(fail.Limit, "", "too many tables in one query: the limit is %d; write several queries", maxSources)
		}
	} else if q2, err = f.query(item, inner); err == nil {
		err = f.settle(q2)
	}
	if err != nil {
		return err
	}
	if err := joinable(q2, n.Name); err != nil {
		return err
	}
	q.ns, q.distinct = append(append([]expr.Named(nil), q.ns...), q2.ns...), q.distinct || q2.distinct
	q.sortedBy(q2.order...)
	if sub != nil && len(n.Args) < 2 {
		return fail.Errorf(fail.Invalid, "join", "the other query follows no link of this one, so join needs a condition as its second argument: .join(other, ({ %s, %s }) => …)", q.ns[0].Name, q2.ns[0].Name)
	}
	if len(n.Args) < 2 {
		return nil
	}
	on, err := f.expr(n.Args[1].Args[0], f.bound(n.Args[1], q, env))
	if err != nil {
		return err
	}
	expr.Joined(q.ns, q2.base, on)
	if sub == nil {
		f.demand(on)
		return nil
	}
	if slices.ContainsFunc(expr.Conjuncts(on), func(e expr.Expr) bool { return !expr.Identity(e) }) {
		// Each query has its own fence (see fence.go), so the engine may join the rows behind the fences in any way.
		f.fence()
		sub.fence()
	}
	f.adopt(sub)
	if last := f.sources.Len() - 1; last > 0 && !f.sources.Left(last) {
		// The condition is in ON: without ON the join is a CROSS JOIN, which SQLite does not reorder. In the ON of a left join the condition would
		// drop matches and keep the rows.
		f.sources.Join(last, false, f.guardEach(on)...)
	} else {
		f.where = append(f.where, f.guardEach(on)...)
	}
	return nil
}

// doLeftJoin reads leftJoin, which keeps the rows without a match. All conditions on the other query's
// rows, their scope first, become the condition of the join: a row out of scope is no match. A join
// condition belongs to one source, so the other query must have only one.
func (f *from) doLeftJoin(q *query, n *message.Node, env expr.Names) error {
	if err := f.settle(q); err != nil {
		return err
	}
	item, inner := n.Args[0], env
	if item.Op == message.OpLambda {
		inner = f.bound(item, q, env)
		item = item.Args[0]
	}
	var asked []expr.Expr
	if len(n.Args) > 1 || asks(item) {
		// The program's conditions become part of this join's ON, together with the link: the method guarded writes them.
		f.fence()
		f.asked = &asked
		defer func() { f.asked = nil }()
	}
	sources, conditions := f.sources.Len(), len(f.where)
	var q2 *query
	var err error
	if item.Closed() {
		if len(n.Args) < 2 {
			return fail.Errorf(fail.Invalid, "leftJoin", "the other query follows no link of this one, so leftJoin needs a condition as its second argument, like .leftJoin(other, (t) => condition)")
		}
		sub := f.c.newFrom(nil)
		if q2, err = sub.query(item, inner); err == nil {
			err = sub.settle(q2)
		}
		if err != nil {
			return err
		}
		if sub.fence(); sub.sources.Len() > 1 {
			sub.enclose()
		}
		f.adopt(sub)
	} else {
		first := f.sources.First()
		if q2, err = f.query(item, inner); err != nil {
			return err
		}
		if q2.pending() || f.sources.Len() != sources+1 || f.sources.First() != first {
			return fail.Errorf(fail.Invalid, "leftJoin", "the callback may only return a link, with .where(…) after it: join further tables in calls after this one, or pass a query and a condition")
		}
	}
	if f.sources.Len() != sources+1 || sources == 0 {
		return expr.ErrNode(n)
	}
	if err := joinable(q2, n.Name); err != nil {
		return err
	}
	q.ns, q.distinct = append(append([]expr.Named(nil), q.ns...), q2.ns...), q.distinct || q2.distinct
	q.sortedBy(q2.order...) // the order of the joined query sorts rows that are equal in the order of q
	on := append([]sqlast.Expr(nil), f.where[conditions:]...)
	f.where = f.where[:conditions:conditions]
	if len(n.Args) > 1 {
		c, err := f.expr(n.Args[1].Args[0], f.bound(n.Args[1], q, env))
		if err != nil {
			return err
		}
		expr.Joined(q.ns, q2.base, c)
		asked = append(asked, expr.Conjuncts(c)...)
	}
	var implied []sqlast.Expr
	if len(on) == 0 {
		implied = f.sources.On(sources)
	}
	more, err := f.guarded(q2.ns[0].Row, asked, implied)
	if err != nil {
		return err
	}
	for _, x := range q2.ns {
		x.Row.Optional = true
	}
	f.sources.Join(sources, true, append(on, more...)...)
	for _, o := range q2.order {
		if !expr.Free(o.expr.(expr.SortKey).X) {
			f.fence() // doOrder sets no fence for an order in a callback
		}
	}
	return nil
}

// asks reports whether a chain of calls does more than follow links.
func asks(n *message.Node) bool {
	for ; n != nil && n.Op == message.OpCall; n = n.Recv {
		if isSearch(n) {
			return true
		}
		for _, a := range n.Args {
			if a.Op == message.OpLambda {
				return true
			}
		}
	}
	return false
}

// doDistinct keeps the first, in the query's order, of the rows that show the same values. So the order of the result is well defined.
func (f *from) doDistinct(q *query) error {
	if err := f.settle(q); err != nil {
		return err
	}
	out := q.shown()
	if !out.plain() {
		f.fence()
	}
	keys, err := f.distinctKeys(out, nil)
	if err != nil {
		return err
	}
	if err := refuseKeyless(q.context); err != nil {
		return err
	}
	order := f.orders(q, true)
	keys = append(keys, f.keysOf(q.context)...)
	f.wrap(func(_ *from, sel *sqlast.Select, alias string) []sqlast.Expr {
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: sqlast.RowNumber{PartitionBy: keys, OrderBy: order}, As: "n"})
		return []sqlast.Expr{expr.Call(sqlast.Eq, sqlast.Column{Alias: alias, Name: "n"}, sqlast.One)}
	})
	return nil
}

// plain reports whether a projection shows only columns.
func (p *projection) plain() bool {
	for _, it := range p.items {
		if it.rows != nil || it.sub != nil && !it.sub.plain() || it.sub == nil && !expr.Bare(it.expr) {
			return false
		}
	}
	return true
}

// distinctKeys returns the expressions that distinct compares rows by.
func (f *from) distinctKeys(out *projection, keys []sqlast.Expr) ([]sqlast.Expr, error) {
	for i, it := range out.items {
		if it.sub != nil {
			var err error
			if keys, err = f.distinctKeys(it.sub, keys); err != nil {
				return nil, err
			}
			continue
		}
		if it.rows != nil {
			return nil, fail.Errorf(fail.Invalid, "distinct", "`%s` is a list of rows, which can't be compared: write .select(…) with other columns before distinct", out.names[i])
		}
		t := it.expr.Type()
		if t.Kind == value.TypeJSON || t.Kind == value.TypeList {
			return nil, fail.Errorf(fail.Invalid, "distinct", "`%s` can't be compared: write .select(…) with other columns before distinct", out.names[i])
		}
		if _, val := it.expr.(expr.Argument); val || t.Kind == value.TypeNull {
			continue // a constant is equal in every row, so it is no key
		}
		f.c.sort(!expr.Free(it.expr), func() {
			key := expr.KeyOf(it.expr, t)
			if own, _, ok := f.Loose(it.expr); ok {
				key = own
			}
			keys = append(keys, expr.Compared(key, &f.From))
		})
	}
	return keys, nil
}

// guarded writes the program's conditions on a row that a left join may not find, for the ON of that
// join. An ON can't have a fence. Instead it has CASE WHEN scope THEN condition: no engine evaluates
// THEN before WHEN is true. implied is the link's condition, if the link alone implies the scope.
func (f *from) guarded(row *expr.Row, asked []expr.Expr, implied []sqlast.Expr) ([]sqlast.Expr, error) {
	var out, behind []sqlast.Expr
	for _, c := range asked {
		if x := f.guard(func() sqlast.Expr { return c.SQL(&f.From) }); expr.Leakproof(c) != nil {
			out = append(out, x)
		} else {
			behind = append(behind, x)
		}
	}
	if len(behind) == 0 || f.c.Open {
		return append(out, behind...), nil
	}
	f.c.fences++
	within := implied
	if f.open && len(implied) == 0 { // the table has no fence here, so its whole scope is written; the part that the link implies is in the same ON
		n := len(f.where)
		e, err := row.Grant.Enter(row.Table, nil, nil)
		if err == nil {
			err = f.satisfy(row, e.Conditions())
		}
		if err != nil {
			return nil, err
		}
		within = append(within, f.where[n:]...)
		f.where = f.where[:n:n]
	}
	if len(within) == 0 {
		return append(out, behind...), nil
	}
	return append(out, fence.Behind(expr.Call(sqlast.And, within...), expr.Call(sqlast.And, behind...))), nil
}
