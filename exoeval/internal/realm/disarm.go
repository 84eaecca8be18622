package realm

// This file cuts the ways out of a realm before the program runs.

import (
	"sync"

	"github.com/dop251/goja"
)

// Async functions and generators have constructors of their own, which compile text. Each of these programs is compiled at its first use, so that
// no worker compiles it at its start.
var (
	asyncFunction = sync.OnceValue(func() *goja.Program { return MustCompile("kinds", "(async () => {})") })
	generator     = sync.OnceValue(func() *goja.Program { return MustCompile("kinds", "(function* () {})") })
)

// cutOfObjects are the members of Object.prototype that set a prototype, or read and set accessors.
var cutOfObjects = []string{"__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}

// Needs is what a program can reach in its realm. Some things can be reached only by a name or a piece of syntax. They are made safe only if the
// program has that name or syntax.
type Needs struct {
	// The program may have regular expressions, generators or async functions. Then the realm makes safe what they lead to.
	Patterns, Generators, Asyncs bool
	Reflects                     bool // the program may reach a property whose name is not in its text
	Texts                        bool // the program mentions a method of texts that makes a regular expression
}

// Disarm cuts links from literals to compilers and to the host, before the program runs. A program can follow them by computed names, which no
// checker sees. The constructors of async functions and generators are cut only if the program has that syntax or computes names, because nothing
// else leads to them.
func (r *Realm) Disarm(need Needs) {
	if need.Texts {
		r.disarmStrings()
	}
	functions := r.Intrinsic("Function").Get("prototype").(*goja.Object)

	// Every function's constructor is Function, AsyncFunction or GeneratorFunction:
	// a compiler of strings. No syntax reaches them once these links are cut.
	Fix(functions, "constructor", goja.Undefined())
	if need.Asyncs {
		r.cutConstructor(asyncFunction()) // only an async function leads to this constructor
		r.WatchPromises()
	}
	if need.Generators {
		r.cutConstructor(generator()) // only a generator leads to this constructor
	}

	// A program that can set prototypes can make them a loop. Native code follows it for ever: neither the interrupt nor a recover ends that.
	for _, name := range cutOfObjects {
		remove(r.Objects(), name)
	}

	// The engine reads names of native functions while it captures a stack. A getter that throws there would capture another stack, until the Go
	// stack overflows and ends the process.
	Fix(functions, "name", r.VM.ToValue(""))

	if need.Reflects {
		r.disarmObject()
	} else {
		// A program that neither names Object nor computes names can't reach it. The link is cut in case the checker missed a way.
		Fix(r.Objects(), "constructor", goja.Undefined())
	}
}

// disarmObject removes from Object the methods that could undo the rest.
func (r *Realm) disarmObject() {
	object := r.Intrinsic("Object")
	define, _ := goja.AssertFunction(object.Get("defineProperty"))
	defineAll, _ := goja.AssertFunction(object.Get("defineProperties"))
	r.Keys, _ = goja.AssertFunction(object.Get("keys"))
	remove(object, "setPrototypeOf")
	Hide(object, "defineProperty", r.Function("defineProperty", func(c goja.FunctionCall) goja.Value {
		return r.defineOne(define, c.Argument(0), c.Argument(1), c.Argument(2))
	}))
	Hide(object, "defineProperties", r.Function("defineProperties", func(c goja.FunctionCall) goja.Value {
		if _, isFunction := goja.AssertFunction(c.Argument(0)); !isFunction {
			return r.Called(defineAll(goja.Undefined(), c.Argument(0), c.Argument(1)))
		}
		ds := c.Argument(1).ToObject(r.VM)
		for _, k := range ds.Keys() {
			r.defineOne(define, c.Argument(0), r.VM.ToValue(k), ds.Get(k))
		}
		for _, s := range ds.Symbols() {
			r.defineOne(define, c.Argument(0), s, ds.GetSymbol(s))
		}
		return c.Argument(0)
	}))
}

func (r *Realm) cutConstructor(kind *goja.Program) {
	f, err := r.VM.RunProgram(kind)
	if err != nil {
		panic(err)
	}
	Fix(f.(*goja.Object).Prototype(), "constructor", goja.Undefined())
}

func (r *Realm) defineOne(define goja.Callable, o, key, d goja.Value) goja.Value {
	if _, symbol := key.(*goja.Symbol); !symbol {
		key = key.ToString() // convert once, because a second toString could return another name
	}
	if _, isFunction := goja.AssertFunction(o); isFunction && key.String() == "name" {
		panic(r.VM.NewTypeError("the name of a function can't be changed: leave that out"))
	}
	return r.Called(define(goja.Undefined(), o, key, d))
}

// EarlyNames are members of arrays. The most frequent mistake of programs is to read one of them on a promise of rows.
var EarlyNames = map[string]bool{
	"map": true, "filter": true, "forEach": true, "reduce": true, "find": true, "findIndex": true, "some": true, "every": true, "slice": true,
	"sort": true, "flatMap": true, "includes": true, "length": true, "at": true, "results": true, "join": true, "push": true, "concat": true,
}

// WatchPromises gives the prototype of promises a prototype, which throws for the members of arrays. One such object is quicker to make than an
// accessor for each name.
func (r *Realm) WatchPromises() {
	if r.Then != nil {
		return
	}
	promises := r.Intrinsic("Promise").Get("prototype").(*goja.Object)
	r.Then, _ = goja.AssertFunction(promises.Get("then"))
	r.Finally, _ = goja.AssertFunction(promises.Get("finally"))
	if err := promises.SetPrototype(r.VM.NewDynamicObject(&earlyMembers{r.VM})); err != nil {
		panic(err)
	}
	iterator := r.Function("iterator", func(goja.FunctionCall) goja.Value {
		panic(r.VM.NewTypeError("a promise was not awaited: write (await …) to iterate over its result"))
	})
	if err := promises.DefineAccessorPropertySymbol(goja.SymIterator, iterator, nil, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

type earlyMembers struct{ VM *goja.Runtime }

func (e *earlyMembers) Get(name string) goja.Value {
	if !EarlyNames[name] {
		return nil
	}
	panic(e.VM.NewTypeError("a promise was not awaited: `%s` is a member of its result; write (await …).%s", name, name))
}

func (e *earlyMembers) Set(string, goja.Value) bool { return false }
func (e *earlyMembers) Delete(string) bool          { return false }
func (e *earlyMembers) Has(name string) bool        { return EarlyNames[name] }
func (e *earlyMembers) Keys() []string              { return nil }
