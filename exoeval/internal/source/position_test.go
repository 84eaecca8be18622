package source

import (
	"strings"
	"testing"
)

// TestCallText: the text of a call is named as a form only where it is the same program on one line.
func TestCallText(t *testing.T) {
	for _, c := range [][2]string{
		{"f(1)", "f(1)"},
		{"a.b(1)\n  .c(x => x)", "a.b(1).c(x => x)"},
		{"a.b({\n  x: 1,\n})", "a.b({ x: 1, })"},
		{"a // one\n  .b({ x: 1 })", ""},
		{"a\n  .b(`x\n y`)", ""},
		{"await a).b(1)", ""}, // of (await a).b(1)
		{"f('" + strings.Repeat("x", maxCopied) + "')", ""},
	} {
		if got := (Places{wrapped: c[0], src: c[0]}).OneLine(0, len(c[0])); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}
