package main

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDryRun: a program that is tried gives its result and shows the rows before and after, and the database is as it was; so says
// the record. The twin without -dry-run changes the same rows.
func TestDryRun(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			return e.Exec("CREATE TABLE items (id {int} PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name) VALUES (1, 'acme', 'ax'), (2, 'acme', 'bell'), (3, 'zeta', 'cog'); CREATE TABLE parts (id {int} PRIMARY KEY, item_id {int} REFERENCES items (id) ON DELETE CASCADE); CREATE INDEX parts_by_item ON parts (item_id)")(ctx, db)
		}})
		defer db.Close()
		t.Setenv("GRANTS_TEST_DB", url)
		dir := t.TempDir()
		path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "runs.jsonl")
		write(t, path, strings.Replace(openedFile, "update: [name]", "update: [name]\n    insert: [id, name]\n    delete: true\n    effects: [unique(id), \"cascade parts(item_id)\"]", 1)+"record: "+kept+"\n")
		program := "await items.where({ id: 1 }).update({ name: 'ash' }); await items.insert({ id: 9, name: 'new' }); await items.where({ id: 2 }).delete(); return items.select(i => i.name)"
		look := func() string {
			return exo(t, "", "run", path, "-as", "org=acme", "-e", "items.select(i => i.name)").out
		}
		before := look()

		r := exo(t, "", "run", path, "-as", "org=acme", "-dry-run", "-format", "json", "-e", program)
		if r.code != cli.ExitDone || strings.Join(strings.Fields(r.out), "") != `["ash","new"]` {
			t.Errorf("%+v", r)
		}
		for _, want := range []string{"item: 1 row changed, 1 row added, 1 row deleted, not kept", "ash", "bell", "this was a dry run: no change was kept", "nothing of ", "not shown: what these triggers, rules and cascades may have changed: cascade parts(item_id), not kept"} {
			if !strings.Contains(r.err, want) {
				t.Errorf("no %q in %s", want, r.err)
			}
		}
		if got := look(); got != before || !strings.Contains(got, "ax") {
			t.Errorf("it leaves %s", got)
		}
		if text, err := os.ReadFile(kept); err != nil || !strings.Contains(string(text), `"state":"rolledback"`) || !strings.Contains(string(text), `"before":`) || !strings.Contains(string(text), `"effects":["cascade parts(item_id)"]`) || strings.Contains(string(text), `"applied"`) || strings.Contains(string(text), `"step":"committing"`) {
			t.Errorf("the record: %v %s", err, text)
		}
		if r := exo(t, "", "run", path, "-as", "org=acme", "-dry-run", "-e", "await items.where({ id: 1 }).update({ name: 'ash' }); throw new Error('no')"); r.code != cli.ExitFound || strings.Contains(r.err, "dry run") {
			t.Errorf("a program that fails: %+v", r)
		}
		if r := exo(t, "", "run", path, "-as", "org=acme", "-dry-run", "-e", "items.count()"); r.code != cli.ExitDone || strings.TrimSpace(r.out) != "2" {
			t.Errorf("a program that reads: %+v", r)
		}
		if r := exo(t, "", "run", path, "-as", "org=acme", "-dry-run", "-api"); r.code != cli.ExitUsage {
			t.Errorf("-api: %+v", r)
		}
		if r := exo(t, "", "run", path, "-as", "org=acme", "-e", program); r.code != cli.ExitDone || strings.Contains(look(), "ax") || !strings.Contains(look(), "new") {
			t.Errorf("the twin: %+v %s", r, look())
		}
	})
}

// TestDryRunSeals: a dry run shows values of a label that the result may not carry sealed, as the result does, and says nothing of whether a
// value was guessed. The twin, which admits the label, shows them.
func TestDryRunSeals(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, admits := range []bool{false, true} {
			url := e.URL(t)
			e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE items (id {int} PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, s TEXT NOT NULL); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name, s) VALUES (1, 'acme', 'ax', 'topaz'), (2, 'acme', 'bell', 'onyx')")}).Close()
			t.Setenv("GRANTS_TEST_DB", url)
			path := filepath.Join(t.TempDir(), "exo.yaml")
			file := strings.NewReplacer("columns: [id, name]", "columns: [id, name, {s: {label: pii}}]", "update: [name]", "update: [name, s]").Replace(openedFile) + "labels: {pii: secret}\n"
			if admits {
				file += "admits: [pii]\n"
			}
			write(t, path, file)
			dry := func(program string) string {
				r := exo(t, "", "run", path, "-as", "org=acme", "-dry-run", "-e", program)
				if r.code != cli.ExitDone {
					t.Errorf("%s: %+v", program, r)
				}
				return r.err
			}
			shown := dry("items.all().update(t => ({ name: 'new' }))")
			if strings.Contains(shown, "topaz") != admits || strings.Contains(shown, "[sealed pii]") == admits || !strings.Contains(shown, "new") {
				t.Errorf("admits %v:\n%s", admits, shown)
			}
			if right, wrong := dry("items.where({ id: 1 }).update({ s: 'topaz' })"), dry("items.where({ id: 1 }).update({ s: 'wrong' })"); !admits && right != wrong {
				t.Errorf("a guess shows:\n%s\nand another\n%s", right, wrong)
			}
		}
	})
}
