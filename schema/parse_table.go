package schema

import (
	"slices"
	"strings"
)

// createTable reads what follows CREATE TABLE.
func (p *parser) createTable() {
	maybe := p.accept("IF", "NOT", "EXISTS")
	at := p.peek()
	t := &Table{Name: p.qualified("the name of a table")}
	if p.lookup(t.Name) != nil || p.view(t.Name) != nil {
		if !maybe {
			p.fail(at, "%s is there already", t.Name)
		}
		p.skip()
		return
	}
	b := &tableBuilder{p: p, t: t}
	switch {
	case p.accept("PARTITION", "OF"):
		parent := p.table()
		n := parent.Name
		t.PartitionOf, p.related = &n, true
		for _, c := range parent.Columns {
			t.Columns = append(t.Columns, p.handedDown(parent, c))
		}
		if p.isPunct("(") {
			b.elements(true)
		}
		_ = p.accept("DEFAULT")
	case p.accept("OF"):
		p.fail(at, "a table OF a type is not read: write its columns out")
	case p.is("AS"):
		p.fail(at, "CREATE TABLE AS is not read: write the columns out")
	default:
		b.elements(false)
	}
	b.options()
	p.add(t)
	b.finish()
}

// tableBuilder gathers a table: constraints can come before the columns they name,
// and the names of those without one depend on the others.
type tableBuilder struct {
	p       *parser
	t       *Table
	primary token // where a primary key was declared
	checks  []pendingCheck
	keys    []pendingKey
	foreign []pendingForeign

	inherited int  // how many columns are of other tables
	tableKey  bool // the primary key is a constraint of the table
	rowid     bool // SQLite: INTEGER PRIMARY KEY, the rowid by another name
}

type pendingCheck struct {
	Check
	columns []string // those that the condition names
}

type pendingKey struct {
	Key
	primary bool
}

type pendingForeign struct {
	ForeignKey
	at token
}

// elements reads the parenthesis with columns and constraints.
func (b *tableBuilder) elements(partition bool) {
	p := b.p
	p.expectPunct("(")
	for !p.isPunct(")") || p.engine == SQLite || len(b.t.Columns) == 0 {
		if len(b.t.Columns) == 0 && p.engine == Postgres && p.isPunct(")") {
			break // no columns at all
		}
		if b.constraint() {
			if p.engine == SQLite && b.atConstraint() {
				continue // the comma between them may be missing
			}
		} else if p.is("LIKE") && p.engine == Postgres {
			p.fail(p.peek(), "LIKE is not read: write the columns out")
		} else {
			b.column(partition)
		}
		if !p.punct(",") {
			break
		}
	}
	if !p.punct(")") {
		p.want("`,` or `)`")
	}
}

func (b *tableBuilder) atConstraint() bool {
	p := b.p
	return p.is("CONSTRAINT") || p.is("PRIMARY", "KEY") || p.is("UNIQUE") || p.is("FOREIGN", "KEY") || p.is("CHECK") || p.is("EXCLUDE") && p.engine == Postgres
}

// constraint reads a constraint of the table, if one is next.
func (b *tableBuilder) constraint() bool {
	p := b.p
	if !b.atConstraint() {
		return false
	}
	name := ""
	if p.accept("CONSTRAINT") {
		name = p.name("the name of a constraint")
	}
	at := p.peek()
	switch {
	case p.accept("PRIMARY", "KEY"):
		b.setPrimary(at)
		b.tableKey = true
		b.keys = append(b.keys, pendingKey{b.key(name), true})
	case p.accept("UNIQUE"):
		b.keys = append(b.keys, pendingKey{b.key(name), false})
	case p.accept("CHECK"):
		b.check(name)
	case p.accept("FOREIGN", "KEY"):
		f := pendingForeign{at: at}
		f.Name = name
		f.Columns = p.columns(b.t)
		p.expect("REFERENCES")
		b.references(&f)
	case p.accept("EXCLUDE"):
		for !p.at(tokEnd) && !p.isPunct(";") && !p.isPunct(",") && !p.isPunct(")") {
			if p.isPunct("(") {
				p.parens()
			} else {
				p.next()
			}
		}
	default:
		p.want("PRIMARY KEY, UNIQUE, CHECK or FOREIGN KEY")
	}
	return true
}

func (b *tableBuilder) setPrimary(at token) {
	if b.primary.end > 0 || b.t.PrimaryKey != nil {
		b.p.fail(at, "table %s has two primary keys", b.t.Name)
	}
	b.primary = at
}

// key reads the columns of a primary or unique key and what may follow them.
func (b *tableBuilder) key(name string) Key {
	k := Key{Name: name, NullsDistinct: b.nulls()}
	k.Columns = b.p.columns(b.t)
	b.keyEnd(&k)
	return k
}

// nulls reads NULLS [NOT] DISTINCT.
func (b *tableBuilder) nulls() bool {
	if b.p.accept("NULLS", "NOT", "DISTINCT") {
		return false
	}
	_ = b.p.accept("NULLS", "DISTINCT")
	return true
}

func (b *tableBuilder) keyEnd(k *Key) {
	p := b.p
	for {
		switch {
		case p.accept("INCLUDE"), p.accept("WITH"):
			p.parens()
		case p.accept("USING", "INDEX", "TABLESPACE"):
			p.name("a tablespace")
		case p.accept("ON", "CONFLICT"):
			p.next()
		default:
			if d, ok := b.deferrable(); ok {
				k.Deferrable = k.Deferrable || d
				continue
			}
			return
		}
	}
}

// deferrable reads [NOT] DEFERRABLE or INITIALLY …, if one is next.
func (b *tableBuilder) deferrable() (is, ok bool) {
	p := b.p
	switch {
	case p.accept("NOT", "DEFERRABLE"), p.accept("INITIALLY", "IMMEDIATE"), p.accept("NOT", "VALID"):
		return false, true
	case p.accept("DEFERRABLE"):
		return true, true
	case p.accept("INITIALLY", "DEFERRED"):
		return p.engine == Postgres, true
	}
	return false, false
}

// check reads the condition of a CHECK.
func (b *tableBuilder) check(name string) {
	p := b.p
	first := p.i
	c := pendingCheck{Check: Check{Name: name, Expr: p.parens()}}
	named := map[string]bool{}
	for i := first; i < p.i; i++ {
		t := p.toks[i]
		if p.toks[min(i+1, len(p.toks)-1)].text == "(" || t.kind != tokWord && t.kind != tokName {
			continue
		}
		n := t.text
		if t.kind == tokWord && p.engine == Postgres {
			n = strings.ToLower(n)
		}
		if !named[n] {
			named[n] = true
			c.columns = append(c.columns, n)
		}
	}
	_ = p.accept("NO", "INHERIT")
	_ = p.accept("ON", "CONFLICT") && p.next().kind == tokWord
	b.deferrable()
	b.checks = append(b.checks, c)
}

// references reads what follows REFERENCES.
func (b *tableBuilder) references(f *pendingForeign) {
	p := b.p
	if f.at.end == 0 {
		f.at = p.peek()
	}
	f.Table = p.reference("a table")
	f.OnDelete, f.OnUpdate = NoAction, NoAction
	if p.punct("(") {
		for {
			p.partRoom(len(f.References))
			f.References = append(f.References, p.name("a column"))
			if !p.punct(",") {
				break
			}
		}
		p.expectPunct(")")
	}
	for {
		switch {
		case p.accept("ON", "DELETE"):
			f.OnDelete = p.action()
		case p.accept("ON", "UPDATE"):
			f.OnUpdate = p.action()
		case p.accept("MATCH"):
			p.next()
		default:
			if d, ok := b.deferrable(); ok {
				f.Deferrable = f.Deferrable || d
				continue
			}
			b.foreign = append(b.foreign, *f)
			return
		}
	}
}

func (p *parser) action() Action {
	for _, a := range []Action{NoAction, Restrict, Cascade, SetNull, SetDefault} {
		if p.accept(strings.Fields(string(a))...) {
			if (a == SetNull || a == SetDefault) && p.isPunct("(") {
				p.parens()
			}
			return a
		}
	}
	p.want("CASCADE, RESTRICT, SET NULL, SET DEFAULT or NO ACTION")
	return ""
}

// options reads what follows the parenthesis.
func (b *tableBuilder) options() {
	p, t := b.p, b.t
	for !p.at(tokEnd) && !p.isPunct(";") {
		switch {
		case p.accept("WITHOUT", "ROWID"):
			t.WithoutRowID = true
		case p.engine == SQLite && p.accept("STRICT"):
			t.Strict = true
		case p.engine == SQLite && p.punct(","):
		case p.accept("INHERITS"):
			p.expectPunct("(")
			for {
				parent := p.table()
				p.related = true
				t.Inherits = append(t.Inherits, parent.Name)
				b.inherit(parent)
				if !p.punct(",") {
					break
				}
			}
			p.expectPunct(")")
		case p.accept("PARTITION", "BY"):
			method := p.next()
			t.PartitionBy = method.up + " (" + p.parens() + ")"
		case p.accept("FOR", "VALUES"):
			for p.oneOf("IN", "FROM", "TO", "WITH") {
				p.next()
				p.parens()
			}
		case p.accept("WITH"), p.accept("OPTIONS"):
			p.parens()
		case p.accept("WITHOUT", "OIDS"):
		case p.accept("USING"), p.accept("TABLESPACE"), p.accept("SERVER"):
			p.name("a name")
		case p.accept("ON", "COMMIT"):
			p.until(nil)
		case p.is("AS"):
			p.fail(p.peek(), "CREATE TABLE AS is not read: write the columns out")
		default:
			p.want("`;`")
		}
	}
}

// inherit puts the parent's columns before the table's own; what both have is one.
func (b *tableBuilder) inherit(parent *Table) {
	t := b.t
	for _, c := range parent.Columns {
		c = b.p.handedDown(parent, c)
		b.p.work(len(t.Columns))
		b.p.columnRoom(t)
		if i := slices.IndexFunc(t.Columns, func(o Column) bool { return o.Name == c.Name }); i >= 0 {
			own := t.Columns[i]
			own.NotNull = own.NotNull || c.NotNull
			if own.Default == "" && own.Identity == NotIdentity {
				own.Default, own.Identity = c.Default, c.Identity
			}
			if i < b.inherited {
				t.Columns[i] = own
				continue
			}
			t.Columns = slices.Delete(t.Columns, i, i+1)
			c = own
		}
		t.Columns = slices.Insert(t.Columns, b.inherited, c)
		b.inherited++
	}
}
