package scalar

import (
	"strings"
	"unicode/utf8"
)

// Clip returns a copy of a text, or of its first n bytes if it has more, cut between characters. It
// copies because a part of a long text would keep the whole text in memory.
func Clip(s string, n int) string {
	if len(s) <= n {
		return strings.Clone(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
