package gen

import (
	"strconv"
	"strings"
	"unicode"
)

// lit returns a string as a Go constant. Characters that can't be printed are escaped.
func lit(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }

// line returns s as one line of a comment. A line break in a comment of the database would end the Go comment, and the rest would be code. A
// text that looks like a directive of Go would be one.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// name returns a name of the database in a form for comments.
func name(s string) string {
	if t := line(s); t == s && t != "" {
		return t
	}
	return lit(s)
}

// comment returns text as comment lines of at most width characters. Each begins with two slashes and a blank, so none is a directive.
func comment(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(line(text)) {
		n := len([]rune(word))
		switch {
		case at == 0:
			b.WriteString("//")
			at = 2
		case at+1+n > width:
			b.WriteString("\n//")
			at = 2
		}
		b.WriteString(" " + word)
		at += 1 + n
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
