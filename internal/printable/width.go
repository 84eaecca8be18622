package printable

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// MaxCluster is how many runes OneLine keeps together as one character. By Unicode's tables a run of jamo or marks has the width of one
// character, but terminals show many.
const MaxCluster = 8

// OneLine is Text, with line ends and tabs escaped, too.
func OneLine(s string) string {
	s = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(s))
	if len(s) <= MaxCluster || isASCII(s) {
		return s
	}
	var b strings.Builder
	for rest, state := s, -1; rest != ""; {
		var c string
		c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n := 0
		for i := range c {
			if n++; n > MaxCluster {
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

// Cut shortens s to w columns.
func Cut(s string, w int) string {
	if Width(s) <= w {
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

// Width returns the most columns that a terminal may use for s. It uses Unicode's tables, but counts each jamo, because some terminals do not
// compose jamo. A width that is too large leaves a gap. A width that is too small would push the next cell out of place.
func Width(s string) int {
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

// clusterWidth returns the width of one cluster, the runes of one character. The argument w is its width in Unicode's tables.
func clusterWidth(c string, w int) int {
	jamo := 0
	for _, r := range c {
		switch {
		case 0x1100 <= r && r < 0x1160 || 0xA960 <= r && r < 0xA980:
			jamo += 2 // jamo that begin a syllable
		case 0xAC00 <= r && r < 0xD7A4:
			jamo += 2 // syllables
		}
	}
	return max(w, jamo)
}
