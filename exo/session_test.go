package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func count0() message.Expr { return msg(ref(usersID), call(0, "count")) }

// Calls run at the same time, but their replies leave in call order.
func TestRepliesInCallOrder(t *testing.T) {
	w := newWorld(t, Config{})
	second := make(chan struct{})
	w.todos.eval = func(context.Context, *Message) (value.Value, error) { <-second; return value.Int(1), nil }
	w.users.eval = func(context.Context, *Message) (value.Value, error) { close(second); return value.Int(2), nil }
	w.submit(msg(ref(todosID), call(0, "count"))) // can't end before the next one
	w.submit(count0())
	w.submit(msg(ref(todosID), call(0, "drop"))) // refused at once
	for i := range 2 {
		v, err := w.next()
		wantOK(t, "call", err)
		if v.Int() != int64(i+1) {
			t.Errorf("reply %d is that of call %v", i+1, v)
		}
	}
	_, err := w.next()
	wantKind(t, "the third", err, fail.Denied)
	if _, ok, _ := w.s.Next(t.Context()); ok {
		t.Error("a reply without a call")
	}
}

// One outcome can free several replies: every waiter gets its own.
func TestSeveralWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{})
		gate := make(chan struct{})
		w.todos.eval = func(context.Context, *Message) (value.Value, error) { <-gate; return value.Int(1), nil }
		w.submit(msg(ref(todosID), call(0, "count")))
		w.submit(count0())
		w.submit(count0())
		var got atomic.Int32
		var wg sync.WaitGroup
		for range 5 { // more than there are calls
			wg.Go(func() {
				if _, ok, err := w.s.Next(context.Background()); ok && err == nil {
					got.Add(1)
				}
			})
		}
		synctest.Wait()
		close(gate)
		wg.Wait()
		if got.Load() != 3 {
			t.Errorf("%d replies", got.Load())
		}
	})
}

func TestNextWithContext(t *testing.T) {
	w := newWorld(t, Config{})
	gate := make(chan struct{})
	w.users.eval = func(context.Context, *Message) (value.Value, error) { <-gate; return value.Int(1), nil }
	w.submit(count0())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := w.s.Next(ctx); ok || !errors.Is(err, context.Canceled) {
		t.Error(ok, err)
	}
	close(gate)
	if v, err := w.next(); err != nil || v.Int() != 1 {
		t.Error(v, err) // the reply is not lost
	}
}

// As many calls as allowed are answered at one time, and no more.
func TestConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 3}})
		var inside, most atomic.Int32
		gate := make(chan struct{})
		w.users.eval = func(context.Context, *Message) (value.Value, error) {
			most.Store(max(most.Load(), inside.Add(1)))
			<-gate
			inside.Add(-1)
			return value.Int(0), nil
		}
		for range 10 {
			w.submit(count0())
		}
		synctest.Wait()
		if n := inside.Load(); n != 3 {
			t.Errorf("%d calls at one time, want 3", n)
		}
		for range 10 {
			gate <- struct{}{}
			synctest.Wait()
		}
		for range 10 {
			_, err := w.next()
			wantOK(t, "call", err)
		}
		if most.Load() > 3 {
			t.Errorf("%d calls at one time", most.Load())
		}
	})
}

func TestBudgets(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Calls: 2, Rows: 10, Bytes: 100}})
	w.users.eval = func(_ context.Context, m *Message) (value.Value, error) {
		return value.Int(0), m.Spend(5, 50)
	}
	for range 2 {
		_, err := w.send(count0())
		wantOK(t, "within the budget", err)
	}
	_, err := w.send(count0())
	wantKind(t, "calls", err, fail.Limit)
	if w.asked() != 2 {
		t.Error("a call beyond the budget was made")
	}
	w.open() // another run has its own
	_, err = w.send(count0())
	wantOK(t, "another run", err)
	for what, spend := range map[string][2]int{"rows": {6, 0}, "bytes": {0, 51}} {
		w := newWorld(t, Config{Limits: Limits{Rows: 10, Bytes: 100}})
		w.users.eval = func(_ context.Context, m *Message) (value.Value, error) {
			return value.Int(0), m.Spend(spend[0], spend[1])
		}
		_, err := w.send(count0())
		wantOK(t, what, err)
		v, err := w.send(count0())
		if wantKind(t, what, err, fail.Limit); !v.IsZero() {
			t.Error("a result next to an error:", v)
		}
	}
}

// Calls that act at one time do not each read what the run may read.
func TestBudgetOfConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 100
		w := newWorld(t, Config{Limits: Limits{Rows: most, ConcurrentCalls: 8}})
		var read atomic.Int64
		w.users.eval = func(_ context.Context, m *Message) (value.Value, error) {
			for range most + 1 {
				read.Add(1)
				if err := m.Spend(1, 0); err != nil {
					return value.Value{}, err
				}
				time.Sleep(time.Millisecond)
			}
			return value.Int(0), nil
		}
		for range 8 {
			w.submit(count0())
		}
		for range 8 {
			_, err := w.next()
			wantKind(t, "together", err, fail.Limit)
		}
		// The first may read all of it, and those after it notice while they read: 1 + 1/2 + 1/3 …
		if n := read.Load(); n > 3*most {
			t.Errorf("%d rows were read of at most %d", n, most)
		}
	})
}

// That the budget is used up is said in the same words whichever of two calls was faster.
func TestBudgetTextTellsNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := map[string]bool{}
		for _, slow := range []int{0, 1} {
			w := newWorld(t, Config{Limits: Limits{Rows: 10}})
			w.users.eval = func(_ context.Context, m *Message) (value.Value, error) {
				if m.entry.id == uint64(slow+1) {
					time.Sleep(time.Second)
				}
				return value.Int(0), m.Spend(6, 0)
			}
			w.submit(count0())
			synctest.Wait() // the first is done, or is slow
			w.submit(count0())
			_, err := w.next()
			wantOK(t, "the first", err)
			_, err = w.next()
			if wantKind(t, "the second", err, fail.Limit); err != nil {
				said[fail.GuestText(err)] = true
			}
		}
		if len(said) != 1 {
			t.Errorf("%v", said)
		}
	})
}

// A number stands for an object in one run only.
func TestNumbersOfAnotherRun(t *testing.T) {
	w := newWorld(t, Config{})
	w.mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if m.Root.Name == "dup" {
			return value.RefValue(newMail()), nil
		}
		return value.Int(1), nil
	}
	v, err := w.send(msg(ref(mailID), call(0, "dup")))
	wantOK(t, "dup", err)
	x := msg(ref(v.Number()), call(0, "peek"))
	_, err = w.send(x)
	wantOK(t, "in its own run", err)
	w.open()
	_, err = w.send(x)
	wantKind(t, "in another run", err, fail.Denied)
}

func TestCallNumbersRise(t *testing.T) {
	w := newWorld(t, Config{})
	for _, c := range []struct {
		id uint64
		ok bool
	}{{0, false}, {1, true}, {1, false}, {7, true}, {2, false}, {7, false}, {8, true}} {
		if err := w.s.Submit(Call{ID: c.id, Expr: count0()}); (err == nil) != c.ok {
			t.Errorf("%d: %v", c.id, err)
		}
	}
	for _, id := range []uint64{1, 7, 8} {
		if r, ok, err := w.s.Next(t.Context()); !ok || err != nil || r.ID != id {
			t.Error(r, ok, err)
		}
	}
	if w.asked() != 3 {
		t.Errorf("asked %d times", w.asked())
	}
}

// What objects return is held against the rules, too: none may end the process,
// or hand out what the catalogue does not know.
func TestBadResults(t *testing.T) {
	stranger := newMail()
	stranger.desc = message.Description{Type: &message.Type{Name: "Stranger"}, Interfaces: []*message.Interface{iface("Stranger", nil, false)}}
	wider := newMail()
	wider.desc.Interfaces = []*message.Interface{mailInterface()}
	wider.desc.Interfaces[0].Methods["more"] = &message.Method{Name: "more"}
	noType := newMail()
	noType.desc.Type = nil
	var typedNil *fake
	deep := value.Int(0)
	for range 100 {
		deep = value.List(deep)
	}
	short := &value.Rows{Shape: &value.Shape{Names: []string{"a", "b"}}, Cells: []value.Value{value.Int(1)}}
	for what, v := range map[string]value.Value{
		"no value": {}, "no value in a list": value.List(value.Int(1), value.Value{}), "no value in a record": value.RecordValue(value.Field{Name: "a", Value: value.Float(math.NaN())}), "unknown interface": value.RefValue(stranger),
		"same name, other methods": value.RefValue(wider), "no type": value.RefValue(noType), "typed nil": value.RefValue(typedNil), "too deep": deep, "nil rows": value.RowsValue(nil),
		"rows without a shape": value.RowsValue(&value.Rows{}), "half a row": value.RowsValue(short), "unknown interface in rows": value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.RefValue(stranger)}}),
	} {
		w := newWorld(t, Config{})
		w.mail.eval = func(context.Context, *Message) (value.Value, error) { return v, nil }
		got, err := w.send(msg(ref(mailID), call(0, "peek")))
		if wantKind(t, what, err, fail.Internal); !got.IsZero() {
			t.Errorf("%s: %v", what, got)
		}
		if reason := fail.Reason(err); strings.Contains(err.Error(), "Eval returned") && !strings.Contains(reason, "Eval returned") {
			t.Errorf("%s: the host's log has only %q", what, reason)
		}
		_, err = w.send(count0())
		wantOK(t, what+", the next call", err)
	}
	w := newWorld(t, Config{})
	w.mail.eval = func(context.Context, *Message) (value.Value, error) { return value.Value{}, (*fail.Error)(nil) }
	_, err := w.send(msg(ref(mailID), call(0, "peek")))
	wantKind(t, "an error that is nil", err, fail.Internal)
	w.mail.eval = func(context.Context, *Message) (value.Value, error) { panic(errors.New("boom")) }
	_, err = w.send(msg(ref(mailID), call(0, "peek")))
	wantKind(t, "panic", err, fail.Internal)
}

// A value that an object returns twice stays what it was: each run gets its own
// numbers, wherever the objects are in it.
func TestResultsAreNotChanged(t *testing.T) {
	inner := newMail()
	inner.eval = func(context.Context, *Message) (value.Value, error) { return value.Text("inner"), nil }
	o := value.RefValue(inner)
	for what, v := range map[string]value.Value{
		"list": value.List(value.Int(1), o), "record": value.RecordValue(value.Field{Name: "a", Value: o}), "nested": value.List(value.RecordValue(value.Field{Name: "a", Value: value.List(o)})), "rows": value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.Int(1), o}}),
	} {
		w := newWorld(t, Config{})
		w.mail.eval = func(context.Context, *Message) (value.Value, error) { return v, nil }
		for range 2 {
			w.open()
			for call := range 2 {
				got, err := w.send(msg(ref(mailID), message.WireNode{Op: message.OpCall, Name: "peek", Recv: 0}))
				wantOK(t, what, err)
				if id := find(got); id != uint32(3+call) {
					t.Fatalf("%s: the object is number %d", what, id)
				} else if v, err := w.send(msg(ref(id), message.WireNode{Op: message.OpCall, Name: "peek", Recv: 0})); err != nil || v.Text() != "inner" {
					t.Errorf("%s: %v %v", what, v, err)
				}
			}
		}
	}
}

// find is the number of the one reference in v, which must hold no object.
func find(v value.Value) uint32 {
	switch v.Kind() {
	case value.KindRef:
		if v.Ref() != nil {
			return 1 << 30
		}
		return v.Number()
	case value.KindList:
		for i := range v.Len() {
			if id := find(v.At(i)); id > 0 {
				return id
			}
		}
	case value.KindRecord:
		for _, f := range v.Fields() {
			if id := find(f); id > 0 {
				return id
			}
		}
	case value.KindRows:
		return find(value.List(v.Rows().Cells...))
	}
	return 0
}

// Many runs of one gate, each with many calls at once: for the race detector.
func TestRace(t *testing.T) {
	w := newWorld(t, Config{})
	w.mail.eval = func(context.Context, *Message) (value.Value, error) { return value.List(value.RefValue(w.mail)), nil }
	w.todos.eval = func(ctx context.Context, m *Message) (value.Value, error) {
		_, err := m.Unit("key", func(context.Context) (Unit, error) { return &unit{}, nil })
		m.AddDetail("detail")
		return value.Int(0), errors.Join(err, m.Spend(1, 1))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := begin(t, w.gate, t.Context(), Principal(fmt.Sprint(i)))
			var mu sync.Mutex
			id := uint64(0)
			var inner sync.WaitGroup
			for range 4 {
				inner.Go(func() {
					for j := range 25 {
						mu.Lock()
						id++
						err := s.Submit(Call{ID: id, Expr: []message.Expr{titles(), diaries(), msg(ref(mailID), call(0, "peek")), msg(ref(9), call(0, "x"))}[j%4]})
						mu.Unlock()
						if err != nil {
							t.Error(err)
						}
						s.Label()
						s.Release()
						if _, ok, err := s.Next(t.Context()); !ok || err != nil {
							t.Error(ok, err)
						}
					}
				})
			}
			inner.Wait()
			if err := s.Finish(t.Context(), value.Null(), nil); err != nil && !errors.Is(err, fail.ErrDenied) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(w.events); n < 8*100*3/2 {
		t.Errorf("%d events", n)
	}
}

// unit is a unit of work that counts how it ended.
type unit struct {
	ends  []string
	panic bool
	err   error
}

func (u *unit) ended(how string) error {
	u.ends = append(u.ends, how)
	if u.panic {
		panic("unit")
	}
	return u.err
}

func (u *unit) Prepare(context.Context) error  { return nil }
func (u *unit) Commit(context.Context) error   { return u.ended("committed") }
func (u *unit) Rollback(context.Context) error { return u.ended("rolled back") }

func TestUnitThatCantBeOpened(t *testing.T) {
	w := newWorld(t, Config{})
	tries := 0
	w.users.eval = func(ctx context.Context, m *Message) (value.Value, error) {
		u, err := m.Unit(1, func(context.Context) (Unit, error) { tries++; panic("open") })
		if u != nil || err == nil {
			t.Error("a unit that was never opened:", u, err)
		}
		return value.Int(0), err
	}
	for range 2 {
		_, err := w.send(count0())
		wantKind(t, "unit", err, fail.Internal)
	}
	if tries != 1 {
		t.Errorf("opened %d times", tries)
	}
}

// When Finish returns, nothing of the run acts any more: what was open has been
// cancelled and waited for, what had not begun never begins.
func TestFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}})
		u := &unit{}
		var acting atomic.Bool
		ends := make(chan struct{})
		w.users.eval = func(ctx context.Context, m *Message) (value.Value, error) {
			acting.Store(true)
			defer acting.Store(false)
			m.Unit("u", func(context.Context) (Unit, error) { return u, nil })
			<-ctx.Done()
			<-ends // slow to notice
			if _, err := m.Unit("late", func(context.Context) (Unit, error) { return &unit{}, nil }); !errors.Is(err, fail.ErrCancelled) {
				t.Error("a unit was opened after the run:", err)
			}
			return value.Value{}, ctx.Err()
		}
		for range 20 {
			w.submit(count0())
		}
		synctest.Wait()
		var finished atomic.Int32
		for range 2 { // a second caller is not told earlier
			go func() { w.s.Finish(context.Background(), value.Value{}, errProgram); finished.Add(1) }()
			synctest.Wait()
		}
		if finished.Load() != 0 || !acting.Load() || len(u.ends) != 0 {
			t.Error("Finish did not wait")
		}
		if err := w.s.Submit(Call{ID: 100, Expr: count0()}); !errors.Is(err, fail.ErrCancelled) {
			t.Error("a call after the run:", err)
		}
		close(ends)
		synctest.Wait()
		if finished.Load() != 2 || acting.Load() || !slices.Equal(u.ends, []string{"rolled back"}) {
			t.Error(finished.Load(), acting.Load(), u.ends)
		}
		if n := w.asked(); n != 1 {
			t.Errorf("%d calls were begun, want the first only", n)
		}
		for range 20 {
			_, err := w.next()
			wantKind(t, "open call", err, fail.Cancelled)
		}
	})
}

// A run whose context ends is over in the same way.
func TestContextEnds(t *testing.T) {
	w := newWorld(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	w.s = begin(t, w.gate, ctx, "")
	in := make(chan struct{})
	w.users.eval = func(ctx context.Context, _ *Message) (value.Value, error) {
		close(in)
		<-ctx.Done()
		return value.Value{}, fmt.Errorf("driver: %w", ctx.Err())
	}
	w.submit(count0())
	<-in
	cancel()
	_, err := w.next()
	wantKind(t, "open call", err, fail.Cancelled)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.users.eval = nil
	_, err = w.send(count0())
	wantKind(t, "later call", err, fail.Cancelled)
	if w.users.asked() != 1 {
		t.Error("a call was begun after the end")
	}
}
