package guest

// This file has the engine's value for things that a program can't read.

import (
	"reflect"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

// Opaque is the engine's value for a recorded thing or a promise that was not awaited. The program can only use its members. A plain object would be
// wrong: to JavaScript it is true and differs from every other. Without recorded operators, `t.done && t.id === 1` would silently be the condition
// t.id === 1. The engine asks each value whether it is true or equal, and for its number and text, through the interface goja.Value. This type
// answers each such question with an error, in every function: also in native and bound ones, getters, generators and class members.
//
// Opaque embeds the object for its members. The engine's type switches on *Object don't match Opaque, and ToObject refuses, so the bare
// object never reaches a program. Other files guard questions that the engine asks only of the other operand: rewriteask.go for comparisons,
// natives.go for natives. TestSweep tries every operator and built-in.
type Opaque struct {
	*goja.Object
	X *Recorded  // the recorded thing, or nil
	p *Unawaited // the promise, or nil
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

// SameAs implements goja.Value. It throws for plain values. For an object it compares identity: the engine uses this to find a promise that
// is resolved with itself.
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

// ToObject implements goja.Value. It always throws: its result would
// be true, and natives like Object(x) would give it to the program.
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

// whole returns the error for a recorded thing that a program assigns to, iterates over or copies like an object.
func (x *Recorded) whole() error {
	if _, sealed := x.Sealed(); sealed {
		return x.Shut()
	}
	if x.Awaits() {
		e := x.notRun()
		e.Msg += "; it can't be assigned to, iterated over or copied; to compare use ==="
		return e
	}
	return fail.Errorf(fail.Invalid, "", "%s %s: it can't be assigned to, iterated over or copied; to compare use ===", x.r.Check.Name(x.Node), x.r.Describes())
}

// isRow reports whether x is a record of expressions, or a namespace of several records.
func (x *Recorded) isRow() bool {
	i := x.Iface()
	return i == nil && x.Node.Type.Name == value.TypeRecord || i != nil && (slices.Contains(i.Is, value.TypeRow) || len(x.Node.Type.Fields) > 0)
}

// Fields returns an object with the fields of a recorded row or namespace, for `{ ...t }` and Object.entries(t). It returns nil for any other value.
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
