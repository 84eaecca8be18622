package exo

import (
	"context"
	"errors"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"slices"
	"strings"
	"testing"
)

// TestReads: what a message reads of a labelled field, and what it only shows.
func TestReads(t *testing.T) {
	where := func(ns ...message.WireNode) []message.WireNode {
		return append([]message.WireNode{ref(todosID), param(0, "where", 0), fld(1, "todo")}, ns...)
	}
	for _, c := range []struct {
		what         string
		x            message.Expr
		reads, shows string
	}{
		{"selected", shown(), "{}", "{diary}"},
		{"beside another", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "diary"), fld(2, "title"), record([]string{"a", "b"}, 3, 4), record([]string{"deep"}, 5), lam(1, 6), call(0, "select", 7), call(8, "execute")), "{}", "{diary}"},
		{"whole rows", msg(ref(todosID), call(0, "execute")), "{}", "{diary}"},
		{"a whole row selected", msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), record([]string{"a"}, 2), lam(1, 3), call(0, "select", 4), call(5, "execute")), "{}", "{diary}"},
		{"another column", titles(), "{}", "{}"},
		{"compared in a selection", diaries(), "{diary}", "{}"},
		{"a condition", msg(where(fld(2, "diary"), txt("x"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "count"))...), "{diary}", "{}"},
		{"the other side of one", msg(where(fld(2, "title"), fld(2, "diary"), call(3, "eq", 4), lam(1, 5), call(0, "where", 6), call(7, "count"))...), "{diary}", "{}"},
		{"an order", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "diary"), lam(1, 3), call(0, "orderBy", 4), call(5, "count")), "{diary}", "{}"},
		{"one of several orders", msg(ref(todosID), param(0, "orderBy", 0), fld(1, "todo"), fld(2, "id"), fld(2, "diary"), list(3, 4), lam(1, 5), call(0, "orderBy", 6), call(7, "count")), "{diary}", "{}"},
		{"counted", msg(ref(todosID), call(0, "count")), "{}", "{}"},
		{"narrowed", msg(ref(todosID), lit(value.Int(3)), call(0, "limit", 1), call(2, "count")), "{}", "{}"},
		{"joined", msg(ref(usersID), ref(todosID), call(0, "join", 1), call(2, "execute")), "{}", "{}"},
		{"selected of a join", msg(ref(usersID), ref(todosID), call(0, "join", 1), param(2, "select", 0), fld(3, "todo"), fld(4, "diary"), record([]string{"d"}, 5), lam(3, 6), call(2, "select", 7), call(8, "execute")), "{}", "{diary}"},
	} {
		m, err := checker().Check(c.x)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if shows := checker().Catalog.Shows(m.Root.Type).String(); m.Label.String() != c.reads || shows != c.shows {
			t.Errorf("%s: reads %v and shows %v, want %s and %s", c.what, m.Label, shows, c.reads, c.shows)
		}
	}
}

// TestSealing: each labelled cell is sealed, NULL too, and what is not as its type says is sealed whole.
func TestSealing(t *testing.T) {
	cat := checker().Catalog
	rowType := &message.Type{Name: "Todo"}
	listOf := func(t *message.Type) *message.Type {
		return &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": t}}
	}
	row := value.RecordValue(value.Field{Name: "id", Value: value.Int(1)}, value.Field{Name: "diary", Value: value.Null()}, value.Field{Name: "title", Value: value.Text("t")})
	b := value.NewRowsBuilder(&value.Shape{Names: []string{"title", "diary"}})
	for _, s := range []string{"t", "secret", "u", "other"} {
		b.Add(value.Text(s))
	}
	nested := &value.Rows{Shape: &value.Shape{Names: []string{"a", "t"}, Subs: []*value.Shape{{Names: []string{"id", "diary"}}, nil}}, Cells: []value.Value{value.Int(1), value.Text("secret"), value.Text("t")}}
	selected := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "a", Type: rowType}, {Name: "t", Type: column("Text", value.TypeText)}}}
	text := &message.Type{Name: value.TypeText}
	page := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "n", Type: &message.Type{Name: value.TypeInt}}, {Name: "by", Type: text, Label: value.NewLabel("diary")},
		{Name: "in", Type: &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "all", Type: listOf(text), Label: value.NewLabel("diary")}}}}}}
	in := value.Field{Name: "in", Value: value.RecordValue(value.Field{Name: "all", Value: value.List(value.Text("a"), value.Text("b"))})}
	for _, c := range []struct {
		what  string
		t     *message.Type
		v     value.Value
		want  string
		cells int
	}{
		{"a labelled field", page, value.RecordValue(value.Field{Name: "n", Value: value.Int(1)}, value.Field{Name: "by", Value: value.Null()}, in), `{"n":1,"by":"[sealed diary]","in":{"all":"[sealed diary]"}}`, 2},
		{"of items", listOf(page), value.List(value.RecordValue(value.Field{Name: "by", Value: value.Text("x")}, in)), `[{"by":"[sealed diary]","in":{"all":"[sealed diary]"}}]`, 2},
		{"a labelled field that is left out", page, value.RecordValue(value.Field{Name: "n", Value: value.Int(1)}, in), `"[sealed diary]"`, 1},
		{"of a part, too", &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "in", Type: listOf(page), Label: value.NewLabel("pii")}}}, value.RecordValue(value.Field{Name: "in", Value: value.List()}), `{"in":"[sealed diary, pii]"}`, 1},
		{"a row", rowType, row, `{"id":1,"diary":"[sealed diary]","title":"t"}`, 1},
		{"rows", listOf(rowType), value.RowsValue(b.Rows()), `[{"title":"t","diary":"[sealed diary]"},{"title":"u","diary":"[sealed diary]"}]`, 2},
		{"rows in records", listOf(selected), value.RowsValue(nested), `[{"a":{"id":1,"diary":"[sealed diary]"},"t":"t"}]`, 1},
		{"a list", listOf(rowType), value.List(row, value.Null()), `[{"id":1,"diary":"[sealed diary]","title":"t"},null]`, 1},
		{"no row", rowType, value.Null(), `null`, 0},
		{"values alone", listOf(withLabel(column("Text", value.TypeText), value.NewLabel("diary"))), value.List(value.Text("a"), value.Null()), `["[sealed diary]","[sealed diary]"]`, 2},
		{"a field that its type has not", rowType, value.RecordValue(value.Field{Name: "id", Value: value.Int(1)}, value.Field{Name: "extra", Value: value.Text("secret")}), `"[sealed diary]"`, 1},
		{"a text where rows are due", listOf(rowType), value.Text("secret"), `"[sealed diary]"`, 1},
		{"rows of another shape", listOf(rowType), value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"extra"}}, Cells: []value.Value{value.Text("secret")}}), `"[sealed diary]"`, 1},
		{"a record for a list", listOf(rowType), row, `"[sealed diary]"`, 1},
		{"nothing labelled", &message.Type{Name: "User"}, value.RecordValue(value.Field{Name: "name", Value: value.Text("x")}), `{"name":"x"}`, 0},
	} {
		s := &sealing{catalog: cat}
		got := s.value(c.t, c.v)
		text, err := got.AppendJSON(nil)
		if err != nil || string(text) != c.want || len(s.cells) != c.cells || c.v.HoldsSealed() {
			t.Errorf("%s: %s %v, %d cells", c.what, text, err, len(s.cells))
		}
		open := &sealing{catalog: cat, open: value.NewLabel("diary", "pii")}
		if v := open.value(c.t, c.v); len(open.cells) > 0 || v.HoldsSealed() {
			t.Errorf("%s: sealed though the run has the label", c.what)
		}
	}
}

// diaryWorld is a run that was shown the diary of two rows, sealed.
func diaryWorld(t *testing.T, cfg Config) (w *world, cells []value.Value) {
	t.Helper()
	w = newWorld(t, cfg)
	w.todos.eval = func(context.Context, *Message) (value.Value, error) {
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")}), value.RecordValue(value.Field{Name: "title", Value: value.Null()})), nil
	}
	v, err := w.send(shown())
	wantOK(t, "shown", err)
	for i := range v.Len() {
		c, _ := v.At(i).Get("title")
		if l, ok := c.Sealed(); !ok || l.String() != "{diary}" || c.Type() != value.TypeSealed || c.Text() != "" || c.String() != "[sealed diary]" {
			t.Fatalf("%v", v)
		}
		cells = append(cells, c)
	}
	if !w.s.Label().Empty() {
		t.Fatal(w.s.Label())
	}
	return w, cells
}

// TestForgedSealed: a guest names sealed values that it was not given, or as what they are not; in arguments, within
// others, and in results.
func TestForgedSealed(t *testing.T) {
	w, cells := diaryWorld(t, Config{Admits: value.NewLabel("diary")})
	number, diary := cells[0].Number(), value.NewLabel("diary")
	if v, l, err := w.s.Unseal(value.List(cells[0])); err != nil || v.At(0).Text() != "secret" || l.String() != "{diary}" {
		t.Fatal(v, l, err)
	}
	for what, x := range map[string]value.Value{
		"too large": value.NewSealed(2, value.TypeText, diary), "another type": value.NewSealed(number, value.TypeInt, diary), "data": value.NewSealed(number, value.TypeData, diary),
		"public": value.NewSealed(number, value.TypeText, value.Label{}), "more tags": value.NewSealed(number, value.TypeText, value.NewLabel("diary", "x")), "another tag": value.NewSealed(number, value.TypeText, value.NewLabel("other")),
	} {
		for how, v := range map[string]value.Value{"alone": x, "in a list": value.List(value.Int(1), x), "in a record": value.RecordValue(value.Field{Name: "a", Value: value.List(x)})} {
			asked := w.asked()
			_, err := w.send(msg(ref(mailID), lit(v), call(0, "put", 1)))
			if w.asked() != asked {
				t.Errorf("%s, %s: an object was asked", what, how)
			}
			wantKind(t, what+", "+how, err, fail.Denied)
			got, _, err := w.s.Unseal(value.List(v))
			wantKind(t, what+", "+how+", in a result", err, fail.Denied)
			if !got.IsZero() {
				t.Errorf("%s, %s: %v", what, how, got)
			}
		}
		rows := value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a"}}, Cells: []value.Value{x}})
		_, _, err := w.s.Unseal(rows)
		wantKind(t, what+", in rows of a result", err, fail.Denied)
	}
	if !w.s.Label().Empty() {
		t.Error(w.s.Label())
	}
	w.open() // another run has no such value
	_, err := w.send(msg(ref(mailID), lit(cells[0]), call(0, "put", 1)))
	wantKind(t, "of another run", err, fail.Denied)
}

// TestSealedNumbers: numbers are given when replies are delivered, in the order of the calls, however fast each was.
func TestSealedNumbers(t *testing.T) {
	w := newWorld(t, Config{})
	first := make(chan struct{})
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if m.entry.id == 1 {
			<-first
		}
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Int(int64(m.entry.id))})), nil
	}
	w.submit(shown())
	w.submit(shown())
	// The second has answered, maybe, and is not delivered: its value has no number yet.
	guess := value.NewSealed(0, value.TypeText, value.NewLabel("diary"))
	w.submit(msg(ref(mailID), lit(guess), call(0, "put", 1)))
	close(first)
	for want := range uint32(2) {
		v, err := w.next()
		wantOK(t, "shown", err)
		c, _ := v.At(0).Get("title")
		if c.Number() != want || w.s.contents[want].plain.Int() != int64(want)+1 {
			t.Errorf("number %d: %v %v", want, c.Number(), w.s.contents)
		}
	}
	_, err := w.next()
	wantKind(t, "a value that was not delivered", err, fail.Denied)
}

// TestSealedIsOpened: whatever a value is passed to but a held effect has the content, and the run the label, also where it is refused.
func TestSealedIsOpened(t *testing.T) {
	w, cells := diaryWorld(t, Config{})
	var got value.Value
	w.mail.eval = func(_ context.Context, m *Message) (value.Value, error) {
		got = m.Root.Args[0].Lit
		return value.Int(1), nil
	}
	_, err := w.send(msg(ref(mailID), lit(value.List(cells[0], cells[1])), call(0, "put", 1)))
	wantOK(t, "put", err)
	if got.At(0).Text() != "secret" || !got.At(1).IsNull() || w.s.Label().String() != "{diary}" {
		t.Error(got, w.s.Label())
	}
	for what, x := range map[string]message.Expr{
		"a sink that does not admit": msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: cells[0]})), call(0, "send", 1)),
		"NULL where a text is due":   msg(ref(mailID), lit(value.RecordValue(value.Field{Name: "to", Value: cells[1]})), call(0, "sendDiary", 1)),
	} {
		w, again := diaryWorld(t, Config{})
		_, err := w.send(x)
		if kind := fail.KindOf(err); kind != fail.Denied && kind != fail.Invalid || w.s.Label().String() != "{diary}" || w.mail.asked() > 0 || len(again) != 2 {
			t.Errorf("%s: %v, label %v", what, err, w.s.Label())
		}
	}
	w, cells = diaryWorld(t, Config{})
	_, err = w.send(msg(ref(todosID), lit(cells[0]), call(0, "sample", 1), call(2, "count")))
	wantKind(t, "a static parameter", err, fail.Invalid)
}

// keeper has a held method that admits labels, and notes what it is asked before that acts.
func keeper(admits value.Label, keep func(value.Value) error) *keeperFake {
	f := &keeperFake{fake: &fake{desc: message.Description{Type: &message.Type{Name: "Keeper"}, Interfaces: []*message.Interface{iface("Keeper", nil, false,
		&message.Method{Name: "keep", Sends: true, Sink: true, Effect: message.Held, Admits: admits, Params: []message.Param{{Name: "the text", Want: con(value.TypeText)}}, Result: &message.Term{Con: message.Receipt()}})}}}}
	f.eval = func(_ context.Context, m *Message) (value.Value, error) {
		return value.Null(), keep(m.Root.Args[0].Lit)
	}
	return f
}

type keeperFake struct {
	*fake
	validated []string
	seen      []value.Value
}

func (f *keeperFake) Validate(m *Message) error {
	f.validated = append(f.validated, m.Root.Args[0].Lit.String())
	return nil
}

// Admits is what the method admits, whatever it is called with.
func (f *keeperFake) Admits(m *Message) value.Label {
	f.seen = append(f.seen, m.Root.Args[0].Lit)
	return value.NewLabel("diary", "other")
}

// TestSealedHeld: a held effect has sealed values until it acts, and its sink admits them; the run has no label of them.
func TestSealedHeld(t *testing.T) {
	for _, c := range []struct {
		what   string
		admits value.Label
		cell   int
		wrap   func(Object) Object
		fails  error
		kind   fail.Kind // at once
		state  State
		kept   string
		label  string
	}{
		{what: "admitted", admits: value.NewLabel("diary"), state: StateApplied, kept: "secret", label: "{}"},
		{what: "not admitted", admits: value.NewLabel("other"), kind: fail.Denied, label: "{}"},
		{what: "NULL where a text is due", admits: value.NewLabel("diary"), cell: 1, state: StateFailed, label: "{}"},
		{what: "fails", admits: value.NewLabel("diary"), fails: errors.New("no"), state: StateUnknown, kept: "secret", label: "{}"},
		{what: "a policy that may refuse", admits: value.NewLabel("diary"), wrap: func(o Object) Object { return Wrap(o, Policy{Before: func(*Message) bool { return true }}) }, state: StateApplied, kept: "secret", label: "{diary}"},
		{what: "a policy that only looks", admits: value.NewLabel("diary"), wrap: func(o Object) Object { return Wrap(o, Policy{After: func(*Message, value.Value, error) {}}) }, state: StateApplied, kept: "secret", label: "{}"},
	} {
		kept := ""
		f := keeper(c.admits, func(v value.Value) error { kept = v.Text(); return c.fails })
		var o Object = f
		if c.wrap != nil {
			o = c.wrap(f)
		}
		todos := newTodos()
		w := newWorld(t, Config{Admits: value.NewLabel("diary"), Grants: map[string]Object{"keep": o, "todos": todos}})
		todos.eval = func(context.Context, *Message) (value.Value, error) {
			return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")}), value.RecordValue(value.Field{Name: "title", Value: value.Null()})), nil
		}
		x := shown()
		x.Nodes[0] = ref(1)
		v, err := w.send(x)
		wantOK(t, c.what, err)
		cell, _ := v.At(c.cell).Get("title")
		got, err := w.send(msg(ref(0), lit(cell), call(0, "keep", 1)))
		if fail.KindOf(err) != c.kind {
			t.Errorf("%s: %v", c.what, err)
		}
		if w.s.Label().String() != c.label || kept != "" {
			t.Errorf("%s: label %v, kept %q already", c.what, w.s.Label(), kept)
		}
		if c.kind == fail.Other && got.HoldsSealed() {
			t.Errorf("%s: %v", c.what, got)
		}
		err = w.s.Finish(t.Context(), value.Null(), nil)
		wantOK(t, c.what, err)
		if kept != c.kept {
			t.Errorf("%s: kept %q", c.what, kept)
		}
		effects := w.s.Effects()
		if c.kind == fail.Other && (len(effects) != 1 || effects[0].State != c.state || effects[0].Sealed != (c.label == "{}")) {
			t.Errorf("%s: %+v", c.what, effects)
		}
		if c.label == "{}" && len(f.validated) > 0 {
			t.Errorf("%s: validated by %v", c.what, f.validated)
		}
		if slices.ContainsFunc(f.seen, func(v value.Value) bool { return !v.IsZero() }) {
			t.Errorf("%s: what a sink admits is decided by %v", c.what, f.seen)
		}
	}
}

// TestSealedIsRecorded: the digest of a reply is of what was read: two runs that read other values went other ways.
func TestSealedIsRecorded(t *testing.T) {
	digests := map[value.Digest]bool{}
	for _, s := range []string{"a", "b", "a"} {
		w := newWorld(t, Config{})
		w.todos.eval = func(context.Context, *Message) (value.Value, error) {
			return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text(s)})), nil
		}
		w.send(shown())
		digests[w.events[1].Digest] = true
	}
	if len(digests) != 2 {
		t.Errorf("%d digests", len(digests))
	}
}

// TestPlainWhereAdmitted: with nothing but a result that leaves, and that admits the label, nothing is sealed.
func TestPlainWhereAdmitted(t *testing.T) {
	todos := newTodos()
	for _, i := range todos.desc.Interfaces {
		if m := i.Methods["remove"]; m != nil {
			delete(i.Methods, "remove")
			i.Order = slices.DeleteFunc(i.Order, func(n string) bool { return n == "remove" })
		}
	}
	todos.eval = func(context.Context, *Message) (value.Value, error) {
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")})), nil
	}
	for _, c := range []struct {
		admits value.Label
		seals  string
	}{{value.NewLabel("diary"), "{}"}, {value.NewLabel("other"), "{diary}"}, {value.Label{}, "{diary}"}} {
		w := newWorld(t, Config{Admits: c.admits, Grants: map[string]Object{"mail": todos}})
		x := shown()
		x.Nodes[0] = ref(0)
		v, err := w.send(x)
		wantOK(t, "shown", err)
		if sealed := c.seals != "{}"; v.HoldsSealed() != sealed || w.gate.SealedLabel().String() != c.seals || w.s.Label().Empty() != sealed {
			t.Errorf("admits %v: %v, label %v, seals %v", c.admits, v, w.s.Label(), w.gate.SealedLabel())
		}
		result, l, err := w.s.Unseal(v)
		wantOK(t, "the result", err)
		if text, _ := result.AppendJSON(nil); c.seals != "{}" && (!strings.Contains(string(text), "[sealed diary]") || !l.Empty()) {
			t.Errorf("%s %v", text, l)
		}
	}
}
