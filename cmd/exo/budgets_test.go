package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const budgeted = openedFile + `budgets:
  principal:
    day: {rows: 6, calls: 20}
  tool:
    total: {effects: 3}
`

// TestBudgetsCommand: what programs used is kept between processes, in a folder and in PostgreSQL; exo budgets shows it, and each command that runs
// programs is refused. The twin without budgets goes on.
func TestBudgetsCommand(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE items (id {int} PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name) VALUES (1, 'acme', 'ax'), (2, 'acme', 'bell'), (3, 'zeta', 'cog')")})
		defer db.Close()
		t.Setenv("GRANTS_TEST_DB", url)
		path := filepath.Join(t.TempDir(), "exo.yaml")
		file := budgeted
		if e.Name == tu.Postgres.Name {
			file += "  store: env:BUDGETS_TEST_DB\n"
			t.Setenv("BUDGETS_TEST_DB", tu.WithParam(t, url, "synchronous_commit", "on"))
			if err := postgres.Create(t.Context(), url, ""); err != nil {
				t.Fatal(err)
			}
		}
		write(t, path, file)
		run := func(org, program string, more ...string) result {
			return exo(t, "", append([]string{"run", path, "-as", "org=" + org, "-e", program}, more...)...)
		}
		for range 2 {
			if r := run("acme", "items"); r.code != cli.ExitDone {
				t.Fatalf("%+v", r)
			}
		}
		for range 2 { // a preview has no effects, and a program that fails gives its own back
			_ = run("acme", "await items.where({ id: 1 }).update({ name: 'a' }); return 1", "-dry-run")
			_ = run("acme", "await items.where({ id: 1 }).update({ name: 'a' }); throw new Error('no')")
		}
		if r := run("zeta", "await items.where({ id: 3 }).update({ name: 'a' }); await items.where({ id: 3 }).update({ name: 'b' }); return 1"); r.code != cli.ExitDone {
			t.Errorf("%+v", r)
		}
		var all []struct {
			Per, Each, Principal, Refills string
			Amounts                       []struct {
				What           string
				Used, Of, Left int
			}
		}
		r := exo(t, "", "budgets", path, "-json")
		if err := json.Unmarshal([]byte(r.out), &all); err != nil || r.code != cli.ExitDone || len(all) != 3 {
			t.Fatalf("%v %+v", err, r)
		}
		if a := all[0]; a.Principal != "org=\"acme\"" || a.Refills == "" || len(a.Amounts) != 2 || a.Amounts[0].What != "calls" || a.Amounts[0].Used != 6 || a.Amounts[1].Used != 4 || a.Amounts[1].Left != 2 {
			t.Errorf("%+v", a)
		}
		if a := all[2]; a.Per != "tool" || a.Each != "total" || a.Principal != "" || a.Refills != "" || a.Amounts[0].Used != 2 || a.Amounts[0].Of != 3 {
			t.Errorf("%+v", a)
		}
		if r := exo(t, "", "budgets", path, "-as", "org=new"); r.code != cli.ExitDone || !strings.Contains(r.out, "org=\"new\"") || !strings.Contains(r.out, "rows") || strings.Contains(r.out, "acme") || !strings.Contains(r.out, "never") {
			t.Errorf("%+v", r)
		}
		_ = run("acme", "items")
		usedUp := "the budget of 6 records a day for this user is used up: it refills at "
		if r := run("acme", "items"); r.code != cli.ExitFound || !strings.Contains(r.err, usedUp) {
			t.Errorf("%+v", r)
		}
		if r := exo(t, "", "repl", path, "-as", "org=acme", "-e", "items"); !strings.Contains(r.out+r.err, usedUp) {
			t.Errorf("repl: %+v", r)
		}
		frames := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute","arguments":{"code":"items"}}}` + "\n"
		if r := exo(t, frames, "serve", path, "-as", "org=acme"); !strings.Contains(r.out, usedUp) {
			t.Errorf("serve: %+v", r)
		}
		write(t, path, openedFile)
		if r := run("acme", "items"); r.code != cli.ExitDone {
			t.Errorf("the twin: %+v", r)
		}
		if r := exo(t, "", "budgets", path); r.code != cli.ExitDone || !strings.Contains(r.err, "has no budgets") {
			t.Errorf("%+v", r)
		}
	})
}

// budgetedItems makes a database with two items of acme, and returns its URL.
func budgetedItems(t *testing.T) string {
	t.Helper()
	url := tu.SQLite.URL(t)
	tu.SQLite.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE items (id INTEGER PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL); CREATE INDEX items_by_org ON items (org); INSERT INTO items (id, org, name) VALUES (1, 'acme', 'ax'), (2, 'acme', 'bell')")})
	return url
}

// TestBudgetsAtOnce: processes that run at one time get no more together than there is.
func TestBudgetsAtOnce(t *testing.T) {
	t.Setenv("GRANTS_TEST_DB", budgetedItems(t))
	path := filepath.Join(t.TempDir(), "exo.yaml")
	write(t, path, budgeted)
	var passed, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r := exo(t, "", "run", path, "-as", "org=acme", "-e", "items")
			mu.Lock()
			defer mu.Unlock()
			if r.code == cli.ExitDone {
				passed++
			} else if strings.Contains(r.err, "is used up") {
				refused++
			} else {
				t.Errorf("%+v", r)
			}
		})
	}
	all.Wait()
	if passed > 3 || passed == 0 || passed+refused != 8 {
		t.Errorf("%d runs read 2 rows of 6, %d are refused", passed, refused)
	}
}

// TestBudgetsOfFile: what is wrong in the budgets of a file is said where it is, before anything runs.
func TestBudgetsOfFile(t *testing.T) {
	t.Setenv("GRANTS_TEST_DB", budgetedItems(t))
	path := filepath.Join(t.TempDir(), "exo.yaml")
	for text, want := range map[string]string{
		"budgets: {}":                                              "budgets: want at least one budget, like `budgets: { principal: { day: { rows: 1000 } } }`",
		"budgets: {store: x}":                                      "budgets: want at least one budget",
		"budgets: {principal: {}}":                                 "budgets.principal: want at least one of minute, hour, day, week, total",
		"budgets: {principal: {day: {}}}":                          "budgets.principal.day: want at least one of calls, rows, read, effects",
		"budgets: {principal: {month: {rows: 1}}}":                 "`month` is no key of budgets.principal",
		"budgets: {user: {day: {rows: 1}}}":                        "`user` is no key of budgets",
		"budgets: {tool: {day: {rows: 0}}}":                        "budgets.tool.day.rows: want a whole number of at least 1",
		"budgets: {tool: {day: {bits: 1}}}":                        "`bits` is no key of budgets.tool.day",
		"budgets: {tool: {day: {rows: 1}}, store: gone/deep/here}": "no such file",
		"budgets: {tool: {day: {rows: 1}}, store: env:NOT_THERE}":  "NOT_THERE",
	} {
		write(t, path, openedFile+text+"\n")
		if r := exo(t, "", "validate", path); r.code != cli.ExitFound || !strings.Contains(r.err+r.out, want) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}
