package exo

import (
	"context"
	"errors"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRecorderThatEndsItsGoroutine: a Recorder in which a test fails, at whatever entry,
// neither holds the run up nor lets it commit what is not on record.
func TestRecorderThatEndsItsGoroutine(t *testing.T) {
	for _, at := range []Step{Intent, Refused} { // of these it is the goroutine of Submit
		s := &shop{name: "a"}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: RecordFunc(func(e Entry) error {
			if e.Step == at {
				runtime.Goexit()
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		ses, over := begin(t, g, t.Context(), ""), make(chan struct{})
		go func() {
			defer close(over)
			ses.Submit(Call{ID: 1, Expr: msg(ref(0), call(0, map[Step]string{Intent: "put", Refused: "none"}[at]))})
		}()
		<-over
		r, ok, err := ses.Next(t.Context())
		if !ok || err != nil || fail.KindOf(r.Err) != fail.Internal {
			t.Errorf("%v: %v %v %v", at, r, ok, err)
		}
		if err := ses.Finish(t.Context(), value.Null(), nil); err == nil || s.kept != 0 || len(ses.Effects()) != 0 {
			t.Errorf("%v: %v, %v", at, err, s.log)
		}
	}
	for at := Outcome; at < steps; at++ {
		s := &shop{name: "a"}
		w := end(t, s, func(e Entry) error {
			if e.Step == at {
				runtime.Goexit()
			}
			return nil
		}, nil, "put", "mail")
		committed := at == Committed || at == Acting || at == Acted || at == Ended
		if at == Withheld || at == AfterCommitFailed {
			continue // there is none in this run
		}
		if w.err == nil || w.s.Panicked() == nil || (s.kept == 1) != committed {
			t.Errorf("%v: %v, %v, %d kept", at, w.err, w.s.Panicked(), s.kept)
		}
		if states := w.states(); strings.Contains(states, "held") || !committed && strings.Contains(states, "applied") {
			t.Errorf("%v: told %s", at, states)
		}
		if n := times(s.log, "commit") + times(s.log, "rollback"); times(s.log, "put") > 0 && n != 1 {
			t.Errorf("%v: the unit ended %d times: %v", at, n, s.log)
		}
		if w.s.work.Err() == nil {
			t.Errorf("%v: the context of the units goes on", at)
		}
	}
}

// odd is a shop whose Store is what a test says.
type odd struct {
	*shop
	store func() any
}

func (o *odd) UnitKey() any { return o.store() }

// TestOddStores: a Store that can't be one is refused when it is granted, and when it is
// asked later; the run goes on.
func TestOddStores(t *testing.T) {
	for what, bad := range map[string]func() any{
		"a slice": func() any { return []string{"a"} }, "a panic": func() any { panic("no") }, "nil": func() any { return nil },
	} {
		o := &odd{&shop{name: "a"}, bad}
		if _, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded}); err == nil {
			t.Errorf("%s was granted", what)
		}
		if _, err := NewGate(Config{Grants: map[string]Object{"shop": Wrap(o, Policy{})}, Record: Unrecorded}); err == nil {
			t.Errorf("%s was granted, wrapped", what)
		}
		o.store = func() any { return "a" }
		g, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		o.store = bad
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		_, err = w.send(msg(ref(0), call(0, "put")))
		wantKind(t, what, err, fail.Internal)
		o.store = func() any { return "a" }
		if _, err = w.send(msg(ref(0), call(0, "put"))); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || o.kept != 1 {
			t.Error(err, o.kept)
		}
	}
}

// TestUnitsThatAreNone: an open that gives a nil pointer with its error, or nothing at all,
// has opened no unit; and a method that changes something without one does not commit.
func TestUnitsThatAreNone(t *testing.T) {
	for what, open := range map[string]func(context.Context) (Unit, error){
		"a nil pointer and an error": func(context.Context) (Unit, error) { return (*unit)(nil), errors.New("no connection") },
		"nothing":                    func(context.Context) (Unit, error) { return nil, nil },
		"no call":                    nil,
	} {
		s := &shop{name: "a"}
		o := &opener{shop: s, open: open}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": o}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		_, err = w.send(msg(ref(0), call(0, "put")))
		wantKind(t, what, err, fail.Internal)
		err = w.s.Finish(t.Context(), value.Null(), nil)
		if fx := w.s.Effects(); err == nil || w.s.Panicked() != nil || len(fx) != 1 || fx[0].State == StateApplied || (fx[0].State == StateUnknown) != (open == nil) {
			t.Errorf("%s: %v, %v, %+v", what, err, w.s.Panicked(), fx)
		}
	}
}

type opener struct {
	*shop
	open func(context.Context) (Unit, error)
}

func (o *opener) Eval(_ context.Context, m *Message) (value.Value, error) {
	if o.open == nil {
		return value.Int(1), nil
	}
	_, err := m.Unit(o.name, o.open)
	return value.Int(1), err
}

// TestRefusalSaysNothing: a refused run says the same whatever it has read. Which of its
// labels it has behind the first can be chosen by a secret, a bit for each; the first was chosen before.
func TestRefusalSaysNothing(t *testing.T) {
	texts := map[string]bool{}
	for _, methods := range [][]string{{"a"}, {"a", "a"}, {"a", "b"}, {"a", "b", "a"}} {
		i := iface("Box", nil, false, &message.Method{Name: "a", Sends: true, Reply: value.NewLabel("a"), Result: con(value.TypeInt)}, &message.Method{Name: "b", Sends: true, Reply: value.NewLabel("b"), Result: con(value.TypeInt)})
		g, err := NewGate(Config{Grants: map[string]Object{"box": &fake{desc: message.Description{Type: &message.Type{Name: "Box"}, Interfaces: []*message.Interface{i}}}}})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		for _, m := range methods {
			w.send(msg(ref(0), call(0, m)))
		}
		err = w.s.Finish(t.Context(), value.Null(), nil)
		wantKind(t, "the run", err, fail.Denied)
		texts[fail.GuestText(err)] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d texts: %v", len(texts), texts)
	}
}

// TestRaisedAfterAnEffect: a program that asks for a mail and then reads what may not leave
// by it could have the mail sent, or not, for what it read: it is refused, whatever that was.
func TestRaisedAfterAnEffect(t *testing.T) {
	for _, admitted := range []value.Label{{}, value.NewLabel("pii")} {
		for _, method := range []string{"mail", "put"} {
			s := &shop{name: "a"}
			d, _ := s.Describe()
			secret := iface("Secret", nil, false, &message.Method{Name: "read", Sends: true, Reply: value.NewLabel("pii"), Result: con(value.TypeInt)})
			for _, m := range d.Interfaces[0].Methods {
				m.Admits = admitted
			}
			shop := &described{shop: s, d: d}
			g, err := NewGate(Config{Admits: value.NewLabel("pii"), Record: Unrecorded, Grants: map[string]Object{"shop": shop, "secret": &fake{desc: message.Description{Type: &message.Type{Name: "Secret"}, Interfaces: []*message.Interface{secret}}}}})
			if err != nil {
				t.Fatal(err)
			}
			w := &world{t: t, s: begin(t, g, t.Context(), "")}
			w.send(msg(ref(1), call(0, method)))
			_, err = w.send(msg(ref(0), call(0, "read")))
			wantOK(t, "read", err)
			err = w.s.Finish(t.Context(), value.Null(), nil)
			if refused := admitted.Empty(); refused != errors.Is(err, fail.ErrDenied) || refused != (times(s.log, "mail")+s.kept == 0) {
				t.Errorf("%s admits %v: %v, %v, %d kept", method, admitted, err, s.log, s.kept)
			}
		}
	}
}

type described struct {
	*shop
	d message.Description
}

func (d *described) Describe() (message.Description, error) { return d.d, nil }

// TestStoreOrderWhenOneGivesUp: a message that is cut off while it waits does not let the
// next one of its store act beside the one before it.
func TestStoreOrderWhenOneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := make(chan struct{})
		s, acting := &shop{name: "a"}, 0
		s.fail = map[string]func(context.Context) error{"put": func(context.Context) error {
			if acting++; acting > 1 {
				t.Error("two messages of one store act at one time")
			}
			time.Sleep(time.Second)
			acting--
			return nil
		}}
		g, err := NewGate(Config{Grants: map[string]Object{"a": s, "b": Wrap(s, Policy{Revoked: cut})}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		w.submit(msg(ref(0), call(0, "put")))
		w.submit(msg(ref(1), call(0, "count")))
		w.submit(msg(ref(0), call(0, "put")))
		synctest.Wait()
		close(cut)
		for i, want := range []fail.Kind{fail.Other, fail.Revoked, fail.Other} {
			if _, err := w.next(); fail.KindOf(err) != want {
				t.Errorf("message %d: %v", i, err)
			}
		}
		if err := w.s.Finish(t.Context(), value.Null(), nil); err != nil || s.kept != 2 {
			t.Error(err, s.kept)
		}
	})
}

// TestDebtsAreTheRecorders: what one gate owes stops the effects of another gate with the
// same Recorder, and is paid by it.
func TestDebtsAreTheRecorders(t *testing.T) {
	broken := true
	var got []Step
	rec := RecordFunc(func(e Entry) error {
		if broken && (e.Step == Committed || len(got) > 0 && got[len(got)-1] == Committing) {
			return errors.New("disk")
		}
		got = append(got, e.Step)
		return nil
	})
	run := func() error {
		s := &shop{name: "a"}
		g, err := NewGate(Config{Grants: map[string]Object{"shop": s}, Record: rec})
		if err != nil {
			t.Fatal(err)
		}
		ses, err := g.Begin(t.Context(), Run{}, "", nil)
		if err != nil {
			return err
		}
		w := &world{t: t, s: ses}
		w.send(msg(ref(0), call(0, "put")))
		return ses.Finish(t.Context(), value.Null(), nil)
	}
	if err := run(); err == nil {
		t.Error("the commit was not recorded, and the run went well")
	}
	if err := run(); !errors.Is(err, errRecord) {
		t.Errorf("another gate, with debts: %v", err)
	}
	broken = false
	if err := run(); err != nil {
		t.Error("the record is mended:", err)
	}
	if text := fmt.Sprint(got); !strings.HasPrefix(text, "[begun intent outcome released committing committed ended begun") || owing.n.Load() != 0 {
		t.Errorf("%s, %d debtors", text, owing.n.Load())
	}
}

// TestPolicyIsNotLostInABox: an object that was an argument has its policies when it is
// handed out by a later message, too.
func TestPolicyIsNotLostInABox(t *testing.T) {
	for _, wrapped := range []bool{true, false} {
		mail, box := newMail(), newMail()
		box.desc.Type, box.desc.Interfaces = &message.Type{Name: "Box"}, []*message.Interface{iface("Box", nil, false,
			&message.Method{Name: "keep", Sends: true, Params: []message.Param{{Name: "it", Want: con("Mail")}}, Result: con(value.TypeInt)}, &message.Method{Name: "give", Sends: true, Result: con("Mail")})}
		var kept Object
		box.eval = func(_ context.Context, m *Message) (value.Value, error) {
			if m.Root.Name == "keep" {
				kept = m.Objects[1]
				return value.Int(1), nil
			}
			return value.RefValue(kept), nil
		}
		var given Object = mail
		if wrapped {
			given = Wrap(mail, Policy{Before: func(m *Message) bool { return m.Root.Name != "peek" }, Refusal: "no"})
		}
		g, err := NewGate(Config{Grants: map[string]Object{"box": box, "mail": given}, Record: Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		_, err = w.send(msg(ref(0), ref(1), call(0, "keep", 1)))
		wantOK(t, "keep", err)
		v, err := w.send(msg(ref(0), call(0, "give")))
		wantOK(t, "give", err)
		if _, err = w.send(msg(ref(v.Number()), call(0, "peek"))); wrapped {
			wantKind(t, "peek", err, fail.Denied)
		} else {
			wantOK(t, "peek of the twin", err)
		}
	}
}

// TestReadsEndBeforeTheCommit: a store that was only read and finds at its end that it was
// of no one state fails the run before anything is final, and not after.
func TestReadsEndBeforeTheCommit(t *testing.T) {
	for _, fails := range []bool{true, false} {
		a, b := &shop{name: "a"}, &shop{name: "b", fail: map[string]func(context.Context) error{}}
		if fails {
			b.fail["commit"] = func(context.Context) error { return fmt.Errorf("serialization: %w", ErrNothingDone) }
		}
		g, _ := NewGate(Config{Grants: map[string]Object{"a": a, "b": b}, Record: Unrecorded})
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		w.send(msg(ref(0), call(0, "put")))
		w.send(msg(ref(1), call(0, "count")))
		err := w.s.Finish(t.Context(), value.Null(), nil)
		if (err != nil) != fails || (a.kept == 0) != fails || times(b.log, "commit") != 1 {
			t.Errorf("it fails %v: %v, %d kept", fails, err, a.kept)
		}
	}
}

// ring is an error that wraps itself; (*ring)(nil) one whose methods panic.
type ring struct{ text string }

func (r *ring) Error() string { return r.text }
func (r *ring) Unwrap() error { return &ring{r.text} }

// TestErrorsWithoutEnd: an error that wraps itself, or whose methods panic, of an object and
// of each step of its unit, is told like any other and holds nothing up.
func TestErrorsWithoutEnd(t *testing.T) {
	for what, bad := range map[string]error{"a ring": &ring{"x"}, "a nil pointer": (*ring)(nil), "a ring among others": errors.Join(errors.New("y"), &ring{"x"})} {
		for _, at := range []string{"put", "prepare", "commit", "rollback", "mail"} {
			s := &shop{name: "a", fail: map[string]func(context.Context) error{at: func(context.Context) error { return bad }}}
			var program error
			if at == "rollback" {
				program = errProgram
			}
			w := end(t, s, nil, program, "put", "mail")
			if (w.err == nil) != (at == "mail") || w.s.Panicked() != nil || strings.Contains(w.states(), "held") || w.events[len(w.events)-1].Step != Ended {
				t.Errorf("%s at %s: %v, %v, %s", what, at, fail.KindOf(w.err), w.s.Panicked(), w.states())
			}
		}
	}
}

// TestDebtsThatArePaidMeanwhile: who is about to owe while another run pays does not add to
// what nobody will look at any more.
func TestDebtsThatArePaidMeanwhile(t *testing.T) {
	var got []RunID
	rec := RecordFunc(func(e Entry) error { got = append(got, e.RunID); return nil })
	g, err := NewGate(Config{Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	owe := func(e Entry) {
		for !g.debts(true).add(e) {
		}
	}
	owe(Entry{RunID: RunID{1}, Step: Committed})
	held := g.debts(true) // as one that is about to add has them
	if err := g.pay(t.Context()); err != nil || len(got) != 1 {
		t.Fatal(err, got)
	}
	if held.add(Entry{RunID: RunID{2}}) {
		t.Error("an entry was added to debts that are paid: it is lost")
	}
	owe(Entry{RunID: RunID{2}, Step: Committed})
	if err := g.pay(t.Context()); err != nil || len(got) != 2 || got[1] != (RunID{2}) || owing.n.Load() != 0 {
		t.Error(err, got, owing.n.Load())
	}
}

// TestUndoneStoreIsNotRead: a store of which each change was undone, beside one that keeps
// its changes, is rolled back and never committed.
func TestUndoneStoreIsNotRead(t *testing.T) {
	for _, undone := range []bool{true, false} {
		a, b := &shop{name: "a", fail: map[string]func(context.Context) error{}}, &shop{name: "b"}
		if undone {
			a.fail["put"] = func(context.Context) error { return ErrNothingDone }
		}
		g, _ := NewGate(Config{Grants: map[string]Object{"a": a, "b": b}, Record: Unrecorded, SeveralStores: true})
		w := &world{t: t, s: begin(t, g, t.Context(), "")}
		for id := range uint32(2) {
			w.send(msg(ref(id), call(0, "put")))
		}
		err := w.s.Finish(t.Context(), value.Null(), nil)
		if err != nil || b.kept != 1 || (times(a.log, "rollback") == 1) != undone || (times(a.log, "commit") == 1) == undone {
			t.Errorf("undone %v: %v, %v", undone, err, a.log)
		}
	}
}

// TestRefusalOfALabelledBeginning: what a run began with is not named either.
func TestRefusalOfALabelledBeginning(t *testing.T) {
	g, err := NewGate(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.Begin(t.Context(), Run{Label: value.NewLabel("pii")}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Finish(t.Context(), value.Null(), nil)
	if text := fail.GuestText(err); fail.KindOf(err) != fail.Denied || strings.Contains(text, "pii") || strings.Contains(text, "{") || !strings.Contains(text, "had read values which its result may not contain") {
		t.Error(err)
	}
}
