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

// withheld describes the moment after which the result of a run may not leave.
type withheld struct {
	call  uint64      // the message that read something that the result may not carry; 0 if the run began with it
	label value.Label // the label of the run, including the label of this message
	pos   fail.Pos    // the place of the message in the program
	acted bool        // an earlier message was allowed to change something, at once or in a unit of work
}

// withhold notes when the run first gets a label that its result may not carry. The caller holds s.mu, or has the only reference to s.
func (s *Session) withhold(call uint64, at fail.Pos) {
	if s.withheld == nil && !MayLeave(s.label, s.gate.admits) {
		s.withheld = &withheld{call, s.label, at, s.changing}
	}
}

// first describes the message of w to a program: its place, and the kinds of tags that it brought. Neither reveals a value that may not
// leave, since the program had read none when it sent the message. first names no reader, since an id is a value of a row.
func (w *withheld) first(admits value.Label) string {
	where := fmt.Sprintf("its call %d", w.call)
	if w.pos.Line > 0 {
		where = fmt.Sprintf("the call at line %d:%d", w.pos.Line, w.pos.Column)
	}
	return where + " was the first, and reads what is labelled " + w.label.Secrecy().Without(admits).About().List()
}

// Unchanged reports, for a run whose result may not leave, whether nothing that the program asked for took effect. It is true only if no message
// was allowed to change anything before the first one that read such a value: later changes are refused. What became of an earlier change does
// not matter, since that may depend on what was read.
func (s *Session) Unchanged() bool {
	if s.begun() != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.withheld != nil && !s.withheld.acted
}

// decided returns the label for ReportableLabel, and the last message that counts for it. s.mu is held.
func (s *Session) decided() (l value.Label, last uint64) {
	if w := s.withheld; w != nil {
		return w.label, w.call
	}
	return s.label, math.MaxUint64
}

// ReportableLabel is the label of an ended run that may be used outside of the run. It is Label if the result may leave. If not, it is the label at the
// first message that read what the result may not carry. What the program read may decide its later messages, so each label of a later message could
// reveal one bit.
func (s *Session) ReportableLabel() value.Label {
	if s.begun() != nil {
		return value.Label{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, _ := s.decided()
	return l
}
