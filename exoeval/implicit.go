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
func (r *guest) ofPromise(v goja.Value, send bool) goja.Value {
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
func (r *guest) executed(v goja.Value) goja.Value {
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
func (r *guest) sent(v goja.Value) goja.Value {
	if len(r.frames) > 0 || r.unawaitedIn(v) != nil {
		return v
	}
	if x := r.recordedIn(v); x != nil && x.awaits() {
		i := x.iface()
		return r.call(x.node, i.Methods[i.Await], i.Await, nil)
	}
	return r.handPromise(v, unawaited{name: aPromise})
}

// sentItems is an array of what an array, a set or an iterator holds, with promises of the engine for what is sent and for
// promises; anything else is given as it is.
func (r *guest) sentItems(list goja.Value) goja.Value {
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

func (r *guest) gathered(list *goja.Object) goja.Value {
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
// their places. settled waits for a promise, and failure is
// the error for what its code threw.
func (r *guest) result(result goja.Value, settled func(goja.Value) (goja.Value, error), failure func(error) error) (exo.Value, error) {
	a := &answers{of: map[goja.Value]goja.Value{}}
	for range rounds {
		var v exo.Value
		var err error
		a.asked, a.sent = nil, nil
		if ex := r.VM.Try(func() { v, err = (&converter{r: r, how: forResult, answers: a}).value(result, 0, nil) }); ex != nil {
			return exo.Value{}, failure(ex)
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
			rows, failed := settled(a.sent[i])
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

// send sends an expression and returns the promise of its answer.
func (r *guest) send(n *exo.Node) goja.Value {
	if r.failed { // a getter of what was thrown
		panic(r.throw(exo.Errorf(exo.Cancelled, "", "the program has failed; it can't call any more")))
	}
	r.lastID++
	id := r.lastID
	r.WatchPromises() // the first one may be this
	promise, resolve, reject := r.VM.NewPromise()
	line, col := r.here()
	if line == 0 && r.returned != nil {
		line, col = frameOf(r.returned.stack)
	}
	p := r.VM.ToValue(promise).(*goja.Object)
	put(&r.open, id, openCall{resolve, reject, line, col, r.fixedBy(n.Recv), n})
	if err := r.port.Submit(exo.Call{ID: id, Expr: n.Expr(), Pos: r.place(line, col)}); err != nil {
		delete(r.open, id)
		panic(r.throw(exo.Classify("", err)))
	}
	return r.hand(p, unawaited{call: n})
}

// awaited is what `await x` waits for: a query that was not sent is sent, be it x
// or what the promise x gives, but only by a method that changes nothing.
func (r *guest) awaited(v goja.Value) goja.Value {
	x := r.expressionIn(v)
	if x == nil {
		if isMethod(v) {
			panic(r.throw(exo.Errorf(exo.Invalid, "", "a method was named and not called: add ()")))
		}
		if p := promiseOf(r.bare(v)); p != nil {
			return r.ofPromise(v, true)
		}
		return v
	}
	i := x.iface()
	if i == nil || i.Await == "" || i.Methods[i.Await] == nil || i.Methods[i.Await].Effect != exo.NoEffect {
		panic(r.throw(x.novalue()))
	}
	r.returned = x
	defer func() { r.returned = nil }()
	return r.bare(r.call(x.node, i.Methods[i.Await], i.Await, nil))
}
