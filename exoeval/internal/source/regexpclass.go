package source

// This file writes classes of characters that goja does not know as ranges.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/internal/scalar"
)

// spellProperties writes \p{...} and \P{...} as ranges, with exactly JavaScript's names. The engine would read \p as the letter p, even with
// the flag u, and silently match nothing.
func spellProperties(p string, u bool) (spelled, why string) {
	var b strings.Builder
	class := false
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p) && (p[i+1] == 'p' || p[i+1] == 'P'):
			end := i + strings.IndexByte(p[i:], '}')
			if !strings.HasPrefix(p[i+2:], "{") || end < i {
				return "", "`\\p` in a regular expression needs a name in braces, like \\p{L}"
			}
			if !u {
				return "", fmt.Sprintf("`%s` in a regular expression needs the flag u", scalar.Shorten(p[i:end+1], 60))
			}
			ranges, ok := property(p[i+3 : end])
			if !ok {
				return "", fmt.Sprintf("`%s` in regular expressions is not available; there are general categories (\\p{L}, \\p{Letter}, \\p{Lu}), scripts (\\p{Script=Greek}) and \\p{Alphabetic}; or write the characters as ranges, like [\\u{1F300}-\\u{1FAFF}]", scalar.Shorten(p[i:end+1], 60))
			}
			if p[i+1] == 'P' {
				ranges = complement(ranges)
			}
			writeRanges(&b, ranges, class)
			i = end
			if b.Len() > maxSpelled {
				return "", "the regular expression has too many Unicode properties; use fewer, or string functions"
			}
			continue
		case p[i] == '\\' && i+1 < len(p):
			b.WriteString(p[i : i+2])
			i++
			continue
		case p[i] == '[':
			class = true
		case p[i] == ']':
			class = false
		}
		b.WriteByte(p[i])
	}
	return b.String(), ""
}

const maxSpelled = 64 << 10 // in bytes; the ranges of \p{L} take nine thousand

// property returns the ranges of the property \p{...}, sorted and without overlap. It returns false if JavaScript, or this package, lacks it.
func property(name string) ([]rune, bool) {
	key, value, pair := strings.Cut(name, "=")
	switch {
	case pair && (key == "Script" || key == "sc"):
		return rangesOf(unicode.Scripts[value])
	case pair && (key == "General_Category" || key == "gc"):
		return category(value)
	case pair:
		return nil, false
	}
	switch name {
	case "Any":
		return []rune{0, unicode.MaxRune}, true
	case "ASCII":
		return []rune{0, unicode.MaxASCII}, true
	case "Assigned":
		r, ok := category("Cn")
		return complement(r), ok
	case "Alphabetic", "Alpha":
		return rangesOf(unicode.Letter, unicode.Nl, unicode.Other_Alphabetic)
	case "Uppercase", "Upper":
		return rangesOf(unicode.Upper, unicode.Other_Uppercase)
	case "Lowercase", "Lower":
		return rangesOf(unicode.Lower, unicode.Other_Lowercase)
	case "space":
		return rangesOf(unicode.White_Space)
	case "White_Space", "Dash", "Diacritic", "Extender", "Hex_Digit", "ASCII_Hex_Digit", "Ideographic", "Quotation_Mark",
		"Sentence_Terminal", "Terminal_Punctuation", "Regional_Indicator", "Unified_Ideograph", "Variation_Selector":
		return rangesOf(unicode.Properties[name])
	}
	return category(name)
}

func category(name string) ([]rune, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	return rangesOf(unicode.Categories[name])
}

func rangesOf(tables ...*unicode.RangeTable) ([]rune, bool) {
	var spans [][2]rune
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, [2]rune{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, [2]rune{r, r})
		}
	}
	for _, t := range tables {
		if t == nil {
			return nil, false
		}
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	slices.SortFunc(spans, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	var out []rune
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1]+1 {
			out[n-1] = max(out[n-1], s[1])
			continue
		}
		out = append(out, s[0], s[1])
	}
	return out, true
}

func complement(ranges []rune) []rune {
	var out []rune
	next := rune(0)
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] > next {
			out = append(out, next, ranges[i]-1)
		}
		next = ranges[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

func writeRanges(b *strings.Builder, ranges []rune, class bool) {
	if !class {
		b.WriteByte('[')
	}
	for i := 0; i < len(ranges); i += 2 {
		fmt.Fprintf(b, `\u{%x}`, ranges[i])
		if ranges[i+1] > ranges[i] {
			fmt.Fprintf(b, `-\u{%x}`, ranges[i+1])
		}
	}
	if !class {
		b.WriteByte(']')
	}
}
