package sqlast

import (
	"database/sql"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// hostile names would end a name, a statement or a comment if they could.
var hostile = []string{
	`a`, `"`, `""`, `a"b`, `a" AS "b`, `t0"; DROP TABLE canary; --`, `'`, `a'b`, "`", `[a]`, `;`, `--`, `/*`, `*/`, `*`, `.`, `a.b`,
	`"a"."b"`, ` `, `a `, "\n", "\t", `\`, `\"`, `$1`, `:a`, `@a`, `1`, `NULL`, `true`, `FALSE`, `select`, `rowid`, `é`, `É`, "\u202e", "\ufeff",
	"\ufffd", "\u2028", "\U0001F512", strings.Repeat("x", 63), strings.Repeat(`"`, 63), "A", "\x01", "\x1a", "\r\n", "sqlite", "%s", "x\u0301", "?", "a?b", "??",
}

var refused = []string{"", "a\u2426", "\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", strings.Repeat("x", 64), strings.Repeat("é", 32)}

// structure makes a table, a column, aliases and an output of that name and
// reads them: the statement has to do what it does for a plain name.
func structure(t fataler, db *sql.DB, name string) {
	t.Helper()
	mine := `"` + strings.ReplaceAll(name, `"`, `""`) + `"` // the test's own, on purpose
	if _, err := db.Exec(`CREATE TABLE ` + mine + ` (` + mine + ` TEXT, other_ TEXT); INSERT INTO ` + mine + ` VALUES ('in', 'no')`); err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	defer db.Exec(`DROP TABLE ` + mine)
	as := name
	if checkOutput(name) != nil {
		as = "output_"
	}
	s := &Select{
		Columns: []Output{{col(name, as), as}, {One, "sentinel_"}},
		From: []Source{{Alias: name, Sub: &Select{
			Columns: []Output{{col(name+"_", name), as}},
			From:    []Source{{Table: name, Alias: name + "_"}},
		}}},
		Where:   []Expr{call(Eq, col(name, as), Arg{Slot: 0})},
		OrderBy: []Order{{Expr: col(name, as)}},
	}
	if len(name) == maxIdent { // no room for the underscore
		s.From[0].Sub.From[0].Alias = "inner_"
		s.From[0].Sub.Columns[0].Expr = col("inner_", name)
	}
	text, slots := mustRender(t, s, SQLite)
	rows, err := db.Query(text, bind(slots, []any{"in"})...)
	if err != nil {
		t.Fatalf("%q: %s: %v", name, text, err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	if len(names) != 2 || names[0] != as || names[1] != "sentinel_" {
		t.Fatalf("%q: columns %q", name, names)
	}
	n := 0
	for ; rows.Next(); n++ {
		var v string
		var one int
		if err := rows.Scan(&v, &one); err != nil || v != "in" || one != 1 {
			t.Fatalf("%q: %q %d %v", name, v, one, err)
		}
	}
	if n != 1 || rows.Err() != nil {
		t.Fatalf("%q: %d rows, %v", name, n, rows.Err())
	}
	if got := Tables(s); len(got) != 1 || len(got[name]) != 1 || !got[name][name] {
		t.Fatalf("%q: Tables %v", name, got)
	}
}

// TestOutputTrue shows why an output is not called true: SQLite reads another.
func TestOutputTrue(t *testing.T) {
	db := open(t, "")
	rows, err := query(db, `SELECT "d"."column1" FROM (SELECT 'wrong' AS "true", 'right' AS "column1") AS "d"`)
	if err != nil || rows != "wrong" {
		t.Errorf("SQLite has changed: %s, %v", rows, err)
	}
	if checkOutput("TRUE") == nil || checkOutput("False") == nil || checkIdent("true") != nil {
		t.Error("let through")
	}
}

// usable reports whether a test can make a table and two columns of the name:
// SQLite keeps sqlite_ to itself.
func usable(name string) bool {
	f := Fold(name)
	return !strings.HasPrefix(f, "sqlite_") && f != "other_" && f != "canary" && f != "sentinel_" && f != "inner_"
}

func TestHostileNames(t *testing.T) {
	db := open(t, `CREATE TABLE canary (x)`)
	for _, name := range hostile {
		structure(t, db, name)
	}
	for _, name := range refused {
		for where, s := range map[string]*Select{
			"table":  from(Source{Table: name, Alias: "t0"}),
			"alias":  with(todos("id"), func(s *Select) { s.From[0].Alias, s.Columns[0].Expr = name, col(name, "id") }),
			"column": with(todos("id"), func(s *Select) { s.Columns[0].Expr = col("t0", name) }),
			"output": with(todos("id"), func(s *Select) { s.Columns[0].As = name }),
		} {
			if text, _, err := Render(s, SQLite); err == nil {
				t.Errorf("%s %q: %s", where, name, text)
			}
		}
	}
	if _, err := db.Exec(`SELECT * FROM canary`); err != nil {
		t.Error(err)
	}
}

func TestRandomNames(t *testing.T) {
	db := open(t, `CREATE TABLE canary (x)`)
	part := rapid.OneOf(rapid.SampledFrom(hostile), rapid.SampledFrom(refused), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "name"), "")
		if checkIdent(name) == nil && usable(name) {
			structure(t, db, name)
		}
	})
	if _, err := db.Exec(`SELECT * FROM canary`); err != nil {
		t.Error(err)
	}
}

// FuzzIdent: a name is refused, or quoted it is one token that SQLite reads back
// as the same name.
func FuzzIdent(f *testing.F) {
	db := open(f, ``)
	for _, s := range append(hostile, refused...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if err := checkIdent(name); err != nil {
			if name != "" && len(name) <= maxIdent && utf8.ValidString(name) && !strings.ContainsAny(name, mark+"\x00") {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		rows, err := db.Query("SELECT 1 AS " + sqlname.Quote(name) + ", 2 AS last")
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		defer rows.Close()
		if got, _ := rows.Columns(); len(got) != 2 || got[0] != name || got[1] != "last" {
			t.Fatalf("%q: %q", name, got)
		}
	})
}
