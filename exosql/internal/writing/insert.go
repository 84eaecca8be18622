package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

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
		return exo.Errorf(exo.Denied, "", "rows can't be inserted")
	}
	if arg := w.m.Root.Args[0]; arg.Op != exo.OpLit {
		return exo.Errorf(exo.Invalid, "", "a new row is of plain values")
	}
	if len(w.sets) == 0 {
		return exo.Errorf(exo.Invalid, "", "there are no rows to insert")
	}
	if len(w.sets) > maxColumnSets {
		return exo.Errorf(exo.Limit, "", "the rows have %d different sets of columns, and the limit is %d: each has statements of its own; give null where a row has no value", len(w.sets), maxColumnSets)
	}
	fixed, rest := entry.Parts()
	after := false
	for _, x := range fixed {
		if len(x.Slots) != 1 {
			after = true // one of several values: the program says which
			continue
		}
		if slices.ContainsFunc(filled, func(o written) bool { return o.Col == x.Col }) {
			continue // by the link, with the same value: see through
		}
		filled = append(filled, written{Col: x.Col, Src: compile.FixedSource(x)})
		w.w.Filled = append(w.w.Filled, Filled{x.Col, compile.FixedSource(x)})
	}
	var rows [][]written // for each set
	for _, set := range w.sets {
		row, err := w.row(fc, set, 0)
		if err != nil {
			return err
		}
		for _, v := range filled {
			if i := slices.IndexFunc(row, func(o written) bool { return o.Col == v.Col }); i >= 0 {
				return ofHook(hook(row[i]), exo.Errorf(exo.Denied, "", "`%s` is filled in; leave it out", v.Col.Guest))
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
		if c.Kind == scope.Holds && c.Pred.Op == "all" {
			continue // exosql.AllRows: there is nothing to tell
		}
		if c.Kind != scope.Linked {
			after = true
		} else if err := w.reach(c.Grant, c.Link.From, c.Link, rows, true); err != nil {
			return err
		}
	}
	if err := w.points(w.w.Grant, fc, rows); err != nil {
		return err
	}
	if err := w.leads(w.w.Grant, w.w.Table, fc, rows); err != nil {
		return err
	}
	if err := w.besides(w.w.Grant, w.w.Table, fc, rows); err != nil {
		return err
	}
	one := w.m.Root.Name == language.Insert
	if after && !one {
		return exo.Errorf(exo.Invalid, "", "insert these rows one by one: whether each may be there can be told only of the row itself")
	}
	for _, set := range w.sets {
		if err := w.inserts(entry, fc, set, filled, one || w.keys && compile.HasKey(w.w.Table) == nil); err != nil {
			return err
		}
	}
	if one {
		w.w.Back, err = w.statement().Back(w.w.Grant, fc, len(w.m.Args)+len(w.sets[0]), w.chain == nil)
	}
	return err
}

// target finds where rows are inserted: into what is granted, or through a link of one row.
// filled is what the link says of a new row.
func (w *writer) target(n *exo.Node) (scope.Entry, []written, error) {
	if n.Op == exo.OpRef {
		g := w.grants[n.Slot]
		w.w.Table, w.w.Facet, w.w.Grant = g.Rel.Table, g.Facet, g
		e, err := g.Enter(g.Rel.Table, nil, nil)
		return e, nil, err
	}
	none := exo.Errorf(exo.Invalid, "", "rows are inserted into a table or through a link, like tasks().%s({ … }), without where, orderBy and their like before it", w.m.Root.Name)
	if n.Op != exo.OpCall || len(n.Args) > 0 {
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
		return scope.Entry{}, nil, exo.Errorf(exo.Invalid, "", "%s leads to one row at most: insert into the table itself, or through a link to many", n.Name)
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

// through finds the one row that rows are inserted through, by a link from it. filled is what the link says of them. Where the
// scope of the new rows fixes one of these columns, too, as a tenant that is part of the link's key, the row has the scope's value.
func (w *writer) through(s *compile.Statement, l *decl.Link, e scope.Entry) (filled []written, err error) {
	fixed, _ := e.Parts()
	if w.w.Parent, err = s.Parent(l, fixed); err != nil {
		return nil, err
	}
	w.w.Keys, w.w.Link = len(l.Pairs), l
	// Behind the values of the rows, whose number is known later: see rows.
	for i, p := range l.Pairs {
		filled = append(filled, written{Col: p.To, Src: plan.Source{Origin: plan.FromParent, Index: i, Item: -1}})
	}
	return filled, nil
}

// row is row number n of those that give values for the columns of a set.
func (w *writer) row(fc *decl.Facet, set []string, n int) (row []written, err error) {
	for i, name := range set {
		col := column(fc.Rights.Insert, fc, name)
		if col == nil {
			return nil, exo.Errorf(exo.Denied, "", "`%s` can't be given", name)
		}
		row = append(row, w.given(col, set, n, i))
	}
	return row, nil
}

// maxColumnSets is how many sets of columns the rows of one insert may have.
const maxColumnSets = 50

// maxBatch is how many rows one statement inserts.
const maxBatch = 50

// inserts makes the statements for a set of columns: a column that a row leaves out has its default. One that is
// returning gives the key.
func (w *writer) inserts(entry scope.Entry, fc *decl.Facet, set []string, filled []written, returning bool) error {
	if len(set)+len(filled) == 0 {
		return exo.Errorf(exo.Invalid, "", "a new row needs a value at least")
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
	out := Insert{Batch: min(maxBatch, compile.MaxValues/(len(set)+len(filled)))}
	var err error
	if out.One, err = of(1); err == nil && w.m.Root.Name == language.InsertMany {
		out.Many, err = of(out.Batch)
	}
	w.w.Inserts = append(w.w.Inserts, out)
	return err
}

// points checks each link to at most one row that a written column is part of: what it leads to has
// to be in scope. Programs could otherwise have a row of somebody else's confirmed by its foreign key: also by what another
// link fills in, since which row it is inserted through is the program's to say.
func (w *writer) points(g *scope.Grant, fc *decl.Facet, rows [][]written) error {
	links, shown := fc.Links, len(fc.Links)
	for _, l := range HookLinks(fc.Table) { // also where the facet does not show them
		if !slices.ContainsFunc(links, func(m decl.LinkMember) bool { return m.L.To == l.To && slices.Equal(m.L.Pairs, l.Pairs) }) {
			links = append(links[:len(links):len(links)], decl.LinkMember{L: l})
		}
	}
	for i, m := range links {
		if !m.L.One {
			continue
		}
		looked, some := make([][]written, len(rows)), false // a row that gives nothing of the link leads nowhere
		for n, r := range rows {
			touched := func(by func(written) bool) bool {
				return slices.ContainsFunc(m.L.Pairs, func(p decl.Pair) bool {
					return slices.ContainsFunc(r, func(v written) bool { return v.Col == p.From && by(v) })
				})
			}
			given := touched(func(v written) bool {
				return !v.Filled && (v.Plain() && v.Src.Origin == plan.FromMessage || v.Out != "")
			}) || i < shown && !w.wayBack(m.L) && touched(func(v written) bool { return v.Plain() && v.Src.Origin == plan.FromParent })
			// A hook may fill what leads to a table that the grant does not reach.
			if given || g.Scopes[m.L.To] != nil && touched(func(v written) bool { return v.Filled }) {
				looked[n], some = r, true
			}
		}
		if !some {
			continue
		}
		if err := w.reach(g, m.L.To, m.L, looked, false); err != nil {
			return err
		}
		if w.pointed == nil {
			w.pointed = map[*decl.Link]bool{}
		}
		w.pointed[m.L] = true
	}
	return nil
}

// wayBack reports whether a link leads to the row that rows are inserted through, which is in scope.
func (w *writer) wayBack(l *decl.Link) bool {
	by := w.w.Link
	return by != nil && by.From == l.To && len(by.Pairs) == len(l.Pairs) && !slices.ContainsFunc(by.Pairs, func(p decl.Pair) bool {
		return !slices.Contains(l.Pairs, decl.Pair{From: p.To, To: p.From})
	})
}

// reach adds the check that rows of t are in scope to which a link's columns lead; rows has one for each set of columns.
// With back, the link leads to the row that is written, and from t otherwise; then it has to have a value.
func (w *writer) reach(g *scope.Grant, t *decl.Table, l *decl.Link, rows [][]written, back bool) error {
	ours, theirs := l.Starts(), l.Ends()
	if back {
		ours, theirs = theirs, ours
	}
	check := Check{Needed: back, Grant: g}
	some := false
	for _, r := range rows {
		key, err := partsOf(ours, r, back)
		if err != nil {
			return err
		}
		check.Keys, some = append(check.Keys, key), some || key != nil
	}
	if !some {
		return nil
	}
	check.Columns, check.Hooks = guestNames(ours), hooked(ours, rows)
	check.Hidden = w.hidden(ours)
	var err error
	if check.One, err = w.statement().Count(g, t, theirs, 1); err == nil && w.m.Root.Name == language.InsertMany && sameColumns(theirs, t.Keys) {
		// Rows are counted: of a key that several rows have, one would stand for another that none has.
		check.Many, err = w.statement().Count(g, t, theirs, CheckBatch)
	}
	w.w.Checks = append(w.w.Checks, check)
	return err
}

func guestNames(cols []*decl.Column) (out []string) {
	for _, c := range cols {
		out = append(out, c.Guest)
	}
	return out
}

// hidden are those of columns that no program sees, which no error names.
func (w *writer) hidden(cols []*decl.Column) (out []bool) {
	for _, c := range cols {
		out = append(out, w.chain == nil && !slices.Contains(w.w.Facet.Cols, c))
	}
	return out
}

func sameColumns(a, b []*decl.Column) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(c *decl.Column) bool { return !slices.Contains(b, c) })
}

// partsOf says where the parts of a link's key are among what a row gives; nil: it leads nowhere. Whether a value is null
// is known when it is written: see Leads.
func partsOf(cols []*decl.Column, row []written, needed bool) (out []KeyPart, err error) {
	some, nowhere := false, false
	for _, col := range cols {
		i := slices.IndexFunc(row, func(v written) bool { return v.Col == col })
		switch {
		case i < 0 && needed:
			return nil, exo.Errorf(exo.Invalid, "", "`%s` is needed: it says where the row belongs", col.Guest)
		case i < 0:
			out = append(out, KeyPart{Absent: true})
			continue
		case row[i].Out != "":
			return nil, exo.Errorf(exo.Invalid, "", "`%s` leads to another row, and can be set to a value only, not to what is calculated", col.Guest)
		case row[i].Null && needed:
			return nil, cantBeNull(col.Guest)
		case row[i].Null:
			nowhere = true
			continue
		}
		out, some = append(out, KeyPart{Source: row[i].Src}), true
	}
	if !some || nowhere {
		return nil, nil
	}
	return out, nil
}

func cantBeNull(column string) error {
	return exo.Errorf(exo.Invalid, "", "`%s` can't be null: it says where the row belongs", column)
}

// Leads is the key of a check that a row gives, whose parts value finds; nil: it leads nowhere and need not. A key with a
// part that is null leads nowhere, whatever the others are.
func (c *Check) Leads(set int, value func(plan.Source) exo.Value) (key []exo.Value, err error) {
	absent := -1
	for i, p := range c.Keys[set] {
		if p.Absent {
			absent = i
			continue
		}
		v := value(p.Source)
		switch {
		case v.IsNull() && c.Needed:
			return nil, ofHook(c.Hooks[i], cantBeNull(c.Columns[i]))
		case v.IsNull() && !c.Closed:
			return nil, nil
		case v.IsNull():
			continue
		case c.Closed:
			return nil, ofHook(c.Hooks[i], leadsToOthers(c.Columns[i]))
		}
		key = append(key, v)
	}
	if key != nil && absent >= 0 {
		if c.Hidden[absent] {
			return nil, exo.Errorf(exo.Invalid, "", "`%s` can't be given: it leads to another row together with what can't be seen", strings.Join(c.seen(), "`, `"))
		}
		return nil, ofHook(c.Hooks[absent], exo.Errorf(exo.Invalid, "", "`%s` has to be given as well: a link is of several columns", c.Columns[absent]))
	}
	return key, nil
}

func leadsToOthers(column string) error {
	return exo.Errorf(exo.Denied, "", "`%s` can't be changed: it leads to other rows that may be seen", column)
}

// seen are the columns that programs see.
func (c *Check) seen() (out []string) {
	for i, name := range c.Columns {
		if !c.Hidden[i] {
			out = append(out, name)
		}
	}
	return out
}

// Nowhere is the error of a key that leads to no row in scope: whether there is one out of scope it does not say.
// place stands before the names of columns: "[2]." of one of several rows.
func (c *Check) Nowhere(place string) error {
	var given []string
	for i, name := range c.Columns {
		if c.Hooks[i] == nil && !c.Hidden[i] {
			given = append(given, place+name)
		}
	}
	err := exo.Errorf(exo.Invalid, "", "there is no such row: `%s` leads nowhere", strings.Join(given, "`, `"))
	if given == nil {
		err = exo.Errorf(exo.Invalid, "", "there is no such row as this one would lead to")
	}
	if i := slices.IndexFunc(c.Hooks, func(h *decl.Column) bool { return h != nil }); given == nil && i >= 0 {
		return ofHook(c.Hooks[i], err)
	}
	return err
}
