// Package js splits JavaScript into tokens while a user types it, even if it is incomplete. It only helps the user, and decides nothing.
package js

import (
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

type Kind int

const (
	Plain Kind = iota
	Keyword
	Constant
	Number
	String
	Regexp
	Comment
	Member // a name that follows a dot
)

type Token struct {
	Kind  Kind
	Text  string
	at    int // the offset in the text
	depth int // how many brackets and templates are open before the token
}

var keywords = scalar.Words(`async await break case catch class const continue default delete do else export extends finally for from function
	if import in instanceof let new of return static super switch this throw try typeof var void while yield`)

var constants = scalar.Words("true false null undefined NaN Infinity")

// EachToken splits JavaScript into tokens. The tokens joined are the text, even if the program is
// incomplete. It reports whether a bracket, a template or a comment is open at the end.
func EachToken(code string, yield func(Token)) (open bool) {
	var stack []byte // the open brackets; '`' means a template
	var last byte    // the last byte that is neither space nor comment; 'a' for a word, '0' for a literal
	word := ""
	emit := func(kind Kind, from, to int) { yield(Token{kind, code[from:to], from, len(stack)}) }
	for i := 0; i < len(code); {
		c, from := code[i], i
		if n := len(stack); n > 0 && stack[n-1] == '`' {
			for i < len(code) && code[i] != '`' && !strings.HasPrefix(code[i:], "${") {
				if code[i] == '\\' {
					i++
				}
				i++
			}
			i = min(i, len(code))
			emit(String, from, i)
			switch {
			case strings.HasPrefix(code[i:], "${"):
				emit(Plain, i, i+2)
				stack, last, i = append(stack, '{'), '{', i+2
			case i < len(code):
				emit(String, i, i+1)
				stack, last, i = stack[:n-1], '0', i+1
			}
			continue
		}
		switch {
		case strings.HasPrefix(code[i:], "//"):
			if i = strings.IndexByte(code[from:], '\n') + from; i < from {
				i = len(code)
			}
			emit(Comment, from, i)
		case strings.HasPrefix(code[i:], "/*"):
			if end := strings.Index(code[i+2:], "*/"); end >= 0 {
				i += end + 4
			} else {
				i, open = len(code), true
			}
			emit(Comment, from, i)
		case c == '\'' || c == '"':
			i = min(skip(code, i, c)+1, len(code))
			emit(String, from, i)
			last = '0'
		case c == '/' && startsRegexp(last, word):
			i = min(skipRegexp(code, i)+1, len(code))
			for i < len(code) && IsWord(code[i]) {
				i++
			}
			emit(Regexp, from, i)
			last = '0'
		case IsWord(c):
			for i < len(code) && IsWord(code[i]) {
				i++
			}
			word = code[from:i]
			emit(wordKind(word, last), from, i)
			last = 'a'
		default:
			i++
			switch {
			case c == '`' || strings.IndexByte("([{", c) >= 0:
				stack = append(stack, c)
			case strings.IndexByte(")]}", c) >= 0 && len(stack) > 0:
				stack = stack[:len(stack)-1]
			}
			kind := Plain
			if c == '`' {
				kind = String
			}
			emit(kind, from, i)
			if strings.IndexByte(" \t\r\n", c) < 0 {
				last = c
			}
		}
	}
	return open || len(stack) > 0
}

func wordKind(word string, last byte) Kind {
	switch {
	case word[0] >= '0' && word[0] <= '9':
		return Number
	case last == '.':
		return Member
	case keywords[word]:
		return Keyword
	case constants[word]:
		return Constant
	}
	return Plain
}
