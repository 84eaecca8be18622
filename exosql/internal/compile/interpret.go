package compile

// This file compiles the nodes of a message: each is a query, or a value of a row. Each kind of call has a file of its own.

import (
	"cmp"
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// query interprets a node that means a query, and adds its sources to f.
func (f *from) query(n *message.Node, env expr.Names) (*query, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	if n.Op == message.OpRef {
		return f.granted(n)
	}
	if n.Op != message.OpCall {
		return nil, expr.ErrNode(n)
	}
	if n.Recv.Type.Name != "" && isRow(n.Recv, f, env) {
		row, err := f.row(n.Recv, env)
		if err != nil {
			return nil, err
		}
		return f.walk(n.Name, row)
	}
	switch n.Name {
	case language.All:
		return f.query(n.Recv, env)
	case "where", language.IfUnchanged, "join", "leftJoin", "select", "distinct", "orderBy", "limit", "offset", "as", language.First, language.GroupBy, language.CountBy, language.DistinctBy, language.PartitionBy,
		language.Union, language.UnionAll, language.Concat, language.Intersect, language.Except:
	case language.Recursive:
		return f.tree(n, env)
	default:
		if !isSearch(n) {
			return f.followQuery(n, env)
		}
	}
	q, err := f.query(n.Recv, env)
	if err != nil {
		return nil, err
	}
	if set := language.Sets[n.Name]; set != sqlast.NoSet {
		return q, f.combine(q, n, set)
	}
	switch n.Name {
	case language.Search:
		return q, f.doSearch(q, n)
	case "where", language.IfUnchanged:
		before := f.c.Unchanged
		f.c.Unchanged = n.Name == language.IfUnchanged
		err := f.doWhere(q, n.Args[0], env)
		f.c.Unchanged = before
		return q, err
	case language.GroupBy, language.CountBy:
		return q, f.doGroup(q, n, env)
	case language.DistinctBy:
		return q, f.doDistinctBy(q, n, env)
	case language.PartitionBy:
		return q, f.doPartition(q, n, env)
	case "join", "leftJoin", "as":
		if err := joinable(q, n.Name); err != nil {
			return nil, err
		}
	}
	switch n.Name {
	case "join":
		return q, f.doJoin(q, n, env)
	case "leftJoin":
		return q, f.doLeftJoin(q, n, env)
	case "distinct":
		q.once, q.distinct = q.out != nil, true
		return q, f.doDistinct(q)
	case "select":
		q.out, err = f.projection(n.Args[0].Args[0], f.bound(n.Args[0], q, env))
		return q, err
	case "orderBy":
		return q, f.doOrder(q, n.Args[0], env)
	case language.First: // first after a link means the first of the linked rows
		q.limits = append(q.limits, sqlast.One)
	case "limit":
		q.limits = append(q.limits, f.c.Arg(plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Count: true}))
	case "offset":
		q.offsets = append(q.offsets, f.c.Arg(plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Count: true}))
	case "as":
		if len(q.ns) != 1 {
			return nil, expr.ErrNode(n)
		}
		q.ns = []expr.Named{{Name: n.Args[0].Lit.Text(), Row: q.ns[0].Row}}
	}
	return q, nil
}

// granted returns the query of all rows that a granted object reaches.
func (f *from) granted(n *message.Node) (*query, error) {
	g := f.c.grants[n.Slot]
	context := append([]*expr.Row(nil), f.Rows...)
	if fc := f.c.alone; fc != nil {
		row, err := f.occur(g, fc, fc.Table, nil, nil)
		return &query{base: row, ns: []expr.Named{{Name: fc.Alias, Row: row}}}, err
	}
	if !g.Rel.Limited() {
		row, err := f.occur(g, g.Facet, g.Rel.Table, nil, nil)
		if err != nil {
			return nil, err
		}
		q := &query{base: row, ns: []expr.Named{{Name: g.Facet.Alias, Row: row}}, context: context}
		for s := g.Rel; s != nil && s.Kind != decl.StepFollow; s = s.Prev {
			var terms []orderTerm
			for _, o := range s.Order {
				terms = append(terms, orderTerm{expr: expr.SortBy(expr.ColumnOf(row, o.Col)), desc: o.Desc})
			}
			q.order = append(terms, q.order...) // the loop reads the calls from the last to the first
		}
		for _, o := range q.order {
			if !expr.Free(o.expr.(expr.SortKey).X) {
				f.fence()
			}
		}
		return q, nil
	}
	// The host has limited the relation. It is built alone and wrapped at once, so that no condition
	// of the program gets inside the limit.
	sub := f.c.newFrom(nil)
	q, row, err := sub.relation(g.Rel, g)
	if err == nil {
		err = sub.settle(q)
	}
	if err != nil {
		return nil, err
	}
	row.Facet = g.Facet
	q.context, q.ns = context, []expr.Named{{Name: g.Facet.Alias, Row: row}}
	f.adopt(sub)
	return q, nil
}

// adopt moves the sources of sub, which is independent of f, into f.
func (f *from) adopt(sub *from) {
	f.sources.Adopt(sub.sources)
	f.where = append(f.where, sub.where...)
	f.Rows = append(f.Rows, sub.Rows...)
	f.open = f.open || sub.open
	if f.fenced == nil {
		f.fenced = sub.fenced
	} else {
		maps.Copy(f.fenced, sub.fenced)
	}
	for r, p := range sub.At {
		f.At[r] = p
	}
}

// walk follows a link of a row: it joins the linked rows by the link's keys.
func (f *from) walk(name string, parent *expr.Row) (*query, error) {
	if parent.Facet == nil || parent.Facet.Link(name) == nil {
		return nil, fail.Errorf(fail.Denied, name, "no such link")
	}
	l := parent.Facet.Link(name)
	context := append([]*expr.Row(nil), f.Rows...)
	row, err := f.occur(parent.Grant, l.To, l.To.Table, l.L, parent)
	if err != nil {
		return nil, err
	}
	return &query{base: row, ns: []expr.Named{{Name: l.To.Alias, Row: row}}, context: context, link: l.L}, nil
}

// followQuery follows a link from the rows of a query. Each reached row appears once.
func (f *from) followQuery(n *message.Node, env expr.Names) (*query, error) {
	context := append([]*expr.Row(nil), f.Rows...)
	if len(f.Rows) > 0 && asks(n.Recv) {
		f.fence() // the followed query has conditions of the program that may read rows of f, so a fence (see fence.go) comes before them
	}
	// Build the start of the link in a from of its own, to find out which table it is.
	sub := f.c.newFrom(&f.From)
	q, err := sub.query(n.Recv, env)
	if err == nil {
		err = sub.settle(q)
	}
	if err != nil {
		return nil, err
	}
	parent := q.base
	if parent.Facet == nil || parent.Facet.Link(n.Name) == nil {
		return nil, fail.Errorf(fail.Denied, n.Name, "no such link")
	}
	l := parent.Facet.Link(n.Name)
	reached := &query{link: l.L}
	if l.L.One && !l.L.From.KeyOf(l.L.Pairs, func(p decl.Pair) *decl.Column { return p.From }) {
		reached.merged = []string{parent.Facet.Alias, n.Name}
	}
	e, err := parent.Grant.Enter(l.To.Table, l.L, parent.Grant)
	if err != nil {
		return nil, err
	}
	if f.c.Open && f.c.Dialect == sqlast.SQLite && f.sources.Len() == 0 && l.L.From.KeyOf(l.L.Pairs, func(p decl.Pair) *decl.Column { return p.From }) {
		// The link starts at the parents' key, so a row has at most one parent. A join returns the same rows as the
		// semi-join below. SQLite may begin a join with either table. PostgreSQL itself turns a semi-join into a join.
		f.adopt(sub)
		f.Rows = nil
		row, err := f.enter(e, l.To, func(row *expr.Row) []sqlast.Expr { return f.linked(l.L, parent, row) }, nil)
		if err != nil {
			return nil, err
		}
		reached.base, reached.ns = row, []expr.Named{{Name: l.To.Alias, Row: row}}
		return reached, nil
	}
	// The semi-join also requires that the link's start, parent, is in scope.
	row, err := f.enter(e, l.To, nil, func(row *expr.Row) []sqlast.Expr {
		return []sqlast.Expr{f.matched(row, l.L.Pairs, sub, parent)}
	})
	if err != nil {
		return nil, err
	}
	reached.base, reached.ns, reached.context = row, []expr.Named{{Name: l.To.Alias, Row: row}}, context
	return reached, nil
}

func (f *from) doWhere(q *query, arg *message.Node, env expr.Names) error {
	if err := f.settle(q); err != nil {
		return err
	}
	cond, err := f.expr(arg.Args[0], f.bound(arg, q, env))
	if err != nil {
		return err
	}
	if f.c.Base == nil {
		f.c.Base = q.base
	}
	f.demand(cond)
	return nil
}

func (f *from) doOrder(q *query, arg *message.Node, env expr.Names) error {
	if err := f.settle(q); err != nil {
		return err
	}
	if q.chosen {
		q.order, q.chosen = slices.DeleteFunc(slices.Clone(q.order), func(t orderTerm) bool { return !t.last }), false
	}
	env = f.bound(arg, q, env)
	terms := []*message.Node{arg.Args[0]}
	if terms[0].Op == message.OpList {
		terms = terms[0].Args
	}
	for _, t := range terms {
		desc := false
		if op := operatorOf(t); op != nil && op.Form == language.FormOrder {
			desc = t.Name == "desc"
			t = t.Recv
		}
		e, err := f.expr(t, env)
		if err != nil {
			return err
		}
		if !expr.Free(e) && f.asked == nil {
			f.fence() // expr.Free conditions may be tried on any row, all others need a fence
		}
		by := orderTerm{expr: expr.SortBy(e), desc: desc}
		if of := t.Type.Args["of"]; of != nil {
			by.kind = of.Name
		}
		q.sortedBy(by)
	}
	return nil
}

// expr interprets a node that means a value of a row.
func (f *from) expr(n *message.Node, env expr.Names) (expr.Expr, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	switch n.Op {
	case message.OpLit:
		return expr.Literal(n, ""), nil
	case message.OpField:
		if op := operatorOf(n); op != nil {
			return f.operation(op, n, env)
		}
		if n.Recv.Op == message.OpCall {
			return f.ask(n, env)
		}
		for _, x := range env[n.Recv] {
			if x.Name == n.Name && x.Row.Selected != nil {
				return x.Row.Selected, nil
			}
		}
		row, err := f.row(n.Recv, env)
		if err != nil {
			return nil, outOfGroup(n.Recv)
		}
		if groupOf(row) != nil {
			e, err := f.keyOfGroup(row, n.Name)
			return e, cmp.Or(err, shadowed(n, e, env[n.Recv.Recv]))
		}
		if row.Depth != nil && n.Name == row.DepthName {
			return expr.ColumnOf(row, row.Depth), nil
		}
		col := row.Facet.Column(n.Name)
		if col == nil {
			return nil, fail.Errorf(fail.Denied, n.Name, "no such column")
		}
		return expr.ColumnOf(row, col), shadowed(n, expr.ColumnOf(row, col), env[n.Recv.Recv])
	case message.OpCall:
		if op := operatorOf(n); op != nil {
			return f.operation(op, n, env)
		}
		if n.Name == language.Matches || n.Name == language.Rank {
			if row, err := f.row(n.Recv, env); err == nil && row.Searched() != nil {
				return f.searchOf(row, n)
			}
		}
		if isGroup(n.Recv.Type) {
			return f.ofGroup(n, env)
		}
		if isWindow(n.Recv.Type) {
			return f.ofWindow(n, env)
		}
		return f.ask(n, env)
	}
	return nil, expr.ErrNode(n)
}

// shadowed refuses a column if select gave its name to another value, which JavaScript would read instead.
func shadowed(n *message.Node, e expr.Expr, seen []expr.Named) error {
	for i, x := range seen {
		if i > 0 && seen[0].Row.Selected == nil && seen[1].Row.Selected != nil && x.Name == n.Name && x.Row.Selected != e {
			return fail.Errorf(fail.Invalid, "", "`%s` is a column of the rows, and select gives the name to another value: choose another name in select, or write this call before select", n.Name)
		}
	}
	return nil
}

// projection interprets the result of select's callback.
func (f *from) projection(n *message.Node, env expr.Names) (*projection, error) {
	if row, err := f.row(n, env); err == nil {
		if windowOf(row) != nil {
			return nil, errShowsWindow()
		}
		return wholeRow(row), nil
	}
	if n.Op == message.OpParam { // select(ns => ns) shows every table by its name
		p := &projection{}
		for _, x := range env[n] {
			if x.Row.Selected != nil {
				continue
			}
			if windowOf(x.Row) != nil {
				return nil, errShowsWindow()
			}
			p.names = append(p.names, x.Name)
			p.items = append(p.items, projected{sub: wholeRow(x.Row)})
		}
		return p, nil
	}
	if isWindow(n.Type) {
		return nil, errShowsWindow()
	}
	if isGroup(n.Type) {
		return nil, fail.Errorf(fail.Invalid, "select", "some of the rows of a group can't be shown; show an aggregate of them, like %s.where(…).count()", language.GroupAlias)
	}
	fields, p := n.Args, &projection{names: n.Names}
	if n.Op == message.OpField || n.Op == message.OpCall {
		fields, p = []*message.Node{n}, &projection{names: []string{cmp.Or(n.Name, message.OneField)}, bare: true}
	} else if n.Op != message.OpRecord {
		return nil, expr.ErrNode(n)
	}
	for _, a := range fields {
		if a.Type.Name == value.TypeRows {
			p.items = append(p.items, projected{rows: &nested{a, env}})
			continue
		}
		it := projected{kind: a.Type.Name, null: true}
		if of := a.Type.Args["of"]; of != nil {
			it.kind = of.Name
			if item := of.Args["of"]; item != nil {
				it.elem = item.Name
			}
		}
		if _, err := f.row(a, env); err == nil || a.Op == message.OpRecord || a.Op == message.OpParam || isGroup(a.Type) || isWindow(a.Type) {
			sub, err := f.projection(a, env)
			if err != nil {
				return nil, err
			}
			it = projected{sub: sub}
		} else {
			e, err := f.expr(a, env)
			if err != nil {
				return nil, err
			}
			it.expr = e
		}
		p.items = append(p.items, it)
	}
	return p, nil
}
