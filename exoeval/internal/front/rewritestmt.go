package front

// This file rewrites statements.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

func (r *rewriter) block(b *ast.BlockStatement) {
	if b != nil {
		r.stmts(b.List)
	}
}

func (r *rewriter) stmts(list []ast.Statement) {
	for i, s := range list {
		list[i] = r.stmt(s)
	}
}

// test rewrites the condition of a statement. A placeholder has no truth value: the helper refuses it, while the engine would treat every
// object as true.
func (r *rewriter) test(e ast.Expression) ast.Expression {
	if e == nil {
		return nil
	}
	e = r.expr(e)
	if r.records {
		return r.helperCall(HelperTest, e.Idx0(), e)
	}
	return e
}

// compared rewrites an operand of switch or case. Both compare by identity, and a column equals no case.
func (r *rewriter) compared(e ast.Expression) ast.Expression {
	e = r.expr(e)
	if r.records && !isLiteral(e) {
		return r.helperCall(HelperSwitch, e.Idx0(), e)
	}
	return r.asked(e)
}

func (r *rewriter) stmt(s ast.Statement) ast.Statement {
	switch s := s.(type) {
	case *ast.BlockStatement:
		r.block(s)
	case *ast.ExpressionStatement:
		s.Expression = r.expr(s.Expression)
	case *ast.VariableStatement:
		r.bindings(s.List)
	case *ast.LexicalDeclaration:
		r.bindings(s.List)
	case *ast.FunctionDeclaration:
		r.expr(s.Function)
	case *ast.ClassDeclaration:
		r.expr(s.Class)
	case *ast.ReturnStatement:
		s.Argument = r.value(s.Argument, "")
	case *ast.ThrowStatement:
		s.Argument = r.expr(s.Argument)
	case *ast.IfStatement:
		s.Test = r.test(s.Test)
		s.Consequent = r.stmt(s.Consequent)
		if s.Alternate != nil {
			s.Alternate = r.stmt(s.Alternate)
		}
	case *ast.WhileStatement:
		s.Test, s.Body = r.test(s.Test), r.stmt(s.Body)
	case *ast.DoWhileStatement:
		s.Body, s.Test = r.stmt(s.Body), r.test(s.Test)
	case *ast.ForStatement:
		switch init := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			init.Expression = r.expr(init.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			r.bindings(init.List)
		case *ast.ForLoopInitializerLexicalDecl:
			r.bindings(init.LexicalDeclaration.List)
		}
		s.Test = r.test(s.Test)
		if s.Update != nil {
			s.Update = r.expr(s.Update)
		}
		s.Body = r.stmt(s.Body)
	case *ast.ForInStatement:
		r.into(s.Into)
		s.Source, s.Body = r.expr(s.Source), r.stmt(s.Body)
	case *ast.ForOfStatement:
		r.into(s.Into)
		s.Source, s.Body = r.expr(s.Source), r.stmt(s.Body)
		if r.pt.ForAwait[r.pt.Off(s.For)] {
			r.forAwait(s)
		}
	case *ast.LabelledStatement:
		s.Statement = r.stmt(s.Statement)
	case *ast.SwitchStatement:
		s.Discriminant = r.compared(s.Discriminant)
		for _, k := range s.Body {
			switch {
			case k.Test == nil:
			case r.calc == calcNever || r.records || r.plain(k.Test):
				k.Test = r.compared(k.Test)
			default:
				k.Test = r.helperCall(HelperCalc, k.Test.Idx0(), stringLiteral("case", k.Test.Idx0()), r.expr(k.Test))
			}
			r.stmts(k.Consequent)
		}
	case *ast.TryStatement:
		r.block(s.Body)
		if s.Catch != nil {
			if s.Catch.Parameter != nil {
				r.pattern(s.Catch.Parameter)
			}
			r.block(s.Catch.Body)
		}
		r.block(s.Finally)
	}
	return s
}

func (r *rewriter) into(into ast.ForInto) {
	switch into := into.(type) {
	case *ast.ForIntoVar:
		r.pattern(into.Binding.Target)
	case *ast.ForDeclaration:
		r.pattern(into.Target)
	case *ast.ForIntoExpression:
		r.pattern(into.Expression)
	}
}

// awaited is the variable of a rewritten `for await`. No program can spell its name. An inner loop hides the variable of the outer loop, which
// has already been read.
const awaited = "\x00item"

// forAwait turns `for await (const x of list) body` into
//
//	for (const item of await list) { const x = await item; body }
//
// If list is a promise, the loop waits for it, too, because authors forget to await the list. Asynchronous iterators don't exist here, so the
// loop can't mean anything else.
func (r *rewriter) forAwait(s *ast.ForOfStatement) {
	at := s.Source.Idx0()
	s.Source = &ast.AwaitExpression{Await: at, Argument: r.helperCall(HelperAwait, at, s.Source)}
	value := &ast.AwaitExpression{Await: at, Argument: r.helperCall(HelperAwait, at, identifier(awaited, at))}
	var first ast.Statement
	switch into := s.Into.(type) {
	case *ast.ForIntoVar:
		first = &ast.VariableStatement{Var: at, List: []*ast.Binding{{Target: into.Binding.Target, Initializer: value}}}
	case *ast.ForDeclaration:
		word := token.LET
		if into.IsConst {
			word = token.CONST
		}
		first = &ast.LexicalDeclaration{Idx: at, Token: word, List: []*ast.Binding{{Target: into.Target, Initializer: value}}}
	case *ast.ForIntoExpression:
		first = &ast.ExpressionStatement{Expression: &ast.AssignExpression{Operator: token.ASSIGN, Left: into.Expression, Right: value}}
	}
	s.Into = &ast.ForDeclaration{Idx: at, IsConst: true, Target: identifier(awaited, at)}
	s.Body = &ast.BlockStatement{LeftBrace: at, List: []ast.Statement{first, s.Body}, RightBrace: at}
}
