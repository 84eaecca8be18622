package compile

// This file is the only place in which a table enters a query, with the conditions of its scope. A write names its table by scope.Entry.Write, and
// changes the rows that such a query finds.

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// occur adds one occurrence of a table to a from, with the conditions of the table's scope and of
// the link that led to it.
func (f *from) occur(g *scope.Grant, fc *decl.Facet, t *decl.Table, by *decl.Link, parent *expr.Row) (*expr.Row, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	if by == nil {
		e, err := g.Enter(t, nil, nil)
		if err != nil {
			return nil, err
		}
		return f.enter(e, fc, nil, nil)
	}
	e, err := g.Enter(t, by, parent.Grant)
	if err != nil {
		return nil, err
	}
	return f.enter(e, fc, func(row *expr.Row) []sqlast.Expr {
		row.Parent, row.By = parent, by
		return f.linked(by, parent, row)
	}, nil)
}

// enter adds a table with the conditions of its scope to the sources, and returns its row variable. The function
// on returns the conditions of its join, the function where returns further conditions; either may be nil.
func (f *from) enter(e scope.Entry, fc *decl.Facet, on, where func(*expr.Row) []sqlast.Expr) (*expr.Row, error) {
	if f.sources.Len() >= maxSources {
		return nil, fail.Errorf(fail.Limit, "", "too many tables in one query: the limit is %d; write several queries", maxSources)
	}
	alias := f.c.alias()
	row := &expr.Row{Grant: e.Grant(), Facet: fc, Table: e.Table(), Entry: e, Alias: alias, Form: f.c.Forms()}
	return row, f.sources.Add(e, alias, func(must []scope.Condition) error {
		f.c.entered = append(f.c.entered, row)
		row.Fixed, _ = f.c.FixedOf(e)
		f.c.tables++
		f.c.columns += len(row.Table.Cols)
		f.open = true
		f.Rows = append(f.Rows, row)
		f.At[row] = expr.Place{Alias: alias}
		if on != nil {
			if last := f.sources.Len() - 1; last == 0 {
				f.where = append(f.where, on(row)...) // the first source has no ON, and on compares it with a row of the outer query
			} else {
				f.sources.Join(last, false, on(row)...)
			}
		}
		if where != nil {
			f.where = append(f.where, where(row)...)
		}
		return f.satisfy(row, must)
	})
}

// linked returns the condition that the link l leads from parent to child.
func (f *from) linked(l *decl.Link, parent, child *expr.Row) []sqlast.Expr {
	var out []sqlast.Expr
	for _, p := range l.Pairs {
		f.c.Linking = true
		for _, by := range f.Pairs(expr.ColumnOf(child, p.To), expr.ColumnOf(parent, p.From)) {
			out = append(out, expr.Call(sqlast.Eq, expr.Compared(by[0], &f.From), expr.Compared(by[1], &f.From)))
		}
		f.c.Linking = false
		f.c.link(f, child, p.To, f, parent, p.From)
	}
	return out
}

// satisfy writes the conditions of a scope on a row: the list must or, in an open statement (see open.go), the equalities that replace it.
func (f *from) satisfy(row *expr.Row, must []scope.Condition) error {
	if f.c.Open {
		scope, err := f.scopeOf(row)
		f.where = append(f.where, scope...)
		f.open = true
		return err
	}
	for _, c := range must {
		switch c.Kind {
		case scope.Holds:
			if c.Pred != nil && c.Pred.Op == "all" {
				continue // every row of the table is in scope, so no fence is needed, and indexes serve the program's conditions
			}
			f.c.Satisfying = true
			f.require(f.Predicate(c.Pred, row, c.Grant.Origin))
			f.c.Satisfying = false
			continue
		case scope.Linked, scope.Followed, scope.Among:
		default:
			return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a condition on table %s has an unknown kind, so nothing ran: this is a fault of exosql, please report it", row.Table.Name)}
		}
		if err := f.c.step(); err != nil {
			return err
		}
		sub := f.c.newFrom(&f.From)
		other, err := sub.reaching(c)
		if err != nil {
			return err
		}
		f.require(f.matched(row, KeysOf(c, row.Table), sub, other))
	}
	return nil
}

// reaching adds to f the rows that a scope's condition compares with, and returns their row variable.
func (f *from) reaching(c scope.Condition) (*expr.Row, error) {
	if c.Kind == scope.Linked {
		return f.occur(c.Grant, nil, c.Link.From, nil, nil)
	}
	q, other, err := f.relation(c.Rel, c.Grant)
	if err != nil {
		return nil, err
	}
	return other, f.settle(q)
}

// KeysOf returns the pairs of columns that a condition compares: one of the other table, one of t.
func KeysOf(c scope.Condition, t *decl.Table) []decl.Pair {
	if c.Kind != scope.Among {
		return c.Link.Pairs
	}
	keys := scalar.Each(t.Keys, func(k *decl.Column) decl.Pair { return decl.Pair{From: k, To: k} })
	return keys
}

// relation builds a typed relation in f: its table once, then every step of its chain.
func (f *from) relation(r *decl.Relation, g *scope.Grant) (*query, *expr.Row, error) {
	e, steps, err := g.Begin(r)
	if err != nil {
		return nil, nil, err
	}
	q := &query{context: append([]*expr.Row(nil), f.Rows...)}
	row, err := f.enter(e, nil, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	q.base = row
	for _, s := range steps {
		if err := f.c.step(); err != nil {
			return nil, nil, err
		}
		switch s.Kind {
		case decl.StepWhere:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.require(f.Predicate(s.Pred, row, g.Origin))
		case decl.StepOrder:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			for _, o := range s.Order {
				q.sortedBy(orderTerm{expr: expr.SortBy(expr.ColumnOf(row, o.Col)), desc: o.Desc})
			}
		case decl.StepSearch:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.fence() // a search takes longer for longer rows, so even the host's search must not read rows out of scope
			row.Facet = &decl.Facet{Search: s.Search}
			text := plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1}
			f.where = append(f.where, f.Searching(row, text, false).SQL(&f.From))
			q.sortedBy(orderTerm{expr: expr.SortBy(f.Searching(row, text, true)), desc: true, kind: value.TypeInt, last: true})
			row.Facet = nil
		case decl.StepLimit:
			if len(r.Table.Keys) == 0 {
				return nil, nil, noKey(r.Table)
			}
			q.limits = append(q.limits, f.c.Arg(plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1, Count: true}))
		case decl.StepOffset:
			if len(r.Table.Keys) == 0 {
				return nil, nil, noKey(r.Table)
			}
			if len(q.limits) > 0 { // Offset skips some of the rows that Limit left: a step only narrows
				if err := f.settle(q); err != nil {
					return nil, nil, err
				}
			}
			q.offsets = append(q.offsets, f.c.Arg(plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1, Count: true}))
		}
	}
	return q, row, nil
}

// matched returns the condition that row equals, in the pairs of columns, some row other of the finished subquery sub.
func (f *from) matched(row *expr.Row, pairs []decl.Pair, sub *from, other *expr.Row) sqlast.Expr {
	var theirs, ours []sqlast.Expr
	for _, p := range pairs {
		f.c.Linking = true
		for _, by := range f.Pairs(expr.ColumnOf(other, p.From), expr.ColumnOf(row, p.To)) {
			theirs, ours = append(theirs, expr.Compared(by[0], &sub.From)), append(ours, expr.Compared(by[1], &f.From))
		}
		f.c.Linking = false
		f.c.link(sub, other, p.From, f, row, p.To)
	}
	if len(pairs) == 1 {
		sel := sub.sources.Of(&sqlast.Select{Where: sub.where, Key: !f.c.Open && f.c.FormOf(pairs[0].From).OneFor(f.c.FormOf(pairs[0].To))})
		for i, x := range theirs {
			sel.Columns = append(sel.Columns, sqlast.Output{Expr: x, As: "k" + map[int]string{1: "x"}[i]})
		}
		return sqlast.InSelect{X: ours[0], And: ours[1:], Sub: sel}
	}
	for i := range theirs {
		sub.where = append(sub.where, expr.Call(sqlast.Eq, theirs[i], ours[i]))
	}
	return sqlast.Exists{Sub: sub.sources.Of(&sqlast.Select{Columns: []sqlast.Output{{Expr: sqlast.One, As: "k"}}, Where: sub.where})}
}
