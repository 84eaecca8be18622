package codemode_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// bigPrograms are programs that put a text of a megabyte into everything that a host could
// keep: names of a plan, an alias, names that don't exist, literals, errors, the console.
var bigPrograms = []string{
	"const n = big.slice(-8); return await tasks.select(({ task }) => ({ [n]: task.title })).execute()",
	"const n = big.slice(-8); return await tasks.as(n).execute()",
	"return await tasks[big]()",
	"return await tasks[big.slice(-8)]()",
	"return await tasks.where(t => t[big.slice(-8)].eq(1)).execute()",
	"return await tasks.where(t => t.title.eq(big.slice(-8))).count()",
	"return await tasks.where(t => t.title.eq(big)).count()",
	"return await tasks.limit(big.slice(-8)).execute()",
	"console.log(big.slice(-8)); throw new Error(big)",
	"console.log(big); return { [big.slice(-8)]: big.slice(-9) }",
	"return big",
}

// Whatever programs do, and whatever of their results the host keeps, nothing else of them
// stays: the heap afterwards is the one before, with the plans within their bound.
func TestProgramsKeepNothing(t *testing.T) {
	tu.NotRaced(t)
	rounds, every := 6, 8
	if tu.Long() {
		rounds, every = 100, 1
	}
	var attacks []string
	for i, f := range tu.Corpus(t, "attacks", ".js") {
		if text := f.Read(); i%every == 0 {
			attacks = append(attacks, text)
		}
	}
	var hostile []string
	for i, h := range tu.ReadHostile(t) {
		if i%(8*every) == 0 {
			hostile = append(hostile, h.Program)
		}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, inProcess := range []bool{true, false} {
			t.Run(map[bool]string{true: "in process", false: "in a worker"}[inProcess], func(t *testing.T) {
				const plans = 1 << 20
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(), PlanBytes: plans})
				var recorded []any // what a host may keep of each event
				tool, err := codemode.New(codemode.Grants(tu.Tenant(db, tu.Acme)), &codemode.Options{Evaluator: evaluator(inProcess),
					Bounds: exoeval.Bounds{Wall: 300 * time.Millisecond, SourceBytes: 1 << 20},
					Record: exo.RecordFunc(func(e exo.Entry) error {
						recorded = append(recorded, e.Op, e.Err)
						return nil
					})})
				if err != nil {
					t.Fatal(err)
				}
				var kept []any
				n := 0
				run := func(program string) {
					r := tool.Run(t.Context(), program)
					n++
					short := r.JSON
					if len(short) > 1<<10 {
						short = nil
					}
					kept = append(kept, short, r.Console[:min(len(r.Console), 1<<10)], r.Effects)
					if r.Err != nil {
						kept = append(kept, fail.KindOf(r.Err), errors.Unwrap(r.Err))
					}
				}
				round := func(i int) {
					for _, p := range bigPrograms {
						run(fmt.Sprintf("const big = 'x'.repeat(1_000_000) + 'n%06d'; %s", i, p))
					}
				}
				round(0)
				tu.KeepsNothing(t, plans+4<<20, func() {
					for i := range rounds {
						round(i + 1)
					}
					for _, p := range attacks {
						run(p)
					}
					if !inProcess {
						for _, p := range hostile {
							run(p)
						}
					}
				})
				t.Logf("%d runs, %d things are kept of them, %d of events", n, len(kept), len(recorded))
			})
		}
	})
}
