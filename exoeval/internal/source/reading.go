package source

// This file bounds the depth of brackets under every reading of a text, because the parser may misread strings and regular expressions.

// hardNesting bounds the nesting of brackets under *every* reading of the text, even with strings and comments misread. A level takes about
// 2.4 KB of the parser's stack, so all levels take 5 MB.
const hardNesting = 2000

// At each byte a lexer is in one of these states.
const (
	inCode = iota
	inSingle
	inDouble
	inTemplate
	inLineComment
	inBlockComment
	inRegex
	inRegexClass
	modes
)

// anyReadingTooDeep returns the offset at which the brackets of s nest deeper
// than hardNesting under some reading, or -1.
//
// The parser decides whether a slash divides or starts a regular expression. After a syntax error it skips text and decides otherwise: in
// "a b /`/ ((((" it sees parentheses, but a scanner that does not skip sees a template. An attacker would hide any depth there. So every
// slash, backtick and closing brace is read in all its ways at once. For each way, the scan keeps the greatest depth that this way can have
// here. The scan takes linear time. It overestimates honest programs by tens of levels, and the bound is in the thousands. Each kind of
// bracket counts apart: after an error a "]" closes no "{".
func anyReadingTooDeep(s string) int {
	var ring [3][modes]nesting // the states now, at the next byte and the one after
	ring[0][inCode].reached = true
	for i := 0; i < len(s); i++ {
		now := &ring[i%3]
		b := byteAt{c: s[i], end: lineEnd(s[i:]) > 0, next: &ring[(i+1)%3], skip: &ring[(i+2)%3]}
		if i+1 < len(s) {
			b.d = s[i+1]
		}
		for m, depth := range now {
			if !depth.reached {
				continue
			}
			if depth.parens+depth.squares+depth.braces > hardNesting {
				return i
			}
			switch m {
			case inCode:
				b.code(depth)
			case inSingle:
				b.quoted(m, '\'', b.end, depth)
			case inDouble:
				b.quoted(m, '"', b.end, depth)
			case inTemplate:
				if b.c == '$' && b.d == '{' {
					depth.braces++
					mergeNesting(b.skip, inCode, depth)
				} else {
					b.quoted(m, '`', false, depth)
				}
			case inLineComment, inBlockComment:
				b.comment(m, depth)
			case inRegex, inRegexClass:
				b.regex(m, depth)
			}
		}
		*now = [modes]nesting{}
	}
	return -1
}

// byteAt is a byte, from which the methods go on to the states after it. Each method is for a state at the byte.
type byteAt struct {
	c, d       byte            // c is the byte, and d the next one
	end        bool            // end: a line ends here
	next, skip *[modes]nesting // next has the states after c, and skip those after d
}

func (b *byteAt) code(n nesting) {
	switch {
	case b.c == '/' && b.d == '/':
		mergeNesting(b.skip, inLineComment, n)
		return
	case b.c == '/' && b.d == '*':
		mergeNesting(b.skip, inBlockComment, n)
		return
	case b.c == '\'':
		mergeNesting(b.next, inSingle, n)
		return
	case b.c == '"':
		mergeNesting(b.next, inDouble, n)
		return
	case b.c == '/':
		mergeNesting(b.next, inRegex, n)
	case b.c == '`':
		mergeNesting(b.next, inTemplate, n)
	case b.c == '}':
		n.braces = max(n.braces-1, 0)
		mergeNesting(b.next, inTemplate, n)
	case b.c == '(':
		n.parens++
	case b.c == '[':
		n.squares++
	case b.c == '{':
		n.braces++
	case b.c == ')':
		n.parens = max(n.parens-1, 0)
	case b.c == ']':
		n.squares = max(n.squares-1, 0)
	}
	mergeNesting(b.next, inCode, n)
}

// quoted reads a byte of a text or a template. The byte quote ends the text; so does the end of a line, which end reports.
func (b *byteAt) quoted(m int, quote byte, end bool, n nesting) {
	switch {
	case b.c == '\\':
		mergeNesting(b.skip, m, n)
	case b.c == quote || end:
		mergeNesting(b.next, inCode, n)
	default:
		mergeNesting(b.next, m, n)
	}
}

func (b *byteAt) comment(m int, n nesting) {
	switch {
	case m == inBlockComment && b.c == '*' && b.d == '/':
		mergeNesting(b.skip, inCode, n)
	case m == inLineComment && b.end:
		mergeNesting(b.next, inCode, n)
	default:
		mergeNesting(b.next, m, n)
	}
}

func (b *byteAt) regex(m int, n nesting) {
	switch {
	case b.c == '\\' && b.d != '\n' && b.d != '\r':
		mergeNesting(b.skip, m, n)
	case b.end || b.c == '/' && m == inRegex:
		mergeNesting(b.next, inCode, n)
	case b.c == '[':
		mergeNesting(b.next, inRegexClass, n)
	case b.c == ']':
		mergeNesting(b.next, inRegex, n)
	default:
		mergeNesting(b.next, m, n)
	}
}

// nesting counts the brackets of each kind that may be open.
type nesting struct {
	reached                 bool
	parens, squares, braces int
}

func mergeNesting(at *[modes]nesting, mode int, n nesting) {
	a := &at[mode]
	*a = nesting{true, max(a.parens, n.parens), max(a.squares, n.squares), max(a.braces, n.braces)}
}
