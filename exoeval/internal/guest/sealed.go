package guest

// This file shows sealed values to the program.

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

// A sealed value stands in the program as a recorded literal: the engine's questions whether it is true, equal, a
// number or a text are answered with an error, as those to a column are (opaque), and its members are none. The
// program's side has a number and nothing of the content. It can be kept, put into objects, arrays and the
// values of a Map, passed to what was granted, and returned; as text it is `[sealed …]`.

// sealedValue is v as the program has it.
func (r *Guest) sealedValue(v value.Value) goja.Value {
	r.HoldsSealed = true
	n, err := r.Check.MakeLit(v)
	if err != nil {
		panic(r.Throw(err))
	}
	return r.record(n)
}

// Sealed is the value that a recorded thing stands for, if it is sealed.
func (x *Recorded) Sealed() (v value.Value, ok bool) {
	if x == nil || x.Node.Op != message.OpLit {
		return v, false
	}
	_, ok = x.Node.Lit.Sealed()
	return x.Node.Lit, ok
}

// AddSealed gives structuredClone, which is a program, what recognises a sealed value and a Decimal: nothing changes one, so it is its own copy.
func (r *Guest) AddSealed(map[string]goja.Value) {
	realm.Hide(r.Intrinsics, "sealed", r.Function("sealed", func(c goja.FunctionCall) goja.Value {
		_, ok := r.SealedIn(c.Argument(0))
		return r.VM.ToValue(ok || realm.DecimalIn(c.Argument(0)) != nil)
	}))
}

// SealedIn is what a JavaScript value stands for, if that is sealed.
func (r *Guest) SealedIn(v goja.Value) (value.Value, bool) { return r.RecordedIn(v).Sealed() }

// expressionIn is recordedIn without what is sealed: that is passed on as a value.
func (r *Guest) expressionIn(v goja.Value) *Recorded {
	x := r.RecordedIn(v)
	if _, sealed := x.Sealed(); sealed {
		return nil
	}
	return x
}

// taggedParts is the one argument of exo.Compose's text, where it tags a template: its texts and values in turn.
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

// Shut is the error of whoever looks at a sealed value.
func (x *Recorded) Shut() *fail.Error {
	v, _ := x.Sealed()
	tags, _ := v.Sealed()
	out := ""
	for _, g := range x.r.Granted {
		if g.Name == exo.RevealName && x.r.Check.Catalog[g.Type.Name] != nil && x.r.Check.Catalog[g.Type.Name].Call == exo.RevealName {
			out = ", or read it by `await reveal(x)`, after which this program's results and effects carry the label"
		}
	}
	for _, g := range x.r.Granted {
		if g.Name == exo.ComposeName && g.Type.Name == exo.ComposeInterface {
			out = "; await text`… ${x} …` makes a sealed text of it" + out
		}
	}
	return fail.Errorf(fail.Denied, "", "%s is sealed (%s): programs can't look at it, compare it or calculate with it; return it, pass it on as it is%s", v, strings.Join(tags.About().Tags(), ", "), out)
}

// withSealed is an operator one of whose operands is sealed: with an expression it is a value like any other, and else an
// error. nil: none is.
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
