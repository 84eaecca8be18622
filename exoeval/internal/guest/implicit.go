package guest

// This file sends what is awaited or returned.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// A described thing with an Await method, like a query, is sent implicitly when it is
// awaited, resolved by a promise that is awaited, passed to Promise.all, or returned by the
// program. Nothing else sends one: recorded things are no thenables, so passing one through
// a promise only passes it on.

// Awaits reports whether awaiting a recorded thing sends it.
func (x *Recorded) Awaits() bool {
	i := x.Iface()
	return i != nil && i.Await != ""
}

// ofPromise is the engine's promise of what the promise v resolves to. If that is a described thing, it is sent where send is true.
func (r *Guest) ofPromise(v goja.Value, send bool) goja.Value {
	for range MaxPassed {
		u := r.UnawaitedIn(v)
		v = r.Bare(v)
		if u != nil && u.call != nil { // the host answers it, with plain data
			return v
		}
		switch p := PromiseOf(v); p.State() {
		case goja.PromiseStateRejected:
			return v
		case goja.PromiseStatePending:
			return r.Called(r.Then(v, r.Function("given", func(c goja.FunctionCall) goja.Value {
				if v := c.Argument(0); send || r.UnawaitedIn(v) != nil {
					return r.Executed(v)
				}
				return c.Argument(0)
			})))
		default:
			if r.UnawaitedIn(p.Result()) == nil {
				if x := r.RecordedIn(p.Result()); send && x != nil && x.Awaits() {
					return r.Awaited(p.Result())
				}
				return v
			}
			v = p.Result()
		}
	}
	panic(r.VM.NewTypeError("a promise is resolved with itself"))
}

// Executed is v, or a promise of its value if it is one that was not awaited, or of its reply if it is a described thing to send.
func (r *Guest) Executed(v goja.Value) goja.Value {
	if r.UnawaitedIn(v) != nil {
		return r.ofPromise(v, true)
	}
	if x := r.RecordedIn(v); x != nil && x.Awaits() {
		return r.Awaited(v)
	}
	return v
}

// sent is v, or a promise of its reply if it is a described thing whose then, catch or finally
// is called by that name: whoever writes q.then(…) takes it for one. The engine, which asks every
// value for its then, finds none.
func (r *Guest) sent(v goja.Value) goja.Value {
	if len(r.Frames) > 0 || r.UnawaitedIn(v) != nil {
		return v
	}
	if x := r.RecordedIn(v); x != nil && x.Awaits() {
		i := x.Iface()
		return r.call(x.Node, i.Methods[i.Await], i.Await, nil)
	}
	return r.HandPromise(v, Unawaited{Name: APromise})
}

// SentItems is an array of what an array, a set or an iterator holds, with promises of the engine for what is sent and for
// promises; anything else is given as it is.
func (r *Guest) SentItems(list goja.Value) goja.Value {
	if r.RowsIn(list) != nil {
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

func (r *Guest) gathered(list *goja.Object) goja.Value {
	given := r.ItemsOf(list, "list", maxItems)
	items := make([]any, len(given))
	for i, v := range given {
		if PromiseOf(v) != nil {
			v = r.ofPromise(v, true)
		}
		items[i] = r.Executed(v)
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

// Result is what the program returned, as data. Reading it sends what is described
// in it, all at once; when the replies are there, it is read again with the replies in
// their places. settled waits for a promise, and failure is
// the error for what its code threw.
func (r *Guest) Result(result goja.Value, settled func(goja.Value) (goja.Value, error), failure func(error) error) (value.Value, error) {
	a := &answers{of: map[goja.Value]goja.Value{}}
	for range rounds {
		var v value.Value
		var err error
		a.asked, a.sent = nil, nil
		if ex := r.VM.Try(func() { v, err = (&converter{r: r, how: forResult, answers: a}).value(result, 0, nil) }); ex != nil {
			return value.Value{}, failure(ex)
		}
		if err != nil {
			e := AsError(err)
			if e.Pos.Line > 0 { // of a method that was not called: what is wrong is there
				return value.Value{}, e
			}
			if e.Op != "" {
				e.Op = "'s " + e.Op
			}
			e.Op = "the result" + e.Op
			return value.Value{}, r.Placed(e, 0, 0)
		}
		if len(a.asked) == 0 {
			return v, nil
		}
		for i, o := range a.asked {
			rows, failed := settled(a.sent[i])
			if failed != nil {
				return value.Value{}, failed
			}
			a.of[o] = rows
		}
	}
	return value.Value{}, r.Placed(fail.Errorf(fail.Invalid, "the result", "%s", r.Say(nil, "again", "holds calls that were not awaited, again and again; await each before you return it")), 0, 0)
}

// answer is the reply for a described thing or a promise in a result; null until it is known.
func (c *converter) answer(o goja.Value, depth int, at *place) (value.Value, error) {
	if v, asked := c.answers.of[o]; v != nil {
		return c.value(v, depth+1, at)
	} else if asked {
		return value.Null(), nil
	}
	c.answers.of[o] = nil
	c.answers.asked = append(c.answers.asked, o)
	c.answers.sent = append(c.answers.sent, c.r.Awaited(o))
	return value.Null(), nil
}

// send sends an expression and returns the promise of its answer.
func (r *Guest) send(n *message.Node) goja.Value {
	if r.Failed { // a getter of what was thrown
		panic(r.Throw(fail.Errorf(fail.Cancelled, "", "the program has failed; it can't call any more")))
	}
	r.lastID++
	id := r.lastID
	r.WatchPromises() // the first one may be this
	promise, resolve, reject := r.VM.NewPromise()
	line, col := r.here()
	if line == 0 && r.returned != nil {
		line, col = FrameOf(r.returned.stack)
	}
	p := r.VM.ToValue(promise).(*goja.Object)
	Put(&r.Open, id, openCall{resolve, reject, line, col, r.fixedBy(n.Recv), n})
	if err := r.Port.Submit(exo.Call{ID: id, Expr: n.Expr(), Pos: r.place(line, col)}); err != nil {
		delete(r.Open, id)
		panic(r.Throw(fail.Classify("", err)))
	}
	return r.hand(p, Unawaited{call: n, line: line, col: col})
}

// Awaited is what `await x` waits for: a query that was not sent is sent, be it x
// or what the promise x gives, but only by a method that changes nothing.
func (r *Guest) Awaited(v goja.Value) goja.Value {
	x := r.expressionIn(v)
	if x == nil {
		if IsMethod(v) {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "a method was named and not called: add ()")))
		}
		if p := PromiseOf(r.Bare(v)); p != nil {
			return r.ofPromise(v, true)
		}
		return v
	}
	i := x.Iface()
	if i == nil || i.Await == "" || i.Methods[i.Await] == nil || i.Methods[i.Await].Effect != message.NoEffect {
		panic(r.Throw(x.Novalue()))
	}
	r.returned = x
	defer func() { r.returned = nil }()
	return r.Bare(r.call(x.Node, i.Methods[i.Await], i.Await, nil))
}
