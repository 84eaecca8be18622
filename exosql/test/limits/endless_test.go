package limits_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// A query that finds its first row at once and the next one never ends with the
// run's time, and the connections serve others afterwards. (The driver's own
// cancellation reaches to the first row only.) Without the interrupt this test
// does not end.
func TestEndlessAfterFirstRow(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000)
		INSERT INTO orgs (id, name, api_key) SELECT 10000 + i, 'org ' || i, '' FROM n`)
		facet := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName)
		gate := func() *exo.Gate {
			g, err := exo.NewGate(exo.Config{
				Grants: map[string]exo.Object{"orgs": facet.Of(exosql.Grant(db, tu.Orgs, tu.OrgID.Ge(10000)))},
			})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		const endless = `orgs.as('a').join(orgs.as('b'), ({a}) => a.id.isNotNull()).join(orgs.as('c'), ({a}) => a.id.isNotNull()).join(orgs.as('d'), ({a}) => a.id.isNotNull())
		.where(({a, b, c, d}) => (a.id === b.id && b.id === c.id && c.id === d.id && d.id === 10001) ||
			(a.name.includes(b.name) && b.name.includes(c.name) && c.name.includes(d.name) && d.name.includes('zz')))
		.select(({a}) => ({ x: a.id }))`
		short := tu.InProcess(gate(), exoeval.Bounds{Total: 300 * time.Millisecond})
		for range 3 {
			r := short.Run(t.Context(), exoeval.Job{Program: "return await Promise.all([" + endless + ".execute(), " + endless + ".execute(), " + endless + ".execute(), " + endless + ".execute()])"})
			if fail.KindOf(r.Err) != fail.Limit {
				t.Fatalf("%v", r.Err)
			}
		}
		r := tu.InProcess(gate()).Run(t.Context(), exoeval.Job{Program: "orgs.count()"})
		if r.Err != nil || r.Value.Int() != 3000 {
			t.Errorf("afterwards: %v %v", r.Value, r.Err)
		}
	})
}
