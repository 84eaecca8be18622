package front

import (
	"strings"
	"testing"
	"time"
)

// Types that nest without brackets, and comparisons that could be lists of type
// arguments: the eraser ends soon on all of them, on little stack.
func TestEraserIsBounded(t *testing.T) {
	rep := strings.Repeat
	fill := func(unit string) string { return rep(unit, (60<<10)/len(unit)) }
	for _, src := range []string{
		"x: = " + fill("f<"), "x: = " + fill("f<a,"), "x: = " + fill("f<a|"), "x: = " + fill("a<b>c<d&"), "x: = " + fill("f<T>"), "x: = " + fill("f<T,"),
		"let x: " + fill("A<"), "let x: " + fill("keyof "), "let x: " + fill("()=>"), "let x: " + fill("new ()=>"), "let x: " + fill("<T>()=>"), "let x: " + fill("A|"), "let x: " + fill("A[]|"),
		"let x: " + fill("a extends b?"), "let x: " + fill("a extends b?c:"), "let x: " + fill("a extends a extends "), "let x: " + fill("infer a extends "), "let x: " + fill("x is "), "let x: " + fill("typeof "), "let x: " + fill("a.b."),
		"let x: y = " + fill("<T>"), "let x: y = " + fill("<T,>(a)=>"), "let x: y = " + fill("<T,U>(a):b=>"), "let x: y = " + fill("a as "), "let x: y = " + fill("a!"), "let x: y = " + fill("a as b|"), "let x: y = " + fill("a ? (b) : "), "let x: y = " + fill("a ? () : "),
		"let x: y = " + fill("x=>"), "let x: y = " + fill("async <T>(x) "), fill("interface A extends B<"), fill("type A<T extends "), fill("type A<T = B<"), fill("declare "), fill("export "), fill("abstract "), fill("enum A {}"), fill("a: "), fill("if (a) "),
		"class A { " + fill("private "), "class A { " + fill("x: T<"), "class A { " + fill("declare a;"), fill("class A extends B<"), fill("import type a"), fill("import { type a,"), fill("`${") + "let x: y", "let x: y; " + rep("a?(b,", 90) + "x" + rep("):c", 90),
		rep("(a: b, c = ", 90) + "1" + rep(") => 1", 90), "let x: y; " + rep("a ? (b ? ", 90) + "x" + rep(" : c) : d", 90), "enum " + rep("a", 20<<10) + "{" + rep("b,", 20<<10) + "}", "enum A {" + rep("b,", 30<<10) + "}", rep("enum A {}\n", 3000) + "//" + rep("_", 30<<10), "enum A{a}; " + rep("_", 60<<10),
		"class A { constructor(" + rep("private a,", 6000) + ") {} }", "let x: /*" + fill("a") + "*/ y /*" + fill("b") + "*/ = 1",
	} {
		if len(src) > 64<<10 {
			src = src[:64<<10]
		}
		start := time.Now()
		var err error
		n := stackOf(func() { _, err = checked(src, testConfig()) })
		if took := time.Since(start); n > raced*8<<20 || took > 5*time.Second {
			t.Errorf("%.30q: %d KB of stack, %v (%v)", src, n>>10, took, err)
		} else if testing.Verbose() {
			t.Logf("%.30q: %d KB, %v: %.80v", src, n>>10, took, err)
		}
	}
}
