package exoeval

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// A described thing with an Await method, like a query, is sent implicitly when it is
// awaited, resolved by a promise that is awaited, passed to Promise.all, or returned by the
// program. Nothing else sends one: recorded things are no thenables, so passing one through
// a promise only passes it on.

// awaits reports whether awaiting a recorded thing sends it.
func (x *recorded) awaits() bool {
	i := x.iface()
	return i != nil && i.Await != ""
}

// ofPromise is the engine's promise of what the promise v resolves to. If that is a described thing, it is sent where send is true.
func (r *run) ofPromise(v goja.Value, send bool) goja.Value {
	for range maxPassed {
		u := r.unawaitedIn(v)
		v = r.bare(v)
		if u != nil && u.call != nil { // the host answers it, with plain data
			return v
		}
		switch p := promiseOf(v); p.State() {
		case goja.PromiseStateRejected:
			return v
		case goja.PromiseStatePending:
			return r.Called(r.Then(v, r.Function("given", func(c goja.FunctionCall) goja.Value {
				if v := c.Argument(0); send || r.unawaitedIn(v) != nil {
					return r.executed(v)
				}
				return c.Argument(0)
			})))
		default:
			if r.unawaitedIn(p.Result()) == nil {
				if x := r.recordedIn(p.Result()); send && x != nil && x.awaits() {
					return r.awaited(p.Result())
				}
				return v
			}
			v = p.Result()
		}
	}
	panic(r.VM.NewTypeError("a promise is resolved with itself"))
}

// executed is v, or a promise of its value if it is one that was not awaited, or of its reply if it is a described thing to send.
func (r *run) executed(v goja.Value) goja.Value {
	if r.unawaitedIn(v) != nil {
		return r.ofPromise(v, true)
	}
	if x := r.recordedIn(v); x != nil && x.awaits() {
		return r.awaited(v)
	}
	return v
}

// sent is v, or a promise of its reply if it is a described thing whose then, catch or finally
// is called by that name: whoever writes q.then(…) takes it for one. The engine, which asks every
// value for its then, finds none.
func (r *run) sent(v goja.Value) goja.Value {
	if len(r.frames) > 0 || r.unawaitedIn(v) != nil {
		return v
	}
	if x := r.recordedIn(v); x != nil && x.awaits() {
		i := x.iface()
		return r.call(x.node, i.Methods[i.Await], i.Await, nil)
	}
	return r.handPromise(v, unawaited{name: aPromise})
}

// gatherers are the functions of Promise that wait for the items of a list.
var gatherers = []string{"all", "allSettled", "race", "any"}

// addGatherers makes them send the described things in an array, and those that its
// promises resolve to.
func (r *run) addGatherers(map[string]goja.Value) {
	promise := r.Intrinsic("Promise")
	for _, name := range gatherers {
		native, _ := goja.AssertFunction(promise.Get(name))
		realm.Hide(promise, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			going := len(r.going)
			list := r.sentItems(c.Argument(0))
			r.gathers = true
			v, err := native(c.This, list)
			r.gathers = false
			// It goes on where one of its items does, for which it waits now.
			return r.handPromise(r.Called(v, err), unawaited{name: "Promise." + name, goesOn: len(r.going) < going})
		}))
	}
}

// makers are the other functions of Promise that give one.
var makers = []string{"resolve", "reject", "try", "withResolvers"}

// addMakers makes them give promises as the program gets them: one of the engine's is an object, and true.
func (r *run) addMakers(map[string]goja.Value) {
	promise := r.Intrinsic("Promise")
	for _, name := range makers {
		native, ok := goja.AssertFunction(promise.Get(name))
		if !ok {
			continue
		}
		realm.Hide(promise, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			if name == "resolve" && r.unawaitedIn(c.Argument(0)) != nil {
				return c.Argument(0)
			}
			v := r.Called(native(c.This, c.Arguments...))
			if r.gathers {
				return v
			}
			if name == "withResolvers" {
				o := v.(*goja.Object)
				r.Put(o, "promise", r.handPromise(o.Get("promise"), unawaited{name: aPromise}))
				return o
			}
			return r.handPromise(v, unawaited{name: "Promise." + name})
		}))
	}
}

// addFromAsync makes Array.fromAsync wait for promises as the program has them.
func (r *run) addFromAsync(map[string]goja.Value) {
	array := r.Intrinsic("Array")
	native, _ := goja.AssertFunction(array.Get("fromAsync"))
	realm.Hide(array, "fromAsync", r.Function("fromAsync", func(c goja.FunctionCall) goja.Value {
		list, f := r.sentItems(c.Argument(0)), c.Argument(1)
		call, code := goja.AssertFunction(f)
		if code {
			f = r.Function("given", func(c goja.FunctionCall) goja.Value { return r.executed(r.Called(call(c.This, c.Arguments...))) })
		}
		return r.handPromise(r.Called(native(c.This, list, f)), unawaited{name: "Array.fromAsync", goesOn: code})
	}))
}

// sentItems is an array of what an array, a set or an iterator holds, with promises of the engine for what is sent and for
// promises; anything else is given as it is.
func (r *run) sentItems(list goja.Value) goja.Value {
	if r.rowsIn(list) != nil {
		return list
	}
	o, ok := list.(*goja.Object)
	if ok && !realm.IsArray(o) {
		if o.GetSymbol(goja.SymIterator) == nil {
			return list
		}
		o = r.listOf(o, maxItems).(*goja.Object)
	}
	if !ok {
		return list
	}
	return r.gathered(o)
}

func (r *run) gathered(list *goja.Object) goja.Value {
	given := r.itemsOf(list, "list", maxItems)
	items := make([]any, len(given))
	for i, v := range given {
		if promiseOf(v) != nil {
			v = r.ofPromise(v, true)
		}
		items[i] = r.executed(v)
	}
	return r.VM.NewArray(items...)
}

// answers are the replies to what was sent, and what promises resolved to, for the places of a result.
type answers struct {
	of    map[goja.Value]goja.Value // nil: asked for
	asked []goja.Value              // in this round, in order
	sent  []goja.Value              // the promises of their answers
}

// rounds bound how often a result is read: a getter can return something new to send each time.
const rounds = 4

// result is what the program returned, as data. Reading it sends what is described
// in it, all at once; when the replies are there, it is read again with the replies in
// their places.
func (r *run) result(result goja.Value) (exo.Value, error) {
	a := &answers{of: map[goja.Value]goja.Value{}}
	for range rounds {
		var v exo.Value
		var err error
		a.asked, a.sent = nil, nil
		if ex := r.VM.Try(func() { v, err = (&converter{r: r, how: forResult, answers: a}).value(result, 0, nil) }); ex != nil {
			return exo.Value{}, r.failure(ex)
		}
		if err != nil {
			e := asError(err)
			if e.Op != "" {
				e.Op = "'s " + e.Op
			}
			e.Op = "the result" + e.Op
			return exo.Value{}, r.placed(e, 0, 0)
		}
		if len(a.asked) == 0 {
			return v, nil
		}
		for i, o := range a.asked {
			rows, failed := r.settled(a.sent[i])
			if failed != nil {
				return exo.Value{}, failed
			}
			a.of[o] = rows
		}
	}
	return exo.Value{}, r.placed(exo.Errorf(exo.Invalid, "the result", "%s", r.say(nil, "again", "holds what has not been sent again and again; await it before")), 0, 0)
}

// answer is the reply for a described thing or a promise in a result; null until it is known.
func (c *converter) answer(o goja.Value, depth int, at *place) (exo.Value, error) {
	if v, asked := c.answers.of[o]; v != nil {
		return c.value(v, depth+1, at)
	} else if asked {
		return exo.Null(), nil
	}
	c.answers.of[o] = nil
	c.answers.asked = append(c.answers.asked, o)
	c.answers.sent = append(c.answers.sent, c.r.awaited(o))
	return exo.Null(), nil
}
