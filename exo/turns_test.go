package exo

import (
	"context"
	"sync"
	"testing"
)

// Calls begin in call order, whichever goroutine is scheduled first, and no more of
// them act at one time than the limit says.
func TestTurns(t *testing.T) {
	var mu sync.Mutex
	var began []int64
	w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1, Calls: 1000}})
	w.todos.eval = func(_ context.Context, m *Message) (Value, error) {
		mu.Lock()
		defer mu.Unlock()
		began = append(began, m.Args[0].Int())
		return Int(1), nil
	}
	const n = 300
	for i := range n {
		w.submit(msg(ref(todosID), lit(Int(int64(i))), call(0, "limit", 1), call(2, "execute")))
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

// A turn that is given back while it is waited for is nobody's, and each one that
// was had goes to the next.
func TestTurnsGivenBack(t *testing.T) {
	ready := func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	ts := turns{free: 1}
	a, b, c := ts.enter(), ts.enter(), ts.enter()
	if !ready(a) || ready(b) || ready(c) {
		t.Fatal("not one at a time")
	}
	if ts.leave(b); ready(c) {
		t.Error("who did not wait to the end gave away a turn that was another's")
	}
	if ts.leave(a); !ready(c) {
		t.Error("the next has no turn")
	}
	if ts.leave(c); !ready(ts.enter()) {
		t.Error("the last turn is lost")
	}
}
