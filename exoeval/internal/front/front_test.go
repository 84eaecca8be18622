package front

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

func testConfig() Config {
	cfg := Config{MaxSource: 64 << 10, MaxNesting: 100, Globals: map[string]bool{}, Grants: []string{"currentUser", "todos"}, Describing: map[string]bool{}}
	for _, n := range strings.Fields("Array Object Map Set Date JSON Math Promise String Number Boolean RegExp Error TypeError Symbol parseInt isNaN console") {
		cfg.Globals[n] = true
	}
	for _, n := range strings.Fields("where join select orderBy") {
		cfg.Describing[n] = true
	}
	return cfg
}

// checked compiles a program.
func checked(src string, cfg Config) (*Program, error) {
	p, _, err := Compile(src, cfg)
	return p, err
}

// plainHelpers are the helpers with nothing to record: what the operators do.
const plainHelpers = `(() => { const h = {
	op(o, a, b) { switch (o) {
		case '===': return a === b; case '!==': return a !== b; case '==': return a == b; case '!=': return a != b;
		case '<': return a < b; case '<=': return a <= b; case '>': return a > b; case '>=': return a >= b;
		case '+': return a + b; case '-': return a - b; case '*': return a * b; case '/': return a / b; case '%': return a % b; case '**': return a ** b;
		case '|': return a | b; case '&': return a & b; case '^': return a ^ b; case '<<': return a << b; case '>>': return a >> b; case '>>>': return a >>> b;
		case 'in': return a in b; case 'instanceof': return a instanceof b;
	} throw new Error('operator ' + o) },
	un(o, a) { if (o === '!') return !a; if (o === '-') return -a; throw new Error('operator ' + o) },
	and(a, b) { return a && b() }, or(a, b) { return a || b() }, nn(a, b) { return a ?? b() }, if(t, a, b) { return t ? a() : b() },
	tpl(s, ...v) { let r = s[0]; v.forEach((x, i) => r += String(x) + s[i + 1]); return r },
	test(t) { return t }, await(x) { return x }, typeof(x) { return typeof x }, switch(x) { return x }, callee(n, f) { return f }, arg(n, x) { return x },
	spread(x) { return x }, target(x) { return x },
	calc(o, a, b) { return o === '-x' ? -a : o === '+x' ? +a : o === '~x' ? ~a : o === 'Number' ? a : o === 'typeof' ? typeof a : o === 'case' ? a : h.op(o, a, b) },
	ref(o, k) { return { o, k, was: o[k] } }, assign(o, r, b) { return r.o[r.k] = h.op(o, r.was, b) }, exact(set) { if (h.exactly) set() },
	sent(x) { return x }, called(p) { return p }, kept(x) { return x },
	member(o, k) { const f = o[k]; return (...a) => { if (typeof f !== 'function') throw new TypeError(k); return f.apply(o, a) } },
}; return h })()`

// testRealm is a bare runtime with the helpers, a console, and capabilities.
func testRealm(t testing.TB) (vm *goja.Runtime, helpers *goja.Object, api goja.Value) {
	t.Helper()
	vm = goja.New()
	v, err := vm.RunString(plainHelpers)
	if err != nil {
		t.Fatal(err)
	}
	helpers = v.ToObject(vm)
	for _, n := range helpers.Keys() {
		vm.Set("\x00"+n, helpers.Get(n))
	}
	vm.Set(HelperRecording, false)
	vm.Set(HelperHearing, false)
	api, err = vm.RunString(`var console = {log(){}}; var todos = {
		where(f) { return f({done: false, n: 3, title: 'x', tags: null}) }, select(f) { return f({n: 3, m: 4}) }, name: 'todos' };
		var currentUser = {id: 7}; ({todos, currentUser, n: 42})`)
	if err != nil {
		t.Fatal(err)
	}
	return vm, helpers, api
}

// runSource runs a program and renders its result as JSON.
func runSource(t testing.TB, src string) string {
	t.Helper()
	p, err := checked(src, testConfig())
	if err != nil {
		t.Fatalf("compile %.200q: %v", src, err)
	}
	vm, _, api := testRealm(t)
	return runCompiled(t, vm, p.Compiled, api)
}

func runCompiled(t testing.TB, vm *goja.Runtime, p *goja.Program, api goja.Value) string {
	t.Helper()
	v, err := vm.RunProgram(p)
	if err != nil {
		return "throws " + err.Error()
	}
	fn, ok := goja.AssertFunction(v)
	if !ok {
		t.Fatalf("the program is %v, no function", v)
	}
	v, err = fn(goja.Undefined(), api)
	if err != nil {
		return "throws " + err.(*goja.Exception).Value().String()
	}
	if pr, ok := v.Export().(*goja.Promise); ok {
		switch pr.State() {
		case goja.PromiseStatePending:
			return "pending"
		case goja.PromiseStateRejected:
			return "throws " + pr.Result().String()
		}
		v = pr.Result()
	}
	if v == nil || goja.IsUndefined(v) {
		return "undefined"
	}
	stringify, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("stringify"))
	s, err := stringify(goja.Undefined(), v)
	if err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func refusal(t testing.TB, src string, cfg Config) *fail.Error {
	t.Helper()
	_, err := checked(src, cfg)
	var e *fail.Error
	if !errors.As(err, &e) {
		t.Fatalf("compile %.200q: got %v, want an *fail.Error", src, err)
	}
	return e
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"(api) => api.n", "42"},
		{"async (api) => { return api.n };", "42"},
		{"// what it does\n(api) => api.n // end", "42"},
		{"async ({ n }) => n + 1", "43"},
		{"api => api.n", "42"},
		{"() => api.n", "42"},
		{"async () => { return await api.n }", "42"},
		{"async function main(api) { return api.n }", "42"},
		{"function (api) { return api.n }", "42"},
		{"async function ({ n }) { return n }", "42"},
		{"(async (api) => api.n)", "42"},
		{"(async () => { return api.n })()", "42"},
		{"export default async (api) => api.n", "42"},
		{"export default async function main(api) { return api.n }", "42"},
		{"export default async function (api) { return api.n }", "42"},
		{"const k = 1;\nexport default function (api) { return api.n + k };", "43"},
		{"module.exports = async (api) => api.n;", "42"},
		{"async function main(api) { return api.n }\nmodule.exports = main", "42"},
		{"async function main(api) { return api.n }\nexport default main;", "42"},
		{"export const main = async (api) => api.n", "42"},
		{"export async function main(api) { return api.n }", "42"},
		{"async function main(api) { return api.n }\nexport { main, main as default };", "42"},
		{"const k = 1\nexport {}\n(async (api) => api.n + k)", "43"},
		{"return Promise.resolve(api.n)", "42"},
		{"return (async () => api.n)()", "42"},
		{"async function main(api) { return api.n }\nmain(api).then(r => r + 1)", "43"},
		{"'use strict';\n(api) => api.n", "42"},
		{"const x = await api.n; return x", "42"},
		{"api.n", "42"},
		{"await api.n;", "42"},
		{"const x = 1\nx + api.n", "43"},
		{"const x = 1", "undefined"},
		{"if (api.n > 1) { return 'big' }\n'small'", `"big"`},
		{"{ a: api.n, b: 2 }", `{"a":42,"b":2}`},
		{"({ a: api.n })", `{"a":42}`},
		{"currentUser.id", "7"},
		{"const main = async (api) => api.n", "42"},
		{"const main = async (api) => api.n;\nmain(api)", "42"},
		{"const main = async (api) => api.n;\nmain();", "42"},
		{"async function main(api) { return api.n }\nawait main()", "42"},
		{"async function main(api) { return api.n }\nmain().catch(e => e)", "42"},
		{"async function main(api) { return api.n }\nreturn main()", "42"},
		{"const k = 2; function helper(x) { return x * k }\nasync function main(api) { return helper(api.n) }", "84"},
		{"var main = function () { return api.n }", "42"},
		{"const half = x => x / 2;\nasync (api) => half(api.n)", "21"},
		{"const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2);\nreturn f(10)", "55"},
		{"function unused() {}\nfunction main(api) { return api.n }", "42"},
		{"```js\n(api) => api.n\n```", "42"},
		{"\n  ```typescript\r\nreturn api.n\r\n```\r\n", "42"},
		{"Here is (the) program:\n\n```javascript\napi.n\n```\n", "42"},
		{"```\napi.n\n```", "42"},
		{"```js\napi.n", "42"},
		{"api.n\n```", "42"},
		{"/*\n```js\nx\n```\n*/ return 1", "1"},
		{"(function () { return typeof this })()", `"undefined"`},
	} {
		if got := runSource(t, c.src); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// What models write must be accepted, and mean what it means in JavaScript.
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"let s = 0; for (const x of [1, 2, 3]) { if (x === 2) continue; s += x } return s", "4"},
		{"let r = []; for (const k in {a: 1, b: 2}) r.push(k); return r", `["a","b"]`},
		{"let i = 0; do { i++ } while (i < 3); while (i < 10) i++; return i", "10"},
		{"outer: for (let i = 0; ; i++) { for (;;) { if (i > 2) break outer; continue outer } } return 1", "1"},
		{"switch (api.n) { case 1: return 'a'; case 42: { let x = 'b'; return x } default: return 'c' }", `"b"`},
		{"try { throw new Error('x') } catch (e) { return e.message } finally { }", `"x"`},
		{"try { null.x } catch { return 1 }", "1"},
		{"try { throw {a: 1} } catch ({ a }) { return a }", "1"},
		{"function* g() { const x = yield 1; yield* [2, x] } return [...g()]", "[1,2,null]"},
		{"class A { #p = 1; static s = 2; static #q() { return 3 } static { A.t = A.#q() } get p() { return this.#p } constructor(x) { this.x = x } m() { return super.toString === Object.create(null).x } has(o) { return #p in o } }\nclass B extends A { constructor() { super(5); this.n = new.target.name } }\nconst b = new B(); return [b.p, A.s, A.t, b.x, b.n, b.has(b)]", `[1,2,3,5,"B",true]`},
		{"const { a, b: { c = 5, ...rest } = {}, ...more } = { a: 1, b: { d: 2 }, e: 3 }; return [a, c, rest, more]", `[1,5,{"d":2},{"e":3}]`},
		{"const [x, , y = 3, ...z] = [1, 2, undefined, 4, 5]; return [x, y, z]", "[1,3,[4,5]]"},
		{"let a = 1, b = 2; [a, b] = [b, a]; ({ a, x: b = 9 } = { a: 7 }); return [a, b]", "[7,9]"},
		{"const o = { a: 1, get b() { return 2 }, set b(v) {}, ['c' + 1]: 3, d() { return 4 }, async e() {}, *f() {}, ...{ g: 5 }, 'h-i': 6, 7: 8 }; return [o.a, o.b, o.c1, o.d(), o.g, o['h-i'], o[7]]", "[1,2,3,4,5,6,8]"},
		{"const tag = (s, ...v) => s.raw.join('|') + v.join(','); return tag`a${1}b${2}c`", `"a|b|c1,2"`},
		{"return 'a-b_c'.replace(/[-_](\\w)/g, (m, c) => c.toUpperCase())", `"aBC"`},
		{"return /(?<year>\\d{4})-(?<m>\\d\\d)/u.exec('2024-05').groups.year", `"2024"`},
		{"return 'a\\nb'.match(/a[\\s\\S]b/)[0].length + ' x'.search(/[^\\S]x/)", "3"},
		{"const o = { a: { b: null } }; return [o?.a?.b?.c ?? 'd', o.x?.(), o?.['a'] !== undefined, delete o.a]", `["d",null,true,true]`},
		{"return (1, 2) + void 0 ?? 3", "null"},
		{"return [typeof nothing, 'a' in {a: 1}, [] instanceof Array, 2 ** 3, 7 % 4, ~1, 1 << 3, -(-1) >>> 0]", `["undefined",true,true,8,3,-2,8,1]`},
		{"let x = null; x ??= 1; x ||= 2; x &&= 3; x **= 2; return x", "9"},
		{"const r = await Promise.all([1, 2].map(async x => await x * 2)); return r", "[2,4]"},
		{"const f = function fact(n) { return n ? n * fact(n - 1) : 1 }; return f(5)", "120"},
		{"function f() { return arguments.length } return f(1, 2)", "2"},
		{"return g(); function g() { return h } var h = 1", "undefined"},
		{"const r = /[/]/.test('/') ? 10 / 2 / 5 : 0; return r", "1"},
		{"const s = 'it''s'.length", ""},
		{"class E extends Error { constructor(m) { super(m); this.name = 'E' } } try { throw new E('q') } catch (e) { return e instanceof E && e.name }", `"E"`},
		{"const cöde = 'ü€😀'; return `${cöde}!`", `"ü€😀!"`},
		{"const constructor = 1, prototype = 2; return { constructor, prototype }", `{"constructor":1,"prototype":2}`},
		{"const m = new Map([['a', [1]]]); for (const [k, [v]] of m) return k + v", `"a1"`},
		{"let a = 1\nlet b = a\n++b\nreturn b", "2"},
		{"var x = x || 4; { function q() { return x } } return x", "4"},
		{"return ((a, b = a) => a + b)(2)", "4"},
		{"const eval1 = 1_000; return eval1", "1000"},
		{"label: { break label } return 1", "1"},
		{"return `a${`b${`c`}`}` + `}` + '`'", "\"abc}`\""},
		{"class A {} /[(]/.test('x'); try {} finally {} /[)]/.test(1); return 2", "2"},
		{"if (1) { } /x/.test('x'); return 2", "2"},
	} {
		if c.want == "" {
			refusal(t, c.src, testConfig())
			continue
		}
		if got := runSource(t, c.src); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// Each refusal has a twin beside it that differs by the refused thing only.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		src, twin string
		kind      fail.Kind
		line, col int
		says      string
	}{
		{"with (api) { n }", "if (api) { n() } function n() {}", fail.Syntax, 1, 1, "destructuring"},
		{"debugger", "console.log()", fail.Syntax, 1, 1, "console.log"},
		{"return 1n", "return 1", fail.Syntax, 1, 8, "BigInt"},
		{"return 0x1Fn ** 2n", "return 0x1F", fail.Syntax, 1, 8, "BigInt"},
		{"/(?=a)(a+)+$/.test('a')", "/(?:a)(a+)+$/.test('a')", fail.Syntax, 1, 1, "lookahead"},
		{"/(?!a)b/", "/(?:a)b/", fail.Syntax, 1, 1, "lookahead"},
		{"/(?<=a)b/", "/(?<x>a)b/", fail.Syntax, 1, 1, "lookbehind"},
		{"/(?<!a)b/", "/(?:a)b/", fail.Syntax, 1, 1, "lookbehind"},
		{"/(a)\\1/", "/(a)\\x41/", fail.Syntax, 1, 1, "reference"},
		{"/(?<x>a)\\k<x>/", "/(?<x>a)/", fail.Syntax, 1, 1, "reference"},
		{"/(?<userId>a)/", "/(?<user>a)/", fail.Syntax, 1, 1, "group name"},
		{"/a{1001}/", "/a{1000}/", fail.Syntax, 1, 1, "1000"},
		{"/(abcdefghij){300}/", "/(abcdefghij){30}/", fail.Syntax, 1, 1, "too large"},
		{"/" + strings.Repeat("a", 1001) + "/", "/" + strings.Repeat("a", 1000) + "/", fail.Syntax, 1, 1, "1000 bytes"},
		{"/a/v", "/a/u", fail.Syntax, 1, 1, "flag"},
		{"/(/", "/()/", fail.Syntax, 1, 1, "not valid"},
		{"return this", "return function () { return this }", fail.Syntax, 1, 8, "api"},
		{"(api) => () => this", "(api) => function () { return () => this }", fail.Syntax, 1, 16, "api"},
		{"class A { [this] = 1 }", "class A { x = this }", fail.Syntax, 1, 12, "api"},
		{"class A extends (this, Error) {}", "class A { static { this.x = 1 } }", fail.Syntax, 1, 18, "api"},
		{"try return 1", "({ try: 1, if() {}, for: 2, function: 3, catch() {} }).catch()", fail.Syntax, 1, 5, "after `try`"},
		{"if x > 1 return 2", "if (api.n > 1) return 2", fail.Syntax, 1, 4, "after `if`"},
		{"class A extends class {} {}", "class A extends Array {}; (class extends Array {})", fail.Syntax, 1, 17, "after `extends`"},
		{"x = [1, 2)", "let x = [1, 2]", fail.Syntax, 1, 10, "`[` is still open"},
		{"new.target", "function f() { new.target }; 1", fail.Syntax, 1, 1, "new.target"},
		{"super.x", "class A extends Array { m() { return super.x } }", fail.Syntax, 1, 1, "super"},
		{"import.meta.url", "api.meta.url", fail.Syntax, 1, 1, "no modules"},
		{"eval('1')", "parseInt('1')", fail.Syntax, 1, 1, "strings"},
		{"new Function('return 1')", "new Error('return 1')", fail.Syntax, 1, 5, "strings"},
		{"typeof Function", "typeof Funktion", fail.Syntax, 1, 8, "strings"},
		{"({ Function })", "({ Error })", fail.Syntax, 1, 4, "strings"},
		{"globalThis.x", "api.x", fail.Syntax, 1, 1, "currentUser, todos"},
		{"(() => 1).constructor('x')", "({}).konstructor", fail.Syntax, 1, 11, "instanceof"},
		{"api['constructor']", "api['constructors']", fail.Syntax, 1, 5, "instanceof"},
		{"api[`constructor`]", "api[`x`]", fail.Syntax, 1, 5, "instanceof"},
		{"api?.constructor", "api?.x", fail.Syntax, 1, 6, "instanceof"},
		{"api?.['constructor']", "api?.['x']", fail.Syntax, 1, 7, "instanceof"},
		{"api.c\\u006fnstructor", "api.c\\u006fn", fail.Syntax, 1, 5, "instanceof"},
		{"const { constructor: C } = api", "const { x: C } = api", fail.Syntax, 1, 9, "instanceof"},
		{"const { constructor } = api", "const { x } = api", fail.Syntax, 1, 9, "instanceof"},
		{"const { ['constructor']: C } = api", "const { ['x']: C } = api", fail.Syntax, 1, 10, "instanceof"},
		{"let C; ({ constructor: C } = api)", "let C; ({ x: C } = api)", fail.Syntax, 1, 11, "instanceof"},
		{"(({ constructor: C }) => C)(api)", "(({ x: C }) => C)(api)", fail.Syntax, 1, 5, "instanceof"},
		{"for (const { constructor: C } of [api]) {}", "for (const { x: C } of [api]) {}", fail.Syntax, 1, 14, "instanceof"},
		{"try {} catch ({ constructor: C }) {}", "try {} catch ({ x: C }) {}", fail.Syntax, 1, 17, "instanceof"},
		{"class A extends Error { m() { return super.constructor } }", "class A extends Error { m() { return super.m } }", fail.Syntax, 1, 44, "instanceof"},
		{"Array.prototype.x = 1", "api.x = 1", fail.Syntax, 1, 7, "class"},
		{"({ __proto__: api })", "({ _proto_: api })", fail.Syntax, 1, 4, "Object.create"},
		{"({ '__proto__': api })", "({ 'proto': api })", fail.Syntax, 1, 4, "Object.create"},
		{"({ ['__proto__']: api })", "({ ['proto']: api })", fail.Syntax, 1, 5, "Object.create"},
		{"api.__proto__ = null", "api.proto = null", fail.Syntax, 1, 5, "Object.create"},
		{"api.__defineGetter__('x', () => 1)", "api.defineGetter", fail.Syntax, 1, 5, "get name"},
		{"function f() { arguments.callee } f()", "function f() { arguments.length } f()", fail.Syntax, 1, 26, "name"},
		{"import x from 'y'\nreturn 1", "const x = 'y'\nreturn 1", fail.Syntax, 1, 1, "no modules"},
		{"return 1\nexport * from 'a'", "return 1\nexport const a = 1", fail.Syntax, 2, 1, "no modules"},
		{"return 1\nexport { a } from 'b'", "return 1\nexport { a, b as c }", fail.Syntax, 2, 1, "no modules"},
		{"const x = await import('fs')", "const x = await api('fs')", fail.Syntax, 1, 17, "no modules"},
		{"const fs = require('fs')", "const fs = String('fs')", fail.Syntax, 1, 12, "no modules"},
		{"for await (let i = 0;;) {}", "for (let i = 0;;) {}", fail.Syntax, 1, 1, "const x of list"},
		{"for await (const k in api) {}", "for await (const k of api) {}", fail.Syntax, 1, 1, "const x of list"},
		{"for await x of api {}", "for await (const x of api) {}", fail.Syntax, 1, 11, "const x of list"},
		{"() => { for await (const x of api) {} }", "async () => { for await (const x of api) {} }", fail.Syntax, 1, 9, "async"},
		{"class A { static { for await (const x of api) {} } }", "class A { async m() { for await (const x of api) {} } }", fail.Syntax, 1, 20, "async"},
		{"async function* g() {}", "async function g() {}", fail.Syntax, 1, 1, "array"},
		{"const o = { async *g() {} }", "const o = { async g() {} }", fail.Syntax, 1, 20, "array"},
		{"class A { async *g() {} }", "class A { async g() {} }", fail.Syntax, 1, 11, "array"},
		{"await fetch('http://x')", "await parseInt('http://x')", fail.Syntax, 1, 7, "network"},
		{"process.env.HOME", "api.env", fail.Syntax, 1, 1, "environment"},
		{"setTimeout(() => {}, 1)", "String(() => {}, 1)", fail.Syntax, 1, 1, "timers"},
		{"cosole.log(1)", "console.log(1)", fail.Syntax, 1, 1, "did you mean `console`"},
		{"const totl = 1; return total", "const total = 1; return total", fail.Syntax, 1, 24, "did you mean `totl`"},
		{"return curentUser.id", "return currentUser.id", fail.Syntax, 1, 8, "granted object `currentUser` (it is also `api.currentUser`)"},
		{"(cap) => api.n", "(api) => api.n", fail.Syntax, 1, 10, "first parameter"},
		{"function f() { const inner = 1 } return inner", "const inner = 1; return inner", fail.Syntax, 1, 41, "not defined"},
		{"{ let a1 = 1 } return a1", "let a1 = 1; return a1", fail.Syntax, 1, 23, "not defined"},
		{"for (let i = 0; i < 1; i++) {} return i", "for (var i = 0; i < 1; i++) {} return i", fail.Syntax, 1, 39, "not defined"},
		{"return () => arguments", "return function () { arguments }", fail.Syntax, 1, 14, "not defined"},
		{"return cosole + typeof cosole", "return typeof cosole", fail.Syntax, 1, 8, "console"},
		{"total = 1", "let total = 1", fail.Syntax, 1, 1, "let total"},
		{"const c = 1; c = 2", "let c = 1; c = 2", fail.Syntax, 1, 14, "a const"},
		{"const c = 1; c++", "let c = 1; c++", fail.Syntax, 1, 14, "a const"},
		{"const c = 1; [c] = [2]", "let c = 1; [c] = [2]", fail.Syntax, 1, 15, "a const"},
		{"for (const c of [1]) c = 2", "for (let c of [1]) c = 2", fail.Syntax, 1, 22, "a const"},
		{"todos = 1", "todos.x = 1", fail.Syntax, 1, 1, "granted object"},
		{"Array = 1", "Array.x = 1", fail.Syntax, 1, 1, "built in"},
		{"const todos = await todos.where(x => x)", "const mine = await todos.where(x => x)", fail.Syntax, 1, 21, "own declaration"},
		{"const x: number = ;", "const x: number = 1", fail.Syntax, 1, 19, "Unexpected token ;"},
		{"const x: = 1", "const x: y = 1", fail.Syntax, 1, 8, "not understood"},
		{"@log\nclass A {}", "class A {}", fail.Syntax, 1, 1, "call the function yourself"},
		{"class A { @log m(): void {} }", "class A { m(): void {} }", fail.Syntax, 1, 11, "call the function yourself"},
		{"class A { m(@x a: string) {} }", "class A { m(a: string) {} }", fail.Syntax, 1, 13, "call the function yourself"},
		{"namespace N { export const a = 1 }", "declare namespace N { const a: number }", fail.Syntax, 1, 1, "plain object"},
		{"const a = 1\nmodule N.M { }", "const a = 1\ndeclare module N.M { }", fail.Syntax, 2, 1, "plain object"},
		{"import { A } from './a'; const x: A = 1", "import { type A } from './a'; const x: A = 1", fail.Syntax, 1, 1, "no modules"},
		{"interface A { x: string }\nlet a: A = { x: '' };\nreturn cosole", "interface A { x: string }\nlet a: A = { x: '' };\nreturn console", fail.Syntax, 3, 8, "console"},
		{"enum E { A = 'a', B = cosole }\nreturn E.A", "enum E { A = 'a', B = 2 }\nreturn E.A", fail.Syntax, 1, 23, "console"},
		{"enum E { A }; return E.A +", "enum E { A }; return E.A", fail.Syntax, 1, 27, "ends"},
		{"enum E { A }; return cosole", "enum E { A }; return console", fail.Syntax, 1, 22, "console"},
		{"class A extends Array { constructor(private x: number) { this.y = 1 } }", "class A extends Array { constructor(private x: number) { super() } }", fail.Syntax, 1, 56, "super"},
		{"const f = <T>(x: T) => x; f<api.x.constructor>(1); return ({} as any).constructor", "const f = <T>(x: T) => x; f<api.x.constructor>(1); return ({} as any).konstructor", fail.Syntax, 1, 71, "instanceof"},
		{"todos<Row>(1); missing", "todos<Row>(1); todos", fail.Syntax, 1, 16, "missing"},
		{"const x: number = 1n", "const x: number = 1", fail.Syntax, 1, 19, "BigInt"},
		{"const f = (x) => { await x }", "const f = async (x) => { await x }", fail.Syntax, 1, 26, "async"},
		{"const f = (x) => { await (x) }", "const f = async (x) => { await (x) }", fail.Syntax, 1, 20, "async"},
		{"return 'abc", "return 'abc'", fail.Syntax, 1, 8, "unterminated"},
		{"if (1) { return 2", "if (1) { return 2 }", fail.Syntax, 1, 8, "never closed"},
		{"let a; let a", "let a; let b", fail.Syntax, 1, 12, "already been declared"},
		{"function a() {}\nfunction b() {}", "function a() {}\nfunction b() { a() }", fail.Syntax, 1, 1, "return a(api)"},
		{"}); console.log(1); (async () => {", "(() => {}); console.log(1); (async () => {})", fail.Syntax, 1, 1, "brackets"},
		{"}, () => {", "(() => {}, () => {})", fail.Syntax, 1, 1, "brackets"},
		{"  \n ", "1", fail.Syntax, 0, 0, "empty"},
		{"return '\xff'", "return '\u00ff'", fail.Syntax, 1, 9, "UTF-8"},
		{"todos.where(t => t.n && await 1)", "todos.where(t => t.n && 1)", fail.Syntax, 1, 31, "async"},
		{"todos.where(async t => t.n && await 1)", "todos.where(async t => await 1)", fail.Syntax, 1, 31, "const before"},
		{"todos.where(function* (t) { t.n ? yield 1 : 2 })", "todos.where(function* (t) { yield 1 })", fail.Syntax, 1, 35, "const before"},
		{"```js\nreturn 1 +\n  cosole\n```", "```js\nreturn 1 +\n  console\n```", fail.Syntax, 3, 3, "console"},
		{"return '😀' + cosole", "return '😀' + console", fail.Syntax, 1, 15, "console"},
	} {
		e := refusal(t, c.src, testConfig())
		if e.Kind != c.kind || e.Pos.Line != c.line || e.Pos.Column != c.col || !strings.Contains(e.Guest(), c.says) {
			t.Errorf("%q\n got %v %d:%d %s\nwant %v %d:%d ...%s...", c.src, e.Kind, e.Pos.Line, e.Pos.Column, e.Guest(), c.kind, c.line, c.col, c.says)
		}
		if e.Pos.Line > 0 && len(c.src) < 400 && e.Pos.Text != strings.Split(c.src, "\n")[e.Pos.Line-1] {
			t.Errorf("%q: source line %q", c.src, e.Pos.Text)
		}
		if _, err := checked(c.twin, testConfig()); err != nil {
			t.Errorf("twin %q: %v", c.twin, err)
		}
	}
}

func TestMissingOnlyWhenMissing(t *testing.T) {
	cfg := testConfig()
	cfg.Globals["URL"] = true
	if _, err := checked("URL(api)", cfg); err != nil {
		t.Error(err)
	}
	if e := refusal(t, "URL(api)", testConfig()); !strings.Contains(e.Guest(), "string functions") {
		t.Error(e)
	}
}

func TestLimits(t *testing.T) {
	rep := strings.Repeat
	for _, c := range []struct{ name, src, twin string }{
		{"spine", "1" + rep("+1", 30000), "1" + rep("+1", 2500)},
		{"members", "api" + rep(".a", 30000), "api" + rep(".a", 1000)},
		{"calls", "api" + rep("()", 30000), "api" + rep("()", 1000)},
		{"size", rep(" ", 64<<10) + "1", rep(" ", 64<<10-1) + "1"},
	} {
		if e := refusal(t, c.src, testConfig()); e.Kind != fail.Limit || !strings.Contains(e.Guest(), "limit") && !strings.Contains(e.Guest(), "more than") {
			t.Errorf("%s: %v", c.name, e)
		}
		if _, err := checked(c.twin, testConfig()); err != nil {
			t.Errorf("%s twin: %v", c.name, err)
		}
	}
	if e := refusal(t, "1", Config{}); e.Kind != fail.Limit {
		t.Errorf("the zero config must admit nothing, got %v", e)
	}
}

// The comment that makes goja read a file while it parses does nothing here.
func TestSourceMapComment(t *testing.T) {
	file := filepath.Join(t.TempDir(), "map.json")
	if err := os.WriteFile(file, []byte(`{"version":3,"sources":["read.js"],"names":[],"mappings":"CAAC,IAAI,IAAM"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	src := "1\n//# sourceMappingURL=file://" + file
	twin, err := goja.Parse("program", src)
	if err != nil || !strings.HasSuffix(twin.File.Position(0).Filename, "read.js") {
		t.Fatalf("the attack without the option: %v %v", twin.File.Position(0), err)
	}
	prog, err := source.ParseFile("program", src)
	if err != nil || prog.File.Position(0).Filename != "program" {
		t.Errorf("the file was read: %v %v", prog.File.Position(0), err)
	}
	if got := runSource(t, "return 1\n//# sourceMappingURL=file://"+file); got != "1" {
		t.Error(got)
	}
}

// A rewritten program computes what the unrewritten one does, with the same
// calls in the same order.
func TestRewriteSameResult(t *testing.T) {
	vals := []string{"0", "1", "-2.5", "''", "'1'", "'x'", "null", "undefined", "true", "false", "NaN", "[1]", "({})"}
	var bodies []string
	for _, op := range []string{"===", "!==", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "**", "&&", "||", "??", "&", "|", "^", "<<", ">>", ">>>", ", "} {
		bodies = append(bodies, "L(1, a) "+op+" L(2, b)")
	}
	bodies = append(bodies, "L(1, a) ? L(2, b) : L(3, 0)", "!L(1, a)", "-L(1, a)", "`<${L(1, a)}|${L(2, b)}>`", "L(1, a) && (L(2, b) || L(3, 'c'))",
		"(() => { if (L(1, a)) return 'y'; let i = 0; while (L(2, i) < 2) i++; do { i++ } while (L(3, i) < 5); for (; L(4, i) < 7; i++); return i })()",
		"(() => { let x = a; x += L(1, b); x ??= L(2, 3); x &&= L(3, 4); x ||= L(4, 5); return x })()",
		"(() => { const o = { x: a, n: 0, get p() { this.n++; return this.x } }; o.x += L(1, b); return [o.p === o.p, o.n, o?.x === a, o.q?.r ?? b] })()",
		"(function () { return [arguments.length > 1 && arguments[1] === b, this === undefined || this.k] })(a, b)",
		"[3, 1, 2].sort((x, y) => x - y || L(1, 0)).map(x => x % 2 === 1 ? -x : `${x}`)",
		"(() => { class A { f = a === b ? 1 : 2; static s = a && b; m() { return this.f > 9 || (super.zzz ?? this.f > 1) } }; const x = new A(); return [x.f, A.s, x.m()] })()",
		"(() => { switch (a) { case b: return a === b; default: return !b } })()",
		"(({ x = a || b, [a && 'k']: k = a === b } = {}) => [x, k])()",
		"typeof a === 'string' && a.length > 0 ? a.toUpperCase() : a == null", "a in { x: 1 } || b instanceof Array", "void a ?? b", "L(1, a) ?? L(2, b) ?? L(3, 9)",
		"typeof a + typeof L(1, b) + typeof nothing + typeof typeof a", "(() => { switch (L(1, a)) { case L(2, b): return 1; case true: return 2; default: return 3 } })()",
		"[L(1, a), 1].includes(L(2, b))", "new Set([a, 1]).has(b)", "new Map([[a, 1]]).has(b)", "[a, b, 1].some(x => x === b) && [a].filter(Boolean).length", "[a, b].findIndex(function (x) { return x === this.k }, { k: b })",
		"String(a) + Number(b) + Boolean(L(1, a)) + parseInt(b, 10) + isNaN(a)", "Math.max(L(1, 1), L(2, 2)) + Math.abs(a) + Math.round(b)", "a.includes(b)", "L(1, a)?.includes(L(2, b))", "L(1, a)?.includes?.(L(2, b))", "[a]?.x?.y.has(L(1, b))", "[[a]]?.[0].includes(b)",
		"(() => { const String = x => [x], o = { has(x) { return this.k === x }, k: a, get test() { L(1, 0); return () => L(3, b) } }; return [String(a), o.has(b), o.test(L(2, 1))] })()",
		"(() => { class A { includes(x) { return x } } class B extends A { includes(x) { return super.includes(x) } #p = 1; t(o) { return #p in o } } return [new B().includes(a), new B().t(new B())] })()",
		"/1/.test(a) || /x/.exec(b)", "a instanceof Array || 'k' in { k: b }",
		"(() => { const o = { c: a, d: b }, k = 'd'; o.c ||= L(1, b); o[k] &&= L(2, a); o['c'] ??= L(3, 1); o.e ??= L(4, 2); L(5, o).f ??= L(6, b); o.n = 1; o.n += L(7, 2); return o })()",
		"(() => { let x; x ??= L(1, a); x ??= L(2, b); const y = L(3, a) === (L(4, b) ?? L(5, a)); return [x, y, L(6, a) !== (L(7, a) === L(8, b))] })()",
		"(() => { const f = (x = L(1, a) === L(2, b), y = x ?? a) => [x, y]; class A { f = L(3, a) !== L(4, b); static s = L(5, a) ?? L(6, b); static { this.t = a === b } } return [f(), new A().f, A.s, A.t, typeof f, typeof A] })()",
		"(() => { let i = 0; const r = [i++ === i, i === i++, i !== (i = 5), (i = 6) === i, i ?? (i = 7)]; return [r, i] })()",
		"(() => { const o = { valueOf() { return L(1, b) } }; return [a == o, o == a, a != o, o instanceof Object] })()",
		"[...(function* () { let x = L(1, a) === (yield 1); x = (yield 2) ?? b; yield x })()]",
		"[a, b].indexOf(a) === [b, a].indexOf(b) || [a].includes(L(1, b)) !== [b].includes(L(2, a))",
		"String.raw`x${L(1, a)}`", "[...(a ? [1] : []), !b, -1, !0]", "({ ...{ x: a }, ...(b ? { y: 1 } : {}), z: x => x === a })", "(() => { const f = g => !g; return f(a) && f(b) })()",
	)
	vm, helpers, api := testRealm(t)
	used := map[string]bool{}
	if err := vm.Set("used", func(n string) { used[n] = true }); err != nil {
		t.Fatal(err)
	}
	wrap, err := vm.RunString("((n, f) => (...a) => { used(n); return f(...a) })")
	if err != nil {
		t.Fatal(err)
	}
	wrapFn, _ := goja.AssertFunction(wrap)
	for _, n := range helpers.Keys() {
		f, err := wrapFn(goja.Undefined(), vm.ToValue(n), helpers.Get(n))
		if err != nil {
			t.Fatal(err)
		}
		vm.Set("\x00"+n, f)
	}
	if _, err := vm.RunString("var give = { where: f => f(), plain: f => f() }"); err != nil {
		t.Fatal(err)
	}
	cfg := testConfig()
	cfg.Grants = append(cfg.Grants, "give")
	stringify, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("stringify"))
	result := func(method, body, a, b string) string {
		src := fmt.Sprintf("const log = [], L = (n, v) => { log.push(n); return v }; const a = %s, b = %s; let r; try { r = give.%s(() => %s) } catch (e) { r = e.name } return [log, String(JSON.stringify(r)), typeof r]", a, b, strings.TrimPrefix(method, "engine's "), body)
		if strings.HasPrefix(method, "engine's ") { // as it is written, without the front
			v, err := vm.RunString("'use strict'; (() => {" + src + "})()")
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			s, err := stringify(goja.Undefined(), v)
			if err != nil {
				t.Fatal(err)
			}
			return s.String()
		}
		p, err := checked(src, cfg)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		return runCompiled(t, vm, p.Compiled, api)
	}
	for n, body := range bodies {
		if strings.Contains(body, "a in {") {
			continue
		}
		for i, a := range vals {
			for j, b := range vals {
				if os.Getenv("EXO_LONG") == "" && (n+i+j)%3 != 0 {
					continue // each value with each body still, on both sides
				}
				engine, plain, rewritten := result("engine's plain", body, a, b), result("plain", body, a, b), result("where", body, a, b)
				_ = helpers.Set("exactly", true) // as where the program has read a decimal
				exact := result("plain", body, a, b)
				_ = helpers.Set("exactly", false)
				if plain != exact {
					t.Fatalf("a=%s b=%s %s\nplain     %s\nexactly   %s", a, b, body, plain, exact)
				}
				if plain != rewritten || plain != engine || strings.HasPrefix(plain, "throws") {
					t.Fatalf("a=%s b=%s %s\nengine    %s\nplain     %s\nrewritten %s", a, b, body, engine, plain, rewritten)
				}
			}
		}
	}
	if got := result("where", "a in { x: 1 } || b instanceof Array", "'x'", "1"); !strings.Contains(got, "true") {
		t.Error(got)
	}
	for _, n := range []string{"op", "un", "and", "or", "nn", "if", "tpl", "test", "typeof", "switch", "member", "callee", "arg", "spread", "target", "calc", "ref", "assign"} {
		if !used[n] {
			t.Errorf("helper %s was never called: nothing is rewritten", n)
		}
	}
}

// Which functions are rewritten: a helper that answers anything shows it.
func TestWhatIsRecorded(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool
	}{
		{"return todos.where(t => t.n === 4)", true},
		{"return todos?.where(t => t.n === 4)", true},
		{"return todos.where?.(t => t.n === 4)", true},
		{"return todos.where(function (t) { return t.n === 4 })", true},
		{"const f = t => t.n === 4; return todos.where(f)", true},
		{"return todos.where(f); function f(t) { return t.n === 4 }", true},
		{"const open = t => t.n === 4; return todos.where(t => open(t))", true},
		{"return todos.where(t => [1].map(() => t.n === 4)[0])", true},
		{"return todos.where(api.n ? t => t.n === 4 : t => false)", true},
		{"return todos.where((t, x = t.n === 4) => x)", true},
		{"return [3].map(t => t === 4)[0]", false},
		{"const where = f => f(3); return where(t => t === 4)", false},
		{"return 3 === 4", false},
		{"const f = t => t === 4; return f(3)", false},
		{"return todos.where(t => t.n), 3 === 4", false},
	} {
		p, err := checked(c.src, testConfig())
		if err != nil {
			t.Fatal(err)
		}
		vm, _, api := testRealm(t)
		vm.Set("\x00op", func() bool { return true })
		if got := runCompiled(t, vm, p.Compiled, api); got != fmt.Sprint(c.want) {
			t.Errorf("%s: got %s, want %v", c.src, got, c.want)
		}
	}
}

func TestAwaitIsRewrittenEverywhere(t *testing.T) {
	p, err := checked("const f = async () => await 1; class A { async m() { return await 2 } }\nreturn [await f(), await new A().m(), await todos.where(async t => (await 3) + 1)]", testConfig())
	if err != nil {
		t.Fatal(err)
	}
	vm, _, api := testRealm(t)
	n := 0
	vm.Set("\x00await", func(v goja.Value) goja.Value { n++; return v })
	if got := runCompiled(t, vm, p.Compiled, api); got != "[1,2,4]" || n != 6 {
		t.Errorf("%s after %d awaits", got, n)
	}
}

// A program can't spell a helper's name.
func TestHelpersUnspellable(t *testing.T) {
	for _, src := range []string{"\x00op(1)", "\\u0000op(1)", "\\u{0}op(1)", "const \\u0000op = 1", "a\x00op(1)"} {
		refusal(t, src, testConfig())
	}
}

func TestPosition(t *testing.T) {
	for _, c := range []struct {
		src       string
		line, col int
		text      string
	}{
		{"throw new Error('x')", 1, 7, "throw new Error('x')"},
		{"const a = 1\n  null.x", 2, 8, "  null.x"},
		{"Text before.\n```js\nconst s = '😀'; throw new Error(s)\n```", 3, 23, "const s = '😀'; throw new Error(s)"},
		{"(api) =>\r\n  { throw new Error('x') }", 2, 11, "  { throw new Error('x') }"},
		{"export default async (api) => { throw new Error('x') }", 1, 39, "export default async (api) => { throw new Error('x') }"},
		{"function (api) { throw new Error('x') }", 1, 24, "function (api) { throw new Error('x') }"},
		{"const x: {\n  a: number } = { a: 1 };\n\tlet y: any; y.z", 3, 16, "\tlet y: any; y.z"},
		{"enum E { A, B }; const x: number = 1; null!.x", 1, 45, "enum E { A, B }; const x: number = 1; null!.x"},
		{"enum E {\n  A = 'a',\n  B = (null as any).x }", 3, 21, "  B = (null as any).x }"},
		{"async (api: Api): Promise<{\n}> => { throw new Error('x') }", 2, 15, "}> => { throw new Error('x') }"},
		{"todos.where(t => t.n &&\n missing(t).x === 1); function missing() { return null }", 2, 13, " missing(t).x === 1); function missing() { return null }"},
	} {
		p, err := checked(c.src, testConfig())
		if err != nil {
			t.Fatalf("%q: %v", c.src, err)
		}
		vm, _, api := testRealm(t)
		var stack []goja.StackFrame
		vm.Set("\x00pos", 0)
		v, _ := vm.RunProgram(p.Compiled)
		fn, _ := goja.AssertFunction(v)
		res, err := fn(goja.Undefined(), api)
		var ex *goja.Exception
		if errors.As(err, &ex) {
			stack = ex.Stack()
		} else if pr, ok := res.Export().(*goja.Promise); ok && pr.State() == goja.PromiseStateRejected {
			line, col := 0, 0
			s := pr.Result().ToObject(vm).Get("stack").String()
			i := strings.Index(s, "program:")
			if i < 0 {
				t.Fatalf("%q: stack %q", c.src, s)
			}
			fmt.Sscanf(s[i:], "program:%d:%d", &line, &col)
			at := p.Position(line, col)
			if at != (fail.Pos{Line: c.line, Column: c.col, Text: c.text}) {
				t.Errorf("%q: got %+v, want %d:%d %q", c.src, at, c.line, c.col, c.text)
			}
			continue
		}
		if len(stack) == 0 {
			t.Fatalf("%q: no error", c.src)
		}
		pos := stack[0].Position()
		if at := p.Position(pos.Line, pos.Column); at != (fail.Pos{Line: c.line, Column: c.col, Text: c.text}) {
			t.Errorf("%q: got %+v, want %d:%d %q", c.src, at, c.line, c.col, c.text)
		}
	}
	p, err := checked("x => 1", testConfig())
	if err != nil {
		t.Fatal(err)
	}
	if at := p.Position(1, 1); at != (fail.Pos{}) {
		t.Errorf("a position in the wrapper is nowhere, got %+v", at)
	}
}

func TestLongLineIsClipped(t *testing.T) {
	e := refusal(t, strings.Repeat("1;", 5000)+"cosole;"+strings.Repeat("1;", 5000), testConfig())
	if len(e.Pos.Text) > 500 || !strings.Contains(e.Pos.Text, "cosole") {
		t.Errorf("%d bytes", len(e.Pos.Text))
	}
}

func BenchmarkCompile(b *testing.B) {
	const src = "async (api) => {\n const rows = await api.todos.where(t => t.done === false && t.n > 3).select(t => ({ title: t.title, n: t.n * 2 }));\n let sum = 0;\n for (const r of rows) { if (r.n > 1) sum += r.n }\n return { sum, names: rows.map(r => `${r.title}!`) };\n}"
	cfg := testConfig()
	for b.Loop() {
		if _, err := checked(src, cfg); err != nil {
			b.Fatal(err)
		}
	}
}
