package exo

import (
	"github.com/exoagent/exoagent/exo/value"
	"math"
)

// The result of a run is withheld once the run has read what the result may not carry. From then on the program chooses by a secret: which labels
// it asks for, what it changes, what it returns. So whatever outlives the run, or is read outside of it, depends on what was decided before.

// withheld is the moment from which on the result of a run may not leave.
type withheld struct {
	call  uint64      // the message that read what the result may not carry; 0: the run began with that
	label value.Label // of the run, with that of the message
}

// withhold notes the first moment at which the run has a label that its result may not carry. s.mu is held, or nobody else has s.
func (s *Session) withhold(call uint64) {
	if s.withheld == nil && !s.label.Secrecy().FlowsTo(s.gate.admits) {
		s.withheld = &withheld{call, s.label}
	}
}

// decided is the label that Decided gives, and the last message that counts for it. s.mu is held.
func (s *Session) decided() (l value.Label, last uint64) {
	if w := s.withheld; w != nil {
		return w.label, w.call
	}
	return s.label, math.MaxUint64
}

// Decided is the label of the run that may be acted on by others, once it has ended. It is Label where the result may leave. Where it may not, it is
// the label that the run had with the first message that read what the result may not carry: the program may choose the later ones by what it read,
// one bit with each, and the next program would be refused by them.
func (s *Session) Decided() value.Label {
	if s.begun() != nil {
		return value.Label{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, _ := s.decided()
	return l
}
