package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"sync"
)

// Call is the frame by which a guest sends a message. IDs are the guest's and
// must rise: a second use of one is a breach of the protocol.
type Call struct {
	ID   uint64
	Expr message.Expr
	// Pos is where in the program the call stands, as the guest says: for reports to the host (Cause, Entry), and for no decision.
	// Its Text is not used.
	Pos fail.Pos
}

// Reply is the frame that answers a Call. References in Value are numbers of
// this session; see (Value).Number.
type Reply struct {
	ID    uint64
	Value value.Value
	Err   error // nil, or why, an *Error; the guest may read GuestText(Err) only
}

// tooMuch is the error of a message with which those of its run hold more than MessageBytes.
func (l Limits) tooMuch() error {
	return fail.Errorf(fail.Limit, "", "the calls of this program hold more than %d bytes together, and a value counts in each call that has it; send fewer or smaller values", l.MessageBytes)
}

// CallSize is the rough size of a call in memory. It fails where the call and those that
// wait for their answers, which take waiting bytes, hold more than UnansweredBytes: a guest
// that sends and never listens would fill the host's memory. A call on which no other waits
// is bounded by MessageNodes and LiteralBytes alone.
func (l Limits) CallSize(c Call, waiting int) (size int, err error) {
	size = c.Expr.BytesUpTo(l.UnansweredBytes, message.AsNodes)
	if waiting > 0 && waiting+size > l.UnansweredBytes {
		return 0, fail.Errorf(fail.Limit, "", "the calls that wait for an answer hold more than %d bytes together; await some before you send more", l.UnansweredBytes)
	}
	return size, nil
}

// Session is one run: the numbers it may use, the label it has, what is left of
// its budgets, and its units of work. Its methods may be called from several goroutines.
type Session struct {
	gate    *Gate
	run     Run
	length  int // of the program, in bytes
	ctx     context.Context
	cancel  context.CancelCauseFunc
	caller  context.Context // that Begin was given
	reads   context.Context // nil, as all down to keep, until there is a message: see serve. Of messages without an effect: Abandon ends it
	abandon context.CancelFunc
	work    context.Context // of units of work: it outlives ctx by the end of the run
	drop    context.CancelCauseFunc
	keep    func() bool // that the caller's context ends is nothing to units any more; false: it has ended
	turns   turns
	wg      sync.WaitGroup
	ref     func(id uint32) *message.Type // refType and refName, for checkers
	show    func(id uint32) string        //

	// admission is held while one message is admitted: in the queue, in the run's label,
	// in the record and in the turns messages stand in one order, that of their ids.
	admission sync.Mutex
	pending   string                  // what was admitted and is not final when it has acted; "" : nothing
	written   any                     // the store that this run may change
	tails     map[any]chan struct{}   // by store, closed when the message that was admitted last has acted
	constants map[value.Digest]uint64 // large ones that the record of the run has, and the call that brought each

	mu          sync.Mutex
	objects     []Object
	lent        []lent // wrapped objects that were arguments
	types       []*message.Type
	sealed      []value.Value // the run's sealed values, by their numbers,
	contents    []content     // and what is in them
	calculated  [][2]uint64   // from which to which they may be calculated by the program
	origins     origins       // and by which messages they were given
	composed    int           // bytes of the parts of sealed texts
	label       value.Label
	changing    bool             // a message was let to change something at once, or in a unit
	withheld    *withheld        // since when the result may not leave; nil: it may
	causes      map[string]Cause // by which message it got each tag
	console     console
	notices     []notice
	lastID      uint64
	calls       int
	sent        int        // bytes of all messages, see MessageBytes
	spent       spent      // of the replies delivered
	undelivered int        // bytes of calls whose reply has not been delivered
	queue       []*pending // in call order: replies leave in this order
	wake        chan struct{}
	units       []*unitEntry // in the order in which they were opened
	effects     []*change
	closed      bool

	unrecorded bool    // an entry was not
	doomed     *change // that may be half done
	committing bool    // what comes is for good; of Finish alone
	panicked   any     // what a callback of the host panicked with

	over      chan struct{} // closed when Finish is done
	finishErr error

	perRun map[any]any // what policies keep of the run
}

type pending struct {
	root         *message.Node // what was asked; nil where the message was malformed
	effect       message.EffectMode
	bound        value.Label // the most that the reply may carry
	label        value.Label // of the run, with that
	chosen       value.Label // of what chose the message: see Message.InputLabel
	admits       value.Label // of a sink or an effect: what may leave by it
	state        State       // of the effect, once it has acted
	spent        spent
	objects      []Object // that the reply refers to, numbered from 0 until it is delivered
	types        []*message.Type
	shows        *sealing     // what is sealed in the reply; nil: nothing
	sealed       *value.Label // of a held effect: what the sealed values in it carry, until it acts
	declassified *value.Label // of a declassifier: what the sealed values in it carry
	digest       value.Digest // of a reply in which something is sealed
	size         int          // of the message, in the budget of those without an answer
	id           uint64
	pos          fail.Pos // see Session.place
	done         bool
	reply        Reply
	details      []any
}

type unitEntry struct {
	key       any
	once      sync.Once
	unit      Unit
	err       error
	ended     bool // Commit or Rollback was called
	lost      bool // a method did not return
	witnessed bool // the store knows the run by its ID
}

// begun refuses a Session that was not begun: it has no gate, so nothing was granted to it.
func (s *Session) begun() error {
	if s == nil || s.gate == nil {
		return errZeroSession
	}
	return nil
}

var errZeroSession = &fail.Error{Kind: fail.Denied, Err: errors.New("exo: this Session was not begun: Gate.Begin makes one")}

// Checker makes a checker for this run: the gate uses one, and so does a
// recorder that runs in this process.
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

// Submit takes one message. It never blocks on the outcome: a refusal, too, is
// delivered by Next, in call order. The error it returns is a breach of the
// protocol, after which the run can't go on. Concurrent calls are admitted one by one,
// so a Submit waits for another one's Record.
func (s *Session) Submit(call Call) error {
	if err := s.begun(); err != nil {
		return err
	}
	s.admission.Lock()
	defer s.admission.Unlock()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return fail.Errorf(fail.Cancelled, "", "the run is over")
	}
	if s.calls > s.gate.limits.Calls+s.gate.limits.ConcurrentCalls {
		// A guest that goes on sending after its budget would have each message checked.
		s.mu.Unlock()
		return fail.Errorf(fail.Limit, "", "calls were sent after the limit of %d", s.gate.limits.Calls)
	}
	if call.ID <= s.lastID {
		s.mu.Unlock()
		return fail.Errorf(fail.Invalid, "", "call id %d was used before", call.ID)
	}
	// Submit does not block, so messages that wait pile up: this bounds the bytes of all of them together. The
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
	e := &pending{id: call.ID, pos: s.place(call.Pos), size: size}
	s.queue = append(s.queue, e)
	s.wg.Add(1)
	s.mu.Unlock()
	s.admit(call, e, over, large)
	return nil
}

// Label is the label of the run: joined over everything it has read so far.
func (s *Session) Label() value.Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.label
}

// Abandon is for a run that has failed and whose guest is gone: messages without
// an effect that are still open end, since nobody will read what they find. Those with
// an effect go on: whether it happens must not depend on which was faster.
func (s *Session) Abandon() {
	if s.begun() != nil {
		return
	}
	s.mu.Lock()
	if !s.closed {
		s.serve() // what is sent from now on has ended, too
	}
	abandon := s.abandon
	s.mu.Unlock()
	if abandon != nil {
		abandon()
	}
}
