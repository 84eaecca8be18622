package source

// This file has the eraser's cursor over tokens, its list of edits, and its bounds. The other files of the eraser use them.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
)

// TypeScript is JavaScript with text that can be removed. The eraser reads the tokens of the scan by the grammar of both, and overwrites
// types, and the line ends in them, with spaces. So an offset in the result is an offset in the given text, and later errors have their place
// without a table. Only enums and the fields that constructors declare insert text (see Map).
//
// The result passes the same checks as every program: scan, parser, allow-list. If the eraser misreads a text, the result is a syntax error
// or another program, but never one with more authority.
type eraser struct {
	src      string
	toks     []tok // the tokens, and an empty one at the end
	match    []int // for each opening bracket or template: the token that closes it
	i, sub   int   // the next token, and how many of its bytes are read, because >> closes two lists
	trueSide bool  // between ? and its colon, or after case: here a colon after ) ends the expression
	depth    int
	steps    int
	edits    []edit
	inserted int    // the number of inserted bytes
	counter  string // a name that the program does not use
}

// edit is the replacement of src[from:to] by text.
type edit struct {
	from, to int
	text     string
	blank    bool // the text is padded with spaces to the same length
}

const (
	maxEraseDepth = 1000      // bounds nested statements, expressions and types; each takes about 1 KB of stack
	maxEraseSteps = 4_000_000 // bounds the tokens that are read, also by attempts that failed
	maxInserted   = 128 << 10 // bounds the code for enums and declared fields: each member repeats a name, which may be long
)

// unread is the value with which the walk panics if it can't continue. f is the error for the author, or nil if only this attempt to read failed.
type unread struct{ f *Fault }

// try runs f. If f gave up, try returns the reason, else nil.
func (e *eraser) try(f func()) (u *unread) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *unread:
			u = x
		default:
			panic(x)
		}
	}()
	f()
	return nil
}

// attempt runs f. If f gives up, attempt undoes the work of f and returns false.
func (e *eraser) attempt(f func()) bool {
	i, sub, depth, side, n := e.i, e.sub, e.depth, e.trueSide, len(e.edits)
	u := e.try(f)
	if u == nil {
		return true
	}
	if u.f != nil {
		panic(u)
	}
	e.i, e.sub, e.depth, e.trueSide, e.edits = i, sub, depth, side, e.edits[:n]
	return false
}

func (e *eraser) bail() { panic(&unread{}) }

// refuse ends the walk with an error: the program uses something that is not available.
func (e *eraser) refuse(off int, msg string) { panic(&unread{Faultf(fail.Syntax, off, "%s", msg)}) }

func (e *eraser) enter() {
	if e.depth++; e.depth > maxEraseDepth {
		panic(&unread{Faultf(fail.Limit, e.tok().off, "the program nests types or expressions more than %d levels deep (nesting): move inner parts out", maxEraseDepth)})
	}
}

func (e *eraser) leave() { e.depth-- }

// matchBrackets finds the pairs of brackets. The scan has refused brackets that don't match.
func (e *eraser) matchBrackets() {
	e.match = make([]int, len(e.toks))
	for i := range e.match {
		e.match[i] = len(e.toks) - 1
	}
	var open []int
	for i, t := range e.toks {
		switch t.text {
		case "(", "[", "{", "${":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				e.match[open[n-1]] = i
				open = open[:n-1]
			}
		case "`":
			if n := len(open); n > 0 && e.toks[open[n-1]].text == "`" {
				e.match[open[n-1]] = i
				open = open[:n-1]
			} else {
				open = append(open, i)
			}
		}
	}
}

func (e *eraser) tok() tok     { return e.toks[e.i] }
func (e *eraser) text() string { return e.toks[e.i].text[e.sub:] }
func (e *eraser) atEnd() bool  { return e.i == len(e.toks)-1 }

// peek returns the token n places ahead.
func (e *eraser) peek(n int) tok { return e.toks[min(e.i+n, len(e.toks)-1)] }

func (e *eraser) at(texts ...string) bool { return !e.atEnd() && slices.Contains(texts, e.text()) }

func (e *eraser) next() {
	if e.atEnd() {
		e.bail()
	}
	e.jump(e.i + 1)
}

func (e *eraser) jump(i int) {
	if e.steps++; e.steps > maxEraseSteps {
		panic(&unread{Faultf(fail.Limit, -1, "the types of the program take too long to read; write plain JavaScript")})
	}
	e.i, e.sub = min(i, len(e.toks)-1), 0
}

// skip jumps over a bracket and everything in it.
func (e *eraser) skip() { e.jump(e.match[e.i] + 1) }

func (e *eraser) take(text string) bool {
	if !e.at(text) {
		return false
	}
	e.next()
	return true
}

func (e *eraser) expect(text string) {
	if !e.take(text) {
		e.bail()
	}
}

func (e *eraser) word() {
	if e.tok().kind != 'w' {
		e.bail()
	}
	e.next()
}

// newlineBefore reports whether a line ends before token i.
func (e *eraser) newlineBefore(i int) bool {
	if i == 0 {
		return false
	}
	for from := e.toks[i-1].end; from < e.toks[i].off; from++ {
		if lineEnd(e.src[from:]) > 0 {
			return true
		}
	}
	return false
}

func (e *eraser) newline() bool { return e.sub == 0 && e.newlineBefore(e.i) }

// read returns the offset at the end of the token that was read last.
func (e *eraser) read() int {
	if e.sub > 0 || e.i == 0 {
		return e.tok().off + e.sub
	}
	return e.toks[e.i-1].end
}

func (e *eraser) erase(from int) {
	e.edits = append(e.edits, edit{from: from, to: e.read(), blank: true})
}

// eraseStatement erases a statement but leaves a semicolon, to keep the surrounding statements apart.
func (e *eraser) eraseStatement(from, edits int) {
	e.edits = append(e.edits[:edits], edit{from: from, to: e.read(), text: ";", blank: true})
}

func (e *eraser) replace(from, to int, text string) {
	if e.inserted += len(text); e.inserted > maxInserted {
		panic(&unread{Faultf(fail.Limit, from, "the enums and the fields in parameters of constructors make more than %d bytes of JavaScript: write plain objects instead", maxInserted)})
	}
	e.edits = append(e.edits, edit{from: from, to: to, text: text})
}

// statementWords are words that can't begin an expression or a type.
var statementWords = map[string]bool{"var": true, "return": true, "if": true, "for": true, "while": true, "do": true, "switch": true, "case": true,
	"break": true, "continue": true, "throw": true, "try": true, "catch": true, "finally": true, "else": true, "with": true, "in": true, "instanceof": true, "debugger": true}

const (
	noDecorators = "decorators (`@name`) are not available; call the function yourself: const f = name(function () {...})"
	noNamespaces = "`namespace` and `module` are not available; write a plain object: const Name = { ... }"
)
