package exo

import (
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"math"
)

// The result of a run is withheld once the run has read what the result may not carry. From then on a secret may decide which labels the
// program asks for, what it changes and what it returns. So whatever outlives the run, or is read outside of it, depends only on what was
// decided before that moment.

// withheld is the moment from which on the result of a run may not leave.
type withheld struct {
	call  uint64      // the message that read what the result may not carry; 0: the run began with that
	label value.Label // the label of the run, with that of the message
	pos   fail.Pos    // the place of the message in the program
	acted bool        // an earlier message was allowed to change something at once, or in a unit
}

// withhold notes the first moment at which the run has a label that its result may not carry. s.mu is held, or no other goroutine has s.
func (s *Session) withhold(call uint64, at fail.Pos) {
	if s.withheld == nil && !MayLeave(s.label, s.gate.admits) {
		s.withheld = &withheld{call, s.label, at, s.changing}
	}
}

// first describes the message of w to a program: its place, and the kinds of tags that it brought. The program sent the message before it
// had read anything that its result may not carry, so neither depends on such a value. first names no reader: an id is a value of a row.
func (w *withheld) first(admits value.Label) string {
	where := fmt.Sprintf("its call %d", w.call)
	if w.pos.Line > 0 {
		where = fmt.Sprintf("the call at line %d:%d", w.pos.Line, w.pos.Column)
	}
	return where + " was the first, and reads what is labelled " + w.label.Secrecy().Without(admits).About().List()
}

// Unchanged reports, for a run whose result may not leave, whether nothing that the program asked for took effect. It is true only if no message
// was allowed to change anything before the first message that read what the result may not carry: later changes are refused. It is false if an
// earlier message was allowed to, whatever the outcome: the outcome may depend on what was read.
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

// ReportableLabel is the label of the run that others may act on, once the run has ended. It is Label if the result may leave. If not, it is the
// label that the run had with the first message that read what the result may not carry. The program may choose later messages by what it read:
// each of their labels could reveal one bit, since the next program would be refused by it.
func (s *Session) ReportableLabel() value.Label {
	if s.begun() != nil {
		return value.Label{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, _ := s.decided()
	return l
}
