package front

// This file rewrites == null, ??, instanceof and typeof in functions that record nothing. The engine does not ask each operand there: of some
// operands it calls no method, so a recorded operand could not throw.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// To compare, the engine asks only the left operand. For instanceof and typeof it asks none, for ?? not the left. So in functions that record
// nothing, the rewriting adds the question `x == null` for the other operand. A recorded thing answers this question with an error
// (opaque.Equals). For all other values the question costs one instruction. A helper call would slow down loops, so a helper is called only
// where no variable can be declared.

// askedName is the variable that keeps an operand between its evaluation and the question. No program can spell the name.
const askedName = "\x00asked"

// temp returns the variable for operands of the function that is being rewritten. It returns nil in parameters and fields of classes, which
// can't declare one.
func (r *rewriter) temp(at file.Idx) *ast.Identifier {
	if r.needsTemp == nil {
		return nil
	}
	*r.needsTemp = true
	return &ast.Identifier{Name: unistring.String(askedName), Idx: at}
}

// body rewrites the body of a function, and declares the variable if the body needs it.
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

// neverRecorded reports whether an expression always has a value of JavaScript. If a part of it is recorded, the expression throws.
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

// stored keeps the value of e in a variable, for a second read. It returns e in the form to evaluate, and the expression that reads the value.
// ok is false if there is no variable.
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

// asks rewrites a comparison, instanceof or ?? of a function that
// records nothing. The operands have been rewritten already.
func (r *rewriter) asks(e *ast.BinaryExpression) ast.Expression {
	at := e.Idx0()
	switch e.Operator {
	case token.STRICT_EQUAL, token.STRICT_NOT_EQUAL:
		switch {
		case neverRecorded(e.Right):
			return e
		case isLiteral(e.Left): // a literal has no effects, so the operands can be swapped
			e.Left, e.Right = e.Right, e.Left
			return e
		}
		right, again, ok := r.stored(e.Right)
		if !ok {
			break
		}
		e.Right = right
		// a === b becomes a === b || b == null && false, and a !== b is rewritten alike. `b == null`
		// throws if b is recorded. It runs only if a and b differ, as they always do if one is recorded.
		if e.Operator == token.STRICT_EQUAL {
			return binaryOf(token.LOGICAL_OR, e, binaryOf(token.LOGICAL_AND, binaryOf(token.EQUAL, again, null(at)), &ast.BooleanLiteral{Idx: at, Literal: "false"}))
		}
		return binaryOf(token.LOGICAL_AND, e, binaryOf(token.LOGICAL_OR, binaryOf(token.EQUAL, again, null(at)), &ast.BooleanLiteral{Idx: at, Literal: "true", Value: true}))
	case token.EQUAL, token.NOT_EQUAL:
		if isLiteral(e.Right) {
			return e // the engine asks x in x == null, and in a comparison with a literal
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

// asked returns e in a form that throws if e is recorded.
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

// length adds the question to the one argument of Array. A number is the length; a column would silently become the only item of a list.
func (r *rewriter) length(callee ast.Expression, args []ast.Expression) {
	if id, ok := callee.(*ast.Identifier); ok && id.Name == "Array" && len(args) == 1 {
		if _, spread := args[0].(*ast.SpreadElement); !spread {
			args[0] = r.asked(args[0])
		}
	}
}
