package value

// This file has the two values that are only numbers for a program: a sealed value, and a reference to an object.

import "github.com/exoagent/exoagent/internal/wire"

// A sealed value is a run's number for a value that stays in the host (see (*exo.Session).Unseal).

// NewSealed makes the value that a program gets instead of one that it may not read. It has the value's number in the run, the name of its type, and
// its label.
func NewSealed(number uint32, typ string, l Label) Value {
	return Value{kind: KindSealed, bits: uint64(number), str: typ, label: l}
}

// Sealed returns the label of a sealed value; ok is false for all other values.
func (v Value) Sealed() (l Label, ok bool) { return v.label, v.kind == KindSealed }

// SealedType returns the type of the content of a sealed value, and "" for all other values.
func (v Value) SealedType() string {
	if v.kind != KindSealed {
		return ""
	}
	return v.str
}

// HoldsSealed reports whether v is sealed, or contains a sealed value.
func (v Value) HoldsSealed() bool {
	for x := range v.All() {
		if x.kind == KindSealed {
			return true
		}
	}
	return false
}

// NumberedRef makes a reference as a guest has it: an object's number in its session, which means nothing in the guest's process.
func NumberedRef(number uint32) Value { return Value{kind: KindRef, bits: uint64(number)} }

// Number returns the number of a reference or a sealed value in its run.
func (v Value) Number() uint32 { return uint32(v.bits) }

// Renumbered returns a copy of a reference or a sealed value with another number.
func (v Value) Renumbered(number uint32) Value { v.bits = uint64(number); return v }

// Sealable reports whether a value of the named type can be sealed.
func Sealable(typ string) bool { return IsScalar(typ) || typ == TypeList }

// sealedText is the text of a sealed value. It is the same whether the content is NULL, short or long.
func (v Value) sealedText() string { return "[sealed " + v.label.About().List() + "]" }

func (e *Encoder) sealed(v *Value) {
	if !Sealable(v.str) || v.label.set == nil {
		e.none(errNoValue)
		return
	}
	e.B = wire.AppendText(wire.AppendUint(append(e.B, tagSealed), v.bits), v.str)
	e.tags(v.label)
}
