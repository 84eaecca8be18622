package source

// This file has the eraser's walk over functions and classes.

import "strings"

// functionHead reads a function up to its body.
func (e *eraser) functionHead() {
	e.take("async")
	e.expect("function")
	e.take("*")
	if e.tok().kind == 'w' {
		e.next()
	}
	e.eraseTypeParams()
	e.params(nil)
	e.eraseAnnotation()
}

var accessWords = map[string]bool{"public": true, "private": true, "protected": true, "readonly": true, "override": true}

var modifierWords = map[string]bool{"public": true, "private": true, "protected": true, "readonly": true, "override": true,
	"abstract": true, "declare": true, "static": true, "async": true, "get": true, "set": true, "accessor": true}

// params reads parameters. It adds the names of parameters that declare a field of a class to the slice fields.
func (e *eraser) params(fields *[]string) {
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.expect("(")
	for !e.at(")") {
		from := e.tok().off
		if e.at("@") {
			e.refuse(from, noDecorators)
		}
		if e.at("this") {
			e.next()
			if e.take(":") {
				e.typ(true)
			}
			e.take(",")
			e.erase(from)
			continue
		}
		field := false
		for fields != nil && accessWords[e.text()] && (e.peek(1).kind == 'w' || e.peek(1).text == "{" || e.peek(1).text == "[") {
			field = true
			e.eraseWord()
		}
		if field && e.tok().kind == 'w' {
			*fields = append(*fields, e.text())
		}
		e.take("...")
		e.target()
		if e.at("?") {
			e.eraseWord()
		}
		e.eraseAnnotation()
		if e.take("=") {
			e.assign()
		}
		if !e.at(")") {
			e.expect(",")
		}
	}
	e.next()
}

// class reads a class, as a statement or an expression.
func (e *eraser) class() {
	e.expect("class")
	if e.tok().kind == 'w' && !e.at("extends", "implements") {
		e.next()
	}
	e.eraseTypeParams()
	derived := e.take("extends")
	if derived {
		e.primary()
		e.suffix()
		if from := e.tok().off; e.at("<") {
			e.typeArgs()
			e.erase(from)
		}
	}
	if from := e.tok().off; e.take("implements") {
		for {
			e.typ(false)
			if !e.take(",") {
				break
			}
		}
		e.erase(from)
	}
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.expect("{")
	for !e.take("}") {
		e.member(derived)
	}
}

// member reads a field or a method. It erases a mere declaration.
func (e *eraser) member(derived bool) {
	e.enter()
	defer e.leave()
	from, edits := e.tok().off, len(e.edits)
	gone := false
	switch {
	case e.take(";"):
		return
	case e.at("@"):
		e.refuse(from, noDecorators)
	case e.at("static") && e.peek(1).text == "{":
		e.next()
		e.block()
		return
	case e.at("[") && e.peek(1).kind == 'w' && e.peek(2).text == ":": // an index signature, [key: string]: T
		gone = true
	}
	for modifierWords[e.text()] && e.notName() {
		switch {
		case accessWords[e.text()]:
			e.eraseWord()
		case e.at("abstract", "declare"):
			gone = true
			e.next()
		default:
			e.next()
		}
		gone = gone || e.at("[") && e.peek(1).kind == 'w' && e.peek(2).text == ":"
	}
	e.take("*")
	constructor := e.at("constructor")
	if gone && e.at("[") && e.peek(2).text == ":" {
		e.skip()
	} else {
		e.key()
	}
	if e.at("?", "!") {
		e.eraseWord()
	}
	if e.at("(", "<") {
		e.eraseTypeParams()
		var fields []string
		if constructor {
			e.params(&fields)
		} else {
			e.params(nil)
		}
		e.eraseAnnotation()
		if e.at("{") && !gone {
			e.declareFields(fields, derived)
			e.block()
			return
		}
		gone = true
	} else {
		typed := e.at(":")
		e.eraseAnnotation()
		if e.take("=") {
			e.assign()
		} else if typed {
			e.edits[len(e.edits)-1].text = ";" // without its type, `static: T` would be a modifier of the next member
		}
	}
	e.end()
	if gone {
		e.eraseStatement(from, edits)
	}
}

// declareFields writes the assignments that `constructor(private db: Db)` implies.
func (e *eraser) declareFields(fields []string, derived bool) {
	if len(fields) == 0 {
		return
	}
	var b strings.Builder
	for _, f := range fields {
		b.WriteString("; this." + f + " = " + f)
	}
	b.WriteString(";")
	at := e.tok().end
	if derived {
		at = -1
		for k := e.i + 1; k < e.match[e.i]; k++ {
			if e.toks[k].text == "super" && e.toks[k+1].text == "(" {
				at = e.toks[e.match[k+1]].end
				break
			}
		}
		if at < 0 {
			e.refuse(e.tok().off, "this constructor declares fields in its parameters, so it must call super(...): write the call first in its body")
		}
	}
	e.replace(at, at, b.String())
}
