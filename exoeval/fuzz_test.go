package exoeval

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

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
	for _, c := range typed {
		f.Add(c.src)
	}
	cfg := testConfig()
	f.Fuzz(func(t *testing.T, src string) {
		start := time.Now()
		p, err := compile(src, cfg)
		if took := time.Since(start); took > 2*time.Second {
			t.Fatalf("took %v", took)
		}
		checkErased(t, src)
		_, err2 := compile(src, cfg)
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("two verdicts: %v and %v", err, err2)
		}
		var e *exo.Error
		if errors.As(err, &e) {
			if e.Kind == exo.Internal {
				t.Fatal(err)
			}
			lines := 1
			for i := 0; i < len(src); i++ {
				if n := lineEnd(src[i:]); n > 0 {
					lines, i = lines+1, i+n-1
				}
			}
			if e.Guest() == "" || e.Pos.Line < 0 || e.Pos.Line > lines || (e.Pos.Line == 0) != (e.Pos.Column == 0) || e.Pos.Column > len(src)+1 {
				t.Fatalf("%d:%d of %d lines: %q", e.Pos.Line, e.Pos.Column, lines, e.Guest())
			}
			return
		}
		if err != nil {
			t.Fatalf("%T", err)
		}
		vm := goja.New()
		v, err := vm.RunProgram(p.compiled)
		if _, ok := goja.AssertFunction(v); err != nil || !ok {
			t.Fatalf("%v, %v: no function", v, err)
		}
	})
}

// checkErased holds the eraser to its promise: every byte of the result is one
// of the text at the place that the map says, a space for one, or inserted.
func checkErased(t *testing.T, src string) {
	toks, f := scan(nil, src, 100, true)
	if f != nil {
		return
	}
	out, f := eraseTypes(src, toks)
	if f != nil {
		if f.off < -1 || f.off > len(src) || f.msg == "" {
			t.Fatalf("fault at %d of %d: %q", f.off, len(src), f.msg)
		}
		return
	}
	inserted := func(off int) bool {
		fixed := false
		for _, m := range out.at {
			if m.out <= off {
				fixed = m.fixed
			}
		}
		return fixed
	}
	last := 0
	for off := range len(out.text) {
		at := out.at.source(off)
		if at < last || at > len(src) {
			t.Fatalf("offset %d of %d comes from %d of %d, the one before from %d", off, len(out.text), at, len(src), last)
		}
		last = at
		if c := out.text[off]; c != ' ' && c != ';' && c != '(' && !inserted(off) && c != src[at] {
			t.Fatalf("byte %d is %q, byte %d of the source is %q\n%s", off, c, at, src[at], out.text)
		}
	}
	if len(out.at) == 0 && len(out.text) != len(src) || strings.Count(out.text, "`") > strings.Count(src, "`") {
		t.Fatalf("%d bytes from %d", len(out.text), len(src))
	}
}
