package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is how long PostgreSQL's names are, in bytes.
const maxName = 63

// makeName is what PostgreSQL calls what has no name: table_columns_label, of
// which the longer part is cut where it is too long.
func makeName(table, columns, label string) string {
	room := maxName - len(label)
	if label != "" {
		room--
	}
	if columns != "" {
		room--
	}
	a, b := len(table), len(columns)
	for a+b > room {
		if a > b {
			a--
		} else {
			b--
		}
	}
	name := cut(table, a)
	if columns != "" {
		name += "_" + cut(columns, b)
	}
	if label != "" {
		name += "_" + label
	}
	return name
}

// cut shortens s to at most n bytes of whole characters.
func cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// objectName is the first such name that is free, and takes it.
func (p *parser) objectName(schema, table, columns, label string) string {
	if p.labels == nil {
		p.labels = map[[4]string]int{}
	}
	form := [4]string{schema, table, columns, label}
	for i := p.labels[form]; ; i++ { // below, all are taken: a thousand constraints without a name would look at half a million
		p.work(1)
		l := label
		if i > 0 {
			l += strconv.Itoa(i)
		}
		n := Name{schema, makeName(table, columns, l)}
		if !p.taken[n] {
			p.taken[n] = true
			p.labels[form] = i + 1
			return n.Name
		}
	}
}

// joined is how PostgreSQL names several columns.
func joined(columns []string) string {
	out := ""
	for i, c := range columns {
		if i > 0 {
			out += "_"
		}
		if out += c; len(out) >= maxName {
			break
		}
	}
	return cut(out, maxName)
}

type foreignOf struct {
	table *Table
	pendingForeign
}

// finish gives the table what was gathered, in the order in which PostgreSQL names it.
func (b *tableBuilder) finish() {
	p, t := b.p, b.t
	p.taken[t.Name] = true
	for _, c := range b.checks {
		c.Name = b.constraintName(c.Name, func() string {
			var own []string
			for _, n := range c.columns {
				if t.Column(n) != nil {
					own = append(own, n)
				}
			}
			if len(own) != 1 {
				return p.objectName(t.Schema, t.Name.Name, "", "check")
			}
			return p.objectName(t.Schema, t.Name.Name, own[0], "check")
		})
		t.Checks = append(t.Checks, c.Check)
	}
	b.addKeys()
	for _, f := range b.foreign {
		if len(f.References) > 0 && len(f.References) != len(f.Columns) {
			p.fail(f.at, "a foreign key of %d columns leads to %d", len(f.Columns), len(f.References))
		}
		if p.engine == Postgres && p.lookup(f.Table) == nil {
			p.fail(f.at, "there is no table %s up to here", f.Table)
		}
		f.Name = b.constraintName(f.Name, func() string { return p.objectName(t.Schema, t.Name.Name, joined(f.Columns), "fkey") })
		if p.engine == SQLite {
			f.Name = ""
		}
		if to := p.lookup(f.Table); to != nil {
			f.Table = to.Name
		}
		p.foreign = append(p.foreign, foreignOf{t, f})
	}
}

// constraintName is the one given, or one that is made. SQLite keeps those of checks only.
func (b *tableBuilder) constraintName(given string, generated func() string) string {
	switch {
	case given != "":
		b.p.taken[Name{b.t.Schema, given}] = true
		return given
	case b.p.engine == SQLite:
		return ""
	}
	return generated()
}

// addKeys gives the table its keys. The engines make one of those that are alike.
func (b *tableBuilder) addKeys() {
	p, t := b.p, b.t
	slices.SortStableFunc(b.keys, func(x, y pendingKey) int { return btoi(y.primary) - btoi(x.primary) })
	var kept []pendingKey
	same := map[string][]int{} // those over the same columns
	for _, k := range b.keys {
		columns := strings.Join(k.Columns, "\x00")
		i := -1
		for _, j := range same[columns] {
			if p.work(1); b.alike(kept[j], k) {
				i = j
				break
			}
		}
		if i < 0 {
			same[columns] = append(same[columns], len(kept))
			kept = append(kept, k)
		} else if kept[i].Name == "" {
			kept[i].Name = k.Name // PostgreSQL keeps the first, and the first name
		}
	}
	for _, k := range kept {
		if k.primary {
			b.addPrimary(k.Key)
			continue
		}
		k.Name = b.constraintName(k.Name, func() string { return p.objectName(t.Schema, t.Name.Name, joined(k.Columns), "key") })
		if p.engine == SQLite {
			k.Name = ""
		}
		t.Uniques = append(t.Uniques, k.Key)
	}
}

// alike reports whether two keys of one statement become one.
func (b *tableBuilder) alike(x, y pendingKey) bool {
	if !slices.Equal(x.Columns, y.Columns) {
		return false
	}
	if b.p.engine == SQLite {
		return !x.primary || !b.isRowid(x.Key) // the rowid has no index that could be the other's
	}
	return x.Deferrable == y.Deferrable && x.NullsDistinct == y.NullsDistinct
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isRowid reports whether a primary key is the rowid by another name: one column
// INTEGER. Where it is a constraint of the table, its order does not matter.
func (b *tableBuilder) isRowid(k Key) bool {
	if b.p.engine != SQLite || b.t.WithoutRowID || len(k.Columns) != 1 {
		return false
	}
	return b.rowid || b.tableKey && asciiUpper(b.t.Column(k.Columns[0]).Type) == "INTEGER"
}

func (b *tableBuilder) addPrimary(k Key) {
	p, t := b.p, b.t
	k.Name = b.constraintName(k.Name, func() string { return p.objectName(t.Schema, t.Name.Name, "", "pkey") })
	if p.engine == SQLite {
		k.Name = ""
	}
	t.PrimaryKey = &k
	for _, n := range k.Columns {
		c := t.Column(n)
		c.NotNull = c.NotNull || p.engine == Postgres || t.WithoutRowID || t.Strict
		if b.isRowid(k) {
			c.NotNull, c.Identity = true, ByDefault
		}
	}
}

// finish resolves the foreign keys: SQLite lets them lead to tables that come later.
func (p *parser) finish() {
	there := map[*Table]bool{}
	for _, t := range p.db.Tables {
		there[t] = true
	}
	find := p.db.finder()
	for _, f := range p.foreign {
		if !there[f.table] {
			continue // it was dropped
		}
		if p.engine == Postgres && len(f.References) == 0 {
			to := find(f.Table)
			if to == nil {
				p.fail(f.at, "table %s, which this leads to, was dropped", f.Table)
			}
			if to.PrimaryKey == nil || len(to.PrimaryKey.Columns) != len(f.Columns) {
				p.fail(f.at, "table %s has no primary key of %d columns: name the columns that this leads to", f.Table, len(f.Columns))
			}
		}
		f.table.ForeignKeys = append(f.table.ForeignKeys, f.ForeignKey)
	}
	for _, t := range p.db.Tables {
		for _, f := range t.ForeignKeys {
			if to := find(f.Table); to != nil && p.engine == Postgres {
				for _, c := range f.References {
					p.work(len(to.Columns))
					if to.Column(c) == nil {
						p.fail(p.foreignAt(t, f), "table %s has no column %s", to.Name, clip(c))
					}
				}
			}
		}
	}
}

func (p *parser) foreignAt(t *Table, f ForeignKey) token {
	for _, g := range p.foreign {
		if g.table == t && g.Name == f.Name && slices.Equal(g.Columns, f.Columns) {
			return g.at
		}
	}
	return token{}
}

// finish brings everything into the order that doc.go promises, and spells names
// of SQLite as their definitions do.
func (d *Database) finish() {
	byName := func(a, b Name) int {
		if c := strings.Compare(a.Schema, b.Schema); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	}
	slices.SortFunc(d.Tables, func(a, b *Table) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Views, func(a, b *View) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Enums, func(a, b *Enum) int { return byName(a.Name, b.Name) })
	slices.SortFunc(d.Domains, func(a, b *Domain) int { return byName(a.Name, b.Name) })
	d.Tables, d.Views, d.Enums, d.Domains = orNil(d.Tables), orNil(d.Views), orNil(d.Enums), orNil(d.Domains)
	for _, x := range d.Domains {
		slices.SortFunc(x.Checks, byText)
	}
	find := d.finder()
	for _, t := range d.Tables {
		for i := range t.ForeignKeys {
			d.resolve(&t.ForeignKeys[i], find)
		}
		slices.SortStableFunc(t.Uniques, func(a, b Key) int { return byColumns(a.Columns, b.Columns, a.Name, b.Name) })
		slices.SortStableFunc(t.ForeignKeys, func(a, b ForeignKey) int {
			if c := byColumns(a.Columns, b.Columns, a.Name, b.Name); c != 0 {
				return c
			}
			return slices.Compare(a.rest(), b.rest())
		})
		slices.SortStableFunc(t.Indexes, func(a, b Index) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(t.Checks, byText)
		slices.SortStableFunc(t.Triggers, func(a, b Trigger) int { return strings.Compare(a.Name, b.Name) })
		slices.SortStableFunc(t.Policies, func(a, b Policy) int { return strings.Compare(a.Name, b.Name) })
		slices.Sort(t.Rules)
		t.Uniques, t.Indexes, t.ForeignKeys, t.Checks, t.Triggers, t.Policies, t.Rules = orNil(t.Uniques), orNil(t.Indexes), orNil(t.ForeignKeys), orNil(t.Checks), orNil(t.Triggers), orNil(t.Policies), orNil(t.Rules)
		for i := range t.Policies {
			slices.Sort(t.Policies[i].Roles)
		}
	}
}

// rest is what tells foreign keys of the same columns apart.
func (f *ForeignKey) rest() []string {
	return append([]string{f.Table.Schema, f.Table.Name, string(f.OnDelete), string(f.OnUpdate), strconv.FormatBool(f.Deferrable)}, f.References...)
}

func byText(a, b Check) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.Expr, b.Expr)
}

// orNil makes no list of an empty one, so that equal catalogues are equal in depth.
func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func byColumns(a, b []string, n, m string) int {
	if c := slices.Compare(a, b); c != 0 {
		return c
	}
	return strings.Compare(n, m)
}

// resolve spells the target of a foreign key as it is defined, and fills in the
// primary key where no columns were named.
func (d *Database) resolve(f *ForeignKey, find func(Name) *Table) {
	to := find(f.Table)
	if to == nil {
		return
	}
	f.Table = to.Name
	if len(f.References) == 0 && to.PrimaryKey != nil && len(to.PrimaryKey.Columns) == len(f.Columns) {
		f.References = slices.Clone(to.PrimaryKey.Columns)
	}
	for i, r := range f.References {
		for _, c := range to.Columns {
			if d.Engine.Is(c.Name, r) {
				f.References[i] = c.Name
			}
		}
	}
}
