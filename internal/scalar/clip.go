package scalar

import (
	"strings"
	"unicode/utf8"
)

// Clip is a copy of a text: of its first n bytes, cut between characters, if it has more. A part of a long text would keep all of it
// in memory.
func Clip(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
