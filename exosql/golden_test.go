package exosql_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

var update = flag.Bool("update", false, "write what TestSQL got into testdata/sql; read the difference before you keep it")

// TestSQL runs the programs of testdata/sql as Acme and compares the statement,
// its arguments and its rows.
func TestSQL(t *testing.T) {
	for _, f := range tu.Corpus(t, "sql", ".txtar") {
		t.Run(strings.TrimSuffix(f.Name, ".txtar"), func(t *testing.T) {
			comment, s, order := tu.Archive(f.Read())
			if strings.TrimSpace(comment) == "" || s["guest.js"] == "" {
				t.Fatalf("%s: want a comment and guest.js", f.Path)
			}
			db := tu.Open(t)
			o := tu.As(t, db, tu.Acme, exo.Limits{}).Run(t, s["guest.js"])
			if l := o.Leaks(tu.Acme); l != "" {
				t.Errorf("%s leaves: %s", l, o)
			}
			if len(o.SQL) != 1 {
				t.Fatalf("%d statements: %s", len(o.SQL), o)
			}
			args, err := json.Marshal(o.SQL[0].Args)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{"want.sql": o.SQL[0].SQL, "want.args": string(args), "want.rows": o.JSON}
			if *update {
				text := comment + "-- guest.js --\n" + s["guest.js"]
				for _, n := range []string{"want.sql", "want.args", "want.rows"} {
					text += "-- " + n + " --\n" + got[n] + "\n"
				}
				if err := os.WriteFile(f.Path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(order) != 4 {
				t.Errorf("%s has the sections %v", f.Path, order)
			}
			for n, g := range got {
				if w := strings.TrimSpace(s[n]); w != g && !(n != "want.sql" && tu.SameJSON(w, g)) {
					t.Errorf("%s\n got %s\nwant %s", n, g, w)
				}
			}
		})
	}
}
