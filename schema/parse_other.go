package schema

import (
	"slices"
	"strconv"
	"strings"
)

// createIndex reads what follows CREATE [UNIQUE] INDEX.
func (p *parser) createIndex(unique bool) {
	_ = p.accept("CONCURRENTLY")
	maybe := p.accept("IF", "NOT", "EXISTS")
	x := Index{Unique: unique}
	at := p.peek()
	if !p.is("ON") {
		x.Name = p.reference("the name of an index").Name
	}
	p.expect("ON")
	_ = p.accept("ONLY")
	t := p.table()
	if x.Name != "" && p.hasIndex(t.Schema, x.Name) {
		if !maybe {
			p.fail(at, "index %s is there already", x.Name)
		}
		p.skip()
		return
	}
	if p.engine == Postgres {
		x.Method = "btree"
		if p.accept("USING") {
			x.Method = p.name("an access method")
		}
	}
	var named []string
	p.expectPunct("(")
	for {
		p.partRoom(len(x.Parts))
		part, name := p.part(t)
		x.Parts = append(x.Parts, part)
		if x.Name == "" {
			one := name
			for i := 1; slices.Contains(named, one); i++ {
				one = name + strconv.Itoa(i)
			}
			named = append(named, one)
		}
		if !p.punct(",") {
			break
		}
	}
	p.expectPunct(")")
	if p.accept("INCLUDE") {
		x.Include = p.columns(t)
	}
	if p.accept("NULLS", "NOT", "DISTINCT") || p.accept("NULLS", "DISTINCT") {
		_ = x
	}
	if p.accept("WITH") {
		p.parens()
	}
	if p.accept("TABLESPACE") {
		p.name("a tablespace")
	}
	if p.accept("WHERE") {
		from := p.peek().pos
		p.skip()
		x.Where = strings.TrimSpace(p.src[from:p.peek().pos])
	}
	if x.Name == "" {
		x.Name = p.objectName(t.Schema, t.Name.Name, joined(named), "idx")
	}
	p.taken[Name{t.Schema, x.Name}] = true
	t.Indexes = append(t.Indexes, x)
}

func (p *parser) hasIndex(schema, name string) bool {
	if p.engine == Postgres && !p.taken[Name{schema, name}] {
		return false // all have their names there
	}
	p.workIndexes()
	for _, t := range p.db.Tables {
		if t.Schema == schema && slices.ContainsFunc(t.Indexes, func(x Index) bool { return p.engine.Is(x.Name, name) }) {
			return true
		}
	}
	return false
}

// part reads one part of an index, and says what it adds to the index's name.
func (p *parser) part(t *Table) (Part, string) {
	var out Part
	name := "expr"
	after := p.ahead(1)
	simple := (p.at(tokWord) || p.at(tokName)) && !(after.kind == tokPunct && strings.IndexAny(after.text, "(.|+-*/<>=:") == 0)
	if simple {
		out.Column = p.columnOf(t)
		name = out.Column
	} else {
		from := p.peek()
		if from.kind == tokWord && p.engine == Postgres {
			name = strings.ToLower(from.text) // of a call: the function's name
		}
		p.until(wordSet("ASC DESC COLLATE NULLS"))
		out.Expr = p.src[from.pos:p.toks[p.i-1].end]
		if p.engine == Postgres && from.text == "(" {
			out.Expr = strings.TrimSpace(out.Expr[1 : len(out.Expr)-1])
		}
	}
	if p.accept("COLLATE") {
		out.Collation = p.name("a collation")
		if p.punct(".") {
			out.Collation = p.name("a collation")
		}
		if c := t.Column(out.Column); c != nil && p.engine.Is(or(c.Collation, p.defaultCollation()), out.Collation) {
			out.Collation = ""
		}
	}
	if p.engine == Postgres && (p.at(tokWord) || p.at(tokName)) && !p.oneOf("ASC", "DESC", "NULLS") {
		out.OpClass = p.reference("an operator class").Name
		p.modifier()
	}
	out.Desc = !p.accept("ASC") && p.accept("DESC")
	if p.accept("NULLS") {
		p.next()
	}
	return out, name
}

func (p *parser) defaultCollation() string {
	if p.engine == SQLite {
		return "BINARY"
	}
	return "default"
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// createView keeps the name of a view; its query is not read.
func (p *parser) createView(materialized, replace bool) {
	maybe := p.accept("IF", "NOT", "EXISTS")
	at := p.peek()
	n := p.qualified("the name of a view")
	if p.lookup(n) != nil || p.view(n) != nil {
		if !maybe && !replace {
			p.fail(at, "%s is there already", n)
		}
	} else {
		p.db.Views = append(p.db.Views, &View{Name: n, Materialized: materialized})
	}
	if !p.isPunct("(") && !p.oneOf("AS", "WITH", "USING") {
		p.want("AS")
	}
	p.skip()
}

// createVirtual keeps the name of a virtual table of SQLite: its module knows the columns.
func (p *parser) createVirtual() {
	maybe := p.accept("IF", "NOT", "EXISTS")
	at := p.peek()
	n := p.qualified("the name of a table")
	if p.lookup(n) != nil && !maybe {
		p.fail(at, "%s is there already", n)
	}
	if p.lookup(n) == nil {
		p.add(&Table{Name: n, Virtual: true})
	}
	p.expect("USING")
	p.skip()
}

var events = []string{"INSERT", "UPDATE", "DELETE", "TRUNCATE"}

// createTrigger reads what follows CREATE TRIGGER.
func (p *parser) createTrigger() {
	maybe := p.accept("IF", "NOT", "EXISTS")
	tr := Trigger{Name: p.reference("the name of a trigger").Name, Timing: "BEFORE"}
	at := p.peek()
	switch {
	case p.accept("BEFORE"):
	case p.accept("AFTER"):
		tr.Timing = "AFTER"
	case p.accept("INSTEAD", "OF"):
		tr.Timing = "INSTEAD OF"
	case p.engine == Postgres:
		p.want("BEFORE, AFTER or INSTEAD OF")
	}
	var on []string
	for {
		if !p.oneOf(events...) {
			p.want("INSERT, UPDATE or DELETE")
		}
		on = append(on, p.next().up)
		if p.accept("OF") {
			for {
				p.name("a column")
				if !p.punct(",") {
					break
				}
			}
		}
		if !p.accept("OR") {
			break
		}
	}
	for _, e := range events {
		if slices.Contains(on, e) {
			tr.Events = append(tr.Events, e)
		}
	}
	p.expect("ON")
	target := p.peek()
	n := p.reference("a table")
	t := p.lookup(n)
	if v := p.view(n); t == nil && v == nil {
		p.fail(target, "there is no table %s up to here", n)
	}
	if p.engine == SQLite {
		for !p.is("BEGIN") {
			if p.at(tokEnd) {
				p.fail(at, "this trigger has no body: want BEGIN … END")
			}
			p.next()
		}
		p.body()
	} else {
		for !p.oneOf("FUNCTION", "PROCEDURE") {
			if p.at(tokEnd) || p.isPunct(";") {
				p.want("EXECUTE FUNCTION")
			}
			p.next()
		}
		p.next()
		tr.Function = p.reference("a function").Name
		p.skip()
	}
	if t != nil {
		p.work(len(t.Triggers))
	}
	if t == nil || maybe && slices.ContainsFunc(t.Triggers, func(o Trigger) bool { return p.engine.Is(o.Name, tr.Name) }) {
		return // triggers of views act on no rows of ours
	}
	t.Triggers = append(t.Triggers, tr)
}

// skipTrigger passes over a temporary trigger with its body.
func (p *parser) skipTrigger() {
	for !p.at(tokEnd) && !p.isPunct(";") {
		if p.is("BEGIN") {
			p.body()
			continue
		}
		p.next()
	}
}

// createPolicy reads what follows CREATE POLICY.
func (p *parser) createPolicy() {
	x := Policy{Name: p.name("the name of a policy"), Command: "ALL"}
	p.expect("ON")
	t := p.table()
	for !p.at(tokEnd) && !p.isPunct(";") {
		switch {
		case p.accept("AS", "PERMISSIVE"):
		case p.accept("AS", "RESTRICTIVE"):
			x.Restrictive = true
		case p.accept("FOR"):
			if !p.oneOf("ALL", "SELECT", "INSERT", "UPDATE", "DELETE") {
				p.want("ALL, SELECT, INSERT, UPDATE or DELETE")
			}
			x.Command = p.next().up
		case p.accept("TO"):
			for {
				x.Roles = append(x.Roles, p.name("a role"))
				if !p.punct(",") {
					break
				}
			}
		case p.accept("USING"):
			x.Using = p.parens()
		case p.accept("WITH", "CHECK"):
			x.Check = p.parens()
		default:
			p.want("AS, FOR, TO, USING, WITH CHECK or `;`")
		}
	}
	if x.Roles == nil {
		x.Roles = []string{"public"}
	}
	t.Policies = append(t.Policies, x)
}

// createRule keeps the name of a rewrite rule.
func (p *parser) createRule() {
	name := p.name("the name of a rule")
	p.expect("AS")
	p.expect("ON")
	p.next()
	p.expect("TO")
	n := p.reference("a table")
	t := p.lookup(n)
	if t != nil {
		p.work(len(t.Rules))
	}
	if t != nil && !slices.Contains(t.Rules, name) {
		t.Rules = append(t.Rules, name)
	}
	for !p.at(tokEnd) && !p.isPunct(";") {
		if p.isPunct("(") { // several commands, with semicolons between them
			p.group()
			continue
		}
		p.next()
	}
}

// group passes over a pair of parentheses that may hold statements.
func (p *parser) group() {
	open := p.next()
	for depth := 1; depth > 0; {
		t := p.next()
		switch {
		case t.kind == tokEnd:
			p.fail(open, "this parenthesis is not closed")
		case t.kind == tokPunct && t.text == "(":
			depth++
		case t.kind == tokPunct && t.text == ")":
			depth--
		}
	}
}

// comment reads what follows COMMENT ON.
func (p *parser) comment() {
	var set func(string)
	at := p.peek()
	switch {
	case p.accept("TABLE"), p.accept("FOREIGN", "TABLE"):
		t := p.table()
		set = func(s string) { t.Comment = s }
	case p.accept("COLUMN"):
		set = p.commentColumn()
	case p.accept("VIEW"), p.accept("MATERIALIZED", "VIEW"):
		n := p.reference("a view")
		v := p.view(n)
		if v == nil {
			p.fail(at, "there is no view %s up to here", n)
		}
		set = func(s string) { v.Comment = s }
	case p.accept("TYPE"), p.accept("DOMAIN"):
		n := p.qualified("a type")
		set = func(s string) {
			p.work(len(p.db.Enums) + len(p.db.Domains))
			for _, e := range p.db.Enums {
				if e.Name == n {
					e.Comment = s
				}
			}
			for _, d := range p.db.Domains {
				if d.Name == n {
					d.Comment = s
				}
			}
		}
	default:
		p.skip()
		return
	}
	p.expect("IS")
	if p.accept("NULL") {
		set("")
		return
	}
	text := p.next()
	if text.kind != tokString {
		p.fail(text, "want a text in single quotes, or NULL")
	}
	set(text.text)
}

// commentColumn reads schema.table.column.
func (p *parser) commentColumn() func(string) {
	at := p.peek()
	names := []string{p.name("a column")}
	for p.punct(".") {
		names = append(names, p.name("a column"))
	}
	if len(names) < 2 || len(names) > 3 {
		p.fail(at, "want table.column")
	}
	n := Name{Name: names[len(names)-2]}
	if len(names) == 3 {
		n.Schema = names[0]
	}
	t := p.lookup(n)
	if t == nil {
		if p.view(n) != nil {
			return func(string) {} // columns of views are not known here
		}
		p.fail(at, "there is no table %s up to here", n)
	}
	c := t.Column(p.spelled(t, at, names[len(names)-1]))
	return func(s string) { c.Comment = s }
}
