package repl

import (
	"bytes"
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The same -db on PostgreSQL: made and filled once, left as it is later, refused
// where it is somebody else's.
func TestPostgresDatabase(t *testing.T) {
	url := tu.Postgres.URL(t)
	count := func(want string) {
		t.Helper()
		if got := runApp("", "-db", url, "-e", "api.me.notes().count()"); got != (outcome{want + "\n", "", 0}) {
			t.Fatalf("want %s: %+v", want, got)
		}
	}
	plain := tu.Admin(t, url)
	defer plain.Close()
	change := func(statement string) {
		t.Helper()
		if _, err := plain.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	broken := testApp
	broken.Setup += "INSERT INTO nowhere VALUES (1);"
	var out, errs bytes.Buffer
	if code := broken.Run([]string{"-db", url, "-e", "1"}, strings.NewReader(""), &out, &errs); code != exitUsage {
		t.Fatalf("a seed that fails: %d %s", code, errs.String())
	}
	count("2") // and left nothing
	change("INSERT INTO notes VALUES (4, 1, 'added later', NULL)")
	count("3")
	change("CREATE TABLE payroll (id int PRIMARY KEY)")
	if got := runApp("", "-db", url, "-e", "1"); got.code != exitUsage || got.out != "" || !strings.Contains(got.err, "payroll") {
		t.Fatalf("with another table: %+v", got)
	}
}

func TestPostgresCreatedOnce(t *testing.T) {
	url := tu.Postgres.URL(t)
	results := make(chan outcome)
	for range 4 {
		go func() { results <- runApp("", "-db", url, "-e", "api.me.notes().count()") }()
	}
	for range 4 {
		if got := <-results; got != (outcome{"2\n", "", 0}) {
			t.Errorf("%+v", got)
		}
	}
}

// No part of a URL that can hold a password is shown.
func TestPostgresPasswordIsNotShown(t *testing.T) {
	for _, url := range []string{
		"postgres://u:SECRET@127.0.0.1:1/db?sslmode=disable", "postgres://u@127.0.0.1:1/db?sslmode=disable&password=SECRET", "postgres://u:SECRET@[/db", "postgres:SECRET", "postgress://u:SECRET@h/db", "u:SECRET@h",
	} {
		got := runApp("", "-db", url, "-e", "1")
		if got.code != exitUsage || got.out != "" || strings.Contains(got.err, "SECRET") || !strings.HasPrefix(got.err, "notes: -db ") {
			t.Errorf("%s: %+v", url, got)
		}
	}
}
