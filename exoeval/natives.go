package exoeval

// This file guards functions of the engine: a check runs before each.

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// Natives that call no method of a value: they compare what they hold with it, use its
// address as a key, or leave it out. They would take a recorded thing for an object that
// is in no collection; opaque refuses only where the engine calls it. Each is put behind
// a check, in realms of programs that mention it; TestSweep finds those that are missing.

type guard struct {
	global string // where the native is: a global's member,
	proto  bool   // or one of its prototype
	names  []string
	check  func(r *run, name string, c *goja.FunctionCall) goja.Value // a result instead of the native's, or nil
	deep   bool                                                       // it looks into its arguments, so they are always checked
}

var guards = []guard{
	{"Map", true, []string{"get", "has", "set", "delete"}, (*run).refuseKey, false},
	{"WeakMap", true, []string{"get", "has", "set", "delete"}, (*run).refuseKey, false},
	{"Set", true, []string{"has", "add", "delete"}, (*run).refuseKey, false},
	{"WeakSet", true, []string{"has", "add", "delete"}, (*run).refuseKey, false},
	{"Array", true, []string{"includes", "indexOf", "lastIndexOf"}, (*run).lookUp, false},
	{"Array", true, []string{"concat", "flat"}, (*run).refuseGathered, false},
	{"Array", false, []string{"isArray"}, (*run).refuseAny, false},
	{"Object", false, []string{"is"}, (*run).refuseAny, false},
	{"Object", false, []string{"keys", "values", "entries", "assign"}, (*run).spreadArguments, false},
	{"Math", false, []string{"max", "min", "abs", "sign", "floor", "ceil", "trunc", "round"}, nil, false},
	{"Number", false, []string{"isInteger", "isSafeInteger", "isFinite", "isNaN"}, (*run).refuseAny, false},
	{"JSON", false, []string{"stringify"}, (*run).stringify, true},
}

// wanted reports whether a program can come to the native: by its name, or by one that
// it computes.
func (g *guard) wanted(names map[string]bool) bool {
	if !names[g.global] && !(g.proto && g.global == "Array") { // an array needs no name
		return false
	}
	for _, n := range g.names {
		if names[n] || names[front.ComputedName] || n == "set" || n == "add" { // the constructors of Map and Set call these
			return true
		}
	}
	return false
}

// guardNatives puts the checks into a realm, before anything else takes the natives.
func (r *run) guardNatives() {
	if len(r.needs.guards) > 0 {
		r.IndexOf = realm.Native(r.Intrinsic("Array").Get("prototype").(*goja.Object), "indexOf")
	}
	for _, g := range r.needs.guards {
		holder := r.Intrinsic(g.global)
		if g.proto {
			holder = holder.Get("prototype").(*goja.Object)
		}
		var has func(goja.FunctionCall) goja.Value
		if g.global == "Map" || g.global == "Set" {
			has = realm.Native(holder, "has")
		}
		for _, name := range g.names {
			f := realm.Native(holder, name)
			// The common case takes no memory: c is handed on only where there is something to see.
			slow := func(c goja.FunctionCall) goja.Value {
				if g.check != nil {
					if v := g.check(r, name, &c); v != nil {
						return v
					}
				}
				if r.HasDecimals && len(c.Arguments) > 0 {
					return r.ofDecimals(g, name, c, f, has)
				}
				return f(c)
			}
			guarded := r.Function(name, func(c goja.FunctionCall) goja.Value {
				if c.Argument(0) == nil || len(c.Arguments) > 1 && slices.Contains(c.Arguments, nil) { // of `new Map([{}])`; the engine's own would panic
					c.Arguments = slices.Clone(c.Arguments)
					for i, a := range c.Arguments {
						if a == nil {
							c.Arguments[i] = goja.Undefined()
						}
					}
				}
				if g.deep || len(r.Frames) > 0 || r.HoldsSealed || r.HasDecimals || r.anyRecorded(c.Arguments) {
					return slow(c)
				}
				v := f(c)
				if r.Handed > 0 && g.proto && g.global == "Array" && (name == "flat" || name == "includes" && !v.ToBoolean() || name != "includes" && name != "concat" && v.ToInteger() < 0) {
					r.RefuseAmong(c.This)
				}
				return v
			})
			_ = guarded.DefineDataProperty("length", holder.Get(name).(*goja.Object).Get("length"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			realm.Hide(holder, name, guarded)
		}
	}
}

// listed are the names of a list that says which properties become JSON; nil if v is none.
func (r *run) listed(v goja.Value) []string {
	v = r.PlainValue(v)
	if !realm.IsArray(v) {
		return nil
	}
	names, seen := []string{}, map[string]bool{}
	for _, x := range r.ItemsOf(v.(*goja.Object), "list of names", guest.MaxMixed) {
		if (goja.IsString(x) || goja.IsNumber(x)) && !seen[x.String()] {
			seen[x.String()] = true
			names = append(names, x.String())
		}
	}
	return names
}

func (r *run) anyRecorded(args []goja.Value) bool {
	for _, a := range args {
		if _, ok := a.(*guest.Opaque); ok {
			return true
		}
	}
	return false
}

// refuseAny throws for a recorded argument.
func (r *run) refuseAny(name string, c *goja.FunctionCall) goja.Value {
	r.RefuseUnawaited(c.Arguments...)
	for _, a := range c.Arguments {
		if x := r.RecordedIn(a); x != nil {
			panic(r.Throw(x.Novalue()))
		}
	}
	return nil
}

// refuseGathered throws for a promise among lists that become one: it would stay the one item that it is.
func (r *run) refuseGathered(name string, c *goja.FunctionCall) goja.Value {
	if name == "concat" {
		r.RefuseUnawaited(c.Arguments...)
	} else {
		r.RefuseAmong(c.This)
	}
	return nil
}

// refuseKey throws for a recorded key of a collection; set.has(column) is recorded.
func (r *run) refuseKey(name string, c *goja.FunctionCall) goja.Value {
	r.RefuseUnawaited(c.Argument(0))
	x := r.RecordedIn(c.Argument(0))
	if x == nil {
		return nil
	}
	if _, sealed := x.Sealed(); sealed {
		panic(r.Throw(x.Shut()))
	}
	if o, ok := c.This.(*goja.Object); ok && x.Iface() != nil && x.Iface().Expr {
		if v := r.RecordedCall(o, name, c.Arguments); v != nil {
			return v
		}
	}
	panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s can't be a key or member of a collection: it has no value in the program; use a text that names it", r.Check.Name(x.Node))))
}

// lookUp records list.includes(column), and throws for a list that holds a column, or a sealed value: no
// value would be found in it.
func (r *run) lookUp(name string, c *goja.FunctionCall) goja.Value {
	r.RefuseUnawaited(c.Argument(0))
	if r.HoldsSealed {
		r.refuseSealed(c)
	}
	if len(r.Frames) == 0 && r.RecordedIn(c.Argument(0)) == nil {
		return nil
	}
	return r.RecordedCall(c.This, name, c.Arguments)
}

// refuseSealed throws where one looks for a sealed value, or among sealed values.
func (r *run) refuseSealed(c *goja.FunctionCall) {
	refuse := func(v goja.Value) {
		if x := r.RecordedIn(v); x != nil {
			if _, sealed := x.Sealed(); sealed {
				panic(r.Throw(x.Shut()))
			}
		}
	}
	refuse(c.Argument(0))
	if realm.IsArray(c.This) && r.RowsIn(c.This) == nil {
		refuse(r.Among(c.This, func(x *guest.Opaque) bool { _, sealed := x.X.Sealed(); return sealed }))
	}
}

// ofDecimals is a native that compares by what the engine knows of numbers, where a Decimal may be among what it compares.
func (r *run) ofDecimals(g *guard, name string, c goja.FunctionCall, f, has func(goja.FunctionCall) goja.Value) goja.Value {
	with := func(v goja.Value) goja.Value {
		c.Arguments = append([]goja.Value{v}, c.Arguments[1:]...)
		return f(c)
	}
	d := realm.DecimalIn(c.Argument(0))
	switch g.global {
	case "Math", "Number":
		if v := r.Exactly(name, c.Arguments); v != nil {
			return v
		}
	case "Object":
		if o := realm.DecimalIn(c.Argument(1)); name == "is" && o != nil {
			return r.VM.ToValue(o.StrictEquals(c.Argument(0)))
		}
	case "Array":
		v := f(c)
		if d == nil && (name == "includes" && !v.ToBoolean() || strings.HasSuffix(name, "ndexOf") && v.ToInteger() < 0) {
			if seeker := r.Seeker(c.Argument(0)); seeker != nil {
				return with(seeker)
			}
		}
		return v
	case "Map", "Set":
		return with(r.keyOf(d, name, c, has))
	}
	return f(c)
}

// keyOf is the key of a collection that has the value of the argument, or the argument: a value has one key, be it the
// number or the Decimal, and one looks for it by its text too.
func (r *run) keyOf(d *realm.Decimal, name string, c goja.FunctionCall, has func(goja.FunctionCall) goja.Value) goja.Value {
	given := c.Argument(0)
	ways, puts := []goja.Value{given}, name == "set" || name == "add"
	switch {
	case d != nil:
		ways[0] = d.Key(puts)
		if n, ok := d.Equal(); ok {
			ways = append(ways, n)
		}
		if !puts {
			ways = append(ways, d.ToString())
		}
	case puts && goja.IsString(given):
	default:
		if k := r.KeyOf(given); k != nil {
			ways = append(ways, k)
		}
	}
	for _, v := range ways {
		if len(ways) > 1 && has(goja.FunctionCall{This: c.This, Arguments: []goja.Value{v}}).ToBoolean() {
			return v
		}
	}
	return ways[0]
}

// spreadArguments gives Object.keys and the like the columns of a row to look at.
func (r *run) spreadArguments(_ string, c *goja.FunctionCall) goja.Value {
	for i, a := range c.Arguments {
		if o := r.Fields(a); o != nil {
			c.Arguments = slices.Clone(c.Arguments) // they may be the items of an array of the program's
			c.Arguments[i] = o
		}
	}
	return nil
}

// stringify throws for a recorded thing anywhere in what becomes JSON. The engine leaves
// out what it does not know, like functions.
func (r *run) stringify(_ string, c *goja.FunctionCall) goja.Value {
	r.RefuseUnawaited(c.Argument(0))
	if v, ok := r.SealedIn(c.Argument(0)); ok {
		c.Arguments = append([]goja.Value{r.VM.ToValue(v.String())}, c.Arguments[1:]...)
		return nil
	}
	if x := r.RecordedIn(c.Argument(0)); x != nil {
		panic(r.Throw(x.Novalue()))
	}
	if guest.IsMethod(c.Argument(0)) {
		panic(r.Throw(r.AsData(c.Argument(0))))
	}
	if d := realm.DecimalIn(c.Argument(0)); d != nil {
		c.Arguments = append([]goja.Value{d.JSON()}, c.Arguments[1:]...)
	}
	if _, ok := c.Argument(0).(*goja.Object); !ok {
		return nil
	}
	own, _ := goja.AssertFunction(c.Argument(1))
	list := r.listed(c.Argument(1))
	replacer := r.Function("replacer", func(k goja.FunctionCall) goja.Value {
		v := k.Argument(1)
		if own != nil {
			v = r.Called(own(k.This, k.Arguments...))
		}
		r.RefuseUnawaited(v)
		if v, ok := r.SealedIn(v); ok {
			return r.VM.ToValue(v.String())
		}
		if x := r.RecordedIn(v); x != nil {
			panic(r.Throw(x.Novalue()))
		}
		if guest.IsMethod(v) {
			panic(r.Throw(r.AsData(v)))
		}
		if d := realm.DecimalIn(v); d != nil {
			return d.JSON()
		}
		if o, ok := v.(*goja.Object); ok && list != nil && !realm.IsArray(v) && r.RowsIn(v) == nil && o.ClassName() != "Function" {
			picked := r.VM.NewObject() // what a list of names leaves of it, in the order of the list
			for _, name := range list {
				if x := o.Get(name); x != nil {
					r.Put(picked, name, x)
				}
			}
			return picked
		}
		return v
	})
	c.Arguments = []goja.Value{c.Argument(0), replacer, c.Argument(2)}
	return nil
}
