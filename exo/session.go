package exo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Call is the frame by which a guest sends a message. IDs are the guest's and
// must rise: a second use of one is a breach of the protocol.
type Call struct {
	ID   uint64
	Expr Expr
}

// Reply is the frame that answers a Call. References in Value are numbers of
// this session; see (Value).RefID.
type Reply struct {
	ID    uint64
	Value Value
	Err   error // nil, or why, an *Error; the guest may read GuestText(Err) only
}

// SizeUpTo is a rough size of the call in memory, for Limits.UnansweredBytes. It stops
// counting once it exceeds limit.
func (c Call) SizeUpTo(limit int) int {
	n := 0
	for i := 0; i < len(c.Expr.Nodes) && n <= limit; i++ {
		w := &c.Expr.Nodes[i]
		n += 256 + len(w.Name) + 12*len(w.Args) // a node that was checked, and the list of its arguments
		for _, name := range w.Names {
			n += 48 + len(name)
		}
		n += w.Lit.bytesUpTo(max(0, limit-n))
	}
	return n
}

// TooMuchUnanswered is what a guest is told that sends more than
// Limits.UnansweredBytes before it has received answers.
func TooMuchUnanswered(limit int) *Error {
	return Errorf(Limit, "", "the calls that wait for an answer hold more than %d bytes together; await some before you send more", limit)
}

// Phase says when in the life of a message an Event was recorded.
type Phase uint8

const (
	NoPhase  Phase = iota
	Refused        // the gate let nothing happen
	Intent         // about to act
	Outcome        // acted, well or not
	Withheld       // acted, but the budget for reading was empty: the reply was kept back
)

func (p Phase) String() string {
	if p > Withheld {
		return "none"
	}
	return [...]string{"none", "refused", "intent", "outcome", "withheld"}[p]
}

// Event is one line of the record of a run. It is for the host alone.
type Event struct {
	Principal Principal
	Call      uint64
	Phase     Phase
	Op        string // what was asked, as the program wrote it, shortened
	Effect    bool
	Label     Label // of the run, after this message's was joined
	Err       error
	Rows      int
	Details   []any // what the object added: see (*Message).Detail
	At        time.Time
	Took      time.Duration // at Outcome: how long it acted, without the wait for its turn
}

// Session is one run: the numbers it may use, the label it has, what is left of
// its budgets, and its units of work. Its methods may be called from several goroutines.
type Session struct {
	gate      *Gate
	principal Principal
	ctx       context.Context
	cancel    context.CancelCauseFunc
	reads     context.Context // of messages without an effect: Abandon ends it
	abandon   context.CancelFunc
	turns     turns
	wg        sync.WaitGroup
	ref       func(id uint32) *Type  // refType and refName, for checkers
	show      func(id uint32) string //

	// admission is held while one message is admitted: in the queue, in the run's label,
	// in the record and in the turns messages stand in one order, that of their ids.
	admission sync.Mutex

	mu       sync.Mutex
	objects  []Object
	types    []*Type
	label    Label
	console  console
	lastID   uint64
	calls    int
	spent    spent      // of the replies delivered
	unheard  int        // bytes of messages whose reply was not delivered
	queue    []*pending // in call order: replies leave in this order
	wake     chan struct{}
	units    map[any]*unitEntry
	effects  []Effect // in the order in which they began
	closed   bool
	panicked any // what a callback of the host panicked with

	over      chan struct{} // closed when Finish is done
	finishErr error
}

type pending struct {
	root    *Node // what was asked; nil where the message was malformed
	effect  bool
	spent   spent
	objects []Object // that the reply refers to, numbered from 0 until it is delivered
	types   []*Type
	size    int // of the message, in the budget of those without an answer
	id      uint64
	done    bool
	reply   Reply
	details []any
}

type unitEntry struct {
	once sync.Once
	unit Unit
	err  error
}

// NewSession begins a run. Whoever calls it must call Finish, and then heed Panicked.
func (g *Gate) NewSession(ctx context.Context, p Principal) *Session {
	s := &Session{gate: g, principal: p, turns: turns{free: g.limits.ConcurrentCalls}, wake: make(chan struct{}, 1), over: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.reads, s.abandon = context.WithCancel(s.ctx)
	s.ref, s.show = s.refType, s.refName
	s.objects = append(s.objects, g.objects...)
	for i := range g.granted {
		s.types = append(s.types, g.granted[i].Type)
	}
	return s
}

// Checker makes a checker for this run: the gate uses one, and so does a
// recorder that runs in this process.
func (s *Session) Checker() *Checker {
	return &Checker{Catalog: s.gate.catalog, Limits: s.gate.limits, Ref: s.ref, Show: s.show}
}

func (s *Session) refType(id uint32) *Type {
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
	s.admission.Lock()
	defer s.admission.Unlock()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return Errorf(Cancelled, "", "the run is over")
	}
	if s.calls > s.gate.limits.Calls+s.gate.limits.ConcurrentCalls {
		// A guest that goes on sending after its budget would have each message checked.
		s.mu.Unlock()
		return Errorf(Limit, "", "calls were sent after the limit of %d", s.gate.limits.Calls)
	}
	if call.ID <= s.lastID {
		s.mu.Unlock()
		return Errorf(Invalid, "", "call id %d was used before", call.ID)
	}
	// Messages wait with all that they hold, and Submit does not wait for them. How
	// large one may be is for the limits of its own.
	size := call.SizeUpTo(s.gate.limits.UnansweredBytes)
	if l := s.gate.limits.UnansweredBytes; s.unheard > 0 && s.unheard+size > l {
		s.mu.Unlock()
		return TooMuchUnanswered(l)
	}
	s.lastID = call.ID
	s.calls++
	over := s.calls > s.gate.limits.Calls
	s.unheard += size
	e := &pending{id: call.ID, size: size}
	s.queue = append(s.queue, e)
	s.wg.Add(1)
	s.mu.Unlock()
	s.admit(call, e, over)
	return nil
}

// admit is the one gate. Its order is the promise of the package: resolve
// and check; join the label; check sink and budget; record the intent; act;
// label the result; record the outcome. It runs on the caller's goroutine up to the
// intent, with s.admission held, so labels join in the order in which messages arrive.
func (s *Session) admit(call Call, e *pending, over bool) {
	// Resolve and check: references of this run only, the catalogue's methods only.
	check := Checker{Catalog: s.gate.catalog, Limits: s.gate.limits, Ref: s.ref, Show: s.show}
	checked, err := check.Check(call.Expr)
	var m *Message
	if err == nil {
		e.root, e.effect = checked.Root, checked.Root.method.Effect
		m = &Message{Checked: checked, session: s, entry: e}
		err = s.resolve(m)
	}

	// Join the label of the whole message, whatever becomes of it from here on.
	s.mu.Lock()
	if checked != nil {
		s.label = s.label.Join(checked.Label)
		for _, v := range checked.Args {
			s.label = s.label.Join(v.allLabels())
		}
	}
	label := s.label
	s.mu.Unlock()

	// Sink, against the label just joined.
	if err == nil {
		if meth := checked.Root.method; (meth.Effect || meth.Sink) && !label.FlowsTo(meth.Admits) {
			err = Errorf(Denied, s.opName(e.root), "this run has read values that may not leave this way")
		}
	}
	if over && err == nil {
		err = Errorf(Limit, s.opName(e.root), "too many calls: the limit is %d for one program", s.gate.limits.Calls)
	}
	if err == nil {
		err = s.before(m, e)
	}
	if err != nil {
		err = asError("", err).keep()
		s.emit(e, Event{Phase: Refused, Label: label, Err: err})
		s.settle(e, Reply{ID: call.ID, Err: err})
		return
	}
	if err := s.emit(e, Event{Phase: Intent, Label: label}); err != nil { // what can't be recorded does not happen
		s.settle(e, Reply{ID: call.ID, Err: err})
		return
	}
	go s.act(m, e, s.turns.enter())
}

func (s *Session) act(m *Message, e *pending, turn chan struct{}) {
	defer s.turns.leave(turn)
	ctx, cancel := s.ctx, context.CancelCauseFunc(nil)
	if !e.effect {
		ctx = s.reads
	}
	ctx, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, c := range m.cuts {
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select {
			case <-c:
				cancel(ErrRevoked)
			case <-stop:
			}
		}()
	}
	// What stays where the object's code ends its goroutine: the deferred half is run all the same.
	v, err, start := Value{}, error(&Error{Kind: Internal, Err: errEnded}), time.Now()
	defer func() { s.acted(ctx, m, v, err, time.Since(start)) }()
	select {
	case <-turn:
		start = time.Now()
		// A run that ended or an object that was cut off while the message waited for
		// its turn: select may have taken the turn although ctx is done, too.
		if cut := m.cutOff(); cut != nil {
			err = cut
		} else if ctx.Err() != nil {
			err = AsError("", ctx.Err())
		} else if over := s.began(e); over != nil && !e.effect {
			err = over
		} else {
			// An effect begins in any case: whether it happens must not depend on speed.
			done := s.effect(e)
			defer func() { done(err) }()
			v, err = s.eval(ctx, m)
		}
	case <-ctx.Done():
		err = AsError("", ctx.Err())
	}
}

// errEnded is why there is no answer of an object that left without giving one.
var errEnded = errors.New("exo: the object's goroutine ended")

// acted records what became of a message and hands it to Next.
func (s *Session) acted(ctx context.Context, m *Message, v Value, err error, took time.Duration) {
	e := m.entry
	if err != nil {
		v = Value{}
		why := asError("", err)
		if errors.Is(context.Cause(ctx), ErrRevoked) {
			why = &Error{Kind: Revoked, Err: err}
		}
		if why.Op == "" {
			named := *why
			named.Op = s.opName(e.root)
			why = &named
		}
		err = why.keep()
	}
	// Also where a policy or Record ends its goroutine, as a test that fails in it does.
	defer func() { s.settle(e, Reply{ID: e.id, Value: v, Err: err}) }()
	failed := s.after(m, v, err)
	s.mu.Lock()
	s.label = s.label.Join(v.label)
	ev := Event{Phase: Outcome, Label: s.label, Rows: v.Len(), Details: e.details, Took: took, Err: err}
	s.mu.Unlock()
	if failed != nil {
		v, err = Value{}, failed
		return
	}
	if failed := s.emit(e, ev); failed != nil {
		v, err = Value{}, failed
	}
}

// eval runs the object's code, which must not be able to end the process, and
// labels the result: with the message's own label, since what it shows depends
// on all of it.
func (s *Session) eval(ctx context.Context, m *Message) (v Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = Value{}, &Error{Kind: Internal, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	x, e := m.Objects[m.Root.receiver().Slot].Eval(ctx, m)
	if e != nil {
		return Value{}, ofObject(asError("", e))
	}
	return m.adopt(x.WithLabel(m.Label), 0)
}

// ofObject is what a run is told of an object's error. Verdicts on the program's
// process are not an object's to give, and what has no kind is our fault.
func ofObject(err *Error) *Error {
	if err.Kind == Other || err.Kind == Crashed || err.Kind == Breach || err.Kind >= Kinds {
		return &Error{Op: err.Op, Kind: Internal, Err: err}
	}
	return err
}

// receiver is the granted object that a message is addressed to.
func (n *Node) receiver() *Node {
	for n.Recv != nil {
		n = n.Recv
	}
	return n
}

// opName is what a message asked, as the program wrote it.
func (s *Session) opName(root *Node) string {
	if root == nil {
		return ""
	}
	c := Checker{Catalog: s.gate.catalog, Show: s.show}
	return clipTo(c.Op(root.Recv, root.Name), maxErrorOp)
}

// resolve finds the objects of a message and peels off what they are wrapped in.
func (s *Session) resolve(m *Message) error {
	if m.Objects = m.few[:]; len(m.Refs) > len(m.few) {
		m.Objects = make([]Object, len(m.Refs))
	}
	m.Objects = m.Objects[:len(m.Refs)]
	for i, r := range m.Refs {
		s.mu.Lock()
		o := s.objects[r] // in range: the checker has asked refType
		s.mu.Unlock()
		inner, err := m.peel(i, o)
		if err != nil {
			return asError("", err).in(s.refName(r))
		}
		m.Objects[i] = inner
	}
	return nil
}

// cutOff reports whether an object of the message has been revoked by now.
func (m *Message) cutOff() error {
	for _, c := range m.cuts {
		select {
		case <-c:
			return &Error{Kind: Revoked}
		default:
		}
	}
	return nil
}

// RefID is the session's number of a reference in a reply.
func (v Value) RefID() uint32 { return uint32(v.bits) }

// emit records an event of message e. What only a record needs is made only for
// one. It is the one place where the host's callbacks are called; from the first that
// panics on nothing is recorded, so nothing more of the run happens.
func (s *Session) emit(e *pending, ev Event) error {
	if s.Panicked() != nil {
		return &Error{Kind: Internal, Err: errRecord}
	}
	if s.gate.record == nil {
		return nil
	}
	if p := s.record(e, ev); p != nil {
		s.mu.Lock()
		if s.panicked == nil {
			s.panicked = p
		}
		s.mu.Unlock()
		s.Abandon() // effects that were recorded go on, as ever
		return &Error{Kind: Internal, Err: errRecord}
	}
	return nil
}

// errRecord is why a run fails whose record can't be kept.
var errRecord = errors.New("exo: the host's Record or Console panicked")

func (s *Session) record(e *pending, ev Event) (panicked any) {
	defer func() { panicked = recover() }()
	ev.Principal, ev.Call, ev.At = s.principal, e.id, s.gate.now()
	ev.Op, ev.Effect = s.opName(e.root), e.effect
	s.gate.record(ev)
	return nil
}

// Panicked is what the first of the host's callbacks panicked with, or nil. It is
// final when Finish has returned. Whoever ends the session panics with it then, on a
// goroutine where the host can recover: a run that was not recorded has no result.
func (s *Session) Panicked() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.panicked
}

func (s *Session) settle(e *pending, r Reply) {
	s.mu.Lock()
	e.reply, e.done = r, true
	s.mu.Unlock()
	s.wg.Done()
	s.poke()
}

// poke wakes one waiter in Next; each that leaves wakes another, since one
// outcome can free several replies.
func (s *Session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Next waits for the reply to the oldest call that has not been answered yet.
// Replies leave in call order however long each took, so that time never
// becomes an order that a guest could read. ok is false when no call is open.
func (s *Session) Next(ctx context.Context) (r Reply, ok bool, err error) {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.mu.Unlock()
			s.poke()
			return Reply{}, false, nil
		}
		if e := s.queue[0]; e.done {
			if s.queue[0] = nil; len(s.queue) > 1 {
				s.queue = s.queue[1:]
			} else {
				s.queue = s.queue[:0] // the next call needs no new one
			}
			s.spent.add(e.spent)
			s.unheard -= e.size
			// Whether Spend knew in time to stop the call depends on how fast those before it
			// were, so what is said is the same as Spend says.
			over, withheld := s.gate.overspent(s.spent), false
			if over != nil && (e.reply.Err == nil || e.spent != spent{}) {
				withheld = e.reply.Err == nil
				e.reply = Reply{ID: e.id, Err: asError("", over).in(s.opName(e.root))}
			} else {
				s.number(e)
			}
			label := s.label
			s.mu.Unlock()
			if withheld { // what was read is not handed over, and the record says so
				s.emit(e, Event{Phase: Withheld, Label: label, Err: over})
			}
			s.poke()
			return e.reply, true, nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Reply{}, false, ctx.Err()
		}
	}
}

// Label is the label of the run: joined over everything it has read so far.
func (s *Session) Label() Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.label
}

// Effect is a message of a run that changes something and that began to act.
type Effect struct {
	Op  string // what was asked, as the program wrote it, shortened
	Err error  // why it is not known to have happened; nil: it happened. For the host
}

// Effects are what a run has changed, or may have. A message that was refused is
// not among them. It is whole when Finish has returned.
func (s *Session) Effects() []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.effects)
}

// errOpen is the Err of an effect that has not ended.
var errOpen = errors.New("exo: it has not ended")

// effect notes that message e begins to act, if it changes something; done that it ended.
func (s *Session) effect(e *pending) (done func(error)) {
	if !e.effect {
		return func(error) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := len(s.effects)
	s.effects = append(s.effects, Effect{Op: s.opName(e.root), Err: errOpen})
	return func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.effects[i].Err = err
	}
}

// Release decides whether the run's result may leave: the result is a sink like any other.
func (s *Session) Release() error {
	if l := s.Label(); !l.FlowsTo(s.gate.admits) {
		// The tags are the declaration's words and no data; which value it was is not said.
		return Errorf(Denied, "", "the program read values labelled %s, which may not leave this way; leave their columns out of select, where and orderBy", l.without(s.gate.admits))
	}
	return nil
}

// began refuses to begin a call where those before it have read too much already.
func (s *Session) began(e *pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate.overspent(s.known(e))
}

// spend counts what one call reads. The budget of the run is settled in call
// order, when replies are delivered (Next): which of two concurrent calls finds it
// empty must not depend on which was faster.
func (s *Session) spend(e *pending, rows, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spent.rows += rows
	e.spent.bytes += bytes
	known := s.known(e)
	known.add(e.spent)
	return s.gate.overspent(known)
}

// known is what calls before e are known by now to have read. It never counts more
// than the sum in call order, by which Next decides: so how fast calls are can
// spare work, and never changes an answer. It is found anew at each use, since calls
// that act at one time would otherwise each read what the run may. s.mu is held.
func (s *Session) known(e *pending) spent {
	k := s.spent
	for _, o := range s.queue {
		if o == e {
			break
		}
		k.add(o.spent)
	}
	return k
}

// spent is what was read, of the budgets for reading.
type spent struct{ rows, bytes int }

func (x *spent) add(y spent) { x.rows, x.bytes = x.rows+y.rows, x.bytes+y.bytes }

func (g *Gate) overspent(x spent) error {
	if l := g.limits.Rows; x.rows > l {
		return Errorf(Limit, "", "more than %d rows were read; ask for fewer with where or limit, or use count", l)
	}
	if l := g.limits.Bytes; x.bytes > l {
		return Errorf(Limit, "", "more than %d bytes were read; select fewer columns or rows", l)
	}
	return nil
}

func (s *Session) unit(key any, open func(context.Context) (Unit, error)) (Unit, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrCancelled
	}
	if s.units == nil {
		s.units = map[any]*unitEntry{}
	}
	u := s.units[key]
	if u == nil {
		u = &unitEntry{}
		s.units[key] = u
	}
	s.mu.Unlock()
	u.once.Do(func() {
		u.err = errors.New("exo: a unit of work could not be opened") // what stays if open panics
		u.unit, u.err = open(s.ctx)                                   // of the run: a transaction must outlive the message that began it
	})
	return u.unit, u.err
}

// Abandon is for a run that has failed and whose guest is gone: messages without
// an effect that are still open end, since nobody will read what they find. Those with
// an effect go on: whether it happens must not depend on which was faster.
func (s *Session) Abandon() { s.abandon() }

// Finish ends the run. Calls that are still open are cancelled and waited for,
// so nothing of the run takes effect after Finish has returned, and an object that
// does not heed its context holds Finish up; then the units of work end, committing
// only if ok and if all was recorded.
func (s *Session) Finish(ctx context.Context, ok bool) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		select {
		case <-s.over: // a second caller waits for the first
			return s.finishErr
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.closed = true
	s.mu.Unlock()
	s.cancel(context.Canceled)
	s.wg.Wait()
	var errs []error
	if s.Panicked() != nil {
		ok = false
	}
	for _, u := range s.units {
		if u.unit != nil {
			errs = append(errs, u.end(ctx, ok))
		}
	}
	s.finishErr = errors.Join(errs...)
	close(s.over)
	return s.finishErr
}

// end ends a unit; one that panics must not keep the others from ending.
func (u *unitEntry) end(ctx context.Context, ok bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exo: panic at the end of a unit of work: %v", p)
		}
	}()
	return u.unit.End(ctx, ok)
}
