package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"sync/atomic"
	"testing"
)

// Placeholders are merged into every node that depends on them, so their number
// multiplies the work of a message: it is bounded. The twin is one below.
func TestLivePlaceholders(t *testing.T) {
	many := func(n int) message.Expr {
		x := msg(ref(todosID))
		for range n {
			x = then(x, param(0, "where", 0))
		}
		return x
	}
	c := newWorld(t, Config{}).s.Checker()
	if _, err := c.Check(many(64 + 1)); fail.KindOf(err) != fail.Limit {
		t.Errorf("%d placeholders: %v", 64+1, err)
	}
	if _, err := newWorld(t, Config{}).s.Checker().Check(many(64)); fail.KindOf(err) != fail.Invalid {
		t.Errorf("%d placeholders are refused for their number: %v", 64, err)
	}
	// Callbacks that have returned do not count.
	x := msg(ref(todosID))
	at := int32(0)
	for range 64 + 10 {
		n := int32(len(x.Nodes))
		x = then(x, param(at, "where", 0), fld(n, "todo"), fld(n+1, "done"), lam(n, n+2), call(at, "where", n+3))
		at = n + 4
	}
	x = then(x, call(at, "execute"))
	if _, err := newWorld(t, Config{}).s.Checker().Check(x); err != nil {
		t.Errorf("one after the other: %v", err)
	}
}

// A message's memory is not the checked message's: changing the names after the
// check would rename what another tenant's plan shows.
func TestNamesAreCopied(t *testing.T) {
	names := []string{"title"}
	x := titles()
	for i := range x.Nodes {
		if x.Nodes[i].Op == message.OpRecord {
			x.Nodes[i].Names = names
		}
	}
	c, err := newWorld(t, Config{}).s.Checker().Check(x)
	if err != nil {
		t.Fatal(err)
	}
	names[0] = "__proto__"
	var seen func(n *message.Node) bool
	seen = func(n *message.Node) bool {
		if n == nil {
			return false
		}
		for _, name := range n.Names {
			if name == "__proto__" {
				return true
			}
		}
		for _, a := range n.Args {
			if seen(a) {
				return true
			}
		}
		return seen(n.Recv)
	}
	if seen(c.Root) {
		t.Error("the checked message changes with the memory of the sender")
	}
}

// Which of two concurrent calls finds the budget empty is decided by their
// order, not by which reads faster: here the second always reads first.
func TestBudgetInCallOrder(t *testing.T) {
	for range 20 {
		second := make(chan struct{})
		w := newWorld(t, Config{Limits: Limits{Rows: 3}})
		w.todos.eval = func(ctx context.Context, m *Message) (value.Value, error) {
			if m.Args[0].Int() == 2 {
				defer close(second)
			} else {
				<-second
			}
			return value.Int(1), m.Spend(2, 2)
		}
		for n := range 2 {
			w.submit(msg(ref(todosID), lit(value.Int(int64(n+1))), call(0, "limit", 1), call(2, "execute")))
		}
		_, first := w.next()
		_, then := w.next()
		if first != nil || fail.KindOf(then) != fail.Limit {
			t.Fatalf("first %v, second %v", first, then)
		}
		w.mu.Lock()
		last := w.events[len(w.events)-1]
		w.mu.Unlock()
		if last.Step != Withheld || last.Call != 2 || last.Op == "" {
			t.Fatalf("the record ends with %v of call %d", last.Step, last.Call)
		}
	}
}

// Calls that nobody awaits share one budget: what the calls before have read is
// counted before another one begins.
func TestBudgetOfManyCalls(t *testing.T) {
	const each = 90
	var read atomic.Int64
	w := newWorld(t, Config{Limits: Limits{Rows: 100, Calls: 1000, ConcurrentCalls: 2}})
	w.todos.eval = func(ctx context.Context, m *Message) (value.Value, error) {
		if err := m.Spend(each, 1); err != nil {
			return value.Value{}, err
		}
		read.Add(each)
		return value.Int(1), nil
	}
	for range 200 {
		w.submit(msg(ref(todosID), call(0, "execute")))
	}
	ok := 0
	for range 200 {
		if _, err := w.next(); err == nil {
			ok++
		}
	}
	if ok != 1 {
		t.Errorf("%d calls were answered with %d rows each; the budget is 100", ok, each)
	}
	// Those that act at one time may not know of each other yet, and no others.
	if n := read.Load(); n > 2*each {
		t.Errorf("%d rows were read", n)
	}
}
