// This file bounds the part of a message that an entry of the record shows. A small message is shown whole. For a large
// one the entry has the digest and the size of everything that is left out.

package exo

import (
	"crypto/sha256"
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

// These bound one message in the record.
const (
	// ConstantBytes is the largest size of a constant, as Limits.LiteralBytes counts it, that an entry shows within the
	// message. A larger constant is a Constant of its entry.
	ConstantBytes   = 4 << 10
	maxEntryMessage = 1 << 20 // how many bytes the message and its constants may take in an entry
)

// Constant is a large constant of a message. The record of a run has each constant once: later entries name the call whose
// entry has it.
type Constant struct {
	Node   int          // the number of the node that has the constant; the recorded message has null there
	Digest value.Digest // the digest of the constant, calculated with (Value).Digest
	Bytes  int          // the size of the constant in its canonical encoding
	Value  []byte       // the canonical encoding of the constant; nil if this entry does not have it
	Call   uint64       // the call with the entry, Intent or Refused, that has the constant; 0 if no entry has it
}

// Omitted replaces, in an entry, a message that is too large for the record.
type Omitted struct {
	Digest value.Digest // the SHA-256 of the message in its canonical encoding, with null in place of each of Entry.Constants
	Bytes  int          // the size of the message in that encoding
}

// spell writes a message into its entry, in its canonical encoding. It writes nothing without a record, or if m is nil because the gate could not read the message.
func (s *Session) spell(en *Entry, call Call, m *Message) error {
	if s.gate.record == nil || m == nil {
		return nil
	}
	err := s.spellExpr(en, call.ID, call.Expr)
	if err != nil {
		err = s.spellExpr(en, call.ID, m.Root.Expr())
	}
	if err != nil {
		return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("%w: %w", errRecord, err)}
	}
	return nil
}

func (s *Session) spellExpr(en *Entry, call uint64, x message.Expr) error {
	en.Message, en.Constants, en.Omitted = nil, nil, nil
	nodes, room := x.Nodes, maxEntryMessage
	for i := range x.Nodes {
		if x.Nodes[i].Op != message.OpLit || x.Nodes[i].Lit.BytesUpTo(ConstantBytes, 0) <= ConstantBytes {
			continue
		}
		c, err := constantOf(x.Nodes[i].Lit)
		if err != nil {
			return err
		}
		c.Node, c.Call = i, s.constants[c.Digest]
		for _, before := range en.Constants {
			if before.Value != nil && before.Digest == c.Digest {
				c.Call = call
			}
		}
		switch {
		case c.Call != 0 || c.Bytes > room: // the record has a constant once, even if a program repeats it in each call
			c.Value = nil
		default:
			c.Call, room = call, room-c.Bytes
		}
		if en.Constants = append(en.Constants, c); len(en.Constants) == 1 {
			nodes = append([]message.WireNode(nil), x.Nodes...)
		}
		nodes[i].Lit = value.Null()
	}
	b, err := message.Expr{Nodes: nodes}.AppendBinary(nil)
	if err == nil && len(b) > room { // many small constants together can be larger than an entry may be
		en.Omitted = &Omitted{value.Digest(sha256.Sum256(b)), len(b)}
		b = nil
	}
	en.Message = b
	return err
}

func constantOf(v value.Value) (c Constant, err error) {
	e := value.Encoder{B: []byte{'v', wire.Encoding}, Plain: true}
	e.Value(v)
	c.Digest = sha256.Sum256(e.B)
	c.Value = e.B[1:]
	c.Bytes = len(c.Value)
	return c, e.Err()
}

// spelt notes which constants a recorded entry has, so that later entries can name its call instead.
func (s *Session) spelt(en *Entry) {
	for _, c := range en.Constants {
		if c.Value == nil {
			continue
		}
		if s.constants == nil {
			s.constants = map[value.Digest]uint64{}
		}
		s.constants[c.Digest] = c.Call
	}
}
