package front

// This file has the checker's walk over statements.

import (
	"github.com/dop251/goja/ast"

	"github.com/exoagent/exoagent/exoeval/internal/source"
)

func (c *checker) stmts(list []ast.Statement) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *checker) block(b *ast.BlockStatement) {
	if b == nil || c.fault != nil {
		return
	}
	c.push()
	c.hoistBlock(b.List)
	c.stmts(b.List)
	c.pop()
}

// stmt admits a statement. Its cases are the statements of the language.
func (c *checker) stmt(s ast.Statement) {
	if !c.enter(s) {
		return
	}
	defer c.leave()
	switch s := s.(type) {
	case *ast.EmptyStatement:
	case *ast.BlockStatement:
		c.block(s)
	case *ast.ExpressionStatement:
		c.expr(s.Expression)
	case *ast.VariableStatement:
		c.bindings(s.List, false)
	case *ast.LexicalDeclaration:
		c.bindings(s.List, true)
	case *ast.FunctionDeclaration:
		if s.Function.Name != nil {
			c.declared(s.Function.Name)
		}
		c.function(s.Function, false)
	case *ast.ClassDeclaration:
		c.class(s.Class)
	case *ast.ReturnStatement:
		c.expr(s.Argument)
	case *ast.ThrowStatement:
		c.expr(s.Argument)
	case *ast.IfStatement:
		c.expr(s.Test)
		c.stmt(s.Consequent)
		c.stmt(s.Alternate)
	case *ast.WhileStatement:
		c.expr(s.Test)
		c.stmt(s.Body)
	case *ast.DoWhileStatement:
		c.stmt(s.Body)
		c.expr(s.Test)
	case *ast.ForStatement:
		c.forLoop(s)
	case *ast.ForInStatement:
		c.forInto(s.Into, s.Source, s.Body)
	case *ast.ForOfStatement:
		c.forAwait(s)
		c.forInto(s.Into, s.Source, s.Body)
	case *ast.LabelledStatement:
		c.stmt(s.Statement)
	case *ast.BranchStatement:
	case *ast.SwitchStatement:
		c.expr(s.Discriminant)
		c.push()
		for _, k := range s.Body {
			c.hoistBlock(k.Consequent)
		}
		for _, k := range s.Body {
			c.expr(k.Test)
			c.stmts(k.Consequent)
		}
		c.pop()
	case *ast.TryStatement:
		c.block(s.Body)
		if s.Catch != nil {
			c.push()
			if s.Catch.Parameter != nil {
				c.param(s.Catch.Parameter)
				c.pattern(s.Catch.Parameter, c.declared)
			}
			c.block(s.Catch.Body)
			c.pop()
		}
		c.block(s.Finally)
	case *ast.WithStatement:
		// `with` makes the meaning of a name depend on values, so no check of names could be trusted.
		c.fail(s.With, "`with` is not available; use destructuring: const { a, b } = object")
	case *ast.DebuggerStatement:
		c.fail(s.Debugger, "`debugger` is not available; use console.log")
	default:
		c.fail(0, "statements of this kind (%s) are not available: write other JavaScript", nodeName(s))
	}
}

// param declares the names of a parameter, a catch clause or a loop variable.
func (c *checker) param(target ast.Expression) { c.bindNames(target, c.plain) }

// bindings admits declarators. While the checker walks an initializer, the declared names are marked: authors write `const todos = await
// todos.execute()` by mistake when a granted object is called todos.
func (c *checker) bindings(list []*ast.Binding, lexical bool) {
	for _, b := range list {
		var names []*binding
		if lexical && b.Initializer != nil {
			c.bindNames(b.Target, c.collect(&names))
		}
		for _, n := range names {
			n.init = c.fn
		}
		c.expr(b.Initializer)
		for _, n := range names {
			n.init = nil
		}
		c.pattern(b.Target, c.declared)
	}
}

// forAwait admits `for await`. The parser has seen a plain loop, without the await.
func (c *checker) forAwait(s *ast.ForOfStatement) {
	if !c.pt.ForAwait[c.pt.Off(s.For)] {
		return
	}
	c.loops[c.pt.Off(s.For)], c.awaits = true, true
	async := false
	if c.fn != nil {
		switch f := c.fn.node.(type) {
		case *ast.ArrowFunctionLiteral:
			async = f.Async
		case *ast.FunctionLiteral:
			async = f.Async
		}
	}
	if !async {
		c.fail(s.For, "%s", source.AwaitOutside)
	}
}

func (c *checker) forLoop(s *ast.ForStatement) {
	c.push()
	defer c.pop()
	switch init := s.Initializer.(type) {
	case nil:
	case *ast.ForLoopInitializerExpression:
		c.expr(init.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		c.bindings(init.List, false)
	case *ast.ForLoopInitializerLexicalDecl:
		c.hoistLexical(&init.LexicalDeclaration)
		c.bindings(init.LexicalDeclaration.List, true)
	default:
		c.fail(s.For, "this kind of loop is not available: write for (let i = 0; i < n; i++) { ... }")
	}
	c.expr(s.Test)
	c.expr(s.Update)
	c.stmt(s.Body)
}

func (c *checker) forInto(into ast.ForInto, source ast.Expression, body ast.Statement) {
	c.push()
	defer c.pop()
	switch into := into.(type) {
	case *ast.ForIntoVar:
		c.pattern(into.Binding.Target, c.declared)
	case *ast.ForDeclaration:
		var names []*binding
		c.param(into.Target)
		c.bindNames(into.Target, c.collect(&names))
		for _, n := range names {
			if into.IsConst {
				n.fixed = "a const"
			}
			n.init = c.fn
		}
		c.expr(source) // the names of the loop are already in scope here and have no value yet
		for _, n := range names {
			n.init = nil
		}
		c.pattern(into.Target, c.declared)
		c.stmt(body)
		return
	case *ast.ForIntoExpression:
		c.target(into.Expression)
	default:
		c.fail(0, "this kind of loop is not available: write for (const x of list) { ... }")
	}
	c.expr(source)
	c.stmt(body)
}
