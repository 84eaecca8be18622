package exoeval

import (
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/scalar"
)

// realmNames is everything that a program finds in its global scope besides
// what was granted. The checker refuses programs that name anything else, and a
// realm holds only those of them that its program names: a new global of the
// engine is neither nameable nor there (TestRealmNames, TestGlobalsThatAreThere).
var realmNames = map[string]bool{
	"Object": true, "Array": true, "String": true, "Number": true, "Boolean": true, "Symbol": true, "Math": true, "JSON": true,
	"Date": true, "Map": true, "Set": true, "WeakMap": true, "WeakSet": true, "Promise": true, "RegExp": true, "Iterator": true,
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "ReferenceError": true, "URIError": true, "EvalError": true, "AggregateError": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "undefined": true, "NaN": true, "Infinity": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
	"console": true, "structuredClone": true, "Intl": true, "Decimal": true,
}

// needs is what the realm of a program must hold beyond what disarms it, from
// the names that stand in the program. Objects that are reached without being
// named (the prototypes of literals, the constructors behind them by a computed name) are
// disarmed in every realm; objects that only a name leads to are made safe if it is named.
type needs struct {
	names    []string // globals of realmNames, and grants
	polyfill []*polyfill
	// Regular expressions, generators and async functions are in the program, or may be:
	// what they lead to must be made safe before it runs.
	patterns, generators, asyncs bool
	// The program may come to a property whose name does not stand in it: see (*checker).reflects.
	reflects bool
	texts    bool     // it mentions a method of texts that makes a pattern
	helpers  []string // that its rewritten operators call
	guards   []*guard // natives that must not take a recorded thing for a value
}

func (c *checker) needs() needs {
	n := needs{patterns: c.patterns, generators: c.generators, asyncs: c.asyncs}
	for name := range c.helpers {
		n.helpers = append(n.helpers, name)
	}
	slices.Sort(n.helpers)
	for name := range c.names {
		if realmNames[name] || c.granted[name] {
			n.names = append(n.names, name)
		}
	}
	slices.Sort(n.names)
	for i := range polyfills {
		if polyfills[i].wanted(c) {
			n.polyfill = append(n.polyfill, &polyfills[i])
		}
	}
	for i := range guards {
		if guards[i].wanted(c.names) {
			n.guards = append(n.guards, &guards[i])
		}
	}
	n.reflects = c.reflects() || len(n.polyfill) > 0
	n.asyncs = n.asyncs || n.reflects // Array.fromAsync is one
	n.texts = n.reflects || c.mentions([]string{"match", "matchAll", "search"})
	return n
}

// plainGlobals are the globals none of whose functions gives a member by a name that is
// data, as Object.getOwnPropertyDescriptor does, or makes one, as JSON.parse does
// (TestPlainGlobals).
var plainGlobals = map[string]bool{
	"undefined": true, "NaN": true, "Infinity": true, "console": true, "Math": true, "Number": true, "String": true, "Boolean": true, "Map": true, "Set": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "Error": true, "TypeError": true, "RangeError": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
}

// reflects reports whether a program may come to a property whose name does not stand in
// it: names are computed by o[k]; it mentions a global that is not known to give none;
// generators and patterns lead to functions of the engine that do either.
func (c *checker) reflects() bool {
	if c.generators || c.patterns || c.names[anyName] {
		return true
	}
	for name := range realmNames {
		if c.names[name] && !plainGlobals[name] {
			return true
		}
	}
	return false
}

func mustCompile(name, src string) *goja.Program {
	// Never goja.Compile: its default parser follows sourceMappingURL comments and reads files.
	ast, err := goja.Parse(name, src, parser.WithDisableSourceMaps)
	if err != nil {
		panic(err)
	}
	p, err := goja.CompileAST(ast, true)
	if err != nil {
		panic(err)
	}
	return p
}

// newRealm makes a fresh world for one run. It is never used twice.
func (r *run) newRealm() error {
	vm := r.vm
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	vm.SetMaxCallStackSize(r.bounds.CallDepth) // without it, recursion through native functions ignores the interrupt
	vm.SetTimeSource(r.now)
	vm.SetRandSource(r.random)
	vm.SetPromiseRejectionTracker(r.trackRejection)
	// The engine makes its intrinsics when they are first asked for. Its own global
	// object stays on the host's side, so that they can still be asked for, and the
	// program gets an empty one: nothing has to be taken away.
	r.intrinsics = vm.GlobalObject()
	r.disarm()
	r.guardNatives()
	need := &r.prog.needs
	if need.patterns {
		r.guardPatterns()
	}
	var made map[string]goja.Value
	if len(need.polyfill) > 0 {
		made = map[string]goja.Value{}
	}
	for _, p := range need.polyfill {
		if err := p.load(r, made); err != nil {
			return err
		}
	}
	global := vm.CreateObject(nil)
	vm.SetGlobalObject(global)
	for _, name := range need.names {
		if v := r.global(name, made); v != nil {
			fix(global, name, v)
		}
	}
	for _, name := range need.helpers {
		if name == helperRecording {
			r.flagged = true
			r.recording(false)
			continue
		}
		if name == helperHearing {
			r.listens = true
			r.hearing(false)
			continue
		}
		help := helpers[name]
		fix(global, name, r.function("operator", func(c goja.FunctionCall) goja.Value { return help(r, c) }))
	}
	r.api = vm.NewDynamicObject(&apiObject{r})
	return nil
}

// global is what a name stands for in the global scope.
func (r *run) global(name string, made map[string]goja.Value) goja.Value {
	if v := made[name]; v != nil {
		return v
	}
	switch {
	case name == "console":
		return r.console.object(r)
	case name == "RegExp":
		return r.guardPatterns() // never the engine's own
	case realmNames[name]:
		return r.intrinsics.Get(name)
	}
	for _, g := range r.granted {
		if g.Name == name {
			return r.grantedObject(g.ID)
		}
	}
	return nil
}

// intrinsic is a constructor as the engine made it, whatever a program did with
// what it can reach.
func (r *run) intrinsic(name string) *goja.Object { return r.intrinsics.Get(name).(*goja.Object) }

// fix defines a property for good. It panics where that fails: what protects is
// never left out silently.
func fix(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// hide defines a property as the engine's own are: it can be written, and is
// not listed.
func hide(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// remove deletes a property.
func remove(o *goja.Object, name string) {
	if err := o.Delete(name); err != nil {
		panic(err)
	}
}

// function makes a function of the host. goja would name it after the Go
// function, and a function's name shows in stacks and in its text: host paths.
func (r *run) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.vm.ToValue(f).(*goja.Object)
	fix(o, "name", r.vm.ToValue(name))
	return o
}

// globals is what the checker admits as free names.
func globals() map[string]bool {
	m := map[string]bool{}
	for n, ok := range realmNames {
		if ok {
			m[n] = true
		}
	}
	return m
}

// apiObject is the object that holds the grants: what `(api) => ...` is given.
type apiObject struct{ r *run }

func (a *apiObject) Get(name string) goja.Value {
	for _, g := range a.r.granted {
		if g.Name == name {
			return a.r.grantedObject(g.ID)
		}
	}
	switch name {
	case "toString", "valueOf", "toLocaleString", "toJSON":
		// Undefined would make the engine print the object itself, addresses and all.
		return a.r.function(name, func(goja.FunctionCall) goja.Value {
			panic(a.r.throw(exo.Errorf(exo.Invalid, "", "api is no data: call a method of what it holds, and use the result")))
		})
	}
	if a.r.quiet(name) {
		return goja.Undefined()
	}
	if out := a.r.fromGrants(name); out != "" && scalar.Nearest(name, a.Keys()) == "" {
		panic(a.r.throw(exo.Errorf(exo.Denied, "", "api has no member `%s`; %s", shorten(name, 60), out)))
	}
	if out := a.r.say(nil, "api."+name, ""); out != "" {
		panic(a.r.throw(exo.Errorf(exo.Denied, "", "api has no member `%s`; %s", shorten(name, 60), out)))
	}
	panic(a.r.throwMissing("api", name, a.Keys()))
}

func (a *apiObject) Set(string, goja.Value) bool { return false }
func (a *apiObject) Delete(string) bool          { return false }
func (a *apiObject) Has(name string) bool        { return slices.Contains(a.Keys(), name) }
func (a *apiObject) Keys() []string {
	var ns []string
	for _, g := range a.r.granted {
		ns = append(ns, g.Name)
	}
	return ns
}
