package exosql_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// serialPrograms read what others of them write.
var serialPrograms = []string{
	`const s = await jobs.sum(j => j.points); return jobs.where({ id: 1 }).update({ points: s % 1000 })`,
	`const m = await jobs.max(j => j.points); return [m, await jobs.where({ id: 2 }).update({ points: m + 1 })]`,
	`await jobs.where({ id: 4 }).update(j => ({ points: j.points * 2 })); return jobs.sum(j => j.points)`,
	`const n = await jobs.count(); return [n, (await jobs.insert({ title: "job " + n, points: n })).title]`,
	`return jobs.where(j => j.points > 4).update({ points: 0 })`,
	`const a = await jobs.where({ id: 1 }).first(), b = await jobs.where({ id: 2 }).first(); await jobs.where({ id: 1 }).update({ points: b.points }); return jobs.where({ id: 2 }).update({ points: a.points })`,
	`const done = await jobs.where({ status: "done" }).count(); if (done < 2) return jobs.where({ id: 4 }).update({ status: "done" }); return done`,
	`const j = await jobs.where({ id: 1 }).first(); return jobs.where({ id: 1 }).ifUnchanged(j).update({ points: (j.points ?? 0) + 1 })`,
	`const j = await jobs.where({ id: 2 }).first(); try { return await jobs.ifUnchanged(j).update({ points: (j.points ?? 0) + 5 }) } catch (e) { return e.kind }`,
	`try { return await jobs.ifUnchanged({ id: 1, points: 4 }).update({ points: 9 }) } catch (e) { return [e.kind, e.message] }`,
	`try { return await jobs.ifUnchanged({ id: 2, points: null }).update({ points: 9, status: "todo" }) } catch (e) { await jobs.where({ id: 4 }).update({ points: 3 }); return [e.kind, e.message] }`,
	`const done = await jobs.where({ status: "done" }).count(); if (done < 2) return jobs.where({ id: 1 }).update({ status: "done" }); return done`,
}

// TestSerialOrders: what programs that run at once are told, and what they leave, is what they would be told and leave if
// they had run one after the other in some order; those that end with Kind Conflict had not run. EXO_LONG draws 1,000 rounds.
func TestSerialOrders(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := wrOpen(t, e)
		tool := wrTool(t, db, 1)
		run := func(p string) string {
			r := tool.Run(t.Context(), p)
			if r.Err != nil {
				return exo.KindOf(r.Err).String() + " " + exo.GuestText(r.Err)
			}
			return fmt.Sprint(r.Value)
		}
		const all = "SELECT title, status, points FROM jobs ORDER BY title"
		before := look(all)
		reset := func() {
			got := run(`await jobs.where(j => j.title.startsWith("job ")).delete(); await jobs.where({ id: 1 }).update({ points: 3, status: "todo" }); await jobs.where({ id: 2 }).update({ points: null, status: "done" }); return jobs.where({ id: 4 }).update({ points: 1, status: "todo" })`)
			if now := look(all); got != "1" || now != before {
				t.Fatalf("%s: %s", got, now)
			}
		}
		seed, rounds, conflicts, apart := tu.Seed(t, 7), 12, 0, 0
		if os.Getenv("EXO_LONG") != "" {
			rounds = 1000
		}
		draw := rand.New(rand.NewPCG(seed, 1))
		for range rounds {
			ps := make([]string, 2+draw.IntN(5)/4)
			for i := range ps {
				ps[i] = serialPrograms[draw.IntN(len(serialPrograms))]
			}
			told := make([]string, len(ps))
			var running sync.WaitGroup
			for i, p := range ps {
				running.Go(func() { told[i] = run(p) })
			}
			running.Wait()
			left := look(all)
			var ran []int
			for i, s := range told {
				if strings.HasPrefix(s, "conflict ") {
					conflicts++
				} else {
					ran = append(ran, i)
				}
			}
			right := false
			var tried []string
			outcomes := map[string]bool{}
			permute(ran, func(order []int) {
				reset()
				got := slices.Clone(told)
				for _, i := range order {
					got[i] = run(ps[i])
				}
				now := fmt.Sprint(got, look(all))
				outcomes[now] = true
				right = right || now == fmt.Sprint(told, left)
				tried = append(tried, fmt.Sprint(order, now))
			})
			if !right {
				t.Errorf("seed %d: %q are told %q and leave %s; one after the other\n%s", seed, ps, told, left, strings.Join(tried, "\n"))
			}
			if len(outcomes) > 1 {
				apart++
			}
			reset()
		}
		if t.Logf("seed %d: %d conflicts, in %d of %d rounds the order matters", seed, conflicts, apart, rounds); apart*12 < rounds {
			t.Error("the programs have nothing to do with one another")
		}
	})
}

func permute(of []int, see func([]int)) {
	var next func(done []int)
	next = func(done []int) {
		if len(done) == len(of) {
			see(done)
		}
		for _, x := range of {
			if !slices.Contains(done, x) {
				next(append(done[:len(done):len(done)], x))
			}
		}
	}
	next(nil)
}
