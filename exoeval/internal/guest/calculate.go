package guest

// Decimals as programs get them and calculate with them: by the types of replies, and in the operators of functions that
// record nothing.

import (
	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// A text in a reply is a Decimal where the type of the call says so, whatever the text is: "12" of a text column stays a
// text. A whole number beyond 2^53 is one by its value.

// shown is the type of a value that an expression of type t shows.
func (r *Guest) shown(t *message.Type) *message.Type {
	if t != nil {
		if i := r.Check.Catalog[t.Name]; i != nil && i.Expr && t.Args["of"] != nil {
			return t.Args["of"]
		}
	}
	return t
}

// elementType is the type of the items of a list, or of the rows of a link; nil where nothing is known.
func (r *Guest) elementType(t *message.Type) *message.Type {
	if t = r.shown(t); t == nil {
		return nil
	}
	if one := t.Args["one"]; one != nil {
		return one
	}
	return t.Args["of"]
}

// fieldType is the type of a field of a record; nil where nothing is known.
func (r *Guest) fieldType(t *message.Type, name string) *message.Type {
	if t = r.shown(t); t == nil {
		return nil
	}
	if t.Args["one"] != nil { // the row of a link
		t = t.Args["one"]
	}
	return r.Check.Catalog.FieldType(t, name)
}

// cellTypes are the types of the cells of a row, appended.
func (r *Guest) cellTypes(s *value.Shape, of *message.Type, types []*message.Type) []*message.Type {
	if s == nil {
		return nil
	}
	for i, n := range s.Names {
		if sub := s.Sub(i); sub != nil {
			types = r.cellTypes(sub, r.fieldType(of, n), types)
		} else {
			types = append(types, r.fieldType(of, n))
		}
	}
	return types
}

// showsDecimals reports whether a reply of a type can hold a decimal.
func (r *Guest) showsDecimals(t *message.Type, depth int) bool {
	if t = r.shown(t); t == nil || depth > 16 {
		return false
	}
	if t.Name == value.TypeDecimal {
		return true
	}
	if i := r.Check.Catalog[t.Name]; i != nil && !i.Expr {
		for _, f := range i.Fields {
			if r.showsDecimals(f.Type, depth+1) {
				return true
			}
		}
		return false
	}
	for _, f := range t.Fields {
		if r.showsDecimals(f.Type, depth+1) {
			return true
		}
	}
	return r.showsDecimals(t.Args["of"], depth+1) || r.showsDecimals(t.Args["one"], depth+1)
}

// exactly makes the program check operands from now on, once a reply has come that holds Decimals.
func (r *Guest) exactly(v value.Value, of *message.Type) {
	if !r.HasDecimals && (r.showsDecimals(of, 0) || v.Wide()) {
		r.HasDecimals = true
	}
	if r.HasDecimals && r.calculates != nil {
		r.thunk(r.calculates)
		r.calculates = nil
	}
}

// number is the result of a calculation with two numbers, or nil: without the engine, since loops of programs that read
// decimals come here for each operator.
func (r *Guest) number(op string, a, b goja.Value) goja.Value {
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
	case "<":
		return r.VM.ToValue(x < y)
	case "<=":
		return r.VM.ToValue(x <= y)
	case ">":
		return r.VM.ToValue(x > y)
	case ">=":
		return r.VM.ToValue(x >= y)
	case "===", "==":
		return r.VM.ToValue(x == y)
	case "!==", "!=":
		return r.VM.ToValue(x != y)
	default:
		return nil
	}
	return r.VM.ToValue(x)
}

// calculate is an operator of a function that records nothing.
func (r *Guest) calculate(op string, a, b goja.Value) goja.Value {
	a, b = r.primitives(op, a, b)
	for _, v := range []goja.Value{a, b} {
		if x, recorded := v.(*Opaque); recorded {
			panic(x.refuse()) // the engine would ask one operand alone
		}
	}
	if b != nil {
		if v := r.number(op, a, b); v != nil {
			return v
		}
	}
	if v := r.Calculate(op, a, b, r.plain); v != nil {
		return v
	}
	switch {
	case op == "case":
		return a
	case b == nil:
		return r.plain(op, a)
	}
	return r.plain(op, a, b)
}

// target is the member that an operator assigns to: the object and the name are evaluated once, and the member is read
// before the other operand is evaluated, as in JavaScript.
type target struct {
	*goja.Object
	of, name, was goja.Value
}

// primitive is what an object is to an operator that calculates or compares. It is asked once, as in JavaScript, and may be a Decimal.
func (r *Guest) primitive(op string, v goja.Value) goja.Value {
	o, object := v.(*goja.Object)
	if !object || realm.DecimalIn(v) != nil {
		return v
	}
	hint := "number"
	if op == "+" || op == "==" || op == "!=" {
		hint = "default"
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

// primitives are the operands of an operator that asks objects what they are.
func (r *Guest) primitives(op string, a, b goja.Value) (goja.Value, goja.Value) {
	switch op {
	case "==", "!=":
		_, left := a.(*goja.Object)
		_, right := b.(*goja.Object)
		if left == right || goja.IsNull(a) || goja.IsNull(b) || goja.IsUndefined(a) || goja.IsUndefined(b) { // two objects are equal if they are one
			return a, b
		}
	case "+", "-", "*", "/", "%", "**", "<", "<=", ">", ">=":
	case "-x":
		return r.primitive(op, a), nil
	default:
		return a, b
	}
	x := r.primitive(op, a)
	y := r.primitive(op, b)
	if op != "+" { // where texts are compared with a Decimal, those of objects are no mistake of the program: [] is 0
		if x != a && realm.DecimalIn(y) != nil {
			x = numeric(x)
		}
		if y != b && realm.DecimalIn(x) != nil {
			y = numeric(y)
		}
	}
	return x, y
}

func numeric(v goja.Value) goja.Value {
	if goja.IsString(v) {
		return v.ToNumber()
	}
	return v
}
