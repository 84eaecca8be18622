package guest

// This file handles JavaScript's own functions in callbacks that record.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Most of JavaScript's own functions would treat an expression as an object: list.includes(t.status) would
// be false, Boolean(t.done) true, and list.some(x => x === t.id) would depend on the first item. Here a function records the expression's
// method with the same meaning, or an error names that method.

// deciders are array methods that call a function for each item and use its result as true or false.
var deciders = map[string]bool{"some": true, "every": true, "find": true, "findIndex": true, "findLast": true, "findLastIndex": true, "filter": true}

var recordedMath = map[string]bool{"abs": true, "round": true, "floor": true, "ceil": true}

// member returns the function that object.name(...) calls.
func (r *Guest) member(object goja.Value, name string) goja.Value {
	if x := r.RecordedIn(object); x != nil {
		own := x.Get(name)
		f, ok := goja.AssertFunction(own)
		if !ok {
			return own
		}
		return r.Function(name, func(c goja.FunctionCall) goja.Value { return r.invoke(f, object, c.Arguments) })
	}
	member := r.plain(".", object, r.VM.ToValue(name))
	return r.Function(name, func(c goja.FunctionCall) goja.Value {
		f, ok := goja.AssertFunction(member)
		if !ok {
			panic(r.VM.NewTypeError("Object has no member '%s'", name))
		}
		args := c.Arguments
		list := object
		if r.RowsIn(object) != nil { // the rows of a reply are a proxy of their array
			list = r.PlainValue(object)
		}
		if (name == "some" || name == "every") && realm.IsArray(list) && len(args) > 0 && realm.IsCallable(args[0]) {
			return r.joined(name, list.(*goja.Object), args)
		}
		if v := r.RecordedCall(list, name, args); v != nil {
			return v
		}
		if deciders[name] && realm.IsArray(list) && len(args) > 0 {
			args = append([]goja.Value{r.decider(name, args[0])}, args[1:]...)
		}
		return r.invoke(f, object, args)
	})
}

func (r *Guest) invoke(f goja.Callable, this goja.Value, args []goja.Value) goja.Value {
	v, err := f(this, args...)
	if err != nil {
		panic(r.Rethrow(err))
	}
	return v
}

// RecordedCall records a call of JavaScript's own function as a method of an expression. It returns nil if no argument is an expression.
func (r *Guest) RecordedCall(object goja.Value, name string, args []goja.Value) goja.Value {
	o, ok := object.(*goja.Object)
	if !ok {
		return nil
	}
	if realm.IsArray(o) && (name == "includes" || name == "indexOf" || name == "lastIndexOf") {
		if x := r.Among(o, func(x *Opaque) bool { return x.X != nil && x.X.Iface() != nil && x.X.Iface().Expr }); x != nil {
			r.refuseColumn(x, "`"+name+"` can't look for a value in a list that holds %s", "list")
		}
	}
	var x *Recorded
	for _, a := range args {
		if x == nil {
			x = r.RecordedIn(a)
		}
	}
	if x == nil {
		return nil
	}
	fail := func(on ...string) goja.Value {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` can't be used with %s, which has no value in the program%s", name, r.Check.Name(x.Node), hint.And(r.Say(x.Node, on[0], "", on[1:]...)))))
	}
	isA := func(class string) bool { return r.VM.InstanceOf(o, r.Intrinsic(class)) }
	switch {
	case o.SameAs(r.Intrinsic("Math")):
		name = "Math." + name
		if op := extremes[name]; op != "" && len(args) > 1 && r.methodOf(x.Node, op) != nil {
			return r.extreme(x.Node, name, op, args)
		}
		if name == "Math.pow" && len(args) == 2 {
			return r.power(name, args[0], args[1])
		}
		if short := name[len("Math."):]; recordedMath[short] && r.RecordedIn(args[0]) == x {
			if i := r.Check.Catalog[x.Node.Type.Name]; i != nil && i.Methods[name] != nil {
				short = name // Math.round rounds halves up, the method round does not
			}
			return r.operateAs(x.Node, short, name)
		}
		return fail("call:Math")
	case realm.IsArray(o) && name == "includes" && r.RecordedIn(args[0]) == x:
		return r.isOneOf(x, o)
	case realm.IsArray(o) && (name == "includes" || name == "indexOf" || name == "lastIndexOf"):
		return fail("oneof", "list", "list")
	case name == "has" && isA("Set"):
		return r.isOneOf(x, r.listOf(o, MaxMixed).(*goja.Object))
	case name == "has" && isA("Map"):
		return fail("call:has")
	case (name == "test" || name == "exec") && o.ClassName() == "RegExp":
		return fail("call:" + name)
	}
	return nil
}

// isOneOf records whether a list includes the value of x. The recorded method ignores null, so a null in the list becomes a condition of its own.
func (r *Guest) isOneOf(x *Recorded, list *goja.Object) goja.Value {
	name := "is in"
	if r.methodOf(x.Node, name) == nil {
		name = "in"
	}
	var items []any
	for _, v := range r.ItemsOf(list, "list", maxItems) {
		if !goja.IsNull(v) {
			items = append(items, v)
		}
	}
	is := r.operate(x.Node, name, r.VM.NewArray(items...))
	if int64(len(items)) == list.Get("length").ToInteger() {
		return is
	}
	return r.operate(r.RecordedIn(is).Node, "||", r.binary("===", r.record(x.Node), goja.Null()))
}

// joined records a call of some or every on an array in a describing callback: it joins the conditions that the
// array's callback returns by || or &&. If it returns a plain value, that value counts as true or false for all rows.
func (r *Guest) joined(name string, list *goja.Object, args []goja.Value) goja.Value {
	f, _ := goja.AssertFunction(args[0])
	op, decided := "||", true
	if name == "every" {
		op, decided = "&&", false
	}
	this, cond := goja.Undefined(), goja.Value(nil)
	if len(args) > 1 {
		this = args[1]
	}
	for i := range int(list.Get("length").ToInteger()) {
		if i >= MaxMixed {
			panic(r.Throw(fail.Errorf(fail.Limit, "", "`%s` goes through more than %d values in a callback, the limit: use a shorter list", name, MaxMixed)))
		}
		item := list.Get(strconv.Itoa(i))
		if item == nil { // an array may have a hole
			continue
		}
		v := r.asTruth(r.invoke(f, this, []goja.Value{item, r.VM.ToValue(i), list}))
		if x := r.RecordedIn(v); x == nil {
			if v.ToBoolean() == decided {
				return r.VM.ToValue(decided)
			}
		} else if cond == nil {
			r.mustHave(x.Node, op, name)
			cond = v
		} else {
			cond = r.operate(r.RecordedIn(cond).Node, op, v)
		}
	}
	if cond == nil {
		return r.VM.ToValue(!decided)
	}
	return cond
}

// extremes maps the functions for the greatest and the least number to the comparison of the result with each other number.
var extremes = map[string]string{"Math.max": ">=", "Math.min": "<="}

const maxExtremes = 6 // the recorded expression grows with the square of the count

// extreme records the greatest or the least of several numbers. Like every calculation, the result is null if a number is null.
func (r *Guest) extreme(n *message.Node, name, op string, args []goja.Value) goja.Value {
	if len(args) > maxExtremes {
		panic(r.Throw(fail.Errorf(fail.Limit, "", "`%s` takes at most %d numbers if one is %s; nest it, like %[1]s(a, %[1]s(b, c))", name, maxExtremes, r.Check.Name(n))))
	}
	for _, a := range args {
		of := ""
		if x := r.RecordedIn(a); x != nil {
			of = r.ValueType(x.Node)
		} else if v, err := r.ToValue(a, forArgument); err == nil {
			of = v.Type()
		}
		if scalar.NumberRank(of) == 0 {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` takes numbers%s", name, hint.And(r.Say(n, "op:"+name, "", "op", op)))))
		}
	}
	result := goja.Value(goja.Null())
	for k := len(args) - 1; k >= 0; k-- {
		var most goja.Value
		for j := range args {
			if j == k {
				continue
			}
			if c := r.binary(op, args[k], args[j]); most == nil {
				most = c
			} else {
				most = r.logical("&&", most, r.VM.ToValue(func(goja.FunctionCall) goja.Value { return c }), func(v goja.Value) bool { return v.ToBoolean() })
			}
		}
		if x := r.RecordedIn(most); x != nil {
			result = r.operate(x.Node, "?:", args[k], result)
		} else if most.ToBoolean() {
			result = args[k]
		}
	}
	return result
}

// listOf returns an array of the items of a set or an iterator. It throws if there are more
// than the number most: a cut list would give an answer that looks complete.
func (r *Guest) listOf(set *goja.Object, most int) goja.Value {
	var items []any
	r.VM.ForOf(set, func(v goja.Value) bool {
		items = append(items, v)
		return len(items) <= most
	})
	if len(items) > most {
		panic(r.Throw(tooMany("list", most)))
	}
	return r.VM.NewArray(items...)
}

// tooMany is the error for a list that is longer than its bound. A list is never cut without an error.
func tooMany(what string, most int) error {
	return fail.Errorf(fail.Limit, "", "the %s has more than %d items: use a shorter one", what, most)
}

// ItemsOf returns the items of an array. It throws if there are more than the number most.
func (r *Guest) ItemsOf(list *goja.Object, what string, most int) []goja.Value {
	n := list.Get("length").ToInteger()
	if n > int64(most) {
		panic(r.Throw(tooMany(what, most)))
	}
	items := make([]goja.Value, n)
	for i := range items {
		if items[i] = list.Get(strconv.Itoa(i)); items[i] == nil { // an array may have a hole
			items[i] = goja.Undefined()
		}
	}
	return items
}

// decider wraps f, so that the call throws if f returns a recorded condition.
func (r *Guest) decider(name string, f goja.Value) goja.Value {
	call, ok := goja.AssertFunction(f)
	if !ok {
		return f
	}
	line, col := r.here()
	some := "list.some(…)"
	if text := r.Prog.Call(line, col); strings.Count(text, "."+name+"(") == 1 {
		some = strings.Replace(text, "."+name+"(", ".some(", 1)
	}
	how := "to ask whether there is one write " + strings.ReplaceAll(some, "%", "%%") + " alone; to use what it finds, await it first and look in the list"
	return r.Function(name, func(c goja.FunctionCall) goja.Value {
		v := r.invoke(call, c.This, c.Arguments)
		r.refuseColumn(v, "`"+name+"` can't decide by %s, which has no value in the program; "+how)
		return v
	})
}

// makes maps functions of JavaScript to the types of their results.
var makes = map[string]string{"Number": "int float decimal", "parseInt": "int", "parseFloat": "int float decimal", "Boolean": "bool", front.DateMark: "time date"}

// refuseSame throws if an expression already has the type that a function makes. The author can write the expression without the call.
func (r *Guest) refuseSame(name, call string, x *Recorded) {
	if of := r.ValueType(x.Node); of != "" && slices.Contains(strings.Fields(makes[name]), of) {
		if s := r.Say(x.Node, "already", "", "it", r.Check.Name(x.Node)); s != "" {
			panic(r.Throw(fail.Errorf(fail.Invalid, "", "`%s` can't convert %s, which has no value in the program; %s", call, r.Check.Name(x.Node), s)))
		}
	}
}

// converted handles an expression as the argument of Number and the like. call is the call as the author writes it. It returns the expression
// itself for Number, if it is a number and never null, which Number would turn into 0. Any other expression is an error.
func (r *Guest) converted(name, call string, v goja.Value) goja.Value {
	x := r.RecordedIn(v)
	if of := x.Node.Type.Args["of"]; name == "Number" && of != nil && !of.Null && (of.Name == value.TypeInt || of.Name == value.TypeFloat) {
		return v
	}
	r.refuseSame(name, call, x)
	r.refuseColumn(v, "`"+call+"` can't convert %s, which has no value in the program", "call:"+name)
	return v
}

// power records an expression multiplied by itself. exponent is the number of factors.
func (r *Guest) power(name string, base, exponent goja.Value) goja.Value {
	x, times := r.RecordedIn(base), -1
	if x == nil {
		x = r.RecordedIn(exponent)
	} else if goja.IsNumber(exponent) && len(exponent.String()) == 1 {
		times = strings.Index("12345678", exponent.String())
	}
	if r.mustHave(x.Node, "*", name); times < 0 {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "the exponent of `%s` with %s must be a whole number from 1 to 8%s", name, r.Check.Name(x.Node), hint.And(r.Say(x.Node, "op:**", "")))))
	}
	v := base
	for range times {
		v = r.operate(x.Node, "*", v)
	}
	return v
}

// callee returns the function that name(...) calls.
func (r *Guest) callee(name string, f goja.Value) goja.Value {
	if !f.SameAs(r.Intrinsics.Get(name)) {
		return f // a function of the program itself
	}
	return r.Function(name, func(c goja.FunctionCall) goja.Value {
		if name == "String" && r.RecordedIn(c.Argument(0)) != nil {
			if r.IsText(c.Argument(0)) {
				return c.Argument(0)
			}
			return r.operateAs(r.RecordedIn(c.Argument(0)).Node, "String", "String(…)")
		}
		if r.RecordedIn(c.Argument(0)) != nil {
			return r.converted(name, name+"(…)", c.Argument(0))
		}
		call, _ := goja.AssertFunction(f)
		return r.invoke(call, goja.Undefined(), c.Arguments)
	})
}

// argumentOfChain checks an argument of list?.includes(x). The call is not rewritten, because a chain that may end early can't be cut in two.
func (r *Guest) argumentOfChain(name string, v goja.Value) goja.Value {
	if x := r.RecordedIn(v); x != nil && name == front.DateMark {
		r.refuseSame(front.DateMark, name+"(…)", x)
		r.refuseColumn(v, "`"+name+"(…)` can't be made of %s, which has no value in the program", "call:Date")
	}
	r.refuseColumn(v, "`"+name+"` can't be used with %s after ?. in a callback; write it without ?.")
	return v
}
