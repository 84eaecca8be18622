package schema

import (
	"strings"
)

// typeOf is what the type of a column says of it.
type typeOf struct {
	text    string
	kind    Kind
	elem    Kind
	enum    *Name
	domain  *Name
	notNull bool
	serial  bool
	coll    string
	loose   bool
}

func (t typeOf) set(c *Column) {
	c.Type, c.Kind, c.Elem, c.Enum, c.Domain = t.text, t.kind, t.elem, t.enum, t.domain
	c.NotNull = c.NotNull || t.notNull || t.serial
	c.Collation, c.Loose = t.coll, t.loose
	if t.serial {
		c.Identity, c.Default = ByDefault, ""
	}
}

// postgresNames are other names of types, as format_type writes them.
var postgresNames = map[string]string{
	"int": "integer", "int4": "integer", "int2": "smallint", "int8": "bigint", "bool": "boolean", "float8": "double precision", "float4": "real", "dec": "numeric",
	"decimal": "numeric", "varchar": "character varying", "char": "character", "bpchar": "character", "varbit": "bit varying",
	"timestamptz": "timestamp with time zone", "timetz": "time with time zone", "serial": "integer", "serial4": "integer", "bigserial": "bigint", "serial8": "bigint",
	"smallserial": "smallint", "serial2": "smallint",
}

// postgresType reads a type and writes it as format_type does.
func (p *parser) postgresType() typeOf {
	at := p.peek()
	if at.kind == tokWord && columnStop[at.up] || at.kind != tokWord && at.kind != tokName {
		p.want("a type")
	}
	n := p.reference("a type")
	if n.Schema == "pg_catalog" {
		n.Schema = ""
	}
	var t typeOf
	found := false
	if at.kind == tokName && n.Schema == "" && n.Name == "char" {
		t.text, found = `"char"`, true
	}
	if !found && (n.Schema != "" || !p.builtIn(n.Name)) {
		t, found = p.ownType(n)
	}
	if !found {
		t = p.builtInType(strings.ToLower(n.Name), n)
	}
	if p.accept("ARRAY") {
		if p.punct("[") {
			p.next()
			p.expectPunct("]")
		}
		t = t.array()
	}
	for p.punct("[") {
		if p.at(tokNumber) {
			p.next()
		}
		p.expectPunct("]")
		if t.kind != List || !strings.HasSuffix(t.text, "[]") {
			t = t.array()
		}
	}
	return t
}

func (t typeOf) array() typeOf {
	if t.domain != nil {
		t.text = typeText(*t.domain)
	}
	return typeOf{text: t.text + "[]", kind: List, elem: t.kind, enum: t.enum}
}

// builtIn reports whether a name is that of a type of PostgreSQL itself.
func (p *parser) builtIn(name string) bool {
	return postgresNames[name] != "" || postgresKinds[name] != "" && name != "citext" || strings.HasPrefix(name, "timestamp") || name == "time" || name == "double" || name == "bit"
}

// ownType finds an enum or a domain that was made before.
func (p *parser) ownType(n Name) (typeOf, bool) {
	in := []string{n.Schema}
	if n.Schema == "" {
		in = p.path
	}
	for _, s := range in {
		p.work(1 + len(p.db.Enums) + len(p.domains))
		for _, e := range p.db.Enums {
			if e.Name == (Name{s, n.Name}) {
				name := e.Name
				return typeOf{text: typeText(name), kind: Text, enum: &name}, true
			}
		}
		for _, d := range p.domains {
			if d.Name == (Name{s, n.Name}) {
				name, t := d.Name, d.base
				t.domain, t.notNull = &name, d.NotNull || t.notNull
				return t, true
			}
		}
		if text, ok := p.others[Name{s, n.Name}]; ok {
			return typeOf{text: text}, true
		}
	}
	return typeOf{}, false
}

// typeText is the name of a type that is not PostgreSQL's own.
func typeText(n Name) string { return quoteIfNeeded(n.Schema) + "." + quoteIfNeeded(n.Name) }

// quoteIfNeeded quotes what would not be read as itself.
func quoteIfNeeded(s string) string {
	for i, r := range s {
		if !('a' <= r && r <= 'z' || r == '_' || i > 0 && '0' <= r && r <= '9') {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
	}
	return s
}

// builtInType reads what may follow the name of a type: more words and the
// parenthesis. A type that is not known is one of an extension.
func (p *parser) builtInType(name string, n Name) typeOf {
	var t typeOf
	t.serial = postgresNames[name] != "" && strings.HasSuffix(strings.TrimRight(name, "248"), "serial")
	given := name
	if full := postgresNames[name]; full != "" {
		name = full
	}
	mod := ""
	switch name {
	case "double":
		p.expect("PRECISION")
		name = "double precision"
	case "character":
		if p.accept("VARYING") {
			name = "character varying"
		}
		mod = p.modifier()
		if name == "character" && mod == "" {
			mod = "(1)"
			if given == "bpchar" {
				name, mod = "bpchar", ""
			}
		}
	case "bit":
		if p.accept("VARYING") {
			name = "bit varying"
		}
		if mod = p.modifier(); name == "bit" && mod == "" {
			mod = "(1)"
		}
	case "float":
		name = "double precision"
		if m := p.modifier(); m != "" && len(m) <= 4 && (len(m) == 3 || m < "(25)") {
			name = "real"
		}
	case "numeric":
		if mod = p.modifier(); mod != "" && !strings.Contains(mod, ",") {
			mod = strings.TrimSuffix(mod, ")") + ",0)"
		}
	case "timestamp", "time", "timestamp with time zone", "time with time zone":
		base, zone := name, " without time zone"
		base, rest, given := strings.Cut(base, " ")
		if given {
			zone = " " + rest
		}
		mod = p.modifier()
		if p.accept("WITH", "TIME", "ZONE") {
			zone = " with time zone"
		} else {
			_ = p.accept("WITHOUT", "TIME", "ZONE")
		}
		name, mod = base+mod+zone, ""
	case "interval":
		for p.oneOf("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND") {
			name += " " + strings.ToLower(p.next().text)
			if p.accept("TO") {
				name += " to " + strings.ToLower(p.next().text)
			}
		}
		mod = p.modifier()
	default:
		mod = p.modifier()
	}
	if quoteIfNeeded(n.Name) != n.Name && postgresKinds[name] == "" {
		name = quoteIfNeeded(n.Name)
	}
	t.text = name + mod
	t.kind, t.elem = postgresKind(t.text)
	return t
}

// modifier reads (10, 2) and writes it without spaces.
func (p *parser) modifier() string {
	if !p.isPunct("(") {
		return ""
	}
	return "(" + strings.ReplaceAll(p.parens(), " ", "") + ")"
}

// createType reads CREATE TYPE … AS ENUM; of others only the name is kept.
func (p *parser) createType() {
	at := p.peek()
	n := p.qualified("the name of a type")
	p.newType(at, n)
	if !p.accept("AS", "ENUM") {
		p.others[n] = typeText(n)
		p.skip()
		return
	}
	e := &Enum{Name: n}
	p.expectPunct("(")
	for !p.isPunct(")") {
		v := p.next()
		if v.kind != tokString {
			p.fail(v, "want a value of the enum in single quotes")
		}
		e.Values = append(e.Values, v.text)
		if !p.punct(",") {
			break
		}
	}
	p.expectPunct(")")
	p.db.Enums = append(p.db.Enums, e)
}

func (p *parser) newType(at token, n Name) {
	if _, there := p.ownType(n); there {
		p.fail(at, "type %s is there already", n)
	}
}

// parsedDomain is a domain with the type of its values.
type parsedDomain struct {
	*Domain
	base typeOf
}

// createDomain reads CREATE DOMAIN.
func (p *parser) createDomain() {
	at := p.peek()
	d := &Domain{Name: p.qualified("the name of a domain")}
	p.newType(at, d.Name)
	_ = p.accept("AS")
	base := p.postgresType()
	d.Type, d.Kind, d.Elem = base.text, base.kind, base.elem
	name, c := "", Column{}
	for !p.at(tokEnd) && !p.isPunct(";") {
		used := true
		switch {
		case p.accept("CONSTRAINT"):
			name, used = p.name("the name of a constraint"), false
		case p.accept("NOT", "NULL"):
			d.NotNull = true
		case p.accept("NULL"):
		case p.accept("DEFAULT"):
			c.setDefault(p.until(columnStop), Postgres)
		case p.accept("COLLATE"):
			p.collate(&c)
			base.coll, base.loose = c.Collation, c.Loose
		case p.accept("CHECK"):
			if name == "" {
				name = p.objectName(d.Schema, d.Name.Name, "", "check")
			}
			p.taken[Name{d.Schema, name}] = true
			d.Checks = append(d.Checks, Check{name, p.parens()})
		default:
			p.want("NOT NULL, DEFAULT, CHECK or `;`")
		}
		if used {
			name = ""
		}
	}
	d.Default = c.Default
	p.db.Domains = append(p.db.Domains, d)
	p.domains = append(p.domains, parsedDomain{d, base})
}

// createCollation notes a collation that takes different texts for equal.
func (p *parser) createCollation() {
	p.next()
	_ = p.accept("IF", "NOT", "EXISTS")
	n := p.reference("the name of a collation")
	if p.isPunct("(") {
		words := strings.Fields(strings.NewReplacer(",", " ", "=", " ").Replace(strings.ToLower(p.parens())))
		for i, w := range words {
			if w == "deterministic" && i+1 < len(words) && (words[i+1] == "false" || words[i+1] == "'false'" || words[i+1] == "off") {
				p.loose[n.Name] = true
			}
		}
	}
}
