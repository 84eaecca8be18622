package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText bounds the characters of a text that are searched, from its beginning. An engine folds
// and copies them, and nothing stops it within a row. sqlast has the same number.
const MaxText = 65536

// Fold returns the first MaxText characters of a text without regard to case: each in lower case,
// and both small sigmas as one. PostgreSQL folds texts in the same way, by ICU (TestFold).
func Fold(s string) string {
	if len(s) > MaxText {
		n := 0
		for i := range s {
			if n++; n > MaxText {
				s = s[:i]
				break
			}
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return foldAll(s)
		}
	}
	return strings.ToLower(s)
}

func foldAll(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch r {
		case 'Σ', 'ς':
			b.WriteRune('σ')
		case 'İ': // Unicode folds İ to two characters
			b.WriteString("i\u0307")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// Words splits a folded text into words: runs of characters that are no separators.
func Words(folded string) []string { return strings.FieldsFunc(folded, separates) }

// separates reports whether a character separates words, being no letter, mark or number.
func separates(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	_, found := slices.BinarySearchFunc(separators, r, func(s [2]rune, r rune) int {
		switch {
		case s[1] < r:
			return -1
		case s[0] > r:
			return 1
		}
		return 0
	})
	return found
}
