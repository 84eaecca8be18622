package compile

import (
	"cmp"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// group is a derived table of groups of rows: its outputs are the keys, by which the rows
// are grouped, and aggregates over the rows of each group. What comes after groupBy stands
// outside of it: its conditions are what SQL calls HAVING.
//
// The rows come from behind a fence, or of a plan that was judged open, so no row out of scope is
// read in the order of a key or of what an aggregate compares (TestAggregateReads), and none is in a group.
type group struct {
	inner *from
	ns    []named // of the query that was grouped: what an aggregate's callback sees
	of    *query  // the query
	names []string
	keys  []cell
	kinds []string              // of the keys, as the catalogue has them: a literal may widen what the compiler knows
	cells map[*decl.Column]expr // what each output is, over the rows
	order *query                // the query that was grouped: its order is that of lists
	rows  *derived              // whose outputs are windows over the rows, for lists; PostgreSQL
	by    []expr                // what the rows are grouped by

	repeats bool // rows of it may be equal
	records bool // it is no group: each row is one of what select showed, see combine
}

// grouped reports whether a row stands for several.
func (o *occurrence) grouped() bool { return o.group != nil && !o.group.records }

// cell is an output of a group, in whatever from the group is now.
type cell struct {
	row *occurrence
	col *decl.Column
	of  exprType

	list string // of a list, the kind of its items

	by   *decl.Column // of a key that shows one text of several: the output by which they are equal
	like decl.Form    // that equality
}

// An engine moves a condition on a key to the rows that are grouped, where no guard stands before it.
func (e cell) sql(f *from) sqlast.Expr {
	if f.c.conditions > 0 && len(f.c.Guards) > 0 {
		f.c.unguarded = true
	}
	return f.col(e.row, e.col)
}

func (e cell) typ() exprType { return e.of }

// doGroup makes groups of the rows of q.
func (f *from) doGroup(q *query, n *message.Node, env names) error {
	if err := f.gather(q, n); err != nil {
		return err
	}
	was := *q
	var rows *derived
	if f.c.dialect == sqlast.Postgres && collects(f.c.msg.Root) {
		f.wrap(func(*from, *sqlast.Select, string) []sqlast.Expr { return nil })
		rows = f.at[f.rows[0]].derived
	}
	record := n.Args[0].Args[0]
	inner := f.bound(n.Args[0], q, env)
	row := &occurrence{table: &decl.Table{Name: "groups"}, optional: true}
	g := &group{ns: q.seen(), of: &was, names: record.Names, cells: map[*decl.Column]expr{}, order: &was, rows: rows}
	row.group, g.inner = g, f
	d := &derived{outs: map[outKey]string{}, group: g}
	var outs []sqlast.Output
	for i, a := range record.Args {
		x, err := f.expr(a, inner)
		if err != nil {
			return err
		}
		if _, value := x.(argExpr); value || !language.Groupable[x.typ().kind] {
			return fail.Errorf(fail.Invalid, n.Name, "rows can't be grouped by `%s`: it has to be a column, or an expression of columns, of numbers, texts, truth values, times, days or ids", record.Names[i])
		}
		x, c := g.keyOfRows(row, x)
		g.by = append(g.by, x)
		g.keys, g.kinds = append(g.keys, c), append(g.kinds, a.Type.Args["of"].Name)
		row.table.Keys = append(row.table.Keys, c.col)
		key := outKey{row, cmp.Or(c.by, c.col)}
		if _, twice := d.outs[key]; twice { // under another name
			continue
		}
		f.c.sorting = true
		outs = append(outs, d.out(key, f.canonicalSQL(x), len(outs)))
		f.c.sorting = false
	}
	source := *f
	g.inner, d.inner = &source, &source
	d.sel = source.sources.Of(&sqlast.Select{Columns: outs, Where: source.where, Group: len(outs)})
	f.derive(row, d)
	*q = query{ns: []named{{language.GroupAlias, row}}, base: row}
	if n.Name == language.CountBy {
		count, err := g.inner.aggregate(language.Count, nil, nil)
		if err != nil {
			return err
		}
		q.out = wholeRow(row)
		q.out.names = append(q.out.names[:len(q.out.names):len(q.out.names)], language.Count)
		q.out.items = append(q.out.items, projected{expr: g.cell(row, count), kind: value.TypeInt, null: true})
	}
	return nil
}

// gather prepares q for what takes its rows together. What stood before and would be lost is refused.
func (f *from) gather(q *query, n *message.Node) error {
	switch {
	case len(q.context) > 0 || f.asked != nil || f.outer != nil:
		return fail.Errorf(fail.Invalid, n.Name, "is about a whole query, and can't stand in a callback or in a query that is joined")
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

// after refuses in a callback that takes rows together what has two meanings after a select: a name that select gave to
// another thing than the column of that name; and after distinct, which leaves one row of several, whatever select did not show.
func (q *query) after(name string, lambda *message.Node) error {
	if q.out == nil || q.out.bare {
		return nil
	}
	return q.reads(lambda.Args[0], func(row *occurrence, column string) error {
		i := slices.Index(q.out.names, column)
		if i >= 0 && q.out.items[i].expr != nil {
			if c, ok := q.out.items[i].expr.(colExpr); ok && c.row == row && row.facet != nil && row.facet.Column(column) == c.col {
				return nil
			}
			if k, ok := q.out.items[i].expr.(cell); ok && row.group != nil && k.row == row && slices.Contains(row.group.names, column) && row.group.keys[slices.Index(row.group.names, column)] == k {
				return nil
			}
			if len(q.ns) == 1 {
				return fail.Errorf(fail.Invalid, name, "`%s` is a column of the rows and something else in select: give it another name in select", column)
			}
		}
		if q.once {
			return fail.Errorf(fail.Invalid, name, "distinct leaves one of the rows that show the same, so only what select shows can be used after it, and `%s` is not: select it too, or put %s before select", column, name)
		}
		return nil
	}, lambda.Recv)
}

// reads calls see for each column that a node reads of the query's own rows by the placeholder of its callback.
func (q *query) reads(n *message.Node, see func(*occurrence, string) error, param *message.Node) error {
	if n == nil {
		return nil
	}
	if n.Op == message.OpField && n.Recv.Op == message.OpField && n.Recv.Recv == param {
		for _, x := range q.ns {
			if x.name == n.Recv.Name {
				return see(x.row, n.Name)
			}
		}
	}
	if n.Op == message.OpCall && n.Recv.Op == message.OpField && n.Recv.Recv == param && q.once && n.Type.Args["row"] != nil {
		return see(q.ns[0].row, n.Name) // a link
	}
	for _, a := range append([]*message.Node{n.Recv}, n.Args...) {
		if err := q.reads(a, see, param); err != nil {
			return err
		}
	}
	return nil
}

// derive makes the groups the only source.
func (f *from) derive(row *occurrence, d *derived) {
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	*f = from{c: f.c, rows: []*occurrence{row}, at: map[*occurrence]place{row: {alias: alias, derived: d}}}
	f.sources = scope.Derived(d.sel, alias)
}

// cell makes an output of an expression over the rows.
func (g *group) cell(row *occurrence, x expr) cell {
	of := x.typ()
	for col, made := range g.cells { // what is selected and sorted by is calculated once
		if same(made, x) {
			return cell{row: row, col: col, of: of}
		}
	}
	c := cell{row: row, col: &decl.Column{Table: row.table, Name: "group", Kind: of.kind, Null: true, Stored: cellform.ISO}, of: of}
	g.cells[c.col] = x
	return c
}

// canonical is a key such that equal ones are shown alike.
func (f *from) canonical(x expr) expr {
	switch t := x.typ(); {
	case t.kind == value.TypeText && t.native.Ordered:
		return nativeExpr{x, false}
	case t.kind == value.TypeText:
		return textExpr{x}
	case t.decimal() && f.c.dialect == sqlast.SQLite: // 1.0 and 1.00 are two texts
		x = f.bounded(x)
		return opExpr{sqlast.Plus, []expr{x, constExpr(sqlast.Zero)}, exprType{kind: t.kind, exact: true, size: x.typ().digits()}}
	}
	return x
}

// canonicalSQL writes a key as it is shown.
func (f *from) canonicalSQL(x expr) sqlast.Expr {
	if c, column := x.(colExpr); column && c.single() {
		return x.sql(f)
	} else if column { // misfits are of one group
		return compared(x, f)
	}
	if _, native := x.(nativeExpr); native || x.typ().kind == value.TypeTime && f.c.dialect == sqlast.Postgres {
		return compared(x, f)
	}
	return shown(x, f)
}

// groupOf is the group that a node stands for, with the conditions on its rows.
func (f *from) groupOf(n *message.Node, env names) (*occurrence, []*message.Node, error) {
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

// joinable refuses what has no rows of a table.
func joinable(q *query, name string) error {
	if q.base == nil || q.base.group == nil {
		return nil
	}
	if q.base.group.records {
		return fail.Errorf(fail.Invalid, name, "what union, intersect and except give can't be joined or renamed; join before, in each of the queries")
	}
	return fail.Errorf(fail.Invalid, name, "groups can't be joined or renamed; join before groupBy, or await the groups and go on with the rows")
}

// isGroup reports whether a type is that of a group, by whatever name a policy that narrows it gives it.
func isGroup(t *message.Type) bool { return t.Args["ns"] != nil && t.Args["row"] == nil }

// outOfGroup is the error for a group in a callback about its own rows: env has none there.
func outOfGroup(n *message.Node) error {
	if !isGroup(n.Type) {
		return ErrNode(n)
	}
	return fail.Errorf(fail.Invalid, n.Name, "a group can't be asked in a callback about its rows: calculate with what two aggregates give, outside of both")
}

// ofGroup interprets an aggregate over the rows of a group.
func (f *from) ofGroup(n *message.Node, env names) (expr, error) {
	row, conds, err := f.groupOf(n.Recv, env)
	if err != nil {
		return nil, err
	}
	g := row.group
	var within []expr
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
	var of expr
	if len(n.Args) > 0 {
		if of, err = g.inner.expr(n.Args[0].Args[0], g.bound(n.Args[0])); err != nil {
			return nil, err
		}
	}
	if n.Name == language.Collect {
		return g.collect(row, of, n.Args[0].Args[0].Type, within)
	}
	g.inner.repeated(g.of, n)
	x, err := g.inner.aggregate(n.Name, of, within)
	if err != nil {
		return nil, err
	}
	return g.cell(row, x), nil
}

// keyOfGroup is a key of a group.
func (f *from) keyOfGroup(row *occurrence, name string) (expr, error) {
	if i := slices.Index(row.group.names, name); i >= 0 {
		return row.group.keys[i], nil
	}
	return nil, fail.Errorf(fail.Denied, name, "the rows are not grouped by it")
}

// bound is what an aggregate's callback sees: the rows that were grouped, and no group.
func (g *group) bound(lambda *message.Node) names { return names{lambda.Recv: g.ns} }

// ofQuery completes a message that asks for one value of all rows of a query.
func (f *from) ofQuery(q *query, n *message.Node) (*plan.Plan, error) {
	if err := f.gather(q, n); err != nil {
		return nil, err
	}
	x, err := f.expr(n.Args[0].Args[0], f.bound(n.Args[0], q, names{}))
	if err != nil {
		return nil, err
	}
	f.repeated(q, n)
	f.c.extremes = n.Name == language.Min || n.Name == language.Max
	if x, err = f.aggregate(n.Name, x, nil); err != nil {
		return nil, err
	}
	q.order = nil
	out := &projection{names: []string{n.Name}, items: []projected{{expr: x, kind: n.Type.Name, null: true}}}
	return f.finish(q, plan.RunValue, out)
}
