package exoeval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
)

// realmConfig is what the front is told of a realm with all globals.
func realmConfig() front.Config {
	return front.Config{MaxSource: 64 << 10, MaxNesting: 100, Globals: front.Globals(), Grants: []string{"currentUser", "todos"}, Describing: map[string]bool{"where": true, "join": true, "select": true, "orderBy": true}}
}

// resultOf runs a program in a realm of its own, after change has had its needs.
func resultOf(t *testing.T, program string, change func(*needs)) (string, *needs) {
	t.Helper()
	cfg := realmConfig()
	prog, err := compile(program, cfg)
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	as := prog.needs
	change(&prog.needs)
	r := bareRun(NewLocal(mustGate(t)), prog)
	r.clock.left = time.Minute
	v, err := r.main()
	if err != nil {
		return fail.GuestText(err), &as
	}
	return v.String(), &as
}

// reaching are the ways by which a program reads a member whose name does not stand in
// it, as statements that leave Object, or a function of its, in O. k is "constructor".
var reaching = map[string]string{
	"bracket":              "O = ({})[k]",
	"bracket of a list":    "O = [{}][0][k]",
	"bracket of a number":  "O = [{}].at(0)[k]",
	"expression":           "O = ({})['constr' + 'uctor']",
	"template":             "O = ({})[`constr${'uctor'}`]",
	"optional":             "O = ({})?.[k]",
	"chain":                "O = ({ a: {} }).a?.[k]",
	"of a call":            "O = (() => ({}))()[k]",
	"declared":             "const { [k]: x } = {}; O = x",
	"declared with var":    "var { [k]: x } = {}; O = x",
	"assigned":             "({ [k]: O } = {})",
	"parameter":            "O = (({ [k]: x }) => x)({})",
	"parameter's default":  "O = ((x = ({})[k]) => x)()",
	"rest":                 "O = ((...[{ [k]: x }]) => x)({})",
	"loop":                 "for (const { [k]: x } of [{}]) O = x",
	"catch":                "try { throw {} } catch ({ [k]: x }) { O = x }",
	"nested":               "const [{ a: { [k]: x } }] = [{ a: {} }]; O = x",
	"super":                "O = ({ m() { return super[k] } }).m()",
	"super of a class":     "O = new (class { m() { return super[k] } })().m()",
	"field":                "O = new (class { x = ({})[k] })().x",
	"static block":         "class A { static { O = ({})[k] } }",
	"getter":               "O = ({ get x() { return ({})[k] } }).x",
	"generator":            "O = [...(function* () { yield ({})[k] })()][0]",
	"arguments":            "O = (function () { return arguments[k] })()",
	"pieces of a template": "O = ((s) => ({ s }))`x`[k]",
	"what was thrown":      "try { null.x } catch (e) { O = ({ ...e })[k] }",
	"resolved":             "O = (await (async () => ({}))())[k]",
	"by its name":          "O = Object",
	"under another name":   "const { a = Object } = {}; O = a",
	"reviver":              "JSON.parse('[1]', function (n, v) { O = ({})[k]; return v })",
	"JSON":                 "O = JSON[k]",
	"namespace":            "O = Math[k]",
	"console":              "O = console[k]",
	"species":              "O = Symbol.species ? ({})[k] : 0",
	"typeof's operand":     "typeof (O = ({})[k])",
	"compound":             "O = undefined; O ??= ({})[k]",
	"sequence":             "O = (0, {})[k]",
}

// TestComputes: a program that comes by a name which the checker did not see has a realm in
// which what it reaches is safe. Each way is tried in the bare engine, too, where it must
// succeed.
func TestComputes(t *testing.T) {
	const rename = "; try { O.defineProperty(() => 1, 'name', { get() { return 1 } }); return 'renamed' } catch (e) { return e.message }"
	for title, way := range reaching {
		program := "const k = ['constr', 'uctor'].join(''); let O; " + way + rename
		got, n := resultOf(t, program, func(*needs) {})
		if !n.Reflects || !n.Asyncs || !n.Texts || !strings.Contains(got, "name of a function") {
			t.Errorf("%s: %s (%+v)", title, got, n)
		}
		// The second wall, for a realm that is told that there is no such name.
		if got, _ = resultOf(t, program, func(n *needs) { n.Reflects = false }); got == `"renamed"` && !strings.HasSuffix(title, "name") {
			t.Errorf("%s: the link to Object is there", title)
		}
		v, err := goja.New().RunString("'use strict'; (async (console) => { " + program + " })({})")
		if err != nil {
			t.Fatal(title, err)
		}
		if p := guest.PromiseOf(v); p.State() != goja.PromiseStateFulfilled || p.Result().String() != "renamed" {
			t.Errorf("%s does not succeed where nothing holds it: %v", title, p.Result())
		}
	}
	// Kinds of functions, the constructor of which compiles text.
	for _, f := range []string{"async () => {}", "async function () {}", "async (x) => x", "new (class { f = async () => {} })().f", "((f = async () => {}) => f)()", "Array.fromAsync", "(() => async () => {})()"} {
		program := "const k = ['constr', 'uctor'].join(''), f = " + f + "; return typeof f[k]"
		if got, n := resultOf(t, program, func(*needs) {}); got != `"undefined"` || !n.Asyncs {
			t.Errorf("%s: %s", f, got)
		}
		// The second wall: a plain function stands before each async one.
		if got, _ := resultOf(t, program, func(n *needs) { n.Asyncs = false }); got != `"undefined"` {
			t.Errorf("%s is an async function: %s", f, got)
		}
	}
	// Methods of texts that make a pattern, here one that does not end.
	for _, way := range []string{"'aa'.match(p)", "'aa'['match'](p)", "'aa'?.match(p)", "(({ match }) => match.call('aa', p))('')", "(({ match: m }) => m.call('aa', p))('')",
		"(({ 'match': m }) => m.call('aa', p))('')", "'aa'.search(p)", "[...'aa'.matchAll(p)].length", "(() => { let m; ({ match: m } = ''); return m.call('aa', p) })()"} {
		program := "const p = '(?=a)(a+)+$'; return (" + way + ") !== null"
		if got, n := resultOf(t, program, func(*needs) {}); !strings.Contains(got, "lookahead") || !n.Texts {
			t.Errorf("%s: %s", way, got)
		}
		if got, _ := resultOf(t, program, func(n *needs) { n.Texts = false }); got != "true" {
			t.Errorf("%s does not succeed where nothing holds it: %s", way, got)
		}
	}
	// And these need nothing: otherwise every realm would be disarmed as a whole.
	for _, program := range []string{"1 + 1", "return [1, 2].map((x) => x * 2)[0]", "(api) => api.todos", "return ({ a: 1 })['a']", "const { a, ...b } = { a: 1 }; return b",
		"return Math.max(1, 2) + Number('3')", "console.log('x'); return `a${1}`", "return ''.at(-1)"} {
		if _, n := resultOf(t, program, func(*needs) {}); n.Reflects || n.Asyncs || n.Texts {
			t.Errorf("%s: %+v", program, n)
		}
	}
}

// TestPlainGlobals calls all that a program comes to by names that stand in its text and
// by plainGlobals, with names as data: nothing of the engine's that a program must not come
// by may be in what they return. Object is the twin.
func TestPlainGlobals(t *testing.T) {
	for name := range plainGlobals {
		if !front.IsGlobal(name) {
			t.Errorf("%s is no global", name)
		}
	}
	receivers := append([]string{"({})", "[]", "[[]]", "''", "'a'", "1", "true", "(() => 1)", "(async () => 1)", "(function* () {})", "(function* () {})()", "(class { static m() {} })", "arguments", "new Map([[1, 2]])", "new Set([1])", "new Error('e')", "[].values()", "(async () => 1)()"},
		slices.Sorted(func(yield func(string) bool) {
			for n := range plainGlobals {
				if n != "console" && !yield(n) {
					return
				}
			}
		})...)
	found, calls := kept(t, receivers)
	if len(found) > 0 || calls < 3000 {
		t.Errorf("after %d calls there is: %s", calls, strings.Join(found, "\n"))
	}
	if found, _ := kept(t, []string{"Object"}); len(found) == 0 {
		t.Error("Object.getOwnPropertyDescriptor finds nothing either")
	}
}

// kept calls every function that the receivers have, and says which calls gave something
// of the engine's: its constructors, their prototypes and what makes others.
func kept(t *testing.T, receivers []string) (found []string, calls int) {
	t.Helper()
	vm := goja.New()
	vm.SetMaxCallStackSize(100)
	global := vm.GlobalObject()
	never := map[*goja.Object]string{}
	for _, name := range global.GetOwnPropertyNames() {
		o, ok := global.Get(name).(*goja.Object)
		if !ok || plainGlobals[name] {
			continue
		}
		never[o] = name
		if p, ok := o.Get("prototype").(*goja.Object); ok {
			never[p] = name + ".prototype"
		}
	}
	object := global.Get("Object").(*goja.Object)
	for _, n := range object.GetOwnPropertyNames() {
		if f, ok := object.Get(n).(*goja.Object); ok {
			never[f] = "Object." + n
		}
	}
	value := func(code string) goja.Value {
		v, err := vm.RunString("(function () { return " + code + " })(1)")
		if err != nil {
			t.Fatal(code, err)
		}
		return v
	}
	of := func(v goja.Value) string {
		o, ok := v.(*goja.Object)
		if !ok {
			return ""
		}
		if n := never[o]; n != "" {
			return n
		}
		for _, k := range o.GetOwnPropertyNames() { // one step inside
			if x, ok := o.Get(k).(*goja.Object); ok && k != "constructor" && k != "prototype" && never[x] != "" {
				return never[x] + " as " + k
			}
		}
		return ""
	}
	lists := map[string][]goja.Value{"": nil}
	for _, args := range []string{"'constructor'", "['constructor']", "{}, 'constructor'", "(() => 1), 'constructor'", "'constructor', {}", "'constructor', () => 1",
		"() => 'constructor'", "{ length: 1, 0: 'constructor' }", "{}, ['constructor']", "'__proto__', 'constructor'", "[{}], 'constructor'"} {
		list := value("[" + args + "]").(*goja.Object)
		for i := range int(list.Get("length").ToInteger()) {
			lists[args] = append(lists[args], list.Get(strconv.Itoa(i)))
		}
	}
	for _, receiver := range receivers {
		names := map[string]bool{}
		this, others := value(receiver), []goja.Value{value("({})"), value("(() => 1)"), value("''"), value("[{}]")}
		if goja.IsUndefined(this) {
			continue
		}
		for o := this.ToObject(vm); o != nil; o = o.Prototype() {
			for _, n := range o.GetOwnPropertyNames() {
				if n != "constructor" && n != "prototype" && n != "callee" && n != "caller" && !strings.HasPrefix(n, "__") { // checker.member refuses those
					names[n] = true
				}
			}
		}
		names[""] = true // the receiver itself
		for n := range names {
			f := this
			if n != "" {
				_ = vm.Try(func() { f = this.ToObject(vm).Get(n) })
			}
			call, ok := goja.AssertFunction(f)
			if !ok {
				continue
			}
			for args, values := range lists {
				for _, on := range append(others, this) {
					calls++
					func() {
						defer func() { _ = recover() }() // the engine's own
						if v, err := call(on, values...); err == nil && of(v) != "" {
							found = append(found, fmt.Sprintf("%s of %s.%s called on %s with %s", of(v), receiver, n, on.ExportType(), args))
						}
					}()
				}
			}
		}
	}
	return found, calls
}

// TestPlainBody: a body that awaits nothing is a plain function, and ends as it would if it
// were asynchronous.
func TestPlainBody(t *testing.T) {
	for _, program := range []string{"1 + 1", "return 'x'", "return { a: [1] }", "return undefined", "throw new Error('e')", "throw 'text'", "null.x", "return Promise.resolve(7)",
		"return Promise.reject(new Error('r'))", "return { then(f) { f(8) } }", "return { then(f, g) { g(new Error('refused')) } }", "return { get then() { throw new Error('got') } }",
		"return { then: 5 }", "return { then(f) { f({ then(g) { g(9) } }) } }", "return (async () => 3)()", "Promise.reject(new Error('unheard')); return 1", "let f = () => f(); return f()",
		"return { then() {} }", "return () => 1", "for (;;) ;"} {
		var got [2]string
		for i, p := range []string{program, program + "; await 0"} {
			cfg := realmConfig()
			prog, err := compile(p, cfg)
			if err != nil {
				t.Fatal(p, err)
			}
			if prog.Plain != (i == 0) {
				t.Errorf("%s: plain is %v", p, prog.Plain)
			}
			r := bareRun(NewLocal(mustGate(t)), prog)
			r.clock.left = 20 * time.Millisecond
			if program != "for (;;) ;" {
				r.clock.left = time.Minute
			}
			v, err := r.main()
			if got[i] = v.String(); err != nil {
				got[i] = fmt.Sprintf("%v: %s at %d", fail.KindOf(err), fail.GuestText(err), fail.PosOf(err).Line)
			}
		}
		if program == "1 + 1" {
			got[1] = "2" // the last statement gives the result, and there it is the await
		}
		if program == "throw 'text'" {
			got[1] = strings.Replace(got[1], "at 0", "at 1", 1) // a rejection does not know where it was thrown
		}
		if got[0] != got[1] {
			t.Errorf("%s: %s, and asynchronous %s", program, got[0], got[1])
		}
	}
}
