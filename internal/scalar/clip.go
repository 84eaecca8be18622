package scalar

import (
	"strings"
	"unicode/utf8"
)

// Clip returns a copy of a text, cut to n bytes between characters and marked with "…". Without the copy, the part would keep the whole text in memory.
func Clip(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
