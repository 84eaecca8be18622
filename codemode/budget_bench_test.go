package codemode_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/budget"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkBudgets is a run of 7 calls with a budget in each store in turn, and without one: the metric of each is its median beside that of the one
// without. each-call is the twin
// that asks its folder at each call.
//
//	go test -run '^$' -bench Budgets -benchtime 500x ./codemode
func BenchmarkBudgets(b *testing.B) {
	db, _ := openSuiteSQLite(b)
	for _, inProcess := range []bool{true, false} {
		b.Run(map[bool]string{true: "in process", false: "worker"}[inProcess], func(b *testing.B) { budgeted(b, db, inProcess) })
	}
}

func budgeted(b *testing.B, db *exosql.DB, inProcess bool) {
	input, _ := json.Marshal(map[string]string{"code": "for (let i = 0; i < 7; i++) await tasks.where({ priority: i }).count(); return 1"})
	names, sets := budgetSets(b)
	tools, took := make([]*codemode.Tool, len(sets)), make([][]time.Duration, len(sets))
	for i, s := range sets {
		own := exosql.NewFacet(tu.Tasks, "own", tu.TaskID, tu.TaskPriority)
		var err error
		if tools[i], err = codemode.New(codemode.Grants{"tasks": own.Of(exosql.Grant(db, tu.Tasks, tu.TaskID.Eq(1)))}, &codemode.Options{Evaluator: evaluator(inProcess), Budgets: s, Principal: "ann"}); err != nil {
			b.Fatal(err)
		}
	}
	first := 0
	for b.Loop() {
		first++
		for n := range tools {
			i := (first + n) % len(tools)
			time.Sleep(time.Millisecond)
			for s := worker.Shared().Stats(); !inProcess && s.Running+s.Starting > 0; s = worker.Shared().Stats() {
				time.Sleep(200 * time.Microsecond)
			}
			begun := time.Now()
			if out, err := tools[i].Call(b.Context(), input); err != nil || bytes.Contains(out, []byte(`"error"`)) {
				b.Fatal(err, string(out))
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	median := func(i int) float64 { slices.Sort(took[i]); return float64(took[i][len(took[i])/2]) }
	for i := 1; i < len(tools); i++ {
		b.ReportMetric(median(i)/median(0), names[i])
	}
	b.ReportMetric(median(0), "none-ns")
}

// budgetSets are the ways to have a budget; the first is none.
func budgetSets(b *testing.B) (names []string, sets []exo.Budgets) {
	add := func(name string, s store.Store, all ...budget.Budget) {
		set, err := budget.In(s, name, all...)
		if err != nil {
			b.Fatal(err)
		}
		names, sets = append(names, name), append(sets, set)
	}
	names, sets = []string{"none"}, []exo.Budgets{nil}
	url := tu.WithParam(b, tu.Postgres.URL(b), "synchronous_commit", "on")
	if err := postgres.Create(b.Context(), url, ""); err != nil {
		b.Fatal(err)
	}
	database, err := postgres.Open(b.Context(), url, nil)
	if err != nil {
		b.Fatal(err)
	}
	folder, err := store.OpenFolder(filepath.Join(b.TempDir(), "s"), &store.LocalOptions{Shared: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { database.Close(); folder.Close() })
	day := budget.Budget{Per: budget.Principal, Every: 24 * time.Hour, Calls: 100_000_000, Rows: 100_000_000}
	hour := budget.Budget{Per: budget.Tool, Every: time.Hour, Calls: 100_000_000}
	add("memory", store.NewMemory(nil), day)
	add("folder", folder, day)
	add("folder-two", folder, day, hour)
	add("database", database, day)
	add("database-two", database, day, hour)
	add("each-call", folder, day)
	sets[len(sets)-1] = everyCall{sets[len(sets)-1]}
	return names, sets
}

// everyCall is the twin: a run's part of the budgets that settles after each call, so each call costs what a run does.
type everyCall struct{ exo.Budgets }

func (e everyCall) Begin(run exo.Run, l exo.Limits) exo.Purse { return eachCall{e.Budgets, run, l} }

type eachCall struct {
	of  exo.Budgets
	run exo.Run
	l   exo.Limits
}

func (e eachCall) Take(now time.Time, call uint64, u exo.Use, all bool) error {
	p := e.of.Begin(e.run, e.l)
	defer p.Settle(0)
	return p.Take(now, call, u, all)
}

func (eachCall) Settle(int) {}
