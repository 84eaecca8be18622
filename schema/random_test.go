package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/schema"
)

// TestRandomDefinitions: whatever SQLite takes is read, and what only the text of a
// definition says (checks, collations, deferrable keys, expressions and conditions of
// indexes) is found as often as it was written. The reader itself refuses a definition
// whose columns, foreign keys or parts are not those that SQLite reports.
func TestRandomDefinitions(t *testing.T) {
	tables, foreign, indexes := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := &draw{T: rt}
		ddl := g.definition()
		d, _, err := live(t, schema.SQLite, ddl)
		if err != nil {
			rt.Fatalf("%v\n%s", err, ddl)
		}
		found := map[string]int{}
		for _, x := range d.Tables {
			tables, foreign, indexes = tables+1, foreign+len(x.ForeignKeys), indexes+len(x.Indexes)
			found["CHECK ("] += len(x.Checks)
			for _, c := range x.Columns {
				if c.Collation == "NOCASE" {
					found["COLLATE NOCASE"]++
				}
			}
			for _, f := range x.ForeignKeys {
				if f.Deferrable {
					found["DEFERRABLE INITIALLY DEFERRED"]++
				}
			}
			for _, i := range x.Indexes {
				if strings.HasSuffix(i.Where, " IS NOT NULL") {
					found[" WHERE "]++
				}
				for _, p := range i.Parts {
					if strings.HasPrefix(p.Expr, "(") && strings.HasSuffix(p.Expr, " IS NULL)") {
						found[" IS NULL)"]++
					}
				}
			}
		}
		for what := range strings.SplitSeq("CHECK (|COLLATE NOCASE|DEFERRABLE INITIALLY DEFERRED| WHERE | IS NULL)", "|") {
			if want := strings.Count(ddl, what); found[what] != want {
				rt.Fatalf("%q was read %d times, and written %d times in\n%s", what, found[what], want, ddl)
			}
		}
	})
	if tables < 100 || foreign < 20 || indexes < 100 {
		t.Errorf("drew %d tables with %d foreign keys and %d indexes: too few to say anything", tables, foreign, indexes)
	}
}

// draw makes definitions that the engine takes.
type draw struct {
	*rapid.T
	b      strings.Builder
	tables []*drawn
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
		if g.chance("brackets") && !strings.Contains(n, "]") {
			return "[" + n + "]"
		}
		return `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
	}
	return n
}

func (g *draw) typ() string {
	return g.of("type", "INTEGER", "INTEGER", "INT", "text", "VARCHAR(20)", "REAL", "BLOB", "BOOLEAN", "TIMESTAMPTZ(3)", "decimal(10, 2)", "double precision", "DATE", "")
}

func (g *draw) definition() string {
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
	for i, c := range t.cols {
		s := c.name + " " + c.typ
		if i == 0 && keyed == 1 {
			s += g.word(" PRIMARY KEY")
			t.key = t.cols[:1]
		}
		parts = append(parts, s+g.columnConstraints(t, c))
	}
	if keyed >= 2 {
		t.key = t.cols[:1+g.upTo("key columns", min(2, len(t.cols)-1))]
		parts = append(parts, g.constraint()+g.word("PRIMARY KEY")+" ("+names(t.key)+")")
	}
	for range g.upTo("uniques", 2) {
		parts = append(parts, g.constraint()+g.word("UNIQUE")+" ("+names(g.some(t.cols))+")")
	}
	for range g.upTo("checks", 2) {
		parts = append(parts, g.constraint()+"CHECK ("+g.condition(t)+")")
	}
	for range g.upTo("foreign", 3) {
		if to := g.target(); to != nil {
			cols := g.matching(t, to)
			if cols == nil { // SQLite takes any types
				for range to.key {
					cols = append(cols, t.cols[g.upTo("any column", len(t.cols)-1)])
				}
			}
			parts = append(parts, g.constraint()+"FOREIGN KEY ("+names(cols)+") REFERENCES "+to.name+g.maybe(" ("+names(to.key)+")")+g.actions())
		}
	}
	end := ""
	if t.key != nil {
		end = g.maybe(" " + g.word("WITHOUT ROWID"))
		t.noRowid = end != ""
	}
	fmt.Fprintf(&g.b, "%s %s (\n\t%s\n)%s;\n", g.word("CREATE TABLE"), t.name, strings.Join(parts, g.of("comma", ",\n\t", ", -- it's\n\t", " , ")), end)
	g.tables = append(g.tables, t)
}

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
	if g.chance("unique") {
		out = append(out, g.word("UNIQUE"))
	}
	if g.chance("default") {
		out = append(out, "DEFAULT "+g.of("value", "NULL", "1", "-2.5", "'it''s'", "(1 + 2)", "TRUE", "CURRENT_TIMESTAMP", "x'00'"))
	}
	if g.chance("collation") {
		out = append(out, "COLLATE NOCASE")
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

// after writes what comes after the tables: indexes, and changes.
func (g *draw) after(t *drawn) {
	for range g.upTo("indexes", 3) {
		var parts []string
		for _, c := range g.some(t.cols) {
			parts = append(parts, g.of("part", c.name, c.name, c.name+" DESC", "("+c.name+" IS NULL)"))
		}
		fmt.Fprintf(&g.b, "%s %s ON %s (%s)%s;\n", g.of("index", "CREATE INDEX", "CREATE UNIQUE INDEX"), g.name(), t.name, strings.Join(parts, ", "), g.maybe(" WHERE "+t.cols[0].name+" IS NOT NULL"))
	}
	if g.chance("add") {
		fmt.Fprintf(&g.b, "ALTER TABLE %s ADD COLUMN %s %s%s;\n", t.name, g.name(), g.typ(), g.maybe(" CHECK (1 < 2)"))
	}
	if g.chance("rename") && !t.noRowid { // there SQLite fails at its own definition
		to := g.name()
		fmt.Fprintf(&g.b, "ALTER TABLE %s RENAME %s TO %s;\n", t.name, t.cols[0].name, to)
		t.cols[0].name = to
	}
}
