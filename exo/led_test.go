package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// copies is a mailer whose dup leads to another such mailer, for ever.
func copies() *fake {
	m := newMail()
	m.eval = func(_ context.Context, msg *Message) (value.Value, error) {
		if msg.Root.Name == "dup" {
			return value.RefValue(copies()), nil
		}
		return value.Int(0), nil
	}
	return m
}

// dups follows dup twice from object 0 and gives the numbers of what it led to.
func (w *world) dups() (first, second uint32) {
	w.t.Helper()
	v, err := w.send(msg(ref(0), call(0, "dup")))
	wantOK(w.t, "the first step", err)
	first = v.Number()
	v, err = w.send(msg(ref(first), call(0, "dup")))
	wantOK(w.t, "the second step", err)
	return first, v.Number()
}

// What a revocable object has led to is revoked with it, at every step: otherwise a
// program would ask for a copy and keep that.
func TestRevokedResults(t *testing.T) {
	for _, revoked := range []bool{true, false} {
		var o Object = copies()
		revoke := func() {}
		if revoked {
			o, revoke = revocable(o)
		}
		w := newWorld(t, Config{Grants: map[string]Object{"mail": o}})
		first, second := w.dups()
		revoke()
		for _, id := range []uint32{first, second} {
			if _, err := w.send(msg(ref(id), call(0, "peek"))); revoked {
				wantKind(t, "a result of what was revoked", err, fail.Revoked)
			} else {
				wantOK(t, "a result of its twin", err)
			}
		}
	}
}

// What a restricted object leads to has no more methods than it, at every step.
func TestRestrictedResults(t *testing.T) {
	for _, restricted := range []bool{true, false} {
		var o Object = copies()
		if restricted {
			o = keeping(o, "dup", "peek")
		}
		w := newWorld(t, Config{Grants: map[string]Object{"mail": o}})
		first, second := w.dups()
		for _, id := range []uint32{first, second} {
			_, err := w.send(msg(ref(id), call(0, "peek")))
			wantOK(t, "what was named", err)
			if _, err = w.send(msg(ref(id), lit(value.Int(1)), call(0, "put", 1))); restricted {
				wantKind(t, "what was not named", err, fail.Denied)
			} else {
				wantOK(t, "the twin", err)
			}
		}
	}
}

// An object that a restricted one leads to describes its interface anew. With methods
// that the policy never saw it is refused, not restricted by guesswork.
func TestRestrictedResultAgrees(t *testing.T) {
	wider := newMail()
	wider.desc.Interfaces[0].Methods["more"] = &message.Method{Name: "more", Sends: true, Result: con(value.TypeInt)}
	for _, c := range []struct {
		what   string
		result Object
		kind   fail.Kind
	}{{"wider", wider, fail.Internal}, {"as it was described", newMail(), fail.Other}} {
		mail := newMail()
		mail.eval = func(context.Context, *Message) (value.Value, error) { return value.RefValue(c.result), nil }
		w := newWorld(t, Config{Grants: map[string]Object{"mail": keeping(mail, "dup", "peek")}})
		if _, err := w.send(msg(ref(0), call(0, "dup"))); c.kind == fail.Other {
			wantOK(t, c.what, err)
		} else {
			wantKind(t, c.what, err, c.kind)
		}
	}
}

// Objects of an answer that failed are not the program's, though one of them was well
// formed: their numbers can be guessed.
func TestObjectsOfAFailedAnswer(t *testing.T) {
	for _, failed := range []bool{true, false} {
		w := newWorld(t, Config{})
		w.mail.eval = func(context.Context, *Message) (value.Value, error) {
			if failed {
				return value.List(value.RefValue(newMail()), value.Value{}), nil
			}
			return value.List(value.RefValue(newMail()), value.Null()), nil
		}
		_, err := w.send(msg(ref(mailID), call(0, "peek")))
		guess := msg(ref(usersID+1), call(0, "peek"))
		if failed {
			wantKind(t, "the answer", err, fail.Internal)
			_, err = w.send(guess)
			wantKind(t, "an object of it", err, fail.Denied)
		} else {
			wantOK(t, "the twin's answer", err)
			_, err = w.send(guess)
			wantOK(t, "an object of it", err)
		}
	}
}
