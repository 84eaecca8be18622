package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"time"
)

func (s *Session) act(m *Message, e *pending, turn chan struct{}) {
	defer s.turns.leave(turn)
	if m.acted != nil {
		defer func() {
			if m.behind != nil { // the one before it may act still, though this one gave up waiting
				<-m.behind
			}
			close(m.acted)
		}()
	}
	ctx, cancel := s.ctx, context.CancelCauseFunc(nil)
	if e.effect == message.NoEffect {
		ctx = s.reads
	}
	ctx, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	defer m.whenCut(cancel)()
	// These values stay if the object's code ends its goroutine (runtime.Goexit): the deferred half runs all the same.
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
	// An object that was cut off while the message waited for its turn: wait may have
	// taken the turn although ctx is done, too.
	if cut := m.cutOff(); cut != nil {
		err = cut
	} else if over := s.began(e); over != nil && e.effect == message.NoEffect {
		err = over
	} else {
		// An effect begins in any case: whether it happens must not depend on speed.
		done := s.changes(m, e)
		defer func() { e.state = done(v, err) }()
		if e.effect == message.Held {
			v, err = s.hold(m, e)
		} else if v, err = s.eval(ctx, m); e.effect == message.InUnit && err == nil && !s.opened(m.store) {
			v, err = value.Value{}, &fail.Error{Kind: fail.Internal, Err: errOutside}
		}
	}
}

// whenCut cancels when an object of the message is revoked, until stop.
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

// grow makes room on the stack of a message's goroutine, for the object with the Recorder
// on top. A stack begins with 2 KiB and grows by copying what is on it: once here, where
// that is little, costs a third of growing at the end (BenchmarkRecorded).
//
//go:noinline
func grow(i int) byte {
	var room [3 << 10]byte
	return room[i]
}

// wait waits for a message's turn, and until the one before it in its store has acted.
// That one has its turn already: turns are taken in call order.
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

// errEnded is why there is no answer of an object that left without giving one.
var errEnded = errors.New("exo: the object's goroutine ended")

// acted records what became of a message and hands it to Next.
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
	// A policy or the Recorder may end its goroutine (runtime.Goexit), as a failing test does. The deferred half runs all the same:
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
	if e.state != StateHeld || e.effect != message.Held { // what is held has not happened yet
		failed = s.after(m, v, err)
	}
	digest := e.digest
	if digest == (value.Digest{}) {
		digest = s.digestOf(v)
	}
	en := Entry{Step: Outcome, Label: e.bound, Digest: digest, Rows: v.Len(), Details: s.details(e), Took: took, State: e.state, Err: err}
	if err := s.noteMessage(e, en); failed == nil {
		failed = err
	}
	if failed != nil {
		v, err = value.Value{}, failed
	}
	reply.Value, reply.Err, returned = v, err, true
}

// eval has the object answer, whose code must not be able to end the process, and
// labels the result: with the message's own label, since what it shows depends
// on all of it.
func (s *Session) eval(ctx context.Context, m *Message) (v value.Value, err error) {
	defer panicked(&v, &err) // also of what it replied: that is asked what it is
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
			e.digest = m.session.digestOf(v) // of what was read, and not of the numbers in its place
		}
		if v = e.shows.value(e.root.Type, v); v.Kind() == value.KindSealed {
			return v, nil
		}
	}
	if v, err = m.adopt(v.WithLabel(m.Label), 0); err != nil {
		return value.Value{}, err
	}
	if !v.Label().FlowsTo(m.entry.bound) { // the run's label does not have them, so nothing would stop them
		return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exo: the object replied with labels %s, and its method declares %s at most", v.Label(), m.entry.bound)}
	}
	return v, nil
}

// panicked makes an error of a panic of the object's code. It is deferred.
func panicked(v *value.Value, err *error) {
	if p := recover(); p != nil {
		*v, *err = value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.NewPanicError(p)}
	}
}

// ask has the object answer.
func ask(ctx context.Context, m *Message) (v value.Value, err error) {
	defer panicked(&v, &err)
	if v, err = m.Objects[m.Root.Receiver().Slot].Eval(ctx, m); err != nil {
		err = fail.Foreign(err)
		of := ofObject(fail.AsError("", err))
		if nothingDone(err) && !nothingDone(of) { // said outside of an Error that it wraps
			of = &fail.Error{Op: fail.AsError("", of).Op, Kind: fail.KindOf(of), Msg: fail.AsError("", of).Message(), Err: err}
		}
		return value.Value{}, of
	}
	return v, nil
}

// IsPanic reports whether err is of an object whose code panicked, or ended its goroutine,
// instead of answering.
func IsPanic(err error) bool { return errors.Is(err, fail.ErrPanicked) || errors.Is(err, errEnded) }

// hold looks at a message that is to act when the run has committed, and gives its receipt.
func (s *Session) hold(m *Message, e *pending) (v value.Value, err error) {
	defer panicked(&v, &err)
	if p, ok := m.Objects[m.Root.Receiver().Slot].(Validator); ok && e.sealed == nil { // its text would reveal what is sealed
		if err := p.Validate(m); err != nil {
			return value.Value{}, ofObject(fail.AsError("", fail.Foreign(err)))
		}
	}
	return receipt(e.id).WithLabel(m.Label), nil
}

// ofObject is an object's error as the run gets it. Verdicts on the program's process are not an
// object's to give, and what has no kind is our fault.
func ofObject(err *fail.Error) error {
	if err.Kind == fail.Other || err.Kind == fail.Crashed || err.Kind == fail.Breach || !err.Kind.Valid() {
		return &fail.Error{Op: err.Op, Kind: fail.Internal, Err: err}
	}
	return err
}
