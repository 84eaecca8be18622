package approvals_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkApprovals updates n rows by a program: without rules or images, with images and a rule that is not met, and as a preview, which is rolled back
// and kept. They take turns, so that their ratios are of one machine in one state, and the medians are compared: one stall of the disk is not a ratio.
func BenchmarkApprovals(b *testing.B) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		for _, n := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", e.Name, n), func(b *testing.B) {
				kinds := []struct {
					name   string
					images int
					rules  []exosql.Approval
				}{{"plain", 0, nil}, {"images", 1000, nil}, {"unmet", 1000, []exosql.Approval{exosql.ApproveAbove(1 << 40)}}, {"preview", 1000, []exosql.Approval{exosql.ApproveAlways()}}}
				var days atomic.Int64
				now := func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) }
				var tools []*codemode.Tool
				var keepers []*review.Keeper
				var stores []store.Store
				var raw []*sql.DB
				for _, k := range kinds {
					url := e.URL(b)
					raw = append(raw, e.SQLDB(b, url))
					db := e.OpenURL(b, url, &exosql.OpenOptions{Images: k.images, Setup: e.Exec(strings.Split(ddl(e), ";\n")...)})
					s := exosql.NewTable[staff]("staff")
					id := exosql.NewKey(s, "id", func(s *staff) *int64 { return &s.ID })
					org := exosql.NewColumn(s, "org_id", func(s *staff) *int64 { return &s.Org })
					name := exosql.NewColumn(s, "name", func(s *staff) *string { return &s.Name })
					salary := exosql.NewColumn(s, "salary", func(s *staff) *int64 { return &s.Salary })
					f := exosql.NewFacet(s, "staff", id, name, salary).AllowUpdate(salary).AllowInsert(name, salary).Permit(exosql.AllowUnique("name"))
					all := codemode.Grants{"staff": f.Of(exosql.Grant(db, s, org.Eq(1)))}
					fill, err := codemode.New(all, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
					if err != nil {
						b.Fatal(err)
					}
					if res := fill.Run(b.Context(), fmt.Sprintf(`return staff.insertMany(Array.from({ length: %d }, (_, i) => ({ name: "n" + i, salary: 5000 })))`, n)); res.Err != nil {
						b.Fatal(res.Err)
					}
					kept := store.NewMemory(&store.LocalOptions{Now: now})
					keeper, err := review.New(review.Options{Store: kept, Key: key, Now: now})
					if err != nil {
						b.Fatal(err)
					}
					ruled := exosql.NewFacet(s, "staff", id, name, salary).AllowUpdate(salary).Approve(k.rules...)
					tool, err := codemode.New(codemode.Grants{"staff": ruled.Of(exosql.Grant(db, s, org.Eq(1)))}, &codemode.Options{Principal: "u", Review: keeper, Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
					if err != nil {
						b.Fatal(err)
					}
					tools, keepers, stores = append(tools, tool), append(keepers, keeper), append(stores, kept)
				}
				took := make([][]float64, len(kinds))
				for b.Loop() {
					for i, k := range kinds {
						res := tools[i].Run(b.Context(), `return staff.where(s => s.salary >= 5000).update({ salary: 5000 + Math.floor(Math.random() * 1000) })`)
						if kind := fail.KindOf(res.Err); res.Err != nil && (k.name != "preview" || kind != fail.Pending) {
							b.Fatal(k.name, res.Err)
						}
						took[i] = append(took[i], res.Took.Seconds())
						if k.name == "preview" {
							waits, err := keepers[i].PendingOf(b.Context(), "u")
							if err != nil || len(waits) != 1 {
								b.Fatal(len(waits), err)
							}
							if err := keepers[i].Reject(b.Context(), waits[0].ID, "", boss); err != nil {
								b.Fatal(err)
							}
							_, _ = keepers[i].News(b.Context(), "u")
							days.Add(60) // so that the store does not grow with each turn
							_, _ = stores[i].Sweep(b.Context())
						}
						if e.Name == tu.Postgres.Name { // a preview that was rolled back leaves dead rows, as any transaction does
							if _, err := raw[i].Exec("VACUUM staff"); err != nil {
								b.Fatal(err)
							}
						}
					}
				}
				plain, images, unmet, preview := median(took[0]), median(took[1]), median(took[2]), median(took[3])
				b.ReportMetric(images/plain, "images/plain")
				b.ReportMetric(unmet/images, "unmet/images")
				b.ReportMetric(preview/plain, "preview/plain")
				b.ReportMetric(plain*1e6, "µs/plain")
			})
		}
	}
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
