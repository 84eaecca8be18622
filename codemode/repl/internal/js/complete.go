package js

import "strings"

// Complete reports whether the typed text can be a whole program: no bracket, template or comment
// is open, the last line does not end with an operator, and a program of statements has a return.
// This is only a guess: an empty line also ends a program.
func Complete(text string) bool {
	s := scan(text)
	return !s.open && !s.operator && (!s.statements || s.returns)
}

// Open reports whether a bracket, a template or a comment is open.
func Open(text string) bool { return scan(text).open }

type scanned struct {
	open       bool
	operator   bool // the text ends with an operator
	statements bool // the text begins with a declaration, a loop or a condition
	returns    bool // the text has a return outside brackets
}

var statementWords = map[string]bool{"const": true, "let": true, "var": true, "class": true, "for": true, "while": true, "do": true, "if": true, "try": true, "switch": true}

// scan finds the open brackets of a text, and its end.
func scan(text string) scanned {
	var out scanned
	var last Token // the last token that is neither space nor comment
	out.open = EachToken(text, func(t Token) {
		if t.Kind == Comment || strings.TrimSpace(t.Text) == "" {
			return
		}
		if last.Text == "" {
			out.statements = statementWords[t.Text]
		}
		out.returns = out.returns || t.depth == 0 && t.Kind == Keyword && t.Text == "return"
		last = t
	})
	out.operator = last.Kind == Plain && strings.Contains("=+-*%&|^<>?:,.!~", last.Text) && last.Text != ""
	return out
}

func IsWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// startsRegexp reports whether a slash begins a regular expression, and is no division, which follows a value.
func startsRegexp(last byte, word string) bool {
	if last == 'a' {
		return word == "return" || word == "typeof" || word == "await"
	}
	return last != '0' && last != ')' && last != ']' && last != '}'
}

// skip returns the index of the quote that ends a string, or of the end of its line.
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
