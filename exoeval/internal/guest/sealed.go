package guest

// This file has sealed values as the program sees them.

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// A program sees a sealed value as a recorded literal without members. If the engine asks for its truth, number or text, or compares it, the value
// throws, like a column (opaque). The program's side has only the number of a sealed value, nothing of its content. A program can keep a sealed
// value, put it into objects, arrays and values of a Map, pass it to granted objects, and return it. Its text is `[sealed …]`.

// sealedValue returns v in the form that the program gets.
func (r *Guest) sealedValue(v value.Value) goja.Value {
	r.HoldsSealed = true
	n, err := r.Check.MakeLit(v)
	if err != nil {
		panic(r.Throw(err))
	}
	return r.record(n)
}

// Sealed returns the sealed value of a recorded thing. ok is false if x is none.
func (x *Recorded) Sealed() (v value.Value, ok bool) {
	if x == nil || x.Node.Op != message.OpLit {
		return v, false
	}
	_, ok = x.Node.Lit.Sealed()
	return x.Node.Lit, ok
}

// AddSealed gives structuredClone, a JavaScript function of ours, the check for sealed values and Decimals. Neither can change, so each is its own
// copy.
func (r *Guest) AddSealed(map[string]goja.Value) {
	realm.Hide(r.Intrinsics, "sealed", r.Function("sealed", func(c goja.FunctionCall) goja.Value {
		_, ok := r.SealedIn(c.Argument(0))
		return r.VM.ToValue(ok || realm.DecimalIn(c.Argument(0)) != nil)
	}))
}

// SealedIn returns the sealed value in a JavaScript value. The bool is false if there is none.
func (r *Guest) SealedIn(v goja.Value) (value.Value, bool) { return r.RecordedIn(v).Sealed() }

// expressionIn returns what RecordedIn returns, but nil for a sealed value, because sealed values are passed on as values.
func (r *Guest) expressionIn(v goja.Value) *Recorded {
	x := r.RecordedIn(v)
	if _, sealed := x.Sealed(); sealed {
		return nil
	}
	return x
}

// taggedParts handles exo.Compose's text as the tag of a template. It returns one argument: the texts and the values of the template in turn.
func (r *Guest) taggedParts(args []goja.Value) []goja.Value {
	if len(args) == 0 || !realm.IsArray(args[0]) {
		return args
	}
	texts := args[0].(*goja.Object)
	if raw := texts.Get("raw"); raw == nil || !realm.IsArray(raw) || int(texts.Get("length").ToInteger()) != len(args) {
		return args
	}
	parts := make([]any, 0, 2*len(args))
	for i := range args {
		if i > 0 {
			parts = append(parts, args[i])
		}
		parts = append(parts, texts.Get(strconv.Itoa(i)))
	}
	return []goja.Value{r.VM.NewArray(parts...)}
}

// Shut returns the error for looking at a sealed value.
func (x *Recorded) Shut() *fail.Error {
	v, _ := x.Sealed()
	tags, _ := v.Sealed()
	out := ""
	for _, g := range x.r.Granted {
		if g.Name == exo.RevealName && x.r.Check.Catalog[g.Type.Name] != nil && x.r.Check.Catalog[g.Type.Name].Call == exo.RevealName {
			out = "; or open it with `await reveal(x)`, and then this program's results and effects carry its labels"
		}
	}
	for _, g := range x.r.Granted {
		if g.Name == exo.ComposeName && g.Type.Name == exo.ComposeInterface {
			out = "; or make a sealed text of it with await text`… ${x} …`" + out
		}
	}
	return fail.Errorf(fail.Denied, "", "%s is sealed (%s): programs can't look at it, compare it or calculate with it; return it or pass it on unchanged%s", v, strings.Join(tags.About().Tags(), ", "), out)
}

// withSealed handles an operator with a sealed operand. Next to an expression, a sealed value is an ordinary value; otherwise it is an error.
// withSealed returns nil if no operand is sealed.
func (r *Guest) withSealed(op string, a, b goja.Value) goja.Value {
	x, y := r.RecordedIn(a), r.RecordedIn(b)
	_, left := x.Sealed()
	_, right := y.Sealed()
	switch {
	case !left && !right:
		return nil
	case left && y != nil && !right:
		if m := mirrored[op]; m != "" && r.methodOf(y.Node, m) != nil {
			return r.operateAs(y.Node, m, op, a)
		}
	case right && x != nil && !left:
		return r.operateAs(x.Node, op, op, b)
	}
	if !left {
		x = y
	}
	panic(r.Throw(x.Shut()))
}
