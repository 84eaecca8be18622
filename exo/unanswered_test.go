package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// An object is the guest's when the reply that carries it was delivered, not when
// it was found: its number can be guessed.
func TestObjectsComeWithTheirReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{})
		gate := make(chan struct{})
		w.todos.eval = func(context.Context, *Message) (value.Value, error) { <-gate; return value.Int(0), nil }
		w.mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
			if m.Root.Name == "dup" {
				return value.RefValue(w.mail), nil
			}
			return value.Int(7), nil
		}
		w.submit(msg(ref(todosID), call(0, "count")))
		w.submit(msg(ref(mailID), call(0, "dup")))
		synctest.Wait() // the second is done, and waits for the first
		const guessed = usersID + 1
		w.submit(msg(ref(guessed), call(0, "peek")))
		w.submit(msg(ref(mailID), ref(guessed), call(0, "forward", 1)))
		synctest.Wait()
		close(gate)
		_, err := w.next()
		wantOK(t, "the first", err)
		v, err := w.next()
		wantOK(t, "the second", err)
		_, err = w.next()
		wantKind(t, "the receiver guessed", err, fail.Denied)
		_, err = w.next()
		wantKind(t, "the argument guessed", err, fail.Denied)
		if n := w.mail.asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		// The twin: once it was delivered.
		if v.Number() != guessed {
			t.Errorf("it is number %d", v.Number())
		}
		v, err = w.send(msg(ref(guessed), call(0, "peek")))
		if wantOK(t, "delivered", err); v.Int() != 7 {
			t.Error(v)
		}
	})
}

// Numbers follow the order of calls: which object was found first can't be read from them.
func TestNumbersInCallOrder(t *testing.T) {
	w := newWorld(t, Config{})
	second := make(chan struct{})
	inner := [2]*fake{newMail(), newMail()}
	n := 0
	w.mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if m.Root.Name == "peek" {
			<-second
			return value.List(value.RefValue(inner[0]), value.RefValue(inner[0])), nil
		}
		n++
		defer close(second)
		return value.RefValue(inner[1]), nil
	}
	w.submit(msg(ref(mailID), call(0, "peek")))
	w.submit(msg(ref(mailID), call(0, "dup")))
	a, err := w.next()
	wantOK(t, "the first", err)
	b, err := w.next()
	wantOK(t, "the second", err)
	if ids := []uint32{a.At(0).Number(), a.At(1).Number(), b.Number()}; !slices.Equal(ids, []uint32{3, 4, 5}) {
		t.Errorf("numbers %v", ids)
	}
	_, err = w.send(msg(ref(5), call(0, "count")))
	wantKind(t, "no such method", err, fail.Denied)
	for i, id := range []uint32{3, 4, 5} {
		_, err := w.send(msg(ref(id), call(0, "peek")))
		if wantOK(t, "peek", err); inner[i/2].asked() != 1+i%2 {
			t.Errorf("number %d is another object", id)
		}
	}
}

// What a budget keeps back is not the guest's either.
func TestWithheldObjects(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Rows: 10}})
	gate := make(chan struct{})
	w.users.eval = func(_ context.Context, m *Message) (value.Value, error) { <-gate; return value.Int(0), m.Spend(8, 0) }
	w.mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
		defer close(gate)
		return value.RefValue(w.mail), m.Spend(8, 0)
	}
	w.submit(count0())
	w.submit(msg(ref(mailID), call(0, "dup")))
	_, err := w.next()
	wantOK(t, "within", err)
	_, err = w.next()
	wantKind(t, "beyond", err, fail.Limit)
	_, err = w.send(msg(ref(usersID+1), call(0, "peek")))
	wantKind(t, "guessed", err, fail.Denied)
}

// What a run may have on its way is bounded, and counted until it is answered.
func TestUnansweredBytes(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{UnansweredBytes: 7000}})
	put := func(n int) message.Expr {
		return msg(ref(mailID), message.WireNode{Op: message.OpLit, Recv: -1, Lit: value.Text(strings.Repeat("x", n))}, call(0, "put", 1))
	}
	w.submit(put(2000))
	w.submit(put(2000))
	if err := w.s.Submit(Call{ID: 10, Expr: put(2000)}); !errors.Is(err, fail.ErrLimit) || !strings.Contains(err.Error(), "7000 bytes") {
		t.Errorf("a third: %v", err)
	}
	_, err := w.next()
	wantOK(t, "the first", err)
	w.submit(put(2000))
	for range 2 {
		_, err = w.next()
		wantOK(t, "the others", err)
	}
	// One alone is for the limits of one: its size, and its nodes.
	_, err = w.send(put(10_000))
	wantOK(t, "a large one", err)
	// Whatever its size is in.
	names, args := msg(ref(mailID), call(0, "put")), msg(ref(mailID), call(0, "put"))
	names.Nodes[1].Names = slices.Repeat([]string{"x"}, 400)
	args.Nodes[1].Args = make([]int32, 2000)
	for what, x := range map[string]message.Expr{"nodes": {Nodes: make([]message.WireNode, 100)}, "names": names, "arguments": args,
		"a name": msg(ref(mailID), call(0, strings.Repeat("x", 6000)))} {
		if n := x.BytesUpTo(5000, message.AsNodes); n <= 5000 {
			t.Errorf("%s: %d", what, n)
		}
	}
}

// What is sent after Abandon ends too, also as the first message of the run.
func TestAbandonBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{})
		w.users.eval = func(ctx context.Context, m *Message) (value.Value, error) {
			<-ctx.Done()
			return value.Value{}, ctx.Err()
		}
		w.s.Abandon()
		w.submit(count0())
		_, err := w.next()
		wantKind(t, "a read", err, fail.Cancelled)
	})
}

// Abandon ends what is being read, and not what has an effect.
func TestAbandon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}})
		gate := make(chan struct{})
		w.users.eval = func(ctx context.Context, m *Message) (value.Value, error) {
			if m.Root.Name == "remove" {
				<-gate
				return value.Int(1), ctx.Err()
			}
			<-ctx.Done()
			return value.Value{}, ctx.Err()
		}
		w.submit(count0())
		w.submit(count0()) // waits for its turn
		w.submit(msg(ref(usersID), call(0, "remove")))
		synctest.Wait()
		w.s.Abandon()
		synctest.Wait()
		for range 2 {
			_, err := w.next()
			wantKind(t, "a read", err, fail.Cancelled)
		}
		close(gate)
		v, err := w.next()
		if wantOK(t, "an effect", err); v.Int() != 1 {
			t.Error(v)
		}
	})
}
