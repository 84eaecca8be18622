package exoeval

// This file fills the global scope of a realm.

import (
	"cmp"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// newRealm gives the program a global object that has only the names that the program uses, and a clock that does not advance. A realm serves one run.
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

// global returns the value of a name in the global scope, or nil if the name has none.
func (r *run) global(name string, made map[string]goja.Value) goja.Value {
	if v := made[name]; v != nil {
		return v
	}
	switch {
	case name == "console":
		return r.console.object(r)
	case name == "RegExp":
		return r.GuardPatterns() // the program never gets the engine's own RegExp
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

// apiObject is `api`, the argument of `(api) => ...`. Its members are the grants.
type apiObject struct{ r *run }

func (a *apiObject) Get(name string) goja.Value {
	for _, g := range a.r.Granted {
		if g.Name == name {
			return a.r.GrantedObject(g.ID)
		}
	}
	switch name {
	case "toString", "valueOf", "toLocaleString", "toJSON":
		// If this member were undefined, the engine would print the object itself, with addresses.
		return a.r.Function(name, func(goja.FunctionCall) goja.Value {
			panic(a.r.Throw(fail.Errorf(fail.Invalid, "", "`api` has no value of its own: call a method of one of its members, and use the result")))
		})
	}
	if realm.Quiet(name) {
		return goja.Undefined()
	}
	out := a.r.Say(nil, "api."+name, "")
	if scalar.Nearest(name, a.Keys()) == "" {
		out = cmp.Or(a.r.FromGrants(name), out)
	}
	if out != "" {
		panic(a.r.Throw(guest.NoMember("api", name, out)))
	}
	panic(a.r.ThrowMissing("api", name, a.Keys()))
}

func (a *apiObject) Set(string, goja.Value) bool { return false }
func (a *apiObject) Delete(string) bool          { return false }
func (a *apiObject) Has(name string) bool        { return slices.Contains(a.Keys(), name) }
func (a *apiObject) Keys() []string {
	return scalar.Each(a.r.Granted, func(g message.GrantedName) string { return g.Name })
}
