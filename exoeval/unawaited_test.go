package exoeval_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/testutil"
)

// unawaitedForms are uses of a value, with N for a number of the database, 5, F for a row, R for rows, B for a row or none,
// and what each gives when the call is awaited. Without the await each is an error at its place that names the call.
const unawaitedForms = "" +
	// templates and texts
	"return `${N} tasks` ~ \"5 tasks\"\n" +
	"return 'n: ' + N ~ \"n: 5\"\n" +
	"return String(N) ~ \"5\"\n" +
	"return N.toString() ~ \"5\"\n" +
	"return N.toFixed(1) ~ \"5.0\"\n" +
	"return N.toLocaleString() ~ \"5\"\n" +
	"return ['a', N].join('-') ~ \"a-5\"\n" +
	"return 'abcdefg'.slice(N) ~ \"fg\"\n" +
	"return 'a'.repeat(N) ~ \"aaaaa\"\n" +
	"return 'abcdefg'[N] ~ \"f\"\n" +
	"return '12345'.includes(N) ~ true\n" +
	"return 'x'.concat(N) ~ \"x5\"\n" +
	"return 'a1'.replace('1', N) ~ \"a5\"\n" +
	"return encodeURIComponent(N) ~ \"5\"\n" +
	"return new Error(N).message ~ \"5\"\n" +
	"return 'x'.padStart(N, '-') ~ \"----x\"\n" +
	// operators
	"return N > 3 ~ true\n" +
	"return 3 < N ~ true\n" +
	"return N >= 5 ~ true\n" +
	"return N <= 4 ~ false\n" +
	"return N === 5 ~ true\n" +
	"return 5 === N ~ true\n" +
	"return N !== 5 ~ false\n" +
	"return N == 5 ~ true\n" +
	"return 5 == N ~ true\n" +
	"return N != 5 ~ false\n" +
	"const five = 5; return five === N ~ true\n" +
	"const five = 5; return five == N ~ true\n" +
	"return N + 1 ~ 6\n" +
	"return 1 + N ~ 6\n" +
	"return N - 1 ~ 4\n" +
	"return 10 - N ~ 5\n" +
	"return N * 2 ~ 10\n" +
	"return N / 2 ~ 2.5\n" +
	"return N % 2 ~ 1\n" +
	"return N ** 2 ~ 25\n" +
	"return -N ~ -5\n" +
	"return +N ~ 5\n" +
	"return ~N ~ -6\n" +
	"return N | 0 ~ 5\n" +
	"return typeof N ~ \"number\"\n" +
	"return N in { 5: true } ~ true\n" +
	"return 'id' in F ~ true\n" +
	"return F instanceof Object ~ true\n" +
	"let n = 1; n += N; return n ~ 6\n" +
	"let n = N; n += 1; return n ~ 6\n" +
	"let n = N; n++; return n ~ 6\n" +
	"let n = N; n ||= 7; return n ~ 5\n" +
	"let n = N; n &&= 7; return n ~ 7\n" +
	"let n = N; n ??= 7; return n ~ 5\n" +
	// conditions
	"if (B) return 'yes'; return 'no' ~ \"no\"\n" +
	"if (!B) return 'none'; return 'some' ~ \"none\"\n" +
	"const row = B; if (row) return 'yes'; return 'no' ~ \"no\"\n" +
	"const row = B; if (row === null) return 'none'; return 'some' ~ \"none\"\n" +
	"const row = B; if (row == null) return 'none'; return 'some' ~ \"none\"\n" +
	"const row = B; if (row !== undefined && row !== null) return 1; return 2 ~ 2\n" +
	"return B ? 'yes' : 'no' ~ \"no\"\n" +
	"return B && 'yes' ~ null\n" +
	"return B || 'none' ~ \"none\"\n" +
	"return B ?? 'none' ~ \"none\"\n" +
	"return !!B ~ false\n" +
	"return Boolean(B) ~ false\n" +
	"let n = 0; while (n < N) n++; return n ~ 5\n" +
	"let n = 0; do { n++ } while (n < 3 && B); return n ~ 1\n" +
	"let n = 0; for (let i = 0; i < N; i++) n++; return n ~ 5\n" +
	"switch (N) { case 5: return 'five' } return 'other' ~ \"five\"\n" +
	"switch (5) { case N: return 'five' } return 'other' ~ \"five\"\n" +
	"switch (true) { case N > 3: return 'many' } return 'few' ~ \"many\"\n" +
	// members
	"return F.title.length > 0 ~ true\n" +
	"return F['title'].length > 0 ~ true\n" +
	"return F?.id > 0 ~ true\n" +
	"const { id } = F; return id > 0 ~ true\n" +
	"const { id, ...rest } = F; return Object.keys(rest).length > 1 ~ true\n" +
	"const [first] = R; return first.id > 0 ~ true\n" +
	"return R[0].id > 0 ~ true\n" +
	"return R.at(-1).id > 0 ~ true\n" +
	"return R.length ~ 5\n" +
	"return R.map(r => r.id).length ~ 5\n" +
	"return R.filter(r => r.id > 0).length ~ 5\n" +
	"return R.reduce((n, r) => n + 1, 0) ~ 5\n" +
	"return R.toSorted((a, b) => a.id - b.id).length ~ 5\n" +
	"for (const r of R) return r.id > 0; return false ~ true\n" +
	"for (const k in F) return k; return 'none' ~ \"id\"\n" +
	"let n = 0; R.forEach(r => { n++ }); return n ~ 5\n" +
	"return (({ id }) => id > 0)(F) ~ true\n" +
	// arguments of functions
	"return Number(N) ~ 5\n" +
	"return parseInt(N) ~ 5\n" +
	"return isNaN(N) ~ false\n" +
	"return Number.isInteger(N) ~ true\n" +
	"return Math.max(N, 1) ~ 5\n" +
	"return Math.round(N / 2) ~ 3\n" +
	"return Math.min(...[N, 9]) ~ 5\n" +
	"return JSON.stringify(N) ~ \"5\"\n" +
	"return JSON.stringify({ n: N }) ~ \"{\\\"n\\\":5}\"\n" +
	"return JSON.stringify([N]) ~ \"[5]\"\n" +
	"return JSON.stringify({ n: { m: [N] } }, null, 0).length ~ 15\n" +
	"return Array.isArray(R) ~ true\n" +
	"return Array.from(R).length ~ 5\n" +
	"return Array.from({ length: N }).length ~ 5\n" +
	"return Array(N).length ~ 5\n" +
	"return [...R].length ~ 5\n" +
	"return Math.max(...R.map(r => r.id)) > 0 ~ true\n" +
	"return ({ ...F }).id > 0 ~ true\n" +
	"return Object.assign({}, F).id > 0 ~ true\n" +
	"return Object.keys(F).length > 3 ~ true\n" +
	"return Object.values(F).length > 3 ~ true\n" +
	"return Object.entries(F).length > 3 ~ true\n" +
	"return Object.values({ n: N })[0] + 1 ~ 6\n" +
	"return Object.is(N, 5) ~ true\n" +
	"return Object.groupBy(R, r => 'a').a.length ~ 5\n" +
	"return [1, 5].includes(N) ~ true\n" +
	"return [1, 5].indexOf(N) ~ 1\n" +
	"return [N].includes(5) ~ true\n" +
	"return [N].indexOf(5) ~ 0\n" +
	"return [0].concat(R).length ~ 6\n" +
	"return [R].flat().length ~ 5\n" +
	"return new Set(R).size ~ 5\n" +
	"return new Set([N]).has(5) ~ true\n" +
	"return new Set([5]).has(N) ~ true\n" +
	"return new Map([[N, 'a']]).get(5) ~ \"a\"\n" +
	"return new Map([[5, 'a']]).get(N) ~ \"a\"\n" +
	"const m = new Map(); m.set(N, 1); return m.size ~ 1\n" +
	"return ({ 5: 'a' })[N] ~ \"a\"\n" +
	"return ({ [N]: 'a' })[5] ~ \"a\"\n" +
	"return new Date(N).getTime() ~ 5\n" +
	"return structuredClone(F).id > 0 ~ true\n" +
	"return new Intl.NumberFormat('en-US').format(N) ~ \"5\"\n" +
	"console.log(N); return 1 ~ 1\n" +
	"console.log('n', { n: N }); return 1 ~ 1\n" +
	"return await box.put(N) ~ 5\n" +
	"return await box.put({ n: [N] }) ~ {\"n\":[5]}\n" +
	"return await tasks.where({ id: F.id }).count() ~ 1\n" +
	"const first = F; return await tasks.where(t => t.id === first.id).count() ~ 1\n" +
	"return await tasks.limit(N).count() ~ 5\n" +
	"const n = N; return await tasks.where(t => t.id > n).count() ~ 5\n" +
	// functions of the program
	"const count = async () => await N0; return A:count() > 3 ~ true\n" +
	"async function count() { return await N0 } return `${A:count()}` ~ \"5\"\n" +
	"const o = { async count() { return await N0 } }; if (A:o.count() > 3) return 1; return 2 ~ 1\n" +
	"class C { async count() { return await N0 } } return A:new C().count() + 1 ~ 6\n" +
	"const f = async (x) => x; const g = (x) => f(x); return A:g(1) + 1 ~ 2\n" +
	"return A:N0.then(n => n) + 1 ~ 6\n" +
	"return (A:Promise.all([N0, N0]))[0] ~ 5\n" +
	"return A:Promise.race([N0]) + 1 ~ 6\n" +
	"return A:new Promise(f => f(5)) + 1 ~ 6\n" +
	"return A:(async () => 5)() + 1 ~ 6\n" +
	// promises that functions of the realm give
	"return A:Promise.resolve(false) ? 1 : 2 ~ 2\n" +
	"if (A:Promise.resolve(0)) return 1; return 2 ~ 2\n" +
	"return A:Promise['resolve'](false) ? 1 : 2 ~ 2\n" +
	"const k = ['resolve'][0]; return A:Promise[k](false) ? 1 : 2 ~ 2\n" +
	"const k = ['all'][0]; return A:Promise[k]([]) ? 1 : 2 ~ 1\n" +
	"const { resolve } = Promise; return A:resolve.call(Promise, false) ? 1 : 2 ~ 2\n" +
	"const P = Promise; return A:new P((f) => f(false)) ? 1 : 2 ~ 2\n" +
	"class P extends Promise {} return A:new P((f) => f(false)) ? 1 : 2 ~ 2\n" +
	"class P extends Promise {} return A:P.resolve(false) ? 1 : 2 ~ 2\n" +
	"return A:Promise.try(() => false) ? 1 : 2 ~ 2\n" +
	"const { promise, resolve } = Promise.withResolvers(); resolve(false); return A:promise ? 1 : 2 ~ 2\n" +
	"const w = Promise.withResolvers(); w.resolve(false); if (A:w.promise) return 1; return 2 ~ 2\n" +
	"const p = Promise.resolve(1); return A:p['then']((x) => false) ? 1 : 2 ~ 2\n" +
	"const k = ['finally'][0], p = N0; return A:p[k](() => 1) + 1 ~ 6\n" +
	"return A:Array.fromAsync([1]) ? 1 : 2 ~ 1\n" +
	"const k = ['fromAsync'][0]; return A:Array[k]([1]) ? 1 : 2 ~ 1\n" +
	// in programs that mention arguments
	"function n() { return arguments.length } const f = async () => false; return n(1) && A:f() ? 1 : 2 ~ 2\n" +
	// anywhere in a list
	"const l = Array(50).fill(0); l[40] = N; return l.includes(5) ~ true\n" +
	"const l = Array(50).fill(0); l[40] = N; return l.indexOf(5) ~ 40\n" +
	"const l = Array(50).fill([0]); l[40] = R; return l.flat().length ~ 54\n"

var unawaitedCalls = map[string]string{
	"N": "tasks.count()", "F": "tasks.first()", "B": "tasks.where({ id: 0 }).first()", "R": "tasks.execute()",
}

// otherForms are those whose mended form is another than the await of the call, with what the error has to name.
var otherForms = [][4]string{
	{"const rows = await tasks; return rows.filter(async r => await box.put(false)).length", "`filter` can't wait", "const rows = await tasks; const kept = await Promise.all(rows.map(async r => await box.put(false))); return rows.filter((r, i) => kept[i]).length", "0"},
	{"const rows = await tasks; return rows.some(async r => await box.put(false))", "`some` can't wait", "const rows = await tasks; return (await Promise.all(rows.map(async r => await box.put(false)))).some(found => found)", "false"},
	{"const rows = await tasks; return rows.every(async r => await box.put(false))", "`every` can't wait", "const rows = await tasks; return (await Promise.all(rows.map(async r => await box.put(false)))).every(found => found)", "false"},
	{"const rows = await tasks; return rows.find(async r => await box.put(false)) ?? 'none'", "`find` can't wait", "const rows = await tasks; for (const r of rows) if (await box.put(false)) return r; return 'none'", `"none"`},
	{"const rows = await tasks; return rows.findIndex(async r => await box.put(false))", "`findIndex` can't wait", "const rows = await tasks; return (await Promise.all(rows.map(async r => await box.put(false)))).findIndex(found => found)", "-1"},
	{"const rows = await tasks; return rows.filter(r => box.put(false)).length", "`filter` can't wait", "const rows = await tasks; const kept = await Promise.all(rows.map(async r => box.put(false))); return rows.filter((r, i) => kept[i]).length", "0"},
	{"const rows = [2, 1]; return rows.sort(async (a, b) => a - b)", "`sort` can't wait", "const rows = [2, 1]; return rows.sort((a, b) => a - b)", "[1,2]"},
	{"return [1, 2].reduce(async (n, x) => n + await box.put(x), 0)", "was not awaited", "return [1, 2].reduce(async (n, x) => (await n) + await box.put(x), 0)", "3"},
	{"return [1, 2].map(async x => ({ x })).map(o => o.x)", "`x` is a member of what the promise gives", "return (await Promise.all([1, 2].map(async x => ({ x })))).map(o => o.x)", "[1,2]"},
	{"return [1, 2].map(async x => await box.put(x)).includes(2)", "was not awaited", "return (await Promise.all([1, 2].map(async x => await box.put(x)))).includes(2)", "true"},
	{"return [1, 2].map(async x => [await box.put(x)]).flat()", "was not awaited", "return (await Promise.all([1, 2].map(async x => [await box.put(x)]))).flat()", "[1,2]"},
	{"return [1, 2].map(async x => await box.put(x)).join()", "was not awaited", "return (await Promise.all([1, 2].map(async x => await box.put(x)))).join()", `"1,2"`},
	{"let n = 0; [1, 2].forEach(async x => { n += await box.put(x) }); return n", "`forEach` can't wait", "let n = 0; for (const x of [1, 2]) { n += await box.put(x) } return n", "3"},
	{"return [3, box.put(1)].sort()[0]", "`sort` can't wait", "return [3, await box.put(1)].sort()[0]", "1"},
	{"return [1, 2].map(x => x * box.put(5))", "write await Promise.all(list.map(async (x) => … (await box.put(5)) …))", "return await Promise.all([1, 2].map(async (x) => x * (await box.put(5))))", "[5,10]"},
	{"return [1, 2].map(x => { const n = box.put(x).length; return n })", "write await Promise.all(list.map(async (x) => … (await box.put(x)).length …))", "return await Promise.all([1, 2].map(async (x) => { const n = (await box.put(x)).length; return n ?? x }))", "[1,2]"},
	{"return [1, 2].flatMap(x => [x * box.put(5)])", "write (await Promise.all(list.map(async (x) => … (await box.put(5)) …))).flat()", "return (await Promise.all([1, 2].map(async (x) => [x * (await box.put(5))]))).flat()", "[5,10]"},
	{"let n = 0; [1, 2].forEach(x => { n += x * box.put(5) }); return n", "write for (const x of list) { … (await box.put(5)) … }", "let n = 0; for (const x of [1, 2]) { n += x * (await box.put(5)) } return n", "15"},
	{"const f = (x) => x * box.put(5); return f(1)", "write (await box.put(5)) in an async function, async (…) => … (await box.put(5)) …, and await each call of that function", "const f = async (x) => x * (await box.put(5)); return await f(1)", "5"},
	{"const f = async (x) => x * box.put(5); return await f(1)", "no value yet; write (await box.put(5))", "const f = async (x) => x * (await box.put(5)); return await f(1)", "5"},
	{"(api) => api.box.put(5) + 1", "write (await api.box.put(5)) in an async function", "async (api) => (await api.box.put(5)) + 1", "6"},
	{"let n = 0; [1, 2].map(async x => { n += await box.put(x) }); return n", "still ran", "let n = 0; await Promise.all([1, 2].map(async x => { const v = await box.put(x); n += v })); return n", "3"},
	{"let n = 0; Promise.all([1, 2].map(async x => { n += await box.put(x) })); return n", "Promise.all(…) was not awaited, and still ran", "let n = 0; await Promise.all([1, 2].map(async x => { const v = await box.put(x); n += v })); return n", "3"},
	{"let n = 0; Array.fromAsync([1, 2], async x => { const v = await box.put(x); n += v }); return n", "Array.fromAsync(…) was not awaited, and still ran", "let n = 0; await Array.fromAsync([1, 2], async x => { const v = await box.put(x); n += v }); return n", "3"},
	{"let n = 0; box.put(1).then(x => { n = x }); return n", "was not awaited, and still ran", "let n = 0; await box.put(1).then(x => { n = x }); return n", "1"},
	{"let n = 0; const f = async () => { n = await box.put(1) }; f(); return n", "f(…) was not awaited, and still ran", "let n = 0; const f = async () => { n = await box.put(1) }; await f(); return n", "1"},
	{"return await tasks.where(t => t.id.in(tasks.select(x => x.id).execute().map(x => x))).count()", "can't be done inside a callback", "return await tasks.where(t => t.id.in(tasks.select(x => x.id))).count()", "5"},
}

// TestUnawaited: a call that was not awaited is an error wherever its value is used, and the form that the error names gives
// the answer.
func TestUnawaited(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	run := func(program string) testutil.Outcome { return r.Run(t, "\n"+program) }
	forms := strings.Split(strings.TrimSpace(unawaitedForms), "\n")
	if n := len(forms) + len(otherForms); n < 150 {
		t.Errorf("only %d forms", n)
	}
	for _, line := range forms {
		at := strings.LastIndex(line, " ~ ")
		form, want := line[:at], line[at+3:]
		wrong, right := form, form
		for letter, call := range unawaitedCalls {
			wrong, right = replaceLetter(wrong, letter, call), replaceLetter(right, letter, "(await "+call+")")
		}
		wrong = strings.ReplaceAll(strings.ReplaceAll(wrong, "N0", "tasks.count()"), "A:", "")
		right = strings.ReplaceAll(right, "N0", "tasks.count()")
		if i := strings.Index(right, "A:"); i >= 0 {
			right = right[:i] + "(await " + callAt(right[i+2:]) + ")" + right[i+2+len(callAt(right[i+2:])):]
		}
		if o := run(right); o.Result.Err != nil || !testutil.SameJSON(o.JSON, want) {
			t.Errorf("%s: %s, want %s", right, o, want)
		}
		o := run(wrong)
		pos := fail.PosOf(o.Result.Err)
		if o.Kind != fail.Invalid || pos.Line != 2 || pos.Column == 0 || !strings.Contains(o.Message, "not awaited") || !strings.Contains(o.Message, "(await ") && !strings.Contains(o.Message, "= await ") {
			t.Errorf("%s: %s", wrong, o)
			continue
		}
		// The form that the error names, to the letter.
		for _, call := range []string{"tasks.count()", "tasks.first()", "tasks.execute()"} {
			if strings.Contains(wrong, call) && strings.Contains(o.Message, "write (await "+call+")") {
				if o := run(strings.Replace(wrong, call, "(await "+call+")", 1)); o.Result.Err != nil || !testutil.SameJSON(o.JSON, want) {
					t.Errorf("%s, as the error names it: %s", wrong, o)
				}
			}
		}
	}
	for _, f := range otherForms {
		if o := run(f[0]); o.Kind != fail.Invalid || fail.PosOf(o.Result.Err).Line != 2 || !strings.Contains(o.Message, f[1]) {
			t.Errorf("%s: %s, want %s", f[0], o, f[1])
		}
		if o := run(f[2]); o.Result.Err != nil || !testutil.SameJSON(o.JSON, f[3]) {
			t.Errorf("%s: %s, want %s", f[2], o, f[3])
		}
	}
}

// replaceLetter puts a call in the place of a letter that stands alone.
func replaceLetter(s, letter, call string) string {
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i:i+1] == letter && (i == 0 || !word(s[i-1])) && (i+1 == len(s) || !word(s[i+1])) {
			b.WriteString(call)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// callAt is the call that s begins with: up to the last bracket of its chain.
func callAt(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return s[:i]
			}
			if depth == 0 && (i+1 == len(s) || s[i+1] != '.' && s[i+1] != '(') {
				return s[:i+1]
			}
		}
	}
	return s
}

// honestForms hold promises, and use none of them for its value.
const honestForms = `
return await tasks.count() ~ 5
return tasks.count() ~ 5
return { n: tasks.count() } ~ {"n":5}
return [tasks.count(), 1] ~ [5,1]
return { a: { b: [tasks.count()] } } ~ {"a":{"b":[5]}}
const p = tasks.count(); return await p ~ 5
const p = tasks.count(), q = tasks.count(); return await p + await q ~ 10
const p = [tasks.count(), tasks.count()]; return (await Promise.all(p)).length ~ 2
const [a, b] = await Promise.all([tasks.count(), tasks.first()]); return [a, b.id > 0] ~ [5,true]
return await Promise.all((await tasks).map(async (r) => (await tasks.where({ id: r.id }).count()))) ~ [1,1,1,1,1]
return await Promise.all((await tasks).map((r) => tasks.where({ id: r.id }).count())) ~ [1,1,1,1,1]
return Promise.all((await tasks).map(async (r) => r.id > 0)) ~ [true,true,true,true,true]
return (await tasks).map(async (r) => r.id > 0) ~ [true,true,true,true,true]
return await Promise.race([tasks.count(), tasks.count()]) ~ 5
return await Promise.any([tasks.count(), Promise.reject(1)]) ~ 5
return (await Promise.allSettled([tasks.count(), Promise.reject(1)])).map((x) => x.status) ~ ["fulfilled","rejected"]
return (await Promise.all(new Set([tasks.limit(1).count()].map((x) => 1)))).length ~ 1
return await Promise.all([tasks.count()].values()) ~ [5]
return tasks.count().then((n) => n + 1) ~ 6
return await tasks.count().then((n) => tasks.count()).then((n) => n + 1) ~ 6
return await tasks.count().then((n) => n + 1, () => 0) ~ 6
return await tasks.count().catch(() => 0) ~ 5
return await tasks.count().finally(() => 0) ~ 5
return await tasks.count().finally(() => tasks.count()) ~ 5
return await Promise.reject(new Error('x')).catch((e) => e.message) ~ "x"
return await box.fail().catch((e) => 'caught') ~ "caught"
try { await box.fail() } catch (e) { return 'caught' } ~ "caught"
const f = async () => { return box.fail() }; try { await f() } catch (e) { return 'caught' } ~ "caught"
const f = async () => tasks.count(); return await f() + 1 ~ 6
async function f(a, b = 2, ...c) { return [a, b, c] } return await f(1, undefined, 3) ~ [1,2,[3]]
async function f(a, b) { return [a, b] } return [await f(1), await f(1, 2, 3), f.length] ~ [[1,null],[1,2],2]
const f = async (a, ...c) => [a ?? 'none', c]; return [await f(), await f(1, 2, 3), f.length] ~ [["none",[]],[1,[2,3]],1]
const o = { async m(a, b = 1, c) { return [a, b, c] } }; return [await o.m(1, undefined, 3), o.m.length] ~ [[1,1,3],1]
class A { async m({ x }, [y], z) { return x + y + z } } return [await new A().m({ x: 1 }, [2], 3), new A().m.length] ~ [6,3]
const f = async () => 1; return [await f(5), f.length, f.name] ~ [1,0,"f"]
function f() { const a = arguments; return (async () => a[0])() } return await f(7) ~ 7
async function f() { function g() { return arguments.length } return g(1, 2) } return await f() ~ 2
return (await Array.fromAsync([tasks.count(), 1]))[0] + 1 ~ 6
return (await Array.fromAsync(new Set([1]).values(), (x) => tasks.count()))[0] + 1 ~ 6
return (await Array.fromAsync({ length: 2 }, async (x, i) => i)) ~ [0,1]
return await Promise.reject(1).catch(() => 2) ~ 2
const p = tasks.count(); return (await Promise.resolve(p)) + (await p) ~ 10
const P = Promise; return await new P((f) => f(1)) + await P.resolve(1) ~ 2
class P extends Promise {} return await new P((f) => f(1)) + await P.resolve(1).then((x) => x) ~ 2
class Plain { n = 1 } return [await Promise.resolve(1), new Plain().n, new Map([[1, 2]]).size] ~ [1,1,1]
const l = Array(50).fill(0); l[40] = tasks.count(); return [l.includes(0), l.indexOf(0), (await l[40])] ~ [true,0,5]
const f = async ({ id }, [x]) => id + x; return await f({ id: 1 }, [2]) ~ 3
const o = { n: 1, async f() { return this.n + await tasks.count() } }; return await o.f() ~ 6
class A { async f() { return 1 } } class B extends A { async f() { return 1 + await super.f() } } return await new B().f() ~ 2
class A { n = 4; f = async () => this.n; static async g() { return 1 } } return await new A().f() + await A.g() ~ 5
const f = async (n) => n === 0 ? 0 : 1 + await f(n - 1); return await f(50) ~ 50
const f = async (n) => n === 0 ? tasks.count() : f(n - 1); return await f(50) ~ 5
const f = async () => tasks; return (await f()).length ~ 5
const wait = async (p) => { const n = await p; return n + 1 }; return await wait(tasks.count()) ~ 6
const cache = new Map(); const get = (k) => { if (!cache.has(k)) cache.set(k, tasks.count()); return cache.get(k) }; return await get('a') + await get('a') ~ 10
const cache = {}; const get = (k) => cache[k] ??= tasks.count(); return await get('a') + await get('a') ~ 10
let p; const get = () => (p ??= tasks.count()); return await get() + await get() ~ 10
let p = null; p ??= tasks.count(); return await p ~ 5
const p = tasks.count(); return p instanceof Promise ~ true
const p = tasks.count(); return typeof p.then ~ "function"
const x = tasks.count(); return await (x instanceof Promise ? x : 0) ~ 5
let n = 0; for await (const x of [tasks.count(), tasks.count()]) n += x; return n ~ 10
let n = 0; for (const p of [tasks.count(), tasks.count()]) n += await p; return n ~ 10
const ps = []; for (let i = 0; i < 3; i++) ps.push(tasks.count()); return ps.length + (await Promise.all(ps))[0] ~ 8
const ps = [tasks.count()]; ps[1] = tasks.count(); const [a] = ps; return await a + await ps.pop() ~ 10
return (await Array.fromAsync([tasks.count(), 1])).length ~ 2
return await Array.fromAsync([tasks.count(), 1]) ~ [5,1]
return await Promise.resolve(tasks.count()) + 1 ~ 6
return await Promise.resolve(tasks.count()).then((n) => n + 1) ~ 6
return await new Promise((f) => f(tasks.count())) + 1 ~ 6
return await new Promise((f, no) => tasks.count().then(f, no)) + 1 ~ 6
const { promise, resolve } = Promise.withResolvers(); resolve(tasks.count()); return await promise + 1 ~ 6
return await Promise.try(() => tasks.count()) + 1 ~ 6
return await [1, 2].reduce(async (n, x) => (await n) + x, 0) ~ 3
return await [1, 2].reduce((p, x) => p.then((n) => n + x), Promise.resolve(0)) ~ 3
let n = 0; tasks.count().then((x) => { n = x }); await tasks.count(); return n ~ 5
let n = 0; const f = async () => { n = await tasks.count() }; f(); await tasks.count(); await 0; return n ~ 5
tasks.count(); return 1 ~ 1
(async () => 1)(); return 2 ~ 2
const p = Promise.race([]); return 1 ~ 1
const f = async () => { throw new Error('x') }; return await f().catch((e) => e.message) ~ "x"
function* g() { yield tasks.count() } let n = 0; for (const p of g()) n += await p; return n ~ 5
const p = tasks.count(); return (await Promise.all([p, p])).length + await p ~ 7
const o = { p: tasks.count() }; const { p } = o; const q = { ...o }; return await p + await q.p ~ 10
return await Promise.all(Object.values({ a: tasks.count(), b: 1 })) ~ [5,1]
return Object.fromEntries(await Promise.all(['a', 'b'].map(async (k) => [k, await tasks.count()]))) ~ {"a":5,"b":5}
const f = async (x, ...xs) => x === undefined ? 0 : x + await f(...xs); return await f(1, 2, 3) ~ 6
const a = (async () => 1)(); const b = a.then((x) => x + 1); return await a + await b ~ 3
`

// TestAwaitedLater: a promise may be kept, passed on and awaited later.
func TestAwaitedLater(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	forms := strings.Split(strings.TrimSpace(honestForms), "\n")
	if len(forms) < 60 {
		t.Errorf("only %d forms", len(forms))
	}
	for _, line := range forms {
		form, want, _ := strings.Cut(line, " ~ ")
		if o := r.Run(t, form); o.Result.Err != nil || !testutil.SameJSON(o.JSON, want) {
			t.Errorf("%s: %s, want %s", form, o, want)
		}
	}
}

// TestPromiseOfItself: a promise that is resolved with itself, directly or by others, ends.
func TestPromiseOfItself(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for _, program := range []string{
		"const p = (async () => { await null; return p })(); return await p",
		"const p = (async () => { await null; return p })(); await null; await null; return await p.then(() => 1)",
		"const p = (async () => { await null; return q })(); const q = (async () => { await null; return p })(); return await Promise.all([p, q])",
		"let f; const p = new Promise((a) => { f = a }); f(p); return await p",
		"const p = (async () => { await null; return p })(); return p",
	} {
		if o := r.Run(t, program); o.Result.Err == nil || o.Kind == fail.Internal {
			t.Errorf("%s: %s", program, o)
		}
	}
}

// TestNoRow: an error about a member of nothing names the call that found no row.
func TestNoRow(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for _, program := range []string{
		"return (await tasks.where({ id: 0 }).first()).title",
		"const row = await tasks.where({ id: 0 }).first(); return row.title.length",
		"const { title } = await tasks.where({ id: 0 }).first(); return title",
	} {
		if o := r.Run(t, program); o.Kind != fail.Program || !strings.Contains(o.Message, "tasks.where(…).first() found no row and returned null; test it with if (row), or read row?.") {
			t.Errorf("%s: %s", program, o)
		}
	}
	if o := r.Run(t, "const row = await tasks.where({ id: 0 }).first(); return [row?.title ?? 'none', row ? 1 : 2]"); o.JSON != `["none",2]` {
		t.Error(o)
	}
	due := "const row = await tasks.where(t => t.dueAt !== null).first(); return "
	if o := r.Run(t, due+"row.dueAt.getFullYear()"); !strings.Contains(o.Message, "a time that was read is a text: new Date(row.column) is the time") {
		t.Error(o)
	}
	if o := r.Run(t, due+"new Date(row.dueAt).getFullYear() > 2000"); o.JSON != "true" {
		t.Error(o)
	}
	if o := r.Run(t, "const row = await tasks.first(); return row.nothing.x"); o.Kind != fail.Program || strings.Contains(o.Message, "found no row") {
		t.Error(o)
	}
}

// TestWholeLists: a list is given whole, or its length is an error of Kind Limit.
func TestWholeLists(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for program, want := range map[string]string{
		"return (await Promise.all(new Set(Array.from({ length: 21000 }, (_, i) => i)))).length":                                      "21000",
		"return (await Promise.all(Array.from({ length: 21000 }, (_, i) => i).values())).length":                                      "21000",
		"function* g() { for (let i = 0; i < 21000; i++) yield i } return (await Promise.allSettled(g())).length":                     "21000",
		"return (await Promise.all(Array(21000).fill(1))).length":                                                                     "21000",
		"return (await Array.fromAsync(Array(21000).fill(1).values())).length":                                                        "21000",
		"const s = new Set(Array.from({ length: 30000 }, (_, i) => i)); return await tasks.where(t => s.has(t.id)).count()":           "the list has more than 20000 items",
		"const s = new Set(Array.from({ length: 300 }, (_, i) => i)); return await tasks.where(t => t.id > 0 || s.has(t.id)).count()": "5",
		"const k = Array.from({ length: 30000 }, (_, i) => 'k' + i); return JSON.stringify({ k29999: 1 }, k)":                         "the list of names has more than 20000 items",
		"const k = Array.from({ length: 15000 }, (_, i) => 'k' + i); return JSON.stringify({ k14999: 1 }, k)":                         `"{\"k14999\":1}"`,
		"return await tasks.where({ OR: Array(1500).fill({ id: 0 }).concat({ id: 1 }) }).count()":                                     "the list of `OR` has more than 1000 items",
		"return await tasks.where(t => t.id === 1 && [...Array(30000).fill(0), t.id].includes(1)).count()":                            "can't look for a value in a list that holds",
		"return await tasks.where(t => [...Array(30000).fill(0), 1].includes(1) && t.id > 0).count()":                                 "5",
		"return await tasks.where(t => { for (let i = 0; i < 1001; i++) t.assignee; return t.id > 0 }).count()":                       "names more than 1000 methods",
	} {
		o := r.Run(t, program)
		if o.Result.Err == nil && !testutil.SameJSON(o.JSON, want) || o.Result.Err != nil && !strings.Contains(o.Message, want) {
			t.Errorf("%s: %s, want %s", program, o, want)
		}
		if strings.Contains(want, "more than") && o.Kind != fail.Limit {
			t.Errorf("%s: %s", program, o)
		}
	}
}

// TestArgumentsOfAsync: an async function has no arguments, and the error names what to write instead.
func TestArgumentsOfAsync(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for program, mended := range map[string]string{
		"async function f() { return arguments.length } return await f(1, 2)":                   "async function f(...args) { return args.length } return await f(1, 2)",
		"const o = { async m() { return (() => arguments.length)() } }; return await o.m(1, 2)": "const o = { async m(...args) { return (() => args.length)() } }; return await o.m(1, 2)",
		"function f() { return (async () => arguments.length)() } return await f(1, 2)":         "function f(...args) { return (async () => args.length)() } return await f(1, 2)",
	} {
		if o := r.Run(t, program); o.Kind != fail.Syntax || !strings.Contains(o.Message, "(...args)") {
			t.Errorf("%s: %s", program, o)
		}
		if o := r.Run(t, mended); o.JSON != "2" {
			t.Errorf("%s: %s", mended, o)
		}
	}
}
