package writing

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// This file plans an insert, with the checks that reach.go and law.go run before it.

// insert plans an insert of one row, or of many.
func (w *writer) insert() error {
	target := w.target
	if w.chain != nil {
		target = w.targetOfChain
	}
	entry, filled, err := target(w.m.Root.Recv)
	if err != nil {
		return err
	}
	fc := w.w.Facet
	if len(fc.Rights.Insert) == 0 {
		return fail.Errorf(fail.Denied, "", "rows can't be inserted: the host granted no right to insert them")
	}
	if arg := w.m.Root.Args[0]; arg.Op != message.OpLit {
		return fail.Errorf(fail.Invalid, "", "write a new row as an object of plain values, without columns or queries")
	}
	if len(w.sets) == 0 {
		return fail.Errorf(fail.Invalid, "", "the list of rows to insert is empty: give at least one row, or leave the call out")
	}
	if len(w.sets) > maxColumnSets {
		return fail.Errorf(fail.Limit, "", "the rows name %d different sets of columns, and the limit is %d: name the same columns in each row, with null where a row has no value", len(w.sets), maxColumnSets)
	}
	fixed, rest := entry.Parts()
	after := false
	for _, x := range fixed {
		if len(x.Slots) != 1 {
			after = true // the scope admits several values, so the row with the program's value is read back in scope after the insert
			continue
		}
		if slices.ContainsFunc(filled, func(o written) bool { return o.Col == x.Col }) {
			continue // the link has filled the column in, and the query for the parent row (see w.through) checks that it has the scope's value
		}
		filled = append(filled, written{Col: x.Col, Src: compile.FixedSource(x)})
		w.w.Filled = append(w.w.Filled, Filled{x.Col, compile.FixedSource(x)})
	}
	var rows [][]written // rows has one row for each set
	for _, set := range w.sets {
		row, err := w.row(fc, set, 0)
		if err != nil {
			return err
		}
		for _, v := range filled {
			if i := slices.IndexFunc(row, func(o written) bool { return o.Col == v.Col }); i >= 0 {
				return ofHook(hook(row[i]), fail.Errorf(fail.Denied, "", "`%s` is filled in automatically: leave it out", v.Col.Guest))
			}
		}
		rows = append(rows, append(row, filled...))
	}
	for _, x := range fixed {
		if x.Via != nil && len(x.Slots) == 1 {
			if err := w.reach(x.Via.Grant, x.Via.Link.From, x.Via.Link, rows, true); err != nil {
				return err
			}
		}
	}
	for _, c := range rest {
		if c.Kind != scope.Linked {
			after = true
		} else if err := w.reach(c.Grant, c.Link.From, c.Link, rows, true); err != nil {
			return err
		}
	}
	if err := w.law(rows, rows); err != nil {
		return err
	}
	one := w.m.Root.Name == language.Insert
	if after && !one {
		return fail.Errorf(fail.Invalid, "", "insertMany can't add these rows, since each is checked after its insert: call insert for each row")
	}
	for _, set := range w.sets {
		if err := w.inserts(entry, fc, set, filled, one || w.images && compile.HasKey(w.w.Table) == nil); err != nil {
			return err
		}
	}
	if one {
		w.w.Back, err = w.statement().Back(w.w.Grant, fc, len(w.m.Args)+len(w.sets[0]), w.chain == nil)
	}
	return err
}

// target finds where rows are inserted: into a granted table, or through a link of one row. It returns the scope that new rows enter, and the
// columns that the link fills in.
func (w *writer) target(n *message.Node) (scope.Entry, []written, error) {
	if n.Op == message.OpRef {
		g := w.grants[n.Slot]
		w.w.Table, w.w.Facet, w.w.Grant = g.Rel.Table, g.Facet, g
		e, err := g.Enter(g.Rel.Table, nil, nil)
		return e, nil, err
	}
	none := fail.Errorf(fail.Invalid, "", "insert into a table or through a link, like tasks().%s({ … }), without where, orderBy and similar calls before it", w.m.Root.Name)
	if n.Op != message.OpCall || len(n.Args) > 0 {
		return scope.Entry{}, nil, none
	}
	s := w.statement()
	if err := s.Find(n.Recv); err != nil {
		return scope.Entry{}, nil, err
	}
	g, fc, ok := s.Row()
	if !ok || fc.Link(n.Name) == nil {
		return scope.Entry{}, nil, none
	}
	l := fc.Link(n.Name)
	if l.L.One {
		return scope.Entry{}, nil, fail.Errorf(fail.Invalid, "", "%s leads to one row at most: insert into the table itself, or through a link to many rows", n.Name)
	}
	w.w.Table, w.w.Facet, w.w.Grant = l.L.To, l.To, g
	e, err := g.Enter(l.L.To, l.L, g)
	if err != nil {
		return scope.Entry{}, nil, err
	}
	w.w.Through = fc.Alias
	filled, err := w.through(s, l.L, e)
	return e, filled, err
}

// through plans the query for the parent row, at the start of link l, and returns the columns that the link fills in. If the scope fixes such a
// column too, like a tenant, the query checks that the parent row has the scope's value.
func (w *writer) through(s *compile.Statement, l *decl.Link, e scope.Entry) (filled []written, err error) {
	fixed, _ := e.Parts()
	if w.w.Parent, err = s.Parent(l, fixed); err != nil {
		return nil, err
	}
	w.w.Keys, w.w.Link = len(l.Pairs), l
	// Run.Do reads the parent row before it inserts, and takes the values from there.
	for i, p := range l.Pairs {
		filled = append(filled, written{Col: p.To, Src: plan.Source{Origin: plan.FromParent, Index: i, Item: -1}})
	}
	return filled, nil
}

// row returns given row number n of those that give the columns of a set.
func (w *writer) row(fc *decl.Facet, set []string, n int) (row []written, err error) {
	for i, name := range set {
		col := column(fc.Rights.Insert, fc, name)
		if col == nil {
			return nil, fail.Errorf(fail.Denied, "", "`%s` can't be set in a new row: leave it out", name)
		}
		row = append(row, w.given(col, set, n, i))
	}
	return row, nil
}

// maxColumnSets bounds the different sets of columns that the rows of one insert give.
const maxColumnSets = 50

// maxBatch bounds the rows that one statement inserts.
const maxBatch = 50

// inserts makes the statements for rows with one set of columns. A column that a row leaves out gets its default. If returning is set, the
// statements return the keys of the new rows.
func (w *writer) inserts(entry scope.Entry, fc *decl.Facet, set []string, filled []written, returning bool) error {
	if len(set)+len(filled) == 0 {
		return fail.Errorf(fail.Invalid, "", "a new row needs at least one value")
	}
	of := func(rows int) (*plan.Plan, error) {
		var all [][]written
		for n := range rows {
			row, err := w.row(fc, set, n)
			if err != nil {
				return nil, err
			}
			all = append(all, append(row, filled...))
		}
		var keys []*decl.Column
		if returning {
			keys = w.w.Table.Keys
		}
		p, err := w.statement().Inserted(entry, all, keys)
		if err != nil {
			return nil, err
		}
		return w.noted(p), nil
	}
	out := Insert{Batch: min(maxBatch, expr.MaxValues/(len(set)+len(filled)))}
	var err error
	if out.One, err = of(1); err == nil && w.m.Root.Name == language.InsertMany {
		out.Many, err = of(out.Batch)
	}
	w.w.Inserts = append(w.w.Inserts, out)
	return err
}
