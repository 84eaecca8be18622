package writes_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/kit"
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
	tu.NotQuick(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		tool := wrTool(t, db, 1)
		const all = "SELECT title, status, points FROM jobs ORDER BY title"
		before := look(all)
		serialRounds(t, serialPrograms, serialRun(t, tool), func() string { return look(all) }, func() {
			got := serialRun(t, tool)(`await jobs.where(j => j.title.startsWith("job ")).delete(); await jobs.where({ id: 1 }).update({ points: 3, status: "todo" }); await jobs.where({ id: 2 }).update({ points: null, status: "done" }); return jobs.where({ id: 4 }).update({ points: 1, status: "todo" })`)
			if now := look(all); got != "1" || now != before {
				t.Fatalf("%s: %s", got, now)
			}
		})
	})
}

// serialKeys write what keys may refuse, and read what stands in their way.
var serialKeys = []string{
	`const c = await items.where({ code: "a" }).count(); try { return [c, await items.insertMany([{ code: "a", n: 10 + c }])] } catch (e) { await items.where({ code: "x" }).update({ n: c }); return [c, e.kind] }`,
	`const c = await items.where({ code: "b" }).count(); return [c, (await items.insert({ code: "b", n: 20 + c })).n]`,
	`try { await items.insertMany([{ code: "a", n: 30 }]) } catch (e) { return [e.kind, await items.where({ code: "a" }).count(), await items.where({ code: "x" }).update({ n: 31 })] }`,
	`const c = await items.where({ code: "a" }).count(); await items.where({ code: "x" }).update({ n: 40 + c }); return [c, await items.where({ code: "a" }).delete()]`,
	`return items.where({ code: "a" }).update({ code: "b" })`,
	`const c = await items.where({ code: "a" }).count(); try { return [c, await items.where({ code: "p" }).update({ code: "a", n: 50 + c })] } catch (e) { return [c, e.kind, await items.where({ code: "x" }).update({ n: 51 })] }`,
	`const k = await items.where({ code: "p" }).kids().count(); await items.where({ code: "x" }).update({ n: 60 + k }); try { return [k, await items.where({ code: "p" }).delete()] } catch (e) { return [k, e.kind] }`,
	`const x = await items.where({ code: "x" }).first(); return [x.n, await items.where({ code: "p" }).kids().all().delete()]`,
	`try { return await items.where({ code: "p" }).kids().insertMany([{ body: "new" }]) } catch (e) { return e.kind }`,
	`const n = await items.where(i => i.code.eq("a").or(i.code.eq("b"))).count(); await items.where({ code: "b" }).delete(); return [n, await items.insertMany([{ code: "b", n: 70 + n }])]`,
}

// TestSerialKeys is TestSerialOrders of what keys let through and refuse, among so many rows that they are read by keys.
func TestSerialKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		const few = "DELETE FROM kids WHERE id < 100 OR body = 'new'; DELETE FROM items WHERE code IN ('x', 'p', 'a', 'b'); INSERT INTO items (id, org_id, code, n) VALUES (1, 1, 'x', 0), (2, 1, 'p', 0), (3, 1, 'a', 0); INSERT INTO kids (id, item_id, body) VALUES (1, 2, 'kid')"
		many := e.Pick("WITH RECURSIVE s (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM s WHERE i < 3000)", "WITH s (i) AS (SELECT generate_series(100, 3000))")
		db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+wbKids), few, many+" INSERT INTO items (id, org_id, code) SELECT i, 1, 'f' || i FROM s", many+" INSERT INTO kids (id, item_id, body) SELECT i, i, 'f' FROM s", e.Pick("SELECT 1", "SELECT setval(pg_get_serial_sequence('items', 'id'), 10000), setval(pg_get_serial_sequence('kids', 'id'), 10000)"), "ANALYZE items")
		tool := kit.BreaksTool(t, wbGrants(db, false, nil))
		serialRounds(t, serialKeys, serialRun(t, tool), func() string {
			return kit.Cells(t, raw, "SELECT i.code, i.n, count(k.id) FROM items AS i LEFT JOIN kids AS k ON k.item_id = i.id WHERE i.code IN ('x', 'p', 'a', 'b') GROUP BY i.code, i.n ORDER BY i.code")
		}, func() {
			if _, err := raw.Exec(few); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func serialRun(t *testing.T, tool *codemode.Tool) func(string) string {
	return func(p string) string {
		r := tool.Run(t.Context(), p)
		if r.Err != nil {
			return fail.KindOf(r.Err).String() + " " + fail.GuestText(r.Err)
		}
		return fmt.Sprint(r.Value)
	}
}

func serialRounds(t *testing.T, programs []string, run func(string) string, look func() string, reset func()) {
	seed, rounds, conflicts, apart := tu.Seed(t, 7), 12, 0, 0
	if tu.Long() {
		rounds = 1000
	}
	draw := rand.New(rand.NewPCG(seed, 1))
	for range rounds {
		ps := make([]string, 2+draw.IntN(5)/4)
		for i := range ps {
			ps[i] = programs[draw.IntN(len(programs))]
		}
		told := make([]string, len(ps))
		var running sync.WaitGroup
		for i, p := range ps {
			running.Go(func() { told[i] = run(p) })
		}
		running.Wait()
		left := look()
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
			now := fmt.Sprint(got, look())
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
