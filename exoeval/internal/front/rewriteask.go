package front

// This file rewrites == null, ??, instanceof and typeof in functions that record nothing: there the engine would not ask an operand.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The engine compares by asking the left operand only, and it asks neither side of
// instanceof and typeof, nor the left one of ??. In functions whose operators are not
// recorded, these forms get a question of their own to the operand that the engine would
// not ask: `x == null`, which a recorded thing answers with an error (opaque.Equals) and
// everything else at the cost of one instruction. Helper calls would do the same at the
// cost of a call, which loops feel; they stand where no variable can be declared.

// askedName is the variable of a function that holds an operand between its evaluation and
// the question. Like the helpers' names it can't be spelled.
const askedName = "\x00asked"

// temp is the variable for operands of the function that is being rewritten, or nil
// where there is none: parameters, fields of classes.
func (r *rewriter) temp(at file.Idx) *ast.Identifier {
	if r.needsTemp == nil {
		return nil
	}
	*r.needsTemp = true
	return &ast.Identifier{Name: unistring.String(askedName), Idx: at}
}

// body rewrites the body of a function, and declares the variable if it came to need it.
func (r *rewriter) body(walk func() *ast.BlockStatement) {
	outer, needs := r.needsTemp, false
	r.needsTemp = &needs
	b := walk()
	r.needsTemp = outer
	if needs && b != nil {
		at := b.LeftBrace
		b.List = append([]ast.Statement{&ast.LexicalDeclaration{Idx: at, Token: token.LET,
			List: []*ast.Binding{{Target: &ast.Identifier{Name: unistring.String(askedName), Idx: at}}}}}, b.List...)
	}
}

// neverRecorded reports whether an expression gives a value of JavaScript, whatever its
// parts are: a part that is recorded throws.
func neverRecorded(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.RegExpLiteral,
		*ast.ObjectLiteral, *ast.ArrayLiteral, *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.UnaryExpression, *ast.NewExpression:
		return true
	case *ast.TemplateLiteral:
		return e.Tag == nil
	case *ast.Identifier:
		return e.Name == "undefined" || e.Name == "NaN" || e.Name == "Infinity"
	case *ast.BinaryExpression:
		return logicalHelpers[e.Operator] == ""
	}
	return false
}

func null(at file.Idx) *ast.NullLiteral { return &ast.NullLiteral{Idx: at, Literal: "null"} }

func binaryOf(op token.Token, a, b ast.Expression) *ast.BinaryExpression {
	return &ast.BinaryExpression{Operator: op, Left: a, Right: b}
}

// stored is e, kept where it can be read once more without being evaluated again: e as
// it is to be evaluated, and how to read it. ok is false where there is no place.
func (r *rewriter) stored(e ast.Expression) (evaluated, read ast.Expression, ok bool) {
	at := e.Idx0()
	if id, plain := e.(*ast.Identifier); plain {
		return e, &ast.Identifier{Name: id.Name, Idx: at}, true
	}
	t := r.temp(at)
	if t == nil {
		return nil, nil, false
	}
	return &ast.AssignExpression{Operator: token.ASSIGN, Left: t, Right: e}, &ast.Identifier{Name: t.Name, Idx: at}, true
}

// asks rewrites a comparison, instanceof or ?? of a function that records nothing; its
// operands have been rewritten.
func (r *rewriter) asks(e *ast.BinaryExpression) ast.Expression {
	at := e.Idx0()
	switch e.Operator {
	case token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
		switch {
		case neverRecorded(e.Right):
			return e
		case isLiteral(e.Left): // it has no effects: the order does not matter
			e.Left, e.Right = e.Right, e.Left
			return e
		}
		right, again, ok := r.stored(e.Right)
		if !ok {
			break
		}
		e.Right = right
		// a === b becomes a === b || b == null && false, and a !== b likewise. `b == null` throws if b is
		// recorded, and is only reached where a and b differ: nothing equals a recorded thing.
		if e.Operator == token.STRICT_EQUAL {
			return binaryOf(token.LOGICAL_OR, e, binaryOf(token.LOGICAL_AND, binaryOf(token.EQUAL, again, null(at)), &ast.BooleanLiteral{Idx: at, Literal: "false"}))
		}
		return binaryOf(token.LOGICAL_AND, e, binaryOf(token.LOGICAL_OR, binaryOf(token.EQUAL, again, null(at)), &ast.BooleanLiteral{Idx: at, Literal: "true", Value: true}))
	case token.EQUAL, token.NOT_EQUAL:
		if isLiteral(e.Right) {
			return e // x == null, and what an object x is as a primitive, are asked
		}
		if isLiteral(e.Left) {
			e.Left, e.Right = e.Right, e.Left
			return e
		}
	case token.INSTANCEOF:
		if neverRecorded(e.Left) {
			return e
		}
		if id, ok := e.Right.(*ast.Identifier); ok && id.Name == "Promise" {
			break
		}
		left, again, ok := r.stored(e.Left)
		if ok {
			e.Left = again
			return &ast.SequenceExpression{Sequence: []ast.Expression{binaryOf(token.EQUAL, left, null(at)), e}}
		}
	case token.COALESCE:
		if neverRecorded(e.Left) {
			return e
		}
		left, again, ok := r.stored(e.Left)
		if ok {
			return &ast.ConditionalExpression{Test: binaryOf(token.EQUAL, left, null(at)), Consequent: e.Right, Alternate: again}
		}
		e.Left = r.helperCall(HelperSwitch, at, e.Left)
		return e
	default:
		return e
	}
	return r.helperCall(HelperOp, at, stringLiteral(e.Operator.String(), at), e.Left, e.Right)
}

// asked gives the value of e, and an error where that is recorded.
func (r *rewriter) asked(e ast.Expression) ast.Expression {
	if neverRecorded(e) {
		return e
	}
	at := e.Idx0()
	value, again, ok := r.stored(e)
	if !ok {
		return r.helperCall(HelperSwitch, at, e)
	}
	return &ast.SequenceExpression{Sequence: []ast.Expression{binaryOf(token.EQUAL, value, null(at)), again}}
}

// length asks the one argument of Array: a number is a length there, and a column would
// be the one item of a list.
func (r *rewriter) length(callee ast.Expression, args []ast.Expression) {
	if id, ok := callee.(*ast.Identifier); ok && id.Name == "Array" && len(args) == 1 {
		if _, spread := args[0].(*ast.SpreadElement); !spread {
			args[0] = r.asked(args[0])
		}
	}
}
