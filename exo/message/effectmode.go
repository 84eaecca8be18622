package message

// This file defines when a method takes effect, and the receipt that a held method returns.

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/value"
)

// EffectMode is whether a method changes something, and when the change takes place.
type EffectMode uint8

const (
	NoEffect EffectMode = iota // the method changes nothing
	// InUnit changes a unit of work. The reply is real. The change becomes final when the run
	// commits; if it does not, the change never happened. The object is [exo.Transactional]. An
	// error of the object's Eval rolls back the whole run, since the change may be half done,
	// unless the error wraps [exo.ErrNothingDone].
	InUnit
	// Held acts once, after the run has committed, like a mail. The reply is a [Receipt]. After an
	// error of the object's Eval it is unknown whether it acted, unless the error wraps ErrNothingDone.
	Held
	// Immediate acts at once and for good, even if the run fails later. So it is refused while the
	// run has changes that are not final. The reply is real. Errors mean the same as for Held.
	Immediate
	EffectModes
)

func (m EffectMode) String() string {
	if m >= EffectModes {
		return fmt.Sprintf("effect(%d)", uint8(m))
	}
	return [...]string{"none", "unit", "held", "immediate"}[m]
}

// Receipt returns the type of the reply to a [Held] method.
func Receipt() *Type {
	return &Type{Name: value.TypeRecord, Fields: []TypeField{
		{Name: "held", Type: &Type{Name: value.TypeBool}},   // the field is always true
		{Name: "receipt", Type: &Type{Name: value.TypeInt}}, // the field is the number of the call
	}}
}

// isReceipt reports whether t is the type that Receipt returns.
func isReceipt(t *Term) bool {
	if t == nil || t.Con == nil || t.Con.Name != value.TypeRecord || len(t.Con.Fields) != 2 {
		return false
	}
	for i, f := range Receipt().Fields {
		if g := t.Con.Fields[i]; g.Name != f.Name || g.Type == nil || g.Type.Name != f.Type.Name {
			return false
		}
	}
	return true
}
