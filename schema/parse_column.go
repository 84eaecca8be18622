package schema

import (
	"slices"
	"strings"
)

// columnStop are the words that begin a constraint of a column: an expression or a type ends before them.
var columnStop = wordSet(`CONSTRAINT NOT NULL UNIQUE PRIMARY CHECK DEFAULT COLLATE REFERENCES GENERATED DEFERRABLE INITIALLY STORAGE COMPRESSION`)

// column reads one column. In a partition it only says more of a column that is there.
func (b *tableBuilder) column(partition bool) {
	p, t := b.p, b.t
	at := p.peek()
	name := p.name("the name of a column")
	if partition {
		spelled := p.spelled(t, at, name)
		_ = p.accept("WITH", "OPTIONS")
		b.columnConstraints(t.Column(spelled))
		return
	}
	p.work(len(t.Columns))
	p.columnRoom(t)
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return p.engine.Is(c.Name, name) }) {
		p.fail(at, "table %s has two columns %s", t.Name, name)
	}
	c := Column{Name: name}
	if p.engine == SQLite {
		c.Type = p.sqliteType()
		c.Kind = sqliteKind(c.Type)
	} else {
		p.postgresType().set(&c)
		if p.accept("OPTIONS") {
			p.parens()
		}
	}
	t.Columns = append(t.Columns, c)
	b.columnConstraints(&t.Columns[len(t.Columns)-1])
}

// columnConstraints reads all that follows the type of a column.
func (b *tableBuilder) columnConstraints(c *Column) {
	p := b.p
	name := ""
	for {
		at := p.peek()
		used := true
		switch {
		case p.accept("CONSTRAINT"):
			name, used = p.name("the name of a constraint"), false
		case p.accept("NOT", "NULL"):
			c.NotNull = true
			_ = p.accept("NO", "INHERIT")
			b.conflict()
		case p.accept("NULL"):
			b.conflict()
		case p.accept("PRIMARY", "KEY"):
			b.primaryColumn(c, name, at)
		case p.accept("UNIQUE"):
			k := Key{Name: name, NullsDistinct: b.nulls(), Columns: []string{c.Name}}
			b.keyEnd(&k)
			b.keys = append(b.keys, pendingKey{k, false})
		case p.accept("CHECK"):
			b.check(name)
		case p.accept("DEFAULT"):
			b.defaultOf(c)
		case p.accept("COLLATE"):
			p.collate(c)
		case p.accept("REFERENCES"):
			f := pendingForeign{at: at}
			f.Name, f.Columns = name, []string{c.Name}
			b.references(&f)
		case p.accept("GENERATED", "BY", "DEFAULT", "AS", "IDENTITY"):
			b.identity(c, ByDefault)
		case p.accept("GENERATED", "ALWAYS", "AS", "IDENTITY"):
			b.identity(c, Always)
		case p.accept("GENERATED", "ALWAYS", "AS"), p.engine == SQLite && p.accept("AS"):
			c.GenExpr, c.Generated = p.parens(), Virtual
			if p.accept("STORED") {
				c.Generated = Stored
			} else {
				_ = p.accept("VIRTUAL")
			}
		case p.accept("STORAGE"), p.accept("COMPRESSION"):
			p.next()
		default:
			if _, ok := b.deferrable(); !ok {
				if !p.isPunct(",") && !p.isPunct(")") && !p.isPunct(";") && !p.at(tokEnd) {
					p.want("a constraint of column " + c.Name + ", `,` or `)`")
				}
				return
			}
		}
		if used {
			name = ""
		}
	}
}

// conflict reads SQLite's ON CONFLICT.
func (b *tableBuilder) conflict() {
	if b.p.engine == SQLite && b.p.accept("ON", "CONFLICT") {
		b.p.next()
	}
}

func (b *tableBuilder) primaryColumn(c *Column, name string, at token) {
	p := b.p
	b.setPrimary(at)
	desc := false
	if p.engine == SQLite {
		_ = p.accept("ASC")
		desc = p.accept("DESC")
	}
	k := Key{Name: name, NullsDistinct: true, Columns: []string{c.Name}}
	b.keyEnd(&k)
	_ = p.accept("AUTOINCREMENT")
	b.rowid = p.engine == SQLite && asciiUpper(c.Type) == "INTEGER" && !desc
	b.keys = append(b.keys, pendingKey{k, true})
}

func (b *tableBuilder) identity(c *Column, how Identity) {
	c.Identity, c.NotNull, c.Default = how, true, ""
	b.p.numbered[columnID{b.t.Name, c.Name}] = true
	if b.p.isPunct("(") {
		b.p.parens()
	}
}

// defaultOf reads the value of a DEFAULT. NULL is none.
func (b *tableBuilder) defaultOf(c *Column) {
	p := b.p
	if p.isPunct(",") || p.isPunct(")") || p.at(tokEnd) {
		p.want("a value")
	}
	var text string
	switch {
	case p.engine == Postgres:
		text = p.until(columnStop)
	case p.isPunct("("):
		text = p.parens()
	default:
		from := p.next()
		if from.text == "-" || from.text == "+" {
			p.next()
		}
		text = p.src[from.pos:p.toks[p.i-1].end]
	}
	c.setDefault(text, p.engine)
}

// setDefault keeps a default, as an identity where it is one.
func (c *Column) setDefault(text string, engine Engine) {
	c.Default = text
	up := asciiUpper(text)
	switch {
	case up == "NULL" || strings.HasPrefix(up, "NULL::"):
		c.Default = ""
	case engine == Postgres && (strings.HasPrefix(up, "NEXTVAL(") || strings.HasPrefix(up, "PG_CATALOG.NEXTVAL(")):
		c.Default, c.Identity = "", ByDefault
	}
}

// collate reads the collation of a column.
func (p *parser) collate(c *Column) {
	n := p.name("a collation")
	if p.punct(".") {
		n = p.name("a collation")
	}
	if p.engine == SQLite {
		c.Collation, c.Loose = n, sqliteLoose(n)
		return
	}
	if n == "default" {
		return
	}
	c.Collation, c.Loose = n, p.loose[n]
}

// sqliteType reads a declared type as it stands, or none.
func (p *parser) sqliteType() string {
	from := p.peek()
	for p.at(tokWord) || p.at(tokName) || p.at(tokString) {
		if t := p.peek(); t.kind == tokWord && (columnStop[t.up] && !(t.up == "GENERATED" && p.ahead(1).up != "ALWAYS") || t.up == "AS") {
			break
		}
		p.next()
	}
	if p.peek().pos == from.pos {
		return ""
	}
	if p.isPunct("(") {
		p.parens()
	}
	last := p.toks[p.i-1]
	text := p.src[from.pos:last.end]
	if last.pos == from.pos && last.kind != tokWord {
		text = last.text
	}
	if up := asciiUpper(text); slices.Contains([]string{"ANY", "BLOB", "INT", "INTEGER", "REAL", "TEXT"}, up) {
		return up // SQLite writes these so
	}
	return text
}
