package main

import (
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/corpus"
	"github.com/exoagent/exoagent/internal/corpus/questions"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestShort: it is a whole program, of public packages, that a reader can copy.
func TestShort(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n >= 60 || strings.Contains(string(text), "/internal/") {
		t.Errorf("%d lines, want fewer than 60, and nothing of internal", n)
	}
}

// TestSizeShown: docs/models.md says what a model is shown.
func TestSizeShown(t *testing.T) {
	questions.Shown(t, corpus.App{Name: "simple", SQL: setup, IDs: "SELECT id FROM users ORDER BY id", Grants: grants})
}

func TestProcess(t *testing.T) {
	bin := corpus.Binary(t)
	for _, tc := range []struct {
		stdin string
		args  []string
		want  corpus.Exit
	}{
		{"", []string{"-e", "api.currentUser.todos().count()"}, corpus.Exit{Out: "3\n"}},
		{"api.currentUser.todos().count()", []string{"-user", "2", "-f", "-"}, corpus.Exit{Out: "1\n"}},
		{"api.currentUser\n  .todos()\n  .count()\n.user 2\napi.currentUser.todos().count()\n", nil, corpus.Exit{Out: "3\n1\n"}},
		{"", []string{"-user", "3", "-e", "api.currentUser.todos().count()"}, corpus.Exit{Out: "0\n"}},
		{"", nil, corpus.Exit{}},
		{"", []string{"-e", "api.nobody"}, corpus.Exit{Out: "{\"error\":{\"kind\":\"denied\",\"message\":\"api has no member `nobody`; it has `currentUser`\",\"line\":1,\"column\":5}}\n", Code: 1}},
		{"", []string{"-wat"}, corpus.Exit{Err: "command: there is no flag -wat\nrun command -help for help\n", Code: 2}},
		{"", []string{"-user", "Ada", "-e", "1"}, corpus.Exit{Err: "command: -user \"Ada\": want a whole number\n", Code: 2}},
		{"", []string{"-db", "sqlite:/", "-e", "1"}, corpus.Exit{Err: "command: -db sqlite:/: exosql: open /: unable to open database file (14)\n", Code: 2}},
	} {
		if got := corpus.Exec(t, tc.stdin, bin, tc.args...); got != tc.want {
			t.Errorf("%q\ngot  %+v\nwant %+v", tc.args, got, tc.want)
		}
	}
	if got := corpus.Interrupt(t, bin, "-trace", "-e", "await api.currentUser.todos().count(); for (;;) {}"); got.Code != 130 || !strings.Contains(got.Out, `"kind":"cancelled"`) {
		t.Errorf("interrupted: %+v", got)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) { // made, and used again
		db := e.URL(t)
		for range 2 {
			if got := corpus.Exec(t, "", bin, "-db", db, "-e", "api.currentUser.todos().where({ completed: false }).count()"); got != (corpus.Exit{Out: "2\n"}) {
				t.Errorf("%+v", got)
			}
		}
	})
}
