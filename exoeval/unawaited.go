package exoeval

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// A promise that was not awaited has no value, and JavaScript takes it for one: `if (q.first())` holds always, and a template
// shows `[object Promise]`. So the promise of a call, of an async function of the program and of what is made of such promises
// reaches the program as an opaque value: the engine's questions whether it is true, equal, a number or a text are answered
// with an error that names the call. It has then, catch and finally. Where the engine needs its own promise (await, the
// functions of Promise, the program's result), bare gives that.

// unawaited is what such a promise is.
type unawaited struct {
	r       *guest
	self    *opaque
	promise *goja.Object // the engine's
	call    *exo.Node    // what was sent, nil for a promise of the program
	name    string       // of what the program called
	goesOn  bool         // code of the program runs until the promise is settled
	stack   []goja.StackFrame
	number  int // in the order in which they were made
}

// aPromise is the name of one that no call of the program gave.
const aPromise = "the promise"

// maxPassed bounds the promises that resolve to one another; one that resolves to itself would be followed for ever.
const maxPassed = 1_000_000

// hand is a promise as the program gets it.
func (r *guest) hand(promise *goja.Object, u unawaited) goja.Value {
	r.WatchPromises()
	r.handed++
	u.r, u.promise, u.number = r, promise, r.handed
	p := &u
	p.self = &opaque{Object: r.opaqueObject(p), p: p}
	if u.goesOn {
		p.stack = r.VM.CaptureCallStack(4, nil)
		put(&r.going, p, struct{}{})
	}
	return p.self
}

// handPromise is v, as the program gets it if it is a promise.
func (r *guest) handPromise(v goja.Value, u unawaited) goja.Value {
	if o, ok := v.(*goja.Object); ok && promiseOf(o) != nil {
		return r.hand(o, u)
	}
	return v
}

// unawaitedIn is the promise that a JavaScript value stands for, or nil.
func (r *guest) unawaitedIn(v goja.Value) *unawaited {
	if o, ok := v.(*opaque); ok && o.p != nil && o.p.r == r {
		return o.p
	}
	return nil
}

// bare is v, or the engine's promise that it stands for. Whoever asks for it waits.
func (r *guest) bare(v goja.Value) goja.Value {
	if p := r.unawaitedIn(v); p != nil {
		delete(r.going, p)
		return p.promise
	}
	return v
}

// refuseUnawaited throws for a promise where only a value will do.
func (r *guest) refuseUnawaited(vs ...goja.Value) {
	if r.handed == 0 {
		return
	}
	for _, v := range vs {
		if p := r.unawaitedIn(v); p != nil {
			panic(r.throw(p.novalue()))
		}
	}
}

// refuseAmong is refuseUnawaited for the items of an array.
func (r *guest) refuseAmong(list goja.Value) {
	if r.handed == 0 || !realm.IsArray(list) || r.rowsIn(list) != nil {
		return
	}
	if x := r.among(list, func(x *opaque) bool { return x.p != nil }); x != nil {
		r.refuseUnawaited(x)
	}
}

// what names the call in errors.
func (p *unawaited) what() string {
	switch {
	case p.call != nil:
		return p.r.check.Name(p.call)
	case p.name == aPromise:
		return p.name
	case p.name != "":
		return p.name + "(…)"
	}
	return "the async function"
}

// mended is the form to write instead: the call with its await, and a member of what that gives. Where the function that it is in
// is not async, it is the whole form, with what waits for the function.
func (p *unawaited) mended(member string) string {
	waited := p.waited() + member
	in := p.r.VM.CaptureCallStack(12, nil)
	for i, f := range in {
		if f.SrcName() != programName {
			continue
		}
		if at := f.Position(); p.r.prog.Awaits(at.Line, at.Column) {
			break
		}
		if i+1 < len(in) && in[i+1].SrcName() != programName {
			switch in[i+1].FuncName() {
			case "map":
				return "await Promise.all(list.map(async (x) => … " + waited + " …))"
			case "flatMap":
				return "(await Promise.all(list.map(async (x) => … " + waited + " …))).flat()"
			case "forEach", "reduce", "reduceRight":
				return "for (const x of list) { … " + waited + " … }"
			}
		}
		return waited + " in an async function, async (…) => … " + waited + " …, and await where that is called"
	}
	return waited
}

// waited is the call with its await.
func (p *unawaited) waited() string {
	if p.call == nil && (p.name == "" || p.name == aPromise) {
		return "(await …)"
	}
	return "(await " + p.what() + ")"
}

// deciding are the functions of arrays that can't wait for what their callback gives, and what to write instead.
var deciding = map[string]string{
	"filter":        "first write `const kept = await Promise.all(list.map(async (x) => …))`, then list.filter((x, i) => kept[i])",
	"some":          "write (await Promise.all(list.map(async (x) => …))).some((found) => found)",
	"every":         "write (await Promise.all(list.map(async (x) => …))).every((found) => found)",
	"find":          "write for (const x of list) if (await …) return x",
	"findIndex":     "write (await Promise.all(list.map(async (x) => …))).findIndex((found) => found)",
	"findLast":      "first write `const kept = await Promise.all(list.map(async (x) => …))`, then list.findLast((x, i) => kept[i])",
	"findLastIndex": "write (await Promise.all(list.map(async (x) => …))).findLastIndex((found) => found)",
	"sort":          "first read the values that the order needs, with await, and then sort",
	"toSorted":      "first read the values that the order needs, with await, and then sort",
}

// novalue is the error for a promise that is taken for its value.
func (p *unawaited) novalue() error {
	for _, f := range p.r.VM.CaptureCallStack(3, nil) {
		if f.SrcName() == programName {
			break
		}
		if how := deciding[f.FuncName()]; how != "" {
			return exo.Errorf(exo.Invalid, "", "%s was not awaited, and `%s` can't wait for a promise: %s", p.what(), f.FuncName(), how)
		}
	}
	return exo.Errorf(exo.Invalid, "", "%s was not awaited: it is a promise, which has no value yet; write %s", p.what(), p.mended(""))
}

// Get implements goja.DynamicObject: what promises have, or an error that says where the member is.
func (p *unawaited) Get(name string) goja.Value {
	r := p.r
	switch name {
	case "then", "catch", "finally":
		return p.reaction(name)
	case "toString", "valueOf", "toLocaleString", "toJSON":
		panic(r.throw(p.novalue()))
	}
	if realm.Quiet(name) {
		return nil
	}
	if m := p.method(); m != nil && m.Effect != exo.NoEffect {
		if r.say(p.call.Recv, "as.then."+name, "") != "" {
			return r.Function(name, func(goja.FunctionCall) goja.Value { return p.self })
		}
		r.afterChange(p.call.Recv, m, name)
	}
	if m := p.method(); m != nil && m.Effect == exo.NoEffect && !realm.EarlyNames[name] {
		if s := r.ofResult(name); s != "" { // awaiting it would not give that either
			panic(r.throw(exo.Errorf(exo.Invalid, "", "%s was not awaited, and %s", p.what(), s)))
		}
	}
	panic(r.throw(exo.Errorf(exo.Invalid, "", "%s was not awaited: `%s` is a member of what the promise gives; write %s", p.what(), scalar.Shorten(name, 60), p.mended("."+scalar.Shorten(name, 60)))))
}

func (p *unawaited) method() *exo.Method {
	if p.call == nil {
		return nil
	}
	return p.call.Method()
}

// Set implements goja.DynamicObject: nothing can be set.
func (p *unawaited) Set(string, goja.Value) bool { panic(p.r.throw(p.novalue())) }

// Delete implements goja.DynamicObject: nothing can be deleted.
func (p *unawaited) Delete(string) bool { panic(p.r.throw(p.novalue())) }

// Has implements goja.DynamicObject.
func (p *unawaited) Has(name string) bool {
	return name == "then" || name == "catch" || name == "finally"
}

// Keys implements goja.DynamicObject.
func (p *unawaited) Keys() []string { return nil }

// reaction is then, catch or finally: the engine's own, of the engine's own promises. The promise that it gives is one
// of the program where its callback goes on with the value, and else what this one is.
func (p *unawaited) reaction(name string) goja.Value {
	r := p.r
	return r.Function(name, func(c goja.FunctionCall) goja.Value {
		on := p
		if x := r.unawaitedIn(c.This); x != nil {
			on = x
		}
		args := make([]goja.Value, len(c.Arguments))
		for i, a := range c.Arguments {
			args[i] = a
			if f, ok := goja.AssertFunction(a); ok {
				args[i] = r.Function("given", func(c goja.FunctionCall) goja.Value { return r.bare(r.Called(f(c.This, c.Arguments...))) })
			}
		}
		native := r.Then
		switch name {
		case "catch":
			args = append([]goja.Value{goja.Undefined()}, args[:min(len(args), 1)]...)
		case "finally":
			native = r.Finally
		}
		next := r.Called(native(r.ofPromise(on.self, false), args...))
		return r.handPromise(next, unawaited{name: on.what() + "." + name, goesOn: on.goesOn || name == "then"})
	})
}

// unfinished are the promises for which code of the program still runs and nobody waits. Without a word the program's
// result would lack what that code adds to it: forEach and map with an async callback leave such promises.
func (r *guest) unfinished() (list []*unawaited) {
	if len(r.open) == 0 { // nothing goes on any more
		return nil
	}
	for p := range r.going {
		if promiseOf(p.promise).State() == goja.PromiseStatePending {
			list = append(list, p)
		}
	}
	return list
}

// left is the error for the first of what unfinished gave that nobody waits for yet.
func (r *guest) left(list []*unawaited) error {
	var first *unawaited
	for _, p := range list {
		if _, going := r.going[p]; going && (first == nil || p.number < first.number) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	how := "write await before it"
	for _, f := range first.stack {
		if f.FuncName() == "forEach" && f.SrcName() != programName {
			how = "`forEach` can't wait for its callback: write for (const x of list) { … await … }, or await Promise.all(list.map(async (x) => …))"
		}
	}
	line, col := frameOf(first.stack)
	return r.placed(exo.Errorf(exo.Invalid, "", "%s was not awaited, and still ran when the program had its result; %s", first.what(), how), line, col)
}

// seeker is a value that indexOf looks for: the first opaque one of a kind. So the engine goes through a list, which costs
// less than to ask it for each item by name.
type seeker struct {
	goja.Value
	is    func(*opaque) bool
	found *opaque
}

// StrictEquals implements goja.Value.
func (s *seeker) StrictEquals(v goja.Value) bool {
	if x, ok := v.(*opaque); ok && s.is(x) {
		s.found = x
	}
	return s.found != nil
}

// among is the first opaque value of a kind in an array, or nil.
func (r *guest) among(list goja.Value, is func(*opaque) bool) goja.Value {
	s := &seeker{Value: goja.Null(), is: is}
	if r.indexOf(goja.FunctionCall{This: list, Arguments: []goja.Value{s}}); s.found == nil {
		return nil
	}
	return s.found
}
