package front

// This file rewrites expressions, after the checker and before goja's compiler.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/exoagent/exoagent/exoeval/internal/source"
)

func rewrite(pt *form, c *checker) *source.Fault {
	r := &rewriter{pt: pt, promises: c.names["Promise"], infos: c.infos, free: c.free, bound: c.bound, helpers: map[string]bool{}}
	switch {
	case c.names["Decimal"]:
		r.calc = calcExact
	case len(c.cfg.Grants) > 0:
		r.calc = calcAsk
	}
	if r.calc != calcNever {
		r.findNumbers(c)
		r.plains = map[*ast.BinaryExpression]bool{}
	}
	for i, s := range pt.Prog.Body {
		pt.Prog.Body[i] = r.stmt(s)
	}
	r.declareCalc()
	c.helpers, c.copied = r.helpers, r.copied
	return r.fault
}

// later rewrites e and returns the arrow function () => e, so that a helper decides whether e is evaluated.
func (r *rewriter) later(e ast.Expression) ast.Expression {
	outer := r.thunk
	r.thunk = true
	e = r.expr(e)
	r.thunk = outer
	at := e.Idx0()
	return &ast.ArrowFunctionLiteral{Start: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at}, Body: &ast.ExpressionBody{Expression: e}}
}

// within rewrites the body of a function.
func (r *rewriter) within(node ast.Node, walk func()) {
	records, thunk, needsTemp := r.records, r.thunk, r.needsTemp
	info := r.infos[node]
	r.records, r.thunk, r.needsTemp = info != nil && info.records, false, nil
	walk()
	r.records, r.thunk, r.needsTemp = records, thunk, needsTemp
}

func (r *rewriter) exprs(list []ast.Expression) {
	for i, e := range list {
		if e != nil {
			list[i] = r.expr(e)
		}
	}
}

// expr rewrites the parts of e and returns the expression that replaces e.
func (r *rewriter) expr(e ast.Expression) ast.Expression {
	if r.calc != calcPlain && r.calculates(e) {
		return r.calculated(e)
	}
	switch e := e.(type) {
	case *ast.TemplateLiteral:
		return r.template(e)
	case *ast.ArrayLiteral:
		r.values(e.Value)
	case *ast.ObjectLiteral:
		for _, p := range e.Value {
			r.property(p)
		}
	case *ast.SpreadElement:
		e.Expression = r.expr(e.Expression)
	case *ast.FunctionLiteral:
		r.within(e, func() {
			r.params(e.ParameterList)
			r.body(func() *ast.BlockStatement { r.block(e.Body); return e.Body })
		})
		if e.Async {
			r.asyncFunction(e)
		}
	case *ast.ArrowFunctionLiteral:
		r.arrow(e)
	case *ast.ClassLiteral:
		r.class(e)
	case *ast.UnaryExpression:
		return r.unary(e)
	case *ast.BinaryExpression:
		return r.binary(e)
	case *ast.ConditionalExpression:
		e.Test = r.expr(e.Test)
		if r.records {
			return r.helperCall(HelperCond, e.Test.Idx0(), e.Test, r.later(e.Consequent), r.later(e.Alternate))
		}
		e.Consequent, e.Alternate = r.value(e.Consequent, ""), r.value(e.Alternate, "")
	case *ast.AssignExpression:
		return r.assign(e)
	case *ast.SequenceExpression:
		r.values(e.Sequence)
	case *ast.DotExpression:
		e.Left = r.expr(e.Left)
	case *ast.PrivateDotExpression:
		e.Left = r.expr(e.Left)
	case *ast.BracketExpression:
		e.Left, e.Member = r.expr(e.Left), r.expr(e.Member)
	case *ast.OptionalChain:
		e.Expression = r.expr(e.Expression)
	case *ast.Optional:
		e.Expression = r.expr(e.Expression)
	case *ast.CallExpression:
		e.Callee = r.expr(e.Callee)
		r.promised(e)
		r.arguments(e)
		r.length(e.Callee, e.ArgumentList)
		if r.records {
			r.callee(e)
		} else {
			r.converted(e)
		}
	case *ast.NewExpression:
		return r.made(e)
	case *ast.AwaitExpression:
		r.suspends(e.Await, "await")
		e.Argument = r.helperCall(HelperAwait, e.Await, r.value(e.Argument, ""))
	case *ast.YieldExpression:
		r.suspends(e.Yield, "yield")
		e.Argument = r.value(e.Argument, "")
	}
	return e
}

// arrow rewrites an arrow function.
func (r *rewriter) arrow(e *ast.ArrowFunctionLiteral) {
	r.within(e, func() {
		r.params(e.ParameterList)
		r.body(func() *ast.BlockStatement {
			switch b := e.Body.(type) {
			case *ast.BlockStatement:
				r.block(b)
				return b
			case *ast.ExpressionBody:
				b.Expression = r.value(b.Expression, "")
				if *r.needsTemp { // declaring the variable needs a body with braces
					at := b.Expression.Idx0()
					block := &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: []ast.Statement{&ast.ReturnStatement{Return: at, Argument: b.Expression}}}
					e.Body = block
					return block
				}
			}
			return nil
		})
	})
	if e.Async && e != r.pt.root {
		r.asyncArrow(e)
	}
}

func (r *rewriter) unary(e *ast.UnaryExpression) ast.Expression {
	e.Operand = r.expr(e.Operand)
	if e.Operator == token.TYPEOF {
		if r.records {
			return r.helperCall(HelperTypeof, e.Idx, r.valueOrUndefined(e.Operand))
		}
		if id, ok := e.Operand.(*ast.Identifier); !ok || !r.free[id] {
			e.Operand = r.asked(e.Operand)
		}
		return e
	}
	if r.records && (e.Operator == token.NOT || e.Operator == token.MINUS || e.Operator == token.PLUS) && !isLiteral(e.Operand) {
		return r.helperCall(HelperUnary, e.Idx, stringLiteral(e.Operator.String(), e.Idx), e.Operand)
	}
	return e
}

// made rewrites an expression with new.
func (r *rewriter) made(e *ast.NewExpression) ast.Expression {
	if id, ok := e.Callee.(*ast.Identifier); ok && id.Name == "Decimal" && r.calc == calcExact {
		return r.expr(&ast.CallExpression{Callee: id, LeftParenthesis: e.Idx0(), ArgumentList: e.ArgumentList, RightParenthesis: e.Idx0()}) // a call without new returns a value; an object made with new would always count as true
	}
	e.Callee = r.expr(e.Callee)
	r.values(e.ArgumentList)
	r.length(e.Callee, e.ArgumentList)
	r.dated(e)
	if r.promises { // the program may have the constructor of Promise under another name
		return r.helperCall(HelperCalled, e.Idx0(), e, stringLiteral("new Promise", e.Idx0()))
	}
	return e
}

// recordedOperators are the binary operators that can be recorded.
var recordedOperators = map[token.Token]bool{
	token.STRICT_EQUAL: true, token.STRICT_NOT_EQUAL: true, token.EQUAL: true, token.NOT_EQUAL: true,
	token.LESS: true, token.LESS_OR_EQUAL: true, token.GREATER: true, token.GREATER_OR_EQUAL: true,
	token.PLUS: true, token.MINUS: true, token.MULTIPLY: true, token.SLASH: true, token.REMAINDER: true, token.EXPONENT: true,
	token.IN: true, token.INSTANCEOF: true,
}

func (r *rewriter) binary(e *ast.BinaryExpression) ast.Expression {
	at := e.Idx0()
	helper := logicalHelpers[e.Operator]
	e.Left = r.expr(e.Left)
	if helper != "" && r.records {
		return r.helperCall(helper, at, e.Left, r.later(e.Right))
	}
	if e.Right = r.value(e.Right, ""); !r.records {
		return r.asks(e)
	}
	if _, private := e.Left.(*ast.PrivateIdentifier); private {
		return e // the left side is a private name, as in #field in object
	}
	if recordedOperators[e.Operator] && !(isLiteral(e.Left) && isLiteral(e.Right)) {
		return r.helperCall(HelperOp, at, stringLiteral(e.Operator.String(), at), e.Left, e.Right)
	}
	return e
}

// assign rewrites x += y to x = op("+", x, y) if x can be read twice without an effect:
// a name, or a member of a name. `x &&= y` becomes x = and(x, () => y). For other
// targets the result is checked: `x ??= y` keeps an x that is recorded, and drops y.
func (r *rewriter) assign(e *ast.AssignExpression) ast.Expression {
	if _, plain := e.Left.(*ast.Identifier); !plain {
		r.pattern(e.Left)
	}
	at := e.Left.Idx0()
	helper := logicalHelpers[e.Operator]
	if again := twice(e.Left); again != nil && r.records && (helper != "" || recordedOperators[e.Operator]) {
		if helper != "" {
			e.Right = r.helperCall(helper, at, again, r.later(e.Right))
		} else {
			e.Right = r.helperCall(HelperOp, at, stringLiteral(e.Operator.String(), at), again, r.expr(e.Right))
		}
		e.Operator = token.ASSIGN
		return e
	}
	e.Right = r.value(e.Right, nameOf(e.Left))
	if e.Operator == token.COALESCE {
		if !neverRecorded(e.Right) { // in cache ??= q.count() the kept value may be a promise
			return r.helperCall(HelperKept, at, e)
		}
		return r.asked(e)
	}
	return e
}

// twice returns a second expression that reads an assignment's target. It returns nil if a second read could have an effect.
func twice(e ast.Expression) ast.Expression {
	simple := func(e ast.Expression) ast.Expression {
		switch e := e.(type) {
		case *ast.Identifier:
			return &ast.Identifier{Name: e.Name, Idx: e.Idx}
		case *ast.ThisExpression:
			return &ast.ThisExpression{Idx: e.Idx}
		case *ast.SuperExpression:
			return &ast.SuperExpression{Idx: e.Idx}
		}
		if isLiteral(e) {
			return e
		}
		return nil
	}
	switch e := e.(type) {
	case *ast.Identifier:
		return simple(e)
	case *ast.DotExpression:
		if of := simple(e.Left); of != nil {
			return &ast.DotExpression{Left: of, Identifier: e.Identifier}
		}
	case *ast.PrivateDotExpression:
		if of := simple(e.Left); of != nil {
			return &ast.PrivateDotExpression{Left: of, Identifier: e.Identifier}
		}
	case *ast.BracketExpression:
		of, name := simple(e.Left), simple(e.Member)
		if of != nil && name != nil {
			return &ast.BracketExpression{Left: of, Member: name, LeftBracket: e.LeftBracket, RightBracket: e.RightBracket}
		}
	}
	return nil
}

// template rewrites a template with substitutions and without a tag.
func (r *rewriter) template(e *ast.TemplateLiteral) ast.Expression {
	if e.Tag != nil {
		e.Tag = r.expr(e.Tag)
	}
	r.exprs(e.Expressions)
	if !r.records || e.Tag != nil || len(e.Expressions) == 0 {
		return e
	}
	parts := &ast.ArrayLiteral{LeftBracket: e.OpenQuote, RightBracket: e.OpenQuote}
	for _, el := range e.Elements {
		parts.Value = append(parts.Value, &ast.StringLiteral{Idx: el.Idx, Value: el.Parsed})
	}
	return r.helperCall(HelperTemplate, e.OpenQuote, append([]ast.Expression{parts}, e.Expressions...)...)
}

func (r *rewriter) property(p ast.Property) {
	switch p := p.(type) {
	case *ast.PropertyKeyed:
		if p.Computed {
			p.Key = r.expr(p.Key)
		}
		if p.Kind == ast.PropertyKindValue {
			p.Value = r.value(p.Value, "")
		} else {
			p.Value = r.expr(p.Value)
		}
	case *ast.SpreadElement:
		p.Expression = r.expr(p.Expression)
		if r.records {
			p.Expression = r.helperCall(HelperSpread, p.Expression.Idx0(), p.Expression)
		}
	}
}

func (r *rewriter) class(e *ast.ClassLiteral) {
	if e.SuperClass != nil {
		e.SuperClass = r.expr(e.SuperClass)
	}
	for _, el := range e.Body {
		switch el := el.(type) {
		case *ast.MethodDefinition:
			if el.Computed {
				el.Key = r.expr(el.Key)
			}
			r.expr(el.Body)
		case *ast.FieldDefinition:
			if el.Computed {
				el.Key = r.expr(el.Key)
			}
			if el.Initializer != nil {
				r.within(el, func() { el.Initializer = r.value(el.Initializer, "") })
			}
		case *ast.ClassStaticBlock:
			r.within(el, func() { r.block(el.Block) })
		}
	}
}

func (r *rewriter) params(list *ast.ParameterList) {
	if list == nil {
		return
	}
	r.bindings(list.List)
	r.pattern(list.Rest)
}

func (r *rewriter) bindings(list []*ast.Binding) {
	for _, b := range list {
		r.pattern(b.Target)
		if b.Initializer != nil {
			b.Initializer = r.value(b.Initializer, nameOf(b.Target))
		}
	}
}

// pattern rewrites the expressions inside the target of an assignment or declaration: defaults, computed keys, and the object and key
// of a member such as a.b or a[i]. Names of variables stay as they are.
func (r *rewriter) pattern(e ast.Expression) {
	switch e := e.(type) {
	case *ast.AssignExpression:
		r.pattern(e.Left)
		e.Right = r.value(e.Right, nameOf(e.Left))
	case *ast.Binding:
		r.bindings([]*ast.Binding{e})
	case *ast.ObjectPattern:
		for _, p := range e.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				if p.Initializer != nil {
					p.Initializer = r.value(p.Initializer, p.Name.Name.String())
				}
			case *ast.PropertyKeyed:
				if p.Computed {
					p.Key = r.expr(p.Key)
				}
				r.pattern(p.Value)
			}
		}
		r.pattern(e.Rest)
	case *ast.ArrayPattern:
		for _, x := range e.Elements {
			r.pattern(x)
		}
		r.pattern(e.Rest)
	case *ast.DotExpression:
		r.expr(e)
		if _, super := e.Left.(*ast.SuperExpression); r.records && !super {
			e.Left = r.helperCall(HelperTarget, e.Left.Idx0(), e.Left, stringLiteral(e.Identifier.Name.String(), e.Left.Idx0()))
		}
	case *ast.BracketExpression, *ast.PrivateDotExpression:
		r.expr(e)
	}
}
