package gen_test

import (
	"errors"
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
	{"foreign keys that are added", func(n int) string {
		return "CREATE TABLE a (id int PRIMARY KEY);" + each(n, "ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES a;")
	}},
	{"columns that are added", func(n int) string {
		return "CREATE TABLE a (id int PRIMARY KEY);" + each(n, "ALTER TABLE a ADD COLUMN c%d int;")
	}},
	{"checks without a name", func(n int) string { return "CREATE TABLE a (id int" + each(n, ", CHECK (id > 1)") + ");" }},
	{"checks that list texts", func(n int) string {
		return "CREATE TABLE a (id int" + each(n, ", c%d text CHECK (c%d IN ('x', 'y'))") + ");"
	}},
	{"indexes without a name", func(n int) string { return "CREATE TABLE a (id int);" + each(n, "CREATE INDEX ON a (id);") }},
	{"columns that are dropped", func(n int) string {
		return "CREATE TABLE a (id int" + each(n, ", c%d int") + ");" + each(n, "ALTER TABLE a DROP c%d;")
	}},
	{"a column that is renamed", func(n int) string {
		return "CREATE TABLE a (c0 int, CHECK (c0 > 1));" + each(n, "ALTER TABLE a RENAME c%d TO c%e;")
	}},
	{"a chain of partitions", func(n int) string {
		return "CREATE TABLE p0 (id int);" + each(n, "CREATE TABLE p%e PARTITION OF p%d DEFAULT;")
	}},
	{"tables", func(n int) string { return each(n, "CREATE TABLE a%d (id int PRIMARY KEY);") }},
	{"enums", func(n int) string {
		return each(n, "CREATE TYPE e%d AS ENUM ('a');") + "CREATE TABLE a (id int" + each(n, ", c%d e%d") + ");"
	}},
}

// TestGrowth: four times the definitions take about four times the memory to read and
// declare. Where each looked at all others, or a search began anew, it was fifteen.
func TestGrowth(t *testing.T) {
	for _, c := range growing {
		spent := func(n int) (bytes uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			db, err := schema.ParseDDL(c.text(n), schema.Postgres)
			if err == nil {
				_, err = gen.Declare(db, gen.Options{})
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

// TestSmallFilesStaySmall: what a few bytes ask to be multiplied is refused before it
// takes the memory of the machine, with the place where it went too far.
func TestSmallFilesStaySmall(t *testing.T) {
	for name, text := range map[string]string{
		"partitions of a wide table": "CREATE TABLE a (id int" + each(1500, ", c%d int") + ");" + each(2000, "CREATE TABLE p%d PARTITION OF a DEFAULT;"),
		"a name that grows":          "CREATE TABLE a (c int, CHECK (c > 0" + strings.Repeat("+c", 20_000) + "));ALTER TABLE a RENAME c TO " + strings.Repeat("x", 50_000) + ";",
		"parents alike":              "CREATE TABLE a (id int" + each(1500, ", c%d int") + "); CREATE TABLE b () INHERITS (a" + strings.Repeat(", a", 2000) + ");",
		"parts of an index":          "CREATE TABLE a (id int); CREATE INDEX ON a (id" + strings.Repeat(", id", 5000) + ");",
		"columns":                    "CREATE TABLE a (id int" + each(5000, ", c%d int") + ");",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := schema.ParseDDL(text, schema.Postgres)
		runtime.ReadMemStats(&after)
		if e, ok := errors.AsType[*schema.SyntaxError](err); !ok || e.Line != 1 || e.Column < 100 {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 512<<20 {
			t.Errorf("%s: %d kB of definitions took %d MB", name, len(text)>>10, n>>20)
		}
	}
}
