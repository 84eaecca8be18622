package front

// This file rewrites operators that calculate and compare, in functions that record nothing: an operand may be a Decimal.

import (
	"reflect"
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// In the engine no type of ours can have operators: it would turn a Decimal into the nearest number, and `0.1 + 0.2`
// would have the result of numbers. So an operator becomes a call of a helper. Loops without Decimals should not pay for
// it: an expression is compiled twice, as it is written and with the helpers, and a variable of the program chooses. The
// host sets the variable when a reply has a Decimal, before the program gets the reply. A program that names Decimal can
// make them itself: it is compiled once, with the helpers. A program without grants is compiled once, without them.

// calcName is this variable. Like the helpers' names it can't be spelled.
const calcName = "\x00decimals"

// calcMode says how the operators of an expression are compiled.
type calcMode uint8

const (
	calcNever calcMode = iota // the program can't get a Decimal
	calcAsk                   // twice: as written, and with the helpers
	calcPlain                 // in the first of the two copies: as written
	calcExact                 // in the second copy, or in the whole program: with the helpers
)

const maxRounds = 10 // rounds of findNumbers: a program may have a long chain of names

// These bound what is compiled twice. The rest is compiled with the helpers only.
const (
	maxCalcNodes  = 400    // nodes of an expression
	maxCalcCopied = 40_000 // nodes of a program, also those that were copied and not used
)

var calculating = map[token.Token]bool{token.PLUS: true, token.MINUS: true, token.MULTIPLY: true, token.SLASH: true, token.REMAINDER: true, token.EXPONENT: true,
	token.LESS: true, token.LESS_OR_EQUAL: true, token.GREATER: true, token.GREATER_OR_EQUAL: true}

// calculates reports whether an expression is an operator that may have a Decimal operand.
func (r *rewriter) calculates(e ast.Expression) bool {
	if r.records || r.calc == calcNever {
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.STRICT_EQUAL, token.STRICT_NOT_EQUAL, token.EQUAL, token.NOT_EQUAL:
			return !r.plain(e.Right) && !isLiteral(e.Left) // goja asks only the left operand, and asks swaps a literal there to the right
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
		return e.Operator == token.MINUS && !r.plain(e.Operand)
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
	r.copied += budget - max(c.left, 0) // count unused copies, too: each operator of a long chain may try
	if c.left < 0 {                     // too large, or it has a function or an await, during which the variable may change
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

// exactly calls the helpers. The operands are rewritten according to the mode.
func (r *rewriter) exactly(e ast.Expression) ast.Expression {
	at := e.Idx0()
	switch e := e.(type) {
	case *ast.BinaryExpression:
		e.Left = r.expr(e.Left)
		return r.helperCall(HelperCalc, at, stringLiteral(e.Operator.String(), at), e.Left, r.value(e.Right, ""))
	case *ast.UnaryExpression:
		op := e.Operator.String()
		if e.Operator == token.MINUS {
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
		if of == nil || isSuper(of) { // a helper can't get this as an argument
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
			if is, known := r.plains[e]; known { // each operator of a long chain asks again
				return is
			}
			is := r.plain(e.Left) && r.plain(e.Right)
			if r.plains != nil {
				r.plains[e] = is
			}
			return is
		}
		return true // comparisons, bits
	case *ast.ConditionalExpression:
		return r.plain(e.Consequent) && r.plain(e.Alternate)
	case *ast.Identifier:
		return r.numbers[e.Name.String()] || neverRecorded(e)
	case *ast.NewExpression, *ast.ObjectLiteral:
		return false // its valueOf may return a Decimal
	}
	return neverRecorded(e)
}

// findNumbers finds the names whose variables only ever get plain values, like
// the counter of a loop, or a sum of such. Operators on them need no helper.
func (r *rewriter) findNumbers(c *checker) {
	r.numbers = map[string]bool{}
	for name := range c.stored {
		if !c.elsewhere[name] {
			r.numbers[name] = true
		}
	}
	for round, changed := 0, true; changed; round++ { // a name that gets the value of another name is a number only if the other one is
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

// declareCalc declares the variable round the program, and gives the host the function that sets it.
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
