package message

// This file names when a method takes effect, and the type of the receipt of what is held.

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/value"
)

// EffectMode says whether a method changes something, and when that takes place.
type EffectMode uint8

const (
	NoEffect EffectMode = iota // it changes nothing
	// InUnit changes what a unit of work keeps: the reply is real, and the change is for
	// good when the run commits, or never was. The object is [exo.Transactional]. After an error of its
	// Eval the whole run is rolled back, since half of the message may have been done, unless
	// the error wraps [exo.ErrNothingDone].
	InUnit
	// Held acts after the run has committed, once: a mail. The reply is a [Receipt]. After an error
	// of its Eval it is not known whether it happened, unless the error wraps ErrNothingDone.
	Held
	// Immediate acts at once and for good, whatever becomes of the run, so it is refused
	// while the run has changes that are not final. The reply is real. Errors are as of Held.
	Immediate
	EffectModes
)

func (m EffectMode) String() string {
	if m >= EffectModes {
		return fmt.Sprintf("effect(%d)", uint8(m))
	}
	return [...]string{"none", "unit", "held", "immediate"}[m]
}

// Receipt is the type of what a method replies that is [Held].
func Receipt() *Type {
	return &Type{Name: value.TypeRecord, Fields: []TypeField{
		{Name: "held", Type: &Type{Name: value.TypeBool}},   // always true
		{Name: "receipt", Type: &Type{Name: value.TypeInt}}, // the number of the call
	}}
}

// isReceipt reports whether t is the type that Receipt makes, which a held method returns before it acts.
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
