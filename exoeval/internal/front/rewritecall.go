package front

// This file rewrites calls and async functions.

import (
	"strconv"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// specialMembers are the methods whose calls are rewritten, in addition to all of Math.
var specialMembers = map[string]bool{"includes": true, "has": true, "indexOf": true, "lastIndexOf": true, "test": true, "exec": true,
	"some": true, "every": true, "find": true, "findIndex": true, "findLast": true, "findLastIndex": true, "filter": true}

// specialFunctions are the global functions whose calls are rewritten.
var specialFunctions = map[string]bool{"String": true, "Number": true, "parseInt": true, "parseFloat": true, "Boolean": true, "isNaN": true, "isFinite": true}

// callee replaces a called function of JavaScript in a recorded function, because JavaScript's function would treat a column as a value (see
// calls.go of package guest). The helper reads the function before the arguments are evaluated, as JavaScript does.
func (r *rewriter) callee(e *ast.CallExpression) {
	switch callee := e.Callee.(type) {
	case *ast.Identifier:
		if name := callee.Name.String(); specialFunctions[name] {
			e.Callee = r.helperCall(HelperCallee, callee.Idx, stringLiteral(name, callee.Idx), callee)
		}
	case *ast.DotExpression:
		name := callee.Identifier.Name.String()
		if !isSpecialMember(callee) {
			return
		}
		if optional(callee.Left) {
			r.guardArguments(e, name)
			return
		}
		at := callee.Identifier.Idx
		e.Callee = r.helperCall(HelperMember, at, callee.Left, stringLiteral(name, at))
	case *ast.Optional:
		if dot, ok := callee.Expression.(*ast.DotExpression); ok && isSpecialMember(dot) {
			r.guardArguments(e, dot.Identifier.Name.String())
		}
	}
}

// promised makes `x.then(...)` work for a described thing x, such as a query that was not sent.
func (r *rewriter) promised(e *ast.CallExpression) {
	dot, ok := e.Callee.(*ast.DotExpression)
	if !ok || r.records || optional(dot.Left) {
		return
	}
	switch dot.Left.(type) {
	case *ast.SuperExpression, *ast.ThisExpression:
		return
	}
	switch dot.Identifier.Name {
	case "then", "catch", "finally":
		dot.Left = r.helperCall(HelperSent, dot.Left.Idx0(), dot.Left)
	}
}

// dated marks the one argument of new Date in a recorded function. A column there is an error, because it makes no Date.
func (r *rewriter) dated(e *ast.NewExpression) {
	id, ok := e.Callee.(*ast.Identifier)
	if !ok || !r.records || id.Name != "Date" || len(e.ArgumentList) != 1 || neverRecorded(e.ArgumentList[0]) {
		return
	}
	if _, spread := e.ArgumentList[0].(*ast.SpreadElement); !spread {
		at := e.ArgumentList[0].Idx0()
		e.ArgumentList[0] = r.helperCall(HelperArgument, at, stringLiteral(DateMark, at), e.ArgumentList[0])
	}
}

func isSpecialMember(e *ast.DotExpression) bool {
	switch left := e.Left.(type) {
	case *ast.SuperExpression:
		return false
	case *ast.Identifier:
		if left.Name == "Math" {
			return true
		}
	}
	return specialMembers[e.Identifier.Name.String()]
}

// optional reports whether e is part of a chain that may end early, like a?.b.
func optional(e ast.Expression) bool {
	for {
		switch x := e.(type) {
		case *ast.Optional:
			return true
		case *ast.DotExpression:
			e = x.Left
		case *ast.PrivateDotExpression:
			e = x.Left
		case *ast.BracketExpression:
			e = x.Left
		case *ast.CallExpression:
			e = x.Callee
		default:
			return false
		}
	}
}

func (r *rewriter) guardArguments(e *ast.CallExpression, name string) {
	for i, a := range e.ArgumentList {
		if _, spread := a.(*ast.SpreadElement); !spread {
			e.ArgumentList[i] = r.helperCall(HelperArgument, a.Idx0(), stringLiteral(name, a.Idx0()), a)
		}
	}
}

// valueOrUndefined returns e for a helper that works like typeof: an undeclared name is undefined, and no error.
func (r *rewriter) valueOrUndefined(e ast.Expression) ast.Expression {
	id, ok := e.(*ast.Identifier)
	if !ok || !r.free[id] {
		return e
	}
	return &ast.ConditionalExpression{
		Test: &ast.BinaryExpression{Operator: token.STRICT_EQUAL,
			Left: &ast.UnaryExpression{Operator: token.TYPEOF, Idx: id.Idx, Operand: id}, Right: stringLiteral("undefined", id.Idx)},
		Consequent: &ast.UnaryExpression{Operator: token.VOID, Idx: id.Idx, Operand: &ast.NullLiteral{Idx: id.Idx, Literal: "null"}},
		Alternate:  &ast.Identifier{Name: id.Name, Idx: id.Idx},
	}
}

// An async function returns a promise of the engine. So a plain function replaces the async function: it calls the async function with the
// same `this` and super, and turns the promise into one of our own form. `arguments` would be wrong in both functions, so the checker
// refuses that name (argumentsIn).

// asyncFunction rewrites an async function literal, whose body has been rewritten.
func (r *rewriter) asyncFunction(e *ast.FunctionLiteral) {
	at := e.Idx0()
	inner := &ast.ArrowFunctionLiteral{Start: at, ParameterList: e.ParameterList, Body: e.Body, DeclarationList: e.DeclarationList, Async: true}
	list, passed := passedOn(inner.ParameterList, at)
	e.Async, e.DeclarationList, e.ParameterList = false, nil, list
	e.Body = &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{&ast.ReturnStatement{Return: at, Argument: r.promiseOf(e, inner, passed, at)}}}
}

// asyncArrow does for an arrow function what asyncFunction does for a function literal.
func (r *rewriter) asyncArrow(e *ast.ArrowFunctionLiteral) {
	at := e.Idx0()
	inner := *e
	inner.Source = ""
	list, passed := passedOn(inner.ParameterList, at)
	e.Async, e.DeclarationList, e.ParameterList = false, nil, list
	e.Body = &ast.ExpressionBody{Expression: r.promiseOf(e, &inner, passed, at)}
}

func (r *rewriter) promiseOf(e ast.Expression, inner *ast.ArrowFunctionLiteral, passed []ast.Expression, at file.Idx) ast.Expression {
	name := ""
	if b := r.bound[e]; b != nil {
		name = b.name
	} else if f, ok := e.(*ast.FunctionLiteral); ok && f.Name != nil {
		name = f.Name.Name.String()
	}
	call := &ast.CallExpression{Callee: inner, LeftParenthesis: at, RightParenthesis: at, ArgumentList: passed}
	return r.helperCall(HelperCalled, at, call, stringLiteral(name, at))
}

// asyncArguments begins the names of the wrapper's parameters. No program can spell them.
const asyncArguments = "\x00args"

// passedOn returns the parameters of the function that calls an async one, and the arguments that it passes. A parameter before the first
// default gets its own parameter, so the function keeps its length. A rest parameter passes on the others.
func passedOn(of *ast.ParameterList, at file.Idx) (*ast.ParameterList, []ast.Expression) {
	list, passed := &ast.ParameterList{Opening: at, Closing: at}, []ast.Expression(nil)
	if of == nil {
		return list, passed
	}
	for i, b := range of.List {
		if b.Initializer != nil {
			break
		}
		name := asyncArguments + strconv.Itoa(i)
		list.List = append(list.List, &ast.Binding{Target: identifier(name, at)})
		passed = append(passed, identifier(name, at))
	}
	if len(list.List) < len(of.List) || of.Rest != nil {
		list.Rest = identifier(asyncArguments, at)
		passed = append(passed, &ast.SpreadElement{Expression: identifier(asyncArguments, at)})
	}
	return list, passed
}
