package exoeval

// The realm itself: a runtime of the engine, and the functions by which the host makes things in it. All files before
// work with it.

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/exoagent/exoagent/exoeval/internal/source"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// realmBase is the realm of one program. It lives on one goroutine, and is never used twice.
type realmBase struct {
	vm    *goja.Runtime
	start time.Time  // the present
	zone  *zone.Zone // of local time; nil: UTC
	seed  uint64     // of random numbers

	throws      func(error) goja.Value           // makes the error that a program is given
	refuseExact func(where string, v goja.Value) // throws where v is no number that Decimal can calculate with exactly

	intrinsics *goja.Object  // the engine's own global object, which no program can reach
	then       goja.Callable // of promises, as the engine made it; nil until watchPromises
	finally    goja.Callable // the same
	keys       goja.Callable // Object.keys, as the engine made it
	proto      *goja.Object  // Object.prototype: see objects
	safeRegExp *goja.Object  // what programs find as RegExp, once a regular expression can be reached
	rand       *rand.Rand    // of seed, once it is asked for one
}

// begin readies the engine. It comes first, and disarm next; depth bounds nested calls of functions.
func (r *realmBase) begin(depth int) {
	r.vm.SetParserOptions(parser.WithDisableSourceMaps)
	r.vm.SetMaxCallStackSize(depth) // without it, recursion through native functions ignores the interrupt
	r.vm.SetTimeSource(r.now)
	r.vm.SetRandSource(r.random)
	// The engine makes its intrinsics when they are first asked for. Its own global
	// object stays on the host's side, so that they can still be asked for, and the
	// program gets an empty one: nothing has to be taken away.
	r.intrinsics = r.vm.GlobalObject()
}

func (r *realmBase) now() time.Time { return r.start } // the clock stands still: time is no channel
func (r *realmBase) random() float64 {
	if r.rand == nil {
		r.rand = rand.New(rand.NewPCG(r.seed, r.seed^0x9e3779b97f4a7c15))
	}
	return r.rand.Float64()
}

// objects is Object.prototype.
func (r *realmBase) objects() *goja.Object {
	if r.proto == nil {
		r.proto = r.vm.NewObject().Prototype()
	}
	return r.proto
}

// intrinsic is a constructor as the engine made it, whatever a program did with
// what it can reach.
func (r *realmBase) intrinsic(name string) *goja.Object { return r.intrinsics.Get(name).(*goja.Object) }

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

// put defines a property; it never assigns, so no setter of a prototype runs.
func (r *realmBase) put(o *goja.Object, name string, v goja.Value) {
	_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// remove deletes a property.
func remove(o *goja.Object, name string) {
	if err := o.Delete(name); err != nil {
		panic(err)
	}
}

// function makes a function of the host. goja would name it after the Go
// function, and a function's name shows in stacks and in its text: host paths.
func (r *realmBase) function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.vm.ToValue(f).(*goja.Object)
	fix(o, "name", r.vm.ToValue(name))
	return o
}

// called is the result of a function of the program, or of the engine, that
// native code called; what it threw goes on.
func (r *realmBase) called(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(r.rethrow(err))
	}
	return v
}

// rethrow passes on what a function of the program threw while Go code called it.
func (r *realmBase) rethrow(err error) any {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		return ex.Value()
	}
	return err // an interrupt: goja lets no program catch it
}

func (r *realmBase) rangeError(text string) goja.Value {
	e, err := r.vm.New(r.intrinsic("RangeError"), r.vm.ToValue(text))
	if err != nil {
		panic(r.rethrow(err))
	}
	return e
}

// quiet names are asked for by the engine and by habit (feature tests, promise
// checks); they are undefined instead of an error. Recorders are no thenables.
func quiet(name string) bool {
	switch name {
	case "then", "catch", "finally", "constructor", "toJSON", "toString", "valueOf", "hasOwnProperty", "length", "prototype", "nodeType", "isPrototypeOf":
		return name != "length" && name != "catch" && name != "finally"
	}
	return strings.HasPrefix(name, "@@") || strings.HasPrefix(name, "Symbol(")
}

func mustCompile(name, src string) *goja.Program {
	// Never goja.Compile: its default parser follows sourceMappingURL comments and reads files.
	ast, err := source.ParseFile(name, src)
	if err != nil {
		panic(err)
	}
	p, err := goja.CompileAST(ast, true)
	if err != nil {
		panic(err)
	}
	return p
}

// compiled and expression are made when they are first wanted, too: what a package
// makes when it is initialised is paid at every start of a worker.
func compiled(name, src string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return mustCompile(name, src) })
}

func expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// native is a function of the engine, to be called from one of the host's.
func native(holder *goja.Object, name string) func(goja.FunctionCall) goja.Value {
	return holder.Get(name).(*goja.Object).Export().(func(goja.FunctionCall) goja.Value)
}

func isArray(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() == "Array"
}

func quoted(s string) string { return "'" + scalar.Shorten(s, 40) + "'" }
