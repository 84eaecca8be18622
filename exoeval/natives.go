package exoeval

// This file runs a check before functions of the engine.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// Some natives call no method of a value: they compare it, use its address as a key, or leave it out. For them a recorded thing would be just
// another object, and no error would follow: opaque refuses only when the engine calls it. So a check runs before each native, in realms of
// programs that mention it. TestSweep finds natives without a check.

type guard struct {
	global string // the global that has the native as a member
	proto  bool   // the prototype of global has the native
	names  []string
	check  func(r *run, name string, c *goja.FunctionCall) goja.Value // throws, or returns the result instead of the native's; nil to run the native
	deep   bool                                                       // the native looks into its arguments, so the check always runs
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

// wanted reports whether a program can reach the native: the program mentions the name or computes names.
func (g *guard) wanted(names map[string]bool) bool {
	if !names[g.global] && !(g.proto && g.global == "Array") { // programs reach arrays by a literal, without a name
		return false
	}
	for _, n := range g.names {
		if names[n] || names[front.ComputedName] || n == "set" || n == "add" { // the constructors of Map and Set call set and add
			return true
		}
	}
	return false
}

// guardNatives puts the checks into a realm. It must run before other functions of ours keep the natives.
func (r *run) guardNatives() {
	if len(r.needs.guards) > 0 {
		r.IndexOf = realm.Native(r.Intrinsic("Array").Get("prototype").(*goja.Object), "indexOf")
	}
	for _, g := range r.needs.guards {
		holder := r.Intrinsic(g.global)
		if g.proto {
			holder = holder.Get("prototype").(*goja.Object)
		}
		var keyed collection
		if g.global == "Map" || g.global == "Set" {
			keyed = collection{has: realm.Native(holder, "has"), keys: realm.Native(holder, "keys")}
			if empty, err := r.VM.New(r.Intrinsic(g.global)); err == nil {
				keyed.next = realm.Native(keyed.keys(goja.FunctionCall{This: empty}).(*goja.Object).Prototype(), "next")
			}
		}
		for _, name := range g.names {
			f := realm.Native(holder, name)
			// The common case allocates nothing: only the slow case moves c to the heap.
			slow := func(c goja.FunctionCall) goja.Value {
				if g.check != nil {
					if v := g.check(r, name, &c); v != nil {
						return v
					}
				}
				if r.ChecksOperands && len(c.Arguments) > 0 {
					return r.compares(g, name, c, f, keyed)
				}
				return f(c)
			}
			guarded := r.Function(name, func(c goja.FunctionCall) goja.Value {
				if c.Argument(0) == nil || len(c.Arguments) > 1 && slices.Contains(c.Arguments, nil) { // `new Map([{}])` gives a nil argument, on which the engine panics
					c.Arguments = slices.Clone(c.Arguments)
					for i, a := range c.Arguments {
						if a == nil {
							c.Arguments[i] = goja.Undefined()
						}
					}
				}
				if g.deep || len(r.Frames) > 0 || r.HoldsSealed || r.ChecksOperands || r.anyRecorded(c.Arguments) {
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

// listed returns the names of properties that JSON.stringify should write, from its second argument. It is nil if v is no list.
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
	return slices.ContainsFunc(args, func(a goja.Value) bool { _, ok := a.(*guest.Opaque); return ok })
}

// refuseAny throws if an argument is recorded, or is a promise that was not awaited. Otherwise it returns nil, and the native runs.
func (r *run) refuseAny(name string, c *goja.FunctionCall) goja.Value {
	r.RefuseUnawaited(c.Arguments...)
	for _, a := range c.Arguments {
		if x := r.RecordedIn(a); x != nil {
			panic(r.Throw(x.Novalue()))
		}
	}
	return nil
}

// refuseGathered throws if a list to be joined has a promise: the promise would be one item of the result.
func (r *run) refuseGathered(name string, c *goja.FunctionCall) goja.Value {
	if name == "concat" {
		r.RefuseUnawaited(c.Arguments...)
	} else {
		r.RefuseAmong(c.This)
	}
	return nil
}

// refuseKey throws if the key of a collection is recorded. Only set.has(column) becomes an expression.
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
	panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s can't be a key or a member of a collection: it has no value in the program; use its name as a text instead", r.Check.Name(x.Node))))
}

// lookUp records list.includes(column). It throws if the list has a column or a sealed value, because no search would find it.
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

// refuseSealed throws if the program searches for a sealed value, or in a list that has one.
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

// collection has the natives of Map or of Set that look up keys. They are kept before the program runs, because it can replace its own.
type collection struct {
	has, keys, next func(goja.FunctionCall) goja.Value
}

// compares runs a native that compares values, if one of the values may be a Decimal or the text of a time. The engine's own equality would not
// find a Decimal, and never finds a Date among texts.
func (r *run) compares(g *guard, name string, c goja.FunctionCall, f func(goja.FunctionCall) goja.Value, keyed collection) goja.Value {
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
				v = with(seeker)
			}
			if r.MayBeTime(c.Argument(0)) && len(c.Arguments) == 1 && realm.IsArray(c.This) && r.RowsIn(c.This) == nil {
				r.RefuseSought(c.Argument(0), r.firstOf(c.This.(*goja.Object)))
			}
		}
		return v
	case "Map", "Set":
		key := r.keyOf(d, name, c, keyed.has)
		if name != "set" && name != "add" && r.MayBeTime(key) && !keyed.has(goja.FunctionCall{This: c.This, Arguments: []goja.Value{key}}).ToBoolean() {
			first := keyed.next(goja.FunctionCall{This: keyed.keys(goja.FunctionCall{This: c.This})}).(*goja.Object)
			r.RefuseSought(key, []goja.Value{first.Get("value")})
		}
		return with(key)
	}
	return f(c)
}

// firstOf returns the first items of an array.
func (r *run) firstOf(list *goja.Object) (items []goja.Value) {
	for i := range min(list.Get("length").ToInteger(), 8) {
		if item := list.Get(strconv.FormatInt(i, 10)); item != nil { // an array may have a hole
			items = append(items, item)
		}
	}
	return items
}

// keyOf returns the key in the collection that equals the argument, or the argument if there is none. A number and a Decimal of one value are
// one key. The text of a Decimal finds the key, too.
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

// spreadArguments replaces a row by an object with its columns, for Object.keys and its like.
func (r *run) spreadArguments(_ string, c *goja.FunctionCall) goja.Value {
	for i, a := range c.Arguments {
		if o := r.Fields(a); o != nil {
			c.Arguments = slices.Clone(c.Arguments) // the arguments may be the items of an array of the program
			c.Arguments[i] = o
		}
	}
	return nil
}

// stringify throws if a recorded thing is anywhere in the value of JSON.stringify. The engine would leave it out of the JSON, like a function.
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
			picked := r.VM.NewObject() // JSON has only the listed properties, in the list's order
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
