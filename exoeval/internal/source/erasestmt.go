package source

// This file has the eraser's walk over statements.

func (e *eraser) statements(end string) {
	for !e.atEnd() && !e.at(end) {
		e.statement()
	}
}

func (e *eraser) block() {
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.expect("{")
	e.statements("}")
	e.expect("}")
}

// end reads the end of a statement: a semicolon, or a place where JavaScript inserts one.
func (e *eraser) end() {
	if !e.take(";") && !e.at("}") && !e.atEnd() && !e.newline() {
		e.bail()
	}
}

func (e *eraser) statement() {
	e.enter()
	defer e.leave()
	t, after := e.tok(), e.peek(1)
	sameLine := !e.newlineBefore(min(e.i+1, len(e.toks)-1))
	from, edits := t.off, len(e.edits)
	if t.kind == 'w' && after.text == ":" && t.text != "default" {
		e.next()
		e.next()
		e.statement()
		return
	}
	switch t.text {
	case "{":
		e.block()
	case ";":
		e.next()
	case "@":
		e.refuse(t.off, noDecorators)
	case "var", "let", "const":
		switch {
		case after.text == "enum":
			e.enum(from)
		case after.kind == 'w' || after.text == "[" || after.text == "{":
			e.next()
			e.declarators()
			e.end()
		default:
			e.exprStatement()
		}
	case "if", "while", "with":
		e.next()
		e.parens()
		e.statement()
		if t.text == "if" && e.take("else") {
			e.statement()
		}
	case "do":
		e.next()
		e.statement()
		e.expect("while")
		e.parens()
		e.take(";")
	case "for":
		e.next()
		e.take("await")
		e.forHead()
		e.statement()
	case "return", "throw":
		e.next()
		if !e.newline() && !e.at(";", "}") && !e.atEnd() {
			e.expr()
		}
		e.end()
	case "break", "continue":
		e.next()
		if e.tok().kind == 'w' && !e.newline() {
			e.next()
		}
		e.end()
	case "switch":
		e.switchStatement()
	case "try":
		e.tryStatement()
	case "function":
		e.functionDeclaration()
	case "class":
		e.class()
	case "async":
		if after.text == "function" && sameLine {
			e.functionDeclaration()
			return
		}
		e.exprStatement()
	case "abstract":
		if after.text != "class" {
			e.exprStatement()
			return
		}
		e.eraseWord()
		e.class()
	case "interface", "type", "enum", "declare", "namespace", "module", "import", "export":
		if !e.typeStatement(t, after, sameLine, from, edits) {
			e.exprStatement()
		}
	default:
		e.exprStatement()
	}
}

func (e *eraser) exprStatement() {
	e.casted(e.expr)
	e.end()
}

// typeStatement reads a statement that exists only for the compiler. It returns false if the words have another meaning here.
func (e *eraser) typeStatement(t, after tok, sameLine bool, from, edits int) bool {
	named := after.kind == 'w' && sameLine
	switch {
	case t.text == "enum" && named:
		e.enum(from)
		return true
	case (t.text == "namespace" || t.text == "module") && sameLine && (named || after.kind == 'l') && (e.peek(2).text == "{" || e.peek(2).text == "."):
		e.refuse(from, noNamespaces)
	case t.text == "interface" && named:
		e.next()
		e.word()
		if e.at("<") {
			e.typeParams()
		}
		for e.take("extends") || e.take(",") {
			e.typ(false)
		}
		if !e.at("{") {
			e.bail()
		}
		e.skip()
	case t.text == "type" && named && (e.peek(2).text == "=" || e.peek(2).text == "<"):
		e.next()
		e.word()
		if e.at("<") {
			e.typeParams()
		}
		e.expect("=")
		e.typ(true)
		e.end()
	case t.text == "declare" && named:
		e.next()
		if e.at("namespace", "module", "global") {
			for !e.at("{") {
				e.next()
			}
			e.skip()
		} else {
			e.statement()
		}
	case t.text == "import" && e.typeImport(), t.text == "export" && after.text == "type" && (e.peek(2).text == "{" || e.peek(2).text == "*"):
		for !e.at("{", "*") && e.tok().kind == 'w' {
			e.next()
		}
		if e.at("{") {
			e.skip()
		}
		for e.at("*", "as", "from") || e.tok().kind == 'w' && !e.newline() {
			e.next()
		}
		if e.tok().kind == 'l' && e.toks[e.i-1].text == "from" {
			e.next()
		}
		e.end()
	default:
		return false
	}
	e.eraseStatement(from, edits)
	return true
}

// typeImport reports whether an import has only types: `import type ...` or `import { type A, type B } from`.
func (e *eraser) typeImport() bool {
	if e.peek(1).text == "type" {
		return e.peek(2).text == "{" || e.peek(2).text == "*" || e.peek(2).kind == 'w' && (e.peek(2).text != "from" || e.peek(3).text == "from")
	}
	if e.peek(1).text != "{" || e.peek(2).text == "}" {
		return false
	}
	for i := e.i + 1; i < e.match[e.i+1]; i++ {
		if t := e.toks[i].text; (t == "{" || t == ",") && e.toks[i+1].text != "type" && e.toks[i+1].text != "}" {
			return false
		}
	}
	return true
}

func (e *eraser) parens() {
	if !e.at("(") {
		e.bail()
	}
	e.group(")")
}

// group reads a bracket with an expression in it.
func (e *eraser) group(closes string) {
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.next()
	if !e.at(closes) {
		e.expr()
	}
	e.expect(closes)
}

func (e *eraser) declarators() {
	for {
		e.target()
		if e.at("!") && e.peek(1).text == ":" {
			e.eraseWord()
		}
		e.eraseAnnotation()
		if e.take("=") {
			e.assign()
		}
		if !e.take(",") {
			return
		}
	}
}

// target reads a declared name or pattern. A pattern looks like a literal.
func (e *eraser) target() {
	switch {
	case e.at("["):
		e.array()
	case e.at("{"):
		e.object()
	default:
		e.word()
	}
}

func (e *eraser) forHead() {
	e.expect("(")
	if e.at("const", "let", "var") && (e.peek(1).kind == 'w' && e.peek(1).text != "of" || e.peek(1).text == "[" || e.peek(1).text == "{") {
		e.next()
		e.declarators()
	} else if !e.at(";") {
		e.expr()
	}
	if e.take("of") || e.take("in") {
		e.expr()
		e.expect(")")
		return
	}
	if e.take(")") {
		return // the walk read `for (k in o)` as an operator
	}
	e.expect(";")
	if !e.at(";") {
		e.expr()
	}
	e.expect(";")
	if !e.at(")") {
		e.expr()
	}
	e.expect(")")
}

func (e *eraser) switchStatement() {
	e.next()
	e.parens()
	e.expect("{")
	for !e.at("}") {
		switch {
		case e.at("case"):
			e.next()
			e.trueSide = true
			e.expr()
			e.trueSide = false
			e.expect(":")
		case e.at("default"):
			e.next()
			e.expect(":")
		default:
			e.statement()
		}
	}
	e.next()
}

func (e *eraser) tryStatement() {
	e.next()
	e.block()
	if e.take("catch") {
		if e.take("(") {
			e.target()
			e.eraseAnnotation()
			e.expect(")")
		}
		e.block()
	}
	if e.take("finally") {
		e.block()
	}
}

// functionDeclaration reads a function with a body, or erases a signature without one.
func (e *eraser) functionDeclaration() {
	from, edits := e.tok().off, len(e.edits)
	e.functionHead()
	if e.at("{") {
		e.block()
		return
	}
	e.end()
	e.eraseStatement(from, edits)
}
