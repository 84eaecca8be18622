package schema

import (
	"slices"
)

// alter reads what follows ALTER.
func (p *parser) alter() {
	switch {
	case p.accept("TABLE"), p.accept("FOREIGN", "TABLE"):
		p.alterTable()
	case p.accept("TYPE"):
		p.alterType()
	case p.accept("INDEX"):
		p.alterIndex()
	case p.oneOf("DOMAIN", "POLICY", "TRIGGER", "VIEW", "MATERIALIZED", "RULE"):
		at := p.peek()
		for !p.at(tokEnd) && !p.isPunct(";") {
			if p.accept("OWNER", "TO") {
				p.skip()
				return
			}
			p.next()
		}
		p.fail(at, "ALTER %s is not read: write the definition as it is to be", at.up)
	case p.at(tokWord):
		p.skip()
	default:
		p.want("TABLE, TYPE or INDEX")
	}
}

func (p *parser) alterTable() {
	maybe := p.accept("IF", "EXISTS")
	only := p.accept("ONLY")
	at := p.peek()
	n := p.reference("a table")
	t := p.lookup(n)
	if t == nil {
		if v := p.view(n); v != nil || maybe || p.is("OWNER") {
			p.skip() // dumps say ALTER TABLE of views and sequences too
			return
		}
		p.fail(at, "there is no table %s up to here", n)
	}
	p.punct("*")
	b := &tableBuilder{p: p, t: t}
	for {
		if only || !p.related {
			p.alterAction(b)
		} else {
			before := p.columnsByName(t)
			p.alterAction(b)
			p.inherited(t, before)
		}
		if !p.punct(",") {
			break
		}
	}
	b.finish()
}

// alterAction reads one of the actions of ALTER TABLE.
func (p *parser) alterAction(b *tableBuilder) {
	t := b.t
	at := p.peek()
	switch {
	case p.accept("ADD"):
		p.alterAdd(b)
	case p.accept("DROP", "CONSTRAINT"):
		maybe := p.accept("IF", "EXISTS")
		at := p.peek()
		if name := p.name("the name of a constraint"); !p.dropConstraint(t, name) && !maybe {
			p.fail(at, "table %s has no constraint %s", t.Name, name)
		}
		_ = p.accept("CASCADE") || p.accept("RESTRICT")
	case p.accept("DROP"):
		_ = p.accept("COLUMN")
		if maybe := p.accept("IF", "EXISTS"); maybe && t.Column(p.peek().text) == nil {
			p.next()
		} else {
			p.dropColumns(t, p.columnOf(t))
		}
		_ = p.accept("CASCADE") || p.accept("RESTRICT")
	case p.accept("ALTER"):
		_ = p.accept("COLUMN")
		p.alterColumn(b, t.Column(p.columnOf(t)))
	case p.accept("RENAME"):
		p.rename(t)
	case p.accept("ENABLE", "ROW", "LEVEL", "SECURITY"):
		t.RowSecurity = true
	case p.accept("DISABLE", "ROW", "LEVEL", "SECURITY"):
		t.RowSecurity = false
	case p.accept("FORCE", "ROW", "LEVEL", "SECURITY"):
		t.ForceRowSecurity = true
	case p.accept("NO", "FORCE", "ROW", "LEVEL", "SECURITY"):
		t.ForceRowSecurity = false
	case p.oneOf("ENABLE", "DISABLE"):
		off := p.next().up == "DISABLE"
		_ = p.accept("ALWAYS") || p.accept("REPLICA")
		if p.accept("RULE") {
			p.name("a rule")
			return
		}
		p.expect("TRIGGER")
		at := p.peek()
		name, all := "", p.is("ALL") || p.is("USER")
		if all {
			p.next()
		} else {
			name = p.name("a trigger")
		}
		found := all
		p.work(len(t.Triggers))
		for i := range t.Triggers {
			if all || t.Triggers[i].Name == name {
				t.Triggers[i].Disabled, found = off, true
			}
		}
		if !found {
			p.fail(at, "table %s has no trigger %s", t.Name, name)
		}
	case p.accept("ATTACH", "PARTITION"):
		p.attach(p.table(), t)
		p.toNextAction()
	case p.accept("DETACH", "PARTITION"):
		p.table().PartitionOf = nil
		p.toNextAction()
	case p.accept("INHERIT"):
		p.related = true
		t.Inherits = append(t.Inherits, p.table().Name)
	case p.oneOf("OWNER", "RESET", "CLUSTER", "REPLICA", "VALIDATE", "OPTIONS"), p.is("SET") && p.ahead(1).text == "(",
		p.is("SET", "LOGGED"), p.is("SET", "UNLOGGED"), p.is("SET", "TABLESPACE"), p.is("SET", "WITHOUT"), p.is("SET", "ACCESS"):
		p.toNextAction()
	default:
		p.fail(at, "ALTER TABLE … %s is not read: write the definition as it is to be", clip(p.src[at.pos:at.end]))
	}
}

// toNextAction passes over the rest of an action.
func (p *parser) toNextAction() {
	for !p.at(tokEnd) && !p.isPunct(";") && !p.isPunct(",") {
		if p.isPunct("(") {
			p.parens()
		} else {
			p.next()
		}
	}
}

func (p *parser) alterAdd(b *tableBuilder) {
	t := b.t
	if i := p.usingIndex(); i > 0 {
		p.addUsingIndex(b)
		return
	}
	if b.constraint() {
		return
	}
	_ = p.accept("COLUMN")
	if p.accept("IF", "NOT", "EXISTS") {
		name := p.peek().text
		if slices.ContainsFunc(t.Columns, func(c Column) bool { return p.engine.Is(c.Name, name) }) {
			p.toNextAction()
			return
		}
	}
	b.column(false)
}

// usingIndex reports where ADD [CONSTRAINT name] UNIQUE USING INDEX has its index; 0 if it is none.
func (p *parser) usingIndex() int {
	i := 0
	if p.is("CONSTRAINT") {
		i = 2
	}
	if p.ahead(i).up == "PRIMARY" {
		i++
	}
	if p.ahead(i+1).up == "USING" && p.ahead(i+2).up == "INDEX" {
		return i + 3
	}
	return 0
}

// addUsingIndex makes a key of an index: it takes the index's name, or gives it its own.
func (p *parser) addUsingIndex(b *tableBuilder) {
	t := b.t
	name := ""
	if p.accept("CONSTRAINT") {
		name = p.name("the name of a constraint")
	}
	at := p.peek()
	primary := p.accept("PRIMARY", "KEY")
	if !primary {
		p.expect("UNIQUE")
	}
	p.expect("USING", "INDEX")
	where := p.peek()
	index := p.name("an index")
	i := slices.IndexFunc(t.Indexes, func(x Index) bool { return x.Name == index })
	if i < 0 || !t.Indexes[i].Unique || len(t.Indexes[i].columns()) != len(t.Indexes[i].Parts) {
		p.fail(where, "table %s has no unique index %s over columns", t.Name, index)
	}
	k := Key{Name: or(name, index), Columns: t.Indexes[i].columns(), NullsDistinct: true}
	t.Indexes = slices.Delete(t.Indexes, i, i+1)
	b.keyEnd(&k)
	if primary {
		b.setPrimary(at)
	}
	b.keys = append(b.keys, pendingKey{k, primary})
}

func (p *parser) alterColumn(b *tableBuilder, c *Column) {
	at := p.peek()
	switch {
	case p.accept("TYPE"), p.accept("SET", "DATA", "TYPE"):
		notNull, identity := c.NotNull, c.Identity
		p.postgresType().set(c)
		c.NotNull, c.Identity = notNull || c.NotNull, identity
		if p.accept("COLLATE") {
			p.collate(c)
		}
		p.toNextAction()
	case p.accept("SET", "DEFAULT"):
		b.defaultOf(c)
	case p.accept("DROP", "DEFAULT"):
		c.Default = ""
		if c.Identity == ByDefault {
			c.Identity = NotIdentity
		}
	case p.accept("SET", "NOT", "NULL"):
		c.NotNull = true
	case p.accept("DROP", "NOT", "NULL"):
		c.NotNull = false
	case p.accept("ADD", "GENERATED", "ALWAYS", "AS", "IDENTITY"):
		b.identity(c, Always)
	case p.accept("ADD", "GENERATED", "BY", "DEFAULT", "AS", "IDENTITY"):
		b.identity(c, ByDefault)
	case p.accept("DROP", "IDENTITY"):
		_ = p.accept("IF", "EXISTS")
		c.Identity = NotIdentity
	case p.accept("DROP", "EXPRESSION"):
		_ = p.accept("IF", "EXISTS")
		c.Generated, c.GenExpr = NotGenerated, ""
	case p.is("SET") && p.ahead(1).text == "(", p.is("SET", "STATISTICS"), p.is("SET", "STORAGE"), p.is("SET", "COMPRESSION"), p.is("RESET"):
		p.toNextAction()
	default:
		p.fail(at, "ALTER COLUMN … %s is not read: want TYPE, SET DEFAULT, DROP DEFAULT, SET NOT NULL, DROP NOT NULL or ADD GENERATED", clip(p.src[at.pos:at.end]))
	}
}

func (p *parser) alterType() {
	at := p.peek()
	n := p.qualified("a type")
	i := slices.IndexFunc(p.db.Enums, func(e *Enum) bool { return e.Name == n })
	switch {
	case p.accept("OWNER", "TO"), i < 0:
		p.skip()
	case p.accept("ADD", "VALUE"):
		e := p.db.Enums[i]
		maybe := p.accept("IF", "NOT", "EXISTS")
		v := p.next()
		if v.kind != tokString {
			p.fail(v, "want a value of the enum in single quotes")
		}
		p.work(len(e.Values))
		if slices.Contains(e.Values, v.text) {
			if !maybe {
				p.fail(v, "enum %s has this value already", n)
			}
			p.skip()
			return
		}
		to := len(e.Values)
		if p.oneOf("BEFORE", "AFTER") {
			after := p.next().up == "AFTER"
			beside := p.next()
			if to = slices.Index(e.Values, beside.text); to < 0 {
				p.fail(beside, "enum %s has no such value", n)
			}
			to += btoi(after)
		}
		e.Values = slices.Insert(e.Values, to, v.text)
	case p.accept("RENAME", "VALUE"):
		e, from := p.db.Enums[i], p.next()
		p.expect("TO")
		j := slices.Index(e.Values, from.text)
		if j < 0 {
			p.fail(from, "enum %s has no such value", n)
		}
		e.Values[j] = p.next().text
	default:
		p.fail(at, "this ALTER TYPE is not read: want ADD VALUE or RENAME VALUE")
	}
}

// alterIndex knows what dumps say of partitions: an index of a partition that
// belongs to one of the whole table is not listed.
func (p *parser) alterIndex() {
	maybe := p.accept("IF", "EXISTS")
	at := p.peek()
	n := p.reference("an index")
	switch {
	case p.accept("ATTACH", "PARTITION"):
		part := p.reference("an index")
		p.workIndexes()
		for _, t := range p.db.Tables {
			t.Indexes = slices.DeleteFunc(t.Indexes, func(x Index) bool { return x.Name == part.Name && t.PartitionOf != nil })
			if t.PartitionOf != nil {
				p.dropConstraint(t, part.Name)
			}
		}
	case p.accept("RENAME", "TO"):
		to := p.name("the name of an index")
		p.workIndexes()
		for _, t := range p.db.Tables {
			for i := range t.Indexes {
				if t.Indexes[i].Name == n.Name {
					t.Indexes[i].Name = to
					p.free(Name{t.Schema, n.Name})
					p.taken[Name{t.Schema, to}] = true
					return
				}
			}
		}
		if !maybe {
			p.fail(at, "there is no index %s up to here", n)
		}
	default:
		p.skip()
	}
}
