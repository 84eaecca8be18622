package proof

import (
	"strings"
	"unicode"
)

// lower is the text in small letters as no language in particular has it: İ keeps
// its dot, and a Σ at the end of a word is ς.
func lower(s string) string {
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && besideLetter(rs, i, -1) && !besideLetter(rs, i, 1):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// besideLetter reports whether a letter with a case comes next in a direction,
// over marks, apostrophes and points.
func besideLetter(rs []rune, i, step int) bool {
	for i += step; i >= 0 && i < len(rs); i += step {
		r := rs[i]
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", r) {
			continue
		}
		return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
	}
	return false
}

// upper is the text in capitals: ß has two.
func upper(s string) string {
	return strings.ReplaceAll(strings.ToUpper(strings.ReplaceAll(s, "ß", "ss")), "ŉ", "ʼN")
}

const white = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// like matches a pattern by trying everything.
func like(s, pattern []rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	switch c := pattern[0]; {
	case c == '%':
		return like(s, pattern[1:]) || len(s) > 0 && like(s[1:], pattern)
	case len(s) == 0:
		return false
	case c == '_':
		return like(s[1:], pattern[1:])
	case c == '\\':
		return s[0] == pattern[1] && like(s[1:], pattern[2:])
	default:
		return s[0] == c && like(s[1:], pattern[1:])
	}
}

// cut is the text from one place to another, in characters.
func cut(s string, from, to int) string {
	rs := []rune(s)
	from, to = min(from, len(rs)), min(to, len(rs))
	return string(rs[from:max(from, to)])
}
