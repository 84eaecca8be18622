package agent

import "strings"

// same reports whether two calls are the same program, ignoring spaces, comments, semicolons, last
// commas and kinds of quotes. It guards against the habit of models to send a program again after
// an error with small changes. It does not guard against another program with the same effects: the
// object itself must refuse what may happen only once.
func same(a, b ToolCall) bool {
	p, q := a.program(), b.program()
	return p != nil && q != nil && (*p == *q || bare(*p) == bare(*q))
}

// bare returns a program without the parts that change nothing. It recognizes strings, templates and comments, but no regular expressions. So two
// programs that differ after a quote in a regular expression may look the same; then the second is refused.
func bare(s string) string {
	var out []byte
	apart := false // spaces or a comment separate the last byte from the next
	add := func(text string) {
		if apart && len(out) > 0 && word(out[len(out)-1]) && word(text[0]) {
			out = append(out, ' ')
		}
		out, apart = append(out, text...), false
	}
	for i := 0; i < len(s); {
		rest := s[i:]
		switch c := s[i]; {
		case strings.HasPrefix(rest, "//"):
			i += until(rest, "\n")
			apart = true
		case strings.HasPrefix(rest, "/*"):
			i += 2 + until(rest[2:], "*/")
			apart = true
		case strings.IndexByte(" \t\r\n\v\f;", c) >= 0:
			i++
			apart = true
		case c == '\\' && len(rest) > 1: // this is part of a regular expression
			add(rest[:2])
			i += 2
		case c == '\'' || c == '"' || c == '`':
			n := quoted(rest)
			add(quotes(rest[:n]))
			i += n
		default:
			if n := len(out); n > 0 && out[n-1] == ',' && (c == ')' || c == ']' || c == '}') {
				out = out[:n-1]
			}
			add(rest[:1])
			i++
		}
	}
	return string(out)
}

// until returns the length of s up to and including end, or the length of s if end is missing.
func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// quoted returns the length of the string at the start of s. Only a template
// continues after the end of a line. The code in its ${} counts as its text.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == s[0]:
			return i + 1
		case c == '\n' && s[0] != '`':
			return i
		}
	}
	return len(s)
}

// quotes returns a string literal in double quotes, so that 'a' and "a" count as the same. It returns s unchanged if
// s has quotes, escapes, $ or lines inside, since then the kind of quotes may matter.
func quotes(s string) string {
	if n := len(s); n > 1 && s[n-1] == s[0] && !strings.ContainsAny(s[1:n-1], "'\"`\\$\n") {
		return `"` + s[1:n-1] + `"`
	}
	return s
}

// word reports whether c may be part of a name or a number.
func word(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
