package exoeval_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestSweep takes every operator, statement form and built-in function that a program
// can name, and gives it, in each operand's place, something that only describes a
// query. The outcome must be an error, or a longer expression, or what JavaScript gives
// for every plain value that could stand there. Anything else is a condition that was
// cut in silence.
//
// Each form runs in a function whose operators are recorded, in one whose are not, and
// outside callbacks, with what outlived its callback.
func TestSweep(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	t.Parallel()
	forms := append(slices.Clone(sweptForms), builtInForms(t)...)
	forms = slices.DeleteFunc(forms, func(f string) bool {
		return f == "Object.fromEntries([X])" // of [{}] the engine panics, which ends the run
	})
	if len(forms) < 1500 {
		t.Fatalf("only %d forms", len(forms))
	}
	t.Logf("%d forms", len(forms))
	kept, refused, same := 0, 0, 0
	for len(forms) > 0 {
		n := min(len(forms), 60)
		k, r, s := sweep(t, forms[:n])
		kept, refused, same = kept+k, refused+r, same+s
		forms = forms[n:]
	}
	t.Logf("recorded %d, refused %d, the same as of any value %d", kept, refused, same)
	if kept < 500 || refused < 5000 || same < 1000 {
		t.Error("too few of one outcome: the sweep does not reach what it should")
	}
}

// sweptKinds are what is put in X's place, by what a callback makes of t, and the values
// that could stand there.
var sweptKinds = []struct {
	name, of string
	values   []string
}{
	{"number", "t.priority", []string{"0", "1", "2", "-1"}},
	{"text", "t.title", []string{"''", "'a'", "'1'", "'Abc'"}},
	{"bool", "t.done", []string{"true", "false"}},
	{"null", "t.dueAt", []string{"null", "'2026-01-01T00:00:00.000Z'"}},
	{"computed", "t.priority + 1", []string{"0", "1", "7"}},
	{"condition", "t.priority === 1", []string{"true", "false"}},
	{"row", "t", []string{`{"id":1,"title":"a","status":"open","done":true,"priority":1,"dueAt":null}`}},
	{"link", "t.comments()", []string{"{}"}},
}

// recordedName is how the console shows what only describes a query.
var recordedName = regexp.MustCompile(`\[(task|title|status|done|priority|dueAt|comments|\(\{)[^"]*\]`)

// sweptForms are the language's own; X is what is swept, Y a plain variable.
var sweptForms = strings.Split(strings.TrimSpace(`
X === 1
1 === X
X !== Y
Y !== X
Y === X
X == null
X == Y
Y == X
Y != X
null === X
undefined !== X
X < 1
1 < X
Y >= X
X + 1
1 + X
'a' + X
X - 1
1 - X
Y * X
X / 2
2 % X
X ** 2
2 ** X
X & 1
1 | X
X << 1
1 >>> X
X ^ Y
X && 1
1 && X
X || 1
0 || X
X ?? 1
null ?? X
Y ?? X
!X
!!X
-X
+X
~X
void X
typeof X
typeof (X)
X ? 1 : 2
Y ? X : 2
(X, 1)
(1, X)
X in { 1: 1 }
'a' in X
X instanceof Object
[] instanceof X
X.nothing
X?.nothing
X['length']
X[0]
[1, 2][X]
({ a: 1 })[X]
({ [X]: 1 })
({ a: X })
({ X }).X === 1
({ ...X })
[...X]
[X]
[[X]][0][0] === 1
((...a) => a.length)(...X)
X()
X?.()
new X()
new X
delete X.a
delete X[0]
`+"`${X}`"+`
`+"`a${Y}b${X}`"+`
`+"((s, ...v) => v[0] === 1)`a${X}`"+`
`+"X`a`"+`
(() => { if (X) return 1; return 2 })()
(() => { if (!X) return 1; return 2 })()
(() => { while (X) return 1; return 2 })()
(() => { do { return 1 } while (X) })()
(() => { let n = 0; do { n++ } while (n < 2 && X); return n })()
(() => { for (; X;) return 1; return 2 })()
(() => { for (const x of X) return 1; return 2 })()
(() => { for (const k in X) return 1; return 2 })()
(() => { for (const x of [X]) if (x === 1) return 1; return 2 })()
(() => { switch (X) { case 1: return 1; case Y: return 2 } return 3 })()
(() => { switch (Y) { case X: return 1 } return 3 })()
(() => { switch (true) { case X: return 1; default: return 2 } })()
(() => { try { throw X } catch (e) { return e ? 1 : 2 } })()
(() => { try { throw X } catch (e) { return e === 1 } })()
(() => { let x = X; x += 1; return x })()
(() => { let x = 1; x += X; return x })()
(() => { let x = X; x -= 1; return x })()
(() => { let x = X; x++; return x })()
(() => { let x = X; return -x-- })()
(() => { let x = X; x ||= 1; return x })()
(() => { let x = X; x &&= 1; return x })()
(() => { let x = X; x ??= 1; return x })()
(() => { let x = null; x ??= X; return x })()
(() => { const o = { c: X }; o.c ||= 1; return o.c })()
(() => { const o = { c: X }; o.c &&= 1; return o.c })()
(() => { const o = { c: X }; o.c ??= 1; return o.c })()
(() => { const o = { c: X }, k = 'c'; o[k] ??= 1; return o.c })()
(() => { const o = { c: X }; o.c += 1; return o.c })()
(() => { const o = { c: X }; o.c++; return o.c })()
(() => { const a = [X]; a[0] &&= 5; return a[0] })()
(() => { const a = [X]; a[a.length - 1] ??= 5; return a[0] })()
(() => { const a = [[X]]; a[0][0] ??= 5; return a[0][0] })()
(() => { const [x = 5] = [X]; return x === 1 })()
(() => { const { x = 5 } = { x: X }; return x === 1 })()
(() => { const { id } = X; return id })()
(() => { const { id, ...rest } = X; return id })()
(() => { const [x] = X; return x })()
((x = 5) => x === 1)(X)
((x = X) => x === 1)()
((x, y = x === X) => y)(1)
((x, y = X ?? 1) => y)(1)
(() => { class A { f = X === 1 } return new A().f })()
(() => { class A { f = X ?? 1 } return new A().f })()
(() => { class A { f = Y === X } return new A().f })()
(() => { class A { static s = X ? 1 : 2 } return A.s })()
(() => { class A { static { this.s = Y === X } } return A.s })()
(() => { class A { is(x) { return x === X } } return new A().is(1) })()
(() => { class A { get x() { return X } } return new A().x ? 1 : 2 })()
(() => { class A { [X]() {} } return new A() })()
(() => { class A extends X {} return 1 })()
(() => { class A { #p = X; t() { return this.#p ? 1 : 2 } } return new A().t() })()
(() => { class A { #p = X; t() { return Y === this.#p } } return new A().t() })()
(() => { class A { #p = X; t() { this.#p ??= 1; return this.#p } } return new A().t() })()
(() => { const o = { get x() { return X } }; return o.x && 1 })()
(() => { const o = { get x() { return X } }; return Y === o.x })()
(() => { const o = { get x() { return X } }; return o.x ?? 1 })()
(() => { const o = { set x(v) { this.y = v } }; o.x = X; return o.y ? 1 : 2 })()
(() => { const o = { valueOf() { return X } }; return o == 1 })()
(() => { const o = { valueOf() { return X } }; return 1 == o })()
(() => { const o = { valueOf() { return X } }; return Y == o })()
(() => { const o = { valueOf() { return X } }; return o + 1 })()
(() => { const o = { valueOf() { return X } }; return o < 1 })()
(() => { const o = { toString() { return X } }; return '' + o })()
(() => { const o = { toString() { return X } }; return ({ a: 1 })[o] })()
(() => { const o = { toJSON() { return X } }; return JSON.stringify({ o }) })()
(() => { const o = { [Symbol.toPrimitive]() { return X } }; return o > 1 })()
(() => { const o = { [Symbol.toPrimitive]() { return X } }; return 1 == o })()
(() => { const o = { *[Symbol.iterator]() { yield X } }; return [...o][0] === 1 })()
(() => { const o = { *[Symbol.iterator]() { yield X } }; const [x] = o; return x ? 1 : 2 })()
(() => { class A { static [Symbol.hasInstance]() { return X } } return 1 instanceof A })()
(() => { class A { static [Symbol.hasInstance](x) { return x === 1 } } return X instanceof A })()
(() => { const g = (function* () { yield X })(); return g.next().value ? 1 : 2 })()
(() => { const g = (function* () { return Y === (yield 1) })(); g.next(); return g.next(X).value })()
(() => { const g = (function* () { return (yield 1) ?? 5 })(); g.next(); return g.next(X).value })()
(() => { const a = [X]; let n = 0; for (const x of a) { if (x) n++ } return n })()
(() => { const f = Boolean; return f(X) })()
(() => { const { is } = Object; return is(1, X) })()
(() => { const f = Number; return f(X) })()
(function () { return this ? 1 : 2 }).call(X)
(function () { return this === 1 }).call(X)
(function () { return arguments[0] ? 1 : 2 })(X)
(function () { return arguments[0] === 1 }).apply(null, [X])
((x) => x ? 1 : 2).bind(null, X)()
Boolean.call(null, X)
Boolean.bind(null, X)()
new Boolean(X).valueOf()
Array(X).length
new Array(X).length === 1
JSON['string' + 'ify']([X])
Number['isInte' + 'ger'](X)
JSON.stringify({ toJSON: () => [X] }, ['x'])
JSON.stringify({ a: { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: X } } } } } } } } } } }, ['a'])
[X].every(Boolean)
[X].some(Boolean)
[X].map(Boolean)
[X].filter(Boolean).length
[X].filter((x) => x).length
[1].filter(() => X).length
[1].some((x) => x === X)
[1].find((x) => x === X)
[1]['includes'](X)
[1].includes.call([1], X)
[X].includes(1)
[X].includes(Y)
[X].indexOf(1)
[X].lastIndexOf(Y)
[1, 2].indexOf(X)
[[1, 2]].map((a) => a.includes(X))[0]
new Set([1]).has(X)
new Set([X]).has(1)
new Set([1])['has'](X)
new Map([[1, 2]]).get(X)
new Map([[X, 2]]).get(1)
new Map([[1, X]]).get(1) === 1
new Map().set(X, 1).size
new Set([X, X]).size
Object.is(X, 1)
Object.is(1, X)
Object.is(Y, X)
Object.fromEntries([['a', X]]).a === 1
Object.fromEntries([[X, 1]])
Object.groupBy([1], () => X)
Map.groupBy([1], () => X).size
Object(X) ? 1 : 2
new Object(X) === 1
Object.assign({}, X)
Object.assign({}, { a: X }).a ? 1 : 2
Object.entries({ a: X })[0][1] === 1
Object.values({ a: X })[0] ? 1 : 2
JSON.stringify(X)
JSON.stringify([X])
JSON.stringify({ a: X })
JSON.stringify({ a: [{ b: X }] }, null, 1)
JSON.stringify({ a: X }, ['a'])
JSON.stringify({ a: X }, (k, v) => v)
JSON.stringify({ a: 1 }, () => X)
JSON.stringify({ a: X }).length
JSON.parse('[1]', () => X)
Promise.resolve(X) ? 1 : 2
structuredClone(X)
structuredClone({ a: X })
[3, 1, 2].sort(() => X)
[X, 1].sort()
[X, 1].join()
'abc'.includes(X)
'abc'.slice(X)
'abc'[X]
'a'.concat(X)
'abc'.replace('a', X)
'abc'.replace('a', () => X)
/a/.test(X)
/a/.exec(X)
'abc'.split(X)
'a'.padStart(X)
'a'.repeat(X)
String(X)
Number(X)
parseInt(X)
parseFloat(X)
isNaN(X)
isFinite(X)
Number.isInteger(X)
Number.isNaN(X)
Array.isArray(X)
Array.from(X)
Array.from([X])[0] === 1
Array.from([1], () => X)[0] ? 1 : 2
Array.of(X)[0] ? 1 : 2
Array(X)
new Array(X, 1)[0] === 1
new Date(X)
new Date(2020, X)
Date.UTC(X)
Math.max(X, 1)
Math.min(1, X)
Math.round(X)
Math.sign(X)
Symbol(X).toString()
new Error(X).message
new RegExp(X)
encodeURIComponent(X)
new Intl.NumberFormat('en-US').format(X)
[1].values().map(() => X).toArray()[0] ? 1 : 2
[1].values().filter(() => X).toArray().length
[1].values().some(() => X)
[X].values().find((x) => x)
Iterator.from([X]).toArray()[0] === 1
[[X]].flat()[0] ? 1 : 2
[1].flatMap(() => X)[0] === 1
[1].reduce(() => X) ? 1 : 2
[1].fill(X)[0] === Y
[].concat(X)[0] ? 1 : 2
[1].with(0, X)[0] === 1
[1].toSpliced(0, 1, X)[0] ? 1 : 2
[1].at(X)
[1].entries().next(X).done
`), "\n")

// builtInForms are calls of every function that the globals, and what literals inherit
// from, have.
func builtInForms(t *testing.T) []string {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	var globals []string
	for _, n := range exoeval.RealmNames() {
		if n != "console" && n != "undefined" && n != "NaN" && n != "Infinity" {
			globals = append(globals, n+": "+n)
		}
	}
	samples := []string{"[1, 2]", "[X]", "'abc'", "5", "true", "Symbol.iterator", "new Date(0)", "new Map([[1, 2]])", "new Set([1])", "new WeakMap()", "new WeakSet()", "/a/g",
		"({ a: 1 })", "((a) => 1)", "new Error('e')", "[1].values()", "new Map([[1, 2]]).keys()", "new Intl.NumberFormat('en-US')", "new Intl.DateTimeFormat('en-US')", "Decimal(1)"}
	o := r.Run(t, "const functions = (o) => Object.getOwnPropertyNames(o).filter((n) => { try { return typeof o[n] === 'function' && n !== 'const' + 'ructor' } catch { return false } });"+
		"const globals = {"+strings.Join(globals, ", ")+"}, out = { statics: {}, members: [] };"+
		"for (const n in globals) out.statics[n] = typeof globals[n] === 'function' || typeof globals[n] === 'object' ? functions(globals[n]) : [];"+
		"for (const s of ["+strings.ReplaceAll(strings.Join(samples, ", "), "X", "1")+"]) { const own = functions(s); out.members.push([...own, ...functions(Object.getPrototypeOf(s)), ...(Object.getPrototypeOf(Object.getPrototypeOf(s)) ? functions(Object.getPrototypeOf(Object.getPrototypeOf(s))) : [])]) } return out")
	var found struct {
		Statics map[string][]string
		Members [][]string
	}
	if err := json.Unmarshal([]byte(o.JSON), &found); err != nil {
		t.Fatalf("%v: %s", err, o)
	}
	var forms []string
	add := func(f string) {
		if !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	for global, names := range found.Statics {
		for _, args := range []string{"X", "[X]", "[[X, 1]]", "1, X"} {
			if o, ok := map[string]bool{"Math": true, "JSON": true, "Intl": true}[global]; !ok || !o {
				add(global + "(" + args + ")")
				add("new " + global + "(" + args + ")")
			}
			for _, n := range names {
				if n != "random" {
					add(global + "." + n + "(" + args + ")")
				}
			}
		}
		for _, n := range names {
			if n == "random" {
				continue
			}
			add(global + "." + n + "({ a: X })")
			if n != "fromAsync" { // it still runs when the program has its result, which is an error: TestUnawaited
				add(global + "." + n + "([1], () => X)")
			}
			add(global + "." + n + ".call(null, X)")
		}
	}
	for i, names := range found.Members {
		for _, n := range names {
			if !regexp.MustCompile(`^[A-Za-z]+$`).MatchString(n) {
				continue
			}
			for _, args := range []string{"X", "1, X", "() => X", "(x) => x", "(x) => x === X", "1", ""} {
				if strings.Contains(samples[i]+args, "X") {
					add("(" + samples[i] + ")." + n + "(" + args + ")")
				}
			}
			add("(" + samples[i] + ")." + n + ".call(X)")
			add("(" + samples[i] + ")." + n + ".call(X, 1)")
		}
	}
	slices.Sort(forms)
	return forms
}

// sweep runs some forms with every kind in every kind of function.
func sweep(t *testing.T, forms []string) (kept, refused, same int) {
	t.Helper()
	r := testutil.As(t, testutil.Open(t), testutil.Acme, testutil.Both{Limits: exo.Limits{ConsoleBytes: 8 << 20}, Bounds: exoeval.Bounds{Wall: time.Minute, Total: time.Minute, CPU: time.Minute, SourceBytes: 1 << 20}})
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("const Y = 7;")
	// Methods are never rewritten: what is in L and plain is JavaScript as the engine has it.
	line("const L = { log(how, i, k, r) { console.log(how, i, k, r instanceof Promise ? '[a promise: await it]' : r); try { if (r instanceof Promise) r.catch((e) => console.log(how, i, k, L.failed(e))) } catch {} }, failed(e) { try { return '!' + (e.kind ?? e.name) } catch { return '!recorded' } },")
	line("try(how, i, k, f) { try { f() } catch (e) { console.log(how, i, k, L.failed(e)) } } };")
	line("const plain = [")
	for _, f := range forms {
		line("{ f(X) { return %s } },", f)
	}
	line("];")
	b.WriteString("const values = {")
	for _, k := range sweptKinds {
		fmt.Fprintf(&b, "%s: [() => (%s)], ", k.name, strings.Join(k.values, "), () => ("))
	}
	line("};")
	line("const X = (k, t) => { switch (k) {")
	for _, k := range sweptKinds {
		line("case '%s': return %s;", k.name, k.of)
	}
	line("} };")
	line("for (const k in values) { L.try('x', 0, k, () => tasks.select((t) => { const x = X(k, t); L.log('x', 0, k, x); return { a: k === 'link' ? t.id : x } }));")
	line("for (let i = 0; i < plain.length; i++) {")
	line("values[k].forEach((v, n) => L.try('p' + n, i, k, () => L.log('p' + n, i, k, plain[i].f(v()))));")
	// Once with what came out in the query, and once without: it must be there if it is a
	// longer expression, and can't be if it is none.
	for _, kept := range []string{"", ", r"} {
		line("L.try('plain%s', i, k, () => tasks.select((t) => { const x = X(k, t), r = plain[i].f(x); L.log('plain%s', i, k, r); return { a: k === 'link' ? t.id : x%s } }));", kept, kept, kept)
		line("L.try('recorded%s', i, k, () => tasks.select((t) => { const x = X(k, t), r = [", kept)
		for _, f := range forms {
			line("(X) => %s,", f)
		}
		line("][i](x); L.log('recorded%s', i, k, r); return { a: k === 'link' ? t.id : x%s } }));", kept, kept)
	}
	line("} }")
	line("let dead; tasks.select((t) => { dead = t.priority; return { dead } });")
	line("for (let i = 0; i < plain.length; i++) { L.try('outside', i, 'number', () => L.log('outside', i, 'number', plain[i].f(dead))); L.try('outside', i, 'link', () => L.log('outside', i, 'link', plain[i].f(tasks))); }")
	o := r.Run(t, b.String())
	if o.Result.Err != nil {
		if len(forms) == 1 {
			t.Errorf("%s: %v", forms[0], o.Result.Err)
			return 0, 0, 0
		}
		for _, f := range forms { // which of them it is
			k, r, s := sweep(t, []string{f})
			kept, refused, same = kept+k, refused+r, same+s
		}
		return kept, refused, same
	}
	ends := map[string]string{}
	for _, l := range strings.Split(o.Console, "\n") {
		parts := strings.SplitN(strings.Replace(l, ", r ", ",r ", 1), " ", 4)
		if len(parts) == 4 {
			ends[parts[0]+" "+parts[1]+" "+parts[2]] = parts[3] // the last one: an error comes after what was logged
		}
	}
	for i, form := range forms {
		for _, k := range sweptKinds {
			var want []string
			for n := 0; ; n++ {
				w, ok := ends[fmt.Sprintf("p%d %d %s", n, i, k.name)]
				if !ok {
					break
				}
				want = append(want, w)
			}
			name := ends["x 0 "+k.name]
			for _, how := range []string{"plain", "recorded", "outside"} {
				got, ran := ends[fmt.Sprintf("%s,r %d %s", how, i, k.name)]
				if !ran || strings.HasPrefix(got, "!") {
					got, ran = ends[fmt.Sprintf("%s %d %s", how, i, k.name)]
				}
				switch {
				case !ran && how == "outside":
				case !ran:
					t.Errorf("%s, %s: %s did not run", form, k.name, how)
				case strings.HasPrefix(got, "!"):
					refused++
				case isName(got, name) && how != "outside":
					for n, w := range want {
						if as := as(got, name, k.values[n]); as != w {
							t.Errorf("%s of a %s, %s: it is what it was, and of %d it is %s", form, k.name, how, n, w)
							break
						}
					}
					kept++
				case recordedName.MatchString(got):
					kept++
				default:
					if (k.name == "row" || k.name == "link") && got == ends[fmt.Sprintf("p0 %d number", i)] {
						want = nil // Object.isFrozen and the like take it for no object
					}
					if how == "outside" && got == ends[fmt.Sprintf("p0 %d link", i)] {
						want = nil // what outlived its callback is in no query: it may be an object like any other
					}
					for n, w := range want {
						if w != got {
							t.Errorf("%s of a %s, %s: it gives %.100s without an error, and of value %d %.100s", form, k.name, how, got, n, w)
							break
						}
					}
					same++
				}
			}
		}
	}
	return kept, refused, same
}

func isName(got, name string) bool { return strings.Contains(got, name) }

// as is what was logged with a value in the place of a name.
func as(got, name, value string) string {
	if got == name {
		return strings.Trim(value, "'")
	}
	return strings.ReplaceAll(got, `"`+name+`"`, strings.ReplaceAll(value, "'", `"`))
}
