package exoeval

import (
	"sync"

	"github.com/dop251/goja"
)

// One function of each further kind whose constructor compiles text. They are compiled when
// they are first wanted: each worker would do it at its start.
var (
	asyncFunction = sync.OnceValue(func() *goja.Program { return mustCompile("kinds", "(async () => {})") })
	generator     = sync.OnceValue(func() *goja.Program { return mustCompile("kinds", "(function* () {})") })
)

// cutOfObjects are the members of Object.prototype that set a prototype or read and set accessors.
var cutOfObjects = []string{"__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}

// realmNeeds is what of a realm its program can reach: what only a name or a piece of syntax leads to is
// made safe where the program has it.
type realmNeeds struct {
	// Regular expressions, generators and async functions are in the program, or may be:
	// what they lead to must be made safe before it runs.
	patterns, generators, asyncs bool
	reflects                     bool // the program may come to a property whose name does not stand in it
	texts                        bool // it mentions a method of texts that makes a pattern
}

// disarm cuts what leads out of a program's own code by names that no checker
// can see, because they are computed. Each of these things is reached from a
// literal, so it is done before any code of the program runs, in every realm.
func (r *realmBase) disarm(need realmNeeds) {
	if need.texts {
		r.disarmStrings()
	}
	functions := r.intrinsic("Function").Get("prototype").(*goja.Object)

	// Every function's constructor is Function, AsyncFunction or GeneratorFunction:
	// a compiler of strings. No syntax reaches them once these links are cut.
	fix(functions, "constructor", goja.Undefined())
	if need.asyncs {
		r.cutConstructor(asyncFunction()) // only an async function leads to it
		r.watchPromises()
	}
	if need.generators {
		r.cutConstructor(generator()) // only a generator leads to it
	}

	// Prototypes that can be set make loops, which native code follows for ever:
	// neither the interrupt nor a recover ends that.
	for _, name := range cutOfObjects {
		remove(r.objects(), name)
	}

	// The engine reads the names of native functions while it captures a stack: a
	// getter there that throws captures another, until the Go stack ends the process.
	fix(functions, "name", r.vm.ToValue(""))

	if need.reflects {
		r.disarmObject()
	} else {
		// A program that neither names Object nor computes a name comes to it by nothing else.
		// The link is cut all the same, should the checker have missed one.
		fix(r.objects(), "constructor", goja.Undefined())
	}
}

// disarmObject takes from Object what would undo the rest.
func (r *realmBase) disarmObject() {
	object := r.intrinsic("Object")
	define, _ := goja.AssertFunction(object.Get("defineProperty"))
	defineAll, _ := goja.AssertFunction(object.Get("defineProperties"))
	r.keys, _ = goja.AssertFunction(object.Get("keys"))
	remove(object, "setPrototypeOf")
	hide(object, "defineProperty", r.function("defineProperty", func(c goja.FunctionCall) goja.Value {
		return r.defineOne(define, c.Argument(0), c.Argument(1), c.Argument(2))
	}))
	hide(object, "defineProperties", r.function("defineProperties", func(c goja.FunctionCall) goja.Value {
		if _, isFunction := goja.AssertFunction(c.Argument(0)); !isFunction {
			return r.called(defineAll(goja.Undefined(), c.Argument(0), c.Argument(1)))
		}
		ds := c.Argument(1).ToObject(r.vm)
		for _, k := range ds.Keys() {
			r.defineOne(define, c.Argument(0), r.vm.ToValue(k), ds.Get(k))
		}
		for _, s := range ds.Symbols() {
			r.defineOne(define, c.Argument(0), s, ds.GetSymbol(s))
		}
		return c.Argument(0)
	}))
}

func (r *realmBase) cutConstructor(kind *goja.Program) {
	f, err := r.vm.RunProgram(kind)
	if err != nil {
		panic(err)
	}
	fix(f.(*goja.Object).Prototype(), "constructor", goja.Undefined())
}

func (r *realmBase) defineOne(define goja.Callable, o, key, d goja.Value) goja.Value {
	if _, symbol := key.(*goja.Symbol); !symbol {
		key = key.ToString() // once: a second answer of its toString could be another name
	}
	if _, isFunction := goja.AssertFunction(o); isFunction && key.String() == "name" {
		panic(r.vm.NewTypeError("the name of a function can't be changed"))
	}
	return r.called(define(goja.Undefined(), o, key, d))
}

// earlyNames are members of arrays that programs ask a promise of rows for: the
// most frequent mistake of all.
var earlyNames = map[string]bool{
	"map": true, "filter": true, "forEach": true, "reduce": true, "find": true, "findIndex": true, "some": true, "every": true, "slice": true,
	"sort": true, "flatMap": true, "includes": true, "length": true, "at": true, "results": true, "join": true, "push": true, "concat": true,
}

// watchPromises puts an object behind the prototype of promises that answers
// for the members of arrays. One object is quicker to make than an accessor for
// each name.
func (r *realmBase) watchPromises() {
	if r.then != nil {
		return
	}
	promises := r.intrinsic("Promise").Get("prototype").(*goja.Object)
	r.then, _ = goja.AssertFunction(promises.Get("then"))
	r.finally, _ = goja.AssertFunction(promises.Get("finally"))
	if err := promises.SetPrototype(r.vm.NewDynamicObject(&earlyMembers{r.vm})); err != nil {
		panic(err)
	}
	iterator := r.function("iterator", func(goja.FunctionCall) goja.Value {
		panic(r.vm.NewTypeError("a promise was not awaited: the iterator is a member of its result; write (await …) before going through it"))
	})
	if err := promises.DefineAccessorPropertySymbol(goja.SymIterator, iterator, nil, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

type earlyMembers struct{ vm *goja.Runtime }

func (e *earlyMembers) Get(name string) goja.Value {
	if !earlyNames[name] {
		return nil
	}
	panic(e.vm.NewTypeError("a promise was not awaited: `%s` is a member of its result; write (await …).%s", name, name))
}

func (e *earlyMembers) Set(string, goja.Value) bool { return false }
func (e *earlyMembers) Delete(string) bool          { return false }
func (e *earlyMembers) Has(name string) bool        { return earlyNames[name] }
func (e *earlyMembers) Keys() []string              { return nil }
