package exo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/value"
)

// Call is the frame with which a guest sends a message. The guest chooses the IDs, which must rise:
// a second use of an ID is a breach of the protocol.
type Call struct {
	ID   uint64
	Expr message.Expr
	// Pos is the place of the call in the program, as the guest reports it. It is for reports to the host (Cause, Entry), and decides
	// nothing. Its Text is not used.
	Pos fail.Pos
}

// Reply is the frame that answers a Call. References in Value are numbers of this session
// ((Value).Number).
type Reply struct {
	ID    uint64
	Value value.Value
	Err   error // nil, or an *Error; the guest may read GuestText(Err) only
}

// tooMuch returns the error for the message with which a run exceeds MessageBytes.
func (l Limits) tooMuch() error {
	return fail.Errorf(fail.Limit, "", "all calls of this program together may pass values of at most %d bytes, and a value counts anew in each call: pass fewer or smaller values", l.MessageBytes)
}

// CallSize returns the rough size of a call in memory. waiting is the size of the calls that wait for their replies. CallSize fails if all
// of them have more than UnansweredBytes: otherwise a guest that sends and never reads replies could fill the host's memory. If no other
// call waits, the call is bounded by MessageNodes and LiteralBytes alone.
func (l Limits) CallSize(c Call, waiting int) (size int, err error) {
	size = c.Expr.BytesUpTo(l.UnansweredBytes, message.AsNodes)
	if waiting > 0 && waiting+size > l.UnansweredBytes {
		return 0, fail.Errorf(fail.Limit, "", "the calls that wait for an answer have more than %d bytes together; await some before you send more", l.UnansweredBytes)
	}
	return size, nil
}

// Session is one run: the numbers that it may use, its label, how much of its budgets is used, and
// its units of work. Its methods may be called from several goroutines.
type Session struct {
	gate    *Gate
	run     Run
	length  int    // the length of the program in bytes
	program string // the text of the program, kept only if there is a Reviewer
	ctx     context.Context
	cancel  context.CancelCauseFunc
	caller  context.Context // the context that was passed to Begin
	reads   context.Context // the context of messages without an effect; Abandon ends it. serve sets the fields from reads to keep at the first message; before that they are nil
	abandon context.CancelFunc
	work    context.Context // the context of units of work; it ends only with the run, even if ctx ends earlier
	drop    context.CancelCauseFunc
	keep    func() bool // detaches units of work from the caller's context; returns false if that context has already ended
	turns   within.Turns
	wg      sync.WaitGroup
	ref     func(id uint32) *message.Type // refType as a value, for checkers
	show    func(id uint32) string        // refName as a value, for checkers

	// admission is held while one message is admitted. So ids, the queue, the run's label, the record
	// and the turns all have the messages in one order.
	admission sync.Mutex
	pending   string                  // the first admitted effect that can still be undone after it has acted; "" if there is none
	immediate string                  // the first admitted effect that acts at once; "" if there is none
	written   any                     // the store that this run may change
	tails     map[any]chan struct{}   // for each store, closed when its last admitted message has acted
	constants map[value.Digest]uint64 // the large constants in the record of this run, each with the number of the call that brought it

	mu          sync.Mutex
	objects     []Object
	lent        []lent // the wrapped objects that were arguments of messages
	types       []*message.Type
	sealed      []value.Value // the run's sealed values, by their numbers
	contents    []content     // the contents of sealed, by the same numbers
	calculated  [][2]uint64   // ranges (start, end) of the numbers of sealed values that the program may have calculated
	origins     origins       // the messages that gave the sealed values in their replies
	composed    int           // how many bytes the parts of sealed texts have
	label       value.Label
	changing    bool             // a message was allowed to change something at once, or in a unit
	withheld    *withheld        // since when the result may not leave; nil: it may leave
	causes      map[string]Cause // the message that brought each tag
	console     console
	notices     []notice
	lastID      uint64
	calls       int
	sent        int        // the bytes of all messages so far, for Limits.MessageBytes
	spent       spent      // the rows and bytes of the replies delivered so far
	undelivered int        // the bytes of the calls without a delivered reply
	queue       []*pending // the calls in order, which is the order of their replies
	wake        chan struct{}
	units       []*unitEntry // the units of work in the order in which they were opened
	effects     []*change
	staged      []*change // held effects that a Stager keeps
	closed      bool

	unrecorded bool    // an entry could not be appended to the record
	doomed     *change // a change that may be half done, so that the run can't commit
	committing bool    // the steps from here on can't be undone; only Finish uses this field
	panicked   any     // the value of the first panic of a host's callback

	over      chan struct{} // closed when Finish is done
	finishErr error

	perRun map[any]any // the values that policies keep for the run (PerRun)
	purse  Purse       // nil: no budget bounds the run
}

type pending struct {
	root         *message.Node // the outermost node of the message; nil if the message was malformed
	effect       message.EffectMode
	bound        value.Label // the most labels that the reply may carry
	label        value.Label // the label of the run, joined with bound
	chosen       value.Label // the label of what may have influenced the message: see Message.InputLabel
	admits       value.Label // for a sink or an effect: the label that may leave by it
	state        State       // the state of the effect, once it has acted
	spent        spent
	objects      []Object // the objects of the reply, numbered from 0 until it is delivered
	types        []*message.Type
	shows        *sealing     // seals labelled values of the reply; nil: nothing is sealed
	sealed       *value.Label // for a held effect or a composed text: the label of the message's sealed values, which stay sealed for now
	declassified *value.Label // for a declassifier: the label of the sealed values in the message
	digest       value.Digest // the digest of a reply with sealed values
	size         int          // the size of the message, for Limits.UnansweredBytes
	id           uint64
	pos          fail.Pos              // the place of the call in the program (Session.place)
	ctx          context.Context       // the context in which the message acts
	end          func(observe.Outcome) // reports to the host's observer how the message ended
	done         bool
	reply        Reply // the reply; until the outcome is recorded, its Value is the object's own
	details      []any
}

type unitEntry struct {
	key       any
	once      sync.Once
	unit      Unit
	err       error
	ended     bool // Commit or Rollback was called
	lost      bool // a method of the unit did not return
	witnessed bool // the unit has written the run's ID into its store
}

// begun refuses a Session that Gate.Begin did not make: it has no gate, so nothing was granted to it.
func (s *Session) begun() error {
	if s == nil || s.gate == nil {
		return errZeroSession
	}
	return nil
}

var errZeroSession = &fail.Error{Kind: fail.Denied, Err: errors.New("exo: the zero Session can't be used: begin one with Gate.Begin")}

// Checker makes a checker for this run. A recorder that runs in this process checks the guest's
// calls with it; the gate checks them again with its own.
func (s *Session) Checker() *message.Checker {
	if s.begun() != nil {
		return &message.Checker{Ref: func(uint32) *message.Type { return nil }, Show: func(uint32) string { return "" }}
	}
	return &message.Checker{Catalog: s.gate.catalog, Bounds: s.gate.limits.Message(), Ref: s.ref, Show: s.show, Zone: s.gate.zone}
}

func (s *Session) refType(id uint32) *message.Type {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(id) < len(s.types) {
		return s.types[id]
	}
	return nil
}

func (s *Session) refName(id uint32) string {
	if int(id) < len(s.gate.granted) {
		return s.gate.granted[id].Name
	}
	return fmt.Sprintf("object %d", id)
}

// Submit takes one message. It never waits for the outcome: Next delivers the reply, which may be a
// refusal, in call order. An error of Submit is a breach of the protocol, after which the run can't
// continue. Concurrent calls are admitted one by one, so a Submit may wait until the Recorder has
// recorded the message of another Submit.
func (s *Session) Submit(call Call) error {
	if err := s.begun(); err != nil {
		return err
	}
	s.admission.Lock()
	defer s.admission.Unlock()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return fail.Errorf(fail.Cancelled, "", "the run is over, so this call was not made")
	}
	if s.calls > s.gate.limits.Calls+s.gate.limits.ConcurrentCalls {
		// Stop here: otherwise the gate would check each message of a guest that sends more than its budget allows.
		s.mu.Unlock()
		return fail.Errorf(fail.Limit, "", "this program has used up its limit of %d calls: make the others in another program", s.gate.limits.Calls)
	}
	if call.ID <= s.lastID {
		s.mu.Unlock()
		return fail.Errorf(fail.Invalid, "", "the call has the ID %d, which must be larger than the ID of the call before it", call.ID)
	}
	// Submit does not block, so a guest could pile up waiting messages. This bounds the bytes of all of them together. The
	// size of one message has limits of its own.
	size, err := s.gate.limits.CallSize(call, s.undelivered)
	if err != nil {
		s.mu.Unlock()
		return err
	}
	s.serve()
	s.lastID = call.ID
	s.calls++
	over := s.calls > s.gate.limits.Calls
	s.sent += call.Expr.BytesUpTo(s.gate.limits.MessageBytes, message.Encoded)
	large := s.sent > s.gate.limits.MessageBytes
	s.undelivered += size
	e := &pending{id: call.ID, pos: s.place(call.Pos), size: size, end: observe.Unobserved}
	s.queue = append(s.queue, e)
	s.wg.Add(1)
	s.mu.Unlock()
	s.admit(call, e, over, large)
	return nil
}

// Label is the label of the run: the joined labels of everything that it has read so far.
func (s *Session) Label() value.Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.label
}

// Abandon is for a run that has failed and has no guest any more. Open messages without an effect
// are ended, since no program will read their replies. Messages with an effect go on: whether an
// effect happens must not depend on speed.
func (s *Session) Abandon() {
	if s.begun() != nil {
		return
	}
	s.mu.Lock()
	if !s.closed {
		s.serve() // serve makes the contexts, so that a message that is sent later ends at once, too
	}
	abandon := s.abandon
	s.mu.Unlock()
	if abandon != nil {
		abandon()
	}
}
