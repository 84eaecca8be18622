package exo

import (
	"context"
	"fmt"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Object is a capability: holding a reference to one is the permission to send
// it the messages that its catalogue allows, and there is no other way to do
// anything with it. Hosts make Objects; guests only ever hold numbers for them.
//
// An Object never checks a message's form: the gate has done it, with the
// catalogue that Describe returned.
type Object interface {
	// Describe says what the object is. An error means that it can't be used and
	// is for the host, at the time at which it is granted.
	Describe() (message.Description, error)
	// Eval answers a checked message whose innermost receiver is this object. It
	// owns the whole message, which may refer to other objects (m.Objects): Eval must refuse
	// those that it does not accept.
	// It must return soon after ctx has ended. An effect that was begun can't be called
	// off, and nothing may take effect when its run is over, so the run waits for Eval.
	Eval(ctx context.Context, m *Message) (value.Value, error)
}

// ObjectOf is the object that a value refers to, nil for every other value.
func ObjectOf(v value.Value) Object { o, _ := v.Ref().(Object); return o }

// Message is a message that the catalogue allows, on its way to the object that answers it. One that no session
// admitted, as a test may make it, has no run: it counts and records nothing, and has no Unit.
type Message struct {
	message.Checked

	// Objects are what Refs refer to, without the policies that they were wrapped in: for the
	// time of the message. An Eval that stored one for another run would lose its policies.
	Objects []Object
	few     [2]Object // most messages have no more
	session *Session
	entry   *pending
	store   any // of its object: see Transactional

	calculated bool            // what it shows may be made of labelled values by the program's own expressions
	asked      message.Expr    // as the program sent it, where it holds sealed values and acts when the run has committed, or declassifies them
	behind     <-chan struct{} // closed when the message before it in its store has acted
	acted      chan struct{}   // closed when it has

	// Of the objects that are wrapped:
	policies []*wrapping       // each once, the receiver's first, outermost first
	peeled   []peeled          // the objects, as the program holds them
	cuts     []<-chan struct{} // each closes when an object of the message is revoked
}

// peeled is an object of a message and what it was wrapped in, outermost first.
type peeled struct {
	slot int
	by   []*wrapped
}

// Key is the same each time that this message acts, and belongs to no other message: a service that
// gets it twice recognises that.
func (m *Message) Key() string {
	if m.session == nil {
		return ""
	}
	return fmt.Sprintf("%s-%d", m.session.run.ID, m.entry.id)
}

// Run is the run that the message belongs to.
func (m *Message) Run() Run {
	if m.session == nil {
		return Run{}
	}
	return m.session.run
}

// RunLabel is what the run has read when the message was admitted, with what the reply may carry: the same however fast
// calls are. The zero Label of a message that no session admitted.
func (m *Message) RunLabel() value.Label {
	if m.entry == nil {
		return value.Label{}
	}
	return m.entry.label
}

// InputLabel is the label of all that the message was made from: what the run had read before it, and what the message itself holds, sealed values
// too. RunLabel adds what the reply may carry, which comes when the message has acted: an object that demands trust asks InputLabel. The zero
// Label of a message that no session admitted.
func (m *Message) InputLabel() value.Label {
	if m.entry == nil {
		return value.Label{}
	}
	return m.entry.chosen
}

// MaySeal reports whether values of the reply may be shown sealed. An object that acts differently depending on such a value reveals it.
func (m *Message) MaySeal() bool { return m.entry != nil && m.entry.shows != nil }

// Withheld reports whether the run has read, by the time that the message was admitted, what its result may not carry, so that nothing
// of it is shown. What such a run leaves behind for others to see, like a count of calls, would reveal it.
func (m *Message) Withheld() bool {
	return m.session != nil && !mayLeave(m.RunLabel(), m.session.gate.admits)
}

// Zone is the IANA name of the time zone that the program has: "UTC" where the host named none.
func (m *Message) Zone() string {
	if m.session == nil {
		return "UTC"
	}
	return m.session.gate.zone.Name()
}

// Op is what the message asks, as the program wrote it, shortened: "todos.where.count".
func (m *Message) Op() string {
	if m.session == nil {
		return ""
	}
	return m.session.opName(m.Root)
}

// GrantNames are the names under which the objects of the message were granted, in the order of
// Refs. ok is false if one of them was not granted but came with a reply: the number that
// it has means nothing in another run.
func (m *Message) GrantNames() (names []string, ok bool) {
	for _, r := range m.Refs {
		if m.session == nil || int(r) >= len(m.session.gate.granted) {
			return nil, false
		}
		names = append(names, m.session.gate.granted[r].Name)
	}
	return names, true
}

// PerRun is what a policy keeps of a run, under a key of its own: made at the first use, the same
// for all messages of the run, and gone with it.
func (m *Message) PerRun(key any, make func() any) any {
	s := m.session
	if s == nil {
		return make()
	}
	s.mu.Lock()
	v, ok := s.perRun[key]
	s.mu.Unlock()
	if ok {
		return v
	}
	fresh := make()
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.perRun[key]; ok { // another message of the run was first
		return v
	}
	if s.perRun == nil {
		s.perRun = map[any]any{}
	}
	s.perRun[key] = fresh
	return fresh
}

// Spend counts rows and bytes read against the run's budget, while they are
// being read: an error of Kind Limit says to stop reading.
func (m *Message) Spend(rows, bytes int) error {
	if m.session == nil || m.entry.declassified != nil { // how much a declassifier reads would reveal more than its result
		return nil
	}
	return m.session.spend(m.entry, rows, bytes)
}

// AddDetail adds to the record of this message's outcome: what an auditor wants
// to know and a guest never sees, such as SQL and its arguments.
func (m *Message) AddDetail(d any) {
	if m.session == nil {
		return
	}
	m.session.mu.Lock()
	defer m.session.mu.Unlock()
	m.entry.details = append(m.entry.details, d)
}
