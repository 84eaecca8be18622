package guest

// This file sends a described thing when it is awaited or returned.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// A described thing with an Await method, like a query, is sent in four cases: the program awaits it, awaits a promise of it, passes it to
// Promise.all, or returns it. Nothing else sends it. The engine finds no `then` in a recorded thing, so a promise only passes it on.

// Awaits reports whether awaiting a recorded thing sends it.
func (x *Recorded) Awaits() bool {
	i := x.Iface()
	return i != nil && i.Await != ""
}

// ofPromise returns the engine's promise for the value of the promise v. If send is true, a described thing as the value is sent.
func (r *Guest) ofPromise(v goja.Value, send bool) goja.Value {
	for range MaxPassed {
		u := r.UnawaitedIn(v)
		v = r.Bare(v)
		if u != nil && u.call != nil { // the host answers a call with plain data
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
	panic(r.VM.NewTypeError("a promise is resolved with itself: resolve it with a value"))
}

// Executed returns a promise of the reply if v is a query, and a promise of the value if v is an unawaited promise, else v itself.
func (r *Guest) Executed(v goja.Value) goja.Value {
	if r.UnawaitedIn(v) != nil {
		return r.ofPromise(v, true)
	}
	if x := r.RecordedIn(v); x != nil && x.Awaits() {
		return r.Awaited(v)
	}
	return v
}

// sent is called when the program reads then, catch or finally of v by name: the author of q.then(…) treats q as a promise. sent sends a
// described thing and returns the promise of its reply; it returns any other v unchanged. The engine itself finds no then.
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

// SentItems returns an array of the items of an array, a set or an iterator. It sends each described thing. Promises, and the replies to what
// was sent, are promises of the engine in the result. Other values are unchanged.
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

// answers has the replies to calls that a result contains, and the values of its promises.
type answers struct {
	of    map[goja.Value]goja.Value // the reply, or nil while it is awaited
	asked []goja.Value              // what this round asks for, in order
	sent  []goja.Value              // the promises of the replies to asked
}

// rounds bounds how often a result is read, because a getter can return something new to send each time.
const rounds = 4

// Result returns the program's result as data. It sends all described things in
// the result at once, and reads the result again when it has the replies. settled
// waits for a promise, and failure makes the error for a value that was thrown.
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
			if e.Pos.Line > 0 { // the error of an uncalled method already has its place
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
	return value.Value{}, r.Placed(fail.Errorf(fail.Invalid, "the result", "%s", r.Say(nil, "again", "has a getter or toJSON that makes a new call each time it is read: await the call first, and return its value")), 0, 0)
}

// answer returns the reply to a described thing, or the value of a promise, in a result. Until the reply or the value has come, answer returns null.
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

// send sends an expression and returns the promise of its reply.
func (r *Guest) send(n *message.Node) goja.Value {
	if r.Failed { // a getter of the thrown value made this call
		panic(r.Throw(fail.Errorf(fail.Cancelled, "", "the program has failed, so it can't make further calls")))
	}
	r.lastID++
	id := r.lastID
	r.WatchPromises() // the program may have had no promise before
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

// Awaited returns the value that `await x` waits for. If x is an unsent query, or
// a promise of one, the query is sent, but only by a method that changes nothing.
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
