package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
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
	url, change := rails(t)
	r := exo(t, "", "check", "-db", url, railsPackage)
	if r.code != exitDone || r.err != "" || !strings.HasPrefix(r.out, "warning: posts_tags: ") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("it agrees but for a warning: %v", r)
	}
	if r := exo(t, "", "check", "-strict", "-db", url, railsPackage); r.code != exitFound {
		t.Errorf("-strict: %v", r)
	}
	change("ALTER TABLE posts DROP COLUMN views; DROP TABLE profiles")
	r = exo(t, "", "check", railsPackage, "-db", url)
	if r.code != exitFound || r.err != "" || !strings.Contains(r.out, "posts.views: there is no such column") || !strings.Contains(r.out, "profiles: there is no such table") {
		t.Errorf("it does not agree: %v", r)
	}
	r = exo(t, "", "check", "-json", "-db", url, railsPackage)
	var found []exosql.Finding
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.code != exitFound || r.err != "" {
		t.Fatalf("%v: %v", err, r)
	}
	got := ""
	for _, f := range found {
		got += string(f.Kind) + " " + f.Table + " " + f.Column + "; "
	}
	if want := "missing column posts views; no key posts_tags ; missing table profiles ; "; got != want {
		t.Errorf("-json: %q, want %q", got, want)
	}
}

// Agreement is an empty list and a line that says so; a program's unexported
// declarations count, and it does not run.
func TestCheckMain(t *testing.T) {
	url, _ := database(t, "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
	for args, want := range map[string]string{"-json": "[]\n", "-strict": "1 declarations agree with the database\n"} {
		r := exo(t, "", "check", "-db", url, args, "./testdata/program")
		if r.code != exitDone || r.out != want || r.err != "" {
			t.Errorf("%v, want %q", r, want)
		}
	}
}

// What can't be compared is told from what differs.
func TestCheckCannot(t *testing.T) {
	url, _ := database(t, shop)
	for _, c := range []struct{ url, pkg, says string }{
		{"sqlite:/there/is/none", railsPackage, "no such file"},
		{"postgres://u:sekret@127.0.0.1:1/d", railsPackage, "refused"},
		{url, "./testdata/broken", "can't be built"},
		{url, "./testdata/panics", `column t.id is declared twice`},
		{url, "./testdata/empty", "no variable that exosql.Check takes"},
	} {
		r := exo(t, "", "check", "-db", c.url, c.pkg)
		if r.code != exitCannot || r.out != "" || !strings.Contains(r.err, c.says) || strings.Contains(r.err, "sekret") {
			t.Errorf("%s: %v, want %q", c.pkg, r, c.says)
		}
	}
}
