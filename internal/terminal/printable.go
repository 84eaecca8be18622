package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// printable makes text of a program, a model or a database fit for a terminal: what
// would move the cursor, change colours or turn the direction of writing is spelled
// out. Lines stay; a lone carriage return would let text overwrite itself.
func printable(s string) string {
	plain := func(r rune) bool { return r == '\n' || r == '\t' || printableRune(r) }
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

// printableRune: unicode.IsPrint refuses all controls, C1 ones too, and all format
// characters, of which those that turn the direction of writing are.
func printableRune(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// oneLine is printable without lines and tabs.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// cut shortens s to a width.
func cut(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w < 1 {
		return ""
	}
	rest, state, n, end := s, -1, 0, 0
	for rest != "" {
		var c string
		var cw int
		c, rest, cw, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n+cw > w-1 {
			break
		}
		n += cw
		end += len(c)
	}
	return s[:end] + "…"
}

// width is how many columns of a terminal s takes, by Unicode's tables.
func width(s string) int { return uniseg.StringWidth(s) }
