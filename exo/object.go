package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// Object is a capability: a reference to an Object is the permission to send
// it the messages that its catalogue allows. There is no other way to do
// anything with an Object. Hosts make Objects; guests only ever have numbers for them.
//
// An Object never checks a message's form: the gate has checked it, with the
// catalogue that Describe returned.
type Object interface {
	// Describe describes the object to the gate. An error means that the object can't be
	// used. The host gets it when it grants the object.
	Describe() (message.Description, error)
	// Eval answers a checked message whose innermost receiver is this object. The
	// message may refer to other objects, too (m.Objects): Eval must refuse objects that
	// it does not accept.
	// Eval must return soon after ctx has ended. The run waits for Eval: an effect that has begun
	// can't be called off, and nothing may take effect after its run is over.
	Eval(ctx context.Context, m *Message) (value.Value, error)
}

// ObjectOf returns the object that a value refers to, or nil if the value is no reference.
func ObjectOf(v value.Value) Object { o, _ := v.Ref().(Object); return o }

// Message is a message that the catalogue allows, on its way to the object that answers it. A test may make a Message that no
// session has admitted. Such a Message has no run: it counts and records nothing, and has no Unit.
type Message struct {
	message.Checked

	// Objects are the objects that Refs refer to, without the policies that they were wrapped in. They are for this
	// message alone: if Eval kept one for another run, that run would use it without its policies.
	Objects []Object
	few     [2]Object // the array for Objects, since few messages have more than two
	session *Session
	entry   *pending
	store   any // the store of the message's object (see Transactional)

	calculated bool            // the program's own expressions may have made the reply from labelled values
	asked      message.Expr    // the expression as the program sent it, kept if the method declassifies, or is Held and has sealed values
	behind     <-chan struct{} // closed when the message before this one in the same store has acted
	acted      chan struct{}   // closed when this message has acted

	// The policies that wrap the objects of the message:
	policies []*wrapping       // each policy once, those of the receiver first, outermost first
	peeled   []peeled          // the objects as the program refers to them, in their policies
	cuts     []<-chan struct{} // each closes when an object of the message is revoked
}

// peeled is an object of a message and the wrappings that were taken off it, outermost first.
type peeled struct {
	slot int
	by   []*wrapped
}

// Key is the same each time that this message acts, and no other message has it. A service that
// gets the message twice recognises it by its Key.
func (m *Message) Key() string {
	if m.session == nil {
		return ""
	}
	return m.session.run.ID.KeyOf(m.entry.id)
}

// Run is the run that the message belongs to.
func (m *Message) Run() Run {
	if m.session == nil {
		return Run{}
	}
	return m.session.run
}

// RunLabel joins the label of everything that the run had read when the message was admitted with what the reply may carry. It
// does not depend on how fast calls are. Without a session that admitted the message, it is zero.
func (m *Message) RunLabel() value.Label {
	if m.entry == nil {
		return value.Label{}
	}
	return m.entry.label
}

// InputLabel is the label of everything that may have influenced the message: what the run had read before, and what the message contains,
// with its sealed values. An object that demands trust checks InputLabel. RunLabel adds what the reply may carry, but the reply comes later
// and can't have influenced the message. It is the zero Label if no session admitted the message.
func (m *Message) InputLabel() value.Label {
	if m.entry == nil {
		return value.Label{}
	}
	return m.entry.chosen
}

// MaySeal reports whether values of the reply may be shown sealed. An object that acts differently depending on such a value reveals it.
func (m *Message) MaySeal() bool { return m.entry != nil && m.entry.shows != nil }

// Withheld reports whether the run, when the message was admitted, had read values that its result may not carry. Such a run shows no
// result. An object must leave no trace of such a run, such as a count of calls, since the trace would reveal to others what the run read.
func (m *Message) Withheld() bool {
	return m.session != nil && !MayLeave(m.RunLabel(), m.session.gate.admits)
}

// Zone is the IANA name of the program's time zone. It is "UTC" if the host named none.
func (m *Message) Zone() string {
	if m.session == nil {
		return "UTC"
	}
	return m.session.gate.zone.Name()
}

// Op is the operation of the message as the program wrote it, shortened: "todos.where.count".
func (m *Message) Op() string {
	if m.session == nil {
		return ""
	}
	return m.session.opName(m.Root)
}

// GrantNames are the names under which the objects of the message were granted, in the order of
// Refs. ok is false if one of the objects was not granted but came with a reply: the number of
// such an object means nothing in another run.
func (m *Message) GrantNames() (names []string, ok bool) {
	for _, r := range m.Refs {
		if m.session == nil || int(r) >= len(m.session.gate.granted) {
			return nil, false
		}
		names = append(names, m.session.gate.granted[r].Name)
	}
	return names, true
}

// PerRun returns what a policy keeps for a run, under a key that only the policy uses. make makes it at the first
// use. All messages of the run share it, and it ends with the run.
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
	if v, ok := s.perRun[key]; ok { // a concurrent message of the run has made the value meanwhile
		return v
	}
	if s.perRun == nil {
		s.perRun = map[any]any{}
	}
	s.perRun[key] = fresh
	return fresh
}

// Spend counts rows and bytes against the run's budget while an object reads them.
// At an error of Kind Limit the object must stop reading.
func (m *Message) Spend(rows, bytes int) error {
	if m.session == nil || m.entry.declassified != nil { // a count of what a declassifier reads would reveal more than its result
		return nil
	}
	return m.session.spend(m.entry, rows, bytes)
}

// AddDetail adds d to the record of this message's outcome. Details, such as SQL and its arguments,
// are for auditors; a guest never sees them.
func (m *Message) AddDetail(d any) {
	if m.session == nil {
		return
	}
	m.session.mu.Lock()
	defer m.session.mu.Unlock()
	m.entry.details = append(m.entry.details, d)
}
