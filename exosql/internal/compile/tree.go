package compile

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A tree is the rows that a link from a table to itself reaches, the rows that it reaches from these, and so on:
//
//	WITH RECURSIVE tree (key, depth) AS (
//	  SELECT key, 1 FROM rows in scope that the link reaches
//	  UNION SELECT t.key, depth + 1 FROM tree JOIN rows in scope AS t ON the link WHERE depth < ?)
//
// The table enters in both SELECTs (the arms), and once more for the columns of the rows, each time with its whole scope. So a path ends at a row out
// of scope (TestTreeEndsAtScope). The arms have only scopes and the host's link; the program's conditions come after a fence around everything. UNION
// keeps one of the equal rows of a level, and the bound on the depth ends cycles. A row that is reached in several ways has its least depth.

// maxTrees bounds the trees of a statement, nested ones included, since each makes the engine loop.
const maxTrees = 8

// tree interprets recursive(), which follows a link from a table to itself again and again.
func (f *from) tree(n *message.Node, env expr.Names) (*query, error) {
	if f.c.Open {
		return nil, errNotFixed // no engine's plan shows what a recursion searches for at each step
	}
	if len(f.Rows) > 0 || f.asked != nil {
		return nil, fail.Errorf(fail.Invalid, n.Name, "a tree can't be used in the callback of a join: begin the query with the tree and join the rest, or ask for it in select: .select(t => ({ below: t.children().recursive() })), with the link that you need")
	}
	if f.c.trees++; f.c.trees > maxTrees {
		return nil, fail.Errorf(fail.Limit, n.Name, "too many trees in one query: the limit is %d, and each use counts; write several queries", maxTrees)
	}
	first := f.c.newFrom(f.Outer)
	q, err := first.query(n.Recv, env)
	if err != nil {
		return nil, err
	}
	fc, l := q.base.Facet, q.link
	if fc == nil || l == nil || n.Recv.Name != l.Name || !fc.Turns(fc.Link(l.Name)) || fc.Link(l.Name).L != l {
		return nil, fail.Errorf(fail.Invalid, n.Name, "must come right after a link from a table to itself, like .%s().%s(): write conditions, orders and limits after it", turning(fc), n.Name)
	}
	if err := HasKey(fc.Table); err != nil {
		return nil, err
	}
	t := &treeOf{g: q.base.Grant, facet: fc, link: l}
	for _, p := range l.Pairs {
		if !slices.Contains(fc.Table.Keys, p.From) && !slices.Contains(t.carried, p.From) {
			t.carried = append(t.carried, p.From)
		}
	}
	t.carried = append(slices.Clone(fc.Table.Keys), t.carried...)
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	next, err := t.next(f.c, alias, t.bound(f.c, n))
	if err != nil {
		return nil, err
	}
	return t.rows(f, &sqlast.Recursion{First: t.outputs(first, q.base, sqlast.One), Next: next, Keys: len(fc.Table.Keys)}, alias)
}

// turning returns the name of a link that leads from a facet to itself, as an example for an error.
func turning(fc *decl.Facet) string {
	if fc != nil {
		for i := range fc.Links {
			if fc.Turns(&fc.Links[i]) {
				return fc.Links[i].L.Name
			}
		}
	}
	return "children"
}

type treeOf struct {
	g       *scope.Grant
	facet   *decl.Facet
	link    *decl.Link
	carried []*decl.Column // carried are the key columns of a row, and the columns at the link's start
}

const depthOutput = "depth"

func carriedName(i int) string { return fmt.Sprintf("c%d", i) }

// bound returns the argument that limits how deep the tree may be.
func (t *treeOf) bound(c *compiler, n *message.Node) sqlast.Expr {
	if len(n.Args) == 0 {
		return c.Arg(plan.Source{Origin: plan.FromDepth, Item: -1, Kind: plan.ArgDepth})
	}
	return c.Arg(plan.Source{Origin: plan.FromMessage, Index: n.Args[0].Slot, Item: -1, Kind: plan.ArgDepth})
}

// outputs finishes one arm of the recursion, a SELECT: it selects the carried columns of a row and its depth.
func (t *treeOf) outputs(f *from, row *expr.Row, depth sqlast.Expr) *sqlast.Select {
	sel := f.sources.Of(&sqlast.Select{Where: f.where})
	for i, c := range t.carried {
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: f.Col(row, c), As: carriedName(i)})
	}
	sel.Columns = append(sel.Columns, sqlast.Output{Expr: depth, As: depthOutput})
	return sel
}

// place returns the location of a row's carried columns in the source with the given alias.
func (t *treeOf) place(row *expr.Row, alias string) expr.Place {
	d := &expr.Derived{Outs: map[expr.OutKey]string{}}
	for i, c := range t.carried {
		d.Outs[expr.OutKey{Row: row, Col: c}] = carriedName(i)
	}
	return expr.Place{Alias: alias, Derived: d}
}

// enter adds the table with its whole scope, even if the link implies a part of the scope. The function on returns the conditions that join the
// table to the source before it.
func (t *treeOf) enter(f *from, on func(*expr.Row) []sqlast.Expr) (*expr.Row, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	e, err := t.g.Enter(t.facet.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	return f.enter(e, t.facet, on, nil)
}

// next returns the second SELECT of the recursion: the rows that the link reaches from rows of the level before.
func (t *treeOf) next(c *compiler, tree string, most sqlast.Expr) (*sqlast.Select, error) {
	f := c.newFrom(nil)
	step := c.alias()
	before := &expr.Row{Grant: t.g, Facet: t.facet, Table: t.facet.Table, Form: f.c.Forms()}
	f.sources, f.At[before] = scope.Step(tree, step), t.place(before, step)
	row, err := t.enter(f, func(row *expr.Row) []sqlast.Expr { return f.linked(t.link, before, row) })
	if err != nil {
		return nil, err
	}
	depth := sqlast.Column{Alias: step, Name: depthOutput}
	f.where = append(f.where, expr.Call(sqlast.Lt, depth, most))
	return t.outputs(f, row, expr.Call(sqlast.Add, depth, sqlast.One)), nil
}

// rows sets the sources of f to the rows of the tree.
func (t *treeOf) rows(f *from, r *sqlast.Recursion, alias string) (*query, error) {
	key := &expr.Row{Grant: t.g, Facet: t.facet, Table: t.facet.Table, Form: f.c.Forms()}
	f.sources, f.At[key] = scope.Tree(r, alias), t.place(key, alias)
	row, err := t.enter(f, func(row *expr.Row) (on []sqlast.Expr) {
		for _, k := range t.facet.Table.Keys {
			for _, by := range f.Pairs(expr.ColumnOf(row, k), expr.ColumnOf(key, k)) {
				on = append(on, expr.Call(sqlast.Eq, expr.Compared(by[0], &f.From), expr.Compared(by[1], &f.From)))
			}
		}
		return on
	})
	if err != nil {
		return nil, err
	}
	f.enclose()
	if row.DepthName = t.facet.DepthName(); row.DepthName != "" {
		row.Depth = &decl.Column{Table: t.facet.Table, Name: depthOutput, Guest: row.DepthName, Kind: value.TypeInt}
		d := f.At[row].Derived
		d.Sel.Columns = append(d.Sel.Columns, d.Out(expr.OutKey{Row: row, Col: row.Depth}, sqlast.Column{Alias: alias, Name: depthOutput}, len(d.Outs)))
	}
	return &query{base: row, ns: []expr.Named{{Name: t.facet.Alias, Row: row}}}, nil
}
