package front

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/fail"
)

// TestMixedLogic: `??` beside `&&` or `||` is refused as Node.js refuses it, and with
// parentheses taken. Each answer is Node's.
func TestMixedLogic(t *testing.T) {
	const declared = "const a = 1, b = 2, c = 3, d = 4, e = 5; let z = 6; "
	for _, c := range strings.Split(strings.TrimSpace(mixedCases), "\n") {
		want, text := c[0] == '+', strings.TrimSpace(c[1:])
		_, err := checked(declared+"return "+text, testConfig())
		if (err == nil) != want {
			t.Errorf("%s: %v", c, err)
		}
		if err != nil && !strings.Contains(err.Error(), "(a && b) ?? c") {
			t.Errorf("%s: says not what would be right: %v", c, err)
		}
	}
}

const mixedCases = `
- a && b ?? c
- a ?? b && c
- a || b ?? c
- a ?? b || c
- (a) && b ?? c
- (a) && (b) ?? c
+ (a && b) ?? c
+ ((a) && b) ?? c
- a ?? (b) && c
+ a ?? (b && c)
+ a ?? ((b) && c)
- a ?? (b) || c
- (a) || b ?? c
- a || (b) && c ?? d
+ (a ?? b) || c
- (a) ?? b && c
+ a ?? b ?? c
- a ?? b ?? (c) && d
- [(a) && b ?? c]
- !(a) && b ?? c
- (a, b) && c ?? d
- (a && b) && c ?? d
+ ((a && b)) ?? c
- (() => 1) && b ?? c
- a ?? (b => b) && c
- a ?? (b)[0] && c
- a ?? (b).c && d
- a ?? (b)(1) && c
- (a) == b && c ?? d
+ (a /* ( */ && b) ?? c
+ a ?? ( /* ) */ b && c)
- ` + "`${(a) && b ?? c}`" + `
- a ? (b) && c ?? d : e
+ (a) && b ? c ?? d : e
+ (a) && b, c ?? d
- x => (a) && b ?? c
- (z) && z++ ?? c
- (z) && z ?? z++
+ (z && z++) ?? z++
+ (a && (async () => 1)) ?? c
- (a) && (class {}) ?? c
+ (a && {}?.x) ?? (b && [1]?.[0]?.at(0))
- (a) && new Date ?? new Date
+ (a && -b) ?? (!c && -d)
- (a) && /x/ ?? c
+ (a && /[(]x/) ?? (b && '(' + ")")
+ (a && (b, c)) ?? (d && (e, 1))
+ ((a) && (b)) ?? ((c) && (d))
+ ((a) ?? (b)) && ((c) ?? (d))
+ [(a) && b][0] ?? c
+ String((a) && b) ?? c
+ ({x: (a) && b}) ?? c
+ a ?? ((((b)) && (((c)))))
- a ?? (((b))) && (((c)))
`

// Random chains against the grammar of ECMAScript 13.13.
func TestMixedLogicRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, valid := logic(t, 0)
		_, err := checked("const a = 1; return "+text, testConfig())
		if (err == nil) != valid {
			t.Errorf("%s: valid is %v, got %v", text, valid, err)
		}
	})
}

// logic is a chain of operands, and whether the grammar has it.
func logic(t *rapid.T, depth int) (text string, valid bool) {
	valid = true
	seen := map[string]bool{}
	for i, n := 0, rapid.IntRange(1, 4).Draw(t, "operands"); i < n; i++ {
		if i > 0 {
			op := rapid.SampledFrom([]string{"&&", "||", "??"}).Draw(t, "op")
			seen[op] = true
			text += " " + op + " "
		}
		switch k := rapid.IntRange(0, 5).Draw(t, "operand"); {
		case k > 2 && depth < 3:
			in, ok := logic(t, depth+1)
			text, valid = text+fmt.Sprintf([]string{"(%s)", "((%s))", "[%s]"}[k-3], in), valid && ok
		default:
			text += []string{"a", "(a)", "-a"}[min(k, 2)]
		}
	}
	return text, valid && !(seen["??"] && (seen["&&"] || seen["||"]))
}

// TestRegexAfterLabel: a slash after a labelled block begins a pattern, whatever stands
// in it, and after an object literal it divides.
func TestRegexAfterLabel(t *testing.T) {
	for _, text := range []string{
		"a: {} /[}]/.test('x')", "a: { 1 } /[(]/.exec('x')", "a: for (;;) { break a } /[{]/.test('')", "const b = 1\na: {} /[}]/.test('')", "{ a: { } /\\(/.test('') }",
		"if (1) a: { } /[)]/.test('')", "switch (1) { case 1: { } /[}]/.test(''); default: { } /[{]/.test('') }", "switch (1) { case 'a' + [1][0]: {} /[(]/.test('') }", "(() => { a: { } /[(]/.test('') })()",
		"let x = 2, g = 1, o = { a: {} /2/g, b: 1 }; return [o.b]", "let x = 2, g = 1; return x ? x : {} /2/g", "let y = (1, { a: { b: {} /2/1 } })", "let a = 1, g = 1; return a ? a : {} / (2) / g",
		"let x = 2, g = 1; switch (x) { case 2: x ? g : {} /2/g }", "let o = { default: {} / 2 / 1 }", "let g = 1, o = () => ({ a: {} / (2) / g })", "let f = [{ a: {} / 2 / 1 }]",
	} {
		if _, err := checked(text, testConfig()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	// What the scan takes for a pattern the parser may take for brackets: both are bounded.
	deep := "a: {} /" + strings.Repeat("(", 3000) + "/"
	if _, err := checked(deep, testConfig()); fail.KindOf(err) != fail.Limit && fail.KindOf(err) != fail.Syntax {
		t.Errorf("deep: %v", err)
	}
}
