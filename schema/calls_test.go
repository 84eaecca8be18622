package schema_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modernc.org/sqlite"
	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/schema"
)

// TestVirtualCalls: of every expression, however its calls are written, the functions
// are those that SQLite names to an authorizer when the expression stands in a query.
// The twin: when it stands in a virtual column, SQLite names none of them.
func TestVirtualCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	dc, err := new(sqlite.Driver).Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dc.Close()
	var named []string
	err = dc.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, _, name, _, _ string) sqlite.AuthorizerReturnCode {
		if action == sqlite.AuthFunction {
			named = append(named, strings.ToLower(name))
		}
		return sqlite.AuthorizerOK
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(t interface{ Fatal(...any) }, query string) []string {
		named = nil
		st, err := dc.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
		if err != nil {
			t.Fatal(query, err)
		}
		st.Close()
		slices.Sort(named)
		return slices.Compact(named)
	}

	leaf := rapid.SampledFrom([]string{"a", `"a"`, "[a]", "`a`", "1", "'zeroblob(1)'", "x'00'", "NULL", "/* hex(a) */ a", "a -- hex(a)\n"})
	call := rapid.SampledFrom([]string{"hex(?)", "HEX (?)", `"hex"(?)`, "[hex](?)", "`hex`/**/(?)", "zeroblob\n(?)", "printf('%s(', ?)", "iif(?, ?, ?)", "replace(?, ?, ?)", "like(?, ?)", "max(?, ?)", "json_extract('{}', ?)",
		"(? LIKE ?)", "(? not like ? escape 'x')", "(? GLOB ?)", "('{}' -> ?)", "('{}'->>?)",
		"(?)", "CAST(? AS DECIMAL(10, 2))", `CAST(? AS "hex" (3))`, "cast (? AS double precision)", "(CASE WHEN (?) THEN (?) ELSE (?) END)", "CASE (?) WHEN ? THEN ? END", "(? IN (?, ?))", "(? NOT IN (?))", "(? BETWEEN (?) AND (?))",
		"(NOT (?) AND (?) OR (?))", "(? IS NOT (?))", "(? IS NOT DISTINCT FROM (?))", "(? || ?)", "(? ISNULL)", "(? COLLATE nocase)", "(? - (?))"})
	var expr func(t *rapid.T, depth int) string
	expr = func(t *rapid.T, depth int) string {
		if depth == 0 {
			return leaf.Draw(t, "leaf")
		}
		parts := strings.Split(call.Draw(t, "call"), "?")
		out := parts[0]
		for _, p := range parts[1:] {
			out += expr(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) + p
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		e := expr(t, 3)
		direct := rapid.Bool().Draw(t, "direct") // or by a column that reads the column
		ddl := "CREATE TABLE t (a, b AS (" + e + "), c AS (" + map[bool]string{true: e, false: `"B"`}[direct] + ") VIRTUAL, d AS (hex(a)) STORED, e AS (d))"
		if _, err := db.Exec("DROP TABLE IF EXISTS t;" + ddl); err != nil {
			t.Fatal(ddl, err)
		}
		live, err := schema.ReadSQLite(context.Background(), db)
		if err != nil {
			t.Fatal(ddl, err)
		}
		calls := func(column string) []string {
			table := live.Table(schema.Name{Name: "t"})
			out, err := table.VirtualCalls(table.Column(column))
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := ask(t, "SELECT ("+e+") FROM t")
		for _, c := range []string{"b", "c"} {
			if got := calls(c); !slices.Equal(got, want) {
				t.Fatalf("%s of %s: %q, and SQLite calls %q", c, ddl, got, want)
			}
		}
		if got := append(calls("a"), calls("e")...); len(got) > 0 {
			t.Fatalf("plain and stored columns call nothing when they are read: %q", got)
		}
		if got := ask(t, "SELECT b, c FROM t"); len(got) > 0 {
			t.Fatalf("the authorizer was asked about %q: it can refuse them, and Check need not", got)
		}
	})
}

// TestReadsBrackets: what stands in brackets is a name to SQLite and an expression to PostgreSQL; whatever is in it counts as read.
func TestReadsBrackets(t *testing.T) {
	table := &schema.Table{Name: schema.Name{Name: "t"}, Columns: []schema.Column{{Name: "a"}, {Name: "b"}, {Name: "odd name"}}}
	for expr, want := range map[string]string{"a < ALL (ARRAY[100, b])": "ab", "a < (ARRAY[10, 20])[b - 70]": "ab", "x[a]": "a", "[a] > 1": "a", "[odd name] > 1": "o", "ARRAY['a', 'b']": "", "ARRAY[x[1], b]": "abo", "ARRAY['a]b', b]": "abo"} {
		got := ""
		for _, c := range table.Columns {
			if table.Reads(expr, func(name string) bool { return name == c.Name }) {
				got += c.Name[:1]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

// TestReadsNames: a column is read by whatever word names it, a keyword or an alias by the look of it, however it is quoted. The twin:
// SQLite holds to a check of that column. What only looks like one costs nothing where a parenthesis follows.
func TestReadsNames(t *testing.T) {
	table := &schema.Table{Name: schema.Name{Name: "t"}, PrimaryKey: &schema.Key{Columns: []string{"id"}}, Columns: []schema.Column{
		{Name: "id", Identity: schema.ByDefault}, {Name: "a"}, {Name: "match"}, {Name: "glob"}, {Name: "regexp"}, {Name: "like"}, {Name: "end"}, {Name: "text"}, {Name: "length"}, {Name: "\u00a0b"}}}
	reads := func(expr string) string {
		var out []string
		for _, c := range table.Columns {
			if table.Reads(expr, func(name string) bool { return name == c.Name }) {
				out = append(out, c.Name)
			}
		}
		return strings.Join(out, ", ")
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for expr, want := range map[string]string{
		"match < 50": "match", "MATCH<50": "match", `"match" < 50`: "match", "[Match] < 50": "match", "`match` < 50": "match", "50 > match": "match", "NOT match > 50": "match", "- match > -50": "match",
		"glob < 50": "glob", "regexp < 50": "regexp", "like < 50": "like", "end < 50": "end", "CASE WHEN 1 THEN match END < 50": "match, end", "match /* ( */ < 50": "match", "match -- (\n < 50": "match",
		"'t'.'Match' < 50": "match", "'match' > 50 AND a < 50": "a", "a < 50 OR 'it''s match'": "a",
		"rowid < 50": "id", "OID < 50": "id", `"_rowid_" < 50`: "id", "\u00a0b < 50": "\u00a0b", "length(a) < 3": "a", "length /**/ (a) < 3": "a", "length < 50": "length", "CAST(a AS TEXT) < '10'": "a, text", "a LIKE '1'": "a, like",
	} {
		if got := reads(expr); got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
		first, _, _ := strings.Cut(want, ", ")
		if _, err := db.Exec("DROP TABLE IF EXISTS t; CREATE TABLE t (id INTEGER PRIMARY KEY, a, match, glob, regexp, \"like\", \"end\", text, length, \u00a0b, CHECK (" + expr + ")); INSERT INTO t VALUES (1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"); err != nil {
			t.Fatal(expr, err)
		}
		if _, err := db.Exec(`UPDATE t SET "` + first + `" = 100`); err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Errorf("%s: SQLite says of another %s: %v", expr, first, err)
		}
	}
	for expr, want := range map[string]string{ // as PostgreSQL writes them
		"(XMLFOREST(a AS x, match AS y))::text": "a, match, text", "XMLELEMENT(NAME x, XMLATTRIBUTES(a AS y, glob AS z), regexp)": "a, glob, regexp", "((a ` match) OR (glob ` regexp))": "a, match, glob, regexp",
		"(((a)::numeric(10,2) > glob) AND (length((match)::text) > 2))": "a, match, glob, text",
	} {
		if got := reads(expr); got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}
