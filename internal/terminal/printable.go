package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/exoagent/exoagent/schema"
)

// printable makes text of a program, a model or a database fit for a terminal: what
// would move the cursor, change colours or turn the direction of writing is spelled
// out. Lines stay; a lone carriage return would let text overwrite itself.
func printable(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			b.WriteString(schema.Printable(s))
			return b.String()
		}
		b.WriteString(schema.Printable(s[:i]))
		b.WriteByte(s[i])
		s = s[i+1:]
	}
}

// printableRune: unicode.IsPrint refuses all controls, C1 ones too, and all format
// characters, of which those that turn the direction of writing are.
func printableRune(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// printableJSON is JSON in which everything that is not printable is escaped: what
// is piped ends on a terminal too. What is not JSON's own white space outside of its
// texts is only ever within one, so that an escape means the same.
func printableJSON(b []byte) []byte {
	plain := func(r rune) bool { return r == '\n' || r == '\t' || printableRune(r) }
	if !bytes.ContainsFunc(b, func(r rune) bool { return !plain(r) }) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		switch {
		case plain(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// complain writes what went wrong to whoever runs the command: the text may be a
// database's, of a grants function or a service.
func (std *streams) complain(who string, err error) {
	fmt.Fprintf(std.err, "%s: %s\n", who, printable(err.Error()))
}

// maxCluster is how many runes oneLine leaves together as one character. Unicode's
// tables give a run of jamo, or of marks, the width of one, and terminals that of many.
const maxCluster = 8

// oneLine is printable without lines and tabs.
func oneLine(s string) string {
	s = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
	if len(s) <= maxCluster || isASCII(s) {
		return s
	}
	var b strings.Builder
	for rest, state := s, -1; rest != ""; {
		var c string
		c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n := 0
		for i := range c {
			if n++; n > maxCluster {
				c = c[:i] + "…"
				break
			}
		}
		b.WriteString(c)
	}
	return b.String()
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
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
		if cw = clusterWidth(c, cw); n+cw > w-1 {
			break
		}
		n += cw
		end += len(c)
	}
	return s[:end] + "…"
}

// width is how many columns of a terminal s takes, at least: by Unicode's tables, but
// of jamo each for itself, as terminals that don't compose them show them. Too much is
// spare room; too little would let a cell push what stands behind it out of its line.
func width(s string) int {
	if isASCII(s) {
		return uniseg.StringWidth(s)
	}
	w := 0
	for rest, state := s, -1; rest != ""; {
		var c string
		var cw int
		c, rest, cw, state = uniseg.FirstGraphemeClusterInString(rest, state)
		w += clusterWidth(c, cw)
	}
	return w
}

// clusterWidth is the width of one cluster, which is w by Unicode's tables.
func clusterWidth(c string, w int) int {
	jamo := 0
	for _, r := range c {
		switch {
		case 0x1100 <= r && r < 0x1160 || 0xA960 <= r && r < 0xA980:
			jamo += 2 // those that begin a syllable
		case 0xAC00 <= r && r < 0xD7A4:
			jamo += 2 // whole ones
		}
	}
	return max(w, jamo)
}
