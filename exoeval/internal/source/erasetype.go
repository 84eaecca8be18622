package source

// This file reads types and erases them.

import "strings"

var typePrefixes = map[string]bool{"keyof": true, "unique": true, "readonly": true, "infer": true, "asserts": true, "abstract": true}

// typ reads one type. It skips text in brackets, which has no code. conditional allows `extends ... ? ... : ...` after the type.
func (e *eraser) typ(conditional bool) {
	e.enter()
	defer e.leave()
	for {
		if !e.typeOperand() {
			continue // a type follows `keyof` or `(a: string) =>`
		}
		for e.at("[") && !e.newline() {
			e.skip()
		}
		switch {
		case e.at("|", "&"):
			e.next()
		case conditional && e.at("extends"):
			e.next()
			e.typ(false)
			if !e.take("?") {
				return
			}
			e.typ(true)
			e.expect(":")
		default:
			return
		}
	}
}

// typeOperand reads an operand of | and &. It returns false if it read only the beginning of an operand, like `keyof` or `(a: string) =>`.
func (e *eraser) typeOperand() bool {
	if e.at("|", "&") {
		e.next()
	}
	switch t := e.tok(); {
	case e.at("<"):
		e.typeParams()
		if !e.at("(") {
			e.bail()
		}
		return false
	case e.at("("):
		e.skip()
		return !e.take("=>")
	case e.at("{", "[", "`"):
		e.skip()
	case e.at("-"):
		e.next()
		if e.tok().kind != 'l' {
			e.bail()
		}
		e.next()
	case t.kind == 'l':
		e.next()
	case t.kind != 'w' || statementWords[t.text]:
		e.bail()
	case t.text == "new":
		e.next()
		return false
	case typePrefixes[t.text] && e.typeFollows():
		e.next()
		return false
	case t.text == "typeof":
		e.next()
		if e.tok().kind != 'w' {
			e.bail()
		}
		return false
	default:
		e.next()
		if t.text == "import" && e.at("(") {
			e.skip()
		}
		for e.take(".") {
			e.word()
		}
		if e.at("<") && !e.newline() {
			e.typeArgs()
		}
		if e.at("is") && !e.newline() {
			e.next()
			return false
		}
	}
	return true
}

func (e *eraser) typeFollows() bool {
	t := e.peek(1)
	return !e.newlineBefore(min(e.i+1, len(e.toks)-1)) && (t.kind == 'w' && t.text != "extends" && t.text != "is" || t.kind == 'l' || t.text == "(" || t.text == "{" || t.text == "[" && t.off > e.tok().end)
}

// typeArgs reads <A, B>.
func (e *eraser) typeArgs() {
	e.expect("<")
	for {
		e.typ(true)
		if !e.take(",") {
			break
		}
	}
	e.closeAngle()
}

// closeAngle reads one >, of which a token may have several.
func (e *eraser) closeAngle() {
	switch {
	case e.at(">"):
		e.next()
	case strings.HasPrefix(e.text(), ">"):
		e.sub++
	default:
		e.bail()
	}
}

// typeParams reads <T extends A = B, const U>.
func (e *eraser) typeParams() {
	e.expect("<")
	for !e.at(">") {
		for e.at("const", "in", "out") && e.peek(1).kind == 'w' && e.peek(1).text != "extends" {
			e.next()
		}
		e.word()
		if e.take("extends") {
			e.typ(true)
		}
		if e.take("=") {
			e.typ(true)
		}
		if !e.take(",") {
			break
		}
	}
	e.closeAngle()
}

// These functions erase parts that are optional.

func (e *eraser) eraseTypeParams() {
	if from := e.tok().off; e.at("<") {
		e.typeParams()
		e.erase(from)
	}
}

// eraseAnnotation erases `: T`.
func (e *eraser) eraseAnnotation() {
	if from := e.tok().off; e.take(":") {
		e.typ(true)
		e.erase(from)
	}
}

func (e *eraser) eraseWord() {
	from := e.tok().off
	e.next()
	e.erase(from)
}
