package exoeval

import "github.com/dop251/goja/ast"

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

// test is the condition of a statement: a placeholder there has no truth value,
// and the helper says so instead of taking every object for true.
func (r *rewriter) test(e ast.Expression) ast.Expression {
	if e == nil {
		return nil
	}
	e = r.expr(e)
	if r.records {
		return helperCall(helperTest, e.Idx0(), e)
	}
	return e
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
		if s.Argument != nil {
			s.Argument = r.expr(s.Argument)
		}
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
	case *ast.LabelledStatement:
		s.Statement = r.stmt(s.Statement)
	case *ast.SwitchStatement:
		s.Discriminant = r.expr(s.Discriminant)
		for _, k := range s.Body {
			if k.Test != nil {
				k.Test = r.expr(k.Test)
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
