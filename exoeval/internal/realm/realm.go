package realm

// This file has the realm: a runtime of the engine, and functions by which the host makes values in it.

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/exoagent/exoagent/exoeval/internal/source"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// Realm is the realm of one program. One goroutine uses it. It never serves a second program.
type Realm struct {
	VM    *goja.Runtime
	Start time.Time  // the present time in the program
	Zone  *zone.Zone // the zone of local time; nil is UTC
	Seed  uint64     // the seed of random numbers

	Throws      func(error) goja.Value           // makes the error that the program gets
	RefuseExact func(where string, v goja.Value) // throws if Decimal can't calculate exactly with v

	ReadsTimes     bool                             // the program may have the text of a time that a reply had
	ReadsLengths   bool                             // the program may have the text of a length of time that a reply had
	ChecksOperands bool                             // the program may have a Decimal or the text of a time
	Intrinsics     *goja.Object                     // the engine's own global object, which no program can reach
	Then           goja.Callable                    // then of promises, as the engine made it; nil until WatchPromises
	Finally        goja.Callable                    // finally of promises, as the engine made it; nil until WatchPromises
	Keys           goja.Callable                    // Object.keys, as the engine made it
	proto          *goja.Object                     // Object.prototype, once Objects was called
	spelt          map[*string]*goja.Object         // prototypes of rows that RowPrototype made
	fields         map[string][]string              // the field names of records that Record made
	decimals       *goja.Object                     // the prototype of Decimals; nil before the first one
	keys           map[string]weak.Pointer[Decimal] // Decimals that are keys of collections, by their texts
	sweep          int                              // at this number of keys, unused keys are removed
	safeRegExp     *goja.Object                     // the RegExp of the program; nil until it can reach a regular expression
	rand           *rand.Rand                       // made from Seed at its first use
}

// Begin prepares the engine, before Disarm. depth bounds nested calls of functions.
func (r *Realm) Begin(depth int) {
	r.VM.SetParserOptions(parser.WithDisableSourceMaps)
	r.VM.SetMaxCallStackSize(depth) // without this bound, recursion through native functions ignores the interrupt
	r.VM.SetTimeSource(r.now)
	r.VM.SetRandSource(r.random)
	// The engine makes its intrinsics at their first use, also later, so its own global object stays in the host. The program gets an empty global
	// object, and nothing has to be removed from it.
	r.Intrinsics = r.VM.GlobalObject()
}

func (r *Realm) now() time.Time { return r.Start } // now never changes, so that a program can't measure time
func (r *Realm) random() float64 {
	if r.rand == nil {
		r.rand = rand.New(rand.NewPCG(r.Seed, r.Seed^0x9e3779b97f4a7c15))
	}
	return r.rand.Float64()
}

// Objects returns Object.prototype.
func (r *Realm) Objects() *goja.Object {
	if r.proto == nil {
		r.proto = r.VM.NewObject().Prototype()
	}
	return r.proto
}

// Intrinsic returns a constructor as the engine made it, even after a program changed everything in its reach.
func (r *Realm) Intrinsic(name string) *goja.Object { return r.Intrinsics.Get(name).(*goja.Object) }

// Fix defines a property that can never change. It panics on failure, because no protection may silently be missing.
func Fix(o *goja.Object, name string, v goja.Value) { define(o, name, v, goja.FLAG_FALSE) }

// Hide defines a property like the engine's own: a program can assign the property, and lists of an object's properties leave it out.
func Hide(o *goja.Object, name string, v goja.Value) { define(o, name, v, goja.FLAG_TRUE) }

func define(o *goja.Object, name string, v goja.Value, mutable goja.Flag) {
	if err := o.DefineDataProperty(name, v, mutable, mutable, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// Put defines a property without assigning, so no setter of a prototype runs.
func (r *Realm) Put(o *goja.Object, name string, v goja.Value) {
	_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// remove deletes a property.
func remove(o *goja.Object, name string) {
	if err := o.Delete(name); err != nil {
		panic(err)
	}
}

// Function makes a function of the host. goja would give it the name of the Go function: stacks and the function's text would reveal paths of
// the host.
func (r *Realm) Function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.VM.ToValue(f).(*goja.Object)
	Fix(o, "name", r.VM.ToValue(name))
	return o
}

// Called returns the result of a function that native code called, or throws what the function threw.
func (r *Realm) Called(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(r.Rethrow(err))
	}
	return v
}

// Rethrow passes on the value that a function of the program threw when Go code called it.
func (r *Realm) Rethrow(err error) any {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		return ex.Value()
	}
	return err // goja lets no program catch an interrupt
}

func (r *Realm) RangeError(text string) goja.Value {
	e, err := r.VM.New(r.Intrinsic("RangeError"), r.VM.ToValue(text))
	if err != nil {
		panic(r.Rethrow(err))
	}
	return e
}

// Quiet reports whether the engine reads a name, or programs do so out of habit (feature tests, checks for promises). Such a member is
// undefined instead of an error. So a recorded thing has no `then`.
func Quiet(name string) bool {
	switch name {
	case "then", "catch", "finally", "constructor", "toJSON", "toString", "valueOf", "hasOwnProperty", "length", "prototype", "nodeType", "isPrototypeOf":
		return name != "length" && name != "catch" && name != "finally"
	}
	return strings.HasPrefix(name, "@@") || strings.HasPrefix(name, "Symbol(")
}

func MustCompile(name, src string) *goja.Program {
	// Never use goja.Compile: its default parser reads the files that sourceMappingURL comments name.
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

// Compiled returns a function that compiles a program at its first use. Otherwise each worker would compile it at its start.
func Compiled(name, src string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return MustCompile(name, src) })
}

// Native returns a function of the engine that a function of the host can call.
func Native(holder *goja.Object, name string) func(goja.FunctionCall) goja.Value {
	return holder.Get(name).(*goja.Object).Export().(func(goja.FunctionCall) goja.Value)
}

func IsArray(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() == "Array"
}

func Quoted(s string) string { return "'" + scalar.Shorten(s, 40) + "'" }
