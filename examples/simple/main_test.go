package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/terminal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const openTitles = `(api) => api.currentUser.todos().where({ completed: false }).orderBy(t => t.id).select(t => ({ title: t.title })).execute()`

func run(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = app.Run(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}

// TestUsers runs one program as everybody: the flag alone decides whose rows there are.
func TestUsers(t *testing.T) {
	for id, want := range map[int]string{
		2: `[{"title":"Fix the garden gate"},{"title":"Return library books"},{"title":"Read mail from the landlord"},{"title":"Learn fika recipes"},{"title":"Buy milk"}]`,
		3: `[{"title":"Prepare the tea ceremony"},{"title":"日本語の本を読む"},{"title":"Submit the thesis"},{"title":"Plan the summer trip"}]`,
	} {
		out, errs, code := run("", "-user", fmt.Sprint(id), "-e", openTitles)
		if out != want+"\n" || errs != "" || code != 0 {
			t.Errorf("user %d: exit %d, %q\n%s", id, code, errs, out)
		}
	}
	if _, errs, code := run("", "-user", "4", "-e", openTitles); code != 2 || errs != "simple: there is no user 4; there are 1 (Ada Okafor), 2 (Ben Lindqvist), 3 (Chloe Tanaka)\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestDatabases makes the database of -db on each engine, and uses it again.
func TestDatabases(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.URL(t)
		for range 2 {
			if out, errs, code := run("", "-db", db, "-user", "3", "-e", "api.currentUser.todos().where({ completed: false }).orderBy(t => t.dueAt).select(t => ({ due: t.dueAt })).limit(2)"); out != `[{"due":null},{"due":"2026-04-29T05:00:00.000Z"}]`+"\n" || errs != "" || code != 0 {
				t.Errorf("exit %d, %q\n%s", code, errs, out)
			}
		}
	})
}

// TestShown: a model is shown every member of the facets, and nothing else of the tables.
func TestShown(t *testing.T) {
	out, _, code := run("", "-api")
	if code != 0 {
		t.Fatal(code)
	}
	for _, want := range []string{"currentUser", "todos()", "completed", "dueAt", "1 is the most urgent, 3 the least"} {
		if !strings.Contains(out, want) {
			t.Errorf("-api does not show %q", want)
		}
	}
	for _, hidden := range []string{"user_id", "userId", "due_at", "Okafor", "SELECT"} {
		if strings.Contains(out, hidden) {
			t.Errorf("-api shows %q", hidden)
		}
	}
}

// TestExamples: the programs that -help shows work.
func TestExamples(t *testing.T) {
	for _, e := range app.Examples {
		if out, errs, code := run("", "-e", e); code != 0 || errs != "" || !json.Valid([]byte(out)) {
			t.Errorf("%s: exit %d %s%s", e, code, out, errs)
		}
	}
}

func TestProcess(t *testing.T) {
	bin := corpus.Binary(t)
	const see = "\nrun simple -help for help\n"
	for _, tc := range []struct {
		stdin string
		args  []string
		want  corpus.Exit
	}{
		{"", []string{"-e", "api.currentUser.todos().count()"}, corpus.Exit{Out: "10\n"}},
		{"api.currentUser.todos().count()", []string{"-user", "2", "-f", "-"}, corpus.Exit{Out: "7\n"}},
		{"api.currentUser\n  .todos()\n  .count()\n.user 3\napi.currentUser.todos().count()\n", nil, corpus.Exit{Out: "10\n6\n"}},
		{"", nil, corpus.Exit{}},
		{"", []string{"-e", "api.nobody"}, corpus.Exit{Out: "{\"error\":{\"kind\":\"denied\",\"message\":\"api has no member `nobody`; it has `currentUser`\",\"line\":1,\"column\":5}}\n", Code: 1}},
		{"", []string{"-wat"}, corpus.Exit{Err: "simple: there is no flag -wat" + see, Code: 2}},
		{"", []string{"-db", "sqlite:/", "-e", "1"}, corpus.Exit{Err: "simple: -db sqlite:/: exosql: open /: unable to open database file (14)\n", Code: 2}},
	} {
		if got := corpus.Exec(t, tc.stdin, bin, tc.args...); got != tc.want {
			t.Errorf("%q\ngot  %+v\nwant %+v", tc.args, got, tc.want)
		}
	}
	got := corpus.Interrupt(t, 500*time.Millisecond, bin, "-e", "for (;;) {}")
	if got.Code != 1 || !strings.Contains(got.Out, `"kind":"cancelled"`) {
		t.Errorf("interrupted: %+v", got)
	}
}
