package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"math"
	"strings"
	"testing"
)

// from is a run of a program of ten bytes, whose guest says of each message where it stands.
func (w *world) from(t *testing.T, last *uint64) func(line, column int, x message.Expr) (value.Value, error) {
	w.s.Finish(t.Context(), value.Null(), nil)
	var err error
	w.s, err = w.gate.Begin(t.Context(), Run{}, "0123456789", nil)
	wantOK(t, "begin", err)
	t.Cleanup(func() { w.s.Finish(t.Context(), value.Null(), nil) })
	return func(line, column int, x message.Expr) (value.Value, error) {
		*last++
		wantOK(t, "submit", w.s.Submit(Call{ID: *last, Expr: x, Pos: fail.Pos{Line: line, Column: column, Text: strings.Repeat("x", 1<<20)}}))
		return w.next()
	}
}

// TestCausesSayWhere: a cause names the place of its call, and by which calls the sealed values in it were given, of a text those of its
// parts, too.
func TestCausesSayWhere(t *testing.T) {
	todos := newTodos()
	todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")}), value.RecordValue(value.Field{Name: "title", Value: value.Null()})), nil
	}
	keep := keeper(value.NewLabel("diary"), func(value.Value) error { return nil })
	w := newWorld(t, Config{Admits: value.NewLabel("diary"), Grants: map[string]Object{"keep": keep, "reveal": Reveal(), "text": Compose(), "todos": todos}})
	const revealID, textID, todosID = 1, 2, 3
	var id uint64
	send := w.from(t, &id)
	first := func(v value.Value) value.Value { c, _ := v.At(0).Get("title"); return c }
	x := shown()
	x.Nodes[0] = ref(todosID)
	v, err := send(1, 7, x)
	wantOK(t, "shown", err)
	again, err := send(2, 3, x)
	wantOK(t, "shown again", err)
	text, err := send(3, 1, msg(ref(textID), lit(value.List(value.Text("a"), first(v), first(v))), call(0, "text", 1)))
	wantOK(t, "text", err)
	text, err = send(3, 2, msg(ref(textID), lit(value.List(text, text)), call(0, "text", 1)))
	wantOK(t, "text of texts", err)
	if len(w.s.Causes()) > 0 {
		t.Fatal(w.s.Causes())
	}
	_, err = send(4, 11, msg(ref(revealID), lit(value.List(first(again), value.RecordValue(value.Field{Name: "t", Value: text}))), call(0, "reveal", 1)))
	wantOK(t, "reveal", err)
	const want = "diary: by call 5 (line 4:11), reveal, of a value given by call 2 (line 2:3), todos.select(…).execute, as Todo.diary" +
		" and one given by call 4 (line 3:2), text and one given by call 3 (line 3:1), text and one given by call 1 (line 1:7), todos.select(…).execute, as Todo.diary"
	if c := w.s.Causes(); len(c) != 1 || c[0].String() != want || len(c[0].Origins) != 4 {
		t.Errorf("%v", c)
	}
}

// TestGivenIsShort: a text of texts is looked through once, and few of the values that it is of are named.
func TestGivenIsShort(t *testing.T) {
	for _, c := range []struct{ calls, want int }{{1, 2}, {2000, maxReading}} {
		w, cells := diaryWorld(t, Config{})
		text := cells[0]
		for n := range 2000 { // each twice the one before: without what was seen this does not end
			v := value.NewSealed(uint32(len(w.s.contents)), value.TypeText, text.Label())
			w.s.origins.by = append(w.s.origins.by, origin{first: uint64(v.Number()), given: SealedOrigin{Call: uint64(n%c.calls + 2)}})
			w.s.origins.fields = append(w.s.origins.fields, "")
			w.s.contents = append(w.s.contents, content{text: &recipe{parts: []value.Value{text, text}}})
			text = v
		}
		from := tracer{s: w.s, tag: "diary"}
		if from.visit(value.List(text, text)); len(from.list) != c.want {
			t.Errorf("of %d calls: %v", c.calls, from.list)
		}
	}
}

// TestClaimedPlaces: the place is a claim of the guest. What no program of that length has is none, and nothing but what is told goes by it:
// the message that is recorded is the same.
func TestClaimedPlaces(t *testing.T) {
	for _, c := range []struct {
		line, column int
		want         fail.Pos
	}{
		{1, 1, fail.Pos{Line: 1, Column: 1}}, {11, 11, fail.Pos{Line: 11, Column: 11}}, {0, 0, fail.Pos{}}, {-1, 1, fail.Pos{}}, {1, -1, fail.Pos{}}, {1, 0, fail.Pos{}}, {0, 1, fail.Pos{}},
		{12, 1, fail.Pos{}}, {1, 12, fail.Pos{}}, {math.MaxInt, math.MaxInt, fail.Pos{}}, {math.MinInt, 1, fail.Pos{}},
	} {
		w := newWorld(t, Config{})
		var id uint64
		_, err := w.from(t, &id)(c.line, c.column, diaries())
		wantOK(t, "read", err)
		cause := w.s.Causes()
		if len(cause) != 1 || cause[0].Pos != c.want || strings.Contains(cause[0].String(), "line") != (c.want != fail.Pos{}) {
			t.Errorf("%d:%d: %v", c.line, c.column, cause)
		}
		w.mu.Lock()
		for _, e := range w.events {
			if e.Pos != c.want || e.Step == Intent && string(e.Message) != string(mustSpell(t, diaries())) {
				t.Errorf("%d:%d: %v at %v", c.line, c.column, e.Step, e.Pos)
			}
		}
		w.mu.Unlock()
		if err := because(value.NewLabel("diary"), w.s.Causes()); !strings.Contains(err.Error(), cause[0].String()) || errors.Unwrap(err) != nil {
			t.Error(err)
		}
	}
}

func mustSpell(t *testing.T, x message.Expr) []byte {
	b, err := x.AppendBinary(nil)
	wantOK(t, "spell", err)
	return b
}
