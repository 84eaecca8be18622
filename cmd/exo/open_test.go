package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const openedFile = `exo: 1
reviewed: true
databases: {shop: env:GRANTS_TEST_DB}
principal: {org: text}
grants: {items: item}
facets:
  item:
    table: items
    scope: org = $principal.org
    columns: [id, name]
    update: [name]
`

// TestOneOpening: each command that opens a grant file refuses what exo validate refuses, in the same words, before it runs a program. The
// twin: a database without the fault is opened by all of them. A missing index is reported by exo validate, and not before each run.
func TestOneOpening(t *testing.T) {
	tu.NotQuick(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		table := func(org, more string) string {
			return "CREATE TABLE items (id {int} PRIMARY KEY, org TEXT " + org + " NOT NULL, name TEXT NOT NULL" + more + "); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name) VALUES (1, 'acme', 'a')"
		}
		loose := e.Pick("COLLATE NOCASE", "COLLATE ci")
		before := e.Pick("", "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);")
		faults := map[string]struct{ ddl, file, says string }{
			"an equality that is wider than exact": {before + table(loose, ""), openedFile, "different texts are equal"},
			"a trigger": {table("", "") + ";" + e.Pick("CREATE TRIGGER t AFTER UPDATE ON items BEGIN SELECT 1; END",
				"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER t AFTER UPDATE ON items FOR EACH ROW EXECUTE FUNCTION f()"), openedFile, "sets off the trigger t"},
		}
		type fault = struct{ ddl, file, says string }
		faults["a record that is not there"] = fault{table("", ""), openedFile + "record: {folder: gone, key: 'file:key'}\n", "key: no such file"}
		faults["a key in the record's folder"] = fault{table("", ""), openedFile + "record: {folder: gone, key: 'file:gone/key'}\n", "keep the key in another folder"}
		faults["a database without a record"] = fault{table("", ""), openedFile + "record: {database: env:GRANTS_TEST_DB, key: env:GRANTS_TEST_DB}\n", e.Pick("PostgreSQL URL can't be read", "the database has no record")}
		faults["a record that is a folder"] = fault{table("", ""), openedFile + "record: .\n", "is a folder: write the path of a file"}
		if e.Name == tu.Postgres.Name {
			faults["policies that bind nobody"] = fault{table("", "") + "; CREATE POLICY p ON items USING (true)", openedFile, "so they have no effect"}
			faults["a label that a part has not"] = fault{table("", "") + "; CREATE TABLE part () INHERITS (items)", strings.Replace(openedFile, "columns: [id, name]", "columns: [id, {name: {label: pii}}]", 1) + "labels: {pii: secret}\n", "other tables inherit from this one"}
		} else {
			faults["a rule that deletes other rows"] = fault{strings.Replace(table("", ""), "name TEXT", "name TEXT UNIQUE ON CONFLICT REPLACE", 1), openedFile, "ON CONFLICT REPLACE"}
		}
		modelThatRuns(t, "items.count()")
		commands := map[string][]string{
			"run": {"-as", "org=acme", "-e", "items.count()"}, "repl": {"-as", "org=acme", "-e", "items.count()"}, "ask": {"-as", "org=acme", "-model", "openai:test", "how many?"},
			"serve": {"-as", "org=acme"}, "manifest": nil,
		}
		open := func(t *testing.T, ddl, file string) string {
			url := e.URL(t)
			e.OpenURL(t, url, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error { return e.Exec(ddl)(ctx, db) }})
			t.Setenv("GRANTS_TEST_DB", url)
			path := filepath.Join(t.TempDir(), "exo.yaml")
			write(t, path, file)
			return path
		}
		for name, f := range faults {
			t.Run(name, func(t *testing.T) {
				path := open(t, f.ddl, f.file)
				said := exo(t, "", "validate", path)
				if said.code != cli.ExitFound || !strings.Contains(said.out, f.says) {
					t.Fatalf("validate: %+v", said)
				}
				for command, rest := range commands {
					r := exo(t, "", append([]string{command, path}, rest...)...)
					if r.code != cli.ExitFound || r.out != "" {
						t.Errorf("%s: code %d\n%s%s", command, r.code, r.out, r.err)
					}
					for line := range strings.Lines(said.out) {
						if !strings.Contains(line, ": warning: ") && !strings.Contains(line, "; next: ") && !strings.Contains(r.err, strings.TrimSpace(line)) {
							t.Errorf("%s does not say %q:\n%s", command, line, r.err)
						}
					}
				}
				if r := exo(t, "", "doctor", path); r.code != cli.ExitFound || !strings.Contains(r.out, f.says) {
					t.Errorf("doctor: %+v", r)
				}
			})
		}
		t.Run("none", func(t *testing.T) {
			path := open(t, strings.Replace(table("", ""), "CREATE INDEX items_by_org ON items (org);", "", 1), openedFile)
			if said := exo(t, "", "validate", path); said.code != cli.ExitDone || !strings.Contains(said.out, "warning: items.org: the scope is a condition on org, which has no index") {
				t.Fatalf("validate: %+v", said)
			}
			for command, rest := range commands {
				r := exo(t, "", append([]string{command, path}, rest...)...)
				if r.code != cli.ExitDone || strings.Contains(r.err, "has no index") || command == "run" && r.out != "1\n" {
					t.Errorf("%s: %s", command, fmt.Sprintf("%+v", r))
				}
			}
		})
	})
}

// TestUngrantedColumns: a column of SQLite whose cells are in no form is no fault where nothing that is granted reads it, and can be granted
// as text. As what its type says it is refused.
func TestUngrantedColumns(t *testing.T) {
	dir := t.TempDir()
	raw, err := sql.Open("sqlite", filepath.Join(dir, "u.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, signup DATE, done BOOLEAN, fee NUMERIC); INSERT INTO u VALUES (1, 'a', '15/01/2024', 'yes', '1,50'), (2, 'b', '16/01/2024', 'no', 3)"); err != nil {
		t.Fatal(err)
	}
	for columns, want := range map[string]string{
		"id: , name: ": `[{"id":1,"name":"a"},{"id":2,"name":"b"}]`,
		"id: , done: {type: text}, signup: {type: text}": `[{"id":1,"done":"yes","signup":"15/01/2024"},{"id":2,"done":"no","signup":"16/01/2024"}]`,
		"id: , fee: {type: text}":                        `[{"id":1,"fee":"1,50"},{"id":2,"fee":"3"}]`,
		"id: , done: ":                                   "",
		"id: , signup: ":                                 "",
	} {
		path := filepath.Join(dir, "exo.yaml")
		write(t, path, "exo: 1\nreviewed: true\ndatabases: {d: sqlite:u.db}\ngrants: {us: u}\nfacets:\n  u: {table: u, scope: shared, columns: {"+columns+"}}\n")
		said, r := exo(t, "", "validate", path), exo(t, "", "run", path, "-e", "us")
		if ok := want != ""; ok != (said.code == cli.ExitDone) || ok != (r.code == cli.ExitDone) || ok && strings.Join(strings.Fields(r.out), "") != want || !ok && !strings.Contains(said.out, "type: text") {
			t.Errorf("%s: %+v\n%+v", columns, said, r)
		}
	}
}

// TestSlashes: the form of other tools for a path of SQLite is recognised.
func TestSlashes(t *testing.T) {
	if r := exo(t, "", "init", "-db", "sqlite://x.db", filepath.Join(t.TempDir(), "exo.yaml")); r.code != cli.ExitUsage || !strings.Contains(r.err, "write sqlite:x.db, or sqlite:/x.db") {
		t.Errorf("%+v", r)
	}
	if _, err := exosql.Open(t.Context(), "sqlite://x.db", nil); err == nil || !strings.Contains(err.Error(), "write sqlite:x.db, or sqlite:/x.db") {
		t.Error(err)
	}
}
