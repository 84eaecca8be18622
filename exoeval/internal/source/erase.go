package source

// This file makes JavaScript of TypeScript after the scan. The result goes through the scan and the parser like any text.

import (
	"sort"
	"strings"
)

// Erased is a TypeScript program as JavaScript.
type Erased struct {
	Text  string
	At    Map
	Found bool // there was something to erase
}

// eraseTypes takes the types off a program. Where the text can't be read as a
// body or as an expression it is erased as far as it could be, and the parser
// says what is wrong with the rest. A fault is a limit, or TypeScript that has
// no counterpart here.
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

// eraseAs returns the offset at which it could not go on, -1 when it read all.
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
