package schema_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

var update = flag.Bool("update", false, "write what TestCatalogues read into testdata; read the difference before you keep it")

// TestCatalogues: the catalogue of each definition is the one in testdata. The files
// were written when a second, independent reader of the same definitions agreed with
// each of them.
func TestCatalogues(t *testing.T) {
	for engine, definitions := range map[schema.Engine]map[string]string{schema.SQLite: sqliteDefinitions, schema.Postgres: postgresDefinitions} {
		t.Run(string(engine), func(t *testing.T) {
			file := "testdata/catalogues." + string(engine) + ".txt"
			text, err := os.ReadFile(file)
			if err != nil && !*update {
				t.Fatal(err)
			}
			want, got := entries(string(text)), map[string]string{}
			for name, ddl := range definitions {
				if name == "nulls" && testutil.PostgresMajor(t) < 15 {
					got[name] = want[name] // NULLS NOT DISTINCT is of 15
					continue
				}
				d, ran, err := live(t, engine, ddl)
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, ran)
				}
				got[name] = brief(t, d)
				if got[name] != want[name] && !*update {
					t.Errorf("%s: %s\nof %s", name, difference(want[name], got[name]), ran)
				}
			}
			if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) && !*update {
				t.Errorf("%s has the entries %q, want %q", file, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
			}
			if *update {
				var b strings.Builder
				for _, name := range slices.Sorted(maps.Keys(got)) {
					b.WriteString("-- " + name + " --\n" + got[name])
				}
				if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// entries are the parts of a file of testdata by their names.
func entries(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "-- ") {
			name = strings.Trim(line, "- \n")
			continue
		}
		out[name] += line
	}
	return out
}

// brief writes a catalogue with a line for each thing in it: without what is empty,
// without what depends on the server and the role, and on PostgreSQL without the
// texts of expressions, which its versions write in different ways.
func brief(t testing.TB, d *schema.Database) string {
	t.Helper()
	at := ""
	for _, x := range d.Tables {
		if at == "" || strings.HasPrefix(x.Schema, "exo_schema_") {
			at = x.Schema
		}
	}
	text := show(t, plain(d))
	if at != "" {
		text = strings.ReplaceAll(text, at, "@")
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, what := range []string{"Tables", "Views", "Enums", "Domains"} {
		list, _ := all[what].([]any)
		for _, x := range list {
			b.WriteString(strings.TrimSuffix(what, "s") + " ")
			if err := e.Encode(filled(x)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

func plain(d *schema.Database) *schema.Database {
	text := func(s *string) {
		if *s != "" && d.Engine == schema.Postgres {
			*s = "…"
		}
	}
	for _, x := range d.Domains {
		text(&x.Default)
		for i := range x.Checks {
			text(&x.Checks[i].Expr)
		}
	}
	for _, v := range d.Views {
		v.Unset = nil
	}
	for _, t := range d.Tables {
		t.Owned, t.Writable = false, nil
		text(&t.PartitionBy)
		for i := range t.Columns {
			t.Columns[i].Sequence = ""
			text(&t.Columns[i].Default)
			text(&t.Columns[i].GenExpr)
		}
		for i := range t.Checks {
			text(&t.Checks[i].Expr)
		}
		for i := range t.Indexes {
			text(&t.Indexes[i].Where)
			for j := range t.Indexes[i].Parts {
				text(&t.Indexes[i].Parts[j].Expr)
			}
		}
		for i := range t.Policies {
			t.Policies[i].Unset = nil
			text(&t.Policies[i].Using)
			text(&t.Policies[i].Check)
		}
	}
	return d
}

// filled is a value without its empty fields.
func filled(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if v[k] = filled(x); x == nil || x == "" || x == false || x == 0.0 {
				delete(v, k)
			}
		}
	case []any:
		for i := range v {
			v[i] = filled(v[i])
		}
	}
	return v
}
