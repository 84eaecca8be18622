package schema

import (
	"fmt"
	"slices"
	"strings"
)

// ParseDDL reads the statements that make a database: what CREATE, ALTER, DROP and
// COMMENT say of tables, indexes, types, views, triggers and policies. Dumps of
// both engines can be given as they are; statements about rows, functions and rights
// are passed over. What changes the catalogue in a way that is not known here is an
// error, and not passed over. Every error is a *SyntaxError.
//
// On PostgreSQL, names without a schema are of public, or of what SET search_path says.
// Constraints and indexes without a name get the one that PostgreSQL would give them.
func ParseDDL(text string, engine Engine) (*Database, error) {
	p, err := newParser(text, engine)
	if err != nil {
		return nil, err
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	return p.db, nil
}

func newParser(text string, engine Engine) (*parser, error) {
	if engine != SQLite && engine != Postgres {
		return nil, fmt.Errorf("schema: no engine %q: want schema.SQLite or schema.Postgres", string(engine))
	}
	toks, err := lex(text, engine)
	if err != nil {
		return nil, err
	}
	p := &parser{src: text, engine: engine, toks: toks, db: &Database{Engine: engine}, taken: map[Name]bool{}, others: map[Name]string{}, loose: map[string]bool{}, numbered: map[columnID]bool{}}
	if engine == Postgres {
		p.path, p.db.Path = []string{"public"}, []string{"public"}
	}
	return p, nil
}

// run reads all statements.
func (p *parser) run() (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	for !p.at(tokEnd) {
		p.statement()
	}
	p.finish()
	p.db.finish()
	return nil
}

// parser reads statements. A mistake is a panic with a *SyntaxError, which ParseDDL returns.
type parser struct {
	src    string
	engine Engine
	toks   []token
	i      int
	db     *Database
	path   []string
	taken  map[Name]bool // PostgreSQL: names of constraints and indexes that there are

	domains  []parsedDomain
	others   map[Name]string   // PostgreSQL: composite types and the like
	loose    map[string]bool   // PostgreSQL: collations that are not deterministic
	numbered map[columnID]bool // PostgreSQL: columns GENERATED AS IDENTITY
	foreign  []foreignOf       // to be resolved when all tables are known
	labels   map[[4]string]int // PostgreSQL: how many generated names of each form are taken, at least
	tables   map[Name]*Table   // db.Tables by folded name
	related  bool              // a table has partitions or heirs

	worked, grown int // see maxWork and maxMade
}

func (p *parser) peek() token { return p.toks[p.i] }

// ahead is the token n after the next one, or the end.
func (p *parser) ahead(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

func (p *parser) at(k tokenKind) bool { return p.peek().kind == k }

// is reports whether the next words are these.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		if t := p.ahead(i); t.kind != tokWord || t.up != w {
			return false
		}
	}
	return true
}

// oneOf reports whether the next word is one of these.
func (p *parser) oneOf(words ...string) bool {
	return p.at(tokWord) && slices.Contains(words, p.peek().up)
}

func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.i += len(words)
	return true
}

func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.want(strings.Join(words, " "))
	}
}

func (p *parser) isPunct(s string) bool { t := p.peek(); return t.kind == tokPunct && t.text == s }

func (p *parser) punct(s string) bool {
	if p.isPunct(s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expectPunct(s string) {
	if !p.punct(s) {
		p.want("`" + s + "`")
	}
}

// fail reports a mistake at a token.
func (p *parser) fail(at token, format string, args ...any) {
	panic(errorAt(p.src, at.pos, fmt.Sprintf(format, args...)))
}

// want reports that the next token is not what it should be.
func (p *parser) want(what string) {
	t := p.peek()
	found := "the end"
	if t.kind != tokEnd {
		found = clip(p.src[t.pos:t.end])
	}
	p.fail(t, "found %s, want %s", found, what)
}

// clip shows a piece of the source in a message.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "")
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return "`" + s + "`"
}

// name reads one name. PostgreSQL folds what is not quoted.
func (p *parser) name(what string) string {
	t := p.peek()
	switch {
	case t.kind == tokName, t.kind == tokString && p.engine == SQLite:
		p.i++
		if t.text == "" {
			p.fail(t, "a name is empty")
		}
		return t.text
	case t.kind == tokWord && !reserved[t.up]:
		p.i++
		return p.folded(t.text)
	case t.kind == tokWord:
		p.fail(t, "found the keyword %s, want %s; a name that is a keyword stands in double quotes", t.text, what)
	}
	p.want(what)
	return ""
}

// reserved are keywords of both engines that are no names: where one of them stands
// in the place of a name, something was forgotten.
var reserved = wordSet(`ALL AND AS CHECK COLLATE CONSTRAINT CREATE DEFAULT FOREIGN FROM IN INTO NOT NULL ON OR ORDER PRIMARY
	REFERENCES SELECT TABLE THEN TO UNIQUE USING WHEN WHERE`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// qualified reads a name with or without a schema, and gives it the one in which it would be made.
func (p *parser) qualified(what string) Name {
	at := p.peek()
	n := p.reference(what)
	if p.engine == Postgres && n.Schema == "" {
		if len(p.path) == 0 {
			p.fail(at, "the search path is empty: write schema.%s", n.Name)
		}
		n.Schema = p.path[0]
	}
	return n
}

// reference reads a name of something that there is; its schema may be empty.
func (p *parser) reference(what string) Name {
	at := p.peek()
	n := Name{Name: p.name(what)}
	if p.punct(".") {
		n = Name{Schema: n.Name, Name: p.name(what)}
	}
	if p.engine == SQLite {
		if n.Schema != "" && asciiFold(n.Schema) != "main" {
			p.fail(at, "only the schema main is read, not %s", n.Schema)
		}
		n.Schema = ""
	}
	return n
}

// table reads the name of a table that was made before.
func (p *parser) table() *Table {
	at := p.peek()
	n := p.reference("a table")
	t := p.lookup(n)
	if t == nil {
		p.fail(at, "there is no table %s up to here", n)
	}
	return t
}

// view finds a view along the path that is in force here.
func (p *parser) view(n Name) *View {
	p.work(len(p.db.Views) * max(1, len(p.path)))
	return (&Database{Engine: p.engine, Path: p.path, Views: p.db.Views}).View(n)
}

// lookup finds a table along the path that is in force here.
func (p *parser) lookup(n Name) *Table {
	if p.tables == nil {
		p.tables = map[Name]*Table{}
		for _, t := range p.db.Tables {
			p.tables[p.engine.key(t.Name)] = t
		}
	}
	if n.Schema != "" || p.engine == SQLite {
		return p.tables[p.engine.key(n)]
	}
	p.work(len(p.path))
	for _, s := range p.path {
		if t := p.tables[p.engine.key(Name{s, n.Name})]; t != nil {
			return t
		}
	}
	return nil
}

// add puts a table into the database.
func (p *parser) add(t *Table) {
	p.lookup(t.Name) // makes the index
	p.db.Tables = append(p.db.Tables, t)
	p.tables[p.engine.key(t.Name)] = t
}

// columnOf reads the name of a column and spells it as its table does.
func (p *parser) columnOf(t *Table) string {
	at := p.peek()
	return p.spelled(t, at, p.name("a column"))
}

func (p *parser) spelled(t *Table, at token, name string) string {
	p.work(len(t.Columns))
	for i := range t.Columns {
		if p.engine.Is(t.Columns[i].Name, name) {
			return t.Columns[i].Name
		}
	}
	var have []string
	for _, c := range t.Columns[:min(12, len(t.Columns))] {
		have = append(have, c.Name)
	}
	if len(t.Columns) > 12 {
		have = append(have, "…")
	}
	p.fail(at, "table %s has no column %s; it has %s", t.Name, name, strings.Join(have, ", "))
	return ""
}

// columns reads (a, b): names of columns that may be sorted, as keys have them.
func (p *parser) columns(t *Table) []string {
	p.expectPunct("(")
	var out []string
	for {
		p.partRoom(len(out))
		out = append(out, p.columnOf(t))
		if p.engine == SQLite {
			if p.accept("COLLATE") {
				p.name("a collation")
			}
			_ = p.accept("ASC") || p.accept("DESC")
		}
		if !p.punct(",") {
			break
		}
	}
	p.expectPunct(")")
	return out
}

// parens reads what stands in a pair of parentheses, and gives it as it is written.
func (p *parser) parens() string {
	open := p.peek()
	p.expectPunct("(")
	from := p.peek().pos
	for depth := 1; ; {
		t := p.next()
		switch {
		case t.kind == tokEnd:
			p.fail(open, "this parenthesis is not closed")
		case t.kind != tokPunct:
		case t.text == "(":
			depth++
		case t.text == ")":
			if depth--; depth == 0 {
				return strings.TrimSpace(p.src[from:t.pos])
			}
		case t.text == ";":
			p.fail(open, "this parenthesis is not closed before the statement ends")
		}
	}
}

// until reads up to a word at this depth that is one of stop, a comma, a closing
// parenthesis or the end of the statement. The first token always belongs to it.
func (p *parser) until(stop map[string]bool) string {
	from, to := p.peek().pos, p.peek().pos
	for first := true; !p.at(tokEnd) && !p.isPunct(";") && !p.isPunct(",") && !p.isPunct(")"); first = false {
		if !first && p.at(tokWord) && stop[p.peek().up] {
			break
		}
		if p.isPunct("(") {
			p.parens()
		} else {
			p.next()
		}
		to = p.toks[p.i-1].end
	}
	return p.src[from:to]
}

// skip passes over the rest of the statement.
func (p *parser) skip() {
	for !p.at(tokEnd) && !p.isPunct(";") {
		p.next()
	}
}

// end expects the end of the statement.
func (p *parser) end() {
	if p.at(tokEnd) || p.punct(";") {
		return
	}
	p.want("`;`")
}
