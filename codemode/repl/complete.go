package repl

import "strings"

// complete reports whether what was typed so far can be a whole program: no
// bracket, template or comment is open, the last line does not end with an
// operator, and a program of statements has come to its return. It is a guess
// for whoever types, and never refuses anything: an empty line ends a program too.
func complete(text string) bool {
	s := scan(text)
	return !s.open && !s.operator && (!s.statements || s.returns)
}

// open reports whether a bracket, a template or a comment is open.
func open(text string) bool { return scan(text).open }

type scanned struct {
	open       bool
	operator   bool // ends with one
	statements bool // begins with a declaration, a loop or a condition
	returns    bool // and has a return outside brackets
}

var statementWords = map[string]bool{"const": true, "let": true, "var": true, "class": true, "for": true, "while": true, "do": true, "if": true, "try": true, "switch": true}

// scan reads text as far as its brackets: it knows strings, templates with
// substitutions, comments, and regular expressions where one can stand.
func scan(text string) scanned {
	var out scanned
	var stack []byte // brackets, and '`' for a template
	var last byte    // the last byte that counts; 'a' for a word, '0' for a literal
	word := ""
	first := true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if n := len(stack); n > 0 && stack[n-1] == '`' {
			switch {
			case c == '\\':
				i++
			case c == '`':
				stack, last = stack[:n-1], '0'
			case c == '$' && i+1 < len(text) && text[i+1] == '{':
				stack = append(stack, '{')
				last = '{'
				i++
			}
			continue
		}
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '/' && strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			i += end - 1
		case c == '/' && strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				out.open = true
				return out
			}
			i += end + 3
		case c == '\'' || c == '"':
			i = skip(text, i, c)
			last, first = '0', false
		case c == '/' && startsRegexp(last, word):
			i = skipRegexp(text, i)
			last, first = '0', false
		case c == '`':
			stack = append(stack, c)
			first = false
		case strings.IndexByte("([{", c) >= 0:
			stack = append(stack, c)
			last, first = c, false
		case strings.IndexByte(")]}", c) >= 0:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			last = c
		case isWord(c):
			from := i
			for i+1 < len(text) && isWord(text[i+1]) {
				i++
			}
			word = text[from : i+1]
			if first {
				out.statements = statementWords[word]
			}
			if word == "return" && len(stack) == 0 {
				out.returns = true
			}
			last, first = 'a', false
		default:
			last, first = c, false
		}
	}
	out.open = len(stack) > 0
	out.operator = strings.IndexByte("=+-*%&|^<>?:,.!~", last) >= 0 && last != 0
	return out
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// startsRegexp: a slash divides after a value, and begins an expression elsewhere.
func startsRegexp(last byte, word string) bool {
	if last == 'a' {
		return word == "return" || word == "typeof" || word == "await"
	}
	return last != '0' && last != ')' && last != ']' && last != '}'
}

// skip is the index of the quote that ends a string, or of the end of its line.
func skip(text string, i int, quote byte) int {
	for i++; i < len(text) && text[i] != quote && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

func skipRegexp(text string, i int) int {
	class := false
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i
			}
		}
	}
	return i
}
