package exo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/within"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// act waits for the turn of message m, lets its object answer, and settles m.
func (s *Session) act(m *Message, e *pending, turn chan struct{}) {
	defer s.turns.Leave(turn)
	if m.acted != nil {
		defer func() {
			if m.behind != nil { // the message before m in its store may still act, although m no longer waits for it
				<-m.behind
			}
			close(m.acted)
		}()
	}
	ctx, cancel := context.WithCancelCause(e.ctx)
	defer cancel(nil)
	defer m.whenCut(cancel)()
	// The object's code may end its goroutine (runtime.Goexit). The deferred call runs all the same, and finds these values.
	v, err, start := value.Value{}, error(&fail.Error{Kind: fail.Internal, Err: errEnded}), time.Now()
	defer func() { s.acted(ctx, m, v, err, time.Since(start)) }()
	if waited := wait(ctx, turn, m.behind); waited != nil {
		err = waited
		return
	}
	if s.gate.record != nil {
		grow(0)
	}
	start = time.Now()
	// Ask whether an object was revoked while the message waited for its turn: the function wait may have returned nil although ctx is done.
	if cut := m.cutOff(); cut != nil {
		err = cut
	} else if over := s.began(e); over != nil && e.effect == message.NoEffect {
		err = over
	} else {
		// An effect begins even if the budget for reading is spent: whether it happens must not depend on how fast calls are.
		done := s.changes(m, e)
		defer func() { // an immediate effect that happened is recorded as done, even if an object was revoked meanwhile and the program gets an error
			cut := m.cutOff() // the object may have ignored that its context has ended: check again for a revoked object
			if e.effect != message.Immediate {
				err = cmp.Or(err, cut)
			}
			e.state = done(v, err)
			err = cmp.Or(err, cut)
		}()
		if e.effect == message.Held {
			v, err = s.hold(m, e)
		} else if v, err = s.eval(ctx, m); e.effect == message.InUnit && err == nil && !s.opened(m.store) {
			v, err = value.Value{}, &fail.Error{Kind: fail.Internal, Err: errOutside}
		}
	}
}

// whenCut calls cancel when an object of the message is revoked. It watches until stop is called.
func (m *Message) whenCut(cancel context.CancelCauseFunc) (stop func()) {
	if len(m.cuts) == 0 {
		return func() {}
	}
	over := make(chan struct{})
	for _, c := range m.cuts {
		go func() {
			select {
			case <-c:
				cancel(fail.ErrRevoked)
			case <-over:
			}
		}()
	}
	return func() { close(over) }
}

// grow makes room on the stack of a message's goroutine for the calls of the object and of the Recorder. A stack begins with 2 KiB
// and grows by copying its content. Growing it once here, while it holds little, costs a third of growing it later (BenchmarkRecorded).
//
//go:noinline
func grow(i int) byte {
	var room [3 << 10]byte
	return room[i]
}

// wait waits for a message's turn, and then until the message before it in its store has acted.
// That earlier message already has its turn, since turns are taken in call order.
func wait(ctx context.Context, turn, behind <-chan struct{}) error {
	select {
	case <-turn:
	case <-ctx.Done():
	}
	if behind != nil {
		select {
		case <-behind:
		case <-ctx.Done():
		}
	}
	return fail.Classify("", ctx.Err())
}

var errEnded = within.ErrEnded // the error of an object that ended its goroutine before it answered

// acted records the outcome of a message and hands the reply to Next.
func (s *Session) acted(ctx context.Context, m *Message, v value.Value, err error, took time.Duration) {
	e := m.entry
	if err != nil {
		v = value.Value{}
		why := fail.AsError("", err)
		if errors.Is(context.Cause(ctx), fail.ErrRevoked) {
			why = &fail.Error{Kind: fail.Revoked, Err: err}
		}
		if why.Op == "" {
			named := *why
			named.Op = s.opName(e.root)
			why = &named
		}
		err = why.Bounded()
	}
	// A policy or the Recorder may end its goroutine (runtime.Goexit), as a failing test does. The deferred function runs all the same:
	// the program gets an error instead of the value, and the run does not commit.
	reply := Reply{ID: e.id, Err: &fail.Error{Kind: fail.Internal, Err: errRecord}}
	returned := false
	defer func() {
		if !returned {
			s.callbackFailed(errCallbackEnded)
		}
		s.settle(e, reply)
	}()
	var failed error
	if e.state != StateHeld || e.effect != message.Held { // a held effect has not happened yet
		failed = s.after(m, v, err)
	}
	digest := e.digest
	if digest == (value.Digest{}) {
		digest = s.digestOf(v)
	}
	en := Entry{Step: Outcome, Label: e.bound, Digest: digest, Rows: v.Len(), Took: took, State: e.state, Err: err}
	s.mu.Lock()
	en.Details, en.Raw = e.details, RawReply{e.reply.Value, e.types, e.spent.rows, e.spent.bytes}
	s.mu.Unlock()
	if err := s.noteMessage(e, en); failed == nil {
		failed = err
	}
	if failed != nil {
		v, err = value.Value{}, failed
	}
	reply.Value, reply.Err, returned = v, err, true
}

// eval lets the object answer. A panic of the object's code becomes an error, so it can't end the process.
// eval labels the result with the label of the message, since the result depends on the whole message.
func (s *Session) eval(ctx context.Context, m *Message) (v value.Value, err error) {
	defer panicked(&v, &err) // the deferred call also catches a panic in Describe, which adopt calls for each object in the reply
	if m.entry.declassified != nil {
		if v, err = m.askDeclassifier(ctx); err != nil {
			return v, err
		}
	} else if m.composes() {
		if v, err = m.session.compose(m); err != nil || v.Kind() == value.KindSealed {
			return v, err
		}
	} else if v, err = ask(ctx, m); err != nil {
		return value.Value{}, err
	}
	if e := m.entry; e.shows != nil {
		if m.session.gate.record != nil {
			e.digest = m.session.digestOf(v) // record the digest of the values that were read, not of the numbers that replace sealed ones
		}
		if v = e.shows.value(e.root.Type, v); v.Kind() == value.KindSealed {
			return v, nil
		}
	}
	if v, err = m.adopt(v.WithLabel(m.Label), 0); err != nil {
		return value.Value{}, err
	}
	if !v.Label().FlowsTo(m.entry.bound) { // the object gave tags that its method does not declare: the run's label lacks them, so no sink would stop the value
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: the object replied with the labels %s, but its method declares only %s. Add the others to Method.Reply", v.Label(), m.entry.bound)}
	}
	return v, nil
}

// panicked turns a panic of the object's code into an error. Its callers defer it.
func panicked(v *value.Value, err *error) {
	if p := recover(); p != nil {
		*v, *err = value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.NewPanicError(p)}
	}
}

// ask calls Eval of the object that receives the message.
func ask(ctx context.Context, m *Message) (v value.Value, err error) {
	defer panicked(&v, &err)
	if v, err = m.Objects[m.Root.Receiver().Slot].Eval(ctx, m); err != nil {
		err = fail.Foreign(err)
		of := ofObject(fail.AsError("", err))
		if nothingDone(err) && !nothingDone(of) { // fail.Error dropped ErrNothingDone, which err still wraps: keep err as the cause
			of = &fail.Error{Op: fail.AsError("", of).Op, Kind: fail.KindOf(of), Msg: fail.AsError("", of).Message(), Err: err}
		}
		return value.Value{}, of
	}
	if m.entry.effect != message.Held {
		m.entry.reply.Value = v
	}
	return v, nil
}

// IsPanic reports whether err is the error of an object that panicked or ended its goroutine instead of answering.
func IsPanic(err error) bool { return errors.Is(err, fail.ErrPanicked) || errors.Is(err, errEnded) }

// hold validates a message that acts after the run has committed, and returns its receipt.
func (s *Session) hold(m *Message, e *pending) (v value.Value, err error) {
	defer panicked(&v, &err)
	if p, ok := m.Objects[m.Root.Receiver().Slot].(Validator); ok && e.sealed == nil { // with sealed values in the message, the text of an error would reveal them
		if err := p.Validate(m); err != nil {
			return value.Value{}, ofObject(fail.AsError("", fail.Foreign(err)))
		}
	}
	return value.RecordValue(value.Field{Name: "held", Value: value.Bool(true)}, value.Field{Name: "receipt", Value: value.Int(int64(e.id))}).WithLabel(m.Label), nil
}

// ofObject returns an object's error as the run gets it. Kinds that report on the program's process are not for
// objects: such a kind becomes Internal, and so does an error without a kind.
func ofObject(err *fail.Error) error {
	if err.Kind == fail.Other || err.Kind == fail.Crashed || err.Kind == fail.Breach || err.Kind == fail.Pending || !err.Kind.Valid() {
		return &fail.Error{Op: err.Op, Kind: fail.Internal, Err: err}
	}
	return err
}
