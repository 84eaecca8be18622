package compile

import (
	"cmp"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// group is a derived table of groups of rows. Its outputs are the keys, by which the rows are grouped,
// and aggregates over the rows of each group. Calls after groupBy are outside of it: their conditions
// are HAVING in SQL.
//
// The rows come from behind a fence, or from a plan that reads only rows in scope (see package fence).
// So no group has a row out of scope. No such row is read in the order of a key or of an aggregated
// expression (TestAggregateReads).
type group struct {
	inner *from
	ns    []expr.Named // ns are the rows that the callbacks of aggregates see
	of    *query       // of is the grouped query
	names []string
	keys  []expr.Cell
	kinds []string                   // kinds are the keys' types in the catalogue; the compiler's types may be wider, because of a literal
	cells map[*decl.Column]expr.Expr // cells has the expression over the rows for each output
	order *query                     // order is the grouped query, which gives lists their order
	rows  *expr.Derived              // rows is a derived table with windows over the grouped rows; lists need it on PostgreSQL
	under *from                      // under is what the derived table in the field rows reads from; nil if the field rows is nil
	by    []expr.Expr                // by are the expressions that group the rows

	tallies []expr.Tally

	repeats bool // repeats: some rows of the result may be equal (unionAll)
	records bool // records: the rows are not groups but rows that select showed, combined by union or the like
}

func (g *group) Source() *expr.From { return &g.inner.From }

func (g *group) Output(col *decl.Column) expr.Expr { return g.cells[col] }

// groupOf returns the group that a row represents, or nil if it represents none.
func groupOf(row *expr.Row) *group {
	g, _ := row.Made.(*group)
	return g
}

// grouped reports whether a row of the query represents a group of rows.
func grouped(row *expr.Row) bool { return groupOf(row) != nil && !groupOf(row).records }

// doGroup makes groups of the rows of q.
func (f *from) doGroup(q *query, n *message.Node, env expr.Names) error {
	if err := f.gather(q, n); err != nil {
		return err
	}
	was := *q
	var rows *expr.Derived
	var under *from
	if f.c.Dialect == sqlast.Postgres && collects(f.c.msg.Root) {
		f.wrap(func(inner *from, _ *sqlast.Select, _ string) []sqlast.Expr {
			under = inner
			return nil
		})
		rows = f.At[f.Rows[0]].Derived
	}
	record := n.Args[0].Args[0]
	inner := f.bound(n.Args[0], q, env)
	row := &expr.Row{Table: &decl.Table{Name: "groups"}, Optional: true}
	g := &group{ns: q.seen(), of: &was, names: record.Names, cells: map[*decl.Column]expr.Expr{}, order: &was, rows: rows, under: under}
	row.Made, g.inner = g, f
	d := &expr.Derived{Outs: map[expr.OutKey]string{}}
	var outs []sqlast.Output
	for i, a := range record.Args {
		x, err := f.expr(a, inner)
		if err != nil {
			return err
		}
		if !groupable(x) {
			return fail.Errorf(fail.Invalid, n.Name, "rows can't be grouped by `%s`: use %s", record.Names[i], ofColumns)
		}
		g.tallies = f.Tallied(g.tallies, x)
		x, c := g.keyOfRows(row, x)
		g.by = append(g.by, x)
		g.keys, g.kinds = append(g.keys, c), append(g.kinds, a.Type.Args["of"].Name)
		row.Table.Keys = append(row.Table.Keys, c.Col)
		key := expr.OutKey{Row: row, Col: cmp.Or(c.By, c.Col)}
		if _, twice := d.Outs[key]; twice { // a key under a second name needs no second column
			continue
		}
		f.c.sort(true, func() { outs = append(outs, d.Out(key, f.CanonicalSQL(x), len(outs))) })
	}
	source := *f
	g.inner, d.Inner = &source, &source.From
	d.Sel = source.sources.Of(&sqlast.Select{Columns: outs, Where: source.where, Group: len(outs)})
	f.derive(row, d)
	*q = query{ns: []expr.Named{{Name: language.GroupAlias, Row: row}}, base: row}
	if n.Name == language.CountBy {
		count, err := g.inner.Aggregate(language.Count, nil, nil)
		if err != nil {
			return err
		}
		q.out = wholeRow(row)
		q.out.names = append(q.out.names[:len(q.out.names):len(q.out.names)], language.Count)
		q.out.items = append(q.out.items, projected{expr: g.cell(row, count), kind: value.TypeInt, null: true})
	}
	return nil
}

// groupable reports whether x depends on columns, and has one form for equal values, unlike JSON and lists.
func groupable(x expr.Expr) bool {
	_, constant := x.(expr.Argument)
	return !constant && language.Groupable[x.Type().Kind]
}

const ofColumns = "a column, or an expression of columns, with numbers, texts, truth values, times, days or ids"

// gather prepares q for a group or an aggregate over all its rows: pending limits take effect, then a fence encloses the rows. It fails in a callback
// and in a query that is joined, and if the callback of n uses columns that distinct has dropped.
func (f *from) gather(q *query, n *message.Node) error {
	switch {
	case len(q.context) > 0 || f.asked != nil || f.Outer != nil:
		return fail.Errorf(fail.Invalid, n.Name, "works on a whole query, and can't be used in a callback or in a query that is joined: call it outside of these")
	}
	for _, a := range n.Args {
		if a.Op == message.OpLambda {
			if err := q.after(n.Name, a); err != nil {
				return err
			}
		}
	}
	if err := f.settle(q); err != nil {
		return err
	}
	f.fence()
	return nil
}

// after checks the callback of an aggregate after distinct, which keeps one of several rows: it refuses columns that select left out.
func (q *query) after(name string, lambda *message.Node) error {
	if q.out == nil || q.out.bare || !q.once {
		return nil
	}
	return q.reads(lambda.Args[0], func(row *expr.Row, column string) error {
		i := slices.Index(q.out.names, column)
		if i >= 0 && q.out.items[i].expr != nil {
			if c, ok := q.out.items[i].expr.(expr.Column); ok && c.Row == row && row.Facet != nil && row.Facet.Column(column) == c.Col {
				return nil
			}
			if k, ok := q.out.items[i].expr.(expr.Cell); ok && keyNamed(row, column) == k {
				return nil
			}
		}
		return fail.Errorf(fail.Invalid, name, "after distinct only selected columns can be used, and `%s` is not selected: select it too, or leave out select and distinct", column)
	}, lambda.Recv)
}

// derive replaces all sources of f by the derived table of groups.
func (f *from) derive(row *expr.Row, d *expr.Derived) {
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	f.become(row, expr.Place{Alias: alias, Derived: d})
	f.sources = scope.Derived(d.Sel, alias)
}

// become resets f to a from without conditions, over one row.
func (f *from) become(row *expr.Row, at expr.Place) {
	*f = *f.c.newFrom(nil)
	f.Rows, f.At[row] = []*expr.Row{row}, at
}

// cell adds to the groups an output that calculates x over the rows of each group.
func (g *group) cell(row *expr.Row, x expr.Expr) expr.Cell {
	of := x.Type()
	for col, made := range g.cells { // an expression that is both selected and sorted by is calculated once
		if expr.Same(made, x) {
			return expr.Cell{Row: row, Col: col, Of: of}
		}
	}
	c := expr.Cell{Row: row, Col: &decl.Column{Table: row.Table, Name: "group", Kind: of.Kind, Null: true, Stored: cellform.ISO}, Of: of}
	g.cells[c.Col] = x
	return c
}

// groupNode returns the group that a node means, and the conditions on the group's rows from calls of where.
func (f *from) groupNode(n *message.Node, env expr.Names) (*expr.Row, []*message.Node, error) {
	var conds []*message.Node
	for n.Op == message.OpCall && n.Name == language.WhereMethod {
		conds, n = append(conds, n.Args[0]), n.Recv
	}
	row, err := f.row(n, env)
	if err != nil {
		return nil, nil, outOfGroup(n)
	}
	return row, conds, nil
}

// joinable refuses to join or rename a query of groups or combined rows, which are not rows of a table.
func joinable(q *query, name string) error {
	if q.base == nil || groupOf(q.base) == nil {
		return nil
	}
	if groupOf(q.base).records {
		return fail.Errorf(fail.Invalid, name, "the result of union, intersect or except can't be joined or renamed: join before, in each of the queries")
	}
	return fail.Errorf(fail.Invalid, name, "groups can't be joined or renamed: join before groupBy, or await the groups and use their rows")
}

// isGroup reports whether a type is that of a group. A policy that narrows the type may have renamed it.
func isGroup(t *message.Type) bool { return t.Args["ns"] != nil && t.Args["row"] == nil }

// outOfGroup returns the error for an aggregate of a group inside a callback about the group's own rows.
func outOfGroup(n *message.Node) error {
	if !isGroup(n.Type) {
		return expr.ErrNode(n)
	}
	return fail.Errorf(fail.Invalid, n.Name, "an aggregate of the group can't be used inside a callback about its rows: calculate with the results of two aggregates, like g.max(t => t.column) - g.min(t => t.column)")
}

// ofGroup interprets an aggregate over the rows of a group.
func (f *from) ofGroup(n *message.Node, env expr.Names) (expr.Expr, error) {
	row, conds, err := f.groupNode(n.Recv, env)
	if err != nil {
		return nil, err
	}
	g := groupOf(row)
	var within []expr.Expr
	for _, c := range append(conds, n.Args...) {
		if err := g.of.after(n.Name, c); err != nil {
			return nil, err
		}
	}
	for _, c := range conds {
		x, err := g.inner.expr(c.Args[0], g.bound(c))
		if err != nil {
			return nil, err
		}
		within = append(within, x)
	}
	var of expr.Expr
	if len(n.Args) > 0 {
		if of, err = g.inner.expr(n.Args[0].Args[0], g.bound(n.Args[0])); err != nil {
			return nil, err
		}
	}
	if n.Name == language.Collect {
		return g.collect(row, of, n.Args[0].Args[0].Type, within)
	}
	g.tallies = g.inner.Tallied(g.tallies, of)
	x, err := g.inner.aggregate(g.of, n, of, within)
	if err != nil {
		return nil, err
	}
	return g.cell(row, x), nil
}

// keyOfGroup returns a key of a group.
func (f *from) keyOfGroup(row *expr.Row, name string) (expr.Expr, error) {
	if k := keyNamed(row, name); k.Row != nil {
		return k, nil
	}
	return nil, fail.Errorf(fail.Denied, name, "is no key of the group: add it to groupBy, or ask for an aggregate of it")
}

// keyNamed returns the key of a group with a name, or the zero Cell.
func keyNamed(row *expr.Row, name string) (none expr.Cell) {
	g := groupOf(row)
	if g == nil || !slices.Contains(g.names, name) {
		return none
	}
	return g.keys[slices.Index(g.names, name)]
}

// bound returns the names that an aggregate's callback sees: the grouped rows, and no group.
func (g *group) bound(lambda *message.Node) expr.Names { return expr.Names{lambda.Recv: g.ns} }

// keyOfRows returns the expression that groups rows by x, and the cell of a group that shows this key. If the column's equality
// puts different texts into one group (citext, NOCASE), the cell shows the least of them by code points, on both engines.
func (g *group) keyOfRows(row *expr.Row, x expr.Expr) (by expr.Expr, shown expr.Cell) {
	f := g.inner
	own, form, ok := f.Loose(x)
	if !ok {
		x = f.Canonical(x)
		return x, g.cell(row, x)
	}
	key := g.cell(row, own)
	least, _ := f.Extreme(language.Min, x, nil) // a group of texts always has a least text
	shown = g.cell(row, least)
	shown.By, shown.Like = key.Col, form
	return own, shown
}
