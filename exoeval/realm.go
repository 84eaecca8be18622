package exoeval

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/exoagent/exoagent/exo"
)

// realmNames is everything that a program finds in its global scope besides
// what was granted. What is not here is deleted from a fresh runtime, and the
// checker refuses programs that name it, so a new global of the engine is
// neither nameable nor there (TestRealmNames).
var realmNames = map[string]bool{
	"Object": true, "Array": true, "String": true, "Number": true, "Boolean": true, "Symbol": true, "Math": true, "JSON": true,
	"Date": true, "Map": true, "Set": true, "WeakMap": true, "WeakSet": true, "Promise": true, "RegExp": true, "Iterator": false,
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "ReferenceError": true, "URIError": true, "EvalError": true, "AggregateError": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "undefined": true, "NaN": true, "Infinity": true,
	"encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
	"console": true, "structuredClone": true,
}

// prelude.js disarms what leads out of a callback's own code (the function
// constructors, __proto__) and adds what the engine lacks.
//
//go:embed prelude.js
var preludeSource string

var prelude = mustCompile("prelude", preludeSource)

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
	vm.SetMaxCallStackSize(r.limits.CallDepth) // without it, recursion through native functions ignores the interrupt
	vm.SetTimeSource(r.now)
	vm.SetRandSource(r.random)
	vm.SetPromiseRejectionTracker(r.trackRejection)
	r.errorCtor = vm.Get("Error").(*goja.Object)
	global := vm.GlobalObject()
	init, err := vm.RunProgram(prelude)
	if err != nil {
		return err
	}
	setup, _ := goja.AssertFunction(init)
	added, err := setup(goja.Undefined(), r.function("pattern", r.safePattern))
	if err != nil {
		return err
	}
	for _, name := range added.(*goja.Object).Keys() {
		if err := global.DefineDataProperty(name, added.(*goja.Object).Get(name), goja.FLAG_TRUE, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
			return err
		}
	}
	for _, name := range unwanted() {
		if err := global.Delete(name); err != nil {
			return err
		}
	}
	for name, f := range r.helpers() {
		if err := global.DefineDataProperty(name, r.function("operator", f), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	if err := global.DefineDataProperty("console", r.console.object(r), goja.FLAG_TRUE, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
		return err
	}
	r.recordedProto = r.protoOfRecorded()
	r.api = vm.NewDynamicObject(&apiObject{r})
	for _, g := range r.granted {
		if err := global.DefineDataProperty(g.Name, r.grantedObject(g.ID), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
			return err
		}
	}
	return nil
}

// function makes a function of the host. goja would name it after the Go
// function, and a function's name shows in stacks and in its text: host paths.
func (r *run) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.vm.ToValue(f).(*goja.Object)
	_ = o.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return o
}

// unwanted are the engine's globals that are not in realmNames. They are asked
// for once: listing them makes a fresh runtime build all its intrinsics.
var unwanted = sync.OnceValue(func() []string {
	var names []string
	for _, name := range goja.New().GlobalObject().GetOwnPropertyNames() {
		if !realmNames[name] {
			names = append(names, name)
		}
	}
	return names
})

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

// RealmNames lists the globals that every program finds.
func RealmNames() []string { return slices.Sorted(maps.Keys(globals())) }

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
