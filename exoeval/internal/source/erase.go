package source

// This file turns TypeScript into JavaScript, after the scan. The result goes through the scan and the parser like any text.

import (
	"sort"
	"strings"
)

// Erased is a TypeScript program turned into JavaScript.
type Erased struct {
	Text  string
	At    Map
	Found bool // Found reports that something was erased
}

// eraseTypes removes the types from a program. If eraseTypes can read the text neither as a body nor as an expression, it erases what it
// can. Then the parser reports the rest. A fault is an exceeded limit, or TypeScript that can't become JavaScript here.
func eraseTypes(src string, toks []tok) (Erased, *Fault) {
	body, bodyEnd, f := eraseAs(src, toks, func(e *eraser) { e.statements("") })
	if f != nil || bodyEnd < 0 {
		return body, f
	}
	expr, exprEnd, f := eraseAs(src, toks, func(e *eraser) {
		e.expr()
		e.end()
	})
	if f == nil && (exprEnd < 0 || exprEnd > bodyEnd) {
		return expr, nil
	}
	return body, nil
}

// eraseAs removes the types that walk finds. stuck is the offset where walk could not go on, or -1 if walk read the whole text.
func eraseAs(src string, toks []tok, walk func(*eraser)) (out Erased, stuck int, f *Fault) {
	e := &eraser{src: src, toks: append(toks[:len(toks):len(toks)], tok{off: len(src), end: len(src)})}
	e.matchBrackets()
	stuck = -1
	if u := e.try(func() {
		walk(e)
		if !e.atEnd() {
			e.bail()
		}
	}); u != nil {
		stuck = e.tok().off
		f = u.f
	}
	out.Text, out.At = apply(src, e.edits)
	out.Found = len(e.edits) > 0
	return out, stuck, f
}

func apply(src string, edits []edit) (string, Map) {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var b strings.Builder
	var at Map
	done := 0
	for _, x := range edits {
		b.WriteString(src[done:x.from])
		if x.blank {
			b.WriteString(x.text)
			for i := x.from + len(x.text); i < x.to; i++ {
				b.WriteByte(' ')
			}
		} else {
			at = append(at, mapped{b.Len(), x.from, true})
			b.WriteString(x.text)
			at = append(at, mapped{b.Len(), x.to, false})
		}
		done = x.to
	}
	b.WriteString(src[done:])
	return b.String(), at
}
