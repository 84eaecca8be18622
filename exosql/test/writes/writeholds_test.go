package writes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type whRow struct {
	ID, N int64
	F     *float64
}

// TestCalculatedHolds: a number that is calculated and that its column can't hold is refused on both engines. SQLite would keep
// another one: of a whole number beyond 64 bits a floating-point number in a column of whole ones, of a product that is too large infinity.
func TestCalculatedHolds(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, raw := kit.File(t, e, fmt.Sprintf(`CREATE TABLE numbers (id %[1]s PRIMARY KEY, n %[1]s NOT NULL, f double precision); INSERT INTO numbers VALUES (1, 9223372036854775807, 1e300), (2, 3, 1.5)`, e.Pick("INTEGER", "bigint")))
		numbers := exosql.NewTable[whRow]("numbers")
		id, n := exosql.NewKey(numbers, "id", func(r *whRow) *int64 { return &r.ID }), exosql.NewColumn(numbers, "n", func(r *whRow) *int64 { return &r.N })
		f := exosql.NewNullable(numbers, "f", func(r *whRow) **float64 { return &r.F })
		tool, err := codemode.New(codemode.Grants{"numbers": exosql.NewFacet(numbers, "number", id, n, f).AllowUpdate(n, f).Of(exosql.Grant(db, numbers, exosql.AllRows[whRow]()))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		const before, refused = "1|9223372036854775807 2|3", "invalid: `n` has a value that the column can't store: write another value"
		for _, c := range []struct{ values, where, want, n string }{
			{"{ n: x.n + 2 }", "{ id: 1 }", refused, before},
			{"{ n: x.n * 3 }", "{ id: 1 }", refused, before},
			{"{ n: x.id - x.n - 5 }", "{ id: 1 }", refused, before},
			{"{ n: x.n + 1 }", "{}", refused, before}, // of two rows one can't
			{"{ f: x.f * 1e300 }", "{ id: 1 }", strings.Replace(refused, "`n`", "`f`", 1), before},
			{"{ f: x.f * -1e300 }", "{ id: 1 }", strings.Replace(refused, "`n`", "`f`", 1), before},
			{"{ n: x.n - 1 }", "{ id: 1 }", "", "1|9223372036854775806 2|3"},
			{"{ n: x.n + 2 }", "{ id: 2 }", "", "1|9223372036854775806 2|5"},
			{"{ n: x.id }", "{ id: 2 }", "", "1|9223372036854775806 2|2"},
			{"{ n: x.n > 1 ? x.n * 4 : 0, f: x.n / 4 }", "{ id: 2 }", "", "1|9223372036854775806 2|8"},
			{"{ n: numbers.count() }", "{ id: 2 }", "", "1|9223372036854775806 2|2"},
			{"{ f: null }", "{ id: 1 }", "", "1|9223372036854775806 2|2"},
		} {
			program := fmt.Sprintf("return numbers.where(%s).update(x => (%s))", c.where, c.values)
			if c.where == "{}" {
				program = fmt.Sprintf("return numbers.all().update(x => (%s))", c.values)
			}
			r := tool.Run(t.Context(), program)
			if got := programError(r.Err); got != c.want {
				t.Errorf("%s\n gives %s: %v\n want  %s", program, got, r.Err, c.want)
			}
			if got := kit.Cells(t, raw, "SELECT id, n FROM numbers ORDER BY id"); got != c.n {
				t.Errorf("%s leaves %s, want %s", program, got, c.n)
			}
		}
		if got := kit.Cells(t, raw, "SELECT count(*) FROM numbers WHERE f > 1e308 OR f < -1e308"); got != "0" {
			t.Errorf("%s are infinite", got)
		}
		if e.Name == tu.SQLite.Name {
			if got := kit.Cells(t, raw, "SELECT DISTINCT typeof(n) FROM numbers"); got != "integer" {
				t.Errorf("whole numbers are kept as %s", got)
			}
		}
	})
}
