package front

// This file has the checker's walk over functions and classes. It notes which functions are recorded.

import (
	"github.com/dop251/goja/ast"

	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// within calls walk for the body of the function node, and notes what the rewriting needs to know about the function.
func (c *checker) within(node ast.Node, arrow bool, walk func()) {
	f := &funcInfo{node: node, parent: c.fn, arrow: arrow}
	if c.fn != nil {
		c.fn.children = append(c.fn.children, f)
	}
	c.infos[node] = f
	c.spans = append(c.spans, span{int(node.Idx0()) - 1, int(node.Idx1()) - 1, isAsync(node) || node == ast.Node(c.pt.root) && c.pt.body != nil})
	outer := c.fn
	c.fn = f
	c.push()
	walk()
	c.pop()
	c.fn = outer
}

// function admits a function literal. The name of a named function expression is known inside it.
func (c *checker) function(f *ast.FunctionLiteral, named bool) {
	if f.Async && f.Generator {
		c.fail(f.Function, source.NoAsyncGenerator)
	}
	c.generators, c.asyncs = c.generators || f.Generator, c.asyncs || f.Async
	c.within(f, false, func() {
		if named && f.Name != nil {
			c.declared(f.Name)
			c.plain(f.Name.Name.String(), 0)
			b := c.scope.declare(f.Name.Name.String())
			b.fn, b.fixed = f, "the function's own name"
		}
		c.push()
		c.params(f.ParameterList)
		c.hoistVars(f.DeclarationList)
		c.block(f.Body)
		c.pop()
	})
}

func (c *checker) arrow(f *ast.ArrowFunctionLiteral) {
	c.asyncs = c.asyncs || f.Async && !c.pt.wrapper(f)
	c.within(f, true, func() {
		c.params(f.ParameterList)
		c.hoistVars(f.DeclarationList)
		switch body := f.Body.(type) {
		case *ast.BlockStatement:
			if body == c.pt.body {
				c.push()
				c.top = c.scope
				c.hoistBlock(body.List)
				c.stmts(body.List)
				c.pop()
				return
			}
			c.block(body)
		case *ast.ExpressionBody:
			c.expr(body.Expression)
		default:
			c.fail(f.Start, "this kind of function body is not available: write { ... }")
		}
	})
}

func (c *checker) params(list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, b := range list.List {
		c.param(b.Target)
	}
	c.param(list.Rest)
	for _, b := range list.List {
		c.pattern(b.Target, c.declared)
		c.expr(b.Initializer)
	}
	c.pattern(list.Rest, c.declared)
}

func (c *checker) class(e *ast.ClassLiteral) {
	c.push()
	defer c.pop()
	if e.Name != nil {
		c.declared(e.Name)
		c.plain(e.Name.Name.String(), 0)
		c.scope.declare(e.Name.Name.String()).fixed = "the class's own name"
	}
	c.expr(e.SuperClass)
	for _, el := range e.Body {
		switch el := el.(type) {
		case *ast.MethodDefinition:
			c.key(el.Key, el.Computed)
			if el.Body != nil {
				c.function(el.Body, false)
			}
		case *ast.FieldDefinition:
			c.key(el.Key, el.Computed)
			// JavaScript evaluates the initializer of a field as the body of a function.
			c.within(el, false, func() { c.expr(el.Initializer) })
		case *ast.ClassStaticBlock:
			c.within(el, false, func() {
				c.hoistVars(el.DeclarationList)
				c.block(el.Block)
			})
		default:
			c.fail(e.Class, "this kind of class member is not available: write a method or a field")
		}
	}
}

// describing notes the functions that are arguments of a describing call. The call runs each function once, with placeholders for rows, so
// its operators must record an expression. A name as an argument means the function that is declared with that name.
func (c *checker) describing(call *ast.CallExpression) {
	callee := call.Callee
	if o, ok := callee.(*ast.Optional); ok {
		callee = o.Expression
	}
	dot, ok := callee.(*ast.DotExpression)
	if !ok || !c.cfg.Describing[dot.Identifier.Name.String()] {
		return
	}
	for _, a := range call.ArgumentList {
		c.recorded(a)
	}
}

func (c *checker) recorded(e ast.Expression) {
	if !c.enter(e) {
		return
	}
	defer c.leave()
	switch e := e.(type) {
	case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		c.literal = append(c.literal, e)
	case *ast.Identifier:
		if b := c.lookup(e.Name.String()); b != nil {
			c.named = append(c.named, b)
		}
	case *ast.ConditionalExpression:
		c.recorded(e.Consequent)
		c.recorded(e.Alternate)
	}
}

// finish marks every function that a recorded function contains or may call. Otherwise a helper `const open = t => t.done === false` would
// silently compare a placeholder with false.
func (c *checker) finish() *source.Fault {
	var todo []*funcInfo
	add := func(f *funcInfo) {
		if f != nil && !f.records {
			f.records = true
			todo = append(todo, f)
		}
	}
	for _, e := range c.literal {
		add(c.infos[e])
	}
	addNamed := func(list []*binding) {
		for _, b := range list {
			if b.fn != nil {
				add(c.infos[b.fn])
			}
		}
	}
	addNamed(c.named)
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, child := range f.children {
			add(child)
		}
		addNamed(f.uses)
	}
	return c.entry()
}
