package exoeval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
)

// notInTheRealm are globals of the engine that no program may reach by any way:
// compilers of text, and what makes the engine allocate or recurse natively.
var notInTheRealm = []string{
	"Function", "eval", "Proxy", "Reflect", "ArrayBuffer", "SharedArrayBuffer", "DataView", "BigInt", "RegExp", "escape", "unescape",
	"Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
	"WeakRef", "FinalizationRegistry", "Atomics", "WebAssembly",
}

// asked are names that some objects answer for without listing them.
var asked = []string{"constructor", "prototype", "__proto__", "caller", "callee", "arguments", "then", "toString", "valueOf", "toJSON", "toLocaleString",
	"hasOwnProperty", "isPrototypeOf", "call", "apply", "bind", "name", "length", "stack", "message", "cause", "get", "set", "r", "node", "export"}

// WalkRealm runs a program in a realm of its own, walks from the global scope
// and from what the program returns over everything that can be reached, and
// lists it: one line for each property, getter, setter and prototype. What was
// seen before is named, not walked again. The error names what must not be there.
func WalkRealm(l *local, program string) ([]string, error) {
	prog, err := l.compile(program)
	if err != nil {
		return nil, err
	}
	r := bareRun(l, prog)
	s, err := l.gate.Begin(context.Background(), exo.Run{}, "", nil)
	if err != nil {
		return nil, err
	}
	r.port, r.Port, r.Check, r.clock.left = s, s, s.Checker(), time.Minute
	defer s.Finish(context.Background(), value.Null(), nil)
	if err := r.newRealm(); err != nil {
		return nil, err
	}
	main, err := r.VM.RunProgram(prog.Compiled)
	if err != nil {
		return nil, err
	}
	f, _ := goja.AssertFunction(main)
	result, err := f(goja.Undefined(), r.api)
	if err != nil {
		return nil, err
	}
	result, failed := r.settled(result)
	if failed != nil {
		return nil, failed
	}
	object := r.Intrinsic("Object")
	descriptor, _ := goja.AssertFunction(object.Get("getOwnPropertyDescriptor"))
	w := &walker{r: r, descriptor: descriptor, seen: map[*goja.Object]string{}}
	w.functions = object.Prototype()
	w.visit("Function.prototype", w.functions)
	w.visit("global", r.VM.GlobalObject())
	w.visit("program", result)
	for len(w.queue) > 0 {
		o := w.queue[0]
		w.queue = w.queue[1:]
		w.walk(w.seen[o], o)
	}
	slices.Sort(w.lines)
	for _, name := range notInTheRealm {
		if o, ok := r.Intrinsics.Get(name).(*goja.Object); ok && w.seen[o] != "" {
			return w.lines, fmt.Errorf("a program reaches the engine's %s as %s", name, w.seen[o])
		}
	}
	if at := w.seen[r.Intrinsics]; at != "" {
		return w.lines, fmt.Errorf("a program reaches the engine's global object as %s", at)
	}
	return w.lines, nil
}

type walker struct {
	r          *run
	descriptor goja.Callable
	seen       map[*goja.Object]string // where it was first met; breadth first, so by a shortest path
	queue      []*goja.Object
	functions  *goja.Object // Function.prototype, which is not named at each function
	method     bool         // one was walked
	lines      []string
}

func (w *walker) visit(path string, v goja.Value) {
	o, ok := v.(*goja.Object)
	kind := "object"
	if x, recorded := v.(*guest.Opaque); recorded {
		o, ok, kind = x.Object, true, "recorded"
	}
	switch {
	case v == nil:
		w.lines = append(w.lines, path+": nothing")
	case goja.IsUndefined(v) || goja.IsNull(v):
		w.lines = append(w.lines, path+": "+v.String())
	case !ok:
		w.lines = append(w.lines, path+": "+strings.TrimPrefix(fmt.Sprint(v.ExportType()), "*goja."))
	case w.seen[o] != "":
		w.lines = append(w.lines, path+" = "+w.seen[o])
	case guest.IsMethod(o) && w.method:
		w.lines = append(w.lines, path+": method") // all are made alike: one is walked
		w.seen[o] = path
	default:
		w.method = w.method || guest.IsMethod(o)
		if _, isFunction := goja.AssertFunction(o); isFunction {
			kind = "function"
		}
		w.lines = append(w.lines, path+": "+kind+" "+o.ClassName())
		w.seen[o] = path
		w.queue = append(w.queue, o)
	}
}

func (w *walker) walk(path string, o *goja.Object) {
	listed := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(o.GetOwnPropertyNames())) {
		listed[name] = true
		w.property(path+"."+strings.Trim(strconv.QuoteToASCII(name), `"`), o, w.r.VM.ToValue(name))
	}
	symbols := map[string]goja.Value{}
	for _, s := range o.Symbols() {
		symbols[s.String()] = s
	}
	for _, name := range []string{"iterator", "toPrimitive", "toStringTag", "hasInstance", "species", "unscopables", "isConcatSpreadable", "match", "matchAll", "replace", "search", "split"} {
		if s := w.r.Intrinsic("Symbol").Get(name); s != nil {
			if _, err := w.descriptor(goja.Undefined(), o, s); err == nil {
				symbols[s.String()] = s
			}
		}
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range symbols {
			if !yield(n) {
				return
			}
		}
	}) {
		w.property(path+"["+name+"]", o, symbols[name])
	}
	for _, name := range w.unlisted(o) {
		if !listed[name] {
			var v goja.Value
			if ex := w.r.VM.Try(func() { v = o.Get(name) }); ex != nil || v == nil || goja.IsUndefined(v) {
				continue // a refusal with an error is what is wanted
			}
			w.visit(path+"?"+name, v)
		}
	}
	if p := o.Prototype(); p != nil && p != w.functions {
		w.visit(path+"[[Prototype]]", p)
	}
}

// unlisted are the names to ask an object for that answers for more than it lists.
func (w *walker) unlisted(o *goja.Object) []string {
	if x, ok := o.Export().(*guest.Recorded); ok && o.ExportType() == guest.RecordedType {
		var methods []string
		if i := x.Iface(); i != nil {
			methods = i.Names()
		}
		return append(methods, asked...)
	}
	if guest.IsMethod(o) || o == w.r.api || w.r.RowsIn(o) != nil {
		return asked
	}
	return nil
}

func (w *walker) property(path string, o *goja.Object, key goja.Value) {
	v, err := w.descriptor(goja.Undefined(), o, key)
	if err != nil {
		w.lines = append(w.lines, path+": refused")
		return
	}
	d, ok := v.(*goja.Object)
	if !ok {
		return // not its own
	}
	get, set := d.Get("get"), d.Get("set")
	if get == nil && set == nil {
		if _, isFunction := goja.AssertFunction(o); isFunction && (key.String() == "length" || key.String() == "name") {
			return // every function has these two
		}
		w.visit(path, d.Get("value"))
		if !d.Get("writable").ToBoolean() && !d.Get("configurable").ToBoolean() {
			w.lines[len(w.lines)-1] += ", fixed"
		}
		return
	}
	if get != nil && !goja.IsUndefined(get) {
		w.visit(path+" (get)", get)
		// A getter is a way to what it gives.
		if f, ok := goja.AssertFunction(get); ok {
			if v, err := f(o); err == nil && v != nil {
				if x, isObject := v.(*goja.Object); isObject && x != o {
					w.visit(path+" (got)", v)
				}
			}
		}
	}
	if set != nil && !goja.IsUndefined(set) {
		w.visit(path+" (set)", set)
	}
}
