package gen

import (
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/internal/naming"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// column is a declared column.
type column struct {
	c         *schema.Column
	name      string // name is the name of the column's variable
	field     string // field is the field of the row type
	typ       string // typ is the Go type V of the column's values
	enum      *enum  // enum is the column's type if that is an enum, or nil
	key, null bool
	guest     string   // guest is the column's name in programs
	named     bool     // named: the name in programs is not the default, so Named declares it
	oneOf     []string // oneOf are the only values that a check allows
	iso       bool     // iso: the column's times are no finer than a millisecond
	form      string   // form is the form of all cells that were looked at, for Stored
	held      int      // held counts the cells with that form
	doc       string   // doc is the column's type, if the Go type does not show it
}

// goTypes are the Go types of values in exosql.
var goTypes = map[schema.Kind]string{
	schema.Bool: "bool", schema.Int: "int64", schema.Float: "float64", schema.Text: "string", schema.Time: "time.Time",
	schema.Decimal: "exosql.Decimal", schema.Date: "exosql.Date", schema.Interval: "exosql.Interval",
	schema.UUID: "[16]byte", schema.Bytes: "[]byte", schema.JSON: "exosql.JSON",
	schema.Unknown: "string", // of PostgreSQL's other types, refuse admits only types that become text
}

// takeColumns declares the columns with types that exosql has.
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
		col.iso = milliseconds().MatchString(c.Type)
		if c.Cells != nil {
			if form, n := c.Cells.Form(c.Kind); n == c.Cells.Held || c.Cells.Plain == 0 {
				col.form, col.held = form, n
			}
		}
		t.cols = append(t.cols, col)
	}
	for _, c := range t.cols { // columns that can keep their own name come first
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

// takeKey marks the columns of the primary key, or of another key, since exosql needs columns that are unique together. A key with an undeclared
// column doesn't count, because the rest of it need not be unique. Without a key it takes SQLite's rowid, if the table has one.
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

// nameColumns chooses the variables: the row's name followed by the field's. A name that begins with the row's is not doubled: actor_id of an actor
// is ActorID.
func (t *table) nameColumns(names scope) {
	var twice []*column
	for _, c := range t.cols {
		if rest, ok := strings.CutPrefix(c.field, t.row); ok && rest != "" && unicode.IsUpper([]rune(rest)[0]) {
			twice = append(twice, c)
			continue
		}
		c.name = names.claim(nil, t.row+c.field, t.row+c.field+"Column")
	}
	for _, c := range twice { // these come last, so that a column that really has the name keeps it
		c.name = names.claim(nil, c.field, t.row+c.field, t.row+c.field+"Column")
	}
}

func free(name string) bool { return !scalar.ReservedName(name) }

// refuse returns why a column can't be declared, or "".
func (p *pack) refuse(c *schema.Column) string {
	switch {
	case !nameable(c.Name):
		return "its name is longer than 63 bytes, is no UTF-8 or has a zero byte"
	case c.Kind == schema.Unknown && c.Type == "":
		return "it has no type"
	case p.db.Engine == schema.SQLite && c.Kind == schema.Text && (*schema.Table)(nil).Affinity(c) != "TEXT":
		// If it were declared as plain text, a scope on 1000 would also match rows with 1e3.
		return "SQLite compares " + line(c.Type) + " as numbers, so that different texts are equal: TEXT does not"
	case c.Kind == schema.List && !listable[c.Elem]:
		return "exosql has no arrays of its type, " + line(c.Type)
	case c.Kind == schema.Unknown && p.db.Engine != schema.Postgres:
		return "exosql has no type for " + line(c.Type)
	}
	return ""
}

// listable are the element types of arrays that exosql has. Elements of enums, domains and other types are read as texts.
var listable = map[schema.Kind]bool{
	schema.Bool: true, schema.Int: true, schema.Float: true, schema.Decimal: true, schema.Date: true, schema.UUID: true, schema.Text: true, schema.Unknown: true,
}

// milliseconds matches PostgreSQL's types of times that are no finer than a millisecond.
var milliseconds = scalar.Pattern(`^timestamp\([0-3]\)|^timestamptz\([0-3]\)`)
