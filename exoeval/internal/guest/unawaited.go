package guest

// This file finds promises that were not awaited.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// A promise that was not awaited has no value, but JavaScript uses it as one: `if (q.first())` is always true, and a template shows `[object
// Promise]`. So a program gets an opaque value for promises of calls, of its own async functions, and of functions on such promises. Any use
// as a value is an error that names the call. The opaque value has then, catch and finally. Bare returns the engine's own promise for await,
// the functions of Promise, and the result.

// Unawaited is a promise that was not awaited.
type Unawaited struct {
	r       *Guest
	self    *Opaque
	promise *goja.Object  // the engine's promise
	call    *message.Node // the call that was sent, nil for the program's own promise
	Name    string        // the name of the called function
	GoesOn  bool          // code of the program runs until the promise is settled
	stack   []goja.StackFrame
	number  int // counts promises in the order in which they were made

	line, col int // the place of the call, 0 if unknown
}

// APromise is the name of a promise that no call of the program returned.
const APromise = "the promise"

// MaxPassed bounds a chain of promises that resolve to one another. A promise that resolves to itself would make an endless chain.
const MaxPassed = 1_000_000

// hand wraps a promise of the engine in an Unawaited, and returns the value that the program gets.
func (r *Guest) hand(promise *goja.Object, u Unawaited) goja.Value {
	r.WatchPromises()
	r.Handed++
	u.r, u.promise, u.number = r, promise, r.Handed
	p := &u
	p.self = &Opaque{Object: r.opaqueObject(p), p: p}
	if u.GoesOn {
		p.stack = r.VM.CaptureCallStack(4, nil)
		Put(&r.Going, p, struct{}{})
	}
	return p.self
}

// HandPromise wraps v for the program if v is a promise, and otherwise returns v.
func (r *Guest) HandPromise(v goja.Value, u Unawaited) goja.Value {
	if o, ok := v.(*goja.Object); ok && PromiseOf(o) != nil {
		return r.hand(o, u)
	}
	return v
}

// UnawaitedIn returns the Unawaited in a JavaScript value, or nil.
func (r *Guest) UnawaitedIn(v goja.Value) *Unawaited {
	if o, ok := v.(*Opaque); ok && o.p != nil && o.p.r == r {
		return o.p
	}
	return nil
}

// Bare returns the engine's promise if v is an Unawaited, else v. The caller must wait for the promise.
func (r *Guest) Bare(v goja.Value) goja.Value {
	if p := r.UnawaitedIn(v); p != nil {
		delete(r.Going, p)
		return p.promise
	}
	return v
}

// RefuseUnawaited throws if a value is a promise that was not awaited.
func (r *Guest) RefuseUnawaited(vs ...goja.Value) {
	if r.Handed == 0 {
		return
	}
	for _, v := range vs {
		if p := r.UnawaitedIn(v); p != nil {
			panic(r.Throw(p.novalue()))
		}
	}
}

// RefuseAmong throws if an item of an array is a promise that was not awaited.
func (r *Guest) RefuseAmong(list goja.Value) {
	if r.Handed == 0 || !realm.IsArray(list) || r.RowsIn(list) != nil {
		return
	}
	if x := r.Among(list, func(x *Opaque) bool { return x.p != nil }); x != nil {
		r.RefuseUnawaited(x)
	}
}

// what returns the call's name for error texts.
func (p *Unawaited) what() string {
	switch {
	case p.call != nil:
		return p.r.Check.Name(p.call)
	case p.Name == APromise:
		return p.Name
	case p.Name != "":
		return p.Name + "(…)"
	}
	return "the async function"
}

// mended returns the form to write instead: the call with its await, and a member of its value. If the surrounding function is not async, the
// form includes code that waits for that function.
func (p *Unawaited) mended(member string) string {
	waited := p.waited() + member
	if strings.Contains(waited, "…") { // without a text to copy, name the place of the await
		if at := p.r.Prog.Begins(p.line, p.col); at != (fail.Pos{}) && p.may() {
			return fmt.Sprintf("`(await ` before it, at %d:%d, and `)` after it", at.Line, at.Column)
		}
	}
	in := p.r.VM.CaptureCallStack(12, nil)
	if len(p.r.Frames) > 0 { // a describing callback can't wait
		return "`const value = " + strings.TrimSuffix(strings.TrimPrefix(p.waited(), "("), ")") + ";` before this statement, and value" + member + " in the callback"
	}
	for i, f := range in {
		if f.SrcName() != programName {
			continue
		}
		if at := f.Position(); p.r.Prog.Awaits(at.Line, at.Column) {
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
		return waited + " in an async function, async (…) => … " + waited + " …, and await each call of that function"
	}
	return waited
}

// may reports whether `await` is allowed where the call is.
func (p *Unawaited) may() bool { return p.r.Prog.Awaits(p.line, p.col) }

// waited returns the call with its await. It uses the program's own text if that is short, so that the author can copy it.
func (p *Unawaited) waited() string {
	if text := p.r.Prog.Call(p.line, p.col); text != "" {
		return "(await " + text + ")"
	}
	if p.call == nil && (p.Name == "" || p.Name == APromise) {
		return "(await …)"
	}
	return "(await " + p.what() + ")"
}

// deciding has functions of arrays that can't wait for their callback's result, with what to write instead.
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

// novalue returns the error for using a promise as its value.
func (p *Unawaited) novalue() error {
	for _, f := range p.r.VM.CaptureCallStack(3, nil) {
		if f.SrcName() == programName {
			break
		}
		if how := deciding[f.FuncName()]; how != "" {
			return fail.Errorf(fail.Invalid, "", "%s was not awaited, and `%s` can't wait for a promise: %s", p.what(), f.FuncName(), how)
		}
	}
	return fail.Errorf(fail.Invalid, "", "%s was not awaited: it is a promise, which has no value yet; write %s", p.what(), p.mended(""))
}

// Get implements goja.DynamicObject. It returns a member of promises, or throws an error that names the place of the member.
func (p *Unawaited) Get(name string) goja.Value {
	r := p.r
	switch name {
	case "then", "catch", "finally":
		return p.reaction(name)
	case "toString", "valueOf", "toLocaleString", "toJSON":
		panic(r.Throw(p.novalue()))
	}
	if realm.Quiet(name) {
		return nil
	}
	if m := p.method(); m != nil && m.Effect != message.NoEffect {
		if r.Say(p.call.Recv, "as.then."+name, "") != "" {
			return r.Function(name, func(goja.FunctionCall) goja.Value { return p.self })
		}
		r.afterChange(p.call.Recv, m, name)
	}
	if m := p.method(); m != nil && m.Effect == message.NoEffect && !realm.EarlyNames[name] {
		if s := r.OfResult(name); s != "" { // the awaited value would not have the member either
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s was not awaited, and %s", p.what(), s)))
		}
	}
	panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s was not awaited: `%s` is a member of what the promise gives; write %s", p.what(), scalar.Shorten(name, 60), p.mended(memberText(name)))))
}

// memberText returns a member as a program writes it after the value that has it.
func memberText(name string) string {
	if _, err := strconv.ParseUint(name, 10, 32); err == nil {
		return "[" + name + "]"
	}
	return "." + scalar.Shorten(name, 60)
}

func (p *Unawaited) method() *message.Method {
	if p.call == nil {
		return nil
	}
	return p.call.Method()
}

// Set implements goja.DynamicObject. It always throws, since nothing can be set.
func (p *Unawaited) Set(string, goja.Value) bool { panic(p.r.Throw(p.novalue())) }

// Delete implements goja.DynamicObject. It always throws, since nothing can be deleted.
func (p *Unawaited) Delete(string) bool { panic(p.r.Throw(p.novalue())) }

// Has implements goja.DynamicObject.
func (p *Unawaited) Has(name string) bool {
	return name == "then" || name == "catch" || name == "finally"
}

// Keys implements goja.DynamicObject.
func (p *Unawaited) Keys() []string { return nil }

// reaction returns then, catch or finally of the engine's own promises. The returned promise counts as running code of the program: for then
// always, because then continues with the value, and for catch and finally only if this promise counts as running code.
func (p *Unawaited) reaction(name string) goja.Value {
	r := p.r
	return r.Function(name, func(c goja.FunctionCall) goja.Value {
		on := p
		if x := r.UnawaitedIn(c.This); x != nil {
			on = x
		}
		args := make([]goja.Value, len(c.Arguments))
		for i, a := range c.Arguments {
			args[i] = a
			if f, ok := goja.AssertFunction(a); ok {
				args[i] = r.Function("given", func(c goja.FunctionCall) goja.Value { return r.Bare(r.Called(f(c.This, c.Arguments...))) })
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
		return r.HandPromise(next, Unawaited{Name: on.what() + "." + name, GoesOn: on.GoesOn || name == "then"})
	})
}

// Unfinished returns the promises that nothing waits for, although they still run code of the program. The result would silently lack what
// that code adds: forEach and map with an async callback leave such promises.
func (r *Guest) Unfinished() (list []*Unawaited) {
	if len(r.Open) == 0 { // without a call that waits for its reply, no code continues
		return nil
	}
	for p := range r.Going {
		if PromiseOf(p.promise).State() == goja.PromiseStatePending {
			list = append(list, p)
		}
	}
	return list
}

// Left returns the error for the first promise in list that nothing waits for.
func (r *Guest) Left(list []*Unawaited) error {
	var first *Unawaited
	for _, p := range list {
		if _, going := r.Going[p]; going && (first == nil || p.number < first.number) {
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
	line, col := FrameOf(first.stack)
	return r.Placed(fail.Errorf(fail.Invalid, "", "%s was not awaited, and still ran when the program had its result; %s", first.what(), how), line, col)
}

// seeker is a value that matches the first opaque value of a kind. The engine's indexOf searches the list for it, which costs less than
// reading each item by name.
type seeker struct {
	goja.Value
	is    func(*Opaque) bool
	found *Opaque
}

// StrictEquals implements goja.Value.
func (s *seeker) StrictEquals(v goja.Value) bool {
	if x, ok := v.(*Opaque); ok && s.is(x) {
		s.found = x
	}
	return s.found != nil
}

// Among returns the first opaque value of a kind in an array, or nil.
func (r *Guest) Among(list goja.Value, is func(*Opaque) bool) goja.Value {
	s := &seeker{Value: goja.Null(), is: is}
	if r.IndexOf(goja.FunctionCall{This: list, Arguments: []goja.Value{s}}); s.found == nil {
		return nil
	}
	return s.found
}
