package exo

import (
	"context"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// revocable is exo/policy's, which these tests can't import.
func revocable(o Object) (Object, func()) {
	cut := make(chan struct{})
	return Wrap(o, Policy{Revoked: cut}), sync.OnceFunc(func() { close(cut) })
}

// keeping is o with the named methods only, in all its interfaces.
func keeping(o Object, methods ...string) Object {
	return Wrap(o, Policy{Narrow: func(d *message.Description) error {
		for _, i := range d.Interfaces {
			for n := range i.Methods {
				if !slices.Contains(methods, n) {
					delete(i.Methods, n)
				}
			}
		}
		return nil
	}})
}

// Before is asked in the order in which messages arrive, outermost policy first, once for a
// message however many of its objects a policy has wrapped, and only where the gate would
// admit it. What it refuses does not happen, and reads as the fixed text.
func TestBefore(t *testing.T) {
	var asked []string
	refuse := ""
	policy := func(name string) Policy {
		return Policy{Refusal: name + " says no", Before: func(m *Message) bool {
			asked = append(asked, name+" "+m.Root.Name)
			return refuse != name
		}}
	}
	inner := copies()
	shared := policy("shared")
	o := Wrap(Wrap(inner, shared), policy("outer"))
	w := newWorld(t, Config{Limits: Limits{Calls: 6}, Grants: map[string]Object{"mail": o, "todos": newTodos(), "users": newUsers()}})
	v, err := w.send(msg(ref(0), call(0, "dup")))
	wantOK(t, "dup", err)
	led := v.Number()
	_, err = w.send(msg(ref(0), ref(led), call(0, "forward", 1))) // both are shared's and outer's
	wantOK(t, "forward", err)
	for _, who := range []string{"shared", "outer"} {
		refuse = who
		_, err = w.send(msg(ref(led), call(0, "peek")))
		wantKind(t, who, err, fail.Denied)
		if err != nil && !strings.Contains(fail.GuestText(err), who+" says no") {
			t.Errorf("%s: the guest reads %q", who, fail.GuestText(err))
		}
	}
	refuse = ""
	_, err = w.send(diaries())
	wantOK(t, "diaries", err)
	_, err = w.send(sendMail("send"))
	wantKind(t, "a sink that admits too little", err, fail.Denied)
	_, err = w.send(msg(ref(0), call(0, "peek")))
	wantKind(t, "beyond the budget", err, fail.Limit)
	want := "outer dup,shared dup,outer forward,shared forward,outer peek,shared peek,outer peek"
	if got := strings.Join(asked, ","); got != want {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
	if inner.asked() != 2 {
		t.Errorf("the object was asked %d times", inner.asked())
	}
}

// A policy of an object is asked, too, where that is an argument: joined to another one its
// rows leave all the same.
func TestBeforeOfAnArgument(t *testing.T) {
	for _, refuse := range []bool{true, false} {
		users := Wrap(newUsers(), Policy{Before: func(*Message) bool { return !refuse }})
		w := newWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "todos": newTodos(), "users": users}})
		_, err := w.send(msg(ref(todosID), ref(usersID), call(0, "join", 1), call(2, "count")))
		if refuse {
			wantKind(t, "joined", err, fail.Denied)
		} else {
			wantOK(t, "the twin", err)
		}
	}
}

// After is told of what was admitted, and of nothing else, before the outcome is recorded.
func TestAfter(t *testing.T) {
	var mu sync.Mutex
	var told []string
	inner := newMail()
	inner.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if m.Root.Name == "put" {
			return value.Value{}, fail.Errorf(fail.Conflict, "", "no")
		}
		return value.Int(7), nil
	}
	o := Wrap(inner, Policy{Before: func(m *Message) bool { return m.Root.Name != "dup" }, After: func(m *Message, v value.Value, err error) {
		mu.Lock()
		defer mu.Unlock()
		m.AddDetail("seen")
		told = append(told, m.Root.Name+" "+v.String()+" "+fail.KindOf(err).String())
	}})
	w := newWorld(t, Config{Grants: map[string]Object{"mail": o}})
	for _, x := range []message.Expr{msg(ref(0), call(0, "peek")), msg(ref(0), call(0, "dup")), msg(ref(0), lit(value.Int(1)), call(0, "put", 1)), msg(ref(0), call(0, "nothing"))} {
		w.send(x)
	}
	if got := strings.Join(told, ","); got != "peek 7 other,put <no value> conflict" {
		t.Error(got)
	}
	for _, e := range w.events {
		if e.Step == Outcome && (len(e.Details) != 1 || e.Details[0] != "seen") {
			t.Errorf("%s: details %v", e.Op, e.Details)
		}
	}
}

// A policy whose function panics, or ends its goroutine, ends the run: what it did not
// refuse does not happen, and the host hears of it.
func TestPolicyFails(t *testing.T) {
	for what, failed := range map[string]func(){"panics": func() { panic("broken") }, "ends": runtime.Goexit, "works": func() {}} {
		for _, where := range []string{"before", "after"} {
			inner := newMail()
			p := Policy{Before: func(*Message) bool { failed(); return true }}
			if where == "after" {
				p = Policy{After: func(*Message, value.Value, error) { failed() }}
			}
			w := newWorld(t, Config{Grants: map[string]Object{"mail": Wrap(inner, p)}})
			done := make(chan struct{})
			go func() { // since it may end
				defer close(done)
				w.submit(msg(ref(0), call(0, "peek")))
			}()
			<-done
			_, err := w.next()
			w.s.Finish(t.Context(), value.Null(), nil)
			if what == "works" {
				wantOK(t, where, err)
				continue
			}
			if what == "panics" || where == "before" {
				wantKind(t, where+" "+what, err, fail.Internal)
			}
			if w.s.Panicked() == nil || where == "before" && inner.asked() != 0 {
				t.Errorf("%s %s: the host saw %v, the object was asked %d times", where, what, w.s.Panicked(), inner.asked())
			}
			for _, e := range w.events {
				if e.Step == Outcome {
					t.Errorf("%s %s: recorded %v", where, what, e)
				}
			}
		}
	}
}

// An object that hands back its argument hands it back as the program held it, and not as
// it was peeled for the object: otherwise a revoked object would live on as an echo.
func TestArgumentHandedBack(t *testing.T) {
	for _, wrap := range []bool{true, false} {
		echo := newMail()
		echo.eval = func(_ context.Context, m *Message) (value.Value, error) {
			if len(m.Objects) > 1 {
				return value.RefValue(m.Objects[1]), nil
			}
			return value.Int(0), nil
		}
		var lent Object = newMail()
		revoke := func() {}
		if wrap {
			lent, revoke = revocable(lent)
		}
		w := newWorld(t, Config{Grants: map[string]Object{"echo": echo, "lent": lent}})
		v, err := w.send(msg(ref(0), ref(1), call(0, "forward", 1)))
		wantOK(t, "handed back", err)
		revoke()
		if _, err = w.send(msg(ref(v.Number()), call(0, "peek"))); wrap {
			wantKind(t, "the echo of what was revoked", err, fail.Revoked)
		} else {
			wantOK(t, "its twin", err)
		}
	}
}

// A wrapped object that is asked past the gate answers nothing, and one of nothing can't be granted.
func TestWrappedRefusesToEval(t *testing.T) {
	w := Wrap(newTodos(), Policy{}).(*wrapped)
	for _, o := range []Object{w, w.wrap(newTodos())} {
		if v, err := o.Eval(t.Context(), nil); err == nil || !v.IsZero() {
			t.Error(v, err)
		}
	}
	if _, err := NewGate(Config{Grants: map[string]Object{"a": Wrap(nil, Policy{})}, Record: Unrecorded}); err == nil {
		t.Error("nothing was granted")
	}
	if _, err := NewGate(Config{Grants: map[string]Object{"a": Wrap(nil, Policy{Narrow: func(*message.Description) error { return nil }})}, Record: Unrecorded}); err == nil {
		t.Error("nothing was granted")
	}
}

// An object that a wrapped one leads to, of a kind that the policy took away, is refused:
// the gate may know that kind in full, from another grant.
func TestLedToWhatIsGone(t *testing.T) {
	for _, gone := range []bool{true, false} {
		shop := desk()
		shop.eval = func(context.Context, *Message) (value.Value, error) {
			lent := desk()
			lent.desc.Type = &message.Type{Name: "Lent"}
			return value.RefValue(lent), nil
		}
		o := Wrap(shop, Policy{Narrow: func(d *message.Description) error {
			if gone {
				delete(of(d).Methods, "lent")
				d.Interfaces = d.Interfaces[:4]
			}
			return nil
		}})
		w := newWorld(t, Config{Grants: map[string]Object{"full": desk(), "less": o}})
		if _, err := w.send(msg(ref(1), call(0, "look"))); gone {
			wantKind(t, "what is gone", err, fail.Internal)
		} else {
			wantOK(t, "the twin", err)
		}
	}
}

// What a policy keeps of a run is the same for all its messages, and no other run's; and
// a message says which run it is of, and what it and its objects are called.
func TestPerRun(t *testing.T) {
	type key struct{}
	var got []int
	var named []string
	o := Wrap(copies(), Policy{Before: func(m *Message) bool {
		n := m.PerRun(key{}, func() any { return new(int) }).(*int)
		*n++
		names, ok := m.GrantNames()
		got, named = append(got, *n), append(named, fmt.Sprintf("%s %v %t %s", m.Op(), names, ok, m.Run().Principal))
		return true
	}})
	w := newWorld(t, Config{Grants: map[string]Object{"mail": o, "other": newMail()}})
	w.send(msg(ref(1), ref(0), call(0, "forward", 1)))
	v, err := w.send(msg(ref(0), call(0, "dup")))
	wantOK(t, "dup", err)
	w.send(msg(ref(v.Number()), call(0, "peek")))
	w.open()
	w.send(msg(ref(0), call(0, "peek")))
	want := []string{"other.forward [other mail] true ann", "mail.dup [mail] true ann", "object 2.peek [] false ann", "mail.peek [mail] true ann"}
	if !slices.Equal(got, []int{1, 2, 3, 1}) || strings.Join(named, "\n") != strings.Join(want, "\n") {
		t.Errorf("%v\n%s", got, strings.Join(named, "\n"))
	}
}
