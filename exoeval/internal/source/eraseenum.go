package source

// This file turns enums into code. Only enums and declared fields of TypeScript become code.

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// enum writes the object for an enum: a number leads back to its
// name, and a member without a value is one more than the last.
func (e *eraser) enum(from int) {
	for !e.take("enum") {
		e.next()
	}
	name := e.text()
	e.word()
	if !e.at("{") {
		e.bail()
	}
	last := e.unused()
	e.next()
	e.replace(from, e.read(), "const "+name+" = (("+name+") => { let "+last+" = -1;")
	for !e.at("}") {
		t := e.tok()
		key := e.src[t.off:t.end]
		plain := t.kind == 'w' && !scalar.Keyword(key) && !slices.Contains([]string{"undefined", "NaN", "Infinity"}, key)
		if t.kind == 'w' {
			key = `"` + key + `"`
		} else if t.kind != 'l' || t.text == "`" || t.text == "/re/" {
			e.bail()
		}
		e.next()
		head := last + " = ("
		if plain {
			head = "const " + t.text + " = " + head
		}
		if e.take("=") {
			e.replace(t.off, e.read(), head)
			e.assign()
		} else {
			e.replace(t.off, e.read(), head+last+" + 1")
		}
		at := e.read()
		if !e.at("}") {
			e.expect(",")
		}
		e.replace(at, e.read(), "); "+name+"["+key+"] = "+last+"; if (typeof "+last+" === 'number') "+name+"["+last+"] = "+key+";")
	}
	at := e.tok().off
	e.next()
	e.replace(at, e.read(), "return "+name+" })({});")
}

// unused returns a name that the program does not use: it has more underscores in a row than any name of the program.
func (e *eraser) unused() string {
	if e.counter == "" {
		most, run := 0, 0
		for i := range len(e.src) {
			if e.src[i] == '_' {
				run++
			} else {
				run = 0
			}
			most = max(most, run)
		}
		e.counter = "last" + strings.Repeat("_", most+1)
	}
	return e.counter
}
