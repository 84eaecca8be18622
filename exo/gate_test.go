package exo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"pgregory.net/rapid"
)

// What a run has read decides where it may send.
func TestSinks(t *testing.T) {
	both := value.Label{}.Join(value.NewLabel("diary", "other"))
	for _, c := range []struct {
		what   string
		before []message.Expr
		last   message.Expr
		kind   fail.Kind // Other: it passes
	}{
		{"nothing read, sink", nil, sendMail("send"), fail.Other},
		{"public read, sink", []message.Expr{titles()}, sendMail("send"), fail.Other},
		{"labelled read, sink", []message.Expr{diaries()}, sendMail("send"), fail.Denied},
		{"labelled read, sink that admits", []message.Expr{diaries()}, sendMail("sendDiary"), fail.Other},
		{"labelled read, effect", []message.Expr{diaries()}, msg(ref(todosID), call(0, "remove")), fail.Denied},
		{"public read, effect", []message.Expr{titles()}, msg(ref(todosID), call(0, "remove")), fail.Other},
		{"labelled read, read", []message.Expr{diaries()}, titles(), fail.Other},
		{"labelled filter, sink", []message.Expr{msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "diary"), txt("x"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "count"))}, sendMail("send"), fail.Denied},
		{"public filter, sink", []message.Expr{then(open8(), call(7, "count"))}, sendMail("send"), fail.Other},
		{"labelled order, sink", []message.Expr{msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "diary"), lam(1, 3), call(0, "orderBy", 4), call(5, "count"))}, sendMail("send"), fail.Denied},
		{"whole rows, sink", []message.Expr{msg(ref(todosID), call(0, "execute"))}, sendMail("send"), fail.Other},
		{"labelled column that is shown, sink", []message.Expr{shown()}, sendMail("send"), fail.Other},
		{"whole rows of the other table, sink", []message.Expr{msg(ref(usersID), call(0, "execute"))}, sendMail("send"), fail.Other},
		{"whole row in a selection, sink", []message.Expr{msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute"))}, sendMail("send"), fail.Other},
		{"whole row that is compared, sink", []message.Expr{msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), lam(1, 3), call(0, "orderBy", 4), param(5, "select", 0), fld(6, "todo"), fld(7, "diary"), txt("y"), call(8, "eq", 9), record([]string{"a"}, 10), lam(6, 11), call(5, "select", 12), call(13, "execute"))}, sendMail("send"), fail.Denied},
		{"labelled effect in one message", nil, msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "diary"), txt("x"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "remove")), fail.Denied},
		{"public effect in one message", nil, then(open8(), call(7, "remove")), fail.Other},
		{"labelled literal, sink", nil, msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: value.Text("x").WithLabel(value.NewLabel("diary"))})), call(0, "send", 1)), fail.Denied},
		{"labelled literal, sink that admits", nil, msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: value.Text("x").WithLabel(both)})), call(0, "sendDiary", 1)), fail.Other},
	} {
		w := newWorld(t, Config{Admits: both})
		for _, x := range c.before {
			_, err := w.send(x)
			wantOK(t, c.what, err)
		}
		asked := w.asked()
		_, err := w.send(c.last)
		if c.kind == fail.Other {
			wantOK(t, c.what, err)
		} else if wantKind(t, c.what, err, c.kind); w.asked() != asked {
			t.Errorf("%s: refused, and yet an object was asked", c.what)
		}
	}
}

// TestImmediateUntold: what changes something is refused to a program whose result may not leave. Nobody could be told of what acts at once, and it
// would be asked for again; and nothing would be kept of the rest, so whether it was asked for may show nowhere.
func TestImmediateUntold(t *testing.T) {
	for what, c := range map[string]struct {
		admits value.Label
		before message.Expr
		kind   fail.Kind
	}{
		"nothing read":             {value.Label{}, titles(), fail.Other},
		"shown, and not read":      {value.Label{}, shown(), fail.Other},
		"read":                     {value.Label{}, diaries(), fail.Denied},
		"read, and it may be told": {value.NewLabel("diary"), diaries(), fail.Other},
		"another label":            {value.NewLabel("other"), diaries(), fail.Denied},
	} {
		for _, mode := range []message.EffectMode{message.Immediate, message.Held} {
			mail, why := newMail(), "its outcome could not be shown: "
			if mode == message.Held {
				m := mail.desc.Interfaces[0].Methods["sendDiary"]
				m.Effect, m.Result, why = message.Held, &message.Term{Con: message.Receipt()}, "nothing that this program changes would be kept: "
			}
			w := newWorld(t, Config{Admits: c.admits, Grants: map[string]Object{"todos": newTodos(), "users": newUsers(), "mail": mail}})
			_, err := w.send(c.before)
			wantOK(t, what, err)
			asked := mail.asked()
			if _, err = w.send(sendMail("sendDiary")); c.kind == fail.Other {
				wantOK(t, what, err)
			} else if wantKind(t, what, err, c.kind); mail.asked() != asked || len(w.s.Effects()) > 0 || !strings.Contains(err.Error(), why+"this program has read values labelled diary, so") {
				t.Errorf("%s: asked %d times more, %v, %v", what, mail.asked()-asked, w.s.Effects(), err)
			}
		}
	}
}

// TestBlindPolicies: a policy that looks at no value is shown none that is sealed, and opens none; one that looks does.
func TestBlindPolicies(t *testing.T) {
	for _, blind := range []bool{true, false} {
		var saw value.Value
		todos, mail := newTodos(), newMail()
		todos.eval = func(context.Context, *Message) (value.Value, error) {
			return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")})), nil
		}
		m := mail.desc.Interfaces[0].Methods["sendDiary"]
		m.Effect, m.Result = message.Held, &message.Term{Con: message.Receipt()}
		w := newWorld(t, Config{Admits: value.NewLabel("diary"), Grants: map[string]Object{"todos": todos, "users": newUsers(), "mail": Wrap(mail, Policy{Blind: blind, Before: func(m *Message) bool {
			saw, _ = m.Root.Args[0].Lit.Get("to")
			return true
		}})}})
		v, err := w.send(shown())
		wantOK(t, "shown", err)
		cell, _ := v.At(0).Get("title")
		_, err = w.send(mailTo(cell, "sendDiary"))
		wantOK(t, "sent", err)
		if l := w.s.Label().String(); blind && (!saw.IsZero() || l != "{}") || !blind && (saw.Text() != "secret" || l != "{diary}") {
			t.Errorf("blind %v: it saw %v, and the run has %s", blind, saw, l)
		}
	}
}

// The label joins before anything is done, whatever becomes of the message.
func TestLabelJoinsAnyway(t *testing.T) {
	revocable := func(w *world) func() {
		o, revoke := revocable(w.todos)
		w.t.Helper()
		nw := newWorld(w.t, Config{Grants: map[string]Object{"mail": w.mail, "todos": o, "users": w.users}})
		w.gate, w.s = nw.gate, nw.s
		return revoke
	}
	for what, prepare := range map[string]func(*world){
		"answered": func(*world) {},
		"failed": func(w *world) {
			w.todos.eval = func(context.Context, *Message) (value.Value, error) { return value.Value{}, errors.New("no") }
		},
		"panicked": func(w *world) { w.todos.eval = func(context.Context, *Message) (value.Value, error) { panic("no") } },
		"no value": func(w *world) {
			w.todos.eval = func(context.Context, *Message) (value.Value, error) { return value.Value{}, nil }
		},
		"revoked":   func(w *world) { revocable(w)() },
		"not asked": func(w *world) { revocable(w) },
	} {
		w := newWorld(t, Config{})
		prepare(w)
		w.send(diaries())
		if w.s.Label().String() != "{diary}" {
			t.Errorf("%s: the run's label is %v", what, w.s.Label())
		}
		_, err := w.send(sendMail("send"))
		wantKind(t, what, err, fail.Denied)

		w = newWorld(t, Config{})
		prepare(w)
		w.send(titles())
		_, err = w.send(sendMail("send"))
		wantOK(t, what+", the twin", err)
	}
	// Refused for the budget, and for a sink.
	w := newWorld(t, Config{Limits: Limits{Calls: 1}})
	w.send(titles())
	_, err := w.send(diaries())
	wantKind(t, "too many calls", err, fail.Limit)
	if w.s.Label().Empty() {
		t.Error("a message that was refused for the budget left no label")
	}
}

// A label that the object gives its answer, or a part of it, is the run's, too: the
// method declares it, and more than it declares is refused.
func TestResultLabels(t *testing.T) {
	secret := value.Text("x").WithLabel(value.NewLabel("diary"))
	rows := &value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{value.Int(1), secret}}
	for what, v := range map[string]value.Value{
		"scalar": secret, "list": value.List(value.Int(1), secret), "record": value.RecordValue(value.Field{Name: "a", Value: value.List(secret)}), "rows": value.RowsValue(rows), "list of rows": value.List(value.RowsValue(rows)),
		"object": value.List(value.RefValue(newUsers()).WithLabel(value.NewLabel("diary"))),
	} {
		w := newWorld(t, Config{})
		w.mail.eval = func(context.Context, *Message) (value.Value, error) { return v, nil }
		_, err := w.send(msg(ref(mailID), call(0, "peek")))
		wantKind(t, what+" beyond what the method declares", err, fail.Internal)
		w.s.gate.catalog[w.mail.desc.Interfaces[0].Name].Methods["peek"].Reply = value.NewLabel("diary", "other")
		got, err := w.send(msg(ref(mailID), call(0, "peek")))
		wantOK(t, what, err)
		if got.Label().String() != "{diary}" || w.s.Label().String() != "{diary,other}" {
			t.Errorf("%s: labels %v and %v", what, got.Label(), w.s.Label())
		}
		w.mail.eval = nil
		_, err = w.send(sendMail("send"))
		wantKind(t, what, err, fail.Denied)
	}
}

// The result of a run is a sink like any other.
func TestRelease(t *testing.T) {
	for _, c := range []struct {
		x      message.Expr
		admits value.Label
		ok     bool
	}{
		{titles(), value.Label{}, true}, {diaries(), value.Label{}, false}, {diaries(), value.NewLabel("other"), false}, {diaries(), value.NewLabel("diary", "other"), true},
	} {
		w := newWorld(t, Config{Admits: c.admits})
		w.send(c.x)
		if err := w.s.Release(); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.admits, err)
		} else if err != nil {
			wantKind(t, "release", fail.AsError("", err), fail.Denied)
		}
	}
}

// Every message is on record: intent before the object is asked, outcome after,
// and refusals with neither.
func TestRecord(t *testing.T) {
	w := newWorld(t, Config{})
	phases := func() (ps []Step) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, e := range w.events {
			ps = append(ps, e.Step)
		}
		return ps
	}
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if got := phases(); !slices.Equal(got, []Step{Intent}) {
			t.Errorf("while the object is asked, the record has %v", got)
		}
		m.AddDetail("SELECT")
		return value.List(value.Int(1), value.Int(2)), nil
	}
	w.send(msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, "diary"), txt("x"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "execute")))
	w.send(msg(ref(todosID), call(0, "drop")))
	w.todos.eval = func(context.Context, *Message) (value.Value, error) { return value.Value{}, errors.New("driver text") }
	w.send(msg(ref(todosID), call(0, "remove"))) // refused: the run has read the diary
	w.open()
	w.send(msg(ref(todosID), call(0, "remove")))
	if got := phases(); !slices.Equal(got, []Step{Intent, Outcome, Refused, Refused, Intent, Outcome}) {
		t.Fatal(got)
	}
	e := w.events[1]
	if e.Op != "todos.where(…).execute" || e.RunID != w.ofRun[0].RunID || e.Call != 1 || e.Effect != message.NoEffect || e.Rows != 2 || e.Err != nil || len(e.Details) != 1 || e.Label.String() != "{diary}" {
		t.Errorf("%+v", e)
	}
	if e := w.events[3]; !errors.Is(e.Err, fail.ErrDenied) || e.Effect != message.Immediate {
		t.Errorf("%+v", e)
	}
	if e := w.events[5]; e.Err == nil || !strings.Contains(e.Err.Error(), "driver text") || e.Effect != message.Immediate || e.State != StateUnknown {
		t.Errorf("the host reads %+v", e)
	}
}

// Intent is on record before anything is done: not even a fast object is sooner.
func TestIntentComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		users := newUsers()
		intents := 0
		g, err := NewGate(Config{Grants: map[string]Object{"users": users}, Record: RecordFunc(func(e Entry) error {
			if e.Step != Intent {
				return nil
			}
			intents++
			synctest.Wait() // whatever else can run has run
			if n := users.asked(); n != 0 {
				t.Errorf("asked %d times at intent", n)
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, g, t.Context(), "")
		if err := s.Submit(Call{ID: 1, Expr: msg(ref(0), call(0, "count"))}); err != nil {
			t.Fatal(err)
		}
		s.Next(t.Context())
		s.Finish(t.Context(), value.Null(), nil)
		if intents != 1 || users.asked() != 1 {
			t.Error(intents, users.asked())
		}
	})
}

// The guest never reads what was kept for the host.
func TestGuestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &fail.Error{Op: "todos.execute", Kind: fail.Kind(rapid.IntRange(0, 12).Draw(t, "kind")), Err: errors.New("s3cret")}
		if rapid.Bool().Draw(t, "msg") {
			e.Msg = "a message"
		}
		if g := e.Guest(); strings.Contains(g, "s3cret") || (e.Kind == fail.Internal || e.Kind == fail.Other) && strings.Contains(g, "a message") || g == "" {
			t.Fatalf("%q", g)
		}
		if !strings.Contains(e.Error(), "s3cret") {
			t.Fatalf("the host reads %q", e.Error())
		}
	})
	for _, c := range []struct {
		err  error
		kind fail.Kind
	}{
		{errors.New("s3cret"), fail.Internal}, {context.Canceled, fail.Cancelled}, {context.DeadlineExceeded, fail.Limit}, {fail.Errorf(fail.Conflict, "", "again"), fail.Conflict},
		{errors.Join(errors.New("s3cret"), fail.Errorf(fail.Invalid, "", "no")), fail.Invalid},
	} {
		w := newWorld(t, Config{})
		w.todos.eval = func(context.Context, *Message) (value.Value, error) { return value.Int(1), c.err }
		v, err := w.send(titles())
		wantKind(t, c.err.Error(), err, c.kind)
		if err != nil && (strings.Contains(fail.GuestText(err), "s3cret") || !v.IsZero()) {
			t.Errorf("the guest reads %q and %v", fail.GuestText(err), v)
		}
	}
}

// Grants that can't be told apart, or that would mean something else to a
// program, are found when the gate is made.
func TestNewGateRefuses(t *testing.T) {
	other := newTodos()
	other.desc.Interfaces = worldInterfaces()
	delete(other.desc.Interfaces[0].Methods, "remove")
	other.desc.Interfaces[0].Order = nil
	broken := func(change func(*message.Interface)) Object {
		f := newMail()
		f.desc.Interfaces = []*message.Interface{mailInterface()}
		change(f.desc.Interfaces[0])
		return f
	}
	var zero, noType, noInterface fake
	noType.desc.Interfaces = worldInterfaces()
	noInterface.desc.Type = &message.Type{Name: "Mail"}
	send := mailInterface().Methods["send"]
	for what, grants := range map[string]map[string]Object{
		"two ideas of Query": {"a": newTodos(), "b": other}, "nil": {"a": nil}, "name then": {"then": newMail()}, "name api": {"api": newMail()}, "name with a dot": {"a.b": newMail()},
		"zero": {"a": &zero}, "no type": {"a": &noType}, "no interface": {"a": &noInterface},
		"field __proto__":     {"a": broken(func(i *message.Interface) { i.Fields["__proto__"] = &message.Property{} })},
		"field and method":    {"a": broken(func(i *message.Interface) { i.Fields["send"] = &message.Property{} })},
		"method then":         {"a": broken(func(i *message.Interface) { i.Methods["then"] = &message.Method{Name: "then"} })},
		"nil method":          {"a": broken(func(i *message.Interface) { i.Methods["x"] = nil })},
		"alias of nothing":    {"a": broken(func(i *message.Interface) { i.Methods["x"] = send })},
		"no wanted type":      {"a": broken(func(i *message.Interface) { i.Methods["put"].Params[0].Want = nil })},
		"named like a scalar": {"a": broken(func(i *message.Interface) { i.Name = "text" })},
	} {
		if _, err := NewGate(Config{Grants: grants, Record: Unrecorded}); err == nil {
			t.Errorf("%s was granted", what)
		}
	}
	if _, err := NewGate(Config{Grants: map[string]Object{"a": newTodos(), "b": newTodos(), "c": broken(func(*message.Interface) {})}, Record: Unrecorded}); err != nil {
		t.Error("the twin:", err)
	}
	if g, err := NewGate(Config{}); err != nil {
		t.Error(err)
	} else if s := begin(t, g, t.Context(), ""); s.Checker().Ref(0) != nil {
		t.Error("the zero Config grants something")
	}
}
