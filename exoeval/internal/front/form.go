package front

// This file finds the form of a program: a function, an expression or statements. The checker uses it first.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"

	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// form is a program in one of three forms: a function, a body or an expression. This file turns each form into a function of the capabilities.
type form struct {
	*source.Tree
	root  ast.Expression      // root is the function that the program evaluates to
	body  *ast.BlockStatement // body has the statements if the text is a body, else nil
	plain bool                // plain reports that root becomes a plain function: see checker.check
}

// take recognises the form of a program.
func take(t *source.Tree) *form {
	p := &form{Tree: t, root: t.Fn}
	switch body := t.Fn.Body.(type) {
	case *ast.BlockStatement:
		p.takeBody(body)
	case *ast.ExpressionBody:
		p.takeExpression(body.Expression)
	}
	return p
}

// wrapper reports whether f is the function in which package source wrapped the text.
func (p *form) wrapper(f *ast.ArrowFunctionLiteral) bool { return f == p.Fn }

// takeBody recognises a body that is only a function. In any other body it makes the last expression statement a return.
func (p *form) takeBody(block *ast.BlockStatement) {
	var list []ast.Statement
	for _, s := range block.List {
		if _, empty := s.(*ast.EmptyStatement); !empty {
			list = append(list, s)
		}
	}
	block.List = list
	p.body = block
	n := len(list)
	if n == 0 {
		return
	}
	s, ok := list[n-1].(*ast.ExpressionStatement)
	if !ok {
		return
	}
	e := unwrapExport(s.Expression)
	if isFunction(e) {
		if n == 1 {
			p.takeFunction(e)
			return
		}
		e = callWithAPI(e, e.Idx0()) // declarations precede the function, so it is the result of a body
	}
	list[n-1] = &ast.ReturnStatement{Return: s.Idx0(), Argument: e}
}

func (p *form) takeExpression(e ast.Expression) {
	if e = unwrapExport(e); isFunction(e) {
		p.takeFunction(e)
	}
}

// takeFunction makes fn the program. If fn declares no parameter, it gets `api`: authors forget it.
func (p *form) takeFunction(fn ast.Expression) {
	var params *ast.ParameterList
	switch fn := fn.(type) {
	case *ast.ArrowFunctionLiteral:
		params = fn.ParameterList
	case *ast.FunctionLiteral:
		params = fn.ParameterList
	}
	if len(params.List) == 0 && params.Rest == nil {
		params.List = []*ast.Binding{{Target: identifier("api", fn.Idx0())}}
	}
	p.Prog.Body = []ast.Statement{&ast.ExpressionStatement{Expression: fn}}
	p.root, p.body = fn, nil
}

// unwrapExport removes the `0,` that stripModule wrote for `export default` before a function.
func unwrapExport(e ast.Expression) ast.Expression {
	if seq, ok := e.(*ast.SequenceExpression); ok && len(seq.Sequence) == 2 && isFunction(seq.Sequence[1]) {
		if n, ok := seq.Sequence[0].(*ast.NumberLiteral); ok && n.Literal == "0" {
			return seq.Sequence[1]
		}
	}
	return e
}

func isFunction(e ast.Expression) bool {
	switch e.(type) {
	case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		return true
	}
	return false
}

func identifier(name string, idx file.Idx) *ast.Identifier {
	return &ast.Identifier{Name: unistring.NewFromString(name), Idx: idx}
}

func callWithAPI(fn ast.Expression, idx file.Idx) *ast.CallExpression {
	return &ast.CallExpression{Callee: fn, LeftParenthesis: idx, RightParenthesis: idx, ArgumentList: []ast.Expression{identifier("api", idx)}}
}
