package compile

// This file finishes a query as a plan. Messages that read, and chains of typed calls, begin here.

import (
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// finish makes the plan of a complete query.
func (f *from) finish(q *query, kind plan.RunKind, out *projection) (*plan.Plan, error) {
	p := &plan.Plan{Kind: kind}
	sel := &sqlast.Select{}
	if kind == plan.RunCount {
		if err := f.settle(q); err != nil {
			return nil, err
		}
		sel.Columns = []sqlast.Output{{Expr: sqlast.Aggregate{Func: sqlast.Count}, As: "c0"}}
		p.Cells = []plan.Cell{{Kind: value.TypeInt, Name: "count"}}
		p.Shape = &value.Shape{Names: []string{"count"}}
	} else {
		if kind == plan.RunFirst {
			q.limits = append(q.limits[:len(q.limits):len(q.limits)], sqlast.One)
		}
		total := kind != plan.RunValue && kind != plan.RunPage && (q.pending() || grouped(q.base) || q.ranked())
		sorted, err := f.settleFirst(q, out, total || len(q.order) > 0)
		if err != nil {
			return nil, err
		}
		p.Shape, p.Bare = f.outputs(sel, p, out, 0), out.bare
		f.owners(sel, p, out)
		f.tallies(sel, p, q)
		if kind == plan.RunPage {
			f.ends(sel, p, q)
		}
		if sel.Limit, sel.Offset = q.limits, q.offsets; sorted {
			sel.Offset = []sqlast.Expr{sqlast.Zero}
		} else {
			if kind == plan.RunAll || kind == plan.RunFirst {
				q.order = f.asIndexed(q.order)
				f.marked(sel, p, out, q.order)
				f.upwards(sel, p, q)
			}
			sel.OrderBy = f.orders(q, total || kind != plan.RunValue && f.c.labelled())
		}
		if kind == plan.RunValue && f.c.Extremes {
			p.Cells[0].Again = !f.c.Engine.Again
		}
	}
	f.sources.Of(sel).Where = f.where
	if f.c.Failed != nil {
		return nil, f.c.Failed
	}
	if f.c.Emitted > expr.MaxEmitted {
		return nil, fail.Errorf(fail.Limit, "", "the query is too large, because it repeats its expressions: write several smaller queries")
	}
	if f.c.Handled > expr.MaxHandled || f.c.Held > expr.MaxHeld {
		return nil, fail.Errorf(fail.Limit, "", "the texts that the query puts together are too long: use fewer or shorter ones")
	}
	if len(f.c.Slots) > expr.MaxValues {
		return nil, fail.Errorf(fail.Limit, "", "the query has too many values: the limit is %d; use a condition instead of a long list", expr.MaxValues)
	}
	err := f.c.Render(p, sel, f.c.entered)
	if errors.Is(err, sqlast.ErrLarge) || errors.Is(err, sqlast.ErrDeep) {
		return nil, &fail.Error{Kind: fail.Limit, Msg: "the query is too large for the database: write several smaller queries", Err: err}
	}
	if err != nil {
		return nil, &fail.Error{Kind: fail.Internal, Err: err}
	}
	p.Joins = f.c.tables * f.c.columns
	p.Reads, p.Notices = sqlast.Folded(sqlast.Tables(sel)), f.c.notices
	return p, nil
}

// outputs adds the cells of a projection to the statement and to the plan. lists counts the lists of rows around it.
func (f *from) outputs(sel *sqlast.Select, p *plan.Plan, out *projection, lists int) *value.Shape {
	s := &value.Shape{Names: slices.Clone(out.names)}
	for i, it := range out.items {
		if it.sub != nil {
			if s.Subs == nil {
				s.Subs = make([]*value.Shape, len(out.items))
			}
			s.Subs[i] = f.outputs(sel, p, it.sub, lists)
			continue
		}
		if it.rows != nil {
			x, rows := f.nest(it.rows, out.names[i], lists+1)
			p.Cells = append(p.Cells, plan.Cell{Kind: value.TypeRows, Rows: rows, Null: rows != nil && rows.One, Name: out.names[i]})
			sel.Columns = append(sel.Columns, sqlast.Output{Expr: x, As: fmt.Sprintf("c%d", len(sel.Columns))})
			continue
		}
		c := plan.Cell{Kind: it.kind, Of: it.elem, Null: it.null, Exact: it.expr.Type().Exact, Name: out.names[i]}
		c.Misfits = f.c.msg != nil // a misfit is null for a program, but an error for Go code
		if ce, ok := it.expr.(expr.Column); ok {
			if charge := ce.Col.Charge(); charge > 0 && lists == 0 {
				if f.c.charges == nil {
					f.c.charges = map[int]int{}
				}
				f.c.charges[len(p.Cells)] = charge
			}
			c.Name, c.Null = ce.Col.Table.Name+"."+ce.Col.Name, ce.Col.Null || ce.Row.Optional
			if f.c.replying && ce.Col.Label.Empty() { // values that a write reads for itself may be hidden from programs, so no notice names them
				c.Shown = ce.Col.Guest
			}
		} else if lists == 0 && it.expr != nil {
			f.c.makes(len(p.Cells), it.expr)
		}
		if of := expr.JSONNumber(it.expr); of != nil && f.c.replying && of.Label.Empty() {
			c.Shown, c.Rounded = of.Guest, true
		}
		if g, ok := it.expr.(expr.Cell); ok && g.List != "" {
			c.Kind, c.Of, c.Collected, c.Null = value.TypeList, g.List, true, false
		}
		p.Cells = append(p.Cells, c)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: expr.Shown(it.expr, &f.From), As: fmt.Sprintf("c%d", len(sel.Columns))})
	}
	return s
}

// tallies adds cells that count the misfits (see misfit.go in package expr) which became null in groups, or in one value of all rows.
func (f *from) tallies(sel *sqlast.Select, p *plan.Plan, q *query) {
	if !f.c.replying {
		return
	}
	if p.Kind != plan.RunValue && q.base != nil && grouped(q.base) { // an aggregate over groups shows no cells of single groups
		for _, t := range groupOf(q.base).tallies {
			q.tallies = append(q.tallies, expr.Tally{Col: t.Col, Rows: groupOf(q.base).cell(q.base, t.Rows)})
		}
	}
	for _, t := range q.tallies {
		p.Cells, p.Tallies = append(p.Cells, plan.Cell{Kind: value.TypeInt, Tally: true, Name: "count", Shown: t.Col.Guest, Of: t.Col.Kind}), p.Tallies+1
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: t.Rows.SQL(&f.From), As: fmt.Sprintf("c%d", len(sel.Columns))})
	}
}

// Message compiles a program's message to a plan.
func Message(d expr.Engine, m *exo.Message, grants []shape.Prepared, after Position) (*plan.Plan, error) {
	c := newCompiler(d, m, grants)
	c.after = after
	p, err := reply(c)
	if err != nil {
		return nil, err
	}
	return withOpen(p, c), nil
}

func planOf(c *compiler) (*plan.Plan, error) {
	c.replying = true
	f := c.newFrom(nil)
	q, err := f.query(c.msg.Root.Recv, expr.Names{})
	if err != nil {
		return nil, err
	}
	out := q.shown()
	switch c.msg.Root.Name {
	case language.Page:
		if err := f.page(q, plan.Source{Origin: plan.FromMessage, Index: c.msg.Root.Args[0].Slot, Item: -1}); err != nil {
			return nil, err
		}
		return f.finish(q, plan.RunPage, out)
	case language.Execute:
		return f.finish(q, plan.RunAll, out)
	case language.First:
		return f.finish(q, plan.RunFirst, out)
	case language.Count:
		return f.finish(q, plan.RunCount, nil)
	}
	return f.ofQuery(q, c.msg.Root)
}

// typed is a chain of typed calls that needs a plan: the plan's key, the chain's values, and a copy
// of the chain without them.
type typed struct {
	Key    []byte
	Vals   []value.Value
	chain  *decl.Relation
	scopes scope.Scopes
	kind   plan.RunKind
}

// NewChain prepares a chain of typed calls for compilation. more are further values of its plan, like the size of a page.
func NewChain(r *decl.Relation, ss scope.Scopes, kind plan.RunKind, more ...value.Value) typed {
	key, chain, fixed, vals := shape.Chain(fmt.Appendf(nil, "typed %d;", kind), r, ss, nil)
	return typed{key, append(vals, more...), chain, fixed, kind}
}

// Grant returns the chain in the form of a grant, which can be asked for its scopes.
func (s *typed) Grant() *scope.Grant {
	return &scope.Grant{Rel: s.chain, Scopes: s.scopes, Chain: s.scopes}
}

// Compile makes the plan of the chain. The plan of a page takes its size from the last value.
func (s *typed) Compile(d expr.Engine, after Position) (*plan.Plan, error) {
	size := plan.Source{Index: len(s.Vals) - 1, Item: -1}
	return relation(d, s.chain, &scope.Grant{Scopes: s.scopes, Chain: s.scopes}, s.kind, size, after)
}

// relation makes the plan of a chain of typed calls. r and g are copies of the chain and its scopes without values.
func relation(d expr.Engine, r *decl.Relation, g *scope.Grant, kind plan.RunKind, size plan.Source, after Position) (*plan.Plan, error) {
	c := newCompilerOn(d, []*scope.Grant{g})
	c.after = after
	f := c.newFrom(nil)
	q, row, err := f.relation(r, g)
	if err != nil {
		return nil, err
	}
	if kind == plan.RunFirst && len(r.Table.Keys) == 0 {
		return nil, noKey(r.Table)
	}
	out := allColumns(row)
	if kind == plan.RunPage {
		if err := f.page(q, size); err != nil {
			return nil, err
		}
	}
	return f.finish(q, kind, out)
}

// allColumns returns the columns of a row's table, in the order of its declaration.
func allColumns(row *expr.Row) *projection {
	out := &projection{}
	for _, col := range row.Table.Cols {
		out.names = append(out.names, col.Name)
		out.items = append(out.items, projected{expr: expr.ColumnOf(row, col), kind: col.Kind, elem: col.Elem, null: col.Null})
	}
	return out
}

// ofQuery makes the plan of a message that asks for one value of all rows of a query.
func (f *from) ofQuery(q *query, n *message.Node) (*plan.Plan, error) {
	if err := f.gather(q, n); err != nil {
		return nil, err
	}
	x, err := expr.Expr(nil), error(nil)
	if len(n.Args) > 0 {
		if x, err = f.expr(n.Args[0].Args[0], f.bound(n.Args[0], q, expr.Names{})); err != nil {
			return nil, err
		}
	}
	if f.c.Extremes = n.Name == language.Min || n.Name == language.Max; !f.Ends(x) { // an index finds the least and the greatest value; counting misfits would read all rows
		q.tallies = f.Tallied(q.tallies, x)
	}
	if x, err = f.aggregate(q, n, x, nil); err != nil {
		return nil, err
	}
	q.order = nil
	out := &projection{names: []string{n.Name}, items: []projected{{expr: x, kind: n.Type.Name, null: true}}}
	return f.finish(q, plan.RunValue, out)
}

// withOpen adds an open plan (see open.go) to p, if p has fences and an index search can find the
// scope of each of its tables.
func withOpen(p *plan.Plan, c *compiler) *plan.Plan {
	if c.fences == 0 {
		return p
	}
	if slices.ContainsFunc(c.entered, func(row *expr.Row) bool { _, ok := c.FixedOf(row.Entry); return !ok }) {
		return p
	}
	again := func() *compiler {
		again := compilerOf(c.Engine, c.msg, c.grants)
		again.after = c.after
		return again
	}
	p.Open = opened(fence.Form{Open: true}, again, reply)
	return p
}

// Guarded returns an open plan of a message with guards for the tables that fence.Next chose. If there is no such plan, the result has no Tables.
func Guarded(d expr.Engine, m *exo.Message, grants []shape.Prepared, after Position, form fence.Form) *plan.Plan {
	p := opened(form, func() *compiler {
		c := newCompiler(d, m, grants)
		c.after = after
		return c
	}, reply)
	if p == nil {
		return &plan.Plan{}
	}
	return p
}

// reply returns the plan of a message that reads.
func reply(c *compiler) (*plan.Plan, error) {
	p, err := planOf(c)
	if err == nil && p.Kind != plan.RunValue && p.Kind != plan.RunCount { // a value or a count shows no row, so no cell is sealed: the run gets the label of what was read
		err = c.sealed(p)
	}
	return p, err
}
