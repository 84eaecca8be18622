package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRevocable(t *testing.T) {
	users := newUsers()
	o, revoke := revocable(users)
	w := newWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "todos": newTodos(), "users": o}})
	_, err := w.send(count0())
	wantOK(t, "before", err)
	revoke()
	revoke() // twice is once
	_, err = w.send(count0())
	wantKind(t, "after", err, fail.Revoked)
	w.open()
	_, err = w.send(count0())
	wantKind(t, "after, in another run", err, fail.Revoked)
	if users.asked() != 1 {
		t.Errorf("asked %d times", users.asked())
	}
	_, err = w.send(msg(ref(todosID), call(0, "count")))
	wantOK(t, "another object", err)
	// It was refused, and not begun and cancelled: a policy that counts would have counted it.
	intents := 0
	for _, e := range w.events {
		if e.Step == Intent {
			intents++
		}
	}
	if intents != 2 {
		t.Errorf("%d intents were recorded, want that before, and that of another object", intents)
	}
}

// What is being answered is cancelled, and what waits for its turn never begins.
func TestRevokedInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		users := newUsers()
		o, revoke := revocable(users)
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}, Grants: map[string]Object{"mail": newMail(), "todos": newTodos(), "users": o}})
		users.eval = func(ctx context.Context, _ *Message) (value.Value, error) {
			<-ctx.Done()
			return value.Value{}, errors.New("driver: connection reset")
		}
		w.submit(count0())
		synctest.Wait()
		for range 20 {
			w.submit(count0())
		}
		w.submit(msg(ref(todosID), call(0, "count")))
		synctest.Wait()
		revoke()
		for range 21 {
			_, err := w.next()
			wantKind(t, "in flight", err, fail.Revoked)
		}
		_, err := w.next()
		wantOK(t, "of another object", err)
		if users.asked() != 1 {
			t.Errorf("asked %d times", users.asked())
		}
	})
}

// TestRevokedWhileItIgnores: an object that ignores its context does not answer, either, if it was revoked meanwhile. What it has changed in a unit of
// work is not kept, what is held does not act, and what acted at once has happened and is recorded so.
func TestRevokedWhileItIgnores(t *testing.T) {
	for method, want := range map[string]string{"count": "", "put": "put rolled back", "mail": "mail rolled back", "post": "post immediate"} {
		for _, revoked := range []bool{true, false} {
			s := &shop{name: "a"}
			o, revoke := revocable(s)
			called := func(context.Context) error {
				if revoked {
					revoke()
				}
				return nil
			}
			s.fail = map[string]func(context.Context) error{"count": called, "put": called, "post": called}
			var outcome Entry
			g, err := NewGate(Config{Grants: map[string]Object{"shop": Wrap(o, Policy{After: func(*Message, value.Value, error) {}})}, Record: RecordFunc(func(e Entry) error {
				if e.Step == Outcome {
					outcome = e
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			w := &world{t: t, gate: g, s: begin(t, g, t.Context(), "")}
			v, err := w.send(msg(ref(0), call(0, method)))
			if method == "mail" { // its object is asked only at the end
				called(t.Context())
			} else if got := fail.KindOf(err) == fail.Revoked && v.IsZero(); got != revoked {
				t.Errorf("%s, revoked %v: %v %v", method, revoked, v, err)
			} else if (outcome.Err != nil) != revoked || method == "post" && outcome.State != StateImmediate {
				t.Errorf("%s, revoked %v: recorded as %v, %v", method, revoked, outcome.State, outcome.Err)
			}
			w.s.Finish(t.Context(), value.Null(), nil)
			if states := (&ending{world: w}).states(); revoked && method != "mail" && states != want || !revoked && strings.Contains(states, "rolled back") {
				t.Errorf("%s, revoked %v: %s, want %s", method, revoked, states, want)
			}
			if kept := map[bool]int{true: 1}[method == "put" && !revoked]; s.kept != kept || revoked && times(s.log, "mail") > 0 {
				t.Errorf("%s, revoked %v: %d kept, %v", method, revoked, s.kept, s.log)
			}
		}
	}
}

// A revoked object is of no use inside a message to another one either.
func TestRevokedArgument(t *testing.T) {
	o, revoke := revocable(newUsers())
	w := newWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "todos": newTodos(), "users": o}})
	x := msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "count"))
	_, err := w.send(x)
	wantOK(t, "before", err)
	revoke()
	_, err = w.send(x)
	wantKind(t, "after", err, fail.Revoked)
}

// A call is cut, too, when an object that it has as an argument is revoked while the
// receiver answers.
func TestRevokedArgumentInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		todos := newTodos()
		todos.eval = func(ctx context.Context, _ *Message) (value.Value, error) {
			<-ctx.Done()
			return value.Value{}, errors.New("driver: connection reset")
		}
		o, revoke := revocable(newUsers())
		w := newWorld(t, Config{Limits: Limits{ConcurrentCalls: 1}, Grants: map[string]Object{"mail": newMail(), "todos": todos, "users": o}})
		w.submit(msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "count")))
		w.submit(msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "count"))) // waits for its turn
		synctest.Wait()
		if todos.asked() != 1 {
			t.Fatalf("%d calls are being answered, want 1", todos.asked())
		}
		revoke()
		synctest.Wait()
		for range 2 {
			_, err := w.next()
			wantKind(t, "in flight", err, fail.Revoked)
		}
		if todos.asked() != 1 {
			t.Errorf("%d calls began, want 1", todos.asked())
		}
	})
}

// Wrappers stack in either order, and each keeps its word.
func TestRevocableOfOnly(t *testing.T) {
	a, revokeA := revocable(keeping(newTodos(), "count"))
	b, revokeB := revocable(newTodos())
	w := newWorld(t, Config{Grants: map[string]Object{"a": a, "b": keeping(b, "count")}})
	for id, revoke := range []func(){revokeA, revokeB} {
		_, err := w.send(msg(ref(uint32(id)), call(0, "count")))
		wantOK(t, "count", err)
		_, err = w.send(msg(ref(uint32(id)), call(0, "execute")))
		wantKind(t, "execute", err, fail.Denied)
		revoke()
		_, err = w.send(msg(ref(uint32(id)), call(0, "count")))
		wantKind(t, "count, revoked", err, fail.Revoked)
	}
}
