package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// oneFile bounds the tables in one file. If there are more, each table has a file.
const oneFile = 20

// width is the width of comments, in characters.
const width = 90

// source is a file that is being written. Each declaration notes the imports that it needs. The text is not searched for them, because it contains
// comments of the database.
type source struct {
	doc          string
	exosql, time bool
	body         bytes.Buffer
}

func (s *source) printf(format string, args ...any) { fmt.Fprintf(&s.body, format, args...) }

// files writes all files: the package's first file, one for each table if there are many, and the starting point of a facet.
func (p *pack) files(o Options) ([]File, error) {
	main := &source{doc: p.doc(o)}
	for _, e := range p.enums {
		main.enum(e)
	}
	sources := map[string]*source{"tables.go": main}
	if start := p.start(o.Package); start != nil {
		sources["facet_start.go"] = start
	}
	names := newScope()
	for _, t := range p.tables {
		to := main
		if len(p.tables) > oneFile {
			to = &source{}
			sources[names.claim(nil, fileName(t.t.Name.Name), fileName(t.t.Name.Name)+"_")+".go"] = to
		}
		to.table(t)
	}
	p.writeList(main)
	var out []File
	for name, s := range sources {
		text, err := format.Source(s.text(o))
		if err != nil {
			return nil, fmt.Errorf("gen: the file %s would not be valid Go, so no file is written: this is a fault of exo gen, please report it: %w", name, err)
		}
		out = append(out, File{name, text})
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// text returns the file before it is formatted.
func (s *source) text(o Options) []byte {
	var b bytes.Buffer
	b.WriteString(Header)
	if o.Source != "" {
		b.WriteString(" from " + line(o.Source))
	}
	fmt.Fprintf(&b, "; DO NOT EDIT.\n\n%spackage %s\n\n", s.doc, o.Package)
	const exosql = "\"github.com/exoagent/exoagent/exosql\"\n"
	switch {
	case s.time:
		b.WriteString("import (\n\"time\"\n\n" + exosql + ")\n\n")
	case s.exosql:
		b.WriteString("import " + exosql + "\n")
	}
	b.Write(s.body.Bytes())
	return b.Bytes()
}

// fileName returns the name of a table's file, without .go. Its ending keeps Go from reading a table's name as a build condition, like
// users_test or events_linux.
func fileName(table string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, table)
	s = strings.Trim(s, "_") // Go ignores files with names that begin with _
	s = cmp.Or(s, "x")
	return s + "_table"
}

// doc returns the comment of the package: its content, and the tables that are left out, with the reasons.
func (p *pack) doc(o Options) string {
	text := comment(fmt.Sprintf("Package %s declares tables of %s. It grants nothing: what a program may see is for you to write, in a file of your own.", o.Package, cmp.Or(line(o.Source), "a database")), width)
	for _, l := range p.left {
		text += "//\n" + comment("Left out: "+l+".", width)
	}
	return text
}

// writeList writes the function that returns all tables and links, for exosql.Check.
func (p *pack) writeList(s *source) {
	s.exosql = true
	s.body.WriteString(comment(p.list+" returns all tables and links, for exosql.Check.", width))
	s.printf("func %s() []exosql.Declared {\nreturn []exosql.Declared{\n", p.list)
	for _, t := range p.tables {
		names := []string{t.name}
		for _, l := range t.links {
			names = append(names, l.name)
		}
		s.printf("%s,\n", strings.Join(names, ", "))
	}
	s.printf("}\n}\n")
}

func (s *source) enum(e *enum) {
	s.body.WriteString(comment(described(e.name+" is the enum "+name(e.e.Name.Name), e.e.Comment), width))
	s.printf("type %s string\n\nconst (\n", e.name)
	for i, c := range e.consts {
		s.printf("%s %s = %s\n", c, e.name, lit(e.e.Values[i]))
	}
	s.printf(")\n\n")
}

func described(what, comment string) string {
	if c := line(comment); c != "" {
		return what + ": " + c
	}
	return what + "."
}

// table writes the row type, the table with its columns and a description of its indexes, and the links from it.
func (s *source) table(t *table) {
	s.exosql = true
	s.body.WriteString(comment(described(t.row+" is a row of "+name(t.t.Name.Name), t.t.Comment), width))
	keyless := ""
	if t.keyless() {
		keyless = ".Keyless()"
		s.body.WriteString("//\n" + comment("Nothing makes its rows unique that can be declared: programs read it, without pages, and don't write it.", width))
	}
	s.printf("type %s struct {\n", t.row)
	for _, c := range t.cols {
		s.time = s.time || c.typ == "time.Time"
		s.printf("%s %s\n", c.field, c.fieldType())
	}
	s.printf("}\n\n")
	for _, l := range t.left {
		s.body.WriteString(comment("Left out: "+l+".", width))
	}
	s.printf("\n")
	s.printf("var (\n%s%s = exosql.NewTable[%s](%s)%s\n", comment(t.name+" "+indexes(t.t), width), t.name, t.row, lit(t.t.Name.Name), keyless)
	for _, c := range t.cols {
		s.column(t, c)
	}
	s.printf(")\n\n")
	if len(t.links) == 0 {
		return
	}
	s.printf("var (\n")
	for _, l := range t.links {
		s.link(l)
	}
	s.printf(")\n\n")
}

// keyless reports whether the table has no declared key.
func (t *table) keyless() bool {
	return !slices.ContainsFunc(t.cols, func(c *column) bool { return c.key })
}

func (s *source) column(t *table, c *column) {
	make, ptr := "NewColumn", "*"
	switch {
	case c.key:
		make = "NewKey"
	case c.null:
		make, ptr = "NewNullable", "**"
	}
	r := string([]rune(strings.ToLower(t.row))[:1])
	s.printf("%s = exosql.%s(%s, %s, func(%s *%s) %s%s { return &%s.%s })", c.name, make, t.name, lit(c.c.Name), r, t.row, ptr, c.goType(), r, c.field)
	if c.named {
		s.printf(".Named(%s)", lit(c.guest))
	}
	if c.enum != nil {
		s.printf(".OneOf(%s)", strings.Join(c.enum.consts, ", "))
	}
	if len(c.oneOf) > 0 {
		s.printf(".OneOf(%s)", strings.Join(scalar.Each(c.oneOf, lit), ", "))
	}
	if c.iso {
		s.printf(".StoredISO()")
	}
	if c.form != "" {
		s.printf(".Stored(%s)", lit(c.form))
	}
	if doc := cmp.Or(line(c.c.Comment), line(c.doc)); doc != "" {
		s.printf(".Doc(%s)", lit(doc))
	}
	if c.form != "" {
		s.printf(" // so are %d of the %d cells that were looked at", c.held, c.c.Cells.Held)
	}
	s.printf("\n")
}

func (c *column) fieldType() string {
	if c.null {
		return "*" + c.goType()
	}
	return c.goType()
}

func (s *source) link(l *link) {
	make := "Many"
	if l.one {
		make = "One"
	}
	s.printf("%s = exosql.%s(%s, %s, %s", l.name, make, lit(l.guest), l.pairs[0][0].name, l.pairs[0][1].name)
	for _, pair := range l.pairs[1:] {
		s.printf(", exosql.Keys(%s, %s)", pair[0].name, pair[1].name)
	}
	s.printf(")")
	if l.doc != "" {
		s.printf(".Doc(%s)", lit(l.doc))
	}
	s.printf("\n")
}
