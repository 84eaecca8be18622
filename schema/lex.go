package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is what a token is; its text is decoded for names and strings.
type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokWord             // not quoted: a keyword or a name
	tokName             // a quoted name
	tokString           // a text; a number is tokNumber
	tokNumber
	tokPunct // one character, or an operator
)

type token struct {
	kind     tokenKind
	text     string // of names and strings: what they mean
	up       string // of words: in upper case
	pos, end int    // bytes of the source
}

// lexer cuts a text into tokens. It knows what differs between the engines: nested
// comments, dollar quotes and E” on PostgreSQL, [name] and `name` on SQLite.
type lexer struct {
	src    string
	engine Engine
	pos    int
	toks   []token
}

func lex(src string, engine Engine) ([]token, error) {
	l := &lexer{src: src, engine: engine}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.pos >= len(l.src) {
			l.toks = append(l.toks, token{kind: tokEnd, pos: len(src), end: len(src)})
			return l.toks, nil
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		t.end = l.pos
		l.toks = append(l.toks, t)
		if t.text == ";" && t.kind == tokPunct {
			l.copied()
		}
	}
}

// space skips white space and comments.
func (l *lexer) space() error {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			l.pos += n
		case strings.HasPrefix(rest, "--"):
			l.line()
		case strings.HasPrefix(rest, "/*"):
			if err := l.comment(); err != nil {
				return err
			}
		case r == '\\' && l.fresh(): // a command of psql, which dumps have
			l.line()
		default:
			return nil
		}
	}
	return nil
}

// fresh reports whether a statement would begin here.
func (l *lexer) fresh() bool {
	return len(l.toks) == 0 || l.toks[len(l.toks)-1].text == ";" && l.toks[len(l.toks)-1].kind == tokPunct
}

// line skips to the end of the line.
func (l *lexer) line() {
	if i := strings.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
		l.pos += i + 1
	} else {
		l.pos = len(l.src)
	}
}

func (l *lexer) comment() error {
	start, depth := l.pos, 0
	for l.pos < len(l.src) {
		switch rest := l.src[l.pos:]; {
		case strings.HasPrefix(rest, "/*") && (depth == 0 || l.engine == Postgres):
			depth++
			l.pos += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			l.pos += 2
			if depth == 0 {
				return nil
			}
		default:
			l.pos++
		}
	}
	if l.engine == SQLite {
		return nil // its last comment may be open
	}
	return errorAt(l.src, start, "this comment has no end: want */")
}

// copied skips the rows of COPY … FROM stdin, which dumps have, to their last line.
func (l *lexer) copied() {
	n := len(l.toks)
	if l.engine != Postgres || n < 3 || l.toks[n-2].up != "STDIN" {
		return
	}
	for i := n - 2; i >= 0 && l.toks[i].text != ";"; i-- {
		if l.toks[i].up == "COPY" {
			if end := strings.Index(l.src[l.pos:], "\n\\."); end >= 0 {
				l.pos += end + 3
				l.line()
			} else {
				l.pos = len(l.src)
			}
			return
		}
	}
}

func (l *lexer) next() (token, error) {
	start := l.pos
	c := l.src[l.pos]
	switch {
	case c == '\'':
		return l.quoted(start, '\'', tokString, "this text has no end: want '")
	case c == '"':
		return l.quoted(start, '"', tokName, `this name has no end: want "`)
	case c == '`' && l.engine == SQLite:
		return l.quoted(start, '`', tokName, "this name has no end: want `")
	case c == '[' && l.engine == SQLite:
		end := strings.IndexByte(l.src[start:], ']')
		if end < 0 {
			return token{}, errorAt(l.src, start, "this name has no end: want ]")
		}
		l.pos = start + end + 1
		return token{kind: tokName, text: l.src[start+1 : start+end], pos: start}, nil
	case c == '$' && l.engine == Postgres:
		if t, ok, err := l.dollar(start); ok || err != nil {
			return t, err
		}
	case '0' <= c && c <= '9' || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		return l.number(start), nil
	}
	r, n := utf8.DecodeRuneInString(l.src[l.pos:])
	if r == utf8.RuneError && n <= 1 {
		return token{}, errorAt(l.src, start, "this is not UTF-8")
	}
	if isWordStart(r) {
		return l.word(start)
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
func isWord(r rune) bool      { return isWordStart(r) || unicode.IsDigit(r) || r == '$' }

func (l *lexer) word(start int) (token, error) {
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if !isWord(r) || r == utf8.RuneError && n <= 1 {
			break
		}
		l.pos += n
	}
	w := l.src[start:l.pos]
	if l.pos < len(l.src) && l.src[l.pos] == '\'' && len(w) == 1 {
		switch {
		case l.engine == Postgres && (w == "e" || w == "E"):
			return l.escaped(start)
		case strings.ContainsAny(w, "xX") || l.engine == Postgres && strings.ContainsAny(w, "bBnN"):
			t, err := l.quoted(start, '\'', tokString, "this text has no end: want '")
			return t, err
		}
	}
	return token{kind: tokWord, text: w, up: asciiUpper(w), pos: start}, nil
}

func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

func (l *lexer) number(start int) token {
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

// quoted reads what stands in quotes, of which two are one.
func (l *lexer) quoted(start int, q byte, kind tokenKind, open string) (token, error) {
	l.pos = start + strings.IndexByte(l.src[start:], q) + 1
	var b strings.Builder
	for {
		i := strings.IndexByte(l.src[l.pos:], q)
		if i < 0 {
			return token{}, errorAt(l.src, start, open)
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

// escaped reads PostgreSQL's E'…'.
func (l *lexer) escaped(start int) (token, error) {
	l.pos = start + 2
	var b strings.Builder
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		l.pos++
		switch {
		case c == '\'' && l.pos < len(l.src) && l.src[l.pos] == '\'':
			l.pos++
		case c == '\'':
			return token{kind: tokString, text: b.String(), pos: start}, nil
		case c == '\\' && l.pos < len(l.src):
			c = l.src[l.pos]
			l.pos++
			if i := strings.IndexByte("nrtbf", c); i >= 0 {
				c = "\n\r\t\b\f"[i]
			}
		}
		b.WriteByte(c)
	}
	return token{}, errorAt(l.src, start, "this text has no end: want '")
}

// dollar reads PostgreSQL's $tag$…$tag$.
func (l *lexer) dollar(start int) (token, bool, error) {
	end := strings.IndexByte(l.src[start+1:], '$')
	if end < 0 {
		return token{}, false, nil
	}
	tag := l.src[start : start+end+2]
	for i, r := range tag[1 : len(tag)-1] {
		if !isWord(r) || i == 0 && !isWordStart(r) || r == '$' {
			return token{}, false, nil
		}
	}
	body := l.src[start+len(tag):]
	n := strings.Index(body, tag)
	if n < 0 {
		return token{}, false, errorAt(l.src, start, "this text has no end: want "+tag)
	}
	l.pos = start + len(tag) + n + len(tag)
	return token{kind: tokString, text: body[:n], pos: start}, true, nil
}

func errorAt(src string, pos int, msg string) *SyntaxError {
	before := src[:pos]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &SyntaxError{line, col, msg}
}
