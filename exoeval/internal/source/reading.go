package source

// The scan's last resort: the depth of brackets under every reading of the text, also where the parser would take
// strings and patterns for something else.

// hardNesting bounds bracket nesting under *every* reading of the text, strings
// and comments misread included; about 2.4 KB of parser stack a level, 5 MB.
const hardNesting = 2000

// The ways in which a lexer can be reading at some byte.
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

// anyReadingTooDeep returns where the brackets of s nest deeper than hardNesting
// under some reading, or -1.
//
// Whether a slash divides or starts a regular expression is the parser's
// decision, and after a syntax error the parser skips text and decides
// differently: in "a b /`/ ((((" it sees parentheses where a scanner that keeps
// its head sees a template. An attacker would hide any depth there. So every
// slash, backtick and closing brace is read in all its ways at once: for each
// way, the greatest depth with which it can be reached. That is linear, and
// honest programs drift by tens where the bound is in the thousands. The three
// kinds are counted apart: after an error a "]" closes no "{".
func anyReadingTooDeep(s string) int {
	var ring [3][modes]nesting // now, the next byte, the one after
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

// nesting is how many brackets of each kind may be open.
type nesting struct {
	reached                 bool
	parens, squares, braces int
}

func mergeNesting(at *[modes]nesting, mode int, n nesting) {
	a := &at[mode]
	*a = nesting{true, max(a.parens, n.parens), max(a.squares, n.squares), max(a.braces, n.braces)}
}
