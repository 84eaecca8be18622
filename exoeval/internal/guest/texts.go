package guest

// This file records texts and numbers made of expressions.

import (
	"math"
	"strconv"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// These functions record texts with expressions in them: templates, +, and String(x).

// plus is JavaScript's +. If one side is a text, it joins texts, otherwise it adds numbers.
func (r *Guest) plus(a, b goja.Value) goja.Value {
	text := r.IsText(a) || r.IsText(b)
	if text {
		r.refuseJoined(a, b)
		r.refuseJoined(b, a)
		a, b = r.asText(a), r.asText(b)
	}
	if x := r.RecordedIn(a); x != nil {
		return r.operate(x.Node, "+", b)
	}
	y := r.RecordedIn(b)
	m := "+" // the order of numbers does not matter
	if text {
		m = "prepend"
	}
	if r.methodOf(y.Node, m) == nil {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "`+` can't take %s on its right: read the values first, and use + on them", r.Check.Name(y.Node))))
	}
	return r.operate(y.Node, m, a)
}

// refuseJoined throws if an expression of decimals is joined with the text of a decimal, which results contain. The author means the sum, but
// 12.5 + '1.5' would be recorded as the text '12.51.5'.
func (r *Guest) refuseJoined(column, text goja.Value) {
	x := r.RecordedIn(column)
	if x == nil || r.ValueType(x.Node) != value.TypeDecimal || !goja.IsString(text) {
		return
	}
	if s, ok := scalar.Canonical(value.TypeDecimal, text.String()); ok {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "`+` would join the text %s to %s: to add write Decimal(%[1]s), to join write a template", realm.Quoted(s), r.Check.Name(x.Node))))
	}
}

func (r *Guest) IsText(v goja.Value) bool {
	if x := r.RecordedIn(v); x != nil {
		return r.methodOf(x.Node, "concat") != nil
	}
	return goja.IsString(v)
}

// asText returns v as a text for +. A null stays null instead of the text "null".
func (r *Guest) asText(v goja.Value) goja.Value {
	if x := r.RecordedIn(v); x != nil {
		if r.methodOf(x.Node, "concat") == nil && r.methodOf(x.Node, "String") != nil {
			return r.operate(x.Node, "String")
		}
		return v
	}
	if goja.IsNull(v) || goja.IsUndefined(v) {
		return v
	}
	return r.VM.ToValue(v.String())
}

// template makes the text of a template. If the template has an expression, the text is recorded: texts are joined to the first expression
// from both sides.
func (r *Guest) template(c goja.FunctionCall) goja.Value {
	between := c.Argument(0).(*goja.Object)
	text := between.Get("0").String()
	var parts []goja.Value
	flush := func() {
		if text != "" {
			parts = append(parts, r.VM.ToValue(text))
		}
		text = ""
	}
	columns := 0
	for i, v := range c.Arguments[1:] {
		if x := r.RecordedIn(v); x != nil {
			columns++
			if r.methodOf(x.Node, "concat") == nil && r.methodOf(x.Node, "String") == nil {
				panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s", r.Say(x.Node, "template", "a template can't contain {it}, which has no value in the program", "it", r.Check.Name(x.Node)))))
			}
			flush()
			parts = append(parts, r.asText(v))
		} else {
			text += v.ToString().String()
		}
		text += between.Get(strconv.Itoa(i + 1)).String()
	}
	if columns == 0 {
		return r.VM.ToValue(text)
	}
	flush()
	first, rest := parts[0], parts[1:]
	if r.RecordedIn(first) == nil {
		first, rest = r.operate(r.RecordedIn(rest[0]).Node, "prepend", first), rest[1:]
	}
	for len(rest) > 0 {
		x := r.RecordedIn(first)
		r.mustHave(x.Node, "concat", "${…}")
		n := min(len(rest), max(len(r.methodOf(x.Node, "concat").Params), 1))
		first, rest = r.operate(x.Node, "concat", rest[:n]...), rest[n:]
	}
	return first
}

// numbers returns the check for numbers in this program that JavaScript may have rounded.
func (r *Guest) numbers() front.Numbers {
	return front.Numbers{Check: r.Check, Written: r.Prog.Written}
}

// RefuseInexact throws if a Decimal would be made from a recorded thing, or from a number that has lost digits in JavaScript.
func (r *Guest) RefuseInexact(where string, v goja.Value) {
	if x := r.RecordedIn(v); x != nil {
		panic(r.Throw(fail.Errorf(fail.Invalid, "", "%s", r.Say(x.Node, "decimal", "{by} can't calculate with {it}, which has no value in the program", "by", where, "it", r.Check.Name(x.Node)))))
	}
	if !goja.IsNumber(v) {
		return
	}
	if f, ok := v.Export().(float64); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
		if why := r.numbers().Unheld(value.TypeDecimal, "", value.Float(f)); why != "" {
			panic(r.RangeError(where + " is given " + why))
		}
	}
}
