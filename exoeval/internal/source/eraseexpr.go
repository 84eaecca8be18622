package source

// This file has the eraser's walk over expressions.

import "strings"

func (e *eraser) expr() {
	for {
		e.take("...")
		e.assign()
		if !e.take(",") || e.at(")", "]") {
			return
		}
	}
}

var eraserOperators = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range strings.Fields("+ - * / % ** == != === !== < > <= >= && || ?? & | ^ << >> >>> in instanceof = += -= *= /= %= **= &= |= ^= <<= >>= >>>= &&= ||= ??=") {
		m[op] = true
	}
	return m
}()

// assign reads an expression up to a comma. The eraser ignores the precedence of operators.
func (e *eraser) assign() {
	e.enter()
	defer e.leave()
	if e.arrow() {
		return
	}
	for {
		e.unary()
		for e.at("as", "satisfies") && !e.newline() {
			from := e.tok().off
			e.next()
			e.typ(true)
			x := edit{from: from, to: e.read(), blank: true}
			if e.newline() && e.at("(", "[", "`") {
				x.text = ";" // the next line would otherwise continue this expression
			}
			e.edits = append(e.edits, x)
		}
		switch op := e.text(); {
		case op == "?":
			e.next()
			old := e.trueSide
			e.trueSide = true
			e.assign()
			e.trueSide = old
			e.expect(":")
			e.assign()
			return
		case !eraserOperators[op] || e.tok().kind == 'l':
			return
		case strings.HasSuffix(op, "=") && !comparisons[op]:
			e.next()
			e.assign()
			return
		}
		e.next()
	}
}

// arrow reads an arrow function. It returns false if the next tokens are none.
func (e *eraser) arrow() bool {
	k := e.i
	if e.toks[k].text == "async" && e.toks[k].kind == 'w' && !e.newlineBefore(min(k+1, len(e.toks)-1)) && e.peek(1).text != "=>" {
		k++
	}
	switch t := e.toks[k]; {
	case t.kind == 'w' && e.toks[min(k+1, len(e.toks)-1)].text == "=>":
		e.jump(k + 1)
	case t.text == "(" && e.isArrow(k):
		e.jump(k)
		e.params(nil)
		e.eraseAnnotation()
	case t.text == "<":
		if !e.attempt(func() {
			e.jump(k)
			e.eraseTypeParams()
			if !e.at("(") || !e.isArrow(e.i) {
				e.bail()
			}
		}) {
			return false
		}
		e.params(nil)
		e.eraseAnnotation()
	default:
		return false
	}
	if e.sub > 0 && e.at("=") && e.peek(1).text == ">" { // the scan read the end of Promise<T>=> as `>=` and `>`
		e.next()
		e.next()
	} else {
		e.expect("=>")
	}
	if e.at("{") {
		e.block()
	} else {
		e.casted(e.assign)
	}
	return true
}

// casted reads an expression that must not begin with a brace: without its type, `=> <T>{ a: 1 }` would be a block. So casted adds
// parentheses.
func (e *eraser) casted(read func()) {
	from, edits := e.tok().off, len(e.edits)
	cast := e.at("<")
	read()
	if !cast || e.edits[edits].from != from {
		return
	}
	to := from
	for _, x := range e.edits[edits:] { // there may be several types, as in <A><B>{ ... }
		if x.from == to {
			to = x.to
			to += len(e.src[to:]) - len(strings.TrimLeft(e.src[to:], " \t\r\n"))
		}
	}
	if strings.HasPrefix(e.src[to:], "{") {
		e.edits[edits].text = "("
		e.replace(e.read(), e.read(), ")")
	}
}

// isArrow reports whether the parentheses at token i are parameters. In `a ? (b) : c => d` the colon belongs to the ?, unless the parentheses
// can only be parameters.
func (e *eraser) isArrow(i int) bool {
	last := e.match[i]
	switch after := e.toks[min(last+1, len(e.toks)-1)].text; {
	case after == "=>":
		return true
	case after != ":":
		return false
	case !e.trueSide || last == i+1:
		return true
	}
	questions := 0
	for k := i + 1; k < last; k++ {
		t := e.toks[k]
		if t.depth != e.toks[i].depth+1 {
			continue
		}
		switch t.text {
		case "?":
			if n := e.toks[k+1].text; n == ":" || n == "," || n == ")" {
				return true
			}
			questions++
		case ":":
			if questions == 0 {
				return true
			}
			questions--
		}
	}
	return false
}

// unary reads an operand with its prefixes and suffixes.
func (e *eraser) unary() {
	for {
		switch t := e.tok(); {
		case e.at("<"): // <T>x is the old form of `x as T`
			e.expect("<")
			e.typ(true)
			e.closeAngle()
			e.erase(t.off)
		case e.at("+", "-", "!", "~", "++", "--", "typeof", "void", "delete", "await"):
			e.next()
		case e.at("new") && e.peek(1).text != ".":
			e.next()
		case e.at("yield"):
			e.next()
			e.take("*")
			if !e.newline() && !e.atEnd() && !e.at(")", "]", "}", ",", ";", ":") {
				e.assign()
			}
			return
		default:
			e.primary()
			e.suffix()
			return
		}
	}
}

func (e *eraser) primary() {
	switch t := e.tok(); {
	case e.at("`"):
		e.template()
	case t.kind == 'l':
		e.next()
	case e.at("("):
		e.group(")")
	case e.at("["):
		e.array()
	case e.at("{"):
		e.object()
	case e.at("@"):
		e.refuse(t.off, noDecorators)
	case t.kind != 'w' || statementWords[t.text] || t.text == "const":
		e.bail()
	case t.text == "function" || t.text == "async" && e.peek(1).text == "function":
		e.functionHead()
		e.block()
	case t.text == "class":
		e.class()
	default:
		e.next()
	}
}

func (e *eraser) suffix() {
	for {
		switch {
		case e.at("."), e.at("?."):
			e.next()
			if e.tok().kind == 'w' {
				e.next()
			} else if !e.at("(", "[", "`", "<") {
				e.bail()
			}
		case e.at("("):
			e.group(")")
		case e.at("["):
			e.group("]")
		case e.at("`"):
			e.template()
		case e.at("!") && !e.newline():
			e.eraseWord()
		case e.at("++", "--") && !e.newline():
			e.next()
		case e.at("<"):
			if !e.attempt(func() {
				from := e.tok().off
				e.typeArgs()
				e.erase(from)
				if !e.mayFollowTypeArgs() {
					e.bail()
				}
			}) {
				return
			}
		default:
			return
		}
	}
}

// mayFollowTypeArgs applies TypeScript's own rule for `f<T>`: a call
// follows, a template, or a token that can't continue a comparison.
func (e *eraser) mayFollowTypeArgs() bool {
	switch {
	case e.sub > 0:
		return false
	case e.at("(", "`"):
		return true
	case e.at("<", ">", "+", "-"):
		return false
	}
	t := e.tok()
	starts := t.kind == 'l' || t.kind == 'w' && !eraserOperators[t.text] && t.text != "as" && t.text != "satisfies" || e.at("[", "{", "!", "~", "++", "--", "@")
	return e.newline() || !starts
}

func (e *eraser) template() {
	e.next()
	for !e.take("`") {
		if !e.at("${") {
			e.bail()
		}
		e.group("}")
	}
}

func (e *eraser) array() {
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.next()
	for !e.at("]") {
		if e.take(",") {
			continue
		}
		e.take("...")
		e.assign()
		if !e.at(",", "]") {
			e.bail()
		}
	}
	e.next()
}

// notName reports whether a word like `get` or `async` is a modifier here, rather than the name of a property.
func (e *eraser) notName() bool {
	n := e.peek(1)
	switch n.text {
	case "(", ",", ":", "=", ";", "}", "<", "!", "?":
		return false
	}
	return n.kind != 0
}

func (e *eraser) object() {
	defer func(old bool) { e.trueSide = old }(e.trueSide)
	e.trueSide = false
	e.next()
	for !e.take("}") {
		if e.take("...") {
			e.assign()
		} else {
			e.property()
		}
		if !e.at("}") {
			e.expect(",")
		}
	}
}

func (e *eraser) property() {
	for e.at("get", "set", "async") && e.notName() {
		e.next()
	}
	e.take("*")
	e.key()
	switch {
	case e.at("(", "<"):
		e.eraseTypeParams()
		e.params(nil)
		e.eraseAnnotation()
		e.block()
	case e.take(":"), e.take("="):
		e.assign()
	}
}

func (e *eraser) key() {
	switch t := e.tok(); {
	case e.at("["):
		e.group("]")
	case t.kind == 'w', t.kind == 'l' && t.text != "`":
		e.next()
	default:
		e.bail()
	}
}
