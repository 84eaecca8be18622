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

// scan reads text as far as its brackets.
func scan(text string) scanned {
	var out scanned
	var last token // the last one that counts
	out.open = eachToken(text, func(t token) {
		if t.kind == commentToken || strings.TrimSpace(t.text) == "" {
			return
		}
		if last.text == "" {
			out.statements = statementWords[t.text]
		}
		out.returns = out.returns || t.depth == 0 && t.kind == keywordToken && t.text == "return"
		last = t
	})
	out.operator = last.kind == plainToken && strings.Contains("=+-*%&|^<>?:,.!~", last.text) && last.text != ""
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
