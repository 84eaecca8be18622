package scalar

import (
	"strings"
	"unicode/utf8"
)

// Clip returns a copy of at most n bytes of a text. A longer text is cut between characters, and "…" follows. Without the copy, the part would keep
// the whole text in memory.
func Clip(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
