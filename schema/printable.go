package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable is text with names that a database chose as one line that a terminal
// can show: whatever is not printable, as an escape sequence, a line break or what
// turns the direction of writing is not, is spelled \u001b or \u{e0041}.
func Printable(s string) string {
	plain := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case plain(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
