package exo

import (
	"context"
	"fmt"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestLabelKinds: the spelling of a tag says of which kind it is.
func TestLabelKinds(t *testing.T) {
	l := value.NewLabel("pii", "untrusted", "untrusted:mail", "untrustedness", "un", "Untrusted")
	if s, i := l.Secrecy(), l.Integrity(); s.String() != "{Untrusted,pii,un,untrustedness}" || i.String() != "{untrusted,untrusted:mail}" || !s.Join(i).Equal(l) {
		t.Error(s, i)
	}
	if l := (value.Label{}); !l.Secrecy().Empty() || !l.Integrity().Empty() {
		t.Error("public")
	}
}

// notesWorld has rows with what outsiders wrote, what is secret, and what is both; and ways out.
func notesWorld(t *testing.T, cfg Config) *world {
	t.Helper()
	both := value.NewLabel("pii", value.Untrusted)
	row := iface("Note", []string{value.TypeRow}, false)
	for name, l := range map[string]value.Label{"id": {}, "text": value.NewLabel(value.Untrusted), "from": both, "mail": value.NewLabel("pii")} {
		row.Fields[name] = &message.Property{Type: &message.Type{Name: value.TypeText}, Label: l}
	}
	only := func(name string) *message.Type {
		return &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: name, Type: &message.Type{Name: value.TypeText}, Label: row.Fields[name].Label}}}
	}
	notes := iface("Notes", nil, false, &message.Method{Name: "all", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": {Name: "Note"}}}}},
		&message.Method{Name: "sealed", Sends: true, Result: &message.Term{Con: only("mail")}},
		&message.Method{Name: "count", Label: value.NewLabel(value.Untrusted), Sends: true, Result: con(value.TypeInt)})
	for name := range row.Fields {
		notes.Methods[name] = &message.Method{Name: name, Sends: true, Reply: row.Fields[name].Label, Result: &message.Term{Con: only(name)}}
		notes.Order = append(notes.Order, name)
	}
	arg := []message.Param{{Name: "the letter", Want: &message.Term{Con: &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "to", Type: &message.Type{Name: value.TypeText}, Opt: true, Trusted: true}, {Name: "text", Type: &message.Type{Name: value.TypeText}}}}}}}
	out := iface("Out", nil, false,
		&message.Method{Name: "hold", Sends: true, Sink: true, Effect: message.Held, Admits: value.NewLabel("pii"), Params: arg, Result: &message.Term{Con: message.Receipt()}},
		&message.Method{Name: "holdAny", Sends: true, Sink: true, Effect: message.Held, Admits: both, Params: arg, Result: &message.Term{Con: message.Receipt()}},
		&message.Method{Name: "act", Sends: true, Sink: true, Effect: message.Immediate, Admits: value.NewLabel("pii"), Params: arg, Result: con(value.TypeInt)},
		&message.Method{Name: "actAny", Sends: true, Sink: true, Effect: message.Immediate, Admits: both, Params: arg, Result: con(value.TypeInt)},
		&message.Method{Name: "ask", Sends: true, Sink: true, Params: []message.Param{{Name: "the text", Want: con(value.TypeText)}}, Result: con(value.TypeInt)})
	w := &world{t: t}
	w.todos = &fake{desc: message.Description{Type: &message.Type{Name: "Notes"}, Interfaces: []*message.Interface{notes, row}}}
	w.mail = &fake{desc: message.Description{Type: &message.Type{Name: "Out"}, Interfaces: []*message.Interface{out}}}
	w.users = newUsers()
	w.todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		cell := func(name string) value.Field { return value.Field{Name: name, Value: value.Text(name + "!")} }
		switch m.Root.Name {
		case "all":
			return value.List(value.RecordValue(cell("id"), cell("text"), cell("from"), cell("mail"))), nil
		case "count":
			return value.Int(1), nil
		case "sealed":
			return value.RecordValue(cell("mail")), nil
		}
		return value.RecordValue(cell(m.Root.Name)), nil
	}
	cfg.Grants, cfg.Record = map[string]Object{"out": w.mail, "notes": w.todos}, Unrecorded
	var err error
	if w.gate, err = NewGate(cfg); err != nil {
		t.Fatal(err)
	}
	w.open()
	return w
}

const notesID, outID = 0, 1

func letter(fields ...value.Field) []message.WireNode {
	return []message.WireNode{ref(outID), lit(value.RecordValue(fields...))}
}

// TestDistrust: what a run may ask for that has read what outsiders wrote.
func TestDistrust(t *testing.T) {
	text, to := value.Field{Name: "text", Value: value.Text("x")}, value.Field{Name: "to", Value: value.Text("ann")}
	for _, read := range []string{"", "id", "text", "count", "all"} {
		tainted := read == "text" || read == "count" || read == "all"
		for _, ask := range []string{"hold", "holdAny", "act", "actAny"} {
			for _, with := range [][]value.Field{{text}, {to, text}} {
				w := notesWorld(t, Config{})
				if read != "" {
					_, err := w.send(msg(ref(notesID), call(0, read)))
					wantOK(t, read, err)
				}
				_, err := w.send(message.Expr{Nodes: append(letter(with...), call(0, ask, 1))})
				refused := tainted && (!strings.HasSuffix(ask, "Any") || len(with) == 2)
				if (err != nil) != refused || w.mail.asked() != map[bool]int{true: 1}[!refused && strings.HasPrefix(ask, "act")] {
					t.Errorf("after %q, %s with %d fields: %v; asked %d", read, ask, len(with), err, w.mail.asked())
				}
				if refused && (fail.KindOf(err) != fail.Denied || !strings.Contains(err.Error(), "outsiders wrote (untrusted, by notes.") || strings.HasSuffix(ask, "Any") != strings.Contains(err.Error(), "they could have chosen `to`")) {
					t.Error(err)
				}
				// It reads, asks what changes nothing, logs and answers as before.
				_, err = w.send(msg(ref(outID), lit(value.Text("x")), call(0, "ask", 1)))
				wantOK(t, "a read that leaves the host", err)
				_, err = w.send(msg(ref(notesID), call(0, "all")))
				wantOK(t, "a read", err)
				if err := w.s.Log(Line{Text: "line"}); err != nil || !strings.Contains(w.s.Console(), "line") {
					t.Error("the console is withheld", err)
				}
				wantOK(t, "the result", w.s.Release())
			}
		}
	}
}

// TestFresh: what a message adds makes the run wary of what its method declares, and of nothing else that it shows; a secret in it stays one.
// The twin is the same method when it is not fresh.
func TestFresh(t *testing.T) {
	for _, c := range []struct {
		fresh        bool
		reply        value.Label
		leaves, all  bool
		admits, want string
	}{
		{fresh: true, leaves: true, want: "{}"}, {leaves: true, want: "{untrusted}"},
		{fresh: true, leaves: true, reply: value.NewLabel("untrusted:mail"), want: "{untrusted:mail}"},
		{fresh: true, leaves: true, all: true, want: "{}"}, {leaves: true, all: true, want: "{untrusted}"},
		{fresh: true, leaves: true, all: true, admits: "pii", want: "{}"},
	} {
		w := notesWorld(t, Config{})
		notes := w.todos.desc.Interfaces[0]
		name := map[bool]string{true: "all", false: "text"}[c.all]
		m := notes.Methods[name]
		m.Effect, m.Reply, m.Fresh = message.Immediate, c.reply, c.fresh
		g, err := NewGate(Config{Grants: map[string]Object{"notes": w.todos, "out": w.mail}, Record: Unrecorded, Admits: value.NewLabel(strings.Fields(c.admits)...)})
		if err != nil {
			t.Fatal(err)
		}
		w.gate = g
		w.open()
		v, err := w.send(msg(ref(notesID), call(0, name)))
		wantOK(t, name, err)
		if got := w.s.Label().String(); got != c.want || c.all != v.HoldsSealed() {
			t.Errorf("%+v: the run has %s, shown %v", c, got, v)
		}
	}
}

// TestDistrustBegun: a program that was only written from what outsiders wrote is told so: no other program does better.
func TestDistrustBegun(t *testing.T) {
	w := notesWorld(t, Config{})
	s, err := w.gate.Begin(t.Context(), Run{Label: value.NewLabel(value.Untrusted)}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Finish(t.Context(), value.Null(), nil) })
	w.s, w.last = s, 0
	_, err = w.send(message.Expr{Nodes: append(letter(value.Field{Name: "text", Value: value.Text("x")}), call(0, "hold", 1))})
	if text := fail.GuestText(err); fail.KindOf(err) != fail.Denied || !strings.Contains(text, "this program was written by a model that has read what outsiders wrote (untrusted)") || strings.Contains(text, "program of its own") {
		t.Error(err)
	}
}

// TestDistrustLater: what was asked for before the run read anything is not undone by what it read.
func TestDistrustLater(t *testing.T) {
	w := notesWorld(t, Config{})
	_, err := w.send(message.Expr{Nodes: append(letter(value.Field{Name: "text", Value: value.Text("x")}), call(0, "hold", 1))})
	wantOK(t, "asked", err)
	_, err = w.send(msg(ref(notesID), call(0, "text")))
	wantOK(t, "read", err)
	if err := w.s.Finish(context.Background(), value.Int(1), nil); err != nil || w.mail.asked() != 1 {
		t.Error(err, w.mail.asked())
	}
}

// TestDistrustSealed: a sealed value that outsiders wrote taints where it goes, and not who holds it; and what is
// shown beside one taints.
func TestDistrustSealed(t *testing.T) {
	for _, c := range []struct{ read, label, shows string }{
		{"id", "{}", `{"id":"id!"}`}, {"text", "{untrusted}", `{"text":"text!"}`}, {"mail", "{}", `{"mail":"[sealed pii]"}`}, {"from", "{}", `{"from":"[sealed pii, untrusted]"}`},
	} {
		w := notesWorld(t, Config{})
		for _, m := range w.gate.Catalog()["Notes"].Methods {
			m.Reply = value.Label{} // what the type shows decides
		}
		v, err := w.send(msg(ref(notesID), call(0, c.read)))
		text, _ := v.AppendJSON(nil)
		if err != nil || string(text) != c.shows || w.s.Label().String() != c.label {
			t.Errorf("%s: %s %v, label %v", c.read, text, err, w.s.Label())
		}
		if _, l, err := w.s.Unseal(v); err != nil || !l.Empty() {
			t.Errorf("%s: the result has %v of what stays sealed: %v", c.read, l, err)
		}
		cell, _ := v.Get(c.read)
		for _, ask := range []string{"hold", "holdAny"} {
			_, err = w.send(message.Expr{Nodes: append(letter(value.Field{Name: "text", Value: cell}), call(0, ask, 1))})
			if refused := ask == "hold" && (c.read == "text" || c.read == "from"); (err != nil) != refused {
				t.Errorf("%s to %s: %v", c.read, ask, err)
			}
			_, err = w.send(message.Expr{Nodes: append(letter(value.Field{Name: "to", Value: cell}, value.Field{Name: "text", Value: value.Text("x")}), call(0, ask, 1))})
			if refused := c.read == "text" || c.read == "from"; (err != nil) != refused {
				t.Errorf("%s as recipient of %s: %v", c.read, ask, err)
			}
		}
	}
	w := notesWorld(t, Config{Admits: value.NewLabel("pii")}) // the gate has effects: pii is sealed all the same
	v, err := w.send(msg(ref(notesID), call(0, "all")))
	text, _ := v.AppendJSON(nil)
	if err != nil || w.s.Label().String() != "{untrusted}" || string(text) != `[{"id":"id!","text":"text!","from":"[sealed pii, untrusted]","mail":"[sealed pii]"}]` {
		t.Errorf("%s %v %v", text, err, w.s.Label())
	}
	v, l, err := w.s.Unseal(v)
	text, _ = v.AppendJSON(nil)
	if err != nil || l.String() != "{pii,untrusted}" || string(text) != `[{"id":"id!","text":"text!","from":"from!","mail":"mail!"}]` {
		t.Errorf("%s %v %v", text, l, err)
	}
	if s := w.gate.SealedLabel(); s.String() != "{pii}" {
		t.Error(s)
	}
}

// TestDemands: each way of giving a field that demands trust is seen.
func TestDemands(t *testing.T) {
	text := &message.Type{Name: value.TypeText}
	rec := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "a", Type: text}, {Name: "t", Type: text, Opt: true, Trusted: true}}}
	deep := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "a", Type: text}, {Name: "in", Type: rec, Opt: true}}}
	list := func(t *message.Type) *message.Type {
		return &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": t}}
	}
	r := func(names ...string) value.Value {
		var fs []value.Field
		for _, n := range names {
			fs = append(fs, value.Field{Name: n, Value: value.Text("x")})
		}
		return value.RecordValue(fs...)
	}
	node := func(names ...string) *message.Node {
		n := &message.Node{Op: message.OpRecord, Names: names}
		for range names {
			n.Args = append(n.Args, &message.Node{Op: message.OpField, Name: "f", Type: text})
		}
		return n
	}
	l := func(v value.Value) *message.Node { return &message.Node{Op: message.OpLit, Lit: v} }
	in := &message.Node{Op: message.OpRecord, Names: []string{"in"}, Args: []*message.Node{node("t")}}
	for _, c := range []struct {
		what string
		t    *message.Type
		n    *message.Node
		want string
	}{
		{"left out", rec, l(r("a")), ""}, {"given", rec, l(r("a", "t")), "t"}, {"nothing to demand", text, l(value.Text("x")), ""}, {"null for it", rec, l(value.RecordValue(value.Field{Name: "t", Value: value.Null()})), "t"},
		{"no argument", rec, l(value.Null()), ""}, {"in a list", list(rec), l(value.List(r("a"), r("t"))), "t"}, {"in no item", list(rec), l(value.List(r("a"), r("a"))), ""},
		{"within", deep, l(value.RecordValue(value.Field{Name: "in", Value: r("t")})), "t"}, {"not within", deep, l(value.RecordValue(value.Field{Name: "in", Value: r("a")}, value.Field{Name: "a", Value: value.Text("x")})), ""},
		{"calculated", rec, node("a", "t"), "t"}, {"another calculated", rec, node("a"), ""}, {"of a callback", rec, &message.Node{Op: message.OpLambda, Args: []*message.Node{node("t")}}, "t"}, {"another of a callback", rec, &message.Node{Op: message.OpLambda, Args: []*message.Node{node("a")}}, ""},
		{"a list of calculated", list(rec), &message.Node{Op: message.OpList, Args: []*message.Node{node("a"), node("t")}}, "t"}, {"a list of others", list(rec), &message.Node{Op: message.OpList, Args: []*message.Node{node("a")}}, ""}, {"calculated within", deep, in, "t"},
		{"who knows", rec, &message.Node{Op: message.OpField}, "t"}, {"sealed", rec, l(value.NewSealed(0, value.TypeText, value.NewLabel("a"))), "t"}, {"sealed items", list(rec), l(value.NewSealed(0, value.TypeText, value.NewLabel("a"))), "t"}, {"rows", list(rec), l(value.RowsValue(&value.Rows{})), "t"},
	} {
		if got := message.Demands(c.t, c.n); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestFlows: what Flows says of each tag and way is what happens.
func TestFlows(t *testing.T) {
	for _, admits := range []value.Label{{}, value.NewLabel("pii")} {
		w := notesWorld(t, Config{Admits: admits})
		flows := w.gate.Flows()
		if len(flows) != 2*(1+5) || len((*Gate)(nil).Flows()) != 0 {
			t.Fatalf("%v", flows)
		}
		for _, f := range flows {
			column := map[string]string{"pii": "mail", value.Untrusted: "text"}[f.Tag]
			if len(f.From) == 0 || f.How == "" {
				t.Errorf("%+v", f)
			}
			w.open()
			from := column
			if f.Tag == "pii" && strings.Contains(f.How, "as a sealed value") {
				from = "sealed"
			}
			v, err := w.send(msg(ref(notesID), call(0, from)))
			wantOK(t, column, err)
			cell, _ := v.Get(column)
			name, method := "", f.To
			if f.To != ResultFlow {
				name, method, _ = strings.Cut(f.To, ".")
			}
			switch {
			case name == "":
				got, _, err := w.s.Unseal(cell)
				if may := err == nil && got.Type() == value.TypeText && w.s.Release() == nil; may != f.May {
					t.Errorf("%+v: %v %v", f, got, err)
				}
				continue
			case name != "out":
				t.Fatalf("%+v", f)
			case method == "ask":
				_, err = w.send(msg(ref(outID), lit(cell), call(0, "ask", 1)))
			default:
				_, err = w.send(message.Expr{Nodes: append(letter(value.Field{Name: "text", Value: cell}), call(0, method, 1))})
			}
			if (err == nil) != f.May {
				t.Errorf("%+v: %v", f, err)
			}
			if strings.HasSuffix(method, "Any") && f.Tag == value.Untrusted != strings.HasSuffix(f.How, "; not by to") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// storedFake is a fake that changes a store.
type storedFake struct{ *fake }

func (storedFake) UnitKey() any { return "db" }

// TestFlowOfWrites: of a write Flows says which key lets it, and what of two readers leaves; a row that comes back is no source of what the
// program gave.
func TestFlowOfWrites(t *testing.T) {
	values := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "note", Opt: true, Type: &message.Type{Name: value.TypeText}}, {Name: "owner", Opt: true, Trusted: true, Type: &message.Type{Name: value.TypeText}}}}
	for _, admits := range []string{"", "pii@member:1 pii@member:2"} {
		w := notesWorld(t, Config{})
		notes, row := w.todos.desc.Interfaces[0], w.todos.desc.Interfaces[1]
		row.Fields["from"].Label = value.NewLabel(value.Untrusted)
		if row.Fields["mail"].Label = value.NewLabel("pii"); admits != "" {
			row.Fields["mail"].Label = value.NewLabel("pii@member")
		}
		int := con(value.TypeInt)
		notes.Methods = map[string]*message.Method{"all": notes.Methods["all"],
			"insert": {Name: "insert", Sends: true, Effect: message.InUnit, Fresh: true, Params: []message.Param{{Name: "the row", Want: &message.Term{Con: values}}}, Result: &message.Term{Con: &message.Type{Name: "Note"}}},
			"update": {Name: "update", Sends: true, Effect: message.InUnit, Params: []message.Param{{Name: "the values", Want: &message.Term{Con: values}, Lambda: con(value.TypeData), Plain: true}}, Result: int},
			"delete": {Name: "delete", Sends: true, Effect: message.InUnit, Trusted: true, Result: int},
			"purge":  {Name: "purge", Sends: true, Effect: message.InUnit, Admits: value.NewLabel("pii"), Result: int}}
		notes.Order = slices.Sorted(maps.Keys(notes.Methods))
		g, err := NewGate(Config{Grants: map[string]Object{"notes": storedFake{w.todos}}, Record: Unrecorded, Admits: value.NewLabel(strings.Fields(admits)...)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range g.Flows() {
			got = append(got, fmt.Sprint(f.Tag, " ", strings.Join(f.From, " "), " ", f.To, " ", f.May, ": ", f.How))
		}
		text := strings.Join(got, "\n")
		want := []string{"untrusted Note.from Note.text notes.insert true: the method changes only stored data; data that it writes without the tag counts as trusted afterwards; not by owner", "untrusted Note.from Note.text notes.delete false: the method demands trust",
			"pii Note.mail notes.insert false: neither the method nor its arguments admit the tag", "is refused; `admits: [pii]` at its facet, and for results, allows it", "is refused; `admits: [pii]` at note, owner, and for results, allows it", "pii Note.mail notes.purge true: the method admits the tag"}
		if admits != "" {
			want = []string{"pii@member Note.mail result true: the result admits pii@member:1|2; other values are sealed there", "is refused; `admits: [pii]` at its facet allows it"}
		}
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%q is not in\n%s", line, text)
			}
		}
	}
}

// TestFlowNames: each grant of an interface is named, and no method under another's name.
func TestFlowNames(t *testing.T) {
	row := notesWorld(t, Config{})
	g, err := NewGate(Config{Grants: map[string]Object{"Out": row.mail, "out": row.mail, "notes": row.todos}, Record: Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, f := range g.Flows() {
		if f.Tag == "pii" {
			seen[f.To]++
		}
		if f.Tag == "pii" && strings.HasSuffix(f.To, ".act") && !strings.Contains(f.How, "at once") {
			t.Errorf("%+v", f)
		}
	}
	if len(seen) != 11 || seen["Out.hold"] != 1 || seen["out.hold"] != 1 || seen["out.ask"] != 1 || seen[ResultFlow] != 1 {
		t.Error(seen)
	}
}

// TestTrustedMethods: a method that demands trust is asked for by no run that has read what outsiders wrote, nor by a message that reads
// it, and by others: what the reply tells comes too late to have chosen the call.
func TestTrustedMethods(t *testing.T) {
	for _, c := range []struct {
		read           string
		trusted        bool
		message, reply value.Label
		refused        bool
	}{
		{"", true, value.Label{}, value.Label{}, false}, {"", true, value.Label{}, value.NewLabel(value.Untrusted), false}, {"", true, value.NewLabel(value.Untrusted), value.Label{}, true}, {"id", true, value.Label{}, value.NewLabel(value.Untrusted), false},
		{"text", true, value.Label{}, value.Label{}, true}, {"text", false, value.Label{}, value.Label{}, false}, {"", false, value.NewLabel(value.Untrusted), value.Label{}, false},
	} {
		w := notesWorld(t, Config{})
		m := w.gate.Catalog()["Out"].Methods["holdAny"]
		m.Trusted, m.Label, m.Reply = c.trusted, c.message, c.reply
		if c.read != "" {
			_, err := w.send(msg(ref(notesID), call(0, c.read)))
			wantOK(t, c.read, err)
		}
		_, err := w.send(message.Expr{Nodes: append(letter(value.Field{Name: "text", Value: value.Text("x")}), call(0, "holdAny", 1))})
		if refused := fail.KindOf(err) == fail.Denied && strings.Contains(err.Error(), "they could have asked for `holdAny`"); refused != c.refused || !refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestFlowOfReaders: with values of one reader admitted, Flows says that they leave, also by what a program keeps; a tag without readers
// is not admitted by that.
func TestFlowOfReaders(t *testing.T) {
	w := notesWorld(t, Config{})
	notes, row := w.todos.desc.Interfaces[0], w.todos.desc.Interfaces[1]
	row.Fields["mail"].Label, row.Fields["text"].Label = value.NewLabel("pii@member"), value.NewLabel("pii")
	notes.Methods = map[string]*message.Method{"all": notes.Methods["all"],
		"purge": {Name: "purge", Sends: true, Effect: message.InUnit, Admits: value.NewLabel("pii@member"), Result: con(value.TypeInt)}}
	notes.Order = slices.Sorted(maps.Keys(notes.Methods))
	g, err := NewGate(Config{Grants: map[string]Object{"notes": storedFake{w.todos}}, Record: Unrecorded, Admits: value.NewLabel("pii@member:1")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range g.Flows() {
		got[f.Tag+" "+f.To] = fmt.Sprint(f.May, ": ", f.How)
	}
	for way, want := range map[string]string{
		"pii@member result":      "true: the result admits pii@member:1; other values are sealed there",
		"pii@member notes.purge": "true: the method admits the tag: what is stored may reveal such values; a program that has read another value with the tag than pii@member:1 keeps no changes",
		"pii result":             "false: the result does not admit the tag",
	} {
		if !strings.HasPrefix(got[way], want) {
			t.Errorf("%s: %s\nwant %s", way, got[way], want)
		}
	}
}
