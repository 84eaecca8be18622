package front

// This file has the checker's walk over expressions and patterns. It runs after the parser and before the rewriting.

import (
	"math/big"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

func (c *checker) check() *source.Fault {
	c.scope = &scope{}
	c.expr(c.pt.root)
	if c.fault != nil {
		return c.fault
	}
	if f, ok := c.pt.root.(*ast.ArrowFunctionLiteral); ok && c.pt.wrapper(f) {
		// A body without await runs as a plain function, which halves the cost of the realm: see run.main.
		f.Async = c.awaits
		c.asyncs = c.asyncs || c.awaits
		c.pt.plain = !c.awaits
	}
	for off := range c.pt.ForAwait {
		// Compile removes the await of `for await` before it parses the text. If no loop over a list remains there, the program must not run without
		// the await.
		if !c.loops[off] && (c.fault == nil || c.fault.Off > off) {
			c.fault = source.Faultf(fail.Syntax, off, "%s", source.NoForAwait)
		}
	}
	return c.fault
}

// left walks the left operand of a chain. The operand adds to the chain's length, not to the depth.
func (c *checker) left(e ast.Expression) {
	c.depth--
	c.spine++
	c.expr(e)
	c.spine--
	c.depth++
}

func (c *checker) exprs(list []ast.Expression) {
	for _, e := range list {
		c.expr(e)
	}
}

// relational has the relational operators. All have the same precedence.
var relational = map[token.Token]bool{
	token.LESS: true, token.LESS_OR_EQUAL: true, token.GREATER: true, token.GREATER_OR_EQUAL: true, token.IN: true, token.INSTANCEOF: true,
}

// expr admits an expression. Its cases are the expressions of the language.
func (c *checker) expr(e ast.Expression) {
	if !c.enter(e) {
		return
	}
	defer c.leave()
	switch e := e.(type) {
	case *ast.NullLiteral, *ast.BooleanLiteral, *ast.StringLiteral, *ast.SuperExpression, *ast.PrivateIdentifier:
	case *ast.ThisExpression:
		// Outside functions `this` is the global object, also in strict mode. An arrow function would pass `this` on.
		if !c.inFunction() {
			c.fail(e.Idx, "`this` has no value here; the granted objects are in `api`")
		}
	case *ast.NumberLiteral:
		if _, big := e.Value.(*big.Int); big {
			// 2n**(2n**40n) computes in native code: no interrupt ends it, and it takes gigabytes.
			c.fail(e.Idx, "BigInt literals are not available; use a plain number, or a text for one beyond 2^53, like '9007199254740993'")
		}
		c.written.note(e)
	case *ast.RegExpLiteral:
		c.patterns = true
		c.regexp(e)
	case *ast.Identifier:
		c.refer(e)
	case *ast.MetaProperty:
		if e.Meta == nil || e.Meta.Name != "new" {
			c.fail(e.Idx, source.NoModules)
		} else if !c.inFunction() {
			c.fail(e.Meta.Idx, "`new.target` has no value outside functions and classes; leave it out")
		}
	case *ast.TemplateLiteral:
		if e.Tag != nil {
			c.left(e.Tag)
		}
		c.exprs(e.Expressions)
	case *ast.ArrayLiteral:
		c.exprs(e.Value)
	case *ast.ObjectLiteral:
		c.object(e)
	case *ast.SpreadElement:
		c.expr(e.Expression)
	case *ast.FunctionLiteral:
		c.function(e, true)
	case *ast.ArrowFunctionLiteral:
		c.arrow(e)
	case *ast.ClassLiteral:
		c.class(e)
	case *ast.UnaryExpression:
		c.unary(e)
	case *ast.BinaryExpression:
		c.binary(e)
	case *ast.ConditionalExpression:
		c.expr(e.Test)
		c.expr(e.Consequent)
		c.expr(e.Alternate)
	case *ast.AssignExpression:
		c.store(e.Left, e.Right)
		c.expr(e.Right)
	case *ast.SequenceExpression:
		c.exprs(e.Sequence)
	case *ast.DotExpression:
		c.left(e.Left)
		c.member(e.Identifier.Name.String(), e.Identifier.Idx, e.Left)
	case *ast.PrivateDotExpression:
		c.left(e.Left)
	case *ast.BracketExpression:
		c.bracket(e)
	case *ast.OptionalChain:
		c.left(e.Expression)
	case *ast.Optional:
		c.left(e.Expression)
	case *ast.CallExpression:
		c.call(e)
	case *ast.NewExpression:
		c.left(e.Callee)
		c.exprs(e.ArgumentList)
	case *ast.AwaitExpression:
		c.awaits = true
		c.expr(e.Argument)
	case *ast.YieldExpression:
		c.expr(e.Argument)
	default:
		c.fail(0, "expressions of this kind (%s) are not available: write other JavaScript", nodeName(e))
	}
}

func (c *checker) binary(e *ast.BinaryExpression) {
	if right, ok := e.Right.(*ast.BinaryExpression); ok && relational[e.Operator] && relational[right.Operator] {
		// goja's parser silently reads a < b < c as a < (b < c), which has another value.
		c.fail(right.Idx0(), "comparisons can't be chained: write a < b && b < c")
	}
	c.coalesce(e)
	c.left(e.Left)
	c.expr(e.Right)
}

// bracket admits a member whose name is in brackets.
func (c *checker) bracket(e *ast.BracketExpression) {
	c.left(e.Left)
	if name, ok := constantString(e.Member); ok {
		c.member(name, e.Member.Idx0(), e.Left)
	} else if _, number := e.Member.(*ast.NumberLiteral); !number {
		c.names[ComputedName] = true
	}
	c.expr(e.Member)
}

func (c *checker) call(e *ast.CallExpression) {
	if id, ok := e.Callee.(*ast.Identifier); ok {
		if b := c.lookup(id.Name.String()); b != nil {
			b.calls++
		}
	}
	c.calls[int(e.LeftParenthesis)-1] = span{from: int(e.Idx0()) - 1, to: int(e.Idx1()) - 1}
	c.left(e.Callee)
	c.exprs(e.ArgumentList)
	c.describing(e)
}

// constantString returns the text of e if e is a string literal, or a template without substitutions.
func constantString(e ast.Expression) (string, bool) {
	switch e := e.(type) {
	case *ast.StringLiteral:
		return e.Value.String(), true
	case *ast.TemplateLiteral:
		if e.Tag == nil && len(e.Expressions) == 0 && len(e.Elements) == 1 {
			return e.Elements[0].Parsed.String(), true
		}
	}
	return "", false
}

// member refuses names that lead from a value to its maker: the constructor of a constructor is Function, and objects of a realm share
// prototypes. The realm has disarmed these members, also for computed names, which this function can't see. This check only gives a better
// error.
func (c *checker) member(name string, idx file.Idx, of ast.Expression) {
	c.names[name] = true
	switch name {
	case "constructor":
		c.fail(idx, "`.constructor` is not available; compare with `instanceof`, or use the `name` of an error")
	case "prototype":
		c.fail(idx, "`.prototype` is not available; write a class with methods")
	case "__proto__":
		c.fail(idx, "`__proto__` is not available; use Object.create, a class or spread")
	case "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__":
		c.fail(idx, "`%s` is not available; write `get name() {...}` in the object", name)
	case "callee", "caller":
		if id, ok := of.(*ast.Identifier); ok && id.Name == "arguments" {
			c.fail(idx, "`arguments.%s` is not available; give the function a name, and use that", name)
		}
	}
}

func (c *checker) unary(e *ast.UnaryExpression) {
	switch e.Operator {
	case token.TYPEOF:
		// typeof of an unknown name is "undefined"; it is no error.
		if id, ok := e.Operand.(*ast.Identifier); ok && c.lookup(id.Name.String()) == nil {
			c.reserved(id)
			c.free[id] = !c.granted[id.Name.String()]
			return
		}
	case token.INCREMENT, token.DECREMENT:
		c.store(e.Operand, nil) // nil, because ++ and -- store a number
		return
	case token.DELETE:
		switch e.Operand.(type) {
		case *ast.Identifier, *ast.CallExpression, *ast.AwaitExpression: // delete would have no effect on these
			c.fail(e.Idx, "`delete` only removes a member of the program's own objects; to delete what was granted, call its method `delete`, if it has one")
		}
	}
	c.expr(e.Operand)
}

// key admits the name of a property, a method or a field.
func (c *checker) key(key ast.Expression, computed bool) {
	if computed {
		if name, ok := constantString(key); ok {
			c.member(name, key.Idx0(), nil)
		} else {
			c.names[ComputedName] = true
		}
		c.expr(key)
		return
	}
	switch k := key.(type) {
	case *ast.StringLiteral:
		c.ownName(k.Value.String(), k.Idx)
	case *ast.NumberLiteral, *ast.PrivateIdentifier:
	default:
		c.fail(0, "this kind of property name is not available in an object: write `name: value`, `'a name': value` or `[expression]: value`")
	}
}

// ownName refuses names like `{__proto__: x}`, which sets the prototype even if the realm has deleted the member.
func (c *checker) ownName(name string, idx file.Idx) {
	if strings.HasPrefix(name, "__") {
		c.member(name, idx, nil)
	}
}

func (c *checker) object(e *ast.ObjectLiteral) {
	for _, p := range e.Value {
		switch p := p.(type) {
		case *ast.PropertyShort:
			c.ownName(p.Name.Name.String(), p.Name.Idx)
			if p.Initializer != nil {
				c.fail(p.Name.Idx, "syntax error: `%s = ...` is no property of an object; write `%s: ...`", p.Name.Name.String(), p.Name.Name.String())
			}
			c.expr(&p.Name)
		case *ast.PropertyKeyed:
			c.key(p.Key, p.Computed)
			if fn, ok := p.Value.(*ast.FunctionLiteral); ok {
				c.function(fn, false)
			} else {
				c.expr(p.Value)
			}
		case *ast.SpreadElement:
			c.expr(p.Expression)
		default:
			c.fail(0, "this kind of property is not available in an object: write `name`, `name: value` or `...other`")
		}
	}
}

// target admits the target of an assignment.
func (c *checker) target(e ast.Expression) {
	c.pattern(e, func(id *ast.Identifier) {
		c.elsewhere[id.Name.String()] = true
		c.assign(id)
	})
}

// store admits the target to which one value is assigned. The parameter value is nil if the assigned value is surely no Decimal.
func (c *checker) store(e, value ast.Expression) {
	if id, ok := e.(*ast.Identifier); ok {
		c.assign(id)
		c.stored[id.Name.String()] = append(c.stored[id.Name.String()], value)
		return
	}
	c.target(e)
}

// pattern admits a destructuring target. It calls the function name with each name in the target.
func (c *checker) pattern(e ast.Expression, name func(*ast.Identifier)) {
	if !c.enter(e) {
		return
	}
	defer c.leave()
	switch e := e.(type) {
	case *ast.Identifier:
		name(e)
	case *ast.AssignExpression:
		c.pattern(e.Left, name)
		c.expr(e.Right)
	case *ast.Binding:
		c.pattern(e.Target, name)
		c.expr(e.Initializer)
	case *ast.ObjectPattern:
		for _, p := range e.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				c.member(p.Name.Name.String(), p.Name.Idx, nil) // a pattern reads this member of the value
				name(&p.Name)
				c.expr(p.Initializer)
			case *ast.PropertyKeyed:
				if k, ok := p.Key.(*ast.StringLiteral); ok {
					c.member(k.Value.String(), k.Idx, nil)
				}
				c.key(p.Key, p.Computed)
				c.pattern(p.Value, name)
			default:
				c.fail(0, "this kind of destructuring is not available: write const x = object.x")
			}
		}
		c.pattern(e.Rest, name)
	case *ast.ArrayPattern:
		for _, x := range e.Elements {
			c.pattern(x, name)
		}
		c.pattern(e.Rest, name)
	case *ast.DotExpression, *ast.BracketExpression, *ast.PrivateDotExpression:
		c.expr(e)
	default:
		c.fail(0, "this kind of assignment is not available: assign to a variable or to a member of an object")
	}
}

// declared admits a name where it is declared.
func (c *checker) declared(id *ast.Identifier) { c.reserved(id) }

// regexp admits a regular expression literal if goja runs it on Go's engine.
func (c *checker) regexp(e *ast.RegExpLiteral) {
	if e.Pattern == "" {
		// goja's parser reads `/[a` at the end of a line as an empty pattern and drops the rest of the line.
		c.fail(e.Idx, "syntax error: the regular expression is not closed: missing /")
	}
	spelled, why := source.Regexp(e.Pattern, e.Flags)
	if why != "" {
		c.fail(e.Idx, "%s", why)
	}
	e.Pattern = spelled
}

// coalesce refuses `&&` together with `??`, which is a syntax error in JavaScript. goja's parser misses this error if the operand begins with a
// parenthesis: it reads `(a) && b ?? c` as an operand in parentheses.
func (c *checker) coalesce(e *ast.BinaryExpression) {
	if e.Operator != token.COALESCE {
		return
	}
	at, ok := c.pt.OperatorDepth(e, "??")
	for _, side := range [...]ast.Expression{e.Left, e.Right} {
		and, is := side.(*ast.BinaryExpression)
		if !ok || !is || and.Operator != token.LOGICAL_AND {
			continue
		}
		// An operator in parentheses is one bracket deeper.
		if in, ok := c.pt.OperatorDepth(and, "&&"); ok && in == at {
			c.fail(and.Right.Idx0(), "%s", source.MixedLogic)
		}
	}
}
