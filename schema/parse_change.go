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
		if p.db.Table(to) != nil && !p.engine.Is(to.Name, from.Name) {
			p.fail(at, "%s is there already", to)
		}
		t.Name = to
		delete(p.taken, from)
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
	toks, err := lex(*expr, p.engine)
	if err != nil {
		return // the statement had these very tokens
	}
	for _, t := range slices.Backward(toks) {
		if t.kind == tokName && p.engine.Is(t.text, old) || t.kind == tokWord && p.engine.Is(p.folded(t.text), old) {
			*expr = (*expr)[:t.pos] + quoteIfNeeded(to) + (*expr)[t.end:]
		}
	}
}

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
	toks, err := lex(expr, p.engine)
	return err != nil || slices.ContainsFunc(toks, func(t token) bool {
		return t.kind == tokName && p.engine.Is(t.text, column) || t.kind == tokWord && asciiFold(t.text) == asciiFold(column)
	})
}

func (p *parser) dropConstraint(t *Table, name string) bool {
	found := false
	is := func(n string) bool { found = found || n == name; return n == name }
	if t.PrimaryKey != nil && is(t.PrimaryKey.Name) {
		t.PrimaryKey = nil
	}
	t.Uniques = slices.DeleteFunc(t.Uniques, func(k Key) bool { return is(k.Name) })
	t.Checks = slices.DeleteFunc(t.Checks, func(c Check) bool { return is(c.Name) })
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool { return f.table == t && is(f.Name) })
	delete(p.taken, Name{t.Schema, name})
	return found
}

// remove takes away what DROP names, and reports whether it was there.
func (p *parser) remove(kind string, n Name, on *Table) bool {
	along := &Database{Engine: p.engine, Path: p.path, Tables: p.db.Tables, Views: p.db.Views}
	switch kind {
	case "TABLE":
		t := along.Table(n)
		if t == nil {
			return false
		}
		p.dropTable(t)
		return true
	case "VIEW":
		v := along.View(n)
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
	p.db.Tables = slices.DeleteFunc(p.db.Tables, func(o *Table) bool { return o == t || o.PartitionOf != nil && *o.PartitionOf == t.Name })
	p.foreign = slices.DeleteFunc(p.foreign, func(f foreignOf) bool {
		return f.table == t || p.engine == Postgres && p.leads(f, t.Name)
	})
	delete(p.taken, t.Name)
	for _, x := range t.Indexes {
		delete(p.taken, Name{t.Schema, x.Name})
	}
	for _, k := range keysOf(t) {
		delete(p.taken, Name{t.Schema, k.Name})
	}
	for _, c := range t.Checks {
		delete(p.taken, Name{t.Schema, c.Name})
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
