package sqlite

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// meaning is a pattern as a regular expression.
func meaning(pattern string) *regexp.Regexp {
	b, escaped := &strings.Builder{}, false
	for _, r := range pattern {
		switch {
		case escaped || r != '%' && r != '_' && r != '\\':
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			b.WriteString("(?s:.*)")
		default:
			b.WriteString("(?s:.)")
		}
	}
	return regexp.MustCompile("^" + b.String() + "$")
}

func TestLike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune(`abABä日😀%_\`)), 0, 20, -1).Draw(t, "text")
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune(`aabä%%__\日`)), 0, 10, -1).Draw(t, "pattern")
		if plan.CheckPattern(pattern) != nil {
			return
		}
		if got, want := like(text, pattern), meaning(pattern).MatchString(text); got != want {
			t.Fatalf("%q like %q: %t", text, pattern, got)
		}
	})
	// Pieces longer than a word, and characters that are none.
	long := strings.Repeat("a", 200)
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{long + "b", "%" + strings.Repeat("a", 100) + "b%", true},
		{long + "c", "%" + strings.Repeat("a", 100) + "b%", false},
		{long + "bc", "%" + strings.Repeat("_", 130) + "b_%", true},
		{long, "%" + strings.Repeat("a", 201) + "%", false},
		{"x" + long[:128] + "y", "x%" + strings.Repeat("a", 128) + "%y", true},
		{"a\xff\xfeb", "a__b", true}, {"a\xffb", "%\uFFFD%", true}, {"\xff", "%_%", true}, {"", "%", true}, {"", "_", false}, {"a", "", false}, {"", "", true},
	} {
		if got := like(c.text, c.pattern); got != c.want {
			t.Errorf("%.10q like %.20q: %t", c.text, c.pattern, got)
		}
	}
}

// The worst patterns take steps in proportion to the text.
func BenchmarkLike(b *testing.B) {
	text := strings.Repeat("a", 1<<20)
	for name, pattern := range map[string]string{"plain": "%b%", "long": "%" + strings.Repeat("a", 500) + "b%", "many": strings.Repeat("%a_", 300) + "b"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				like(text, pattern)
			}
		})
	}
}
