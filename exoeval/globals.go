package exoeval

// This file fills the global scope of a realm.

import (
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// newRealm makes a fresh world for one run. It is never used twice.
func (r *run) newRealm() error {
	r.Begin(r.bounds.CallDepth)
	vm := r.VM
	vm.SetPromiseRejectionTracker(r.trackRejection)
	r.Throws, r.RefuseExact = r.Throw, r.RefuseInexact
	r.Disarm(r.needs.Needs)
	r.guardNatives()
	need := &r.needs
	if need.Patterns {
		r.GuardPatterns()
	}
	var made map[string]goja.Value
	if len(need.polyfill) > 0 {
		made = map[string]goja.Value{}
	}
	for _, p := range need.polyfill {
		if err := p.load(r, made); err != nil {
			return err
		}
	}
	global := vm.CreateObject(nil)
	vm.SetGlobalObject(global)
	for _, name := range need.names {
		if v := r.global(name, made); v != nil {
			realm.Fix(global, name, v)
		}
	}
	for _, name := range need.helpers {
		if name == front.HelperRecording {
			r.Flagged = true
			r.Recording(false)
			continue
		}
		if name == front.HelperHearing {
			r.Listens = true
			r.Hearing(false)
			continue
		}
		help := guest.Helpers[name]
		realm.Fix(global, name, r.Function("operator", func(c goja.FunctionCall) goja.Value { return help(&r.Guest, c) }))
	}
	r.api = vm.NewDynamicObject(&apiObject{r})
	return nil
}

// global is what a name stands for in the global scope.
func (r *run) global(name string, made map[string]goja.Value) goja.Value {
	if v := made[name]; v != nil {
		return v
	}
	switch {
	case name == "console":
		return r.console.object(r)
	case name == "RegExp":
		return r.GuardPatterns() // never the engine's own
	case front.IsGlobal(name):
		return r.Intrinsics.Get(name)
	}
	for _, g := range r.Granted {
		if g.Name == name {
			return r.GrantedObject(g.ID)
		}
	}
	return nil
}

// apiObject is the object that holds the grants: what `(api) => ...` is given.
type apiObject struct{ r *run }

func (a *apiObject) Get(name string) goja.Value {
	for _, g := range a.r.Granted {
		if g.Name == name {
			return a.r.GrantedObject(g.ID)
		}
	}
	switch name {
	case "toString", "valueOf", "toLocaleString", "toJSON":
		// Undefined would make the engine print the object itself, addresses and all.
		return a.r.Function(name, func(goja.FunctionCall) goja.Value {
			panic(a.r.Throw(fail.Errorf(fail.Invalid, "", "api is no data: call a method of one of its members, and use the result")))
		})
	}
	if realm.Quiet(name) {
		return goja.Undefined()
	}
	if out := a.r.FromGrants(name); out != "" && scalar.Nearest(name, a.Keys()) == "" {
		panic(a.r.Throw(fail.Errorf(fail.Denied, "", "api has no member `%s`; %s", scalar.Shorten(name, 60), out)))
	}
	if out := a.r.Say(nil, "api."+name, ""); out != "" {
		panic(a.r.Throw(fail.Errorf(fail.Denied, "", "api has no member `%s`; %s", scalar.Shorten(name, 60), out)))
	}
	panic(a.r.ThrowMissing("api", name, a.Keys()))
}

func (a *apiObject) Set(string, goja.Value) bool { return false }
func (a *apiObject) Delete(string) bool          { return false }
func (a *apiObject) Has(name string) bool        { return slices.Contains(a.Keys(), name) }
func (a *apiObject) Keys() []string {
	var ns []string
	for _, g := range a.r.Granted {
		ns = append(ns, g.Name)
	}
	return ns
}
