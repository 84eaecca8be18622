package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"math"
)

// The result of a run is withheld once the run has read what the result may not carry. From then on the program chooses by a secret: which labels
// it asks for, what it changes, what it returns. So whatever outlives the run, or is read outside of it, depends on what was decided before.

// withheld is the moment from which on the result of a run may not leave.
type withheld struct {
	call  uint64      // the message that read what the result may not carry; 0: the run began with that
	label value.Label // of the run, with that of the message
	pos   fail.Pos    // where the message stands in the program
	acted bool        // a message before it was let to change something at once, or in a unit
}

// withhold notes the first moment at which the run has a label that its result may not carry. s.mu is held, or nobody else has s.
func (s *Session) withhold(call uint64, at fail.Pos) {
	if s.withheld == nil && !mayLeave(s.label, s.gate.admits) {
		s.withheld = &withheld{call, s.label, at, s.changing}
	}
}

// first names that message to a program: where it is and which kind of tag it brought. The program sent it before it had read anything that its
// result may not carry, so neither depends on such a value. It names no reader: an id is a value of a row.
func (w *withheld) first(admits value.Label) string {
	where := fmt.Sprintf("its call %d", w.call)
	if w.pos.Line > 0 {
		where = fmt.Sprintf("the call at line %d:%d", w.pos.Line, w.pos.Column)
	}
	return where + " was the first, and reads what is labelled " + w.label.Secrecy().Without(admits).About().List()
}

// Unchanged reports whether nothing that the program asked for took effect, of a run whose result may not leave, as far as that may be known: no message
// was allowed to change anything before the one that read what the result may not carry, and none is let after it. It is false for a run that had
// changed something, whatever the outcome: how such a change ended may depend on what was read.
func (s *Session) Unchanged() bool {
	if s.begun() != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.withheld != nil && !s.withheld.acted
}

// decided is the label that ReportableLabel gives, and the last message that counts for it. s.mu is held.
func (s *Session) decided() (l value.Label, last uint64) {
	if w := s.withheld; w != nil {
		return w.label, w.call
	}
	return s.label, math.MaxUint64
}

// ReportableLabel is the label of the run that may be acted on by others, once it has ended. It is Label where the result may leave. Where it may not, it is
// the label that the run had with the first message that read what the result may not carry: the program may choose the later ones by what it read,
// one bit with each, and the next program would be refused by them.
func (s *Session) ReportableLabel() value.Label {
	if s.begun() != nil {
		return value.Label{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, _ := s.decided()
	return l
}
