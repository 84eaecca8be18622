package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/exoagent/exoagent/internal/cli"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// escapes is what a terminal acts on: it clears the screen, sets the clipboard, turns the
// direction of writing, and comes as a C1 control, too.
const escapes = "\x1b[2J\x1b]52;c;aGk=\x07\u202e\u009b31m\rdone"

// TestTerminal: nothing of a server, a database, a file or the command line itself
// reaches the terminal as anything but text, on either stream of any command.
func TestTerminal(t *testing.T) {
	tu.NotRaced(t)
	server := tu.NewFakePostgres(t, func(c *tu.FakeClient) {
		c.Send(&pgproto3.ErrorResponse{Severity: "FATAL" + escapes, Code: "28000", Message: "no" + escapes, Detail: escapes, Hint: escapes})
	})
	quoted := `"` + strings.ReplaceAll(escapes, `"`, `""`) + `"`
	names, _ := database(t, `CREATE TABLE `+quoted+` (id INTEGER PRIMARY KEY, `+quoted+` geometry)`)
	drifted, _ := database(t, `CREATE TABLE users (id INTEGER PRIMARY KEY, name `+quoted+` NOT NULL)`)
	for what, c := range map[string]struct {
		stdin string
		args  []string
		says  string
	}{
		"gen, a server's error":         {"", []string{"gen", "-db", server.URL, "-o", t.TempDir()}, "no"},
		"check, a server's error":       {"", []string{"check", "-db", server.URL, "./testdata/program"}, "no"},
		"gen, a name":                   {"", []string{"gen", "-db", names, "-o", t.TempDir()}, "left out"},
		"gen, a directory":              {"", []string{"gen", "-db", names, "-o", filepath.Join(t.TempDir(), escapes)}, "left out"},
		"gen, definitions":              {"CREATE TABLE t (id " + quoted + ") " + quoted, []string{"gen", "-ddl", "-", "-engine", "sqlite", "-o", t.TempDir()}, "unknown table option"},
		"gen, the name of a file":       {"", []string{"gen", "-ddl", "/no/" + escapes, "-engine", "sqlite", "-o", "x"}, "no such file"},
		"gen, an argument":              {"", []string{"gen", escapes, "-o", "x"}, "not the argument"},
		"check, a finding":              {"", []string{"check", "-db", drifted, "./testdata/program"}, "users.name"},
		"check, a finding as JSON":      {"", []string{"check", "-json", "-db", drifted, "./testdata/program"}, "users"},
		"check, a package":              {"", []string{"check", "-db", drifted, escapes}, ""},
		"a command":                     {"", []string{escapes}, "no command"},
		"a flag":                        {"", []string{"gen", "-" + escapes}, "no flag"},
		"the word to complete":          {"", []string{"__complete", "gen", escapes}, ""},
		"the shell to make a script of": {"", []string{"completion", escapes}, "no script"},
	} {
		r := exo(t, c.stdin, c.args...)
		if !strings.Contains(r.out+r.err, c.says) {
			t.Errorf("%s: %v, want %q", what, r, c.says)
		}
		if i := strings.IndexFunc(r.out+r.err, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s prints %.40q", what, (r.out + r.err)[i:])
		}
		if strings.Contains(what, "JSON") && !json.Valid([]byte(r.out)) {
			t.Errorf("%s: %s", what, r.out)
		}
	}
}

// TestCutDefinitions: definitions that are too long are refused, not cut: what is behind
// the cut would be missing from the declarations.
func TestCutDefinitions(t *testing.T) {
	tu.NotRaced(t)
	const ddl = "CREATE TABLE a (id INTEGER PRIMARY KEY);"
	const key = "CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES a);"
	dir := filepath.Join(t.TempDir(), "out")
	r := exo(t, ddl+strings.Repeat(" ", maxDDL)+key, "gen", "-ddl", "-", "-engine", "sqlite", "-o", dir)
	if r.code != cli.ExitCannot || !strings.Contains(r.err, "more than 67108864 bytes") || r.out != "" {
		t.Errorf("%v", r)
	}
	for n, ok := range map[int]bool{len(ddl + key): true, len(ddl+key) - 1: false} {
		if text, err := readDDL(strings.NewReader(ddl+key), n); (err == nil) != ok || ok && text != ddl+key {
			t.Errorf("of %d bytes, %d allowed: %q, %v", len(ddl+key), n, text, err)
		}
	}
}
