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
		now, next, skip := &ring[i%3], &ring[(i+1)%3], &ring[(i+2)%3]
		c, d := s[i], byte(0)
		if i+1 < len(s) {
			d = s[i+1]
		}
		end := lineEnd(s[i:]) > 0
		for m, depth := range now {
			if !depth.reached {
				continue
			}
			if depth.parens+depth.squares+depth.braces > hardNesting {
				return i
			}
			switch m {
			case inCode:
				switch {
				case c == '/' && d == '/':
					mergeNesting(skip, inLineComment, depth)
				case c == '/' && d == '*':
					mergeNesting(skip, inBlockComment, depth)
				case c == '/':
					mergeNesting(next, inCode, depth)
					mergeNesting(next, inRegex, depth)
				case c == '\'':
					mergeNesting(next, inSingle, depth)
				case c == '"':
					mergeNesting(next, inDouble, depth)
				case c == '`':
					mergeNesting(next, inCode, depth)
					mergeNesting(next, inTemplate, depth)
				case c == '}':
					depth.braces = max(depth.braces-1, 0)
					mergeNesting(next, inCode, depth)
					mergeNesting(next, inTemplate, depth)
				case c == '(':
					depth.parens++
					mergeNesting(next, inCode, depth)
				case c == '[':
					depth.squares++
					mergeNesting(next, inCode, depth)
				case c == '{':
					depth.braces++
					mergeNesting(next, inCode, depth)
				case c == ')':
					depth.parens = max(depth.parens-1, 0)
					mergeNesting(next, inCode, depth)
				case c == ']':
					depth.squares = max(depth.squares-1, 0)
					mergeNesting(next, inCode, depth)
				default:
					mergeNesting(next, inCode, depth)
				}
			case inSingle, inDouble:
				quote := byte('\'')
				if m == inDouble {
					quote = '"'
				}
				switch {
				case c == '\\':
					mergeNesting(skip, m, depth)
				case c == quote || end:
					mergeNesting(next, inCode, depth)
				default:
					mergeNesting(next, m, depth)
				}
			case inTemplate:
				switch {
				case c == '\\':
					mergeNesting(skip, m, depth)
				case c == '`':
					mergeNesting(next, inCode, depth)
				case c == '$' && d == '{':
					depth.braces++
					mergeNesting(skip, inCode, depth)
				default:
					mergeNesting(next, m, depth)
				}
			case inLineComment:
				if end {
					m = inCode
				}
				mergeNesting(next, m, depth)
			case inBlockComment:
				if c == '*' && d == '/' {
					mergeNesting(skip, inCode, depth)
				} else {
					mergeNesting(next, m, depth)
				}
			case inRegex, inRegexClass:
				switch {
				case c == '\\' && d != '\n' && d != '\r':
					mergeNesting(skip, m, depth)
				case end || c == '/' && m == inRegex:
					mergeNesting(next, inCode, depth)
				case c == '[':
					mergeNesting(next, inRegexClass, depth)
				case c == ']':
					mergeNesting(next, inRegex, depth)
				default:
					mergeNesting(next, m, depth)
				}
			}
		}
		*now = [modes]nesting{}
	}
	return -1
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
