package exoeval_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite testdata/realm/names.txt")

// everything names all that a program can name, and returns one value of each
// kind that it can get hold of.
const everything = `async (api) => {
	const named = [` + "NAMES" + `];
	const caught = (f) => { try { f(); } catch (e) { return e; } };
	let failed, columns, method;
	try { await api.box.fail(); } catch (e) { failed = e; }
	const { results } = await api.tasks.execute();
	const query = api.tasks.where((t) => { columns = t; method = t.title.eq; return method.call(t.title, "x"); });
	class Base { #secret = 1; static made = 2; method() { return super.toString; } get got() { return 1; } }
	class Derived extends Base {}
	return {
		arrow: () => 1, async: async () => 1, function: function () { return arguments; }, arguments: (function () { return arguments; })(1),
		generator: function* () { yield 1; }, generated: (function* () { yield 1; })(), Derived, instance: new Derived(), accessor: { get a() { return 1; }, set a(x) {} },
		literal: {}, list: [], text: 'a', number: 1, truth: true, symbol: Symbol('s'), regexp: /a(?<n>b)/g, matched: 'ab'.match(/a(?<n>b)/), matches: 'ab'.matchAll(/b/g), pattern: 'ab'.match('b'),
		map: new Map([[1, 2]]), set: new Set([1]), date: new Date(), weak: new WeakMap(), promise: Promise.resolve(1), template: ((x) => x)` + "`a${1}`" + `, bound: (() => 1).bind(null),
		iterators: [[].values(), ''[Symbol.iterator](), new Map().entries(), new Set().values(), [1].values().map((x) => x), Iterator.from({ next() { return { done: true }; } })],
		error: new Error('e'), aggregate: caught(() => { throw new AggregateError([1]); }), thrown: caught(() => null.x), missing: caught(() => api.nope), wrong: caught(() => api.tasks.nope), failed,
		api, granted: api.tasks, query, columns, method, describing: api.tasks.where, sending: api.tasks.execute, results, row: results[0], first: await api.org.first(), answer: api.box.get(), put: await api.box.put({ a: [1, { b: 2 }] }),
		grouped: Object.groupBy([1], (x) => x), resolvers: Promise.withResolvers(), cloned: structuredClone({ a: 1 }), decimal: Decimal(1), format: new Intl.NumberFormat('en-US'), dates: new Intl.DateTimeFormat('en-US'), tried: Promise.try(() => 1), gathered: Array.fromAsync([1]),
	};
}`

// nothing names nothing.
const nothing = "(x) => ({ arrow: () => 1, async: async () => 1, literal: {}, list: [], text: 'a', number: 1, truth: true, x })"

// TestReachableNames holds the list of all that a program can reach: a name that
// the engine or we add, or lose, is seen here first. With -update it is rewritten;
// read the difference as an attacker would.
func TestReachableNames(t *testing.T) {
	var got strings.Builder
	for _, p := range []struct{ title, program string }{
		{"a program that names everything", strings.Replace(everything, "NAMES", strings.Join(exoeval.RealmNames(), ", "), 1)},
		{"a program that names nothing", nothing},
	} {
		r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
		lines, err := exoeval.WalkRealm(exoeval.NewLocal(r.Gate), p.program)
		if err != nil {
			t.Fatalf("%s: %v", p.title, err)
		}
		got.WriteString("# " + p.title + "\n" + strings.Join(lines, "\n") + "\n")
	}
	path := filepath.Join(testutil.Root(), "testdata", "realm", "names.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(string(want), got.String()); d != "" {
		t.Errorf("what programs reach has changed (-was +is); if it must, -update:\n%s", d)
	}
}

// difference lists the lines that only one of two texts has, each under its heading.
func difference(was, is string) string {
	lines := func(text string) ([]string, map[string]bool) {
		var list []string
		set := map[string]bool{}
		heading := ""
		for l := range strings.Lines(text) {
			if l = strings.TrimSpace(l); strings.HasPrefix(l, "# ") {
				heading = l
			}
			list, set[heading+l] = append(list, heading+l), true
		}
		return list, set
	}
	a, inA := lines(was)
	b, inB := lines(is)
	var d strings.Builder
	for _, l := range a {
		if !inB[l] {
			d.WriteString("-" + l + "\n")
		}
	}
	for _, l := range b {
		if !inA[l] {
			d.WriteString("+" + l + "\n")
		}
	}
	if d.Len() == 0 && was != is {
		return "the same lines in another order"
	}
	return d.String()
}
