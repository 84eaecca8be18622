package front

// This file finds the function to call in a body that only declares functions. It is the last step of the checker.

import (
	"github.com/dop251/goja/ast"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

var entryNames = []string{"main", "run", "program", "handler", "execute", "solve"}

// entry handles a body that only declares functions: it calls the one function that nothing calls, as the author meant. A last statement
// `main`, `main()` or `await main()` becomes main(api).
func (c *checker) entry() *source.Fault {
	if c.pt.body == nil || c.top == nil || len(c.pt.body.List) == 0 {
		return nil
	}
	list := c.pt.body.List
	if r, ok := list[len(list)-1].(*ast.ReturnStatement); ok {
		r.Argument = c.meant(r.Argument)
		return nil
	}
	var free []*binding
	for _, s := range list {
		switch s := s.(type) {
		case *ast.FunctionDeclaration:
			free = append(free, c.uncalled(s.Function.Name)...)
		case *ast.LexicalDeclaration:
			free = append(free, c.uncalledOf(s.List)...)
		case *ast.VariableStatement:
			free = append(free, c.uncalledOf(s.List)...)
		case *ast.ClassDeclaration:
		default:
			return nil // the body has a statement that declares nothing
		}
	}
	var main *binding
	switch len(free) {
	case 0:
		return nil
	case 1:
		main = free[0]
	default:
		for _, name := range entryNames {
			for _, b := range free {
				if main == nil && b.name == name {
					main = b
				}
			}
		}
	}
	if main == nil {
		return source.Faultf(fail.Syntax, c.pt.Off(free[0].fn.Idx0()), "the program only declares functions (%s, %s) and calls none; end it with a call, such as `return %s(api)`", free[0].name, free[1].name, free[0].name)
	}
	idx := main.fn.Idx0()
	c.pt.body.List = append(list, &ast.ReturnStatement{Return: idx, Argument: callWithAPI(identifier(main.name, idx), idx)})
	return nil
}

func (c *checker) uncalled(name *ast.Identifier) []*binding {
	if name == nil {
		return nil
	}
	b := c.topBinding(name.Name.String())
	if b == nil || b.fn == nil || b.refs > 0 {
		return nil
	}
	return []*binding{b}
}

func (c *checker) uncalledOf(list []*ast.Binding) (free []*binding) {
	for _, b := range list {
		if id, ok := b.Target.(*ast.Identifier); ok && isFunction(b.Initializer) {
			free = append(free, c.uncalled(id)...)
		}
	}
	return free
}

// topBinding finds a name of the body, or a var of the body, which is in the scope outside it. It returns nil if there is none.
func (c *checker) topBinding(name string) *binding {
	if b := c.top.names[name]; b != nil {
		return b
	}
	return c.top.parent.names[name]
}

// meant turns a final `main` into main(api). It turns a final `main()` into main(api) if main declares a parameter, also under await and
// before .then and .catch.
func (c *checker) meant(e ast.Expression) ast.Expression {
	if id, ok := e.(*ast.Identifier); ok {
		if b := c.topBinding(id.Name.String()); b != nil && b.fn != nil {
			return callWithAPI(id, id.Idx)
		}
		return e
	}
	for x := e; ; {
		switch y := x.(type) {
		case *ast.AwaitExpression:
			x = y.Argument
		case *ast.DotExpression:
			x = y.Left
		case *ast.CallExpression:
			id, ok := y.Callee.(*ast.Identifier)
			if !ok {
				x = y.Callee
				continue
			}
			if b := c.topBinding(id.Name.String()); b != nil && b.fn != nil && len(y.ArgumentList) == 0 && takesParameter(b.fn) {
				y.ArgumentList = []ast.Expression{identifier("api", id.Idx)}
			}
			return e
		default:
			return e
		}
	}
}

func takesParameter(fn ast.Expression) bool {
	var p *ast.ParameterList
	switch fn := fn.(type) {
	case *ast.ArrowFunctionLiteral:
		p = fn.ParameterList
	case *ast.FunctionLiteral:
		p = fn.ParameterList
	}
	return len(p.List) > 0 && p.List[0].Initializer == nil
}
