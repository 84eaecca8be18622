package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/testutil"
)

// rails is a database for the package that schema/gen keeps for its tests.
func rails(t *testing.T) (url string, exec func(string)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(), "schema/gen/testdata/rails.sqlite.sql"))
	if err != nil {
		t.Fatal(err)
	}
	return database(t, string(text))
}

const railsPackage = "github.com/exoagent/exoagent/schema/gen/testdata/railssqlite"

// The declarations of a package agree with a database, and then they do not.
func TestCheck(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	url, change := rails(t)
	r := exo(t, "", "check", "-db", url, railsPackage)
	if r.code != cli.ExitDone || r.err != "" || !strings.HasSuffix(r.out, " declarations agree with the database\n") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("it agrees: %v", r)
	}
	if r := exo(t, "", "check", "-strict", "-db", url, railsPackage); r.code != cli.ExitDone {
		t.Errorf("-strict: %v", r)
	}
	change("ALTER TABLE posts DROP COLUMN views; DROP TABLE profiles")
	r = exo(t, "", "check", railsPackage, "-db", url)
	if r.code != cli.ExitFound || r.err != "" || !strings.Contains(r.out, "posts.views: there is no such column") || !strings.Contains(r.out, "profiles: there is no such table") {
		t.Errorf("it does not agree: %v", r)
	}
	r = exo(t, "", "check", "-json", "-db", url, railsPackage)
	var found []exosql.Finding
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.code != cli.ExitFound || r.err != "" {
		t.Fatalf("%v: %v", err, r)
	}
	got := ""
	for _, f := range found {
		got += string(f.Kind) + " " + f.Table + " " + f.Column + "; "
	}
	if want := "missing column posts views; missing table profiles ; "; got != want {
		t.Errorf("-json: %q, want %q", got, want)
	}
}

// Agreement is an empty list and a line that says so; a program's unexported
// declarations count, and it does not run.
func TestCheckMain(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	url, _ := database(t, "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
	for args, want := range map[string]string{"-json": "[]\n", "-strict": "1 declarations agree with the database\n"} {
		r := exo(t, "", "check", "-db", url, args, "./testdata/program")
		if r.code != cli.ExitDone || r.out != want || r.err != "" {
			t.Errorf("%v, want %q", r, want)
		}
	}
}

// The indexes of what a package grants: text and JSON, an index that is missing and then there, and
// what is wrong with the command line or with the function.
func TestCheckIndexes(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	url, change := database(t, shop)
	check := func(args ...string) result {
		return exo(t, "", append([]string{"indexes", "-db", url, "./testdata/access"}, args...)...)
	}
	const note = "CREATE INDEX orders_by_customer_id_note ON orders (customer_id, note)"
	want := `order.id: =: by the index PRIMARY KEY
order.id: range, order, descending order: by the index orders_customer
order.note: =, range, order, descending order: every row in scope is read. Would serve: ` + note + "\n"
	if r := check("-func", "Mine", "-user", "1"); r.code != cli.ExitDone || r.out != want || r.err != "" {
		t.Errorf("%v\nwant %s", r, want)
	}
	if r, paths := check("-func", "Mine", "-user", "1", "-json"), []exosql.AccessPath(nil); r.code == cli.ExitDone {
		if err := json.Unmarshal([]byte(r.out), &paths); err != nil || len(paths) != 3 || paths[2].Fix.SQL() != note || !strings.Contains(r.out, `"sql": "`+note+`"`) {
			t.Errorf("-json: %v: %v", err, r)
		}
	} else {
		t.Errorf("-json: %v", r)
	}
	change(note)
	r := check("-func", "Mine", "-user", "1", "-json", "-strict")
	var paths []exosql.AccessPath
	if err := json.Unmarshal([]byte(r.out), &paths); err != nil || r.code != cli.ExitDone || r.err != "" || len(paths) != 3 || paths[2].Column != "note" || !paths[2].Served() || paths[2].Fix != nil || paths[2].Index != "orders_by_customer_id_note" {
		t.Errorf("-json with the index: %v: %v", err, r)
	}
	for _, user := range []string{"1 2", "1x", "0x1"} {
		if r := check("-func", "Mine", "-user", user); r.code != cli.ExitCannot {
			t.Errorf("-user %q: %v", user, r)
		}
	}
	if r := check("-func", "Everybody", "-strict"); r.code != cli.ExitFound || !strings.HasPrefix(r.out, "order.note: =, range, order, descending order: every row in scope is read.") {
		t.Errorf("no user: %v", r)
	}
	for args, says := range map[string]string{
		"-func Mine -user x":    `-user "x" can't be a int64`,
		"-func Mine -user 1000": "there is no customer 1000",
		"-func Wrong":           "has a parameter of type float64",
		"-func Nobody":          "has no function Nobody",
	} {
		if r := check(strings.Fields(args)...); r.code != cli.ExitCannot || r.out != "" || !strings.Contains(r.err, says) {
			t.Errorf("%s: %v, want %q", args, r, says)
		}
	}
	for _, word := range []string{"check", "indexes"} {
		if r := exo(t, "", word, "-db", url, "./testdata/access", "-func", "a.b"); r.code != cli.ExitUsage {
			t.Errorf("%s: %v", word, r)
		}
	}
}

// What a function grants is compared as well: with what its facets let programs write.
func TestCheckGranted(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	url, change := database(t, shop)
	check := func(args ...string) result {
		return exo(t, "", append([]string{"check", "-db", url, "./testdata/access"}, args...)...)
	}
	if r := check("-func", "Clerk", "-user", "1"); r.code != cli.ExitDone || r.out != "4 declarations agree with the database\n" || r.err != "" {
		t.Errorf("as it is: %v", r)
	}
	change("CREATE UNIQUE INDEX u ON orders (note)")
	want := "orders: programs may write the table, and (note) is unique among the rows of all tenants: the error that a value is taken would reveal rows out of scope. Right would be: UNIQUE (customer_id, note) instead, or Permit(exosql.AllowUnique(\"note\")) on the facet order, if programs may learn which values other tenants have\n"
	if r := check("-func", "Clerk", "-user", "1"); r.code != cli.ExitFound || r.out != want || r.err != "" {
		t.Errorf("unique among all: %v\nwant %s", r, want)
	}
	if r := check("-func", "Mine", "-user", "1", "-strict"); r.code != cli.ExitDone || r.err != "" {
		t.Errorf("of facets that only read, one of them attenuated: %v", r)
	}
	if r := check("-func", "Weaker", "-user", "1"); r.code != cli.ExitFound || r.out != want || r.err != "" {
		t.Errorf("attenuated: %v\nwant %s", r, want)
	}
	if r := check("-func", "ReadOnly", "-user", "1", "-strict"); r.code != cli.ExitDone || r.err != "" {
		t.Errorf("of what can't write any more: %v", r)
	}
	if r := check("-user", "1"); r.code != cli.ExitCannot || !strings.Contains(r.err, "has no function Grants") {
		t.Errorf("without its name: %v", r)
	}
}

// What can't be compared is told from what differs.
func TestCheckCannot(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	url, _ := database(t, shop)
	for _, c := range []struct{ url, pkg, says string }{
		{"sqlite:/there/is/none", railsPackage, "no such file"},
		{"postgres://u:sekret@127.0.0.1:1/d", railsPackage, "refused"},
		{url, "./testdata/broken", "can't be built"},
		{url, "./testdata/panics", `column t.id is declared twice`},
		{url, "./testdata/empty", "no variable to check"},
	} {
		r := exo(t, "", "check", "-db", c.url, c.pkg)
		if r.code != cli.ExitCannot || r.out != "" || !strings.Contains(r.err, c.says) || strings.Contains(r.err, "sekret") {
			t.Errorf("%s: %v, want %q", c.pkg, r, c.says)
		}
	}
}
