package realm

// This file converts objects for operators and Date. The engine's own conversion calls valueOf and toString, but can't take a Decimal from
// them.

import "github.com/dop251/goja"

// primitive converts an object for an operator or for Date, and returns any other value unchanged. It calls the object's methods once, as
// JavaScript does. The result may be a Decimal.
func (r *Realm) primitive(hint string, v goja.Value) goja.Value {
	o, object := v.(*goja.Object)
	if !object || DecimalIn(v) != nil {
		return v
	}
	give := func(of goja.Value, args ...goja.Value) (goja.Value, bool) {
		f, ok := goja.AssertFunction(of)
		if !ok {
			return nil, false
		}
		x := r.Called(f(o, args...))
		_, object := x.(*goja.Object)
		return x, !object
	}
	if to := o.GetSymbol(goja.SymToPrimitive); to != nil && !goja.IsUndefined(to) && !goja.IsNull(to) {
		if x, ok := give(to, r.VM.ToValue(hint)); ok {
			return x
		}
	} else {
		for _, name := range []string{"valueOf", "toString"} {
			if x, ok := give(o.Get(name)); ok {
				return x
			}
		}
	}
	panic(r.VM.NewTypeError("Cannot convert object to primitive value"))
}

// Primitives converts the operands of an operator that converts objects to primitive values.
func (r *Realm) Primitives(op string, a, b goja.Value) (goja.Value, goja.Value) {
	hint := "number"
	switch op {
	case "==", "!=":
		hint = "default"
		_, left := a.(*goja.Object)
		_, right := b.(*goja.Object)
		if left == right || goja.IsNull(a) || goja.IsNull(b) || goja.IsUndefined(a) || goja.IsUndefined(b) { // two objects are equal only if they are the same, and null equals no object
			return a, b
		}
	case "+":
		hint = "default"
	case "-", "*", "/", "%", "**", "<", "<=", ">", ">=", "|", "&", "^", "<<", ">>", ">>>":
	case "-x", "+x", "~x", "Number":
		return r.primitive(hint, a), nil
	default:
		return a, b
	}
	x := r.primitive(hint, a)
	y := r.primitive(hint, b)
	if op != "+" { // comparing an object's text with a Decimal is no mistake of the program: [] is 0
		if _, object := a.(*goja.Object); object && DecimalIn(y) != nil {
			x = Numeric(x)
		}
		if _, object := b.(*goja.Object); object && DecimalIn(x) != nil {
			y = Numeric(y)
		}
	}
	return x, y
}
