package values_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	"github.com/exoagent/exoagent/internal/scalar"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// A literal of a program arrives in the database as what it is, and comes back:
// beside a column, in a list, and selected on its own.
func FuzzLiterals(f *testing.F) {
	f.Add("x", int64(1), 0.5)
	f.Add("'; DROP TABLE things; --", int64(1)<<53+1, -1e300)
	f.Add("a\\%_\u202e\U0001F600\x00", int64(-1)<<63, 5e-324)
	f.Add("\xff", int64(1)<<62, 0.1)
	type engine struct {
		name string
		r    *tu.Runner
	}
	var engines []engine
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		db := kit.OpenThings(f, e)
		engines = append(engines, engine{e.Name, tu.NewRunner(f, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, kit.ThingID.Eq(1)))}, exo.Limits{})})
	}
	f.Fuzz(func(t *testing.T, s string, n int64, x float64) {
		text, _ := json.Marshal(s)
		number, err := json.Marshal(x)
		if err != nil {
			return
		}
		whole := strconv.FormatInt(n, 10)
		if n > scalar.SafeInteger || n < -scalar.SafeInteger {
			whole = strconv.Quote(whole)
		}
		program := "const s = " + string(text) + ", n = " + whole + ", x = " + string(number) + `
			const [row] = await things.where(t => t.id.eq(1)).select(t => ({
				s, x, isS: t.s.coalesce('').concat(s).endsWith(s), inS: t.s.in([s]).or(t.s.notIn([s])),
				n: t.id.sub(t.id).add(n), isN: t.id.sub(t.id).add(n).eq(n), inX: t.f.sub(t.f).add(x).in([x, 1]),
			})).execute()
			return [row.s === s, row.x === x, row.isS, row.inS, String(row.n) === String(n), row.isN, row.inX].join()`
		for _, e := range engines {
			o := e.r.Run(t, program)
			valid := value.Text(s).Type() == value.TypeText && utf8.ValidString(s)
			switch {
			case valid && o.JSON != `"true,true,true,true,true,true,true"`:
				t.Errorf("%s: %q %d %v: %s", e.name, s, n, x, o)
			case !valid && o.Kind == fail.Internal:
				t.Errorf("%s: %q: %s", e.name, s, o)
			}
		}
	})
}
