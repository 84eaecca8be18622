package realm

// This file has the realm itself: a runtime of the engine, and the functions by which the host makes things in it.

import (
	"errors"
	"math/rand/v2"
	"regexp"
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

// Realm is the realm of one program. It lives on one goroutine, and is never used twice.
type Realm struct {
	VM    *goja.Runtime
	Start time.Time  // the present
	Zone  *zone.Zone // of local time; nil: UTC
	Seed  uint64     // of random numbers

	Throws      func(error) goja.Value           // makes the error that a program is given
	RefuseExact func(where string, v goja.Value) // throws where v is no number that Decimal can calculate with exactly

	HasDecimals bool                             // a Decimal was made, or may be
	Intrinsics  *goja.Object                     // the engine's own global object, which no program can reach
	Then        goja.Callable                    // of promises, as the engine made it; nil until watchPromises
	Finally     goja.Callable                    // the same
	Keys        goja.Callable                    // Object.keys, as the engine made it
	proto       *goja.Object                     // Object.prototype: see objects
	spelt       map[*string]*goja.Object         // prototypes of rows: see RowPrototype
	fields      map[string][]string              // of records, by their names: see Record
	decimals    *goja.Object                     // the prototype of Decimals, once there is one
	keys        map[string]weak.Pointer[Decimal] // Decimals that are keys of collections: see (*Decimal).Key
	sweep       int                              // how many of them are there when those that are gone are looked for
	safeRegExp  *goja.Object                     // what programs find as RegExp, once a regular expression can be reached
	rand        *rand.Rand                       // of seed, once it is asked for one
}

// Begin readies the engine. It comes first, and disarm next; depth bounds nested calls of functions.
func (r *Realm) Begin(depth int) {
	r.VM.SetParserOptions(parser.WithDisableSourceMaps)
	r.VM.SetMaxCallStackSize(depth) // without it, recursion through native functions ignores the interrupt
	r.VM.SetTimeSource(r.now)
	r.VM.SetRandSource(r.random)
	// The engine makes its intrinsics when they are first asked for. Its own global
	// object stays on the host's side, so that they can still be asked for, and the
	// program gets an empty one: nothing has to be taken away.
	r.Intrinsics = r.VM.GlobalObject()
}

func (r *Realm) now() time.Time { return r.Start } // the clock stands still: time is no channel
func (r *Realm) random() float64 {
	if r.rand == nil {
		r.rand = rand.New(rand.NewPCG(r.Seed, r.Seed^0x9e3779b97f4a7c15))
	}
	return r.rand.Float64()
}

// Objects is Object.prototype.
func (r *Realm) Objects() *goja.Object {
	if r.proto == nil {
		r.proto = r.VM.NewObject().Prototype()
	}
	return r.proto
}

// Intrinsic is a constructor as the engine made it, whatever a program did with
// what it can reach.
func (r *Realm) Intrinsic(name string) *goja.Object { return r.Intrinsics.Get(name).(*goja.Object) }

// Fix defines a property for good. It panics where that fails: what protects is
// never left out silently.
func Fix(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// Hide defines a property as the engine's own are: it can be written, and is
// not listed.
func Hide(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// Put defines a property; it never assigns, so no setter of a prototype runs.
func (r *Realm) Put(o *goja.Object, name string, v goja.Value) {
	_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// remove deletes a property.
func remove(o *goja.Object, name string) {
	if err := o.Delete(name); err != nil {
		panic(err)
	}
}

// Function makes a function of the host. goja would name it after the Go
// function, and a function's name shows in stacks and in its text: host paths.
func (r *Realm) Function(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.VM.ToValue(f).(*goja.Object)
	Fix(o, "name", r.VM.ToValue(name))
	return o
}

// Called is the result of a function of the program, or of the engine, that
// native code called; what it threw goes on.
func (r *Realm) Called(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(r.Rethrow(err))
	}
	return v
}

// Rethrow passes on what a function of the program threw while Go code called it.
func (r *Realm) Rethrow(err error) any {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		return ex.Value()
	}
	return err // an interrupt: goja lets no program catch it
}

func (r *Realm) RangeError(text string) goja.Value {
	e, err := r.VM.New(r.Intrinsic("RangeError"), r.VM.ToValue(text))
	if err != nil {
		panic(r.Rethrow(err))
	}
	return e
}

// Quiet names are asked for by the engine and by habit (feature tests, promise
// checks); they are undefined instead of an error. Recorders are no thenables.
func Quiet(name string) bool {
	switch name {
	case "then", "catch", "finally", "constructor", "toJSON", "toString", "valueOf", "hasOwnProperty", "length", "prototype", "nodeType", "isPrototypeOf":
		return name != "length" && name != "catch" && name != "finally"
	}
	return strings.HasPrefix(name, "@@") || strings.HasPrefix(name, "Symbol(")
}

func MustCompile(name, src string) *goja.Program {
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

// Compiled and expression are made when they are first wanted, too: what a package
// makes when it is initialised is paid at every start of a worker.
func Compiled(name, src string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program { return MustCompile(name, src) })
}

func Expression(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Native is a function of the engine, to be called from one of the host's.
func Native(holder *goja.Object, name string) func(goja.FunctionCall) goja.Value {
	return holder.Get(name).(*goja.Object).Export().(func(goja.FunctionCall) goja.Value)
}

func IsArray(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() == "Array"
}

func Quoted(s string) string { return "'" + scalar.Shorten(s, 40) + "'" }
