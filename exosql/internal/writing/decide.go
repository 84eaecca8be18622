package writing

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// This file compares grants for the law (law.go). It finds what another grant shows, which declarations may mean the same table, and which links
// lead from written rows to other tables.

// byGranted reports whether rows of t are in scope because they were granted, or because links lead to them from granted rows.
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
	return true // after so many steps, the links form a circle
}

// reaching returns the links from table t that bring rows of other tables into scope.
func reaching(g *scope.Grant, t *decl.Table) (out []*decl.Link) {
	for _, d := range dependants(g, t) {
		if d.kind == reaches {
			out = append(out, d.link)
		}
	}
	return out
}

// Depends notes everything in grant g, and in the other grants of the same programs, that depends on rows of the written table. It also notes other
// tables in these grants' scopes: by the catalogue the law finds out whether they have the same rows.
func (w *Write) Depends(g *scope.Grant, others []shape.Prepared) {
	t, grants := w.Table, []*scope.Grant{g}
	for i := range others {
		grants = append(grants, others[i].Scope())
	}
	for _, b := range grants {
		all := dependants(b, t)
		more := b == g || reveals(b, g, t, w.Facet, nil) || slices.ContainsFunc(all, func(d dependant) bool { return d.kind == counts })
		for _, o := range twice(b, t) { // two declarations of one table: a row could come into scope by a generated column (TestGeneratedDeclaredTwice)
			all = append(all, dependants(b, o)...)
		}
		for _, d := range all {
			if more || d.table != t {
				w.Told = append(w.Told, d.cols...)
			}
			if d.kind == reaches && (b == g || d.table != t || !covered(b, g, t, w.Facet, d.link, looked(w.Facet, d.link))) && !slices.Contains(w.Leading, d.link) {
				w.Leading = append(w.Leading, d.link)
			}
		}
		for _, o := range tables(b) { // this is not noted for Go code, which writes by one grant and knows its tables
			if w.Facet != nil && o != t && len(dependants(b, o)) > 0 && !slices.Contains(w.Beside, o) {
				w.Beside = append(w.Beside, o)
			}
		}
	}
}

// reveals reports whether grant b shows or allows more than facet fc of grant g: of a row of t, or of rows that it brings into scope. If not, a
// row that comes into b's scope shows a program nothing new.
func reveals(b, g *scope.Grant, t *decl.Table, fc *decl.Facet, seen []*decl.Table) bool {
	if slices.Contains(seen, t) {
		return false
	}
	var mine decl.Facet
	for _, f := range facetsOf(fc, t) {
		mine.Cols, mine.Links = append(mine.Cols, f.Cols...), append(mine.Links, f.Links...)
		mine.Rights.Update, mine.Rights.Delete = append(mine.Rights.Update, f.Rights.Update...), mine.Rights.Delete || f.Rights.Delete
		if f == fc {
			break // programs that find the row by fc may have no way to another facet of the table
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
	return slices.ContainsFunc(reaching(b, t), func(l *decl.Link) bool {
		s := g.Scopes[l.To]
		same := s != nil && (s.Kind == decl.ScopeShared || s.Kind == decl.ScopeVia && s.Link == l)
		return !same || reveals(b, g, l.To, fc, append(seen, t))
	})
}

// facetsOf returns the facets of a table that programs can reach from the facet from, which comes first.
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

// looked reports whether the method points checks the row at the end of l before a write sets the columns at its start. It does so for links that the facet shows.
func looked(fc *decl.Facet, l *decl.Link) bool {
	return l.One && slices.ContainsFunc(fc.Links, func(m decl.LinkMember) bool { return m.L == l })
}

// covered reports whether a write by grant g can bring nothing new into view of grant b by link l. That is so if a check looks for the row at
// the end of l in g's scope, and b shows no more of that row than g.
func covered(b, g *scope.Grant, t *decl.Table, fc *decl.Facet, l *decl.Link, seen bool) bool {
	return (seen || slices.Contains(reaching(g, t), l)) && !reveals(b, g, l.To, fc, nil)
}

// twice returns the other declarations in a grant that may mean the table t. The law compares declarations, so a program could add a
// membership through one that decides a scope through the other (TestBesideDeclaredTwice). SQLite ignores the case of names, and PostgreSQL
// finds a table without a schema by its search path: such names count as one.
func twice(g *scope.Grant, t *decl.Table) []*decl.Table {
	return slices.DeleteFunc(tables(g), func(o *decl.Table) bool { return o == t || !mayBeOne(o, t) })
}

// tables returns the tables that have rows in the scope of a grant.
func tables(g *scope.Grant) (out []*decl.Table) {
	for _, ss := range []scope.Scopes{g.Scopes, g.Chain} {
		out = slices.AppendSeq(out, maps.Keys(ss))
	}
	for s := g.Rel; s != nil; s = s.Prev {
		out = append(out, s.Table)
	}
	slices.SortFunc(out, func(a, b *decl.Table) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(out)
}

func mayBeOne(x, y *decl.Table) bool {
	if x.Schema != "" && y.Schema != "" { // statements give both the schema and the name, and PostgreSQL compares these exactly
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

// closed adds the check that a write sets the start of l to null or leaves it unchanged. The end of l is no key, so rows out of scope may have the same
// value.
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
