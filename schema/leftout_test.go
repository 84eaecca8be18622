package schema_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/schema"
)

// TestReadLeavesOut: a view that SQLite can't compile is left out, with the reason, also where it reports columns of it. What is
// beside it is read.
func TestReadLeavesOut(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE gone (id INTEGER); CREATE VIEW good AS SELECT id FROM tasks; " +
		"CREATE VIEW odd AS SELECT id, title FROM tasks WHERE secret_function(id); CREATE VIEW sorted AS SELECT id, title FROM tasks ORDER BY title COLLATE nope; CREATE VIEW stale AS SELECT id FROM gone; DROP TABLE gone"); err != nil {
		t.Fatal(err)
	}
	live, err := schema.ReadSQLite(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if len(live.Tables) != 1 || len(live.Views) != 1 || live.Views[0].Name.Name != "good" {
		t.Errorf("%v %v", live.Tables, live.Views)
	}
	why := map[string]string{"odd": "no such function: secret_function", "sorted": "no such collation sequence: nope", "stale": "no such table: main.gone"}
	for _, l := range live.LeftOut {
		if !strings.Contains(l.Why, why[l.Name.Name]) {
			t.Errorf("%s: %s", l.Name.Name, l.Why)
		}
		delete(why, l.Name.Name)
	}
	if len(why) > 0 {
		t.Errorf("nothing is said of %v", why)
	}
}

// TestShadowTables: what a module that is missing keeps is no table of the application, and what it indexes is one.
func TestShadowTables(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE docs_segments (blockid INTEGER PRIMARY KEY); CREATE TABLE docs_notes (id INTEGER PRIMARY KEY); CREATE TABLE pages_content (id INTEGER PRIMARY KEY); PRAGMA writable_schema = ON;" +
		"INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', 'docs', 'docs', 0, 'CREATE VIRTUAL TABLE docs USING fts4(body)'), ('table', 'pages', 'pages', 0, 'CREATE VIRTUAL TABLE pages USING fts4(content=\"pages_content\", kind)')"); err != nil {
		t.Fatal(err)
	}
	live, err := schema.ReadSQLite(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"docs_segments": "docs", "docs_notes": "", "pages_content": ""} {
		l := live.Left(schema.Name{Name: name})
		if (l != nil) != (want != "") || l != nil && (l.Of != want || !strings.Contains(l.Reason(), "it is part of the index")) {
			t.Errorf("%s: %v", name, l)
		}
		if (live.Table(schema.Name{Name: name}) == nil) != (want != "") {
			t.Errorf("%s is a table: %t", name, want != "")
		}
	}
}

// TestUnreadDefinitions: a definition that SQLite reads and this package does not ends nothing but what depends on it. The trigger may act on
// each write, the index is about each column and serves none, the table is left out.
func TestUnreadDefinitions(t *testing.T) {
	const base = "CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT, n INT); CREATE TABLE other (id INTEGER PRIMARY KEY, a TEXT); CREATE VIEW v AS SELECT id FROM tasks;" +
		"CREATE TRIGGER act AFTER UPDATE OF title ON tasks BEGIN SELECT 1; END; CREATE UNIQUE INDEX i ON tasks (n) WHERE n > 1; PRAGMA writable_schema = ON; "
	const open = "sql = sql || char(0) || '\" open'" // SQLite reads to the NUL
	read := func(change string) *schema.Database {
		t.Helper()
		path := filepath.Join(t.TempDir(), "db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(base + change); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if db, err = sql.Open("sqlite", path); err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		live, err := schema.ReadSQLite(t.Context(), db)
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		return live
	}
	for _, change := range []string{"UPDATE sqlite_schema SET sql = replace(sql, 'TRIGGER act', 'TRIGGER IF NOT EXISTS act') WHERE name = 'act'", "UPDATE sqlite_schema SET " + open + " WHERE name = 'act'"} {
		if tr := read(change).Table(schema.Name{Name: "tasks"}).Triggers; len(tr) != 1 || tr[0].Name != "act" || tr[0].Events != nil || tr[0].Columns != nil {
			t.Errorf("%s: %+v", change, tr)
		}
	}
	tasks := read("UPDATE sqlite_schema SET " + open + " WHERE name = 'i'").Table(schema.Name{Name: "tasks"})
	if x := tasks.Indexes[0]; !x.Unique || x.Where == "" || !tasks.Reads(x.Where, func(column string) bool { return column == "title" }) {
		t.Errorf("%+v", x)
	}
	live := read("UPDATE sqlite_schema SET " + open + " WHERE name = 'other'")
	if l := live.Left(schema.Name{Name: "other"}); l == nil || !l.Unread || len(live.Tables) != 1 {
		t.Errorf("%+v", live)
	}
	if v := read("UPDATE sqlite_schema SET " + open + " WHERE name = 'v'").Views[0]; !v.Calls {
		t.Errorf("a view that can't be read reads %v alone", v.Reads)
	}
	live = read("UPDATE sqlite_schema SET sql = '' WHERE false; PRAGMA writable_schema = OFF; CREATE TABLE nameless (\"\" INTEGER PRIMARY KEY, a INT)")
	if k := live.Table(schema.Name{Name: "nameless"}).PrimaryKey; k == nil || len(k.Columns) != 1 {
		t.Errorf("a key without a name: %+v", k)
	}
}
