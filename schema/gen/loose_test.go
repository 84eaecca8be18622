package gen_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

// TestLooseText: a text that SQLite compares as a number is not declared as text,
// and the caller is told.
func TestLooseText(t *testing.T) {
	d, err := schema.ReadSQLite(t.Context(), openSQLite(t, `CREATE TABLE s (id INTEGER PRIMARY KEY, tenant STRING NOT NULL, name TEXT, label VARCHAR(9))`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.Declare(d, gen.Options{Package: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.LeftOut) != 1 || !strings.Contains(p.LeftOut[0], "column tenant: SQLite compares STRING as numbers") {
		t.Errorf("left out %q", p.LeftOut)
	}
	var all strings.Builder
	for _, f := range p.Files {
		all.Write(f.Text)
	}
	for what, want := range map[string]bool{`"tenant"`: false, `"name"`: true, `"label"`: true} {
		if strings.Contains(all.String(), what) != want {
			t.Errorf("%s is declared: %v", what, !want)
		}
	}
}
