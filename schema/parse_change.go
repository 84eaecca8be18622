package schema

import (
	"slices"
	"strings"
)

// rename reads what follows ALTER TABLE … RENAME.
func (p *parser) rename(t *Table) {
	at := p.peek()
	switch {
	case p.accept("TO"):
		from := t.Name
		to := Name{from.Schema, p.name("the name of a table")}
		if p.lookup(to) != nil && !p.engine.Is(to.Name, from.Name) {
			p.fail(at, "%s is there already", to)
		}
		delete(p.tables, p.engine.key(from))
		t.Name = to
		p.tables[p.engine.key(to)] = t
		p.work(len(p.foreign) + len(p.db.Tables))
		p.free(from)
		p.taken[to] = true
		for i := range p.foreign {
			if p.leads(p.foreign[i], from) {
				p.foreign[i].Table = to
			}
		}
		for _, o := range p.db.Tables {
			if o.PartitionOf != nil && *o.PartitionOf == from {
				o.PartitionOf = &to
			}
			for i := range o.Inherits {
				if o.Inherits[i] == from {
					o.Inherits[i] = to
				}
			}
		}
	case p.accept("CONSTRAINT"):
		old := p.name("a constraint")
		p.expect("TO")
		p.renameConstraint(t, at, old, p.name("the name of a constraint"))
	default:
		_ = p.accept("COLUMN")
		old := p.columnOf(t)
		p.expect("TO")
		where := p.peek()
		to := p.name("the name of a column")
		if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name != old && p.engine.Is(c.Name, to) }) {
			p.fail(where, "table %s has two columns %s", t.Name, to)
		}
		p.renameColumn(t, old, to)
		for _, c := range p.heirs(t) {
			p.renameColumn(c, old, to)
		}
	}
}

// leads reports whether a foreign key leads to a table.
func (p *parser) leads(f foreignOf, to Name) bool {
	return p.engine.Is(f.Table.Name, to.Name) && (f.Table.Schema == to.Schema || f.Table.Schema == "")
}

func (p *parser) renameConstraint(t *Table, at token, old, to string) {
	p.work(len(t.Uniques) + len(t.Checks) + len(p.foreign))
	found := false
	set := func(name *string) {
		if *name == old && old != "" {
			*name, found = to, true
		}
	}
	if t.PrimaryKey != nil {
		set(&t.PrimaryKey.Name)
	}
	for i := range t.Uniques {
		set(&t.Uniques[i].Name)
	}
	for i := range t.Checks {
		set(&t.Checks[i].Name)
	}
	for i := range p.foreign {
		if p.foreign[i].table == t {
			set(&p.foreign[i].Name)
		}
	}
	if !found {
		p.fail(at, "table %s has no constraint %s", t.Name, old)
	}
}

func (p *parser) renameColumn(t *Table, old, to string) {
	in := func(names []string) {
		for i := range names {
			if p.engine.Is(names[i], old) {
				names[i] = to
			}
		}
	}
	c := t.Column(old)
	if c == nil {
		return
	}
	c.Name = to
	if t.PrimaryKey != nil {
		in(t.PrimaryKey.Columns)
	}
	for _, k := range t.Uniques {
		in(k.Columns)
	}
	for _, x := range t.Indexes {
		in(x.Include)
		for i := range x.Parts {
			if x.Parts[i].Column == old {
				x.Parts[i].Column = to
			}
			p.renameIn(&x.Parts[i].Expr, old, to)
		}
	}
	for i := range t.Indexes {
		p.renameIn(&t.Indexes[i].Where, old, to)
	}
	for i := range t.Checks {
		p.renameIn(&t.Checks[i].Expr, old, to)
	}
	for i := range t.Columns {
		p.renameIn(&t.Columns[i].GenExpr, old, to)
	}
	for i := range t.Policies {
		p.renameIn(&t.Policies[i].Using, old, to)
		p.renameIn(&t.Policies[i].Check, old, to)
	}
	p.work(len(t.Columns) + len(p.foreign))
	for _, f := range p.foreign {
		if f.table == t {
			in(f.Columns)
		}
		if p.leads(f, t.Name) {
			in(f.References)
		}
	}
}

// renameIn renames a column in an expression.
func (p *parser) renameIn(expr *string, old, to string) {
	toks := slices.DeleteFunc(p.lexed(*expr), func(t token) bool {
		return !(t.kind == tokName && p.engine.Is(t.text, old) || t.kind == tokWord && p.engine.Is(p.folded(t.text), old))
	})
	if len(toks) == 0 {
		return
	}
	quoted, from := quoteIfNeeded(to), 0
	size := len(*expr) + len(toks)*len(quoted)
	p.made(size) // before it is made
	var b strings.Builder
	b.Grow(size)
	for _, t := range toks {
		b.WriteString((*expr)[from:t.pos])
		b.WriteString(quoted)
		from = t.end
	}
	b.WriteString((*expr)[from:])
	*expr = b.String()
}

// lexed are the tokens of an expression: none where it has no such, which can't be, as
// the statement had these very tokens.
func (p *parser) lexed(expr string) []token {
	if expr == "" {
		return nil
	}
	p.work(len(expr) * workByte)
	toks, err := lex(expr, p.engine)
	if err != nil {
		return nil
	}
	return toks
}

// workByte is how many steps a byte is that is read again.
const workByte = 8

// folded is a name without quotes as the engine keeps it.
func (p *parser) folded(s string) string {
	if p.engine == Postgres {
		return strings.ToLower(s)
	}
	return s
}

// dropColumn takes a column away with all that is made of it.
func (p *parser) dropColumn(t *Table, name string) {
	has := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return p.engine.Is(n, name) })
	}
	p.work(len(t.Columns) + len(t.Uniques) + len(t.Indexes) + len(t.Checks) + len(p.foreign))
	t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if t.PrimaryKey != nil && has(t.PrimaryKey.Columns) {
		t.PrimaryKey = nil
	}
	t.Uniques = slices.DeleteFunc(t.Uniques, func(k Key) bool { return has(k.Columns) })
	t.Indexes = slices.DeleteFunc(t.Indexes, func(x Index) bool {
		return has(x.Include) || slices.ContainsFunc(x.Parts, func(q Part) bool { return q.Column == name || p.mentions(q.Expr, name) }) || p.mentions(x.Where, name)
	})
	t.Checks = slices.DeleteFunc(t.Checks, func(c Check) bool { return p.mentions(c.Expr, name) })
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool {
		return f.table == t && has(f.Columns) || p.leads(f, t.Name) && has(f.References)
	})
}

// mentions reports whether an expression names a column.
func (p *parser) mentions(expr, column string) bool {
	if expr == "" {
		return false
	}
	p.work(len(expr) * workByte)
	toks, err := lex(expr, p.engine)
	return err != nil || slices.ContainsFunc(toks, func(t token) bool {
		return t.kind == tokName && p.engine.Is(t.text, column) || t.kind == tokWord && asciiFold(t.text) == asciiFold(column)
	})
}

func (p *parser) dropConstraint(t *Table, name string) bool {
	p.work(len(t.Uniques) + len(t.Checks) + len(p.foreign))
	found := false
	is := func(n string) bool { found = found || n == name; return n == name }
	if t.PrimaryKey != nil && is(t.PrimaryKey.Name) {
		t.PrimaryKey = nil
	}
	t.Uniques = slices.DeleteFunc(t.Uniques, func(k Key) bool { return is(k.Name) })
	t.Checks = slices.DeleteFunc(t.Checks, func(c Check) bool { return is(c.Name) })
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool { return f.table == t && is(f.Name) })
	p.free(Name{t.Schema, name})
	return found
}

// remove takes away what DROP names, and reports whether it was there.
func (p *parser) remove(kind string, n Name, on *Table) bool {
	switch kind {
	case "TABLE":
		t := p.lookup(n)
		if t == nil {
			return false
		}
		p.dropTable(t)
		return true
	case "VIEW":
		v := p.view(n)
		p.db.Views = slices.DeleteFunc(p.db.Views, func(w *View) bool { return w == v })
		return v != nil
	case "TYPE", "DOMAIN":
		return p.dropType(n)
	}
	found := false
	is := func(name string) bool {
		same := p.engine.Is(name, n.Name)
		found = found || same
		return same
	}
	p.workIndexes()
	for _, t := range p.db.Tables {
		if on != nil && t != on || kind == "INDEX" && n.Schema != "" && n.Schema != t.Schema {
			continue
		}
		switch kind {
		case "INDEX":
			t.Indexes = slices.DeleteFunc(t.Indexes, func(x Index) bool { return is(x.Name) })
		case "TRIGGER":
			t.Triggers = slices.DeleteFunc(t.Triggers, func(x Trigger) bool { return is(x.Name) })
		case "POLICY":
			t.Policies = slices.DeleteFunc(t.Policies, func(x Policy) bool { return is(x.Name) })
		case "RULE":
			t.Rules = slices.DeleteFunc(t.Rules, is)
		}
	}
	return found
}

func (p *parser) dropTable(t *Table) {
	p.work(len(p.db.Tables) + len(p.foreign))
	p.db.Tables = slices.DeleteFunc(p.db.Tables, func(o *Table) bool {
		gone := o == t || o.PartitionOf != nil && *o.PartitionOf == t.Name
		if gone {
			delete(p.tables, p.engine.key(o.Name))
		}
		return gone
	})
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool {
		return f.table == t || p.engine == Postgres && p.leads(f, t.Name)
	})
	p.free(t.Name)
	for _, x := range t.Indexes {
		p.free(Name{t.Schema, x.Name})
	}
	for _, k := range keysOf(t) {
		p.free(Name{t.Schema, k.Name})
	}
	for _, c := range t.Checks {
		p.free(Name{t.Schema, c.Name})
	}
}

// free gives a name back: from here on a generated one may be it.
func (p *parser) free(n Name) {
	delete(p.taken, n)
	p.labels = nil
}

// workIndexes counts a look at the indexes, triggers, policies and rules of all tables.
func (p *parser) workIndexes() {
	p.work(len(p.db.Tables))
	for _, t := range p.db.Tables {
		p.work(len(t.Indexes) + len(t.Triggers) + len(t.Policies) + len(t.Rules))
	}
}

func (p *parser) dropType(n Name) bool {
	in := []string{n.Schema}
	if n.Schema == "" {
		in = p.path
	}
	found := false
	for _, s := range in {
		is := func(m Name) bool {
			same := m == Name{s, n.Name}
			found = found || same
			return same
		}
		p.db.Enums = slices.DeleteFunc(p.db.Enums, func(e *Enum) bool { return is(e.Name) })
		p.db.Domains = slices.DeleteFunc(p.db.Domains, func(d *Domain) bool { return is(d.Name) })
		p.domains = slices.DeleteFunc(p.domains, func(d parsedDomain) bool { return is(d.Name) })
		if _, ok := p.others[Name{s, n.Name}]; ok {
			delete(p.others, Name{s, n.Name})
			found = true
		}
		if found {
			break
		}
	}
	return found
}

func keysOf(t *Table) []Key {
	out := slices.Clone(t.Uniques)
	if t.PrimaryKey != nil {
		out = append(out, *t.PrimaryKey)
	}
	return out
}
