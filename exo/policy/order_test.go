package policy_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

// copies is a mailer whose dup leads to another one.
func copies() *fake {
	o := newMail()
	o.eval = func(_ context.Context, m *exo.Message) (value.Value, error) {
		if m.Root.Name == "dup" {
			return value.RefValue(newMail()), nil
		}
		return value.Int(0), nil
	}
	return o
}

// TestAfter: once a run has peeked, it sends nothing: by the object, by one that it leads to, or as an argument of another. Before that, in another run,
// and by the twins without the rule, it does.
func TestAfter(t *testing.T) {
	type calling func(r *exotest.Run) error
	send := func(on string) calling {
		return func(r *exotest.Run) error {
			_, err := r.On(on).Call("sendDiary", map[string]any{"to": "bob"}).Send()
			return err
		}
	}
	peek := func(on string) calling {
		return func(r *exotest.Run) error { _, err := r.On(on).Call("peek").Send(); return err }
	}
	led := func(on, method string, args ...any) calling {
		return func(r *exotest.Run) error {
			v, err := r.On(on).Call("dup").Send()
			if err == nil {
				_, err = r.Reply(v).Call(method, args...).Send()
			}
			return err
		}
	}
	mail := map[string]any{"to": "bob"}
	for what, c := range map[string]struct {
		calls []calling
		last  bool // the last one is refused
	}{
		"peek, send":                         {[]calling{peek("in"), send("out")}, true},
		"send, peek":                         {[]calling{send("out"), peek("in")}, false},
		"send, peek, send":                   {[]calling{send("out"), peek("in"), send("out")}, true},
		"peek by a copy, send":               {[]calling{led("in", "peek"), send("out")}, true},
		"peek, send by a copy":               {[]calling{peek("in"), led("out", "sendDiary", mail)}, true},
		"peek, something else":               {[]calling{peek("in"), peek("out")}, false},
		"peek where the rule does not, send": {[]calling{peek("other"), send("out")}, false},
		"peek, send where the rule does not": {[]calling{peek("in"), send("other")}, false},
		"peek, a message that mentions the out": {[]calling{peek("in"), func(r *exotest.Run) error {
			_, err := r.On("other").Call("forward", r.On("out")).Send()
			return err
		}}, false},
	} {
		for guarded, objects := range map[string]func() (exo.Object, exo.Object){
			"two": func() (exo.Object, exo.Object) {
				return policy.After(policy.Calls{Of: copies(), Methods: []string{"peek"}}, policy.Calls{Of: copies(), Methods: []string{"sendDiary"}})
			},
			"none": func() (exo.Object, exo.Object) { return copies(), copies() },
			"one": func() (exo.Object, exo.Object) {
				o := copies()
				in, out := policy.After(policy.Calls{Of: o, Methods: []string{"peek"}}, policy.Calls{Of: o, Methods: []string{"sendDiary"}})
				if in != out {
					t.Error("one object became two")
				}
				return in, in
			},
		} {
			in, out := objects()
			grants := map[string]exo.Object{"in": in, "out": out, "other": copies()}
			for range 2 { // another run begins anew
				r := exotest.Begin(t, exo.Config{Grants: grants})
				for i, call := range c.calls {
					err := call(r)
					refused := c.last && i == len(c.calls)-1 && guarded != "none"
					if refused != (fail.KindOf(err) == fail.Denied) || !refused && err != nil || refused && !strings.Contains(fail.GuestText(err), "a program that has called peek can't call sendDiary any more") {
						t.Errorf("%s, %s, call %d: %v", what, guarded, i, err)
					}
				}
			}
		}
	}
}

// TestOnce: a run calls the methods once in all, also by what the object leads to. The twin without the rule calls them as often as it likes.
func TestOnce(t *testing.T) {
	for _, c := range []struct {
		o    exo.Object
		want string
	}{{policy.Once(copies(), "peek", "put"), "pd"}, {policy.Once(copies(), "put"), "ppcd+"}, {copies(), "ppcd++"}} {
		r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"mail": c.o}})
		got := ""
		note := func(what string, err error) {
			if err == nil {
				got += what
			} else if fail.KindOf(err) != fail.Denied || !strings.Contains(fail.GuestText(err), "only once, and this one already has") {
				t.Error(err)
			}
		}
		for range 2 {
			_, err := r.On("mail").Call("peek").Send()
			note("p", err)
		}
		v, err := r.On("mail").Call("dup").Send()
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Reply(v).Call("peek").Send()
		note("c", err)
		got += "d"
		for range 2 {
			_, err = r.On("mail").Call("put", 1).Send()
			note("+", err)
		}
		if got != c.want {
			t.Errorf("it did %q, want %q", got, c.want)
		}
	}
}

// TestOrderIsSpelt: a rule about no method, or about one that is not there, is an error where the object is granted.
func TestOrderIsSpelt(t *testing.T) {
	a, b := policy.After(policy.Calls{Of: newMail(), Methods: []string{"peak"}}, policy.Calls{Of: newMail()})
	for what, o := range map[string]exo.Object{"After a method that is not there": a, "After, never nothing": b, "Once nothing": policy.Once(newMail()), "Once a method that is not there": policy.Once(newMail(), "sent")} {
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"mail": o}, Record: exo.Unrecorded}); err == nil || !strings.Contains(err.Error(), "policy: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
