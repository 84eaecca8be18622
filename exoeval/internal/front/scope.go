package front

// This file resolves names: it finds the declaration that each read or assigned name refers to.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

func (c *checker) push() { c.scope = &scope{parent: c.scope} }
func (c *checker) pop()  { c.scope = c.scope.parent }

// lookup finds the declaration of a name in the program, or nil.
func (c *checker) lookup(name string) *binding {
	for s := c.scope; s != nil; s = s.parent {
		if b := s.names[name]; b != nil {
			return b
		}
	}
	return nil
}

func (c *checker) known(name string) bool {
	switch name {
	case "undefined", "NaN", "Infinity":
		return true
	}
	return c.cfg.Globals[name] || c.granted[name]
}

// refer resolves a name that the program reads.
func (c *checker) refer(id *ast.Identifier) {
	name := id.Name.String()
	if c.reserved(id) {
		return
	}
	if b := c.lookup(name); b != nil {
		if b.init != nil && b.init == c.fn {
			c.fail(id.Idx, "`%s` is used in its own declaration, where it has no value yet; choose another name for the new variable", name)
		}
		c.use(b)
		b.uses++
		return
	}
	if name == "arguments" && c.inFunction() {
		c.argumentsIn(id.Idx)
		return
	}
	if !c.known(name) {
		c.unknown(id)
	}
}

func (c *checker) use(b *binding) {
	inside := false
	for f := c.fn; f != nil; f = f.parent {
		inside = inside || b.fn != nil && f.node == ast.Node(b.fn)
	}
	if !inside {
		b.refs++
	}
	if c.fn != nil {
		c.fn.uses = append(c.fn.uses, b)
	}
}

// inFunction reports whether this place is in a function that has `arguments`.
func (c *checker) inFunction() bool {
	for f := c.fn; f != nil; f = f.parent {
		if !f.arrow {
			return true
		}
	}
	return false
}

// argumentsIn refuses `arguments` in an async function, also in an async arrow within one: see asyncFunction.
func (c *checker) argumentsIn(at file.Idx) {
	for f := c.fn; f != nil; f = f.parent {
		if isAsync(f.node) {
			c.fail(at, "`arguments` is not available in an async function; give the function the parameters (...args), and use args")
		}
		if !f.arrow {
			return
		}
	}
}

// isAsync reports whether a function is async.
func isAsync(node ast.Node) bool {
	switch f := node.(type) {
	case *ast.FunctionLiteral:
		return f.Async
	case *ast.ArrowFunctionLiteral:
		return f.Async
	}
	return false
}

// assign resolves a name that the program writes.
func (c *checker) assign(id *ast.Identifier) {
	name := id.Name.String()
	if c.reserved(id) {
		return
	}
	b := c.lookup(name)
	switch {
	case b != nil && b.fixed == "a const":
		c.fail(id.Idx, "`%s` is %s and can't be assigned; declare it with `let`, or use another name", name, b.fixed)
	case b != nil && b.fixed != "":
		c.fail(id.Idx, "`%s` is %s and can't be assigned; use another name", name, b.fixed)
	case b != nil:
		c.use(b)
	case c.granted[name]:
		c.fail(id.Idx, "`%s` is a granted object and can't be assigned; use another name", name)
	case c.known(name) || name == "arguments":
		c.fail(id.Idx, "`%s` is built in and can't be assigned; use another name", name)
	default:
		c.fail(id.Idx, "`%s` is assigned but never declared; write `let %s = ...`", name, name)
	}
}

// reserved refuses names that lead to code made of strings, or to the global object, and returns false for other names. The realm lacks these
// names, too; this check gives a better error.
func (c *checker) reserved(id *ast.Identifier) bool {
	c.names[id.Name.String()] = true
	switch name := id.Name.String(); name {
	case "eval", "Function":
		c.fail(id.Idx, "`%s` is not available: code can't be made from strings; write a function literal", name)
	case "globalThis":
		c.fail(id.Idx, "`globalThis` is not available; write only the name, without `globalThis.`%s", c.grantList())
	default:
		return false
	}
	return true
}

// bindNames declares every name of a pattern.
func (c *checker) bindNames(target ast.Expression, declare func(name string, idx file.Idx)) {
	if !c.enter(target) {
		return
	}
	defer c.leave()
	switch t := target.(type) {
	case *ast.Identifier:
		declare(t.Name.String(), t.Idx)
	case *ast.AssignExpression: // a pattern with a default
		c.bindNames(t.Left, declare)
	case *ast.Binding:
		c.bindNames(t.Target, declare)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				declare(p.Name.Name.String(), p.Name.Idx)
			case *ast.PropertyKeyed:
				c.bindNames(p.Value, declare)
			}
		}
		c.bindNames(t.Rest, declare)
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			c.bindNames(e, declare)
		}
		c.bindNames(t.Rest, declare)
	}
}

// hoistVars declares the vars of a function, which goja's parser collects.
func (c *checker) hoistVars(list []*ast.VariableDeclaration) {
	for _, d := range list {
		for _, b := range d.List {
			c.bindNames(b.Target, func(name string, _ file.Idx) {
				c.elsewhere[name] = true
				if d, fn := c.scope.declare(name), functionOf(b); fn != nil {
					d.fn, c.bound[fn] = fn, d
				}
			})
		}
	}
}

// functionOf returns the function literal that a declaration names, or nil. A pattern names parts of a value: in `const { length } = () =>
// {}`, length is no function.
func functionOf(b *ast.Binding) ast.Expression {
	if _, named := b.Target.(*ast.Identifier); named && isFunction(b.Initializer) {
		return b.Initializer
	}
	return nil
}

// hoistBlock declares the names that the statements of a block declare.
func (c *checker) hoistBlock(list []ast.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			c.hoistLexical(s)
		case *ast.FunctionDeclaration:
			if s.Function.Name != nil {
				c.plain(s.Function.Name.Name.String(), 0)
				c.scope.declare(s.Function.Name.Name.String()).fn = s.Function
			}
		case *ast.ClassDeclaration:
			if s.Class.Name != nil {
				c.plain(s.Class.Name.Name.String(), 0)
			}
		}
	}
}

func (c *checker) hoistLexical(d *ast.LexicalDeclaration) {
	for _, b := range d.List {
		c.bindNames(b.Target, func(name string, _ file.Idx) {
			v := c.scope.declare(name)
			if _, alone := b.Target.(*ast.Identifier); alone {
				c.stored[name] = append(c.stored[name], b.Initializer)
			} else {
				c.elsewhere[name] = true
			}
			if d.Token.String() == "const" {
				v.fixed = "a const"
			}
			if fn := functionOf(b); fn != nil {
				v.fn, c.bound[fn] = fn, v
			}
		})
	}
}

func (c *checker) plain(name string, _ file.Idx) {
	c.scope.declare(name)
	c.elsewhere[name] = true
}

// collect returns a function that gathers bindings of the current scope by name.
func (c *checker) collect(to *[]*binding) func(string, file.Idx) {
	return func(name string, _ file.Idx) {
		if b := c.scope.names[name]; b != nil {
			*to = append(*to, b)
		}
	}
}
