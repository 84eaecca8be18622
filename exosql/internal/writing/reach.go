package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// This file plans the checks that run before a write. They test whether the rows that written keys lead to are in scope. law.go and insert.go add
// these checks, and run.go runs them.

// points adds a check for each link that starts at a written column and leads to at most one row: that row must be in scope. Otherwise the foreign
// key would confirm that another tenant's row exists. A column that another link fills in counts as written, since the program chooses the parent
// row.
func (w *writer) points(g *scope.Grant, fc *decl.Facet, rows [][]written) error {
	links, shown := fc.Links, len(fc.Links)
	for _, l := range HookLinks(fc.Table) { // hooks may fill columns of links that the facet does not show
		if !slices.ContainsFunc(links, func(m decl.LinkMember) bool { return m.L.To == l.To && slices.Equal(m.L.Pairs, l.Pairs) }) {
			links = append(links[:len(links):len(links)], decl.LinkMember{L: l})
		}
	}
	for i, m := range links {
		if !m.L.One {
			continue
		}
		looked, some := make([][]written, len(rows)), false // a row that gives no value for the link leads nowhere
		for n, r := range rows {
			touched := func(by func(written) bool) bool {
				return slices.ContainsFunc(m.L.Pairs, func(p decl.Pair) bool {
					return slices.ContainsFunc(r, func(v written) bool { return v.Col == p.From && by(v) })
				})
			}
			given := touched(func(v written) bool {
				return !v.Filled && (v.Plain() && v.Src.Origin == plan.FromMessage || v.Out != "")
			}) || i < shown && !w.wayBack(m.L) && touched(func(v written) bool { return v.Plain() && v.Src.Origin == plan.FromParent })
			// A hook may fill a link to a table that the grant does not reach: that link is not checked.
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

// wayBack reports whether link l leads back to the row through which rows are inserted. That row is in scope.
func (w *writer) wayBack(l *decl.Link) bool {
	by := w.w.Link
	return by != nil && by.From == l.To && len(by.Pairs) == len(l.Pairs) && !slices.ContainsFunc(by.Pairs, func(p decl.Pair) bool {
		return !slices.Contains(l.Pairs, decl.Pair{From: p.To, To: p.From})
	})
}

// reach adds the check that rows of t are in scope of g if written columns of link l lead to them. rows has one row for each set of columns.
// If back is set, the link leads from t to the written row, and its key may not be null.
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
	check.Hidden, check.Shut = w.hidden(ours), make([]bool, len(ours))
	rights := w.w.Facet.Rights
	for i, c := range ours {
		check.Shut[i] = !slices.Contains(rights.Insert, c) && w.m.Root.Name != language.Update || !slices.Contains(rights.Update, c) && w.m.Root.Name == language.Update
	}
	var err error
	if check.One, err = w.statement().Count(g, t, theirs, 1); err == nil && w.m.Root.Name == language.InsertMany && sameColumns(theirs, t.Keys) {
		// The query counts rows. Unless the columns theirs are the whole key of t, two rows with one value could hide that another row is missing.
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

// hidden reports for each of cols whether programs do not see it, so that no error names it.
func (w *writer) hidden(cols []*decl.Column) (out []bool) {
	for _, c := range cols {
		out = append(out, w.chain == nil && !slices.Contains(w.w.Facet.Cols, c))
	}
	return out
}

func sameColumns(a, b []*decl.Column) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(c *decl.Column) bool { return !slices.Contains(b, c) })
}

// partsOf returns the sources of a link's key among the values of a row, or nil if the key leads nowhere. Whether a value is null is known only
// when the write runs: see Leads.
func partsOf(cols []*decl.Column, row []written, needed bool) (out []KeyPart, err error) {
	some, nowhere := false, false
	for _, col := range cols {
		i := slices.IndexFunc(row, func(v written) bool { return v.Col == col })
		switch {
		case i < 0 && needed:
			return nil, fail.Errorf(fail.Invalid, "", "`%s` needs a value: it decides which row the new row belongs to", col.Guest)
		case i < 0:
			out = append(out, KeyPart{Absent: true})
			continue
		case row[i].Out != "":
			return nil, fail.Errorf(fail.Invalid, "", "`%s` refers to another row, so it can't be calculated: give a plain value", col.Guest)
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
	return fail.Errorf(fail.Invalid, "", "`%s` can't be null: it decides which other row the row belongs to", column)
}

// Leads returns the key of the row that a written row refers to: the caller checks that this row is in scope. set is the index in Keys,
// and value gives the value of a part. Leads returns nil if a part is null, and null is allowed: then the row refers to none.
func (c *Check) Leads(set int, value func(plan.Source) value.Value) (key []value.Value, err error) {
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
		given := slices.Clone(c.Columns)
		for i := len(given) - 1; i >= 0; i-- {
			if c.Hidden[i] || c.Keys[set][i].Absent {
				given = slices.Delete(given, i, i+1)
			}
		}
		if c.Hidden[absent] || c.Shut[absent] && c.Hooks[absent] == nil {
			return nil, fail.Errorf(fail.Invalid, "", "`%s` refers to another row only together with a column that programs can't set here: leave it out", strings.Join(given, "`, `"))
		}
		return nil, ofHook(c.Hooks[absent], fail.Errorf(fail.Invalid, "", "`%s` is missing: together with `%s` it refers to another row", c.Columns[absent], strings.Join(given, "`, `")))
	}
	return key, nil
}

func leadsToOthers(column string) error {
	return fail.Errorf(fail.Denied, "", "`%s` can't be changed: it decides which linked rows you may see; leave it out", column)
}

// Nowhere returns the error for a key that leads to no row in scope. It does not reveal whether such a row exists out of scope. place precedes the
// names of columns, like "[2]." for one of several rows.
func (c *Check) Nowhere(place string) error {
	var given []string
	for i, name := range c.Columns {
		if c.Hooks[i] == nil && !c.Hidden[i] {
			given = append(given, place+name)
		}
	}
	err := fail.Errorf(fail.Invalid, "", "`%s` refers to no row that this program can reach: give the key of a row that a query finds", strings.Join(given, "`, `"))
	if given == nil {
		err = fail.Errorf(fail.Invalid, "", "this row would refer to no row that this program can reach")
	}
	if i := slices.IndexFunc(c.Hooks, func(h *decl.Column) bool { return h != nil }); given == nil && i >= 0 {
		return ofHook(c.Hooks[i], err)
	}
	return err
}
