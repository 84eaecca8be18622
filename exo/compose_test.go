package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/spell"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// composeWorld is a run with `text`, an effect that admits the diary and one that doesn't, and two sealed values: "secret" and null.
func composeWorld(t *testing.T, wrap func(Object) Object) (w *world, cells []value.Value, kept *[]string) {
	t.Helper()
	kept = &[]string{}
	keep := func(m *Message) error {
		*kept = append(*kept, m.Root.Args[0].Lit.Text())
		return nil
	}
	hold := iface("Hold", nil, false, &message.Method{Name: "hold", Sends: true, Sink: true, Effect: message.Held, Admits: value.NewLabel("diary"), Params: []message.Param{{Name: "the text", Want: con(value.TypeText)}}, Result: &message.Term{Con: message.Receipt()}},
		&message.Method{Name: "low", Sends: true, Sink: true, Effect: message.Held, Params: []message.Param{{Name: "the text", Want: con(value.TypeText)}}, Result: &message.Term{Con: message.Receipt()}})
	holder := &fake{desc: message.Description{Type: &message.Type{Name: "Hold"}, Interfaces: []*message.Interface{hold}}, eval: func(_ context.Context, m *Message) (value.Value, error) { return value.Null(), keep(m) }}
	todos := newTodos()
	todos.eval = func(context.Context, *Message) (value.Value, error) {
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")}), value.RecordValue(value.Field{Name: "title", Value: value.Null()})), nil
	}
	text := Compose()
	if wrap != nil {
		text = wrap(text)
	}
	w = &world{t: t, todos: todos}
	var err error
	if w.gate, err = NewGate(Config{Grants: map[string]Object{"hold": holder, "text": text, "todos": todos}, Record: Unrecorded}); err != nil {
		t.Fatal(err)
	}
	w.open()
	v, err := w.send(message.Expr{Nodes: []message.WireNode{ref(2), param(0, "select", 0), fld(1, "todo"), fld(2, "diary"), record([]string{"title"}, 3), lam(1, 4), call(0, "select", 5), call(6, "execute")}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Len() {
		c, _ := v.At(i).Get("title")
		cells = append(cells, c)
	}
	return w, cells, kept
}

// TestCompose: a text of sealed values is sealed, the run reads nothing of it, and it is made where it leaves.
func TestCompose(t *testing.T) {
	w, cells, kept := composeWorld(t, nil)
	text := func(parts ...value.Value) (value.Value, error) {
		return w.send(msg(ref(1), lit(value.List(parts...)), call(0, "text", 1)))
	}
	plain, err := text(value.Text("a"), value.Int(1), value.Null(), value.Bool(true), value.Float(1.5), value.List(value.Int(1)))
	if err != nil || plain.Type() != value.TypeText || plain.Text() != "a1nulltrue1.5[1]" {
		t.Errorf("%v %v", plain, err)
	}
	dear, err := text(value.Text("Dear "), cells[0], value.Text("!"), cells[1])
	if l, ok := dear.Sealed(); err != nil || !ok || l.String() != "{diary}" || dear.String() != "[sealed diary]" || !w.s.Label().Empty() {
		t.Fatalf("%v %v %v", dear, err, w.s.Label())
	}
	twice, err := text(dear, value.Text(" "), dear, value.List(cells[0]))
	wantOK(t, "of itself", err)
	for _, v := range []value.Value{dear, twice} {
		_, err = w.send(msg(ref(0), lit(v), call(0, "low", 1)))
		wantKind(t, "to who doesn't admit it", err, fail.Denied)
		_, err = w.send(msg(ref(0), lit(v), call(0, "hold", 1)))
		wantOK(t, "to who does", err)
	}
	if got, _, err := w.s.Unseal(twice); err != nil || got.String() != "[sealed diary]" {
		t.Error(got, err)
	}
	_, err = w.send(msg(ref(1), lit(cells[0]), call(0, "text", 1)))
	wantKind(t, "a sealed value as all parts", err, fail.Invalid)
	forged := dear.Renumbered(dear.Number() + 9)
	_, err = text(forged)
	wantKind(t, "one that it was not given", err, fail.Denied)
	if err := w.s.Finish(context.Background(), value.Null(), nil); err != nil || strings.Join(*kept, "|") != "Dear secret!null|Dear secret!null Dear secret!null[\"secret\"]" {
		t.Errorf("%v %q", err, *kept)
	}
	if w.s.Label().String() != "{}" {
		t.Error(w.s.Label())
	}
}

// TestComposeIsBounded: what is kept does not grow with what it stands for, and its size does not show.
func TestComposeIsBounded(t *testing.T) {
	w, cells, kept := composeWorld(t, nil)
	v := cells[0]
	var err error
	for range 9 {
		if v, err = w.send(msg(ref(1), lit(value.List(v, value.Text(strings.Repeat("x", 2000)), v)), call(0, "text", 1))); err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.send(msg(ref(0), lit(v), call(0, "hold", 1)))
	wantOK(t, "of 512", err)
	_, err = w.send(msg(ref(1), lit(value.List(v, v)), call(0, "text", 1)))
	wantKind(t, "of 1024", err, fail.Limit)
	if !strings.Contains(err.Error(), "1024 sealed values") || !w.s.Label().Empty() {
		t.Error(err, w.s.Label())
	}
	rows := value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a", "b"}}, Cells: []value.Value{v, v}})
	_, err = w.send(msg(ref(1), lit(value.List(rows)), call(0, "text", 1)))
	if err == nil || !w.s.Label().Empty() {
		t.Error("rows of 1024", err)
	}
	half, err := w.send(msg(ref(1), lit(value.List(cells[0], value.Text(strings.Repeat("x", 100_000)))), call(0, "text", 1)))
	wantOK(t, "a large one", err)
	_, err = w.send(msg(ref(0), lit(half), call(0, "hold", 1)))
	wantOK(t, "a large one that leaves", err)
	if err := w.s.Finish(context.Background(), value.Null(), nil); err != nil || len(*kept) != 2 || !strings.HasPrefix((*kept)[0], "[too large]xx") || len((*kept)[1]) != 100_006 {
		t.Errorf("%v %d", err, len(*kept))
	}
	if got := spell.Joined([]value.Value{value.Text("xxxx"), value.Text("y")}, 4); got != "[too large]" {
		t.Error(got)
	}
	if got := spell.Joined([]value.Value{value.Text("xxxx")}, 4); got != "xxxx" {
		t.Error(got)
	}
}

// TestComposeJudged: a policy that looks at the parts may refuse by them, so the run has read them, and has the text as it is.
func TestComposeJudged(t *testing.T) {
	w, cells, _ := composeWorld(t, func(o Object) Object {
		return Wrap(o, Policy{Before: func(*Message) bool { return true }})
	})
	v, err := w.send(msg(ref(1), lit(value.List(value.Text("Dear "), cells[0])), call(0, "text", 1)))
	if err != nil || v.Text() != "Dear secret" || w.s.Label().String() != "{diary}" {
		t.Errorf("%v %v %v", v, err, w.s.Label())
	}
}

// TestComposedIsBounded: what is kept of all sealed texts of a run.
func TestComposedIsBounded(t *testing.T) {
	w, cells, _ := composeWorld(t, nil)
	part, n := value.Text(strings.Repeat("x", 200_000)), 0
	for ; n < 200; n++ {
		if _, err := w.send(msg(ref(1), lit(value.List(cells[0], part)), call(0, "text", 1))); err != nil {
			wantKind(t, "too many", err, fail.Limit)
			break
		}
	}
	if n < 70 || n > 90 { // 16 MiB
		t.Errorf("%d texts", n)
	}
}
