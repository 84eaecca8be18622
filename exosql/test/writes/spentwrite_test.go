package writes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSpentWrite: a write whose own answer is more than the run may read is not kept by a program that goes on: what it is told was not
// done is not there.
func TestSpentWrite(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		told := map[string]int{}
		n, share := 0, tu.OneIn(t, 3)
		run := func(limits exo.Limits) {
			for _, call := range []string{`jobs.insert({ title: "T" })`, `jobs.insertMany([{ title: "T" }, { title: "T more" }])`, `jobs.where({ id: 1 }).update({ title: "T" })`} {
				if !share.Next() {
					continue
				}
				n++
				program := strings.ReplaceAll("await jobs; try { await "+call+` } catch (e) { return "no: " + e.message } return "yes"`, "T", fmt.Sprint("spent", n))
				before := look(kit.Jobs)
				tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Limits: limits, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				r := tool.Run(t.Context(), program)
				yes := r.Err == nil && string(r.JSON) == `"yes"`
				if after := look(kit.Jobs); yes == (after == before) {
					t.Fatalf("%s\nwith %+v: %s %v, and leaves %s", program, limits, r.JSON, r.Err, after)
				}
				told[fmt.Sprint(yes, fail.KindOf(r.Err))]++
			}
		}
		for rows := 1; rows < 8; rows++ {
			run(exo.Limits{Rows: rows})
		}
		for bytes := 50; bytes < 700; bytes += 50 {
			run(exo.Limits{Bytes: bytes})
		}
		if len(told) < 2 {
			t.Errorf("all end alike: %v", told)
		}
	})
}
