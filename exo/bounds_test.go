package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
	"time"
)

// A guest that goes on sending after its budget is told so once for each call that may
// be under way, and then cut off: each further message would have to be checked.
func TestFloodAfterTheBudget(t *testing.T) {
	w := newWorld(t, Config{Limits: Limits{Calls: 3, ConcurrentCalls: 2}})
	bad := msg(ref(todosID), call(0, "no such"))
	for id := uint64(1); id <= 6; id++ {
		if err := w.s.Submit(Call{ID: id, Expr: bad}); err != nil {
			t.Fatalf("call %d: %v", id, err)
		}
	}
	for id := uint64(7); id <= 9; id++ {
		if err := w.s.Submit(Call{ID: id, Expr: bad}); !errors.Is(err, fail.ErrLimit) {
			t.Errorf("call %d: %v", id, err)
		}
	}
}

// An effect whose intent can't be recorded does not happen. A message without an effect
// is stopped by the end of the run, too; an effect is stopped by nothing else.
func TestEffectWithoutARecord(t *testing.T) {
	for _, broken := range []bool{true, false} {
		mail := newMail()
		g, err := NewGate(Config{Grants: map[string]Object{"mail": mail}, Record: RecordFunc(func(ev Entry) error {
			if broken && ev.Step == Intent {
				panic("the disk is full")
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, g, t.Context(), "")
		if err := s.Submit(Call{ID: 1, Expr: sendMail("sendDiary")}); err != nil {
			t.Fatal(err)
		}
		_, _, _ = s.Next(t.Context())
		if err := s.Finish(t.Context(), value.Null(), nil); broken != errors.Is(err, errRecord) {
			t.Error(err)
		}
		if want := map[bool]int{true: 0, false: 1}[broken]; mail.asked() != want {
			t.Errorf("record broken %v: asked %d times", broken, mail.asked())
		}
	}
}

// While an effect is under way it is reported as not known to have happened.
func TestEffectUnderWay(t *testing.T) {
	w := newWorld(t, Config{})
	began, end := make(chan struct{}), make(chan struct{})
	w.mail.eval = func(context.Context, *Message) (value.Value, error) { close(began); <-end; return value.Int(0), nil }
	w.submit(sendMail("sendDiary"))
	<-began
	if fx := w.s.Effects(); len(fx) != 1 || fx[0].Err == nil || fx[0].State != StateUnknown {
		t.Errorf("under way: %+v", fx)
	}
	close(end)
	_, err := w.next()
	wantOK(t, "the effect", err)
	if fx := w.s.Effects(); len(fx) != 1 || fx[0].Err != nil || fx[0].State != StateImmediate {
		t.Errorf("after it: %+v", fx)
	}
}

// A plain answer to a message that mentions a secret is as secret: the value itself says
// so, wherever the host passes it on to.
func TestAnswerHasTheMessagesLabel(t *testing.T) {
	for _, c := range []struct {
		x    message.Expr
		want string
	}{{diaries(), "{diary}"}, {titles(), "{}"}} {
		w := newWorld(t, Config{})
		v, err := w.send(c.x)
		wantOK(t, "the message", err)
		if v.Label().String() != c.want {
			t.Errorf("the answer has label %v, want %s", v.Label(), c.want)
		}
	}
}

// A method that goes by whole rows carries the labels of all their columns, though the
// message names none.
func TestRowMethodsCarryRowLabels(t *testing.T) {
	for _, row := range []bool{true, false} {
		todos := newTodos()
		todos.desc.Interfaces[0].Methods["distinct"] = &message.Method{Name: "distinct", Row: row, Result: v("self")}
		w := newWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "todos": todos}})
		_, err := w.send(msg(ref(todosID), call(0, "distinct"), call(1, "count")))
		wantOK(t, "count", err)
		if secret := !w.s.Label().Empty(); secret != row {
			t.Errorf("by whole rows %v: label %v", row, w.s.Label())
		}
	}
}

// Nodes that are shared double with each level: twelve are a tree of thousands. The
// limit counts the tree, which is what an object that interprets it walks.
func TestSharedNodesCountAgain(t *testing.T) {
	c := checker()
	n, err := c.MakeLit(value.Int(1))
	wantOK(t, "the leaf", err)
	for level := 1; ; level++ {
		if n, err = c.MakeList([]*message.Node{n, n}); err != nil {
			wantKind(t, "doubling", err, fail.Limit)
			if want := 11; level != want { // 2^12-1 steps are more than 4,000
				t.Errorf("refused at level %d, want %d", level, want)
			}
			return
		}
		if level > 20 {
			t.Fatal("a million steps were let pass")
		}
	}
}

// One placeholder closes one callback: another body with it would be about a row that
// is gone.
func TestPlaceholderClosesOnce(t *testing.T) {
	c := checker()
	todos, err := c.MakeRef(todosID)
	wantOK(t, "ref", err)
	p, err := c.MakeParam(todos, "where", 0, nil)
	wantOK(t, "param", err)
	yes, err := c.MakeLit(value.Bool(true))
	wantOK(t, "literal", err)
	_, err = c.MakeLambda(p, yes)
	wantOK(t, "the callback", err)
	_, err = c.MakeLambda(p, yes) // a body that does not mention the row is caught by nothing else
	wantKind(t, "the same once more", err, fail.Invalid)
}

// A negative limit is the default, never none.
func TestNegativeLimits(t *testing.T) {
	got := Limits{Commit: -time.Hour, Calls: -1, Rows: -5, Bytes: -1, MessageNodes: -1}.OrDefault()
	if got != (Limits{}).OrDefault() {
		t.Errorf("%+v", got)
	}
}
