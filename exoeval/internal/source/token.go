package source

// This file finds the tokens of a text.

import (
	"strings"
	"unicode/utf8"
)

// A tok is a token with what the scan needs. A literal's text is only its first character, so no string equals a word or a mark.
type tok struct {
	off, end int
	text     string
	kind     byte // 'w' for a word, 'p' for a mark, 'l' for a literal
	depth    int  // the number of open brackets around it
}

var comparisons = map[string]bool{"==": true, "===": true, "!=": true, "!==": true, "<=": true, ">=": true}

var operatorWords = map[string]bool{"return": true, "typeof": true, "instanceof": true, "in": true, "of": true, "new": true, "delete": true, "void": true,
	"throw": true, "case": true, "do": true, "else": true, "await": true, "yield": true, "extends": true}

func stringEnd(src string, i int) int {
	for j := i + 1; j < len(src); j++ {
		switch src[j] {
		case '\\':
			j++
			if strings.HasPrefix(src[j:], "\r\n") { // after a backslash, CR and LF are one line terminator
				j++
			}
		case '\n', '\r':
			return j
		case src[i]:
			return j + 1
		}
	}
	return len(src)
}

func regexEnd(src string, i int) int {
	class := false
	for j := i + 1; j < len(src); j++ {
		switch c := src[j]; {
		case c == '\\':
			j++
		case lineEnd(src[j:]) > 0:
			return j
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for j++; j < len(src) && isWordByte(src[j]); j++ {
			}
			return j
		}
	}
	return len(src)
}

// markLen returns the length of the punctuation mark that s begins with.
func markLen(s string) int {
	for _, m := range [...]string{">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
		"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"} {
		if strings.HasPrefix(s, m) {
			return len(m)
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
