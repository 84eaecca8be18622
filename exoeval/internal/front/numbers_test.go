package front

import (
	"slices"
	"strings"
	"testing"
)

// TestNumbers: operators of names that stand for plain values alone are as they are written; any other asks for a Decimal.
func TestNumbers(t *testing.T) {
	for program, asks := range map[string]bool{
		"let s = 0; for (let i = 0; i < 10; i++) s += i * 2; return s":  false,
		"let a = 1, b = a; a = b + 1; return b - a":                     false,
		"const n = [1, 2]; return n + 1":                                false,
		"let s = 0; for (const r of todos) s += r; return s":            true,
		"let s = 0; for (var i = 0; i < 9; i++) s += i; return s":       true,
		"let s = 0; s = todos.x; return s + 1":                          true,
		"let a = 1; [a] = todos.x; return a + 1":                        true,
		"let a = 1; for (a of todos.x); return a + 1":                   true,
		"let a = 1; const f = a => a + 1; return f(todos.x)":            true,
		"let a = 1; { let a = todos.x; return a + 1 }":                  true,
		"let a = 1, b = 2; a = b; b = todos.x; return a + 1":            true,
		"let a = 1; a ??= todos.x; return a + 1":                        true,
		"try { throw todos.x } catch (a) { return a + 1 }":              true,
		"const { a } = todos; return a + 1":                             true,
		"let f = 1; { function f() {} } return f + 1":                   true,
		"class M {} const m = new M(); return m + 1":                    true,
		"const o = { valueOf: () => todos.x }; return o + 1":            true,
		"return todos.length + todos.length":                            true,
		"let s = 1; const g = () => { s = todos.x }; g(); return s + 1": true,
	} {
		_, of, err := Compile(program, Config{MaxSource: 64 << 10, MaxNesting: 100, Globals: map[string]bool{}, Grants: []string{"todos"}, Describing: map[string]bool{}})
		if err != nil {
			t.Errorf("%s: %v", program, err)
		} else if got := slices.Contains(of.Helpers, HelperCalc) || slices.Contains(of.Helpers, HelperAssign); got != asks {
			t.Errorf("%s: asks %v", program, got)
		}
	}
}

// TestLongChains: each operator of a chain tries to copy what is left of it, and all of them together no more than the budget.
func TestLongChains(t *testing.T) {
	c, _, f := javaScript("return "+strings.Repeat("todos.x + ", 3900)+"1", Config{MaxSource: 64 << 10, MaxNesting: 100, Globals: map[string]bool{}, Grants: []string{"todos"}, Describing: map[string]bool{}})
	if f != nil {
		t.Fatal(f)
	}
	if c.copied < maxCalcNodes || c.copied > maxCalcCopied {
		t.Errorf("%d nodes were copied", c.copied)
	}
}
