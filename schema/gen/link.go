package gen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/schema"
)

// link is a foreign key, followed in one of its two directions.
type link struct {
	from, to *table
	pairs    [][2]*column
	one      bool
	guest    string // guest is the link's name in programs
	name     string // name is the name of the link's variable
	doc      string
}

// reference is a foreign key with only declared tables and columns.
type reference struct {
	from, to *table
	pairs    [][2]*column // pairs have a column of from, and its column of to
	role     string       // role names a row of the table to as a row of the table from sees it, like "assignee"
	unique   bool         // unique: no two rows of from refer to one row of to
	there    *link        // there leads from a row of from to its row of to
	back     *link        // back leads from a row of to to its rows of from
}

// link makes the links of all foreign keys, in both directions. Links to one row come first, so that they get the shorter names.
func (p *pack) link() {
	var refs []*reference
	ways := map[[2]*table]int{} // ways counts the foreign keys of each pair of tables
	for _, t := range p.tables {
		from := len(refs)
		seen := map[string]bool{}
		used := map[string]int{} // used counts the foreign keys that each column is in
		for i := range t.t.ForeignKeys {
			for _, n := range slices.Compact(slices.Sorted(slices.Values(t.t.ForeignKeys[i].Columns))) {
				used[n]++
			}
		}
		keys := t.t.Keys()
		for i := range t.t.ForeignKeys {
			if r := p.reference(t, &t.t.ForeignKeys[i], keys, used); r != nil && !seen[r.key()] {
				seen[r.key()] = true
				refs = append(refs, r)
				ways[[2]*table{r.from, r.to}]++
			}
		}
		t.refs = refs[from:]
	}
	for _, r := range refs {
		r.there = &link{from: r.from, to: r.to, pairs: r.pairs, one: true}
		r.there.guest = r.from.guest.claim(naming.Linkable, r.thereNames()...)
		if cols := nullable(r.pairs); len(cols) > 0 {
			r.there.doc = "none where " + strings.Join(cols, " or ") + " is null"
		}
		r.from.links = append(r.from.links, r.there)
	}
	for _, r := range refs {
		r.back = &link{from: r.to, to: r.from, one: r.unique}
		for _, pair := range r.pairs {
			r.back.pairs = append(r.back.pairs, [2]*column{pair[1], pair[0]})
		}
		r.back.guest = r.to.guest.claim(naming.Linkable, r.backNames(ways[[2]*table{r.from, r.to}])...)
		r.to.links = append(r.to.links, r.back)
	}
	for _, t := range p.tables {
		t.describeJoins()
	}
	for _, t := range p.tables {
		for _, l := range t.links {
			base := t.row + naming.Pascal(l.guest)
			l.name = p.names.claim(nil, base, base+"Link")
		}
	}
}

// reference makes the reference of a foreign key. It returns nil if the key can't be declared, and notes a reason that is not noted yet.
func (p *pack) reference(t *table, fk *schema.ForeignKey, keys [][]string, used map[string]int) *reference {
	to := p.find(fk.Table)
	if to == nil || len(fk.Columns) != len(fk.References) || len(fk.Columns) == 0 {
		return nil // the target of the key is not declared
	}
	r := &reference{from: t, to: to}
	for i, n := range fk.Columns {
		a, b := p.column(t, n), p.column(to, fk.References[i])
		if a == nil || b == nil {
			return nil // one of the key's columns is already left out, with a reason
		}
		if a.goType() != b.goType() {
			t.leave("the link by %s to %s: %s has the other type %s there", name(n), name(fk.Table.Name), name(fk.References[i]), b.goType())
			return nil
		}
		if a.c.Kind == schema.JSON || a.c.Kind == schema.List {
			t.leave("the link by %s: exosql can't compare values of the type %s", name(n), a.goType())
			return nil
		}
		r.pairs = append(r.pairs, [2]*column{a, b})
	}
	r.role = roleOf(to, fk, used)
	for _, key := range keys {
		r.unique = r.unique || len(key) > 0 && len(key) <= len(fk.Columns) && !slices.ContainsFunc(key, func(k string) bool {
			return !slices.ContainsFunc(fk.Columns, func(n string) bool { return p.db.Engine.Is(n, k) })
		})
	}
	return r
}

// column returns the declared column with a name, or nil.
func (p *pack) column(t *table, n string) *column {
	if t.byName == nil {
		t.byName = map[string]*column{}
		for _, c := range t.cols {
			t.byName[p.fold(c.c.Name)] = c
		}
	}
	return t.byName[p.fold(n)]
}

// fold makes names equal that mean the same to the engine.
func (p *pack) fold(n string) string {
	if p.db.Engine != schema.SQLite {
		return n
	}
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, n)
}

// key returns a text that differs for references of one table to different columns.
func (r *reference) key() string {
	key := r.to.t.Name.String()
	for _, p := range r.pairs {
		key += "\x00" + p[0].c.Name + "\x00" + p[1].c.Name
	}
	return key
}

// roleOf names the target of a foreign key after its column: assignee_id gives assignee. With several columns it takes the last one that is in no
// other foreign key of the table: tenant_id is in all of them and means nothing.
func roleOf(to *table, fk *schema.ForeignKey, used map[string]int) string {
	column := ""
	for _, n := range fk.Columns {
		if used[n] <= 1 || len(fk.Columns) == 1 {
			column = n
		}
	}
	ws := naming.Words(column)
	idle := func(w string) bool {
		switch strings.ToLower(w) {
		case "id", "uuid", "fk", "key", "code":
			return true
		}
		return false
	}
	for len(ws) > 0 && idle(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	for len(ws) > 0 && idle(ws[0]) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return naming.Lower(naming.Singular(to.t.Name.Name))
	}
	return naming.Lower(strings.Join(ws, "_"))
}

// thereNames returns names for the link to one row, the best first. The best name is the link's role, like assignee, or assigneeMember if a
// column has the role's name.
func (r *reference) thereNames() []string {
	out := []string{r.role}
	if one := naming.Lower(naming.Singular(r.to.t.Name.Name)); one != r.role {
		out = append(out, r.role+upper(one))
	}
	return append(out, r.role+"Row")
}

// backNames returns names for the link to all rows that refer to a row, the best first. The best name is tasks, or tasksByAssignee
// if tasks refer to the row in several ways.
func (r *reference) backNames(ways int) []string {
	base := r.from.t.Name.Name
	if r.unique {
		base = naming.Lower(naming.Singular(base))
	} else {
		base = naming.Lower(naming.Plural(base))
	}
	by := base + "By" + upper(r.role)
	switch {
	case r.from == r.to && !r.unique && r.role == "parent":
		return []string{"children", by}
	case r.from == r.to, ways > 1 && r.role != naming.Lower(naming.Singular(r.to.t.Name.Name)):
		return []string{by, by + "Rows"}
	}
	return []string{base, by, by + "Rows"}
}

// describeJoins documents how to cross a table that only joins two others. A link of exosql joins two tables, so crossing such a table takes two
// links.
func (t *table) describeJoins() {
	mine := t.refs
	if len(mine) != 2 || !t.joins(mine[0], mine[1]) {
		return
	}
	for i, r := range mine {
		if r.back.doc == "" && !r.back.one {
			r.back.doc = fmt.Sprintf("many to many: %s().%s() are the %s", r.back.guest, mine[1-i].there.guest, naming.Lower(naming.Plural(mine[1-i].to.t.Name.Name)))
		}
	}
}

// joins reports whether the rows of t only join rows of two tables: the columns of the two foreign keys are all its columns, or contain a key.
func (t *table) joins(a, b *reference) bool {
	in := func(n string) bool {
		has := func(p [2]*column) bool { return p[0].c.Name == n }
		return slices.ContainsFunc(a.pairs, has) || slices.ContainsFunc(b.pairs, has)
	}
	if a.unique || b.unique {
		return false
	}
	if !slices.ContainsFunc(t.t.Columns, func(c schema.Column) bool { return !in(c.Name) }) {
		return true
	}
	return slices.ContainsFunc(t.t.Keys(), func(key []string) bool {
		return !slices.ContainsFunc(key, func(n string) bool { return !in(n) })
	})
}

func nullable(pairs [][2]*column) (out []string) {
	for _, p := range pairs {
		if p[0].null {
			out = append(out, p[0].guest)
		}
	}
	return out
}

// goType returns the Go type of a column's values.
func (c *column) goType() string {
	if c.enum != nil {
		return c.enum.name
	}
	return c.typ
}

// upper returns s with a capital as its first letter.
func upper(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
