package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// changing opens a database of its own, and returns a function that runs SQL in it.
func changing(t *testing.T, e tu.Engine) (url string, db *sql.DB, change func(text string)) {
	t.Helper()
	url = e.URL(t)
	db = e.SQLDB(t, url)
	return url, db, func(text string) {
		t.Helper()
		if _, err := db.Exec(e.SQL(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

// TestUndo: what a program has changed, and a cascade with it, is shown and taken back, hidden columns too; then the undo is undone. A run whose rows somebody changed since is refused as a whole.
func TestUndo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url, db, change := changing(t, e)
		change("CREATE TABLE items (id {int} PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, secret TEXT); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name, secret) VALUES (1, 'acme', 'ax', 's1'), (2, 'acme', 'bell', 's2'), (3, 'zeta', 'cog', 's3'); CREATE TABLE parts (id {int} PRIMARY KEY, item_id {int} REFERENCES items (id) ON DELETE CASCADE); CREATE INDEX parts_by_item ON parts (item_id); INSERT INTO parts VALUES (7, 2)")
		look := func() (all string) {
			t.Helper()
			for _, q := range []string{"SELECT id, org, name, secret FROM items ORDER BY id", "SELECT id, item_id, '', '' FROM parts ORDER BY id"} {
				rows, err := db.Query(q)
				if err != nil {
					t.Fatal(err)
				}
				for rows.Next() {
					var a, b, c string
					var d *string
					if err := rows.Scan(&a, &b, &c, &d); err != nil {
						t.Fatal(err)
					}
					if all += a + " " + b + " " + c; d != nil {
						all += " " + *d
					}
					all += "\n"
				}
				if err := rows.Err(); err != nil {
					t.Fatal(err)
				}
			}
			return all
		}
		t.Setenv("GRANTS_TEST_DB", url)
		dir := t.TempDir()
		path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "runs.jsonl")
		text := strings.Replace(openedFile, "update: [name]", "update: [name]\n    insert: [id, name]\n    delete: true\n    effects: [unique(id), \"cascade parts(item_id)\"]", 1) + "record: " + kept + "\n"
		text = regexp.MustCompile(`env:GRANTS_TEST_DB`).ReplaceAllString(text, "{url: env:GRANTS_TEST_DB, undo: 7d}")
		write(t, path, text)
		if r := exo(t, "", "run", path, "-as", "org=acme", "-e", "items.count()"); r.code == cli.ExitDone {
			t.Errorf("a database that keeps nothing: %+v", r)
		}
		script := exo(t, "", "gen", "undo", path)
		if script.code != cli.ExitDone {
			t.Fatalf("%+v", script)
		}
		change(script.out)
		if e.Name == tu.Postgres.Name {
			change("CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)")
		}
		last := func() string {
			t.Helper()
			log, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			all := regexp.MustCompile(`"run":"([0-9a-f]{32})"`).FindAllStringSubmatch(string(log), -1)
			return all[len(all)-1][1]
		}
		before := look()
		run := func() {
			t.Helper()
			if r := exo(t, "", "run", path, "-as", "org=acme", "-e", "await items.where({ id: 1 }).update({ name: 'ash' }); await items.insert({ id: 9, name: 'new' }); await items.where({ id: 2 }).delete(); return 1"); r.code != cli.ExitDone {
				t.Fatalf("%+v", r)
			}
		}
		run()
		after, first := look(), last()
		r := exo(t, "", "undo", first, "-file", path)
		for _, want := range []string{"change items 1: name ash → ax", "insert items 2: ", "delete items 9: ", "insert parts 7: ", "2 other columns", "nothing was changed"} {
			if got := strings.ReplaceAll(r.out, "'", ""); r.code != cli.ExitDone || !strings.Contains(got, want) {
				t.Errorf("no %q in %+v", want, r)
			}
		}
		if strings.Contains(r.out, "s2") || look() != after {
			t.Errorf("a look: %+v\n%s", r, look())
		}
		if r := exo(t, "", "undo", first, "-file", path, "-apply"); r.code != cli.ExitDone || look() != before || !strings.Contains(r.out, "this undo is run "+last()) {
			t.Errorf("%+v\n%s\nwant\n%s", r, look(), before)
		}
		if r := exo(t, "", "undo", last(), "-file", path, "-apply"); r.code != cli.ExitDone || look() != after {
			t.Errorf("the undo of the undo: %+v\n%s\nwant\n%s", r, look(), after)
		}
		change("UPDATE items SET secret = 'other' WHERE id = 1")
		now := look()
		if r := exo(t, "", "undo", first, "-file", path, "-apply"); r.code != cli.ExitFound || !strings.Contains(r.out, "REFUSED  items 1: the row was changed since") || look() != now {
			t.Errorf("a row that was changed since: %+v\n%s\nwant\n%s", r, look(), now)
		}
		if r := exo(t, "", "undo", strings.Repeat("0", 32), "-file", path); r.code == cli.ExitDone || !strings.Contains(r.err, "no change of run") {
			t.Errorf("an unknown run: %+v", r)
		}
		if log, err := os.ReadFile(kept); err != nil || strings.Count(string(log), "// exo undo ") != 2 {
			t.Errorf("the record has %d undos: %v", strings.Count(string(log), "// exo undo "), err)
		}
		if e.Name == tu.Postgres.Name {
			change("ALTER TABLE parts DISABLE TRIGGER exo_undo")
			if r := exo(t, "", "doctor", path); !strings.Contains(r.out, "MISSING  undo in ") || !strings.Contains(r.out, "parts") {
				t.Errorf("doctor: %+v", r)
			}
			now := look()
			if r := exo(t, "", "run", path, "-as", "org=acme", "-e", "items.where({ id: 9 }).delete()"); r.code == cli.ExitDone || look() != now {
				t.Errorf("a run that can't be kept: %+v", r)
			}
		}
	})
}

// TestUndoAs: with -as, a principal takes back a run of their own in their rows, by the connection for undos, and no run of another principal. The
// twin is the operator's undo.
func TestUndoAs(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url, db, change := changing(t, e)
		change("CREATE TABLE items (id {int} PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL); CREATE INDEX items_by_org ON items (org); INSERT INTO items VALUES (1, 'acme', 'ax'), (3, 'zeta', 'cog')" +
			e.Pick("", "; CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)"))
		look := func() string {
			t.Helper()
			return tu.Rows(t, db, "SELECT id, org, name FROM items ORDER BY id")
		}
		t.Setenv("GRANTS_TEST_DB", url)
		dir := t.TempDir()
		path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "runs.jsonl")
		text := strings.NewReplacer("update: [name]", "update: [name]\n    undo: own", "{shop: env:GRANTS_TEST_DB}", "{shop: {url: env:GRANTS_TEST_DB, undo: 7d, undo_url: env:GRANTS_TEST_DB}}").Replace(openedFile) + "record: " + kept + "\n"
		write(t, path, text)
		script := exo(t, "", "gen", "undo", path)
		change(script.out)
		before := look()
		run := func(as, program string) string {
			t.Helper()
			if r := exo(t, "", "run", path, "-as", as, "-e", program); r.code != cli.ExitDone {
				t.Fatalf("%+v", r)
			}
			log, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			all := regexp.MustCompile(`"run":"([0-9a-f]{32})"`).FindAllStringSubmatch(string(log), -1)
			return all[len(all)-1][1]
		}
		theirs := run("org=zeta", "items.where({ id: 3 }).update({ name: 'cat' })")
		mine := run("org=acme", "items.where({ id: 1 }).update({ name: 'ash' })")
		after := look()
		for _, id := range []string{theirs, strings.Repeat("0", 32)} {
			if r := exo(t, "", "undo", id, "-file", path, "-as", "org=acme", "-apply"); r.code != cli.ExitFound || r.out != "" || look() != after || !strings.Contains(r.err, "nothing of this run can be undone here") {
				t.Errorf("%s: %+v", id, r)
			}
		}
		if r := exo(t, "", "undo", mine, "-file", path, "-as", "org=acme"); r.code != cli.ExitDone || look() != after || !strings.Contains(strings.ReplaceAll(r.out, "'", ""), "change items 1: name ash → ax") {
			t.Errorf("a look: %+v", r)
		}
		if r := exo(t, "", "undo", mine, "-file", path, "-as", "org=acme", "-apply"); r.code != cli.ExitDone || !strings.Contains(r.out, "undone: 1 rows") {
			t.Errorf("%+v", r)
		}
		if log, err := os.ReadFile(kept); err != nil || !strings.Contains(string(log), `"principal":"org=\"acme\"","program":"// exo undo `+mine) {
			t.Errorf("the record does not have whose undo it was: %v\n%s", err, log)
		}
		write(t, path, strings.Replace(text, "undo: own", "undo: any", 1))
		other := run("org=acme", "items.where({ id: 1 }).update({ name: 'oak' })")
		log, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(kept, []byte(strings.ReplaceAll(string(log), `"principal":"org=\"acme\""`, `"principal":"org=\"else\""`)), 0o600); err != nil {
			t.Fatal(err)
		}
		now := look()
		write(t, path, text)
		if r := exo(t, "", "undo", other, "-file", path, "-as", "org=acme", "-apply"); r.code != cli.ExitFound || look() != now {
			t.Errorf("another principal's run in the same rows: %+v", r)
		}
		write(t, path, strings.Replace(text, "undo: own", "undo: any", 1))
		if r := exo(t, "", "undo", other, "-file", path, "-as", "org=acme", "-apply"); r.code != cli.ExitDone {
			t.Errorf("any: %+v", r)
		}
		if r := exo(t, "", "undo", theirs, "-file", path, "-apply"); r.code != cli.ExitDone || look() != before {
			t.Errorf("the operator: %+v\n%s\nwant\n%s", r, look(), before)
		}
		for as, file := range map[string]string{"nothing=1": text, "org=acme": strings.NewReplacer(", undo: 7d", "", "    undo: own\n", "").Replace(text)} {
			write(t, path, file)
			want := map[bool]string{true: "write `undo: 7d`", false: "-as: "}[file != text]
			if r := exo(t, "", "undo", mine, "-file", path, "-as", as); r.code != cli.ExitUsage || !strings.Contains(r.err, want) {
				t.Errorf("%s: %+v, want %q", as, r, want)
			}
		}
		folder, identity := filepath.Join(dir, "log"), filepath.Join(dir, "auditor")
		if r := exo(t, "", "record", "init", "-key", "file:"+filepath.Join(dir, "key"), "-identity", identity, folder); r.code != cli.ExitDone {
			t.Fatalf("%+v", r)
		}
		write(t, path, strings.Replace(text, "record: "+kept, "record: {folder: "+folder+", key: 'file:"+filepath.Join(dir, "key")+"'}", 1))
		if r := exo(t, "", "run", path, "-as", "org=acme", "-e", "items.where({ id: 1 }).update({ name: 'elm' })"); r.code != cli.ExitDone {
			t.Fatalf("%+v", r)
		}
		sealed := regexp.MustCompile(`[0-9a-f]{32}`).FindString(exo(t, "", "record", "tail", "-n", "1", folder).out)
		if r := exo(t, "", "undo", sealed, "-file", path, "-as", "org=acme", "-apply"); r.code != cli.ExitUsage || !strings.Contains(r.err, "-identity is missing") {
			t.Errorf("without the identity: %+v", r)
		}
		if r := exo(t, "", "undo", sealed, "-file", path, "-as", "org=acme", "-apply", "-identity", identity); r.code != cli.ExitDone || look() != before {
			t.Errorf("with the identity: %+v", r)
		}
		for want, file := range map[string]string{
			"want own, for a person's own runs, or any":         strings.Replace(text, "undo: own", "undo: mine", 1),
			"12:11: undo: the database of the facet item keeps": strings.Replace(text, ", undo: 7d", "", 1),
			"need a person's approval":                          strings.Replace(text, "undo: own", "undo: own\n    approve: always", 1) + "approvals: {key: file:k, store: s}\n",
			"labelled columns":                                  strings.Replace(text, "update: [name]", "update: [name]\n    label: [pii]", 1) + "labels: {pii: secret}\n",
		} {
			write(t, path, file)
			if r := exo(t, "", "validate", path); r.code != cli.ExitFound || !strings.Contains(r.out+r.err, want) {
				t.Errorf("want %q: %+v", want, r)
			}
			if r := exo(t, "", "undo", mine, "-file", path, "-as", "org=acme"); r.code == cli.ExitDone || strings.Contains(r.out+r.err, "%!") {
				t.Errorf("%s: %+v", want, r)
			}
		}
	})
}
