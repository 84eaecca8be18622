package exoeval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// ways are ways of giving a callback C to where, as statements that leave the query in q.
// The first is the literal one.
var ways = []string{
	"const q = tasks.where(C)",
	"const f = C; const q = tasks.where(f)",
	"const f = C; const g = f; const q = tasks.where(g)",
	"const give = (pred) => tasks.where(pred); const q = give(C)",
	"function give(pred) { return tasks.where(pred) } const q = give(C)",
	"const give = async (pred) => ({ q: tasks.where(pred) }); const { q } = await give(C)",
	"const o = { f: C }; const q = tasks.where(o.f)",
	"const o = { a: { f: C } }; const q = tasks.where(o['a'].f)",
	"const mk = () => C; const q = tasks.where(mk())",
	"const mk = (v) => { return C }; const q = tasks.where(mk(1))",
	"function mk() { return C } const q = tasks.where(mk())",
	"let f = (t) => t.id === -1; if (Y) f = C; const q = tasks.where(f)",
	"let f; f = C; const q = tasks.where(f)",
	"var f = (t) => t.id === -1; var f = C; const q = tasks.where(f)",
	"let q = tasks; for (const f of [C]) q = q.where(f)",
	"let q = tasks; [C].forEach((f) => { q = q.where(f) })",
	"const q = [C].reduce((q, f) => q.where(f), tasks)",
	"const q = tasks['where'](C)",
	"const q = tasks.where(...[C])",
	"const fs = [C]; const q = tasks.where(...fs)",
	"let f = null; const q = tasks.where(f ?? (C))",
	"let f = null; const q = tasks.where(f || (C))",
	"const q = tasks.where(Y && (C))",
	"const q = tasks.where(Y ? C : (t) => t.id === -1)",
	"const q = tasks.where((C).bind(null))",
	"const q = tasks.where.call(tasks, C)",
	"const q = tasks.where.apply(tasks, [C])",
	"class A { f = C } const q = tasks.where(new A().f)",
	"class A { static f = C } const q = tasks.where(A.f)",
	"const m = new Map([['a', C]]); const q = tasks.where(m.get('a'))",
	"const { f } = { f: C }; const q = tasks.where(f)",
	"const [f] = [C]; const q = tasks.where(f)",
	"const { f = C } = {}; const q = tasks.where(f)",
	"const give = (f = C) => tasks.where(f); const q = give()",
	"const q = tasks.where(await Promise.resolve(C))",
	"const f = await (async () => C)(); const q = tasks.where(f)",
	"const q = tasks.where((t) => (C)(t))",
	"const f = C; const q = tasks.where((t) => f(t))",
	"const f = C; const q = tasks.where((t) => t.id > -1 && f(t))",
	"const o = { f: C }; const q = tasks.where((t) => o.f(t))",
	"const q = tasks.where((t) => { const r = (C)(t); return r })",
	"const q = tasks.where((t) => [C].map((f) => f(t))[0])",
	"const all = (...fs) => (t) => fs.map((f) => f(t)).reduce((a, b) => a && b); const q = tasks.where(all(C, (t) => t.id > -1))",
	"const not = (f) => (t) => !f(t); const q = tasks.where(not(not(C)))",
	"const q = tasks.where(((0, C)))",
	"const q = Object.entries({ a: C }).reduce((q, [k, f]) => q.where(f), tasks)",
	"const f = structured(C); function structured(f) { return f } const q = tasks.where(f)",
	"const q = tasks.where(function (t) { return (C)(t) })",
	"const g = (function* () { yield C })(); const q = tasks.where(g.next().value)",
	"const cond = C, q = tasks.where((task) => cond(task))",
	"try { throw C } catch (f) { var q = tasks.where(f) }",
	"const o = { get f() { return C } }; const q = tasks.where(o.f)",
	"const o = { f(t) { return (C)(t) } }; const q = tasks.where(o.f)",
	"class A { static f(t) { return (C)(t) } } const q = tasks.where(A.f)",
	"class A { f(t) { return (C)(t) } } const a = new A(); const q = tasks.where((t) => a.f(t))",
	"const f = function named(t) { return (C)(t) }; const q = tasks.where(f)",
	"const s = new Set([C]); const q = tasks.where([...s][0])",
	"const f = JSON.parse('1') === 1 ? C : null; const q = tasks.where(f)",
	"label: { var f = C; break label } const q = tasks.where(f)",
	"let f; switch (Y) { case 7: f = C; break } const q = tasks.where(f)",
}

// condition makes a random condition on t that JavaScript and the database read alike.
func condition(r *rand.Rand, depth int) string {
	if depth > 0 {
		a, b := condition(r, depth-1), condition(r, depth-1)
		switch r.IntN(7) {
		case 0, 1:
			return "(" + a + " && " + b + ")"
		case 2, 3:
			return "(" + a + " || " + b + ")"
		case 4:
			return "!(" + a + ")"
		case 5:
			return "(" + a + " ? " + b + " : " + condition(r, depth-1) + ")"
		}
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	eq := pick("===", "!==", "==", "!=")
	lt := pick("<", "<=", ">", ">=")
	return pick(
		"t.done", "!t.done", "t.done "+eq+" true", "false "+eq+" t.done",
		"t.priority "+eq+" "+pick("0", "1", "2", "3"), pick("1", "2")+" "+eq+" t.priority", "t.priority "+lt+" "+pick("1", "2"), pick("1", "2")+" "+lt+" t.priority",
		"t.id % 2 "+eq+" 0", "t.id + t.priority "+lt+" "+pick("1003", "1004"), "t.priority * 2 "+eq+" 2", "t.id - 1000 "+lt+" "+pick("2", "4"),
		"t.status "+eq+" '"+pick("open", "doing", "done")+"'", "'open' "+eq+" t.status", "['open', 'done'].includes(t.status)", "![1, 2].includes(t.priority)",
		"t.title.includes('"+pick("a", "e", "x")+"')", "t.title.length "+lt+" "+pick("5", "12"), "t.title.toLowerCase().startsWith('"+pick("a", "t")+"')", "`${t.status}!` "+eq+" 'open!'",
		"t.title + '-' "+eq+" 'x-'", "t.dueAt "+pick("===", "!==", "==", "!=")+" null", "(t.done ? t.priority : 5) "+lt+" 2", "(t.dueAt ?? '2000-01-01T00:00:00Z') "+lt+" '2001-01-01T00:00:00Z'",
		"new Set([1, 3]).has(t.priority)", "Math.abs(t.priority - 2) "+lt+" 2", "t.priority "+eq+" Y - 6", "k.n "+eq+" t.priority", "t.priority "+eq+" k['n']",
	)
}

// callback gives a condition one of the shapes in which callbacks are written.
func callback(r *rand.Rand, cond string) string {
	switch r.IntN(6) {
	case 0:
		return "function (t) { return " + cond + " }"
	case 1:
		return "(t) => { return " + cond + " }"
	case 2:
		return "(t) => { const ok = " + cond + "; return ok }"
	case 3:
		return "({ task: t }) => " + cond
	default:
		return "(t) => " + cond
	}
}

// TestWaysOfGiving gives random callbacks to where in every way, and compares the rows
// with those that the array's own filter leaves: right, or an error.
func TestWaysOfGiving(t *testing.T) {
	testutil.NotRaced(t)
	t.Parallel()
	n := testutil.Amount(120, 10_000)
	r := rand.New(rand.NewPCG(1, 2))
	run := testutil.As(t, testutil.Open(t), testutil.Acme, exoeval.Bounds{Wall: time.Minute, Total: time.Minute, CPU: time.Minute})
	var literal, literalRefused, other, otherRefused int
	for i := range n {
		cond := condition(r, i%3)
		c := callback(r, cond)
		for w := 0; w < 4; w++ {
			way := ways[0]
			if w > 0 {
				way = ways[1+r.IntN(len(ways)-1)]
			}
			if i < len(ways) && w == 1 {
				way = ways[i] // each at least once
			}
			program := fmt.Sprintf("const Y = 7, k = { n: 1 };\nconst rows = await tasks.execute();\nconst want = rows.filter((row) => { const t = row; return %s }).map((t) => t.id).sort();\n"+
				"%s;\nreturn { want, got: (await q.execute()).map((t) => t.id).sort() };", cond, strings.ReplaceAll(way, "C", c))
			o := run.Run(t, program)
			var refused bool
			if o.Result.Err != nil {
				if refused = o.Kind == fail.Invalid || o.Kind == fail.Denied; !refused {
					t.Errorf("%s\n%v", program, o.Result.Err)
				}
				if way == ways[0] && testing.Verbose() {
					t.Logf("refused: %s: %s", cond, o.Message)
				}
			} else if want, got, ok := strings.Cut(strings.TrimPrefix(o.JSON, `{"want":`), `,"got":`); !ok || want != strings.TrimSuffix(got, "}") {
				t.Errorf("another condition than was written:\n%s\n%s", program, o.JSON)
			}
			if way == ways[0] {
				literal++
				if refused {
					literalRefused++
				}
			} else {
				other++
				if refused {
					otherRefused++
				}
			}
		}
	}
	t.Logf("refused: %d of %d literal ones (%.1f %%), %d of %d given in other ways (%.1f %%)", literalRefused, literal, 100*float64(literalRefused)/float64(literal), otherRefused, other, 100*float64(otherRefused)/float64(other))
	if literalRefused*20 > literal {
		t.Errorf("more than 5 %% of literal callbacks are refused")
	}
	if otherRefused*100 > other*15 {
		t.Errorf("more than 15 %% of callbacks given in other ways are refused")
	}
}
