package source

// This file has the scan, before the parser and the eraser. It makes tokens and bounds the cost of the parser's recursion.

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// goja's parser is recursive, and Go can't recover from a stack that overflows:
// 260 KB of `(` kill the process. So before the parser sees a text, a linear
// scan bounds the cost of its recursion in three ways: brackets, operators that
// nest without brackets, and parameter lists that the parser reads twice.
const (
	// maxPending bounds nesting without brackets: !!!!x, a=b=c, a?b:c?d:e, x=>y=>z, if(a)if(b)...
	maxPending = 1500
	// maxReparse bounds parameter lists inside parameter lists. goja parses the parameters of `(a = (b = ...) => 1) => 1` as an expression and
	// then again. So n levels take 2^n steps, and nothing can interrupt them.
	maxReparse = 3
	// maxYield bounds the yields. Before an error the parser skips from each yield to the end and returns, so the cost is quadratic.
	maxYield = 1000
)

type bracketLevel struct {
	open    byte // ( [ or {, and $ for the ${ of a template
	off     int  // the offset of the bracket
	before  tok  // the token before the bracket
	expr    int  // the number of pending operators since an expression surely ended
	stmt    int  // the number of pending heads of statements, like if (a)
	reparse int  // the depth of parameter lists inside this level
}

type scanner struct {
	catalog message.Catalog // used for error texts
	src     string
	toks    []tok
	levels  []bracketLevel // the open levels; the first one is the text itself
	closed  bracketLevel   // the level that was closed last
	pending int            // the sum of expr and stmt over all levels
	yields  int
	max     int
	types   bool // the text may have types, so any word may follow any other
	fault   *Fault
}

// scan returns the tokens of src, or an error if src exceeds a limit. If types is set, types will be erased from src before the parser gets
// it. The limits do not depend on types.
func scan(c message.Catalog, src string, maxNesting int, types bool) ([]tok, *Fault) {
	if off := anyReadingTooDeep(src); off >= 0 {
		return nil, Faultf(fail.Limit, off, "the program nests brackets more than %d levels deep, if those in texts and regular expressions count too (nesting): write fewer brackets inside one another", hardNesting)
	}
	s := &scanner{catalog: c, src: src, levels: make([]bracketLevel, 1), max: maxNesting, types: types}
	if f := s.run(); f != nil {
		return nil, f
	}
	if n := len(s.levels); s.fault == nil && n > 1 {
		return nil, Faultf(fail.Syntax, s.levels[n-1].off, "the brackets of the program do not match: `%s` is never closed", strings.Replace(string(s.levels[n-1].open), "$", "${", 1))
	}
	return s.toks, s.fault
}

func (s *scanner) run() *Fault {
	src := s.src
	for i := 0; i < len(src) && s.fault == nil; {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			i++
		case lineEnd(src[i:]) > 0:
			i += lineEnd(src[i:])
		case strings.HasPrefix(src[i:], "//"):
			for i < len(src) && lineEnd(src[i:]) == 0 {
				i++
			}
		case strings.HasPrefix(src[i:], "/*"):
			n := strings.Index(src[i+2:], "*/")
			if n < 0 {
				return nil // the parser will report this error
			}
			i += n + 4
		case c == '"' || c == '\'':
			end := stringEnd(src, i)
			s.add(tok{off: i, end: end, text: src[i : i+1], kind: 'l'})
			i = end
		case c == '`':
			s.add(tok{off: i, end: i + 1, text: "`", kind: 'l'})
			i = s.template(i + 1)
		case c == '/' && s.regexAllowed():
			end := regexEnd(src, i)
			s.add(tok{off: i, end: end, text: "/re/", kind: 'l'})
			i = end
		case isDigit(c) || c == '.' && i+1 < len(src) && isDigit(src[i+1]):
			end := i + 1
			for end < len(src) && (isWordByte(src[end]) || src[end] == '.') {
				end++
			}
			s.add(tok{off: i, end: end, text: "0", kind: 'l'})
			i = end
		case isWordByte(c) || c == '\\' || c >= utf8.RuneSelf || c == '#':
			end := i + 1
			for end < len(src) && (isWordByte(src[end]) || src[end] == '\\' || src[end] >= utf8.RuneSelf) {
				end++
			}
			if f := s.word(tok{off: i, end: end, text: src[i:end], kind: 'w'}); f != nil {
				return f
			}
			i = end
		default:
			t := tok{off: i, end: i + markLen(src[i:]), kind: 'p'}
			t.text = src[i:t.end]
			top := &s.levels[len(s.levels)-1]
			inTemplate := t.text == "}" && top.open == '$'
			if f := s.mark(t); f != nil {
				return f
			}
			i = t.end
			if inTemplate {
				i = s.template(i)
			}
		}
	}
	return nil
}

// template scans the text of a template from i. A ${ opens a level and ends the scan.
func (s *scanner) template(i int) int {
	for i < len(s.src) {
		switch {
		case s.src[i] == '\\':
			i += 2
		case s.src[i] == '`':
			s.add(tok{off: i, end: i + 1, text: "`", kind: 'l'})
			return i + 1
		case strings.HasPrefix(s.src[i:], "${"):
			s.add(tok{off: i, end: i + 2, text: "${", kind: 'p'})
			s.levels = append(s.levels, bracketLevel{open: '$', off: i})
			return i + 2
		default:
			i++
		}
	}
	return i
}

func (s *scanner) add(t tok) {
	if s.fault == nil && !s.types {
		s.fault = s.follows(t)
	}
	t.depth = len(s.levels) - 1
	s.toks = append(s.toks, t)
}

func (s *scanner) prev() tok {
	if len(s.toks) == 0 {
		return tok{}
	}
	return s.toks[len(s.toks)-1]
}

// member reports whether the next token is a member's name, after a dot.
func (s *scanner) member() bool { p := s.prev().text; return p == "." || p == "?." }

var prefixWords = map[string]bool{"typeof": true, "void": true, "delete": true, "await": true, "new": true, "yield": true, "class": true, "extends": true, "async": true}
var headWords = map[string]bool{"if": true, "for": true, "while": true, "do": true, "with": true, "else": true}
var startWords = map[string]bool{"const": true, "var": true, "return": true, "throw": true, "break": true, "continue": true, "switch": true, "try": true, "if": true, "for": true, "do": true}

func (s *scanner) word(t tok) *Fault {
	top := &s.levels[len(s.levels)-1]
	if !s.member() {
		p := s.prev()
		// Statements nest without brackets, too: `else if`, `if (a) if (b)`.
		nested := p.text == "else" || p.text == "do" || p.text == ":" || p.text == ")" && headWords[s.closed.before.text]
		if startWords[t.text] && (p.kind != 'p' || p.text == ";" || p.text == ")" || p.text == "]" || p.text == "}") {
			s.reset(&top.expr)
			if !nested {
				s.reset(&top.stmt)
			}
		}
		switch {
		case headWords[t.text]:
			top.stmt++
			s.pending++
		case prefixWords[t.text]:
			top.expr++
			s.pending++
			if t.text == "yield" {
				s.yields++
			}
		}
	}
	s.add(t)
	return s.bounds(t)
}

func (s *scanner) mark(t tok) *Fault {
	top := &s.levels[len(s.levels)-1]
	switch t.text {
	case "(", "[", "{":
		before := s.prev()
		s.add(t)
		s.levels = append(s.levels, bracketLevel{open: t.text[0], off: t.off, before: before})
		return s.bounds(t)
	case ")", "]", "}":
		// For the parser a closing bracket of another kind closes nothing: the parser would be one level deeper than this scan counts.
		if len(s.levels) == 1 {
			return Faultf(fail.Syntax, t.off, "the brackets of the program do not match: there is no open bracket for `%s`", t.text)
		}
		if o := top.open; t.text == ")" && o != '(' || t.text == "]" && o != '[' || t.text == "}" && o != '{' && o != '$' {
			return Faultf(fail.Syntax, t.off, "the brackets of the program do not match: `%s` comes where `%s` is still open", t.text, strings.Replace(string(o), "$", "${", 1))
		}
		s.pending -= top.expr + top.stmt
		s.closed = *top
		s.levels = s.levels[:len(s.levels)-1]
		up := &s.levels[len(s.levels)-1]
		up.reparse = max(up.reparse, s.closed.reparse)
	case ";":
		s.reset(&top.expr)
	case ",":
		s.reset(&top.expr)
	case "=>":
		if s.prev().text == ")" {
			top.reparse = max(top.reparse, s.closed.reparse+1)
			if top.reparse > maxReparse+1 {
				return Faultf(fail.Limit, t.off, "functions in the parameters of functions are nested more than %d levels (nesting); declare the inner ones first", maxReparse)
			}
		}
		fallthrough
	case "!", "~", "?", ":", "**":
		top.expr++
		s.pending++
	case "+", "-", "++", "--":
		if !s.operandBefore() { // a + b does not nest: the parser reads it in a loop
			top.expr++
			s.pending++
		}
	default:
		if strings.HasSuffix(t.text, "=") && !comparisons[t.text] {
			top.expr++
			s.pending++
		}
	}
	s.add(t)
	return s.bounds(t)
}

// operandBefore reports whether the previous token may end an expression.
func (s *scanner) operandBefore() bool {
	p := s.prev()
	return p.kind == 'l' || p.kind == 'w' && !operatorWords[p.text] || p.text == ")" || p.text == "]" || p.text == "}"
}

// mayFollow maps words that start a construct to the tokens that may follow. If `:` or `=` follows, the word is a member's name, and also if
// `(` follows and the construct has no parenthesis.
var mayFollow = map[string]string{"if": "( : =", "while": "( : =", "switch": "( : =", "with": "( : =", "for": "( : =", "catch": "( { : =", "try": "{ ( : =", "finally": "{ ( : ="}

// follows refuses a token that can't follow a word. goja's parser would note the error, skip one token and stay *inside* the construct: "try ]
// try ] try ]" nests without brackets.
func (s *scanner) follows(t tok) *Fault {
	p, q := s.prev(), tok{}
	if len(s.toks) > 1 {
		q = s.toks[len(s.toks)-2]
	}
	if p.kind != 'w' || q.text == "." || q.text == "?." {
		return nil
	}
	allowed, word := mayFollow[p.text], p.text
	switch {
	case p.text == "for" && t.text == "await":
		return nil
	case p.text == "await" && q.text == "for" && t.text != "(":
		return Faultf(fail.Syntax, t.off, "%s", NoForAwait)
	case p.text == "function" && t.kind != 'w':
		allowed = "( * : ="
	case p.text == "class" && t.kind != 'w':
		allowed = "{ ( : ="
	case q.text == "class" && p.text != "extends" && t.text != "extends":
		allowed, word = "{", "class "+p.text
	case p.text == "extends" && (t.text == "{" || t.text == "class" || t.text == "function"):
		allowed = "," // allowed lists the few tokens that are always an error here, because too many may follow
	}
	if q.text == "function" || q.text == "*" && len(s.toks) > 2 && s.toks[len(s.toks)-3].text == "function" {
		allowed, word = "(", "function "+p.text
	}
	if allowed == "" {
		return nil
	}
	for _, a := range strings.Fields(allowed) {
		if t.text == a {
			return nil
		}
	}
	return Faultf(fail.Syntax, t.off, "%s", explain(s.catalog, s.src, t.off, "Unexpected `"+s.src[t.off:min(t.end, t.off+20)]+"` after `"+word+"`"))
}

func (s *scanner) reset(n *int) { s.pending -= *n; *n = 0 }

func (s *scanner) bounds(t tok) *Fault {
	switch {
	case len(s.levels)-1 > s.max:
		return Faultf(fail.Limit, t.off, "the program nests brackets more than %d levels deep (nesting): move inner parts into functions", s.max)
	case s.pending > maxPending:
		return Faultf(fail.Limit, t.off, "the program nests operators or statements more than %d levels deep (nesting): move inner parts into functions", maxPending)
	case s.yields > maxYield:
		return Faultf(fail.Limit, t.off, "the program has `yield` more than %d times, the limit: yield in a loop", maxYield)
	}
	return nil
}

// regexAllowed decides whether a slash starts a regular expression. The parser may decide otherwise, but anyReadingTooDeep bounds that case,
// too.
func (s *scanner) regexAllowed() bool {
	p := s.prev()
	switch {
	case len(s.toks) == 0:
		return true
	case p.kind == 'l':
		return false
	case p.kind == 'w':
		return operatorWords[p.text] && (len(s.toks) < 2 || s.toks[len(s.toks)-2].text != ".")
	}
	switch p.text {
	case ")":
		return headWords[s.closed.before.text]
	case "]", "++", "--":
		return false
	case "!": // total! / 2 is TypeScript; !/x/.test(s) is in both languages
		return !s.postfix()
	case "}": // the brace ends a block or an object literal
		switch b := s.closed.before; b.text {
		case ":":
			return s.labels(b)
		default:
			return beginsBlock(b)
		}
	}
	return true
}

// beginsBlock reports whether a `{` after t begins a block. After a name, as in `class A {}`, there can't be an object literal.
func beginsBlock(t tok) bool {
	switch t.text {
	case "", ")", "=>", ";", "{", "}", "else", "do":
		return true
	}
	return t.kind == 'w' && !operatorWords[t.text]
}

// maxCase bounds how many tokens of a `case` are read.
const maxCase = 64

// labels reports whether a colon ends a label, `case` or `default`, so that a statement follows. Other colons belong to an object literal or
// to `a ? b : c`.
func (s *scanner) labels(colon tok) bool {
	if top := s.levels[len(s.levels)-1]; len(s.levels) > 1 && (top.open != '{' || !beginsBlock(top.before)) {
		return false
	}
	i := sort.Search(len(s.toks), func(i int) bool { return s.toks[i].off >= colon.off })
	at := func(n int) tok {
		if n < 0 || n >= len(s.toks) {
			return tok{}
		}
		return s.toks[n]
	}
	word, before := at(i-1), at(i-2)
	if word.text == "default" {
		return true
	}
	if word.kind == 'w' && (beginsBlock(before) && before.text != "=>" || before.kind == 'l' || before.text == "]") {
		return true // a label is a name at the beginning of a statement
	}
	for n := i - 1; n >= max(0, i-maxCase); n-- {
		switch t := at(n); {
		case t.depth > colon.depth:
		case t.text == "case" && at(n-1).text != ".":
			return true
		case t.text == "?" || t.text == ";" || t.text == "{" || t.text == "}":
			return false
		}
	}
	return false
}

// postfix reports whether the last mark follows an operand on the same line.
func (s *scanner) postfix() bool {
	n := len(s.toks)
	if n < 2 {
		return false
	}
	p, t := s.toks[n-2], s.toks[n-1]
	if p.text == ")" && headWords[s.closed.before.text] || p.text == "}" || strings.ContainsAny(s.src[p.end:t.off], "\r\n") {
		return false
	}
	return p.kind == 'l' || p.kind == 'w' && !operatorWords[p.text] || p.text == ")" || p.text == "]"
}
