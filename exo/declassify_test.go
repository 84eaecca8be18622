package exo

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/internal/flow"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

const vaultID = 3

func orNull(t message.Type) *message.Term { t.Null = true; return &message.Term{Con: &t} }

// vault has declassifiers of the diary, each with another result, and plain, the same without the guard.
func vault() *message.Interface {
	text := message.Param{Name: "the text", Want: con(value.TypeText)}
	more := message.Param{Name: "more", Want: con(value.TypeData), Opt: true}
	tells := func(name string, t message.Type) *message.Method {
		return &message.Method{Name: name, Sends: true, Sink: true, Params: []message.Param{text, more}, Result: orNull(t), Declassifies: value.NewLabel("diary")}
	}
	plain := tells("plain", message.Type{Name: value.TypeBool})
	plain.Declassifies = value.Label{}
	bare := tells("bare", message.Type{Name: value.TypeBool})
	bare.Params[0].Want = con(value.TypeData)
	lent := tells("lent", message.Type{Name: value.TypeBool})
	lent.Admits = value.NewLabel("other")
	grade := message.Type{Name: value.TypeText, Enum: []string{"a", "b", "c"}}
	score := message.Type{Name: value.TypeInt, Min: -2, Max: 4}
	return iface("Vault", nil, false, plain, bare, lent, tells("is", message.Type{Name: value.TypeBool}), tells("grade", grade), tells("score", score),
		tells("both", message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "g", Type: &grade}, {Name: "s", Type: &score, Opt: true}}}))
}

// purse is a BitBudget of one principal's day.
type purse struct {
	mu    sync.Mutex
	left  int
	taken []int
	who   []Principal
	when  []time.Time
}

func (p *purse) Take(who Principal, now time.Time, bits int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if bits > p.left {
		return p.left, fail.Errorf(fail.Limit, "", "no bits")
	}
	p.left -= bits
	p.taken, p.who, p.when = append(p.taken, bits), append(p.who, who), append(p.when, now)
	return p.left, nil
}

func (p *purse) times() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.taken)
}

// vaultWorld is a run that was shown the diary of two rows sealed, "secret" and null, with a vault that does what eval says.
func vaultWorld(t *testing.T, cfg Config, eval func(context.Context, *Message) (value.Value, error)) (w *world, cells []value.Value, p *purse) {
	t.Helper()
	p = &purse{left: 1000}
	o := &fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{vault()}}, eval: eval}
	if cfg.Bits == nil {
		cfg.Bits = p
	}
	todos := newTodos()
	todos.eval = func(_ context.Context, m *Message) (value.Value, error) {
		if m.Root.Name == "count" {
			return value.Int(1), nil
		}
		return value.List(value.RecordValue(value.Field{Name: "title", Value: value.Text("secret")}), value.RecordValue(value.Field{Name: "title", Value: value.Null()})), nil
	}
	if cfg.Grants == nil {
		cfg.Grants = map[string]Object{"mail": newMail(), "todos": todos, "users": newUsers(), "vault": o, "zcompose": Compose()}
	} else {
		cfg.Grants["todos"] = todos
	}
	w = newWorld(t, cfg)
	v, err := w.send(shown())
	wantOK(t, "shown", err)
	for i := range v.Len() {
		c, _ := v.At(i).Get("title")
		cells = append(cells, c)
	}
	return w, cells, p
}

func tellMe(method string, args ...value.Value) message.Expr {
	x := msg(ref(vaultID))
	var at []int32
	for _, a := range args {
		x.Nodes = append(x.Nodes, lit(a))
		at = append(at, int32(len(x.Nodes)-1))
	}
	return then(x, message.WireNode{Op: message.OpCall, Name: method, Recv: 0, Args: at})
}

// isSecret answers whether it was given the content of the cell, and is an attack's yes or no.
func isSecret(_ context.Context, m *Message) (value.Value, error) {
	return value.Bool(m.Root.Args[0].Lit.Text() == "secret").WithLabel(m.Root.Args[0].Lit.Label()), nil
}

// TestDeclassify: a declassifier is given what is in a sealed value, and the program its answer; the run gets no tag. Without the guard it does.
func TestDeclassify(t *testing.T) {
	w, cells, p := vaultWorld(t, Config{}, isSecret)
	v, err := w.send(tellMe("is", cells[0]))
	if err != nil || v.Type() != value.TypeBool || !v.Bool() || !v.Label().Empty() || !w.s.Label().Empty() || w.s.Release() != nil {
		t.Fatalf("%v %v, run %v", v, err, w.s.Label())
	}
	v, err = w.send(tellMe("is", value.Text("guess"), value.List(cells[1])))
	if err != nil || v.Bool() || !w.s.Label().Empty() {
		t.Fatalf("beside another: %v %v, run %v", v, err, w.s.Label())
	}
	if !slices.Equal(p.taken, []int{2, 2}) || p.who[0] != "ann" {
		t.Error(p.taken, p.who)
	}
	var intents []any
	for _, e := range w.events {
		if strings.HasPrefix(e.Op, "vault") && e.Step == Intent {
			intents = append(intents, e.Details...)
			if strings.Contains(string(e.Message), "secret") {
				t.Error("the record of the message has the content")
			}
		}
	}
	if want := []any{Declassified{[]string{"diary"}, 2, 998}, Declassified{[]string{"diary"}, 2, 996}}; !reflect.DeepEqual(intents, want) {
		t.Errorf("%v", intents)
	}
	if _, err := w.send(tellMe("plain", cells[0])); fail.KindOf(err) != fail.Denied || w.s.Label().String() != "{diary}" {
		t.Errorf("the twin: %v, run %v", err, w.s.Label())
	}
}

// TestDeclassifyFails: whatever goes wrong with what is in a sealed value, a program is told the one outcome null, and it took its bits.
func TestDeclassifyFails(t *testing.T) {
	fails := errors.New("secret is secret")
	for what, c := range map[string]struct {
		method string
		eval   func(context.Context, *Message) (value.Value, error)
	}{
		"an error": {"is", func(context.Context, *Message) (value.Value, error) { return value.Value{}, fails }},
		"a refusal": {"is", func(context.Context, *Message) (value.Value, error) {
			return value.Value{}, fail.Errorf(fail.Denied, "", "secret")
		}},
		"a limit": {"is", func(context.Context, *Message) (value.Value, error) {
			return value.Value{}, fail.Errorf(fail.Limit, "", "secret")
		}},
		"a panic":            {"is", func(context.Context, *Message) (value.Value, error) { panic(fails) }},
		"its goroutine ends": {"is", func(context.Context, *Message) (value.Value, error) { runtime.Goexit(); return value.Value{}, nil }},
		"no value":           {"is", func(context.Context, *Message) (value.Value, error) { return value.Value{}, nil }},
		"null":               {"is", func(context.Context, *Message) (value.Value, error) { return value.Null(), nil }},
		"the content":        {"is", func(_ context.Context, m *Message) (value.Value, error) { return m.Root.Args[0].Lit, nil }},
		"an object":          {"is", func(context.Context, *Message) (value.Value, error) { return value.RefValue(newMail()), nil }},
		"another text":       {"grade", func(context.Context, *Message) (value.Value, error) { return value.Text("secret"), nil }},
		"a larger number":    {"score", func(context.Context, *Message) (value.Value, error) { return value.Int(5), nil }},
		"a smaller number":   {"score", func(context.Context, *Message) (value.Value, error) { return value.Int(-3), nil }},
		"another number":     {"score", func(context.Context, *Message) (value.Value, error) { return value.Float(1), nil }},
		"a field more": {"both", func(context.Context, *Message) (value.Value, error) {
			return value.RecordValue(value.Field{Name: "g", Value: value.Text("a")}, value.Field{Name: "x", Value: value.Text("secret")}), nil
		}},
		"a field less": {"both", func(context.Context, *Message) (value.Value, error) {
			return value.RecordValue(value.Field{Name: "s", Value: value.Int(1)}), nil
		}},
		"a field beyond": {"both", func(context.Context, *Message) (value.Value, error) {
			return value.RecordValue(value.Field{Name: "g", Value: value.Text("secret")}), nil
		}},
		"what it read": {"is", func(_ context.Context, m *Message) (value.Value, error) {
			return value.Null(), m.Spend(math.MaxInt/2, math.MaxInt/2)
		}},
		"a value beside null": {"is", func(context.Context, *Message) (value.Value, error) { return value.List(value.Null()), nil }},
	} {
		w, cells, p := vaultWorld(t, Config{}, c.eval)
		v, err := w.send(tellMe(c.method, cells[0]))
		if err != nil || v.Type() != value.TypeNull || !w.s.Label().Empty() || p.times() != 1 {
			t.Errorf("%s: %v %v, run %v, charged %d times", what, v, err, w.s.Label(), p.times())
		}
		last := w.events[len(w.events)-1]
		untold := len(last.Details) == 1
		if untold {
			u, ok := last.Details[0].(DeclassifierError)
			untold = ok && u.Err != ""
		}
		if last.Step != Outcome || last.Err != nil || untold == (what == "null" || what == "what it read") {
			t.Errorf("%s: the record says %v %v %v", what, last.Step, last.Err, last.Details)
		}
		if _, err = w.send(tellMe("is", cells[0])); err != nil {
			t.Errorf("%s: the next: %v", what, err)
		}
		// The twin: the same object says it by an error, or by a value, and the run has the label.
		if v, err := w.send(tellMe("plain", cells[0])); err == nil || w.s.Label().Empty() {
			t.Errorf("%s, the twin: %v, run %v", what, v, w.s.Label())
		}
	}
	// A null cell is no text: that it was not is the same outcome.
	w, cells, p := vaultWorld(t, Config{}, isSecret)
	v, err := w.send(tellMe("is", cells[1]))
	if err != nil || v.Type() != value.TypeNull || p.times() != 1 {
		t.Errorf("a null cell: %v %v", v, err)
	}
}

// TestDeclassifiedIsMadeAnew: nothing of a reply is told but which of its outcomes it is: not in which order its fields are, nor with what label.
func TestDeclassifiedIsMadeAnew(t *testing.T) {
	w, cells, _ := vaultWorld(t, Config{}, func(context.Context, *Message) (value.Value, error) {
		return value.RecordValue(value.Field{Name: "s", Value: value.Int(-2)}, value.Field{Name: "g", Value: value.Text("c").WithLabel(value.NewLabel("diary"))}), nil
	})
	v, err := w.send(tellMe("both", cells[0]))
	if text, bad := v.AppendJSON(nil); err != nil || bad != nil || string(text) != `{"g":"c","s":-2}` {
		t.Errorf("%s %v", text, err)
	}
}

// TestDeclassifyRefused: by which ways a program gets nothing told. Nothing is opened or charged then, and the run gets no label by it.
func TestDeclassifyRefused(t *testing.T) {
	type attack struct {
		what, want string
		cfg        Config
		run        Run
		do         func(w *world, cells []value.Value) message.Expr
	}
	sees := func(_ *world, cells []value.Value) message.Expr { return tellMe("is", cells[0]) }
	for _, a := range []attack{
		{"a text made of it", "made by `text`", Config{}, Run{}, func(w *world, cells []value.Value) message.Expr {
			made, err := w.send(msg(ref(4), lit(value.List(value.Text("x"), cells[0])), call(0, ComposeName, 1)))
			wantOK(t, "text", err)
			return tellMe("is", made)
		}},
		{"a text of one, in a list in a record", "made by `text`", Config{}, Run{}, func(w *world, cells []value.Value) message.Expr {
			made, err := w.send(msg(ref(4), lit(value.List(cells[0])), call(0, ComposeName, 1)))
			wantOK(t, "text", err)
			return tellMe("is", value.Text("x"), value.RecordValue(value.Field{Name: "a", Value: value.List(cells[1], made)}))
		}},
		{"a run that began with what outsiders wrote", "outsiders wrote", Config{}, Run{Label: value.NewLabel("untrusted:mail")}, sees},
		{"a run that has read it, and what the result admits", "outsiders wrote", Config{Admits: value.NewLabel("other")}, Run{Label: value.NewLabel("other", "untrusted")}, func(_ *world, cells []value.Value) message.Expr { return tellMe("lent", cells[0]) }},
		{"a run that has read the diary", "labelled diary", Config{}, Run{}, func(w *world, cells []value.Value) message.Expr {
			_, err := w.send(diaries())
			wantOK(t, "diaries", err)
			return tellMe("is", cells[0])
		}},
		{"a run that has read another secret", "labelled other", Config{Admits: value.NewLabel("other")}, Run{Label: value.NewLabel("other")}, sees},
		{"one that the method admits, and the result does not", "its result may not contain", Config{}, Run{Label: value.NewLabel("other")}, func(_ *world, cells []value.Value) message.Expr { return tellMe("lent", cells[0]) }},
		{"a number that it was not given", "this program has read no such sealed value", Config{}, Run{}, func(_ *world, cells []value.Value) message.Expr {
			return tellMe("is", cells[0].Renumbered(17))
		}},
		{"another label", "this program has read no such sealed value", Config{}, Run{}, func(_ *world, cells []value.Value) message.Expr {
			return tellMe("is", value.NewSealed(cells[0].Number(), value.TypeText, value.NewLabel("pii")))
		}},
		{"a sealed whole for a text", "must be text", Config{}, Run{}, func(_ *world, cells []value.Value) message.Expr {
			return tellMe("is", value.List(cells[0]))
		}},
	} {
		w, cells, p := vaultWorld(t, a.cfg, isSecret)
		if a.run.Label.Empty() == false {
			var err error
			if w.s, err = w.gate.Begin(t.Context(), a.run, "", nil); err != nil {
				t.Fatal(err)
			}
			w.last = 0
			v, err := w.send(shown())
			wantOK(t, "shown", err)
			cells[0], _ = v.At(0).Get("title")
		}
		x := a.do(w, cells)
		was, asked := w.s.Label(), len(w.events)
		v, err := w.send(x)
		if err == nil || !strings.Contains(fail.GuestText(err), a.want) || p.times() != 0 || !w.s.Label().Equal(was) {
			t.Errorf("%s: %v %v, charged %d times, run %v", a.what, v, err, p.times(), w.s.Label())
		}
		for _, e := range w.events[asked:] {
			if e.Step == Intent {
				t.Errorf("%s: it acted", a.what)
			}
		}
	}
	// The twin of all: the same call by a run that did nothing of the sort.
	w, cells, p := vaultWorld(t, Config{Admits: value.NewLabel("other")}, isSecret)
	if v, err := w.send(tellMe("lent", cells[0])); err != nil || !v.Bool() || p.times() != 1 {
		t.Errorf("the twin: %v %v", v, err)
	}
	s, err := w.gate.Begin(t.Context(), Run{Label: value.NewLabel("other")}, "", nil)
	wantOK(t, "begin", err)
	w.s, w.last = s, 0
	_, err = w.send(tellMe("lent", value.Text("a guess")))
	wantOK(t, "what the method and the result admit", err)
}

// TestDeclassifyTags: only values of the declared tags are opened, and none that outsiders wrote: who chose one value would choose what is told of another.
func TestDeclassifyTags(t *testing.T) {
	for _, c := range []struct{ label, want string }{
		{"diary", ""}, {"pii", "takes only sealed values labelled diary"}, {"diary,pii", "labelled pii"}, {"diary,untrusted:mail", "outsiders wrote"},
	} {
		i := vault()
		i.Methods["read"] = &message.Method{Name: "read", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "x", Type: &message.Type{Name: value.TypeText}, Label: value.NewLabel(strings.Split(c.label, ",")...)}}}}}
		o := &fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{i}}, eval: func(ctx context.Context, m *Message) (value.Value, error) {
			if m.Root.Name == "read" {
				return value.RecordValue(value.Field{Name: "x", Value: value.Text("secret")}), nil
			}
			return isSecret(ctx, m)
		}}
		w, _, p := vaultWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "users": newUsers(), "vault": o}}, nil)
		v, err := w.send(tellMe("read"))
		wantOK(t, "read", err)
		cell, _ := v.Get("x")
		if _, ok := cell.Sealed(); !ok {
			t.Fatal(v)
		}
		_, err = w.send(tellMe("is", value.Text("x"), value.List(cell)))
		if c.want == "" && err != nil || c.want != "" && (fail.KindOf(err) != fail.Denied || !strings.Contains(fail.GuestText(err), c.want) || p.times() != 0) || !w.s.Label().Empty() {
			t.Errorf("%s: %v, run %v", c.label, err, w.s.Label())
		}
	}
}

// TestDeclassifyJudged: a policy that looks at what is given would see what is in a sealed value, and tell of it by what it lets pass.
func TestDeclassifyJudged(t *testing.T) {
	for _, blind := range []bool{false, true} {
		var saw []value.Value
		o := Wrap(&fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{vault()}}, eval: isSecret},
			Policy{Blind: blind, Before: func(m *Message) bool { saw = append(saw, m.Root.Args[0].Lit); return true }})
		w, cells, p := vaultWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "users": newUsers(), "vault": o}}, nil)
		_, err := w.send(tellMe("is", cells[0]))
		if (err == nil) != blind || !w.s.Label().Empty() || len(saw) > 0 && !saw[0].IsZero() || p.times() == 0 == blind {
			t.Errorf("blind %v: %v, run %v, saw %v", blind, err, w.s.Label(), saw)
		}
		_, err = w.send(tellMe("is", value.Text("plain")))
		wantOK(t, "a plain value", err)
	}
}

// TestBitsAreTaken: bits are taken in the order of messages, before any of them acts, whatever comes of it.
func TestBitsAreTaken(t *testing.T) {
	let := make(chan struct{})
	cfg := Config{Bits: &purse{left: 7}, Now: func() time.Time { return time.Unix(5, 0) }}
	w, cells, _ := vaultWorld(t, cfg, func(context.Context, *Message) (value.Value, error) {
		<-let
		return value.Value{}, errors.New("secret")
	})
	for range 5 {
		w.submit(tellMe("is", cells[0]))
	}
	close(let)
	for n := range 5 {
		v, err := w.next()
		if n < 3 && (err != nil || v.Type() != value.TypeNull) || n >= 3 && fail.KindOf(err) != fail.Limit {
			t.Errorf("call %d: %v %v", n, v, err)
		}
	}
	if p := cfg.Bits.(*purse); p.left != 1 || !p.when[0].Equal(time.Unix(5, 0)) {
		t.Error(p.left, p.when)
	}
	// A budget that panics tells nothing.
	w, cells, _ = vaultWorld(t, Config{Bits: (*purse)(nil)}, isSecret)
	_, err := w.send(tellMe("is", cells[0]))
	wantKind(t, "a nil budget", err, fail.Internal)
	if w.s.Panicked() == nil {
		t.Error("the panic was lost")
	}
	// Where what is to be told can't be recorded, nothing is.
	p := &purse{left: 100}
	o := &fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{vault()}}, eval: isSecret}
	g, err := NewGate(Config{Bits: p, Grants: map[string]Object{"vault": o}, Record: RecordFunc(func(e Entry) error {
		if e.Step == Intent {
			return errors.New("full")
		}
		return nil
	})})
	wantOK(t, "gate", err)
	s := begin(t, g, context.Background(), "ann")
	wantOK(t, "submit", s.Submit(Call{ID: 1, Expr: msg(ref(0), txt("x"), call(0, "is", 1))}))
	if r, _, _ := s.Next(t.Context()); r.Err == nil || o.asked() != 0 {
		t.Error(r.Err, o.asked())
	}
}

// TestDeclassifierIsBounded: what can't be a declassifier.
func TestDeclassifierIsBounded(t *testing.T) {
	grant := func(change func(*message.Method), cfg Config) error {
		i := vault()
		change(i.Methods["is"])
		cfg.Grants, cfg.Record = map[string]Object{"vault": &fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{i, iface("Thing", nil, false)}}}}, Unrecorded
		_, err := NewGate(cfg)
		return err
	}
	wantOK(t, "as it is", grant(func(*message.Method) {}, Config{Bits: &purse{}}))
	if err := grant(func(*message.Method) {}, Config{}); err == nil || !strings.Contains(err.Error(), "set Bits") {
		t.Errorf("without a budget: %v", err)
	}
	for what, change := range map[string]func(*message.Method){
		"a text":              func(m *message.Method) { m.Result = orNull(message.Type{Name: value.TypeText}) },
		"no null for failure": func(m *message.Method) { m.Result = con(value.TypeBool) },
		"an open type":        func(m *message.Method) { m.Result = v("self") },
		"no result":           func(m *message.Method) { m.Result = nil },
		"what says who wrote": func(m *message.Method) { m.Declassifies = value.NewLabel("diary", "untrusted") },
		"no sink":             func(m *message.Method) { m.Sink = false },
		"no message":          func(m *message.Method) { m.Sends = false },
		"an effect":           func(m *message.Method) { m.Effect = message.Immediate },
		"of rows":             func(m *message.Method) { m.Row = true },
		"in callbacks":        func(m *message.Method) { m.Nested = con(value.TypeBool) },
		"an object":           func(m *message.Method) { m.Params[0].Want = con("Thing") },
		"a callback":          func(m *message.Method) { m.Params[0].Lambda, m.Params[0].Plain = con(value.TypeData), true },
		"whatever":            func(m *message.Method) { m.Params[0].Want = v("self") },
		"a labelled reply": func(m *message.Method) {
			m.Result = orNull(message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "a", Type: &message.Type{Name: value.TypeBool}, Label: value.NewLabel("diary")}}})
		},
		"a malformed range": func(m *message.Method) {
			m.Params[0].Want = &message.Term{Con: &message.Type{Name: value.TypeInt, Min: 3, Max: 1}}
		},
		"a range of text": func(m *message.Method) {
			m.Params[0].Want = &message.Term{Con: &message.Type{Name: value.TypeText, Max: 1}}
		},
		"a bad tag": func(m *message.Method) { m.Declassifies = value.NewLabel("a,b") },
	} {
		if err := grant(change, Config{Bits: &purse{}}); err == nil || !strings.HasPrefix(err.Error(), "exo: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestDeclassifyNarrows: a policy may take tags, and add none.
func TestDeclassifyNarrows(t *testing.T) {
	narrowed := func(l value.Label) (*message.Method, error) {
		i := vault()
		i.Methods["is"].Declassifies = value.NewLabel("a", "b")
		d, err := Wrap(&fake{desc: message.Description{Type: &message.Type{Name: "Vault"}, Interfaces: []*message.Interface{i}}}, Policy{Narrow: func(d *message.Description) error {
			d.Interfaces[0].Methods["is"].Declassifies = l
			return nil
		}}).Describe()
		if err != nil {
			return nil, err
		}
		return d.Interfaces[0].Methods["is"], nil
	}
	for _, l := range []value.Label{value.NewLabel("a", "b"), value.NewLabel("b"), {}} {
		if m, err := narrowed(l); err != nil || !m.Declassifies.Equal(l) {
			t.Errorf("%v: %v", l, err)
		}
	}
	if _, err := narrowed(value.NewLabel("a", "b", "c")); err == nil {
		t.Error("a policy adds a tag")
	}
}

// TestDeclassifierCrosses: a guest reads of a declassifier what the host has declared, and the digest of what was granted has it.
func TestDeclassifierCrosses(t *testing.T) {
	i := vault()
	c, granted := message.Catalog{"Vault": i}, []message.GrantedName{{Name: "vault", Type: &message.Type{Name: "Vault"}}}
	d := value.Decoder{Reader: wire.NewReader(string(crossed(granted, c)))}
	_, got := coding.ReadGrants(&d)
	if d.Err() != nil || !reflect.DeepEqual(got["Vault"].Methods["both"], i.Methods["both"]) || !reflect.DeepEqual(got["Vault"].Methods["plain"], i.Methods["plain"]) {
		t.Errorf("%v\n%+v\n%+v", d.Err(), got["Vault"].Methods["both"], i.Methods["both"])
	}
	was := coding.DigestGrants(c, granted)
	i.Methods["score"].Result.Con.Max++
	wider := coding.DigestGrants(c, granted)
	i.Methods["score"].Declassifies = value.NewLabel("diary", "x")
	if wider == was || coding.DigestGrants(c, granted) == wider {
		t.Error("one digest for two declarations")
	}
}

// TestDeclassifyFlows: the declarations say how much of what leaves.
func TestDeclassifyFlows(t *testing.T) {
	w, _, _ := vaultWorld(t, Config{}, isSecret)
	how := map[string]Flow{}
	for _, f := range w.gate.Flows() {
		how[f.Tag+" "+f.To] = f
	}
	if f := how["diary vault.both"]; !f.May || !strings.Contains(f.How, "declassifies the tag: a call reveals at most 5 bits") {
		t.Error(f)
	}
	if f := how["diary vault.plain"]; f.May {
		t.Error(f)
	}
	if f := flow.By("untrusted:mail", vault().Methods["is"], value.Label{}, nil); f.May || !strings.Contains(f.How, "refused") {
		t.Error(f)
	}
	if f := flow.By("pii", vault().Methods["is"], value.Label{}, nil); f.May {
		t.Error(f)
	}
}

// TestMadeIsCalculated: what comes with something that a program calculates from labelled values counts as made by it.
func TestMadeIsCalculated(t *testing.T) {
	s := &Session{contents: []content{{plain: value.Text("a")}, {plain: value.Text("b")}, {plain: value.Text("c")}}, calculated: [][2]uint64{{1, 2}}}
	for i, want := range []bool{false, true, false} {
		if v := value.NewSealed(uint32(i), value.TypeText, value.NewLabel("a")); s.holdsRecipe(v) != want || s.holdsRecipe(value.List(v)) != want || s.holdsRecipe(value.RecordValue(value.Field{Name: "x", Value: v})) != want {
			t.Errorf("cell %d: not %t", i, want)
		}
	}
}
