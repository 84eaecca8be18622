package compile

import (
	"fmt"

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

// maxSets bounds how many queries a program may combine with the first one.
const maxSets = 20

// combine combines the rows of two queries, q and the argument of n. Each is a select with its own limits and fence,
// and its tables entered by their own grants. Later conditions are outside of both; if an engine moves one inside, it
// meets only rows in scope (TestSetReads).
//
// Rows are compared as they are shown, like keys of groups. The result is a group whose rows are records: see group.
func (f *from) combine(q *query, n *message.Node, set sqlast.Set) error {
	if f.Outer != nil || f.asked != nil || len(q.context) > 0 || !n.Args[0].Closed() || !n.Recv.Closed() {
		return fail.Errorf(fail.Invalid, n.Name, "combines two whole queries: write it outside of callbacks, and not in a query that is joined")
	}
	if f.c.sets++; f.c.sets > maxSets {
		return fail.Errorf(fail.Limit, n.Name, "a query can be combined with at most %d others: write several queries, await each, and combine their arrays, like [...a, ...b]", maxSets)
	}
	other := f.c.newFrom(nil)
	q2, err := other.query(n.Args[0], expr.Names{})
	if err != nil {
		return err
	}
	shows, err := f.arm(q, n.Name)
	if err != nil {
		return err
	}
	theirs, err := other.arm(q2, n.Name)
	if err != nil {
		return err
	}
	row := &expr.Row{Table: &decl.Table{Name: "rows"}, Optional: true}
	g := &group{names: shows.names, cells: map[*decl.Column]expr.Expr{}, records: true, repeats: set == sqlast.UnionAll}
	row.Made = g
	d := &expr.Derived{Outs: map[expr.OutKey]string{}}
	var ours, their []sqlast.Output
	before := f.c.Sorting
	f.c.Sorting = true
	defer func() { f.c.Sorting = before }()
	for i, it := range shows.items {
		x, y, of, err := f.comparable(it.expr, theirs.items[i].expr)
		if err != nil {
			return fail.Errorf(fail.Invalid, n.Name, "`%s` %s", shows.names[i], err.Error())
		}
		c := expr.Cell{Row: row, Col: &decl.Column{Table: row.Table, Name: "row", Kind: of.Kind, Null: true, Stored: cellform.ISO}, Of: of}
		g.keys, g.kinds, g.cells[c.Col] = append(g.keys, c), append(g.kinds, it.kind), x
		row.Table.Keys = append(row.Table.Keys, c.Col)
		o := d.Out(expr.OutKey{Row: row, Col: c.Col}, f.CanonicalSQL(x), i)
		ours, their = append(ours, o), append(their, sqlast.Output{Expr: other.CanonicalSQL(y), As: o.As})
	}
	source := *f
	g.inner, d.Inner = &source, &source.From
	d.Sel = source.sources.Of(&sqlast.Select{Columns: ours, Where: source.where})
	with := other.sources.Of(&sqlast.Select{Columns: their, Where: other.where})
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	f.become(row, expr.Place{Alias: alias, Derived: d})
	f.sources = scope.Combined(d.Sel, set, with, alias)
	*q = query{ns: []expr.Named{{Name: language.RecordAlias, Row: row}}, base: row}
	if shows.bare {
		g.names = []string{message.OneField}
		q.out = wholeRow(row)
		q.out.bare = true
	}
	return nil
}

// arm finishes one of two combined queries, and returns the projection that it shows.
func (f *from) arm(q *query, name string) (*projection, error) {
	if q.out == nil && groupOf(q.base) == nil {
		return nil, fail.Errorf(fail.Invalid, name, "needs to know what both queries show: select the columns in both before it, like .select(t => ({ id: t.id, name: t.name }))")
	}
	out := q.shown()
	for i, it := range out.items {
		if it.sub != nil {
			return nil, fail.Errorf(fail.Invalid, name, "`%s` is a record: select its columns one by one", out.names[i])
		}
		if it.rows != nil {
			return nil, fail.Errorf(fail.Invalid, name, "`%s` is a list of rows, which can't be compared: write .select(…) with other columns before %s", out.names[i], name)
		}
	}
	if err := f.settle(q); err != nil {
		return nil, err
	}
	f.fence()
	return out, nil
}

// comparable converts two expressions to one form, in which equal values are written alike, and returns the type of that form.
func (f *from) comparable(x, y expr.Expr) (_, _ expr.Expr, of expr.Type, err error) {
	both := []expr.Expr{x, y}
	for i, e := range both {
		if c, ok := e.(expr.Cell); ok && c.List != "" || !language.Groupable[e.Type().Kind] {
			return nil, nil, of, fmt.Errorf("can't be compared: it has to be a number, a text, a truth value, a time, a day or an id")
		}
		v, val := e.(expr.Argument)
		switch kind := e.Type().Kind; {
		case !val:
		case e.Type().Number():
			both[i] = f.Exactly(v)
		case kind == value.TypeBool: // PostgreSQL would treat the parameter alone as text; NOT NOT makes it a truth value
			both[i] = expr.Apply(sqlast.Not, []expr.Expr{expr.Apply(sqlast.Not, []expr.Expr{v}, v.Type())}, v.Type())
		case kind != value.TypeText:
			return nil, nil, of, fmt.Errorf("is a constant of a type that can't be combined: write a text, a number, true or false, or select a column")
		}
	}
	if a, b := both[0].Type(), both[1].Type(); a.Number() && a.Decimal() != b.Decimal() {
		both = expr.Mapped(both, f.Exactly)
	}
	alike := both[0].Type().Native == both[1].Type().Native
	for i, e := range both {
		if both[i] = f.Canonical(e); !alike && e.Type().Kind == value.TypeText { // PostgreSQL can't combine columns of two text types
			both[i] = expr.Text{X: e}
		}
	}
	if of = both[0].Type(); !alike && of.Kind == value.TypeText {
		of.Native = expr.Lettered(expr.NativeOf(both))
	}
	switch {
	case of.Number():
		of.Size = expr.Largest(both)
	case of.Kind == value.TypeText:
		of.Size = expr.Longest(both)
	}
	return both[0], both[1], of, nil
}
