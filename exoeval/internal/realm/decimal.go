package realm

// Decimal, the one global that JavaScript does not have.

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/internal/scalar"
)

// JavaScript has no decimals: + joins the texts that results hold, and Number loses
// cents. Decimal calculates with them exactly, by the rules of the database's columns.

// decimalObject is the number behind an object of the program: immutable, and known by
// its Go type, which nothing that a program makes has. Prototypes and getters prove nothing.
type decimalObject struct {
	r *Realm
	n exact
}

var decimalType = reflect.TypeFor[*decimalObject]()

// decimalIn is the Decimal that v is, or nil. It runs nothing of the program.
func decimalIn(v goja.Value) *decimalObject {
	if o, ok := v.(*goja.Object); ok && o.ExportType() == decimalType {
		return o.Export().(*decimalObject)
	}
	return nil
}

// DecimalText is the text of the Decimal that v is; ok is false if v is none. It runs nothing of the program.
func DecimalText(v goja.Value) (text string, ok bool) {
	if d := decimalIn(v); d != nil {
		return d.n.String(), true
	}
	return "", false
}

// decimalMembers are what a Decimal has.
var decimalMembers = []string{"plus", "minus", "times", "div", "cmp", "eq", "lt", "gt", "round", "neg", "abs", "toFixed", "toLocaleString", "toString", "toJSON", "valueOf"}

// decimalHabits are members that other libraries have, and JavaScript's numbers.
var decimalHabits = map[string]string{"add": "a.plus(b)", "sub": "a.minus(b)", "subtract": "a.minus(b)", "mul": "a.times(b)", "multiply": "a.times(b)", "multipliedBy": "a.times(b)",
	"divide": "a.div(b)", "dividedBy": "a.div(b)", "equals": "a.eq(b)", "lte": "a.cmp(b) <= 0", "gte": "a.cmp(b) >= 0", "greaterThan": "a.gt(b)", "lessThan": "a.lt(b)",
	"comparedTo": "a.cmp(b)", "isZero": "a.eq(0)", "negated": "a.neg()", "toNumber": "Number(`${a}`), which is not exact", "toDecimalPlaces": "a.round(places)", "isNegative": "a.lt(0)", "isPositive": "a.gt(0)"}

// askedOfThrown are members that are looked for in whatever is thrown, and by habit.
var askedOfThrown = map[string]bool{"name": true, "message": true, "stack": true, "cause": true, "code": true}

// Get implements goja.DynamicObject: members are the prototype's, and one that is
// nowhere is an error.
func (d *decimalObject) Get(name string) goja.Value {
	if slices.Contains(decimalMembers, name) || Quiet(name) || askedOfThrown[name] {
		return nil
	}
	if v := d.r.Objects().Get(name); v != nil {
		return nil // of every object
	}
	if way := decimalHabits[name]; way != "" {
		panic(d.r.VM.NewTypeError("a Decimal has no `%s`: write %s", name, way))
	}
	if near := scalar.Nearest(name, decimalMembers); near != "" {
		panic(d.r.VM.NewTypeError("a Decimal has no `%s`: did you mean `%s`?", scalar.Shorten(name, 60), near))
	}
	panic(d.r.VM.NewTypeError("a Decimal has no `%s`; it has %s", scalar.Shorten(name, 60), strings.Join(decimalMembers, ", ")))
}

// Set implements goja.DynamicObject: nothing can be set.
func (d *decimalObject) Set(string, goja.Value) bool {
	panic(d.r.VM.NewTypeError("a Decimal can't be changed; its methods give new ones"))
}
func (d *decimalObject) Has(string) bool    { return false }
func (d *decimalObject) Delete(string) bool { return false }
func (d *decimalObject) Keys() []string     { return nil }

const noOperators = "operators don't work on a Decimal: write a.plus(b), a.minus(b), a.times(b), a.div(b), a.cmp(b) or a.eq(b), `${a}` for its text, and Number(`${a}`) for the nearest number"

// AddDecimal makes Decimal, and freezes it: what is written where one meets + is ours.
func (r *Realm) AddDecimal(made map[string]goja.Value) {
	var class, proto *goja.Object
	give := func(n exact, ok bool) goja.Value {
		if !ok {
			panic(r.RangeError("the result has more than " + strconv.Itoa(scalar.MaxDigits) + " digits before or behind its point; round(places) its parts before"))
		}
		o := r.VM.NewDynamicObject(&decimalObject{r, n})
		if err := o.SetPrototype(proto); err != nil {
			panic(err)
		}
		return o
	}
	class = r.VM.ToValue(func(c goja.ConstructorCall) *goja.Object {
		if c.NewTarget != nil && c.NewTarget != class {
			panic(r.VM.NewTypeError("Decimal can't be extended; write functions of it"))
		}
		return give(r.exactOf("Decimal", c.Argument(0)), true).(*goja.Object)
	}).(*goja.Object)
	proto = class.Get("prototype").(*goja.Object)
	Fix(class, "name", r.VM.ToValue("Decimal"))

	add := func(name string, f func(a exact, c goja.FunctionCall) goja.Value) {
		Hide(proto, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			d := decimalIn(c.This)
			if d == nil {
				panic(r.VM.NewTypeError("%s is a method of a Decimal, and was called without one", name))
			}
			return f(d.n, c)
		}))
	}
	// In an order, not from a map: a program that lists them runs alike each time.
	calculate := func(name string, f func(a, b exact) (exact, bool)) {
		add(name, func(a exact, c goja.FunctionCall) goja.Value {
			b := r.exactOf(name, c.Argument(0))
			if name == "div" && b.coef.Sign() == 0 {
				panic(r.RangeError("a Decimal can't be divided by zero"))
			}
			return give(f(a, b))
		})
	}
	calculate("plus", exact.plus)
	calculate("minus", exact.minus)
	calculate("times", exact.times)
	calculate("div", exact.div)
	compare := func(name string, f func(cmp int) any) {
		add(name, func(a exact, c goja.FunctionCall) goja.Value {
			return r.VM.ToValue(f(a.cmp(r.exactOf(name, c.Argument(0)))))
		})
	}
	compare("cmp", func(c int) any { return c })
	compare("eq", func(c int) any { return c == 0 })
	compare("lt", func(c int) any { return c < 0 })
	compare("gt", func(c int) any { return c > 0 })
	add("neg", func(a exact, _ goja.FunctionCall) goja.Value { return give(a.neg(), true) })
	add("abs", func(a exact, _ goja.FunctionCall) goja.Value { return give(a.abs(), true) })
	add("round", func(a exact, c goja.FunctionCall) goja.Value { return give(a.round(r.places(c.Argument(0)))) })
	add("toFixed", func(a exact, c goja.FunctionCall) goja.Value {
		places := r.places(c.Argument(0))
		n, ok := a.round(places)
		give(n, ok)
		return r.VM.ToValue(n.fixed(places))
	})
	add("toLocaleString", func(a exact, c goja.FunctionCall) goja.Value {
		return r.VM.ToValue(r.numberFormat(c.Argument(0), c.Argument(1)).formatExact(a))
	})
	for _, name := range []string{"toString", "toJSON"} {
		add(name, func(a exact, _ goja.FunctionCall) goja.Value { return r.VM.ToValue(a.String()) })
	}
	add("valueOf", func(exact, goja.FunctionCall) goja.Value { panic(r.VM.NewTypeError(noOperators)) })
	primitive := r.Function("[Symbol.toPrimitive]", func(c goja.FunctionCall) goja.Value {
		if d := decimalIn(c.This); d != nil && c.Argument(0).String() == "string" {
			return r.VM.ToValue(d.n.String())
		}
		panic(r.VM.NewTypeError(noOperators))
	})
	if err := proto.DefineDataPropertySymbol(goja.SymToPrimitive, primitive, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	freeze := Native(r.Intrinsic("Object"), "freeze")
	for _, o := range []goja.Value{proto, class} {
		freeze(goja.FunctionCall{Arguments: []goja.Value{o}})
	}
	made["Decimal"] = class
	Hide(r.Intrinsics, "Decimal", class) // for structuredClone
}

// exactOf reads what Decimal and its methods take. A number stands for its shortest text.
func (r *Realm) exactOf(where string, v goja.Value) exact {
	r.RefuseExact(where, v)
	if d := decimalIn(v); d != nil {
		return d.n
	}
	wants := where + " takes a Decimal, a number or a text like '12.50'"
	if goja.IsUndefined(v) || goja.IsNull(v) {
		panic(r.VM.NewTypeError("%s, not %s; for a value that may be missing write value ?? 0", wants, v.String()))
	}
	_, object := v.(*goja.Object)
	_, symbol := v.(*goja.Symbol)
	if object || symbol {
		panic(r.VM.NewTypeError("%s, and this is none", wants))
	}
	text := v.String()
	switch x := v.Export().(type) {
	case string:
	case int64:
		text = strconv.FormatInt(x, 10)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			panic(r.RangeError(wants + ", not " + text))
		}
		text = strconv.FormatFloat(x, 'e', -1, 64)
	default:
		panic(r.VM.NewTypeError("%s, not %s", wants, Quoted(text)))
	}
	n, ok := parseExact(text)
	if !ok {
		panic(r.RangeError(wants + " with at most " + strconv.Itoa(scalar.MaxDigits) + " digits on each side of its point, not " + Quoted(text)))
	}
	return n
}

// places is the argument of round and toFixed.
func (r *Realm) places(v goja.Value) int {
	if goja.IsUndefined(v) {
		return 0
	}
	if n, ok := v.Export().(int64); ok && n >= 0 && n <= scalar.MaxDigits {
		return int(n)
	}
	panic(r.RangeError("places must be a whole number from 0 to " + strconv.Itoa(scalar.MaxDigits)))
}
