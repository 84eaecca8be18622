package realm

// This file has the operators of JavaScript with a Decimal as an operand.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// Calculate applies an operator if a or b is a Decimal, and returns nil if neither is. The function plain applies it to JavaScript's own values.
// A Decimal calculates exactly with other numbers, joins texts by +, and compares by value. Quotients are cut after as many places as in
// columns, small quotients after more. `-x` is the operator with one operand.
func (r *Realm) Calculate(op string, a, b goja.Value, plain func(op string, args ...goja.Value) goja.Value) goja.Value {
	x, y := DecimalIn(a), DecimalIn(b)
	if x == nil && y == nil {
		return nil
	}
	switch op {
	case "-x":
		return r.give(x.exact().neg(), true)
	case "+x", "~x":
		return plain(op, a.ToNumber())
	case "|", "&", "^", "<<", ">>", ">>>":
		return plain(op, a.ToNumber(), b.ToNumber())
	case "Number":
		return a
	case "case": // switch compares by identity, so a Decimal that equals a number becomes that number
		if n, ok := x.Equal(); ok {
			return n
		}
		return x
	case "typeof":
		return r.VM.ToValue("number")
	case "===", "==", "!==", "!=":
		d, other := x, b
		if d == nil {
			d, other = y, a
		}
		same := d.StrictEquals
		if len(op) == 2 {
			same = d.Equals
		}
		return r.VM.ToValue(same(other) == (op[0] == '='))
	case "instanceof", "in":
		if x != nil {
			a = x.Object
		}
		return plain(op, a, b)
	case "+":
		if goja.IsString(a) || goja.IsString(b) {
			return plain("+", textOf(a), textOf(b))
		}
	}
	m, ok := r.operand(op, a)
	n, ok2 := r.operand(op, b)
	if !ok || !ok2 { // with NaN, an infinity or undefined JavaScript decides
		if op == "%" && ok && math.IsInf(b.ToFloat(), 0) {
			return a
		}
		return plain(op, finite(a), finite(b))
	}
	switch op {
	case "+":
		return r.give(m.plus(n))
	case "-":
		return r.give(m.minus(n))
	case "*":
		return r.give(m.times(n))
	case "<":
		return r.VM.ToValue(m.cmp(n) < 0)
	case "<=":
		return r.VM.ToValue(m.cmp(n) <= 0)
	case ">":
		return r.VM.ToValue(m.cmp(n) > 0)
	case ">=":
		return r.VM.ToValue(m.cmp(n) >= 0)
	case "/", "%":
		switch {
		case n.coef.Sign() == 0:
		case op == "/":
			return r.give(m.quotient(n))
		default:
			return r.give(m.mod(n))
		}
	case "**":
		if n.places == 0 && n.coef.IsInt64() && n.coef.Int64() == int64(int32(n.coef.Int64())) {
			if p, ok := m.power(int(n.coef.Int64())); ok {
				return r.give(p, true)
			}
			v := plain(op, a.ToNumber(), b.ToNumber()) // JavaScript calculates with the nearest numbers
			if math.IsInf(v.ToFloat(), 0) && m.coef.Sign() != 0 {
				return r.give(m, false)
			}
			return v
		}
	}
	return plain(op, a.ToNumber(), b.ToNumber()) // JavaScript decides for a division by zero, and a power that is no decimal
}

func textOf(v goja.Value) goja.Value {
	if d := DecimalIn(v); d != nil {
		return d.ToString()
	}
	return v
}

// finite returns v as a number of JavaScript. A Decimal beyond the range of numbers becomes the largest number of its sign, and one too near
// to zero the smallest. So it stays less than an infinity and is not zero.
func finite(v goja.Value) goja.Value {
	d := DecimalIn(v)
	if d == nil {
		return v.ToNumber()
	}
	f, sign := d.ToFloat(), float64(d.exact().coef.Sign())
	switch {
	case math.IsInf(f, 0):
		f = sign * math.MaxFloat64
	case f == 0:
		f = sign * math.SmallestNonzeroFloat64
	}
	return d.r.VM.ToValue(f)
}

// operand returns the exact number of an operand. ok is false for all but finite numbers.
func (r *Realm) operand(op string, v goja.Value) (n exact, ok bool) {
	if d := DecimalIn(v); d != nil {
		return d.exact(), true
	}
	if goja.IsString(v) {
		if n, ok := parseExact(strings.TrimSpace(v.String())); ok {
			return n, true
		}
		if strings.ContainsAny(op, "<>") {
			panic(r.VM.NewTypeError("`%s` compares a Decimal with %s, which is no number; to compare texts write String(a) %s b", op, Quoted(v.String()), op))
		}
	}
	v = v.ToNumber() // throws for a symbol
	f := v.ToFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return n, false
	}
	r.RefuseExact("`"+op+"`", v)
	return parseExact(strconv.FormatFloat(f, 'e', -1, 64))
}

// Exactly calls a function of Math or of Number if an argument is a Decimal. It returns nil if JavaScript's own function decides. The text of a
// time is refused where the result would be NaN.
func (r *Realm) Exactly(name string, args []goja.Value) goja.Value {
	if !strings.HasPrefix(name, "is") {
		r.refuseTime("Math."+name+" can't calculate with", args...)
	}
	first := DecimalIn(args[0])
	if !slices.ContainsFunc(args, func(v goja.Value) bool { return DecimalIn(v) != nil }) {
		return nil
	}
	if name == "max" || name == "min" {
		var best goja.Value
		var most exact
		for _, v := range args {
			n, ok := r.operand(name, v)
			if f := v.ToFloat(); !ok && math.IsInf(f, 0) && (name == "max") == (f < 0) {
				continue // an infinity that never is the result
			} else if !ok {
				return nil
			}
			if c := 0; best == nil || func() bool { c = n.cmp(most); return name == "max" && c > 0 || name == "min" && c < 0 }() {
				best, most = v, n
			}
		}
		if d := DecimalIn(best); d != nil {
			return d
		}
		return r.give(most, true)
	}
	if first == nil {
		return nil
	}
	n := first.exact()
	switch name {
	case "abs":
		return r.give(n.abs(), true)
	case "sign":
		return r.VM.ToValue(n.coef.Sign())
	case "floor", "ceil", "trunc", "round":
		return r.give(n.whole(name))
	case "isFinite":
		return r.VM.ToValue(true)
	case "isInteger":
		return r.VM.ToValue(n.places == 0)
	case "isSafeInteger":
		return r.VM.ToValue(n.places == 0 && n.coef.BitLen() <= 53)
	}
	return nil
}

// Numbers returns the result of a calculation with two numbers, or nil. Loops in programs with Decimals call it for each operator, so it does
// not use the engine.
func (r *Realm) Numbers(op string, a, b goja.Value) goja.Value {
	if !goja.IsNumber(a) || !goja.IsNumber(b) {
		return nil
	}
	x, y := a.ToFloat(), b.ToFloat()
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	case "/":
		x /= y
	case "<", ">=":
		return r.VM.ToValue(x < y == (op == "<") && x == x && y == y)
	case ">", "<=":
		return r.VM.ToValue(x > y == (op == ">") && x == x && y == y)
	default:
		return nil
	}
	return r.VM.ToValue(x)
}

// Numeric returns the number that JavaScript makes of an object's text to calculate or compare: [] is 0.
func Numeric(v goja.Value) goja.Value {
	if goja.IsString(v) {
		return v.ToNumber()
	}
	return v
}
