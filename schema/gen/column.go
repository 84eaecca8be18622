package gen

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// column is a column that is declared.
type column struct {
	c     *schema.Column
	name  string // the variable
	field string // of the row type
	typ   string // the Go type V of its values
	enum  *enum  // whose type it is
	key   bool
	null  bool
	guest string   // what programs call it
	named bool     // which needs saying
	oneOf []string // the only values, by a check
	iso   bool     // its times have no more than milliseconds
}

// goTypes are the types of values for exosql.
var goTypes = map[schema.Kind]string{
	schema.Bool: "bool", schema.Int: "int64", schema.Float: "float64", schema.Text: "string", schema.Time: "time.Time",
	schema.Decimal: "exosql.Decimal", schema.Date: "exosql.Date", schema.Interval: "exosql.Interval",
	schema.UUID: "[16]byte", schema.Bytes: "[]byte", schema.JSON: "exosql.JSON",
}

// takeColumns declares the columns that exosql can take.
func (p *pack) takeColumns(t *table) {
	fields := newScope()
	t.lists = p.db.Listed(t.t)
	for i := range t.t.Columns {
		c := &t.t.Columns[i]
		if why := p.refuse(c); why != "" {
			t.leave("column %s: %s", name(c.Name), why)
			continue
		}
		col := &column{c: c, field: fields.claim(nil, naming.Pascal(c.Name)), null: !c.NotNull}
		col.typ = goTypes[c.Kind]
		if c.Kind == schema.List {
			col.typ = "[]" + goTypes[c.Elem]
		}
		if col.enum = p.enumOf(c); col.enum == nil {
			col.oneOf = t.lists[c.Name]
		}
		col.iso = milliseconds.MatchString(c.Type)
		t.cols = append(t.cols, col)
	}
	for _, c := range t.cols { // those that have their own name first
		if g := camel(c.c.Name); !scalar.ReservedName(g) && !t.guest.taken[g] {
			t.guest.taken[g] = true
			c.guest = g
		}
	}
	for _, c := range t.cols {
		if c.guest == "" {
			low := naming.Lower(c.c.Name)
			c.guest, c.named = t.guest.claim(free, low, low+"Column"), true
		}
	}
	p.takeKey(t)
}

// takeKey marks the columns of the primary key, or of another one: what exosql needs
// of a key is that it tells rows apart. If one of its columns can't be taken there is
// no key, since a part of it does not tell them apart.
func (p *pack) takeKey(t *table) {
	for i, key := range t.t.Keys() {
		primary := i == 0 && t.t.PrimaryKey != nil
		var cols []*column
		for _, n := range key {
			c := p.column(t, n)
			if c == nil || c.c.Kind == schema.JSON || c.c.Kind == schema.List || !primary && !c.c.NotNull {
				break
			}
			cols = append(cols, c)
		}
		if len(key) == 0 || len(cols) < len(key) {
			continue
		}
		for _, c := range cols {
			c.key, c.null = true, false
		}
		return
	}
}

// nameColumns chooses the variables: the field's name behind the row's, and not
// twice: the actor_id of an actor is ActorID.
func (t *table) nameColumns(names scope) {
	var twice []*column
	for _, c := range t.cols {
		if rest, ok := strings.CutPrefix(c.field, t.row); ok && rest != "" && unicode.IsUpper([]rune(rest)[0]) {
			twice = append(twice, c)
			continue
		}
		c.name = names.claim(nil, t.row+c.field, t.row+c.field+"Column")
	}
	for _, c := range twice { // afterwards: a column called so itself keeps its name
		c.name = names.claim(nil, c.field, t.row+c.field, t.row+c.field+"Column")
	}
}

func free(name string) bool { return !scalar.ReservedName(name) }

// refuse says why exosql can't take a column, or "".
func (p *pack) refuse(c *schema.Column) string {
	switch {
	case !nameable(c.Name):
		return "exosql can't write its name"
	case c.Kind == schema.Unknown && c.Type == "":
		return "it has no type"
	case p.db.Engine == schema.SQLite && c.Kind == schema.Text && (*schema.Table)(nil).Affinity(c) != "TEXT":
		// As plain text a scope over it would let in 1e3 to the rows of 1000.
		return "SQLite compares " + line(c.Type) + " as numbers, so that different texts are equal: TEXT does not"
	case c.Kind == schema.List && c.Enum != nil:
		return "exosql has no arrays of enums, " + line(c.Enum.Name)
	case c.Kind == schema.List && !p.listable(c):
		return "exosql has no arrays of its type, " + line(c.Type)
	case c.Kind == schema.Unknown && p.db.Engine == schema.Postgres:
		return "exosql has no type for " + line(c.Type) + " (declared by hand as a string, it is its text)"
	case c.Kind == schema.Unknown:
		return "exosql has no type for " + line(c.Type)
	}
	return ""
}

// listable reports whether an array can be read: PostgreSQL gives those of
// domains and of types of extensions an identity that is the database's own.
func (p *pack) listable(c *schema.Column) bool {
	switch c.Elem {
	case schema.Bool, schema.Int, schema.Float, schema.Decimal, schema.Date, schema.UUID:
	case schema.Text:
		if p.db.Engine == schema.Postgres && !plainTexts.MatchString(c.Type) {
			return false
		}
	default:
		return false
	}
	return true
}

var plainTexts = regexp.MustCompile(`^(text|character varying|character|name|varchar|char|bpchar)(\(\d+\))?(\[\])+$`)

// milliseconds are the types of PostgreSQL whose times end there.
var milliseconds = regexp.MustCompile(`^timestamp\([0-3]\)|^timestamptz\([0-3]\)`)

// camel is the name that exosql gives a column for programs.
func camel(s string) string {
	parts := strings.Split(s, "_")
	out := parts[0]
	for _, p := range parts[1:] {
		if p != "" {
			out += strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return out
}
