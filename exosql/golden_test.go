package exosql_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var update = flag.Bool("update", false, "write what TestSQL got into testdata/sql; read the difference before you keep it")

// TestSQL runs the programs of testdata/sql as Acme on both engines and compares
// the statement of each, its arguments and its rows, which are the same on both.
func TestSQL(t *testing.T) {
	databases := map[string]*exosql.DB{"want.sqlite": tu.SQLite.Open(t), "want.postgres": tu.Postgres.Open(t)}
	for _, f := range tu.Corpus(t, "sql", ".txtar") {
		t.Run(strings.TrimSuffix(f.Name, ".txtar"), func(t *testing.T) {
			comment, s, order := tu.Archive(f.Read())
			if strings.TrimSpace(comment) == "" || s["guest.js"] == "" {
				t.Fatalf("%s: want a comment and guest.js", f.Path)
			}
			got := map[string]string{}
			for name, db := range databases {
				o := tu.As(t, db, tu.Acme, exo.Limits{}).Run(t, s["guest.js"])
				if l := o.Leaks(tu.Acme); l != "" {
					t.Errorf("%s leaves: %s", l, o)
				}
				if len(o.SQL) != 1 {
					t.Fatalf("%s: %d statements: %s", name, len(o.SQL), o)
				}
				args, err := json.Marshal(o.SQL[0].Args)
				if err != nil {
					t.Fatal(err)
				}
				got[name] = o.SQL[0].SQL
				for section, text := range map[string]string{"want.args": string(args), "want.rows": unordered(t, s["guest.js"], o.JSON)} {
					if other, ok := got[section]; ok && other != text {
						t.Errorf("the engines differ in %s:\n%s\n%s", section, other, text)
					}
					got[section] = text
				}
			}
			sections := []string{"guest.js", "want.sqlite", "want.postgres", "want.args", "want.rows"}
			if *update {
				text := comment + "-- guest.js --\n" + s["guest.js"]
				for _, n := range sections[1:] {
					text += "-- " + n + " --\n" + got[n] + "\n"
				}
				if err := os.WriteFile(f.Path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !slices.Equal(order, sections) {
				t.Errorf("%s has the sections %v, want %v", f.Path, order, sections)
			}
			for n, g := range got {
				if w := strings.TrimSpace(s[n]); w != g && !(strings.HasPrefix(g, "[") && tu.SameJSON(w, g)) {
					t.Errorf("%s\n got %s\nwant %s", n, g, w)
				}
			}
		})
	}
}

// unordered sorts the rows of a program that does not say in which order it
// wants them: engines differ then.
func unordered(t *testing.T, program, rows string) string {
	t.Helper()
	var list []json.RawMessage
	if strings.Contains(program, "orderBy") || json.Unmarshal([]byte(rows), &list) != nil {
		return rows
	}
	slices.SortFunc(list, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	out, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
