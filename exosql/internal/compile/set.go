package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// maxSets is how many queries one may be combined of, besides the first.
const maxSets = 20

// combine makes one query of the rows of two: q and the argument of n. Each is a select of its own, with tables that entered by
// their own grants, its own limits, and a fence of its own, so what comes after stands outside of both: an engine may
// move a condition on the result into both, and there it meets rows in scope alone (TestSetReads).
//
// Rows are compared as they are shown, as keys of groups are, and the result is a table of such rows: see group.
func (f *from) combine(q *query, n *message.Node, set sqlast.Set) error {
	if f.outer != nil || f.asked != nil || len(q.context) > 0 || !n.Args[0].Closed() || !n.Recv.Closed() {
		return fail.Errorf(fail.Invalid, n.Name, "is about whole queries: neither can use a row of a callback, or stand in a query that is joined")
	}
	if f.c.sets++; f.c.sets > maxSets {
		return fail.Errorf(fail.Limit, n.Name, "too many queries are combined in one: the limit is %d", maxSets)
	}
	other := f.c.newFrom(nil)
	q2, err := other.query(n.Args[0], names{})
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
	row := &occurrence{table: &decl.Table{Name: "rows"}, optional: true}
	g := &group{names: shows.names, cells: map[*decl.Column]expr{}, records: true, repeats: set == sqlast.UnionAll}
	row.made = g
	d := &derived{outs: map[outKey]string{}}
	var ours, their []sqlast.Output
	f.c.sorting = true
	defer func() { f.c.sorting = false }()
	for i, it := range shows.items {
		x, y, of, err := f.comparable(it.expr, theirs.items[i].expr)
		if err != nil {
			return fail.Errorf(fail.Invalid, n.Name, "`%s` %s", shows.names[i], err.Error())
		}
		c := cell{row: row, col: &decl.Column{Table: row.table, Name: "row", Kind: of.kind, Null: true, Stored: cellform.ISO}, of: of}
		g.keys, g.kinds, g.cells[c.col] = append(g.keys, c), append(g.kinds, it.kind), x
		row.table.Keys = append(row.table.Keys, c.col)
		o := d.out(outKey{row: row, col: c.col}, f.canonicalSQL(x), i)
		ours, their = append(ours, o), append(their, sqlast.Output{Expr: other.canonicalSQL(y), As: o.As})
	}
	source := *f
	g.inner, d.inner = &source, &source.From
	d.sel = source.sources.Of(&sqlast.Select{Columns: ours, Where: source.where})
	with := other.sources.Of(&sqlast.Select{Columns: their, Where: other.where})
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	f.become(row, place{alias: alias, derived: d})
	f.sources = scope.Combined(d.sel, set, with, alias)
	*q = query{ns: []named{{name: language.RecordAlias, row: row}}, base: row}
	if shows.bare {
		q.out = wholeRow(row)
		q.out.bare = true
	}
	return nil
}

// arm finishes one of two queries, and gives what it shows.
func (f *from) arm(q *query, name string) (*projection, error) {
	out := q.out
	if out == nil && groupOf(q.base) == nil {
		return nil, fail.Errorf(fail.Invalid, name, "compares what two queries show: select the columns in both first, like .select(t => ({ id: t.id, name: t.name }))")
	} else if out == nil {
		out = wholeRow(q.base)
	}
	for i, it := range out.items {
		if it.sub != nil {
			return nil, fail.Errorf(fail.Invalid, name, "`%s` is a record: select its columns one by one", out.names[i])
		}
		if it.rows != nil {
			return nil, fail.Errorf(fail.Invalid, name, "`%s` is a list of rows, which can't be compared; .select(…) other columns before it", out.names[i])
		}
	}
	if err := f.settle(q); err != nil {
		return nil, err
	}
	f.fence()
	return out, nil
}

// comparable are two expressions such that equal values are shown alike, and the type of both.
func (f *from) comparable(x, y expr) (_, _ expr, of Type, err error) {
	both := []expr{x, y}
	for i, e := range both {
		if c, ok := e.(cell); ok && c.list != "" || !language.Groupable[e.Type().kind] {
			return nil, nil, of, fmt.Errorf("can't be compared: it has to be a number, a text, a truth value, a time, a day or an id")
		}
		v, val := e.(Argument)
		switch kind := e.Type().kind; {
		case !val:
		case e.Type().number():
			both[i] = f.exactly(v)
		case kind == value.TypeBool: // PostgreSQL takes what it can't infer for a text
			both[i] = Operation{sqlast.Not, []expr{apply(sqlast.Not, []expr{v}, v.Type())}, v.Type()}
		case kind != value.TypeText:
			return nil, nil, of, fmt.Errorf("is a value of the program: only texts, numbers, true and false can stand there")
		}
	}
	if a, b := both[0].Type(), both[1].Type(); a.number() && a.decimal() != b.decimal() {
		both = mapped(both, f.exactly)
	}
	alike := both[0].Type().native == both[1].Type().native
	for i, e := range both {
		if both[i] = f.canonical(e); !alike && e.Type().kind == value.TypeText { // of two types, PostgreSQL makes no column
			both[i] = Text{x: e}
		}
	}
	if of = both[0].Type(); !alike && of.kind == value.TypeText {
		of.native = lettered(nativeOf(both))
	}
	switch {
	case of.number():
		of.size = largest(both)
	case of.kind == value.TypeText:
		of.size = longest(both)
	}
	return both[0], both[1], of, nil
}
