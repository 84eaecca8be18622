package exo

import (
	"context"
	"strings"
	"testing"
)

// composeWorld is a run with `text`, an effect that admits the diary and one that doesn't, and two sealed values: "secret" and null.
func composeWorld(t *testing.T, wrap func(Object) Object) (w *world, cells []Value, kept *[]string) {
	t.Helper()
	kept = &[]string{}
	keep := func(m *Message) error {
		*kept = append(*kept, m.Root.Args[0].Lit.Text())
		return nil
	}
	hold := iface("Hold", nil, false, &Method{Name: "hold", Sends: true, Sink: true, Effect: Held, Admits: NewLabel("diary"), Params: []Param{{Name: "the text", Want: con(TypeText)}}, Result: &Term{Con: Receipt()}},
		&Method{Name: "low", Sends: true, Sink: true, Effect: Held, Params: []Param{{Name: "the text", Want: con(TypeText)}}, Result: &Term{Con: Receipt()}})
	holder := &fake{desc: Description{Type: &Type{Name: "Hold"}, Interfaces: []*Interface{hold}}, eval: func(_ context.Context, m *Message) (Value, error) { return Null(), keep(m) }}
	todos := newTodos()
	todos.eval = func(context.Context, *Message) (Value, error) {
		return List(RecordValue(Field{"title", Text("secret")}), RecordValue(Field{"title", Null()})), nil
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
	v, err := w.send(Expr{[]WireNode{ref(2), param(0, "select", 0), fld(1, "todo"), fld(2, "diary"), record([]string{"title"}, 3), lam(1, 4), call(0, "select", 5), call(6, "execute")}})
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
	text := func(parts ...Value) (Value, error) {
		return w.send(msg(ref(1), lit(List(parts...)), call(0, "text", 1)))
	}
	plain, err := text(Text("a"), Int(1), Null(), Bool(true), Float(1.5), List(Int(1)))
	if err != nil || plain.Type() != TypeText || plain.Text() != "a1nulltrue1.5[1]" {
		t.Errorf("%v %v", plain, err)
	}
	dear, err := text(Text("Dear "), cells[0], Text("!"), cells[1])
	if l, ok := dear.Sealed(); err != nil || !ok || l.String() != "{diary}" || dear.String() != "[sealed diary]" || !w.s.Label().Empty() {
		t.Fatalf("%v %v %v", dear, err, w.s.Label())
	}
	twice, err := text(dear, Text(" "), dear, List(cells[0]))
	wantOK(t, "of itself", err)
	for _, v := range []Value{dear, twice} {
		_, err = w.send(msg(ref(0), lit(v), call(0, "low", 1)))
		wantKind(t, "to who doesn't admit it", err, Denied)
		_, err = w.send(msg(ref(0), lit(v), call(0, "hold", 1)))
		wantOK(t, "to who does", err)
	}
	if got, _, err := w.s.Unseal(twice); err != nil || got.String() != "[sealed diary]" {
		t.Error(got, err)
	}
	_, err = w.send(msg(ref(1), lit(cells[0]), call(0, "text", 1)))
	wantKind(t, "a sealed value as all parts", err, Invalid)
	forged := dear.Renumbered(dear.Number() + 9)
	_, err = text(forged)
	wantKind(t, "one that it was not given", err, Denied)
	if err := w.s.Finish(context.Background(), Null(), nil); err != nil || strings.Join(*kept, "|") != "Dear secret!null|Dear secret!null Dear secret!null[\"secret\"]" {
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
		if v, err = w.send(msg(ref(1), lit(List(v, Text(strings.Repeat("x", 2000)), v)), call(0, "text", 1))); err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.send(msg(ref(0), lit(v), call(0, "hold", 1)))
	wantOK(t, "of 512", err)
	_, err = w.send(msg(ref(1), lit(List(v, v)), call(0, "text", 1)))
	wantKind(t, "of 1024", err, Limit)
	if !strings.Contains(err.Error(), "1024 sealed values") || !w.s.Label().Empty() {
		t.Error(err, w.s.Label())
	}
	rows := RowsValue(&Rows{Shape: &Shape{Names: []string{"a", "b"}}, Cells: []Value{v, v}})
	_, err = w.send(msg(ref(1), lit(List(rows)), call(0, "text", 1)))
	if err == nil || !w.s.Label().Empty() {
		t.Error("rows of 1024", err)
	}
	half, err := w.send(msg(ref(1), lit(List(cells[0], Text(strings.Repeat("x", 100_000)))), call(0, "text", 1)))
	wantOK(t, "a large one", err)
	_, err = w.send(msg(ref(0), lit(half), call(0, "hold", 1)))
	wantOK(t, "a large one that leaves", err)
	if err := w.s.Finish(context.Background(), Null(), nil); err != nil || len(*kept) != 2 || !strings.HasPrefix((*kept)[0], "[too large]xx") || len((*kept)[1]) != 100_006 {
		t.Errorf("%v %d", err, len(*kept))
	}
	if got := joined([]Value{Text("xxxx"), Text("y")}, 4); got != "[too large]" {
		t.Error(got)
	}
	if got := joined([]Value{Text("xxxx")}, 4); got != "xxxx" {
		t.Error(got)
	}
}

// TestComposeJudged: a policy that looks at the parts may refuse by them, so the run has read them, and has the text as it is.
func TestComposeJudged(t *testing.T) {
	w, cells, _ := composeWorld(t, func(o Object) Object {
		return Wrap(o, Policy{Before: func(*Message) bool { return true }})
	})
	v, err := w.send(msg(ref(1), lit(List(Text("Dear "), cells[0])), call(0, "text", 1)))
	if err != nil || v.Text() != "Dear secret" || w.s.Label().String() != "{diary}" {
		t.Errorf("%v %v %v", v, err, w.s.Label())
	}
}

// TestComposedIsBounded: what is kept of all sealed texts of a run.
func TestComposedIsBounded(t *testing.T) {
	w, cells, _ := composeWorld(t, nil)
	part, n := Text(strings.Repeat("x", 200_000)), 0
	for ; n < 200; n++ {
		if _, err := w.send(msg(ref(1), lit(List(cells[0], part)), call(0, "text", 1))); err != nil {
			wantKind(t, "too many", err, Limit)
			break
		}
	}
	if n < 70 || n > 90 { // 16 MiB
		t.Errorf("%d texts", n)
	}
}
