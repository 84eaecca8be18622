package values_test

// Lengths of time as numbers: added up, beside the difference of two times, and added to a time.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestIntervalsAsNumbers: asMilliseconds is the length that comparisons go by, on both engines, in sums and means, beside a - b and behind
// getTime(). Where a number is asked for, the error for the column itself names it.
func TestIntervalsAsNumbers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE jobs (id {int} PRIMARY KEY, at "+e.Pick("TIMESTAMP", "timestamptz")+", due "+e.Pick("TIMESTAMP", "timestamptz")+", took "+e.Pick("INTERVAL", "interval")+
			"); INSERT INTO jobs VALUES (1, '2024-01-01T00:00:00.000Z', '2024-01-02T00:00:00.000Z', 'PT1H30M'), (2, '2024-02-01T00:00:00.000Z', '2024-02-03T12:00:00.000Z', 'P1DT0.5S'), (3, NULL, NULL, 'P1Y2M3D'), (4, NULL, NULL, 'P-1Y-1M'), (5, NULL, NULL, 'PT-0.0005S'), (6, NULL, NULL, NULL)")
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		table, err := dynamic.New(live).Table("jobs", dynamic.ColumnSpec{Name: "took", Type: "interval"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Facet("job", "id", "at", "due", "took")
		if err != nil {
			t.Fatal(err)
		}
		o, err := f.Of(db, table.Rows(dynamic.AllRows()))
		if err != nil {
			t.Fatal(err)
		}
		tool := kit.BreaksTool(t, codemode.Grants{"jobs": o})
		for _, x := range []struct{ program, want string }{
			{`jobs.orderBy("id").select(t => t.took.asMilliseconds())`, `[5400000,86400500,36547200000,-33696000000,-1,null]`}, // 423 days; -390 days
			{`jobs.where({ id: { lt: 3 } }).sum(t => t.took.asMilliseconds())`, `91800500`},
			{`jobs.where({ id: { lt: 3 } }).avg(t => t.took.asMilliseconds())`, `45900250`},
			{`jobs.where({ id: { lt: 3 } }).max(t => t.took.asMilliseconds())`, `86400500`},
			{`jobs.where(t => t.took.asMilliseconds() > 3600000).orderBy("id").select(t => t.id)`, `[1,2,3]`},
			{`jobs.where(t => t.due - t.at > t.took.asMilliseconds()).orderBy("id").select(t => t.id)`, `[1,2]`},
			{`jobs.where({ id: { lt: 3 } }).orderBy("id").select(t => t.at.getTime() + t.took.asMilliseconds()).execute().then(r => r.map(x => new Date(x).toISOString()))`, `["2024-01-01T01:30:00.000Z","2024-02-02T00:00:00.500Z"]`},
			{`jobs.where({ id: { lt: 3 } }).groupBy(t => t.id).select(g => g.sum(t => t.took.asMilliseconds() / 1000))`, `[5400,86400.5]`},
		} {
			r := tool.Run(t.Context(), "return "+x.program)
			if got := string(r.JSON); r.Err != nil || got != x.want {
				t.Errorf("%s: %s %v, want %s", x.program, got, r.Err, x.want)
			}
		}
		for _, program := range []string{`jobs.sum(t => t.took)`, `jobs.avg(t => t.took)`, `jobs.max(t => t.took)`, `jobs.groupBy(t => t.id).select(g => g.sum(t => t.took))`, `jobs.select(t => t.took + t.took)`, `jobs.select(t => t.took * 2)`,
			`jobs.where(t => t.due - t.at > t.took)`, `jobs.select(t => t.at.getTime() + t.took)`, `jobs.select(t => t.at.plus(t.took))`, `jobs.select(t => t.at - t.took)`} {
			if r := tool.Run(t.Context(), "return "+program); r.Err == nil || !strings.Contains(r.Err.Error(), ".asMilliseconds()") {
				t.Errorf("%s: %s %v", program, r.JSON, r.Err)
			}
		}
	})
}
