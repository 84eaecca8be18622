package realm

// This file has Decimal, for decimals and long whole numbers of a program. Its operators are in calculate.go.

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"weak"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// JavaScript has no decimals: its numbers lose cents. A Decimal calculates exactly, by the rules of the database's columns. It is a value,
// like a number.

// Decimal is a decimal, or a whole number beyond 2^53, in the engine. It answers the engine's questions (truth, number, equality) by its
// value, as a number does. A plain object would be wrong: each is true and differs from every other, so `if (row.total)` and `a.total ===
// b.total` would silently fail. The embedded object only has the members; the engine's type switches don't see it. Calculate has the
// operators.
//
// If the engine asks the other operand, our check comes first: Calculate for operators, the guards of package exoeval for natives
// (TestDecimalPairs).
type Decimal struct {
	*goja.Object
	r    *Realm
	text string // the value in canonical form
	n    exact  // the value as a number; set at the first use
	only bool   // the Decimal only searches for other Decimals, and equals no number or text
}

var _ goja.Value = (*Decimal)(nil)

// decimalObject is the Go value of a Decimal's object. A program can imitate prototypes and getters, but can't make an object with a value
// of this type.
type decimalObject struct{ d *Decimal }

var decimalType = reflect.TypeFor[*decimalObject]()

// DecimalIn returns the Decimal in v, or nil. It runs no code of the program.
func DecimalIn(v goja.Value) *Decimal {
	switch v := v.(type) {
	case *Decimal:
		return v
	case *goja.Object: // v may be `this` of a member, or Object(d)
		if v.ExportType() == decimalType {
			return v.Export().(*decimalObject).d
		}
	}
	return nil
}

// NewDecimal returns the Decimal that a text from the host means. ok is false if the text is no decimal.
func (r *Realm) NewDecimal(text string) (v goja.Value, ok bool) {
	if text, ok = scalar.Canonical(value.TypeDecimal, text); !ok {
		return nil, false
	}
	return r.makeDecimal(&Decimal{text: text}), true
}

func (r *Realm) makeDecimal(d *Decimal) *Decimal {
	if r.decimals == nil {
		r.decimals = r.decimalPrototype()
	}
	d.r, r.ChecksOperands = r, true
	d.Object = r.VM.NewDynamicObject(&decimalObject{d})
	if err := d.SetPrototype(r.decimals); err != nil {
		panic(err)
	}
	return d
}

// give returns a calculated number as a Decimal. It throws if ok is false, since the number then has too many digits.
func (r *Realm) give(n exact, ok bool) goja.Value {
	if !ok {
		panic(r.RangeError("the result has more than " + strconv.Itoa(scalar.MaxDigits) + " digits before or after its point; first round the numbers in it with round(places)"))
	}
	return r.makeDecimal(&Decimal{text: n.String(), n: n})
}

func (d *Decimal) exact() exact {
	if d.n.coef == nil {
		d.n, _ = parseExact(d.text)
	}
	return d.n
}

// significant returns the number of digits without the zeros at both ends; at least one.
func (d *Decimal) significant() int {
	return max(1, len(strings.Trim(strings.Replace(d.text, ".", "", 1), "-0")))
}

// Number returns d as a number of JavaScript, which keeps 15 digits. ok is false if d has more, or is beyond its range.
func (d *Decimal) Number() (v goja.Value, ok bool) {
	f := d.ToFloat()
	if d.significant() > 15 || f == 0 && d.text != "0" || math.IsInf(f, 0) {
		return nil, false
	}
	return d.r.VM.ToValue(f), true
}

// Equal returns the number of JavaScript that equals d. The shortest text of that number is d. ok is false if there is none.
func (d *Decimal) Equal() (v goja.Value, ok bool) {
	v = d.ToNumber()
	text, ok := canonical(v)
	return v, ok && text == d.text
}

// Given returns d as an argument for a granted object: a number, if all columns of numbers take it exactly, else the text.
func (d *Decimal) Given() goja.Value {
	if n, ok := d.Number(); ok && math.Abs(n.ToFloat()) <= scalar.SafeInteger {
		return n
	}
	return d.ToString()
}

// JSON returns d for the JSON of a program: a number if that is exact, else the text.
func (d *Decimal) JSON() goja.Value {
	if n, ok := d.Number(); ok {
		return n
	}
	return d.ToString()
}

// equals reports whether v has the value of d. A text may have that value, too, because programs compare with texts.
func (d *Decimal) equals(v goja.Value) bool {
	if o := DecimalIn(v); o != nil {
		return o.text == d.text
	}
	if d.only || !goja.IsNumber(v) && !goja.IsString(v) {
		return false
	}
	text, ok := canonical(v)
	return ok && text == d.text
}

// canonical returns a number or a text as a decimal, or false if v is none. It skips a text longer than any decimal, because a search may call
// canonical a million times.
func canonical(v goja.Value) (string, bool) {
	if s, ok := v.(goja.String); ok && s.Length() > 4*scalar.MaxDigits {
		return "", false
	}
	text := v.String()
	if goja.IsNumber(v) {
		if f, ok := v.Export().(float64); ok {
			text = strconv.FormatFloat(f, 'e', -1, 64)
		}
	}
	return scalar.Canonical(value.TypeDecimal, text)
}

// ToBoolean implements goja.Value. Only zero is false.
func (d *Decimal) ToBoolean() bool { return d.text != "0" }

// StrictEquals implements goja.Value.
func (d *Decimal) StrictEquals(v goja.Value) bool { return d.equals(v) }

// SameAs implements goja.Value.
func (d *Decimal) SameAs(v goja.Value) bool { return d.equals(v) }

// Equals implements goja.Value.
func (d *Decimal) Equals(v goja.Value) bool {
	if _, object := v.(*goja.Object); object {
		if DecimalIn(v) == nil {
			v = v.ToNumber()
		}
	} else if _, is := v.Export().(bool); is {
		v = v.ToNumber()
	}
	return d.equals(v)
}

// ToFloat implements goja.Value. It returns the nearest number.
func (d *Decimal) ToFloat() float64 {
	f, _ := strconv.ParseFloat(d.text, 64)
	return f
}

// ToNumber implements goja.Value.
func (d *Decimal) ToNumber() goja.Value { return d.r.VM.ToValue(d.ToFloat()) }

// ToInteger implements goja.Value.
func (d *Decimal) ToInteger() int64 { return d.ToNumber().ToInteger() }

// ToString implements goja.Value.
func (d *Decimal) ToString() goja.Value { return d.r.VM.ToValue(d.text) }

// String implements goja.Value.
func (d *Decimal) String() string { return d.text }

// ToObject implements goja.Value.
func (d *Decimal) ToObject(*goja.Runtime) *goja.Object { return d.Object }

// Export implements goja.Value.
func (d *Decimal) Export() any { return d.text }

// ExportType implements goja.Value.
func (d *Decimal) ExportType() reflect.Type { return reflect.TypeFor[string]() }

// Key returns the Decimal with the value of d that collections have as a key, because the engine hashes addresses. keep is true if the program
// adds the Decimal to a collection. A Decimal in no collection is forgotten.
func (d *Decimal) Key(keep bool) *Decimal {
	keys := d.r.keys
	if k := keys[d.text].Value(); k != nil {
		return k
	}
	if keep {
		if len(keys) >= d.r.sweep {
			maps.DeleteFunc(keys, func(_ string, k weak.Pointer[Decimal]) bool { return k.Value() == nil })
			d.r.sweep = max(1024, 2*len(keys))
		}
		if keys == nil {
			keys = map[string]weak.Pointer[Decimal]{}
			d.r.keys = keys
		}
		keys[strings.Clone(d.text)] = weak.Make(d)
	}
	return d
}

// KeyOf returns the Decimal that collections have as a key and that equals a number or a text, or nil.
func (r *Realm) KeyOf(v goja.Value) *Decimal {
	if len(r.keys) == 0 || !goja.IsNumber(v) && !goja.IsString(v) {
		return nil
	}
	text, ok := canonical(v)
	if !ok {
		return nil
	}
	return r.keys[text].Value()
}

// Seeker returns a value that a search compares with Decimals: it equals those with the value of a number or a text. It is nil if no Decimal
// can have that value.
func (r *Realm) Seeker(v goja.Value) goja.Value {
	if !goja.IsNumber(v) && !goja.IsString(v) {
		return nil
	}
	text, ok := canonical(v)
	if !ok {
		return nil
	}
	return r.makeDecimal(&Decimal{text: text, only: true})
}

// decimalMembers are the members of a Decimal.
var decimalMembers = []string{"plus", "minus", "times", "div", "cmp", "eq", "lt", "gt", "round", "neg", "abs", "toFixed", "toPrecision", "toExponential", "toLocaleString", "toString", "toJSON", "toNumber", "valueOf"}

// decimalHabits are members of other libraries' decimals, with what to write instead.
var decimalHabits = map[string]string{"add": "a + b", "sub": "a - b", "subtract": "a - b", "mul": "a * b", "multiply": "a * b", "multipliedBy": "a * b",
	"divide": "a / b", "dividedBy": "a / b", "equals": "a === b", "lte": "a <= b", "gte": "a >= b", "greaterThan": "a > b", "lessThan": "a < b",
	"comparedTo": "a.cmp(b)", "isZero": "a === 0", "negated": "-a", "toDecimalPlaces": "a.round(places)", "isNegative": "a < 0", "isPositive": "a > 0"}

// askedOfThrown are members that programs often read of a thrown value.
var askedOfThrown = map[string]bool{"name": true, "message": true, "stack": true, "cause": true, "code": true}

// textHabits are members of texts. Decimals are texts in some libraries, and were once texts here.
var textHabits = []string{"length", "slice", "split", "replace", "replaceAll", "padStart", "padEnd", "startsWith", "endsWith", "includes", "indexOf", "substring", "trim", "concat", "charAt", "match", "localeCompare", "at"}

// Get implements goja.DynamicObject. The prototype has the members. An unknown member is an error.
func (x *decimalObject) Get(name string) goja.Value {
	d := x.d
	if slices.Contains(decimalMembers, name) || Quiet(name) || askedOfThrown[name] {
		return nil
	}
	if v := d.r.Objects().Get(name); v != nil {
		return nil // members of all objects are not here
	}
	if way := decimalHabits[name]; way != "" {
		panic(d.r.VM.NewTypeError("a Decimal has no `%s`: write %s", name, way))
	}
	if slices.Contains(textHabits, name) {
		panic(d.r.VM.NewTypeError("a Decimal is a number and has no `%s`: for its text write String(a).%s", name, name))
	}
	if near := scalar.Nearest(name, decimalMembers); near != "" {
		panic(d.r.VM.NewTypeError("a Decimal has no `%s`: did you mean `%s`?", scalar.Shorten(name, 60), near))
	}
	panic(d.r.VM.NewTypeError("a Decimal has no `%s`; it has %s", scalar.Shorten(name, 60), strings.Join(decimalMembers, ", ")))
}

// Set implements goja.DynamicObject. It always throws, since nothing can be set.
func (x *decimalObject) Set(string, goja.Value) bool {
	panic(x.d.r.VM.NewTypeError("a Decimal can't be changed: calculate a new one, like a + 1"))
}
func (x *decimalObject) Has(string) bool    { return false }
func (x *decimalObject) Delete(string) bool { return false }
func (x *decimalObject) Keys() []string     { return nil }

// AddDecimal makes the global Decimal and freezes it.
func (r *Realm) AddDecimal(made map[string]goja.Value) {
	r.ChecksOperands = true
	if r.decimals == nil {
		r.decimals = r.decimalPrototype()
	}
	class := r.Function("Decimal", func(c goja.FunctionCall) goja.Value {
		return r.give(r.exactOf("Decimal", c.Argument(0)), true)
	})
	Fix(class, "name", r.VM.ToValue("Decimal"))
	Fix(class, "prototype", r.decimals)
	r.freeze(class)
	made["Decimal"] = class
}

func (r *Realm) freeze(o goja.Value) {
	Native(r.Intrinsic("Object"), "freeze")(goja.FunctionCall{Arguments: []goja.Value{o}})
}

// decimalPrototype makes the object with the members of every Decimal.
func (r *Realm) decimalPrototype() *goja.Object {
	proto := r.VM.NewObject()
	add := func(name string, f func(d *Decimal, c goja.FunctionCall) goja.Value) {
		Hide(proto, name, r.Function(name, func(c goja.FunctionCall) goja.Value {
			d := DecimalIn(c.This)
			if d == nil {
				panic(r.VM.NewTypeError("%s is a method of a Decimal, and was called on another value: write Decimal(value).%[1]s(…)", name))
			}
			return f(d, c)
		}))
	}
	// Methods are added in a fixed order, since the order of a map varies. So a program that lists them has the same result in each run.
	calculate := func(name string, f func(a, b exact) (exact, bool)) {
		add(name, func(d *Decimal, c goja.FunctionCall) goja.Value {
			b := r.exactOf(name, c.Argument(0))
			if name == "div" && b.coef.Sign() == 0 {
				panic(r.RangeError("a Decimal can't be divided by zero: compare the divisor with 0 first"))
			}
			return r.give(f(d.exact(), b))
		})
	}
	calculate("plus", exact.plus)
	calculate("minus", exact.minus)
	calculate("times", exact.times)
	calculate("div", exact.div)
	compare := func(name string, f func(cmp int) any) {
		add(name, func(d *Decimal, c goja.FunctionCall) goja.Value {
			return r.VM.ToValue(f(d.exact().cmp(r.exactOf(name, c.Argument(0)))))
		})
	}
	compare("cmp", func(c int) any { return c })
	compare("eq", func(c int) any { return c == 0 })
	compare("lt", func(c int) any { return c < 0 })
	compare("gt", func(c int) any { return c > 0 })
	add("neg", func(d *Decimal, _ goja.FunctionCall) goja.Value { return r.give(d.exact().neg(), true) })
	add("abs", func(d *Decimal, _ goja.FunctionCall) goja.Value { return r.give(d.exact().abs(), true) })
	add("round", func(d *Decimal, c goja.FunctionCall) goja.Value {
		return r.give(d.exact().round(r.places(c.Argument(0))))
	})
	add("toFixed", func(d *Decimal, c goja.FunctionCall) goja.Value {
		places := r.places(c.Argument(0))
		n, ok := d.exact().round(places)
		r.give(n, ok)
		return r.VM.ToValue(n.fixed(places))
	})
	add("toLocaleString", func(d *Decimal, c goja.FunctionCall) goja.Value {
		return r.VM.ToValue(r.numberFormat(c.Argument(0), c.Argument(1)).formatExact(d.exact()))
	})
	inRadix := Native(r.VM.ToValue(0).ToObject(r.VM).Prototype(), "toString")
	add("toString", func(d *Decimal, c goja.FunctionCall) goja.Value {
		if radix := c.Argument(0); goja.IsUndefined(radix) || radix.ToInteger() == 10 {
			return d.ToString()
		}
		c.This = d.ToNumber()
		return inRadix(c)
	})
	for name, least := range map[string]int64{"toPrecision": 1, "toExponential": 0} {
		add(name, func(d *Decimal, c goja.FunctionCall) goja.Value {
			n, of := c.Argument(0).ToInteger(), d.significant()
			switch given := !goja.IsUndefined(c.Argument(0)); {
			case given && (n < least || n > 100):
				panic(r.RangeError(fmt.Sprintf("%s takes a number of digits from %d to 100", name, least)))
			case given:
				of = int(n + 1 - least)
			case least == 1:
				return d.ToString()
			}
			return r.VM.ToValue(d.exact().digits(of, least == 0))
		})
	}
	add("toJSON", func(d *Decimal, _ goja.FunctionCall) goja.Value { return d.JSON() })
	add("toNumber", func(d *Decimal, _ goja.FunctionCall) goja.Value { return d.ToNumber() })
	add("valueOf", func(d *Decimal, _ goja.FunctionCall) goja.Value { return d })
	// Object(d) and natives use these methods of the object. To the engine a Decimal itself is no object.
	primitive := r.Function("[Symbol.toPrimitive]", func(c goja.FunctionCall) goja.Value {
		d := DecimalIn(c.This)
		if d == nil {
			panic(r.VM.NewTypeError("this method works only on a Decimal: write Decimal(value)"))
		}
		if c.Argument(0).String() == "string" {
			return d.ToString()
		}
		return d.ToNumber()
	})
	if err := proto.DefineDataPropertySymbol(goja.SymToPrimitive, primitive, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
	r.freeze(proto)
	return proto
}

// exactOf reads an argument of Decimal or its methods. A number means the decimal with its shortest text.
func (r *Realm) exactOf(where string, v goja.Value) exact {
	r.RefuseExact(where, v)
	if d := DecimalIn(v); d != nil {
		return d.exact()
	}
	wants := where + " takes a Decimal, a number or a text like '12.50'"
	if goja.IsUndefined(v) || goja.IsNull(v) {
		panic(r.VM.NewTypeError("%s, not %s; for a value that may be missing write value ?? 0", wants, v.String()))
	}
	switch v.(type) {
	case *goja.Object:
		panic(r.VM.NewTypeError("%s, not an object", wants))
	case *goja.Symbol:
		panic(r.VM.NewTypeError("%s, not a symbol", wants))
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

// places reads the number of places that round and toFixed get, and throws if it is not allowed.
func (r *Realm) places(v goja.Value) int {
	if goja.IsUndefined(v) {
		return 0
	}
	if n, ok := v.Export().(int64); ok && n >= 0 && n <= scalar.MaxDigits {
		return int(n)
	}
	panic(r.RangeError("the number of places must be a whole number from 0 to " + strconv.Itoa(scalar.MaxDigits)))
}
