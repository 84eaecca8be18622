package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokWord tokenKind = iota // a word without quotes: a keyword or a name
	tokName                  // a quoted name
	tokString
	tokNumber
	tokPunct // one character, or an operator
)

type token struct {
	kind     tokenKind
	text     string // text is the source of the token; for names and strings without the quotes
	up       string // up is a word in upper case, or ""
	pos, end int    // pos and end are bytes of the source
}

func (t token) punct(s string) bool { return t.kind == tokPunct && t.text == s }

// lex splits a text of SQLite into tokens, without white space and comments.
func lex(src string) ([]token, error) {
	l := &lexer{src: src}
	for {
		l.space()
		if l.pos >= len(l.src) {
			return l.toks, nil
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		t.end = l.pos
		l.toks = append(l.toks, t)
	}
}

type lexer struct {
	src  string
	pos  int
	toks []token
}

// space skips white space and comments. A comment at the end need not be closed. White space outside of ASCII is part of a name in both engines.
func (l *lexer) space() {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		r, n := utf8.DecodeRuneInString(rest)
		end := ""
		switch {
		case strings.HasPrefix(rest, "--"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			n, end = 2, "*/"
		case !strings.ContainsRune(" \t\n\v\f\r\ufeff", r):
			return
		}
		l.pos += n
		if end == "" {
			continue
		}
		if i := strings.Index(l.src[l.pos:], end); i >= 0 {
			l.pos += i + len(end)
		} else {
			l.pos = len(l.src)
		}
	}
}

func (l *lexer) next() (token, error) {
	start := l.pos
	switch c := l.src[start]; {
	case c == '\'':
		return l.quoted(c, tokString)
	case c == '"', c == '`':
		return l.quoted(c, tokName)
	case (c|0x20) == 'x' && strings.HasPrefix(l.src[start+1:], "'"):
		return l.quoted('\'', tokString)
	case c == '[':
		end := strings.IndexByte(l.src[start:], ']')
		if end < 0 {
			return token{}, l.open(start, "]")
		}
		l.pos = start + end + 1
		return token{kind: tokName, text: l.src[start+1 : start+end], pos: start}, nil
	case isDigit(c), c == '.' && start+1 < len(l.src) && isDigit(l.src[start+1]):
		return l.number(), nil
	}
	r, n := utf8.DecodeRuneInString(l.src[start:])
	if isWordStart(r) {
		return l.word(), nil
	}
	l.pos += n
	if strings.ContainsRune("<>=!|&~@#?*/+-:%^", r) {
		for l.pos < len(l.src) && strings.IndexByte("<>=!|&~@#:", l.src[l.pos]) >= 0 {
			l.pos++
		}
	}
	return token{kind: tokPunct, text: l.src[start:l.pos], pos: start}, nil
}

func isDigit(c byte) bool     { return '0' <= c && c <= '9' }
func isWordStart(r rune) bool { return r == '_' || unicode.IsLetter(r) || r >= 0x80 }

func (l *lexer) word() token {
	start := l.pos
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if !isWordStart(r) && !unicode.IsDigit(r) && r != '$' {
			break
		}
		l.pos += n
	}
	w := l.src[start:l.pos]
	return token{kind: tokWord, text: w, up: asciiUpper(w), pos: start}
}

func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

func (l *lexer) number() token {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && (l.src[l.pos-1]|0x20) == 'e' && !strings.HasPrefix(strings.ToLower(l.src[start:]), "0x")
		if !isDigit(c) && c != '.' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && !sign {
			break
		}
		l.pos++
	}
	return token{kind: tokNumber, text: l.src[start:l.pos], pos: start}
}

// quoted reads a quoted text. A doubled quote is one quote of the text.
func (l *lexer) quoted(q byte, kind tokenKind) (token, error) {
	start := l.pos
	l.pos += strings.IndexByte(l.src[start:], q) + 1
	var b strings.Builder
	for {
		i := strings.IndexByte(l.src[l.pos:], q)
		if i < 0 {
			return token{}, l.open(start, string(q))
		}
		b.WriteString(l.src[l.pos : l.pos+i])
		l.pos += i + 1
		if l.pos >= len(l.src) || l.src[l.pos] != q {
			return token{kind: kind, text: b.String(), pos: start}, nil
		}
		b.WriteByte(q)
		l.pos++
	}
}

func (l *lexer) open(at int, want string) error {
	return fmt.Errorf("the quoted text at byte %d of its definition has no closing %s", at+1, want)
}
