package exoeval

import (
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/exoagent/exoagent/internal/scalar"
)

// binding is one declared name.
type binding struct {
	name  string
	fixed string         // not empty when assigning is refused: what the name is
	fn    ast.Expression // the function literal it is declared with, if any
	init  *funcInfo      // the function whose code is evaluating its initializer now
	refs  int            // references from outside fn
	uses  int            // references,
	calls int            // and how many of them only call it
}

// scope is a block. Names are declared when it is entered, so hoisting needs no
// second pass: an identifier resolves where it stands.
type scope struct {
	parent *scope
	names  map[string]*binding
}

func (s *scope) declare(name string) *binding {
	b := s.names[name]
	if b == nil {
		b = &binding{name: name}
		if s.names == nil {
			s.names = map[string]*binding{}
		}
		s.names[name] = b
	}
	return b
}

// funcInfo is what the rewriting must know of a function.
type funcInfo struct {
	node     ast.Node
	parent   *funcInfo
	arrow    bool
	children []*funcInfo
	uses     []*binding // names it refers to that may be functions of the program
	records  bool       // it may be called with placeholders: its operators are rewritten
}

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

// inFunction reports whether `arguments` means something here.
func (c *checker) inFunction() bool {
	for f := c.fn; f != nil; f = f.parent {
		if !f.arrow {
			return true
		}
	}
	return false
}

// argumentsIn refuses `arguments` in an async function, or an async arrow within its function: see asyncFunction.
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
	case b != nil && b.fixed != "":
		c.fail(id.Idx, "`%s` is %s and can't be assigned; declare it with `let`, or use another name", name, b.fixed)
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

// reserved refuses the names that lead to code made of strings or to the global
// object. The realm doesn't have them either; here they get a message.
func (c *checker) reserved(id *ast.Identifier) bool {
	c.names[id.Name.String()] = true
	switch name := id.Name.String(); name {
	case "eval", "Function":
		c.fail(id.Idx, "`%s` is not available: code can't be made from strings; write a function literal", name)
	case "globalThis":
		c.fail(id.Idx, "`globalThis` is not available; the granted objects are in scope by name%s", c.grantList())
	default:
		return false
	}
	return true
}

// unknown says which name was meant, from those that the program may see.
func (c *checker) unknown(id *ast.Identifier) {
	name := id.Name.String()
	if name == "await" { // outside async functions it is a name like any other
		c.fail(id.Idx, "%s", awaitOutside)
		return
	}
	if name == "require" {
		c.fail(id.Idx, "no modules here: `require` is not available%s", c.grantList())
		return
	}
	if hint := c.cfg.Catalog.Say(nil, name+"()", operatorNames[name]); hint != "" {
		c.fail(id.Idx, "`%s` is not a function here: write %s", name, hint)
		return
	}
	if hint, ok := missingGlobals[name]; ok {
		c.fail(id.Idx, "`%s` is not available here; %s", name, hint)
		return
	}
	if name == "api" {
		c.fail(id.Idx, "`api` is not defined; the capabilities are the first parameter of the program's function, give it that name")
		return
	}
	if g := scalar.Nearest(name, c.cfg.Grants); g != "" {
		c.fail(id.Idx, "`%s` is not defined; did you mean the granted object `%s` (it is also `api.%s`)?", name, g, g)
		return
	}
	var names []string
	for s := c.scope; s != nil; s = s.parent {
		names = append(names, sortedKeys(s.names)...)
	}
	names = append(names, sortedKeys(c.cfg.Globals)...)
	if n := scalar.Nearest(name, names); n != "" {
		c.fail(id.Idx, "`%s` is not defined; did you mean `%s`?", name, n)
		return
	}
	c.fail(id.Idx, "`%s` is not defined%s", name, c.grantList())
}

func (c *checker) grantList() string {
	if len(c.cfg.Grants) == 0 {
		return ""
	}
	const most = 12
	names := append([]string(nil), c.cfg.Grants...)
	sort.Strings(names)
	rest := ""
	if len(names) > most {
		names, rest = names[:most], ", ..."
	}
	return "; the granted objects are: " + strings.Join(names, ", ") + rest
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// operatorNames are functions of other libraries for what is an operator here.
var operatorNames = map[string]string{"and": "a && b", "or": "a || b", "not": "!condition", "now": "new Date()"}

// missingGlobals are names that authors expect and that no realm of ours has, with the
// way out. A realm that does have one lists it in Globals, which is asked first.
var missingGlobals = map[string]string{
	"fetch":                 "programs have no network; use the granted objects",
	"XMLHttpRequest":        "programs have no network; use the granted objects",
	"WebSocket":             "programs have no network; use the granted objects",
	"process":               "programs have no host process or environment",
	"Deno":                  "programs have no host process or environment",
	"Bun":                   "programs have no host process or environment",
	"module":                "return the value instead of exporting it",
	"exports":               "return the value instead of exporting it",
	"__dirname":             "programs have no files",
	"__filename":            "programs have no files",
	"setTimeout":            "there are no timers; await the calls that you need and return",
	"setInterval":           "there are no timers; await the calls that you need and return",
	"setImmediate":          "there are no timers; await the calls that you need and return",
	"clearTimeout":          "there are no timers",
	"clearInterval":         "there are no timers",
	"queueMicrotask":        "use `await` or `Promise.resolve().then(...)`",
	"Buffer":                "use strings and arrays",
	"window":                "there is no browser; the granted objects are in scope by name",
	"document":              "there is no browser; return the data",
	"navigator":             "there is no browser",
	"localStorage":          "there is no storage; return the data",
	"sessionStorage":        "there is no storage; return the data",
	"alert":                 "use console.log, or return the data",
	"self":                  "there is no global object; the granted objects are in scope by name",
	"global":                "there is no global object; the granted objects are in scope by name",
	"Intl":                  "format numbers and dates with toFixed, toISOString and string functions",
	"structuredClone":       "use JSON.parse(JSON.stringify(x)) or spread",
	"Proxy":                 "use a plain object or a class",
	"Reflect":               "use Object.keys, Object.entries and the plain operators",
	"BigInt":                "use Number",
	"WeakRef":               "keep the value in a variable",
	"FinalizationRegistry":  "keep the value in a variable",
	"SharedArrayBuffer":     "use an array",
	"Atomics":               "use a variable",
	"WebAssembly":           "write JavaScript",
	"URL":                   "use string functions",
	"URLSearchParams":       "use string functions",
	"TextEncoder":           "use strings",
	"TextDecoder":           "use strings",
	"crypto":                "use Math.random for numbers that need not be secret",
	"performance":           "the clock stands still during a run; use Date.now()",
	"AbortController":       "a run is cancelled by its host",
	"importScripts":         "no modules here: the granted objects are in scope",
	"EventSource":           "programs have no network; use the granted objects",
	"requestAnimationFrame": "there is no browser",
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
	case *ast.AssignExpression: // a default
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
				if d, fn := c.scope.declare(name), functionOf(b); fn != nil {
					d.fn, c.bound[fn] = fn, d
				}
			})
		}
	}
}

// functionOf is the function that a declaration gives its name to, or nil. A
// pattern names parts of it: `const { length } = () => {}` makes length no function.
func functionOf(b *ast.Binding) ast.Expression {
	if _, named := b.Target.(*ast.Identifier); named && isFunction(b.Initializer) {
		return b.Initializer
	}
	return nil
}

// hoistBlock declares what the statements of a block declare.
func (c *checker) hoistBlock(list []ast.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			c.hoistLexical(s)
		case *ast.FunctionDeclaration:
			if s.Function.Name != nil {
				c.scope.declare(s.Function.Name.Name.String()).fn = s.Function
			}
		case *ast.ClassDeclaration:
			if s.Class.Name != nil {
				c.scope.declare(s.Class.Name.Name.String())
			}
		}
	}
}

func (c *checker) hoistLexical(d *ast.LexicalDeclaration) {
	for _, b := range d.List {
		c.bindNames(b.Target, func(name string, _ file.Idx) {
			v := c.scope.declare(name)
			if d.Token.String() == "const" {
				v.fixed = "a const"
			}
			if fn := functionOf(b); fn != nil {
				v.fn, c.bound[fn] = fn, v
			}
		})
	}
}

func (c *checker) plain(name string, _ file.Idx) { c.scope.declare(name) }

// collect gathers bindings of the current scope by name.
func (c *checker) collect(to *[]*binding) func(string, file.Idx) {
	return func(name string, _ file.Idx) {
		if b := c.scope.names[name]; b != nil {
			*to = append(*to, b)
		}
	}
}
