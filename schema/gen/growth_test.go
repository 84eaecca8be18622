package gen_test

import (
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/schema"
	"github.com/exoagent/exoagent/schema/gen"
)

// each writes n pieces that differ.
func each(n int, form string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("%d", fmt.Sprint(i), "%e", fmt.Sprint(i+1)).Replace(form))
	}
	return b.String()
}

// growing are definitions that ask for more the more there are of them.
var growing = []struct {
	name string
	text func(n int) string
}{
	{"foreign keys of a table", func(n int) string {
		return "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY" + each(n, ", c%d int REFERENCES a") + ");"
	}},
	{"foreign keys of a column", func(n int) string {
		return "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (c int" + each(n, ", FOREIGN KEY (c) REFERENCES a") + ");"
	}},
	{"checks without a name", func(n int) string { return "CREATE TABLE a (id int" + each(n, ", CHECK (id > 1)") + ");" }},
	{"checks that list texts", func(n int) string {
		return "CREATE TABLE a (id int" + each(n, ", c%d text CHECK (c%d IN ('x', 'y'))") + ");"
	}},
	{"indexes", func(n int) string {
		return "CREATE TABLE a (id int);" + each(n, "CREATE INDEX i%d ON a (id);")
	}},
	{"tables", func(n int) string { return each(n, "CREATE TABLE a%d (id int PRIMARY KEY);") }},
}

// TestGrowth: four times the definitions take about four times the memory to read and
// declare. Where each looked at all others, or a search began anew, it was fifteen.
func TestGrowth(t *testing.T) {
	for _, c := range growing {
		spent := func(n int) (bytes uint64) {
			db := openSQLite(t, c.text(n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := schema.ReadSQLite(t.Context(), db)
			if err == nil {
				_, err = gen.Declare(d, gen.Options{})
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		spent(10)
		if one, four := spent(350), spent(1400); four > 8*one {
			t.Errorf("%s: %d kB, and %d kB for four times as much", c.name, one>>10, four>>10)
		}
	}
}

// openSQLite makes a database of definitions in memory.
func openSQLite(t testing.TB, ddl string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(ddl); err != nil {
		t.Fatal(err)
	}
	return db
}
