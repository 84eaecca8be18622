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
	form  string   // the form that all cells of it have which were looked at
	held  int      // how many these are
	doc   string   // what it is, where its type in Go does not say so
}

// goTypes are the types of values for exosql.
var goTypes = map[schema.Kind]string{
	schema.Bool: "bool", schema.Int: "int64", schema.Float: "float64", schema.Text: "string", schema.Time: "time.Time",
	schema.Decimal: "exosql.Decimal", schema.Date: "exosql.Date", schema.Interval: "exosql.Interval",
	schema.UUID: "[16]byte", schema.Bytes: "[]byte", schema.JSON: "exosql.JSON",
	schema.Unknown: "string", // PostgreSQL's other types, see refuse
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
		if c.Kind == schema.Unknown || c.Elem == schema.Unknown && c.Kind == schema.List {
			col.doc = c.Type + " as its text"
		}
		if col.enum = p.enumOf(c); col.enum == nil {
			col.oneOf = t.lists[c.Name]
		}
		col.iso = milliseconds.MatchString(c.Type)
		if c.Cells != nil {
			if form, n := c.Cells.Form(c.Kind); n == c.Cells.Held || c.Cells.Plain == 0 {
				col.form, col.held = form, n
			}
		}
		t.cols = append(t.cols, col)
	}
	for _, c := range t.cols { // those that have their own name first
		if g := scalar.Camel(c.c.Name); !scalar.ReservedName(g) && !t.guest.taken[g] {
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
	p.takeKey(t, fields)
}

// takeKey marks the columns of the primary key, or of another one: what exosql needs
// of a key is that it tells rows apart. If one of its columns can't be taken there is
// no key, since a part of it does not tell them apart: SQLite's rowid is one then, if the table has it.
func (p *pack) takeKey(t *table, fields scope) {
	for i, key := range t.t.Keys() {
		primary := i == 0 && t.t.PrimaryKey != nil
		var cols []*column
		for _, n := range key {
			c := p.column(t, n)
			if c == nil || c.c.Kind == schema.JSON || c.c.Kind == schema.List || !c.c.NotNull && (!primary || t.t.RowID) {
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
	if !t.t.RowID || len(t.cols) == 0 {
		return
	}
	c := &column{c: t.t.Column("rowid"), field: fields.claim(nil, "RowID"), typ: "int64", key: true}
	c.guest = t.guest.claim(free, "rowid", "rowidColumn")
	c.named = c.guest != "rowid"
	t.cols = append(t.cols, c)
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
	case c.Kind == schema.List && !listable[c.Elem]:
		return "exosql has no arrays of its type, " + line(c.Type)
	case c.Kind == schema.Unknown && p.db.Engine != schema.Postgres:
		return "exosql has no type for " + line(c.Type)
	}
	return ""
}

// listable are the types of elements whose arrays exosql takes. Those of enums, domains and other types are read as texts.
var listable = map[schema.Kind]bool{
	schema.Bool: true, schema.Int: true, schema.Float: true, schema.Decimal: true, schema.Date: true, schema.UUID: true, schema.Text: true, schema.Unknown: true,
}

// milliseconds are the types of PostgreSQL whose times end there.
var milliseconds = regexp.MustCompile(`^timestamp\([0-3]\)|^timestamptz\([0-3]\)`)
