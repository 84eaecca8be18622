package exo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exo/value"
)

// A Record that panics, at whatever event and on whatever goroutine, ends neither
// the process nor leaves the run open: it undoes what it can and keeps the panic for
// whoever finishes it.
func TestRecordThatPanics(t *testing.T) {
	for _, at := range []Step{Refused, Intent, Outcome, Withheld} {
		synctest.Test(t, func(t *testing.T) {
			mail, recorded := newMail(), 0
			u := &unit{}
			mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
				_, err := m.Unit(mail, func(context.Context) (Unit, error) { return u, nil })
				m.Spend(1, 0)
				return value.Int(1), err
			}
			g, err := NewGate(Config{Grants: map[string]Object{"mail": mail}, Limits: Limits{Rows: 1}, Record: RecordFunc(func(ev Entry) error {
				if ev.Step == at {
					recorded++
					panic(fmt.Sprint("at ", at))
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			s := begin(t, g, t.Context(), "")
			peek, none := msg(ref(mailID), call(0, "peek")), msg(ref(mailID), call(0, "no such"))
			failed := 0
			for i, x := range []message.Expr{peek, peek, none, peek} {
				if err := s.Submit(Call{ID: uint64(i + 1), Expr: x}); err != nil {
					t.Fatal(err)
				}
				r, ok, err := s.Next(t.Context())
				if !ok || err != nil {
					t.Fatalf("%v: no reply: %v", at, err)
				}
				if r.Err != nil && fail.KindOf(r.Err) == fail.Internal && errors.Is(r.Err, errRecord) {
					failed++
				}
			}
			if err := s.Finish(t.Context(), value.Null(), nil); !errors.Is(err, errRecord) {
				t.Error(at, err)
			}
			if p := s.Panicked(); p != fmt.Sprint("at ", at) || recorded != 1 {
				t.Errorf("%v: kept %v; recorded %d times", at, p, recorded)
			}
			if asked := map[Step]int{Refused: 2, Intent: 0, Outcome: 1, Withheld: 2}[at]; mail.asked() != asked || failed == 0 {
				t.Errorf("%v: asked %d times; %d replies say why", at, mail.asked(), failed)
			}
			if mail.asked() > 0 && !slices.Equal(u.ends, []string{"rolled back"}) {
				t.Errorf("%v: the unit ended %v", at, u.ends)
			}
		})
	}
}

// Reads that are open when a Record panics end: nobody will hear of them.
func TestReadsEndWithTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mail, intents := newMail(), 0
		mail.eval = func(ctx context.Context, _ *Message) (value.Value, error) {
			<-ctx.Done()
			return value.Value{}, ctx.Err()
		}
		g, err := NewGate(Config{Grants: map[string]Object{"mail": mail}, Record: RecordFunc(func(ev Entry) error {
			if ev.Step == Intent {
				if intents++; intents == 2 {
					panic("no")
				}
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, g, t.Context(), "")
		for id := range uint64(2) {
			if err := s.Submit(Call{ID: id + 1, Expr: msg(ref(mailID), call(0, "peek"))}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			r, ok, err := s.Next(t.Context())
			if !ok || err != nil || r.Err == nil {
				t.Errorf("%v %v %v", r, ok, err)
			}
		}
		if err := s.Finish(t.Context(), value.Null(), nil); !errors.Is(err, errRecord) || s.Panicked() != "no" {
			t.Error(err, s.Panicked())
		}
	})
}

// endingObserver ends the goroutine that reports the end of a message.
type endingObserver struct{}

func (endingObserver) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	return ctx, func(observe.Outcome) {
		if a.Kind == observe.Message {
			runtime.Goexit()
		}
	}
}

// TestObserverThatEndsItsGoroutine: replies come all the same, and the run ends.
func TestObserverThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{})
		w.s = begin(t, w.gate, observe.With(t.Context(), endingObserver{}), "")
		w.submit(count0())
		if _, err := w.next(); err != nil {
			t.Error(err)
		}
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil {
			t.Error(err)
		}
	})
}

// An object whose goroutine ends, as a test that fails in it does, has answered:
// its turn goes to the next, and the run ends.
func TestObjectThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}})
		w.todos.eval = func(context.Context, *Message) (value.Value, error) { runtime.Goexit(); return value.Int(0), nil }
		w.submit(msg(ref(todosID), call(0, "remove")))
		w.submit(msg(ref(todosID), call(0, "count")))
		w.submit(count0())
		for range 2 {
			_, err := w.next()
			wantKind(t, "ended", err, fail.Internal)
		}
		_, err := w.next()
		wantOK(t, "another object", err)
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil {
			t.Error(err)
		}
		if fs := w.s.Effects(); len(fs) != 1 || !errors.Is(fs[0].Err, errEnded) {
			t.Errorf("effects %v", fs)
		}
		outcomes := 0
		for _, ev := range w.events {
			if ev.Step == Outcome {
				outcomes++
			}
		}
		if outcomes != 3 {
			t.Errorf("%d outcomes were recorded", outcomes)
		}
	})
}

// What an object fails with is never a verdict on the program's process, and never
// of a kind that does not exist.
func TestKindsOfObjects(t *testing.T) {
	w := newWorld(t, Config{})
	for k := range fail.Pending + 3 {
		said := &fail.Error{Kind: k, Msg: "said"}
		w.todos.eval = func(context.Context, *Message) (value.Value, error) { return value.Value{}, said }
		want := k
		if k == fail.Other || k == fail.Crashed || k == fail.Breach || k == fail.Pending || !k.Valid() {
			want = fail.Internal
		}
		_, err := w.send(msg(ref(todosID), call(0, "count")))
		wantKind(t, k.String(), err, want)
		if fail.AsError("", err).Msg != said.Msg && !errors.Is(errors.Unwrap(err), error(said)) {
			t.Errorf("%v: the host does not see %v", k, err)
		}
	}
}
