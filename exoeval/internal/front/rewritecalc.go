package front

// This file rewrites operators that calculate and compare, in functions that record nothing: an operand may be a Decimal.

import (
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// No type of ours can have operators in the engine: it would turn a Decimal into the nearest number, and `0.1 + 0.2` would be wrong. So an
// operator becomes a call of a helper. To spare loops without Decimals, an expression is compiled twice, as written and with helpers, and a
// variable chooses. The host sets the variable before the program gets a reply with a Decimal. A program that names Decimal is compiled once,
// with helpers. A program without grants is compiled once, without them.

// calcName is the variable that chooses. No program can spell the name.
const calcName = "\x00decimals"

// calcMode is how the operators of an expression are compiled.
type calcMode uint8

const (
	calcNever calcMode = iota // the program can't get a Decimal
	calcAsk                   // compiled twice: as written, and with the helpers
	calcPlain                 // as written: the first of two copies
	calcExact                 // with the helpers: the second of two copies, or the whole program
)

const maxRounds = 10 // bounds the rounds of findNumbers: a program may have a long chain of names

// These constants bound how many nodes are compiled twice. Other nodes are compiled once, with the helpers.
const (
	maxCalcNodes  = 400    // the most nodes of an expression
	maxCalcCopied = 40_000 // the most nodes of a program, with copies that were not used
)

var calculating = map[token.Token]bool{token.PLUS: true, token.MINUS: true, token.MULTIPLY: true, token.SLASH: true, token.REMAINDER: true, token.EXPONENT: true,
	token.LESS: true, token.LESS_OR_EQUAL: true, token.GREATER: true, token.GREATER_OR_EQUAL: true,
	token.AND: true, token.OR: true, token.EXCLUSIVE_OR: true, token.SHIFT_LEFT: true, token.SHIFT_RIGHT: true, token.UNSIGNED_SHIFT_RIGHT: true}

// signs are the operators with one operand that make a number.
var signs = map[token.Token]bool{token.MINUS: true, token.PLUS: true, token.BITWISE_NOT: true}

// calculates reports whether an expression is an operator that may have a Decimal operand.
func (r *rewriter) calculates(e ast.Expression) bool {
	if r.records || r.calc == calcNever {
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.STRICT_EQUAL, token.STRICT_NOT_EQUAL, token.EQUAL, token.NOT_EQUAL:
			return !r.plain(e.Right) && !isLiteral(e.Left) // goja asks only the left operand, and the method asks moves a literal from the left to the right
		case token.INSTANCEOF:
			id, ok := e.Right.(*ast.Identifier)
			return ok && id.Name == "Decimal"
		}
		return calculating[e.Operator] && !(r.plain(e.Left) && r.plain(e.Right))
	case *ast.UnaryExpression:
		if e.Operator == token.TYPEOF {
			id, ok := e.Operand.(*ast.Identifier)
			return !r.plain(e.Operand) && !(ok && r.free[id])
		}
		return signs[e.Operator] && !r.plain(e.Operand)
	case *ast.AssignExpression:
		if !calculating[e.Operator] {
			return false
		}
		switch left := e.Left.(type) {
		case *ast.Identifier:
			return !(r.plain(left) && r.plain(e.Right))
		case *ast.DotExpression:
			return !isSuper(left.Left) || twice(left) != nil
		case *ast.BracketExpression:
			return !isSuper(left.Left) || twice(left) != nil
		case *ast.PrivateDotExpression:
			return twice(left) != nil
		}
	}
	return false
}

// calculated rewrites an expression that calculates.
func (r *rewriter) calculated(e ast.Expression) ast.Expression {
	if r.calc == calcExact {
		return r.exactly(e)
	}
	// The mode is calcAsk here: calcExact has returned, and calcPlain never calls calculated.
	budget := min(maxCalcNodes, maxTwinNodes-r.twinNodes, maxCalcCopied-r.copied)
	if budget <= 0 {
		return r.exactly(e)
	}
	c := &cloner{seen: map[any]reflect.Value{}, left: budget, flat: true}
	copied := c.copy(reflect.ValueOf(&e).Elem())
	r.copied += budget - max(c.left, 0) // unused copies count, because each operator of a long chain may try
	if c.left < 0 {                     // the copy is too large, or has a function or an await, during which the variable may change
		return r.exactly(e)
	}
	r.twinNodes += budget - c.left
	for old, v := range c.seen {
		if id, ok := old.(*ast.Identifier); ok && r.free[id] {
			r.free[v.Interface().(*ast.Identifier)] = true
		}
	}
	at := e.Idx0()
	r.calc = calcExact
	exact := r.expr(copied.Interface().(ast.Expression))
	r.calc = calcPlain
	plain := r.expr(e)
	r.calc = calcAsk
	r.asksCalc = true
	return &ast.ConditionalExpression{Test: &ast.Identifier{Name: unistring.String(calcName), Idx: at}, Consequent: exact, Alternate: plain}
}

// exactly rewrites an operator into a call of its helper, and rewrites its operands according to the mode.
func (r *rewriter) exactly(e ast.Expression) ast.Expression {
	at := e.Idx0()
	switch e := e.(type) {
	case *ast.BinaryExpression:
		e.Left = r.expr(e.Left)
		return r.helperCall(HelperCalc, at, stringLiteral(e.Operator.String(), at), e.Left, r.value(e.Right, ""))
	case *ast.UnaryExpression:
		op := e.Operator.String()
		if signs[e.Operator] {
			op += "x"
		}
		return r.helperCall(HelperCalc, at, stringLiteral(op, at), r.expr(e.Operand))
	case *ast.AssignExpression:
		op := stringLiteral(e.Operator.String(), at)
		var of, name ast.Expression
		switch left := e.Left.(type) {
		case *ast.DotExpression:
			of, name = left.Left, &ast.StringLiteral{Idx: at, Value: left.Identifier.Name}
		case *ast.BracketExpression:
			of, name = left.Left, left.Member
		}
		if of == nil || isSuper(of) { // no object, or super, which can't be an argument of a helper
			e.Operator, e.Right = token.ASSIGN, r.helperCall(HelperCalc, at, op, twice(e.Left), r.value(e.Right, nameOf(e.Left)))
			return e
		}
		of = r.expr(of)
		ref := r.helperCall(HelperRef, at, of, r.expr(name))
		return r.helperCall(HelperAssign, at, op, ref, r.value(e.Right, ""))
	}
	return e
}

func isSuper(e ast.Expression) bool {
	_, is := e.(*ast.SuperExpression)
	return is
}

// converted lets a helper see the argument of a call of Number, which makes NaN of the text of a time.
func (r *rewriter) converted(e *ast.CallExpression) {
	id, ok := e.Callee.(*ast.Identifier)
	if !ok || id.Name != "Number" || r.calc == calcNever || len(e.ArgumentList) != 1 || r.plain(e.ArgumentList[0]) {
		return
	}
	if _, spread := e.ArgumentList[0].(*ast.SpreadElement); !spread {
		at := e.ArgumentList[0].Idx0()
		e.ArgumentList[0] = r.helperCall(HelperCalc, at, stringLiteral("Number", at), e.ArgumentList[0], &ast.Identifier{Name: id.Name, Idx: at})
	}
}

// plain reports whether an expression never has a Decimal as its value.
func (r *rewriter) plain(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.AwaitExpression, *ast.CallExpression:
		return false
	case *ast.UnaryExpression:
		return e.Operator != token.MINUS || r.plain(e.Operand)
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.PLUS, token.MINUS, token.MULTIPLY, token.SLASH, token.REMAINDER, token.EXPONENT, token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			if is, known := r.plains[e]; known { // plain is called again for the operands of each operator of a long chain
				return is
			}
			is := r.plain(e.Left) && r.plain(e.Right)
			if r.plains != nil {
				r.plains[e] = is
			}
			return is
		}
		return true // comparisons and bit operators have plain results
	case *ast.ConditionalExpression:
		return r.plain(e.Consequent) && r.plain(e.Alternate)
	case *ast.Identifier:
		return r.numbers[e.Name.String()] || neverRecorded(e)
	case *ast.NewExpression, *ast.ObjectLiteral:
		return false // the valueOf of an object may return a Decimal
	}
	return neverRecorded(e)
}

// findNumbers finds the names of variables that only get plain values, like the counter of a loop. Operators on them need no helper.
func (r *rewriter) findNumbers(c *checker) {
	r.numbers = map[string]bool{}
	for name := range c.stored {
		if !c.elsewhere[name] {
			r.numbers[name] = true
		}
	}
	for round, changed := 0, true; changed; round++ { // a name that gets another name's value is a number only if that other name is one
		if changed = false; round == maxRounds {
			r.numbers = nil
			return
		}
		for name := range r.numbers {
			if slices.ContainsFunc(c.stored[name], func(e ast.Expression) bool { return e != nil && !r.plain(e) }) {
				delete(r.numbers, name)
				changed = true
			}
		}
	}
}

// declareCalc declares the variable that chooses the copy, in a scope around the program, and gives the host a function that sets the variable.
func (r *rewriter) declareCalc() {
	if !r.asksCalc {
		return
	}
	for _, s := range r.pt.Prog.Body {
		s, ok := s.(*ast.ExpressionStatement)
		if !ok {
			continue
		}
		at := s.Expression.Idx0()
		set := &ast.AssignExpression{Operator: token.ASSIGN, Left: identifier(calcName, at), Right: &ast.BooleanLiteral{Idx: at, Literal: "true", Value: true}}
		setter := &ast.ArrowFunctionLiteral{Start: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at}, Body: &ast.ExpressionBody{Expression: set}}
		around := &ast.ArrowFunctionLiteral{Start: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at, List: []*ast.Binding{{Target: identifier(calcName, at)}}},
			Body: &ast.ExpressionBody{Expression: &ast.SequenceExpression{Sequence: []ast.Expression{r.helperCall(HelperExact, at, setter), s.Expression}}}}
		s.Expression = &ast.CallExpression{Callee: around, LeftParenthesis: at, RightParenthesis: at, ArgumentList: []ast.Expression{&ast.BooleanLiteral{Idx: at, Literal: "false"}}}
	}
}
