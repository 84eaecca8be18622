package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Calls begin in call order, whichever goroutine is scheduled first, and no more of
// them act at one time than the limit says.
func TestTurns(t *testing.T) {
	var mu sync.Mutex
	var began []int64
	w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1, Calls: 1000}})
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		mu.Lock()
		defer mu.Unlock()
		began = append(began, m.Args[0].Int())
		return value.Int(1), nil
	}
	const n = 300
	for i := range n {
		w.submit(msg(ref(todosID), lit(value.Int(int64(i))), call(0, "limit", 1), call(2, "execute")))
	}
	for range n {
		if _, err := w.next(); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range began {
		if x != int64(i) {
			t.Fatalf("call %d began as number %d", x, i)
		}
	}
	if len(began) != n {
		t.Errorf("%d of %d began", len(began), n)
	}
}

// A message that is submitted while another one is being admitted comes after it in
// everything: the label, the record, the turns and the replies.
func TestAdmittedOneByOne(t *testing.T) {
	users, todos := newUsers(), newTodos()
	var mu sync.Mutex
	var began []string
	acts := func(name string) func(context.Context, *Message) (value.Value, error) {
		return func(context.Context, *Message) (value.Value, error) {
			mu.Lock()
			defer mu.Unlock()
			began = append(began, name)
			return value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"title"}}}), nil
		}
	}
	users.eval = func(ctx context.Context, m *Message) (value.Value, error) {
		_, err := acts("first")(ctx, m)
		return value.Int(1), err
	}
	todos.eval = acts("second")
	entered, overtaken := make(chan struct{}), make(chan struct{})
	slow := Wrap(users, Policy{Before: func(*Message) bool {
		close(entered)
		select {
		case <-overtaken: // what must not happen, and does without the lock
		case <-time.After(50 * time.Millisecond):
		}
		return true
	}})
	w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}, Grants: map[string]Object{"mail": newMail(), "todos": todos, "users": slow}})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.s.Submit(Call{ID: 1, Expr: count0()}); err != nil {
			t.Error(err)
		}
	})
	<-entered
	wg.Go(func() {
		defer close(overtaken)
		if err := w.s.Submit(Call{ID: 2, Expr: diaries()}); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	for range 2 {
		_, err := w.next()
		wantOK(t, "call", err)
	}
	var intents []uint64
	for _, e := range w.events {
		if e.Step != Intent {
			continue
		}
		intents = append(intents, e.Call)
		if want := e.Call == 2; e.Label.Empty() == want {
			t.Errorf("call %d was admitted with the label %v", e.Call, e.Label)
		}
	}
	if !slices.Equal(intents, []uint64{1, 2}) || !slices.Equal(began, []string{"first", "second"}) {
		t.Errorf("recorded %v, began %v", intents, began)
	}
}

// Many goroutines submit: those that are admitted are recorded and begin in the order
// of their ids, and the label of the run only grows along it.
func TestSubmitFromManyGoroutines(t *testing.T) {
	var mu sync.Mutex
	var began []uint64
	w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1, Calls: 1000}})
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		mu.Lock()
		defer mu.Unlock()
		began = append(began, m.entry.id)
		return value.Int(0), nil
	}
	var id atomic.Uint64
	var admitted atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				n := id.Add(1)
				// Where a later id came first, this one is a breach of the protocol.
				if err := w.s.Submit(Call{ID: n, Expr: msg(ref(todosID), call(0, "count"))}); err == nil {
					admitted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for range admitted.Load() {
		_, err := w.next()
		wantOK(t, "call", err)
	}
	var intents []uint64
	for _, e := range w.events {
		if e.Step == Intent {
			intents = append(intents, e.Call)
		}
	}
	if len(intents) < 10 || !slices.IsSorted(intents) || !slices.Equal(intents, began) {
		t.Errorf("recorded %v, began %v", intents, began)
	}
}
