package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/schema"
)

// TestRandomDefinitions: what any definition means here is what the engine has
// after running it.
func TestRandomDefinitions(t *testing.T) {
	for _, engine := range []schema.Engine{schema.SQLite, schema.Postgres} {
		t.Run(string(engine), func(t *testing.T) {
			tables, foreign, indexes := 0, 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				g := &draw{T: rt, engine: engine}
				d := agree(fatal{t, rt}, engine, g.definition())
				for _, x := range d.Tables {
					tables, foreign, indexes = tables+1, foreign+len(x.ForeignKeys), indexes+len(x.Indexes)
				}
			})
			if tables < 100 || foreign < 20 || indexes < 100 {
				t.Errorf("drew %d tables with %d foreign keys and %d indexes: too few to say anything", tables, foreign, indexes)
			}
		})
	}
}

// fatal fails the case that is drawn, so that it is made smaller.
type fatal struct {
	testing.TB
	rt *rapid.T
}

func (f fatal) Fatalf(format string, args ...any) { f.rt.Fatalf(format, args...) }
func (f fatal) Fatal(args ...any)                 { f.rt.Fatal(args...) }

// draw makes definitions that the engine takes.
type draw struct {
	*rapid.T
	engine schema.Engine
	b      strings.Builder
	tables []*drawn
	enums  []string
	n      int
}

// drawn is a table with what a later one needs to know.
type drawn struct {
	name    string // as it is written
	cols    []drawnColumn
	key     []drawnColumn
	noRowid bool
}

type drawnColumn struct{ name, typ string }

func (g *draw) chance(label string) bool            { return rapid.Bool().Draw(g.T, label) }
func (g *draw) of(label string, s ...string) string { return rapid.SampledFrom(s).Draw(g.T, label) }
func (g *draw) upTo(label string, n int) int        { return rapid.IntRange(0, n).Draw(g.T, label) }

// maybe is s, or nothing.
func (g *draw) maybe(s string) string {
	if g.chance("maybe") {
		return s
	}
	return ""
}

// word writes a keyword in some case, with something before it.
func (g *draw) word(s string) string {
	switch g.upTo("case", 5) {
	case 0:
		s = strings.ToLower(s)
	case 1:
		s = "/* , ( */ " + s
	case 2:
		s = "-- ; '\n" + s
	}
	return s
}

// name is a new name, written in one of the ways.
func (g *draw) name() string {
	g.n++
	n := fmt.Sprintf("%s%d", g.of("name", "a", "user_id", "Name", "größe", "order", "a_very_long_name_that_will_not_fit_with_others_", "x y", `q"q`, "semi;colon", "it's"), g.n)
	if strings.ContainsAny(n, ` "'`+";") || g.chance("quoted") {
		if g.engine == schema.SQLite && g.chance("brackets") && !strings.Contains(n, "]") {
			return "[" + n + "]"
		}
		return `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
	}
	return n
}

func (g *draw) typ() string {
	if g.engine == schema.SQLite {
		return g.of("type", "INTEGER", "INTEGER", "INT", "text", "VARCHAR(20)", "REAL", "BLOB", "BOOLEAN", "TIMESTAMPTZ(3)", "decimal(10, 2)", "double precision", "DATE", "")
	}
	return g.of("type", append([]string{"int", "int", "int", "int8", "smallint", "text", "varchar(20)", "character varying", "char(3)", "float", "real", "numeric(8,2)", "numeric(5)", "timestamptz", "timestamp(3)",
		"timestamp with time zone", "date", "uuid", "jsonb", "bytea", "bool", "text[]", "int[]", "interval", "bit", "time"}, g.enums...)...)
}

func (g *draw) definition() string {
	if g.engine == schema.Postgres {
		for range g.upTo("enums", 2) {
			n := g.name()
			fmt.Fprintf(&g.b, "%s %s AS ENUM ('b', 'a''s', 'c d');\n", g.word("CREATE TYPE"), n)
			g.enums = append(g.enums, n)
		}
	}
	for range 1 + g.upTo("tables", 3) {
		g.table()
	}
	for _, t := range g.tables {
		g.after(t)
	}
	return g.b.String()
}

// table writes one CREATE TABLE.
func (g *draw) table() {
	t := &drawn{name: g.name()}
	var parts []string
	for range 1 + g.upTo("columns", 5) {
		t.cols = append(t.cols, drawnColumn{g.name(), g.typ()})
	}
	keyed := g.upTo("key", 3) // none, of a column, of the table
	keyable := slices.DeleteFunc(slices.Clone(t.cols), func(c drawnColumn) bool { return !comparable(c.typ) })
	for i, c := range t.cols {
		s := c.name + " " + c.typ
		if i == 0 && keyed == 1 && comparable(c.typ) {
			s += g.word(" PRIMARY KEY")
			t.key = t.cols[:1]
		}
		parts = append(parts, s+g.columnConstraints(t, c))
	}
	if keyed >= 2 && len(keyable) > 0 {
		t.key = keyable[:1+g.upTo("key columns", min(2, len(keyable)-1))]
		parts = append(parts, g.constraint()+g.word("PRIMARY KEY")+" ("+names(t.key)+")")
	}
	for range g.upTo("uniques", 2) {
		if len(keyable) > 0 {
			parts = append(parts, g.constraint()+g.word("UNIQUE")+" ("+names(g.some(keyable))+")"+g.maybe(g.onlyPostgres(" DEFERRABLE")))
		}
	}
	for range g.upTo("checks", 2) {
		parts = append(parts, g.constraint()+"CHECK ("+g.condition(t)+")")
	}
	for range g.upTo("foreign", 3) {
		if to := g.target(); to != nil {
			cols := g.matching(t, to)
			if cols == nil && g.engine == schema.SQLite { // which takes any types
				for range to.key {
					cols = append(cols, t.cols[g.upTo("any column", len(t.cols)-1)])
				}
			}
			if cols != nil {
				parts = append(parts, g.constraint()+"FOREIGN KEY ("+names(cols)+") REFERENCES "+to.name+g.maybe(" ("+names(to.key)+")")+g.actions())
			}
		}
	}
	end := ""
	if g.engine == schema.SQLite && t.key != nil {
		end = g.maybe(" " + g.word("WITHOUT ROWID"))
		t.noRowid = end != ""
	}
	fmt.Fprintf(&g.b, "%s %s (\n\t%s\n)%s;\n", g.word("CREATE TABLE"), t.name, strings.Join(parts, g.of("comma", ",\n\t", ", -- it's\n\t", " , ")), end)
	g.tables = append(g.tables, t)
}

// comparable reports whether a key can be made of a type.
func comparable(typ string) bool { return typ != "jsonb" && typ != "json" && typ != "point" }

func names(cols []drawnColumn) string {
	var out []string
	for _, c := range cols {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func (g *draw) some(cols []drawnColumn) []drawnColumn {
	from := g.upTo("from", len(cols)-1)
	return cols[from:min(len(cols), from+1+g.upTo("more", 2))]
}

func (g *draw) onlyPostgres(s string) string {
	if g.engine == schema.Postgres {
		return s
	}
	return ""
}

func (g *draw) constraint() string {
	if g.chance("named") {
		return "CONSTRAINT " + g.name() + " "
	}
	return ""
}

func (g *draw) columnConstraints(t *drawn, c drawnColumn) string {
	var out []string
	if g.chance("not null") {
		out = append(out, g.constraint()+g.word("NOT NULL"))
	}
	if g.chance("unique") && comparable(c.typ) {
		out = append(out, g.word("UNIQUE"))
	}
	if g.chance("default") {
		out = append(out, "DEFAULT "+g.of("value", "NULL", "NULL", g.value(c.typ)))
	}
	if g.chance("check") {
		out = append(out, g.constraint()+"CHECK ("+c.name+" IS NOT NULL AND (1 = 1))")
	}
	if to := g.target(); to != nil && g.chance("references") && len(to.key) == 1 && to.key[0].typ == c.typ && to != t {
		out = append(out, "REFERENCES "+to.name+g.actions())
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(a[len(a)-1:], b[len(b)-1:]) })
	if len(out) == 0 {
		return ""
	}
	return " " + strings.Join(out, " ")
}

func (g *draw) value(typ string) string {
	if g.engine == schema.SQLite {
		return g.of("literal", "1", "-2.5", "'it''s'", "(1 + 2)", "TRUE", "CURRENT_TIMESTAMP", "x'00'")
	}
	switch typ {
	case "int", "int8", "smallint", "float", "real", "numeric(8,2)", "numeric(5)":
		return g.of("number", "1", "(1 + 2)", "-7", "abs(-3)")
	case "text", "varchar(20)", "character varying", "char(3)":
		return g.of("text", "'it''s'", "E'\\'x'", "'a' || 'b'", "$$x$$")
	}
	return "NULL"
}

func (g *draw) condition(t *drawn) string {
	c := t.cols[g.upTo("column", len(t.cols)-1)].name
	switch g.upTo("condition", 2) {
	case 0:
		return "1 < 2"
	case 1:
		return c + " IS NOT NULL"
	}
	return c + " IS NULL OR (" + t.cols[0].name + " IS NOT NULL)"
}

// target is a table with a key, or nil.
func (g *draw) target() *drawn {
	var keyed []*drawn
	for _, t := range g.tables {
		if t.key != nil {
			keyed = append(keyed, t)
		}
	}
	if len(keyed) == 0 {
		return nil
	}
	return keyed[g.upTo("target", len(keyed)-1)]
}

// matching are columns of the types of another table's key, or nil.
func (g *draw) matching(t, to *drawn) (out []drawnColumn) {
	for _, k := range to.key {
		i := slices.IndexFunc(t.cols, func(c drawnColumn) bool { return c.typ == k.typ && !slices.Contains(out, c) })
		if i < 0 {
			return nil
		}
		out = append(out, t.cols[i])
	}
	return out
}

func (g *draw) actions() string {
	out := ""
	for _, on := range []string{" ON DELETE ", " ON UPDATE "} {
		if g.chance("action") {
			out += on + g.of("what", "CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT")
		}
	}
	return out + g.maybe(" DEFERRABLE INITIALLY DEFERRED")
}

// after writes what comes after the tables: indexes, columns, comments, security.
func (g *draw) after(t *drawn) {
	keyable := slices.DeleteFunc(slices.Clone(t.cols), func(c drawnColumn) bool { return !comparable(c.typ) })
	for range g.upTo("indexes", 3) {
		if len(keyable) == 0 {
			break
		}
		var parts []string
		for _, c := range g.some(keyable) {
			parts = append(parts, g.of("part", c.name, c.name, c.name+" DESC", "("+c.name+" IS NULL)"))
		}
		name := g.name() + " "
		if g.engine == schema.Postgres && g.chance("no name") {
			name = ""
		}
		fmt.Fprintf(&g.b, "%s %sON %s (%s)%s;\n", g.of("index", "CREATE INDEX", "CREATE UNIQUE INDEX"), name, t.name, strings.Join(parts, ", "), g.maybe(" WHERE "+t.cols[0].name+" IS NOT NULL"))
	}
	if g.chance("add") {
		fmt.Fprintf(&g.b, "ALTER TABLE %s ADD COLUMN %s %s%s;\n", t.name, g.name(), g.typ(), g.maybe(" CHECK (1 < 2)"))
	}
	if g.chance("rename") && !t.noRowid { // there SQLite fails at its own definition
		to := g.name()
		fmt.Fprintf(&g.b, "ALTER TABLE %s RENAME %s TO %s;\n", t.name, t.cols[0].name, to)
		t.cols[0].name = to
	}
	if g.engine == schema.SQLite {
		return
	}
	if g.chance("comment") {
		fmt.Fprintf(&g.b, "COMMENT ON COLUMN %s.%s IS 'it''s; a -- comment';\n", t.name, t.cols[0].name)
	}
	if g.chance("security") {
		fmt.Fprintf(&g.b, "ALTER TABLE %s ENABLE ROW LEVEL SECURITY;\nCREATE POLICY %s ON %s FOR SELECT USING (%s IS NOT NULL);\n", t.name, g.name(), t.name, t.cols[0].name)
	}
}
