package exo

import (
	"cmp"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// admit is the one gate. Its order is the promise of the package: check the message; join its label and the bound of its reply; take from budgets;
// open sealed values and check again; refuse (see refuse); charge bits; record the intent; act; record the outcome. Everything up to the intent
// runs on the caller's goroutine, with s.admission held. So labels join in the order in which messages arrive.
func (s *Session) admit(call Call, e *pending, over, large bool) {
	settled := false
	defer func() {
		if !settled { // the Recorder ended this goroutine, which has to settle the message
			s.callbackFailed(errCallbackEnded)
			s.settle(e, Reply{ID: call.ID, Err: &fail.Error{Kind: fail.Internal, Err: errRecord}})
		}
	}()
	// Resolve and check: the message may refer only to objects of this run, and call only methods of the catalogue.
	var sealed value.Label // joined from all sealed values in the message
	var m *Message
	var err error
	if large { // a message that is too large is not looked at, copied or recorded, so it adds no label
		err = s.gate.limits.tooMuch()
	} else {
		m, err = s.check(call.Expr, e, func(v value.Value) error { return s.recognize(v, &sealed) })
	}
	if m != nil {
		err = s.bound(m, call, e, sealed, err)
	}
	s.joinLabels(m, e, sealed)
	if e.ctx = s.ctx; e.effect == message.NoEffect {
		e.ctx = s.reads
	}
	e.ctx, e.end = observe.Begin(e.ctx, e.root.Observed())
	use := Use{Calls: 1}
	if e.effect != message.NoEffect && !s.run.Preview {
		use.Effects = 1
	}
	budget := s.take(e, use, !MayLeave(e.label, s.gate.admits)) // a refused message uses budgets, too: whether it is refused may depend on a secret
	if err == nil && !sealed.Empty() && e.sealed == nil && e.declassified == nil {
		var plain *Message
		if plain, err = s.check(s.open(call.Expr), e, nil); plain != nil {
			m = plain
		}
	}
	if err == nil {
		err = s.refuse(m, e, over, budget)
	}
	en := Entry{Step: Intent, Label: e.label}
	if bad := s.spell(&en, call, m); err == nil {
		err = bad
	}
	if err == nil { // charge is the last check, so that a refused message takes no bits of the budget
		en.Details, err = s.charge(m, e)
	}
	if err != nil {
		err = fail.AsError("", err).Bounded()
		en.Step, en.Err = Refused, err
		if s.noteMessage(e, en) == nil {
			s.spelt(&en)
		}
	} else {
		err = s.noteMessage(e, en) // an event that can't be recorded must not happen
	}
	settled = true
	if err != nil {
		s.settle(e, Reply{ID: call.ID, Err: err})
		return
	}
	s.spelt(&en)
	s.begin(m, e)
}

// bound finds the label of the whole message, and the most labels that its reply may carry. It decides which parts of the reply are sealed, and
// refuses sealed values that a declassifier may not get. If err is not nil, the message is already refused, but its labels count all the same.
func (s *Session) bound(m *Message, call Call, e *pending, sealed value.Label, err error) error {
	e.chosen = m.Label
	for _, v := range m.Args {
		e.chosen = e.chosen.Join(v.AllLabels())
	}
	e.bound = e.chosen.Join(m.Root.Method().Reply)
	if s.gate.labels.Empty() {
		// no grant has a label, so there is nothing to seal
	} else if shown := s.gate.catalog.Shows(m.Root.Type); s.gate.plain(shown) {
		if m.Root.Method().Fresh {
			shown = shown.Secrecy()
		}
		e.bound = e.bound.Join(shown)
	} else {
		e.shows = &sealing{catalog: s.gate.catalog, calculated: m.calculated}
	}
	if err == nil && !m.Root.Method().Declassifies.Empty() {
		m.asked, e.declassified = call.Expr, &sealed
		err = s.declassifies(m, call.Expr, sealed)
	} else if err == nil && !sealed.Empty() && m.Root.Method().Effect == message.Held && !m.judged() {
		// A method that acts after the commit shows the program nothing of the sealed values in its arguments.
		m.asked, e.sealed = call.Expr, &sealed
	} else if err == nil && !sealed.Empty() && m.composes() && !m.judged() {
		e.sealed, e.shows = &sealed, &sealing{catalog: s.gate.catalog}
	} else {
		e.bound = e.bound.Join(sealed) // the label joins even if the message is refused, since the sealed values may decide the refusal
	}
	return err
}

// joinLabels adds to the run's label the label of the whole message and the most labels that its reply may carry. It does so before the message
// acts, even if the message is refused later. If the label joined only when the reply comes, or when a worker takes the reply, the run's label would
// reveal how fast calls are: `a = fast(); b = labelled(); await a; post()`.
func (s *Session) joinLabels(m *Message, e *pending, sealed value.Label) {
	s.mu.Lock()
	before := s.label
	e.chosen = e.chosen.Join(before).Join(sealed)
	s.label = s.label.Join(e.bound)
	if e.shows != nil {
		if !m.Root.Method().Fresh {
			e.bound = e.bound.Join(s.gate.catalog.IntegrityShown(m.Root.Type, s.label))
		}
		s.label = s.label.Join(e.bound)
		e.shows.open = s.label
	}
	s.withhold(e.id, e.pos)
	e.label = s.label
	s.mu.Unlock()
	if more := e.label.Without(before); !more.Empty() {
		s.caused(more, m, e)
	}
}

// refuse checks a message after its labels have joined: sink, trust, the number of calls, budgets (which admit has asked), effect, policies, in this order.
func (s *Session) refuse(m *Message, e *pending, over bool, budget error) error {
	err := s.passSink(m, e) // passSink checks e.label, which includes the label that this message just added
	if over && err == nil {
		err = fail.Errorf(fail.Limit, s.opName(e.root), "too many calls: a program may make at most %d; make the others in another program", s.gate.limits.Calls)
	}
	if err = cmp.Or(err, budget); err == nil {
		err = s.refuseEffect(m)
	}
	if err == nil {
		err = s.before(m, e)
	}
	return err
}

// begin starts a message after its intent was recorded. The message acts when it has its turn.
func (s *Session) begin(m *Message, e *pending) {
	s.mu.Lock()
	s.changing = s.changing || e.effect == message.Immediate || e.effect == message.InUnit
	s.mu.Unlock()
	s.introduce(m)
	s.claim(m)
	s.queueUp(m)
	go s.act(m, e, s.turns.Enter())
}

// check turns x into a message and finds its objects and its store. It may return both a message and an error, since the
// labels of a refused message count, too.
func (s *Session) check(x message.Expr, e *pending, literal func(value.Value) error) (*Message, error) {
	check := message.Checker{Catalog: s.gate.catalog, Bounds: s.gate.limits.Message(), Ref: s.ref, Show: s.show, Zone: s.gate.zone, Literal: literal}
	checked, err := check.Check(x)
	if err != nil {
		return nil, err
	}
	m := &Message{Checked: *checked}
	e.root, e.effect, m.session, m.entry, m.calculated = m.Root, m.Root.Method().Effect, s, e, check.Calculates
	if err = s.resolve(m); err == nil {
		m.store, err = s.gate.storeOf(m.Objects[m.Root.Receiver().Slot])
	}
	return m, err
}

// judged reports whether a policy may look at the values in the message and refuse it. Whether such a message passes
// reveals the values to the program.
func (m *Message) judged() bool {
	return slices.ContainsFunc(m.policies, func(w *wrapping) bool { return w.policy.Before != nil && !w.policy.Blind })
}

// queueUp makes a message wait for the messages of its store that were admitted earlier.
func (s *Session) queueUp(m *Message) {
	if m.store == nil {
		return
	}
	if s.tails == nil {
		s.tails = map[any]chan struct{}{}
	}
	m.behind, m.acted = s.tails[m.store], make(chan struct{})
	s.tails[m.store] = m.acted
}

// resolve finds the objects that a message refers to, without the policies that wrap them.
func (s *Session) resolve(m *Message) error {
	if m.Objects = m.few[:]; len(m.Refs) > len(m.few) {
		m.Objects = make([]Object, len(m.Refs))
	}
	m.Objects = m.Objects[:len(m.Refs)]
	for i, r := range m.Refs {
		s.mu.Lock()
		o := s.objects[r] // r is in range: the checker called refType for it
		s.mu.Unlock()
		inner, err := m.peel(i, o)
		if err != nil {
			return fail.AsError("", err).In(s.refName(r))
		}
		m.Objects[i] = inner
	}
	return nil
}

// cutOff returns an error of Kind Revoked if an object of the message has been revoked by now, and otherwise nil.
func (m *Message) cutOff() error {
	for _, c := range m.cuts {
		select {
		case <-c:
			return &fail.Error{Kind: fail.Revoked}
		default:
		}
	}
	return nil
}

// opName returns the operation of a message as the program wrote it, shortened.
func (s *Session) opName(root *message.Node) string {
	if root == nil {
		return ""
	}
	c := message.Checker{Catalog: s.gate.catalog, Show: s.show}
	return scalar.Clip(c.Op(root.Recv, root.Name), fail.MaxOp)
}
