package front

import (
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
)

var lineEnds = regexp.MustCompile("\r\n|[\n\r\u2028\u2029]")

// Whatever the text: no panic, an error has a place inside the text or none, and
// what is accepted once is accepted again and compiles to a function.
func FuzzFront(f *testing.F) {
	for _, s := range []string{
		"(api) => api.n", "async function main(api) { return 1 }", "const x = await api.n; return x", "```js\napi.n\n```", "{ a: 1 }",
		"todos.where(t => t.n === 1 && !t.done || t.x ?? `a${t.y}` ? -t.z : t.q)", "todos.where(f); function f(t) { if (t.n) return 1; while (t.m); }",
		"class A extends Array { #p = 1; static { this.x = 1 } get [`a`]() { return super.x } async m() { await 1 } *g() { yield* [] } }",
		"const { a, b: [c = 1, ...d] = [], ...e } = api; [a, api.x] = [1]; ({ a, ...api.y } = {})", "for (const [k, { v = 1 }] of []) { outer: for (;;) break outer }",
		"switch (1) { case 1: default: let x } try { throw 1 } catch { } finally { }", "/(?<a>[/\\S])/gu.test('x') / 2", "a b /`/ ((", "`${`${1}`}`", "x?.[1]?.(2).y`z`",
		"export default function (api) {}", "module.exports = 1", "import x from 'y'", "for await (const x of y) {}", "}); (() => {", "'\\u{1F600}\\\n'", "\ufeff1", "1\u20282", "<!-- x", "#!x", "0b1_0n", "a\\u{62}c",
		"new.target", "super()", "async (x = await 1) => 1", "label: label2: 1", "with (a) b", "let x: number = 1", "({ __proto__: 1 })", "\xff", "",
	} {
		f.Add(s)
	}
	for _, c := range typed(f) {
		f.Add(c.src)
	}
	cfg := testConfig()
	f.Fuzz(func(t *testing.T, src string) {
		start := time.Now()
		p, err := checked(src, cfg)
		if took := time.Since(start); took > 2*time.Second {
			t.Fatalf("took %v", took)
		}
		_, err2 := checked(src, cfg)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("two verdicts: %v and %v", err, err2)
		}
		var e *fail.Error
		if errors.As(err, &e) {
			if e.Kind == fail.Internal {
				t.Fatal(err)
			}
			lines := 1 + len(lineEnds.FindAllString(src, -1))
			if e.Guest() == "" || e.Pos.Line < 0 || e.Pos.Line > lines || (e.Pos.Line == 0) != (e.Pos.Column == 0) || e.Pos.Column > len(src)+1 {
				t.Fatalf("%d:%d of %d lines: %q", e.Pos.Line, e.Pos.Column, lines, e.Guest())
			}
			return
		}
		if err != nil {
			t.Fatalf("%T", err)
		}
		vm := goja.New()
		vm.Set(HelperExact, func() {})
		v, err := vm.RunProgram(p.Compiled)
		if _, ok := goja.AssertFunction(v); err != nil || !ok {
			t.Fatalf("%v, %v: no function", v, err)
		}
	})
}
