package limits_test

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// An operand that is written twice would double with each level, in the host
// that compiles the query or in the server that plans it. So sixty levels, which
// would never end, are as good as one; what grows all the same is refused at once.
func TestLevelsDoNotDouble(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, kit.ThingID.Eq(1)))}, exoeval.Bounds{Total: 20 * time.Second})
		for _, c := range [][2]string{
			{"t.d", ".nullIf(1)"}, {"t.iv", ".nullIf('P1D')"}, {"t.n", ".between(0, 1).case(1, 2)"}, {"t.d", ".between(t.n, t.big).case(t.d, 2)"}, {"t.s", ".between('a', t.s).case('x', 'y')"},
			{"t.d", ".add(1).coalesce(t.d)"}, {"t.d", ".coalesce(t.d).add(1)"}, {"t.d", ".coalesce(t.n).coalesce(t.d)"}, {"t.n", ".in([t.n, t.big, 3]).case(t.n, 2)"}, {"t.n", ".notIn([t.n, t.big]).case(t.n, 2)"},
			{"t.s", ".coalesce(t.s).nullIf('x')"}, {"t.s", ".trim().coalesce(t.s)"}, {"t.at", ".coalesce(t.at).nullIf(new Date(0))"}, {"t.f", ".abs().round(2).coalesce(t.f)"}, {"t.n", ".is(t.big).case(t.n, t.f)"},
			{"t.b", ".is(t.b)"}, {"t.b", ".and(t.n.gt(1)).or(t.b)"},
		} {
			expr := c[0] + strings.Repeat(c[1], 30)
			for _, program := range []string{
				"return await things.where(t => " + expr + ".isNotNull()).count()",
				"return await things.orderBy(t => " + expr + ").select(t => ({ x: " + expr + " })).distinct().count()",
			} {
				o := r.Run(t, program)
				if o.Kind == fail.Limit && !strings.Contains(o.Message, "took longer") {
					continue
				}
				if o.JSON != "1" && o.JSON != "0" {
					t.Errorf("%s%s × 30: %s", c[0], c[1], o)
				}
			}
		}
	})
}

// One literal that is used many times counts as often.
func TestLiteralsUsedAgain(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, kit.ThingID.Eq(1)))}, exo.Limits{})
		o := r.Run(t, "const L = 'x'.repeat(200_000); return await things.where(t => { let c = t.s.eq(L); for (let i = 0; i < 300; i++) c = c.or(t.s.eq(L)); return c }).count()")
		if o.Kind != fail.Limit {
			t.Errorf("got %s", o)
		}
	})
}
