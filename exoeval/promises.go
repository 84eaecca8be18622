package exoeval

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// This file wraps the functions of Promise, and Array.fromAsync, to take and return promises in our own form.

// gatherers are the functions of Promise that wait for the items of a list.
var gatherers = []string{"all", "allSettled", "race", "any"}

// addGatherers wraps the gatherers: they send the described things in an array, and those to which promises in the array resolve.
func (r *run) addGatherers(map[string]goja.Value) {
	promise := r.Intrinsic("Promise")
	for _, name := range gatherers {
		native, _ := goja.AssertFunction(promise.Get(name))
		realm.Hide(promise, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			going := len(r.Going)
			list := r.SentItems(c.Argument(0))
			r.Gathers = true
			v, err := native(c.This, list)
			r.Gathers = false
			// This promise waits for the items. If an item goes on to send calls, the promise goes on, too.
			return r.HandPromise(r.Called(v, err), guest.Unawaited{Name: "Promise." + name, GoesOn: len(r.Going) < going})
		}))
	}
}

// makers are the other functions of Promise that make promises.
var makers = []string{"resolve", "reject", "try", "withResolvers"}

// addMakers wraps the makers to return promises of our form. A promise of the engine is an object, so JavaScript treats it as true.
func (r *run) addMakers(map[string]goja.Value) {
	promise := r.Intrinsic("Promise")
	for _, name := range makers {
		native, ok := goja.AssertFunction(promise.Get(name))
		if !ok {
			continue
		}
		realm.Hide(promise, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			if name == "resolve" && r.UnawaitedIn(c.Argument(0)) != nil {
				return c.Argument(0)
			}
			v := r.Called(native(c.This, c.Arguments...))
			if r.Gathers {
				return v
			}
			if name == "withResolvers" {
				o := v.(*goja.Object)
				r.Put(o, "promise", r.HandPromise(o.Get("promise"), guest.Unawaited{Name: guest.APromise}))
				return o
			}
			return r.HandPromise(v, guest.Unawaited{Name: "Promise." + name})
		}))
	}
}

// addFromAsync wraps Array.fromAsync to wait for promises of our form.
func (r *run) addFromAsync(map[string]goja.Value) {
	array := r.Intrinsic("Array")
	native, _ := goja.AssertFunction(array.Get("fromAsync"))
	realm.Hide(array, "fromAsync", r.Function("fromAsync", func(c goja.FunctionCall) goja.Value {
		list, f := r.SentItems(c.Argument(0)), c.Argument(1)
		call, code := goja.AssertFunction(f)
		if code {
			f = r.Function("given", func(c goja.FunctionCall) goja.Value { return r.Executed(r.Called(call(c.This, c.Arguments...))) })
		}
		return r.HandPromise(r.Called(native(c.This, list, f)), guest.Unawaited{Name: "Array.fromAsync", GoesOn: code})
	}))
}
