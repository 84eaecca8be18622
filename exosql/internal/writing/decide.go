package writing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// A row decides not only whether it is in scope itself: other rows are in scope because a link leads to
// them from it, and which rows a limit of the host's keeps depends on those before them. A write must
// bring no other row into scope.

// decides refuses a write of columns that the grant's own conditions and limits look at, and a delete of rows that a limit has cut:
// others would take their place.
func (w *writer) decides(g *scope.Grant, t *decl.Table, set []written) error {
	cols, limited := deciding(g, t)
	if limited && set == nil {
		return fail.Errorf(fail.Denied, "", "rows can't be deleted: only the first ones may be seen, and others would take their place")
	}
	for _, v := range set {
		if slices.Contains(cols, v.Col) {
			return ofHook(hook(v), fail.Errorf(fail.Denied, "", "`%s` can't be changed: by it rows are told that may be seen", v.Col.Guest))
		}
	}
	return nil
}

// deciding are the columns of a table by which the grant tells rows in scope. limited says that a limit does, too.
func deciding(g *scope.Grant, t *decl.Table) (cols []*decl.Column, limited bool) {
	cut, granted := false, byGranted(g, t) // further on, rows are counted
	for s := g.Rel; s != nil; s = s.Prev {
		cut = cut || s.Kind == decl.StepLimit || s.Kind == decl.StepOffset
		if s.Kind == decl.StepFollow && s.Link.From == t && (cut || granted) { // a row may be in scope by what is reached through another of the table, or itself
			cols = append(cols, s.Link.Starts()...)
		}
		if s.Table != t {
			continue
		}
		if s.Kind == decl.StepGrant || s.Kind == decl.StepWhere {
			cols = append(cols, s.Pred.Columns()...)
		}
		for _, o := range s.Order {
			cols = append(cols, o.Col)
		}
		if s.Search != nil {
			cols = append(cols, s.Search.Cols...)
		}
		if s.Kind == decl.StepFollow { // a row may have been gone through before it was reached
			cols = append(cols, s.Link.Ends()...)
		}
		limited = limited || cut
	}
	for _, l := range Leading(g, t) { // a row that a link leads to no more makes room for one that was cut off
		if cut {
			cols, limited = append(cols, l.Starts()...), true
		}
	}
	own := g.Scopes[t]
	for _, s := range []*decl.Scope{own, g.Chain[t]} {
		if s == nil {
			continue
		}
		cols = append(cols, s.Pred.Columns()...)
		if s.Kind == decl.ScopeVia && (own == nil || s.Link != own.Link) { // stays looks at its own
			cols = append(cols, s.Link.Ends()...)
		}
	}
	return cols, limited
}

// byGranted reports whether rows of t are in scope because they were granted, or by links from such rows.
func byGranted(g *scope.Grant, t *decl.Table) bool {
	for range len(g.Scopes) + 1 {
		if g.Rel != nil && g.Rel.Table == t {
			return true
		}
		s := g.Scopes[t]
		if s == nil || s.Kind != decl.ScopeVia {
			return false
		}
		t = s.Link.From
	}
	return true // round in a circle
}

// Told are the columns of a table by which a grant tells which rows of it, or of others, are in scope.
func Told(g *scope.Grant, t *decl.Table) []*decl.Column {
	cols := whose(g, t)
	for _, l := range Leading(g, t) {
		cols = append(cols, l.Starts()...)
	}
	return cols
}

// whose are those of them by which it tells which rows of t are.
func whose(g *scope.Grant, t *decl.Table) []*decl.Column {
	cols, _ := deciding(g, t)
	for _, s := range []*decl.Scope{g.Scopes[t], g.Chain[t]} {
		if s != nil && s.Kind == decl.ScopeVia {
			cols = append(cols, s.Link.Ends()...)
		}
	}
	return cols
}

// ToldBeside are those of other grants of the same programs that show of the rows what this one does not. What another
// declaration of the table shows can't be compared.
func ToldBeside(g *scope.Grant, t *decl.Table, fc *decl.Facet, beside []compile.Prepared) (out []*decl.Column) {
	for i := range beside {
		b := beside[i].Scope()
		if reveals(b, g, t, fc, nil) || limits(b, t) {
			out = append(out, Told(b, t)...)
		}
		for _, o := range twice(b, t) { // else by a generated column of it a row would come into that scope (TestGeneratedDeclaredTwice)
			out = append(out, Told(b, o)...)
		}
	}
	return out
}

func limits(g *scope.Grant, t *decl.Table) bool {
	_, limited := deciding(g, t)
	return limited
}

// reveals reports whether grant b shows or allows more of a row of t, or of rows that are in scope by it, than facet fc of grant g. If not, a row
// that came into the scope of b was there to be seen.
func reveals(b, g *scope.Grant, t *decl.Table, fc *decl.Facet, seen []*decl.Table) bool {
	if slices.Contains(seen, t) {
		return false
	}
	var mine decl.Facet
	for _, f := range facetsOf(fc, t) {
		mine.Cols, mine.Links = append(mine.Cols, f.Cols...), append(mine.Links, f.Links...)
		mine.Rights.Update, mine.Rights.Delete = append(mine.Rights.Update, f.Rights.Update...), mine.Rights.Delete || f.Rights.Delete
		if f == fc {
			break // a row that is found by it may be reached in no other way
		}
	}
	for _, f := range facetsOf(b.Facet, t) {
		switch {
		case slices.ContainsFunc(f.Cols, func(c *decl.Column) bool { return !slices.Contains(mine.Cols, c) }),
			slices.ContainsFunc(f.Rights.Update, func(c *decl.Column) bool { return !slices.Contains(mine.Rights.Update, c) }),
			f.Rights.Delete && !mine.Rights.Delete:
			return true
		}
		for _, m := range f.Links {
			if !slices.ContainsFunc(mine.Links, func(o decl.LinkMember) bool { return o.L.To == m.L.To && slices.Equal(o.L.Pairs, m.L.Pairs) }) {
				return true
			}
		}
	}
	return slices.ContainsFunc(Leading(b, t), func(l *decl.Link) bool {
		s := g.Scopes[l.To]
		same := s != nil && (s.Kind == decl.ScopeShared || s.Kind == decl.ScopeVia && s.Link == l)
		return !same || reveals(b, g, l.To, fc, append(seen, t))
	})
}

// facetsOf are the facets of a table that programs get to from one, itself first.
func facetsOf(from *decl.Facet, t *decl.Table) (out []*decl.Facet) {
	seen := []*decl.Facet{from}
	for i := 0; i < len(seen); i++ {
		if seen[i] == nil {
			continue
		}
		if seen[i].Table == t {
			out = append(out, seen[i])
		}
		for _, m := range seen[i].Links {
			if !slices.Contains(seen, m.To) {
				seen = append(seen, m.To)
			}
		}
	}
	return out
}

// checkLinks checks each link that brings rows of another table into scope and begins at a written column, one that the scope fixes
// included: the row at its end must be in scope already. Where the end is no key, that can't be checked without reading rows out of
// scope, so the write is refused.
func (w *writer) checkLinks(g *scope.Grant, t *decl.Table, fc *decl.Facet, rows [][]written) error {
	for _, l := range Leading(g, t) {
		if w.pointed[l] {
			continue
		}
		if err := w.checkLink(g, l, rows); err != nil {
			return err
		}
	}
	return nil
}

// looked reports whether what l leads to is looked for in scope because programs see the link, where they give what it begins at.
func looked(fc *decl.Facet, l *decl.Link) bool {
	return l.One && slices.ContainsFunc(fc.Links, func(m decl.LinkMember) bool { return m.L == l })
}

// covered reports whether what l leads to is looked for in the scope of the grant that writes, because programs see it or because rows are
// in scope by it, and grant b shows no more of it.
func covered(b, g *scope.Grant, t *decl.Table, fc *decl.Facet, l *decl.Link, seen bool) bool {
	return (seen || slices.Contains(Leading(g, t), l)) && !reveals(b, g, l.To, fc, nil)
}

func (w *writer) checkLink(g *scope.Grant, l *decl.Link, rows [][]written) error {
	switch {
	case !slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool { return writes(rows, p.From) }):
		return nil
	case l.ToKey():
		return w.reach(g, l.To, l, rows, false)
	case w.m.Root.Name != language.Update:
		return nil // rows that wait for a new one: see check.Writable
	}
	return w.closed(l, rows)
}

// checkOtherGrants checks a write against the other grants of the same programs. A row that one grant may write can decide which rows of a
// third table another grant shows: a program that may add a membership could read every project (TestBesideGrants). A row that the
// writing grant itself has in scope reveals nothing new, unless the other grant shows more of it. A column that one grant may write can
// decide who owns a row of which another grant shows more: a program that may assign a ticket could read what only its assignee may
// read (TestBesideShowsMore).
func (w *writer) checkOtherGrants(g *scope.Grant, t *decl.Table, fc *decl.Facet, rows [][]written) error {
	update := w.m.Root.Name == language.Update
	for _, b := range slices.Concat(w.grants, w.beside) {
		if slices.ContainsFunc(twice(b, t), func(o *decl.Table) bool { return tellsBy(b, o, rows, update) }) {
			return fail.Errorf(fail.Denied, "", "these rows can't be changed so: their table is declared twice, and by the other declaration a grant tells which rows may be seen; the host has to declare it once")
		}
		if b == g {
			continue
		}
		links := Leading(b, t)
		cols, limited := deciding(b, t)
		more := reveals(b, g, t, fc, nil)
		if len(links) == 0 && !limited && !more {
			continue // a row that comes into scope of b was in scope of g, which shows as much of it
		}
		if more {
			cols = whose(b, t)
		}
		switch {
		case limited && rows == nil:
			return fail.Errorf(fail.Denied, "", "rows can't be deleted: only the first ones may be seen by another grant, and others would take their place")
		case limited && !update && skips(b):
			return fail.Errorf(fail.Denied, "", "rows can't be inserted: only those behind some may be seen by another grant, and others would come behind these")
		}
		for _, v := range slices.Concat(rows...) {
			if update && slices.Contains(cols, v.Col) {
				return ofHook(hook(v), fail.Errorf(fail.Denied, "", "`%s` can't be changed: by it another grant tells which rows may be seen", v.Col.Guest))
			}
		}
		for _, l := range links {
			if covered(b, g, t, fc, l, w.pointed[l]) {
				continue
			}
			if err := w.checkLink(b, l, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// twice are other declarations of the table that is written in a grant. What is compared here are declarations:
// by one of their own, members would come into scope unseen (TestBesideDeclaredTwice). Names that may be one table are taken for one:
// SQLite looks past capitals, and PostgreSQL may look in a schema that is not said.
func twice(g *scope.Grant, t *decl.Table) (others []*decl.Table) {
	for _, ss := range []scope.Scopes{g.Scopes, g.Chain} {
		for o := range ss {
			if o != t && mayBeOne(o, t) {
				others = append(others, o)
			}
		}
	}
	for s := g.Rel; s != nil; s = s.Prev {
		if s.Table != t && mayBeOne(s.Table, t) {
			others = append(others, s.Table)
		}
	}
	return others
}

// Telling are the tables, but for t, of which g or another grant of the same programs tells which rows are in scope. Of
// one that the database knows as rows of t under another name nothing can be compared here: see check.Writable.
func Telling(g *scope.Grant, t *decl.Table, beside []compile.Prepared) (out []*decl.Table) {
	add := func(b *scope.Grant, o *decl.Table) {
		if limited := limits(b, o); o != t && (limited || len(Told(b, o)) > 0) && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	of := []*scope.Grant{g}
	for i := range beside {
		of = append(of, beside[i].Scope())
	}
	for _, b := range of {
		for _, ss := range []scope.Scopes{b.Scopes, b.Chain} {
			for o := range ss {
				add(b, o)
			}
		}
		for s := b.Rel; s != nil; s = s.Prev {
			add(b, s.Table)
		}
	}
	return out
}

// tellsBy reports whether a grant tells rows by what is written, in its own declaration of the table.
func tellsBy(g *scope.Grant, t *decl.Table, rows [][]written, update bool) bool {
	var told []*decl.Column
	if update {
		told = Told(g, t)
	} else {
		for _, l := range Leading(g, t) {
			told = append(told, l.Starts()...)
		}
	}
	return limits(g, t) || slices.ContainsFunc(slices.Concat(rows...), func(v written) bool {
		return slices.ContainsFunc(told, func(c *decl.Column) bool { return strings.EqualFold(c.Name, v.Col.Name) })
	})
}

func mayBeOne(x, y *decl.Table) bool {
	if x.Schema != "" && y.Schema != "" { // statements name both, and PostgreSQL compares names exactly
		return x.Schema == y.Schema && x.Bare() == y.Bare()
	}
	inA, a, okA := cutSchema(x.Name)
	inB, b, okB := cutSchema(y.Name)
	return strings.EqualFold(a, b) && (!okA || !okB || strings.EqualFold(inA, inB))
}

func cutSchema(name string) (schema, table string, ok bool) {
	if schema, table, ok = strings.Cut(name, "."); ok {
		return schema, table, true
	}
	return "", name, false
}

// skips reports whether a grant leaves out first rows.
func skips(g *scope.Grant) bool {
	for s := g.Rel; s != nil; s = s.Prev {
		if s.Kind == decl.StepOffset {
			return true
		}
	}
	return false
}

// Beside are the links by which other grants of the same programs have rows in scope from t, but for those that g looks at itself.
func Beside(g *scope.Grant, t *decl.Table, fc *decl.Facet, beside []compile.Prepared) (out []*decl.Link) {
	for i := range beside {
		b := beside[i].Scope()
		for _, l := range Leading(b, t) {
			if !covered(b, g, t, fc, l, looked(fc, l)) && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
		for _, o := range twice(b, t) {
			out = append(out, Leading(b, o)...)
		}
	}
	return out
}

// closed adds the check that a link whose end is no key is set to lead nowhere, or left as it is.
func (w *writer) closed(l *decl.Link, rows [][]written) error {
	from := l.Starts()
	check := Check{Closed: true, Columns: guestNames(from), Hidden: w.hidden(from), Hooks: hooked(from, rows)}
	for _, r := range rows {
		key := make([]KeyPart, len(from))
		for i, col := range from {
			key[i].Absent = true
			switch n := slices.IndexFunc(r, func(v written) bool { return v.Col == col }); {
			case n < 0 || r[n].Null:
			case r[n].Out != "":
				return leadsToOthers(col.Guest)
			default:
				key[i] = KeyPart{Source: r[n].Src}
			}
		}
		check.Keys = append(check.Keys, key)
	}
	w.w.Checks = append(w.w.Checks, check)
	return nil
}

// Leading are the links from a table by which rows of others are in scope.
func Leading(g *scope.Grant, t *decl.Table) (out []*decl.Link) {
	add := func(l *decl.Link) {
		if l != nil && l.From == t && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	for _, ss := range []scope.Scopes{g.Scopes, g.Chain} {
		for _, s := range ss {
			if s.Kind == decl.ScopeVia {
				add(s.Link)
			}
		}
	}
	for s := g.Rel; s != nil; s = s.Prev {
		if s.Kind == decl.StepFollow {
			add(s.Link)
		}
	}
	slices.SortFunc(out, func(a, b *decl.Link) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// writes reports whether any of the rows gets a value in a column.
func writes(rows [][]written, col *decl.Column) bool {
	return slices.ContainsFunc(rows, func(r []written) bool {
		return slices.ContainsFunc(r, func(v written) bool { return v.Col == col && !v.Null })
	})
}
