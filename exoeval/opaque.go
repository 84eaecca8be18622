package exoeval

import (
	"reflect"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// opaque is a recorded thing, or a promise that was not awaited, as the engine holds it: a value that has members and
// nothing else. Every object of JavaScript is true and differs from every other, so
// that `t.done && t.id === 1`, written where no operator is recorded, would be the
// condition t.id === 1: a condition cut in silence. The engine asks a value whether it
// is true, equal, a number or a text through the interface goja.Value. This type answers
// each such question with an error, in every function: native ones, bound ones, getters,
// generators and class members included.
//
// It embeds the object for the members alone. The engine's own type switches on *Object
// don't see it, and ToObject refuses, so the bare object never reaches a program.
// Questions that the engine asks of the other operand are guarded elsewhere: comparisons in
// rewriteask.go, natives in natives.go. TestSweep tries every operator and built-in.
type opaque struct {
	*goja.Object
	x *recorded  // what it is: something recorded,
	p *unawaited // or a promise
}

var _ goja.Value = (*opaque)(nil)

func (o *opaque) refuse() any {
	if o.p != nil {
		return o.p.r.throw(o.p.novalue())
	}
	return o.x.r.throw(o.x.novalue())
}

// ToBoolean implements goja.Value. It always throws.
func (o *opaque) ToBoolean() bool { panic(o.refuse()) }

// Equals implements goja.Value. It always throws.
func (o *opaque) Equals(goja.Value) bool { panic(o.refuse()) }

// StrictEquals implements goja.Value. It always throws.
func (o *opaque) StrictEquals(goja.Value) bool { panic(o.refuse()) }

// SameAs implements goja.Value. It throws for values: promises ask it whether they are
// resolved with themselves.
func (o *opaque) SameAs(v goja.Value) bool {
	switch v := v.(type) {
	case *opaque:
		return o == v
	case *goja.Object:
		return false
	}
	panic(o.refuse())
}

// ToNumber implements goja.Value. It always throws.
func (o *opaque) ToNumber() goja.Value { panic(o.refuse()) }

// ToInteger implements goja.Value. It always throws.
func (o *opaque) ToInteger() int64 { panic(o.refuse()) }

// ToFloat implements goja.Value. It always throws.
func (o *opaque) ToFloat() float64 { panic(o.refuse()) }

// ToString implements goja.Value. It always throws.
func (o *opaque) ToString() goja.Value { panic(o.refuse()) }

// String implements goja.Value. It always throws.
func (o *opaque) String() string { panic(o.refuse()) }

// ToObject implements goja.Value. It always throws: what it gave would be true, and
// natives like Object(x) hand it to the program.
func (o *opaque) ToObject(*goja.Runtime) *goja.Object {
	if o.p != nil {
		panic(o.refuse())
	}
	panic(o.x.r.throw(o.x.whole()))
}

// Export implements goja.Value.
func (o *opaque) Export() any { return o.x }

// ExportType implements goja.Value.
func (o *opaque) ExportType() reflect.Type { return recordedType }

// whole is the error for a recorded thing that is assigned to, gone through or
// copied as if it were an object.
func (x *recorded) whole() error {
	if _, sealed := x.sealed(); sealed {
		return x.shut()
	}
	if x.awaits() {
		e := x.notRun()
		e.Msg += "; nothing in it can be assigned (to compare use ===), gone through or copied"
		return e
	}
	return exo.Errorf(exo.Invalid, "", "%s %s: nothing in it can be assigned, gone through or copied; to compare use ===", x.r.check.Name(x.node), x.r.describes())
}

// isRow reports whether x stands for a record of expressions, or for several by name.
func (x *recorded) isRow() bool {
	i := x.iface()
	return i == nil && x.node.Type.Name == exo.TypeRecord || i != nil && (slices.Contains(i.Is, exo.TypeRow) || len(x.node.Type.Fields) > 0)
}

// fields is an object of what a recorded row or namespace has, for `{ ...t }` and
// Object.entries(t); nil for anything else.
func (r *guest) fields(v goja.Value) *goja.Object {
	x := r.recordedIn(v)
	if x == nil || !x.isRow() {
		return nil
	}
	o := r.VM.NewObject()
	for _, name := range x.Keys() {
		r.Put(o, name, x.Get(name))
	}
	return o
}
