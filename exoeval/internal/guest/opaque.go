package guest

// This file has the engine's value for everything that a program can't read.

import (
	"reflect"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// Opaque is a recorded thing, or a promise that was not awaited, as the engine holds it: a value that has members and
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
type Opaque struct {
	*goja.Object
	X *Recorded  // what it is: something recorded,
	p *Unawaited // or a promise
}

var _ goja.Value = (*Opaque)(nil)

func (o *Opaque) refuse() any {
	if o.p != nil {
		return o.p.r.Throw(o.p.novalue())
	}
	return o.X.r.Throw(o.X.Novalue())
}

// ToBoolean implements goja.Value. It always throws.
func (o *Opaque) ToBoolean() bool { panic(o.refuse()) }

// Equals implements goja.Value. It always throws.
func (o *Opaque) Equals(goja.Value) bool { panic(o.refuse()) }

// StrictEquals implements goja.Value. It always throws.
func (o *Opaque) StrictEquals(goja.Value) bool { panic(o.refuse()) }

// SameAs implements goja.Value. It throws for values: promises ask it whether they are
// resolved with themselves.
func (o *Opaque) SameAs(v goja.Value) bool {
	switch v := v.(type) {
	case *Opaque:
		return o == v
	case *goja.Object:
		return false
	}
	panic(o.refuse())
}

// ToNumber implements goja.Value. It always throws.
func (o *Opaque) ToNumber() goja.Value { panic(o.refuse()) }

// ToInteger implements goja.Value. It always throws.
func (o *Opaque) ToInteger() int64 { panic(o.refuse()) }

// ToFloat implements goja.Value. It always throws.
func (o *Opaque) ToFloat() float64 { panic(o.refuse()) }

// ToString implements goja.Value. It always throws.
func (o *Opaque) ToString() goja.Value { panic(o.refuse()) }

// String implements goja.Value. It always throws.
func (o *Opaque) String() string { panic(o.refuse()) }

// ToObject implements goja.Value. It always throws: what it gave would be true, and
// natives like Object(x) hand it to the program.
func (o *Opaque) ToObject(*goja.Runtime) *goja.Object {
	if o.p != nil {
		panic(o.refuse())
	}
	panic(o.X.r.Throw(o.X.whole()))
}

// Export implements goja.Value.
func (o *Opaque) Export() any { return o.X }

// ExportType implements goja.Value.
func (o *Opaque) ExportType() reflect.Type { return RecordedType }

// whole is the error for a recorded thing that is assigned to, gone through or
// copied as if it were an object.
func (x *Recorded) whole() error {
	if _, sealed := x.Sealed(); sealed {
		return x.Shut()
	}
	if x.Awaits() {
		e := x.notRun()
		e.Msg += "; nothing in it can be assigned (to compare use ===), gone through or copied"
		return e
	}
	return fail.Errorf(fail.Invalid, "", "%s %s: nothing in it can be assigned, gone through or copied; to compare use ===", x.r.Check.Name(x.Node), x.r.Describes())
}

// isRow reports whether x stands for a record of expressions, or for several by name.
func (x *Recorded) isRow() bool {
	i := x.Iface()
	return i == nil && x.Node.Type.Name == value.TypeRecord || i != nil && (slices.Contains(i.Is, value.TypeRow) || len(x.Node.Type.Fields) > 0)
}

// Fields is an object of what a recorded row or namespace has, for `{ ...t }` and
// Object.entries(t); nil for anything else.
func (r *Guest) Fields(v goja.Value) *goja.Object {
	x := r.RecordedIn(v)
	if x == nil || !x.isRow() {
		return nil
	}
	o := r.VM.NewObject()
	for _, name := range x.Keys() {
		r.Put(o, name, x.Get(name))
	}
	return o
}
