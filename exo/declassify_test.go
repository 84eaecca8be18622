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

	"github.com/exoagent/exoagent/internal/wire"
)

const vaultID = 3

func orNull(t Type) *Term { t.Null = true; return &Term{Con: &t} }

// vault has declassifiers of the diary, each with another result, and plain, the same without the guard.
func vault() *Interface {
	text := Param{Name: "the text", Want: con(TypeText)}
	more := Param{Name: "more", Want: con(TypeData), Opt: true}
	tells := func(name string, t Type) *Method {
		return &Method{Name: name, Sends: true, Sink: true, Params: []Param{text, more}, Result: orNull(t), Declassifies: NewLabel("diary")}
	}
	plain := tells("plain", Type{Name: TypeBool})
	plain.Declassifies = Label{}
	bare := tells("bare", Type{Name: TypeBool})
	bare.Params[0].Want = con(TypeData)
	lent := tells("lent", Type{Name: TypeBool})
	lent.Admits = NewLabel("other")
	grade := Type{Name: TypeText, Enum: []string{"a", "b", "c"}}
	score := Type{Name: TypeInt, Min: -2, Max: 4}
	return iface("Vault", nil, false, plain, bare, lent, tells("is", Type{Name: TypeBool}), tells("grade", grade), tells("score", score),
		tells("both", Type{Name: TypeRecord, Fields: []TypeField{{Name: "g", Type: &grade}, {Name: "s", Type: &score, Opt: true}}}))
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
		return p.left, Errorf(Limit, "", "no bits")
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
func vaultWorld(t *testing.T, cfg Config, eval func(context.Context, *Message) (Value, error)) (w *world, cells []Value, p *purse) {
	t.Helper()
	p = &purse{left: 1000}
	o := &fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{vault()}}, eval: eval}
	if cfg.Bits == nil {
		cfg.Bits = p
	}
	todos := newTodos()
	todos.eval = func(_ context.Context, m *Message) (Value, error) {
		if m.Root.Name == "count" {
			return Int(1), nil
		}
		return List(RecordValue(Field{"title", Text("secret")}), RecordValue(Field{"title", Null()})), nil
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

func tellMe(method string, args ...Value) Expr {
	x := msg(ref(vaultID))
	var at []int32
	for _, a := range args {
		x.Nodes = append(x.Nodes, lit(a))
		at = append(at, int32(len(x.Nodes)-1))
	}
	return then(x, WireNode{Op: OpCall, Name: method, Recv: 0, Args: at})
}

// isSecret answers whether it was given the content of the cell, and is an attack's yes or no.
func isSecret(_ context.Context, m *Message) (Value, error) {
	return Bool(m.Root.Args[0].Lit.Text() == "secret").WithLabel(m.Root.Args[0].Lit.Label()), nil
}

// TestDeclassify: a declassifier is given what is in a sealed value, and the program its answer; the run gets no tag. Without the guard it does.
func TestDeclassify(t *testing.T) {
	w, cells, p := vaultWorld(t, Config{}, isSecret)
	v, err := w.send(tellMe("is", cells[0]))
	if err != nil || v.Type() != TypeBool || !v.Bool() || !v.Label().Empty() || !w.s.Label().Empty() || w.s.Release() != nil {
		t.Fatalf("%v %v, run %v", v, err, w.s.Label())
	}
	v, err = w.send(tellMe("is", Text("guess"), List(cells[1])))
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
	if _, err := w.send(tellMe("plain", cells[0])); KindOf(err) != Denied || w.s.Label().String() != "{diary}" {
		t.Errorf("the twin: %v, run %v", err, w.s.Label())
	}
}

// TestDeclassifyFails: whatever goes wrong with what is in a sealed value, a program is told the one outcome null, and it took its bits.
func TestDeclassifyFails(t *testing.T) {
	fails := errors.New("secret is secret")
	for what, c := range map[string]struct {
		method string
		eval   func(context.Context, *Message) (Value, error)
	}{
		"an error":           {"is", func(context.Context, *Message) (Value, error) { return Value{}, fails }},
		"a refusal":          {"is", func(context.Context, *Message) (Value, error) { return Value{}, Errorf(Denied, "", "secret") }},
		"a limit":            {"is", func(context.Context, *Message) (Value, error) { return Value{}, Errorf(Limit, "", "secret") }},
		"a panic":            {"is", func(context.Context, *Message) (Value, error) { panic(fails) }},
		"its goroutine ends": {"is", func(context.Context, *Message) (Value, error) { runtime.Goexit(); return Value{}, nil }},
		"no value":           {"is", func(context.Context, *Message) (Value, error) { return Value{}, nil }},
		"null":               {"is", func(context.Context, *Message) (Value, error) { return Null(), nil }},
		"the content":        {"is", func(_ context.Context, m *Message) (Value, error) { return m.Root.Args[0].Lit, nil }},
		"an object":          {"is", func(context.Context, *Message) (Value, error) { return RefValue(newMail()), nil }},
		"another text":       {"grade", func(context.Context, *Message) (Value, error) { return Text("secret"), nil }},
		"a larger number":    {"score", func(context.Context, *Message) (Value, error) { return Int(5), nil }},
		"a smaller number":   {"score", func(context.Context, *Message) (Value, error) { return Int(-3), nil }},
		"another number":     {"score", func(context.Context, *Message) (Value, error) { return Float(1), nil }},
		"a field more": {"both", func(context.Context, *Message) (Value, error) {
			return RecordValue(Field{"g", Text("a")}, Field{"x", Text("secret")}), nil
		}},
		"a field less":   {"both", func(context.Context, *Message) (Value, error) { return RecordValue(Field{"s", Int(1)}), nil }},
		"a field beyond": {"both", func(context.Context, *Message) (Value, error) { return RecordValue(Field{"g", Text("secret")}), nil }},
		"what it read": {"is", func(_ context.Context, m *Message) (Value, error) {
			return Null(), m.Spend(math.MaxInt/2, math.MaxInt/2)
		}},
		"a value beside null": {"is", func(context.Context, *Message) (Value, error) { return List(Null()), nil }},
	} {
		w, cells, p := vaultWorld(t, Config{}, c.eval)
		v, err := w.send(tellMe(c.method, cells[0]))
		if err != nil || v.Type() != TypeNull || !w.s.Label().Empty() || p.times() != 1 {
			t.Errorf("%s: %v %v, run %v, charged %d times", what, v, err, w.s.Label(), p.times())
		}
		last := w.events[len(w.events)-1]
		untold := len(last.Details) == 1
		if untold {
			u, ok := last.Details[0].(Untold)
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
	if err != nil || v.Type() != TypeNull || p.times() != 1 {
		t.Errorf("a null cell: %v %v", v, err)
	}
}

// TestDeclassifiedIsMadeAnew: nothing of a reply is told but which of its outcomes it is: not in which order its fields are, nor with what label.
func TestDeclassifiedIsMadeAnew(t *testing.T) {
	w, cells, _ := vaultWorld(t, Config{}, func(context.Context, *Message) (Value, error) {
		return RecordValue(Field{"s", Int(-2)}, Field{"g", Text("c").WithLabel(NewLabel("diary"))}), nil
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
		do         func(w *world, cells []Value) Expr
	}
	sees := func(_ *world, cells []Value) Expr { return tellMe("is", cells[0]) }
	for _, a := range []attack{
		{"a text made of it", "made by `text`", Config{}, Run{}, func(w *world, cells []Value) Expr {
			made, err := w.send(msg(ref(4), lit(List(Text("x"), cells[0])), call(0, ComposeName, 1)))
			wantOK(t, "text", err)
			return tellMe("is", made)
		}},
		{"a text of one, in a list in a record", "made by `text`", Config{}, Run{}, func(w *world, cells []Value) Expr {
			made, err := w.send(msg(ref(4), lit(List(cells[0])), call(0, ComposeName, 1)))
			wantOK(t, "text", err)
			return tellMe("is", Text("x"), RecordValue(Field{"a", List(cells[1], made)}))
		}},
		{"a run that began with what outsiders wrote", "outsiders wrote", Config{}, Run{Label: NewLabel("untrusted:mail")}, sees},
		{"a run that has read it, and what the result admits", "outsiders wrote", Config{Admits: NewLabel("other")}, Run{Label: NewLabel("other", "untrusted")}, func(_ *world, cells []Value) Expr { return tellMe("lent", cells[0]) }},
		{"a run that has read the diary", "labelled diary", Config{}, Run{}, func(w *world, cells []Value) Expr {
			_, err := w.send(diaries())
			wantOK(t, "diaries", err)
			return tellMe("is", cells[0])
		}},
		{"a run that has read another secret", "labelled other", Config{Admits: NewLabel("other")}, Run{Label: NewLabel("other")}, sees},
		{"one that the method admits, and the result does not", "its result may not carry", Config{}, Run{Label: NewLabel("other")}, func(_ *world, cells []Value) Expr { return tellMe("lent", cells[0]) }},
		{"a number that it was not given", "no such sealed value", Config{}, Run{}, func(_ *world, cells []Value) Expr {
			return tellMe("is", cells[0].Renumbered(17))
		}},
		{"another label", "no such sealed value", Config{}, Run{}, func(_ *world, cells []Value) Expr {
			return tellMe("is", NewSealed(cells[0].Number(), TypeText, NewLabel("pii")))
		}},
		{"a sealed whole for a text", "must be text", Config{}, Run{}, func(_ *world, cells []Value) Expr {
			return tellMe("is", List(cells[0]))
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
		if err == nil || !strings.Contains(GuestText(err), a.want) || p.times() != 0 || !w.s.Label().Equal(was) {
			t.Errorf("%s: %v %v, charged %d times, run %v", a.what, v, err, p.times(), w.s.Label())
		}
		for _, e := range w.events[asked:] {
			if e.Step == Intent {
				t.Errorf("%s: it acted", a.what)
			}
		}
	}
	// The twin of all: the same call by a run that did nothing of the sort.
	w, cells, p := vaultWorld(t, Config{Admits: NewLabel("other")}, isSecret)
	if v, err := w.send(tellMe("lent", cells[0])); err != nil || !v.Bool() || p.times() != 1 {
		t.Errorf("the twin: %v %v", v, err)
	}
	s, err := w.gate.Begin(t.Context(), Run{Label: NewLabel("other")}, "", nil)
	wantOK(t, "begin", err)
	w.s, w.last = s, 0
	_, err = w.send(tellMe("lent", Text("a guess")))
	wantOK(t, "what the method and the result admit", err)
}

// TestDeclassifyTags: only values of the declared tags are opened, and none that outsiders wrote: who chose one value would choose what is told of another.
func TestDeclassifyTags(t *testing.T) {
	for _, c := range []struct{ label, want string }{
		{"diary", ""}, {"pii", "tells of diary alone"}, {"diary,pii", "labelled pii"}, {"diary,untrusted:mail", "outsiders wrote"},
	} {
		i := vault()
		i.Methods["read"] = &Method{Name: "read", Sends: true, Result: &Term{Con: &Type{Name: TypeRecord, Fields: []TypeField{{Name: "x", Type: &Type{Name: TypeText}, Label: NewLabel(strings.Split(c.label, ",")...)}}}}}
		o := &fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{i}}, eval: func(ctx context.Context, m *Message) (Value, error) {
			if m.Root.Name == "read" {
				return RecordValue(Field{"x", Text("secret")}), nil
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
		_, err = w.send(tellMe("is", Text("x"), List(cell)))
		if c.want == "" && err != nil || c.want != "" && (KindOf(err) != Denied || !strings.Contains(GuestText(err), c.want) || p.times() != 0) || !w.s.Label().Empty() {
			t.Errorf("%s: %v, run %v", c.label, err, w.s.Label())
		}
	}
}

// TestDeclassifyJudged: a policy that looks at what is given would see what is in a sealed value, and tell of it by what it lets pass.
func TestDeclassifyJudged(t *testing.T) {
	for _, blind := range []bool{false, true} {
		var saw []Value
		o := Wrap(&fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{vault()}}, eval: isSecret},
			Policy{Blind: blind, Before: func(m *Message) bool { saw = append(saw, m.Root.Args[0].Lit); return true }})
		w, cells, p := vaultWorld(t, Config{Grants: map[string]Object{"mail": newMail(), "users": newUsers(), "vault": o}}, nil)
		_, err := w.send(tellMe("is", cells[0]))
		if (err == nil) != blind || !w.s.Label().Empty() || len(saw) > 0 && !saw[0].IsZero() || p.times() == 0 == blind {
			t.Errorf("blind %v: %v, run %v, saw %v", blind, err, w.s.Label(), saw)
		}
		_, err = w.send(tellMe("is", Text("plain")))
		wantOK(t, "a plain value", err)
	}
}

// TestBitsAreTaken: bits are taken in the order of messages, before any of them acts, whatever comes of it.
func TestBitsAreTaken(t *testing.T) {
	let := make(chan struct{})
	cfg := Config{Bits: &purse{left: 7}, Now: func() time.Time { return time.Unix(5, 0) }}
	w, cells, _ := vaultWorld(t, cfg, func(context.Context, *Message) (Value, error) { <-let; return Value{}, errors.New("secret") })
	for range 5 {
		w.submit(tellMe("is", cells[0]))
	}
	close(let)
	for n := range 5 {
		v, err := w.next()
		if n < 3 && (err != nil || v.Type() != TypeNull) || n >= 3 && KindOf(err) != Limit {
			t.Errorf("call %d: %v %v", n, v, err)
		}
	}
	if p := cfg.Bits.(*purse); p.left != 1 || !p.when[0].Equal(time.Unix(5, 0)) {
		t.Error(p.left, p.when)
	}
	// A budget that panics tells nothing.
	w, cells, _ = vaultWorld(t, Config{Bits: (*purse)(nil)}, isSecret)
	_, err := w.send(tellMe("is", cells[0]))
	wantKind(t, "a nil budget", err, Internal)
	if w.s.Panicked() == nil {
		t.Error("the panic was lost")
	}
	// Where what is to be told can't be recorded, nothing is.
	p := &purse{left: 100}
	o := &fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{vault()}}, eval: isSecret}
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
	grant := func(change func(*Method), cfg Config) error {
		i := vault()
		change(i.Methods["is"])
		cfg.Grants, cfg.Record = map[string]Object{"vault": &fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{i, iface("Thing", nil, false)}}}}, Unrecorded
		_, err := NewGate(cfg)
		return err
	}
	wantOK(t, "as it is", grant(func(*Method) {}, Config{Bits: &purse{}}))
	if err := grant(func(*Method) {}, Config{}); err == nil || !strings.Contains(err.Error(), "set Bits") {
		t.Errorf("without a budget: %v", err)
	}
	for what, change := range map[string]func(*Method){
		"a text":              func(m *Method) { m.Result = orNull(Type{Name: TypeText}) },
		"no null for failure": func(m *Method) { m.Result = con(TypeBool) },
		"an open type":        func(m *Method) { m.Result = v("self") },
		"no result":           func(m *Method) { m.Result = nil },
		"what says who wrote": func(m *Method) { m.Declassifies = NewLabel("diary", "untrusted") },
		"no sink":             func(m *Method) { m.Sink = false },
		"no message":          func(m *Method) { m.Sends = false },
		"an effect":           func(m *Method) { m.Effect = Immediate },
		"of rows":             func(m *Method) { m.Row = true },
		"in callbacks":        func(m *Method) { m.Nested = con(TypeBool) },
		"an object":           func(m *Method) { m.Params[0].Want = con("Thing") },
		"a callback":          func(m *Method) { m.Params[0].Lambda, m.Params[0].Plain = con(TypeData), true },
		"whatever":            func(m *Method) { m.Params[0].Want = v("self") },
		"a labelled reply": func(m *Method) {
			m.Result = orNull(Type{Name: TypeRecord, Fields: []TypeField{{Name: "a", Type: &Type{Name: TypeBool}, Label: NewLabel("diary")}}})
		},
		"a malformed range": func(m *Method) { m.Params[0].Want = &Term{Con: &Type{Name: TypeInt, Min: 3, Max: 1}} },
		"a range of text":   func(m *Method) { m.Params[0].Want = &Term{Con: &Type{Name: TypeText, Max: 1}} },
		"a bad tag":         func(m *Method) { m.Declassifies = NewLabel("a,b") },
	} {
		if err := grant(change, Config{Bits: &purse{}}); err == nil || !strings.HasPrefix(err.Error(), "exo: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestDeclassifyNarrows: a policy may take tags, and add none.
func TestDeclassifyNarrows(t *testing.T) {
	narrowed := func(l Label) (*Method, error) {
		i := vault()
		i.Methods["is"].Declassifies = NewLabel("a", "b")
		d, err := Wrap(&fake{desc: Description{Type: &Type{Name: "Vault"}, Interfaces: []*Interface{i}}}, Policy{Narrow: func(d *Description) error {
			d.Interfaces[0].Methods["is"].Declassifies = l
			return nil
		}}).Describe()
		if err != nil {
			return nil, err
		}
		return d.Interfaces[0].Methods["is"], nil
	}
	for _, l := range []Label{NewLabel("a", "b"), NewLabel("b"), {}} {
		if m, err := narrowed(l); err != nil || !m.Declassifies.Equal(l) {
			t.Errorf("%v: %v", l, err)
		}
	}
	if _, err := narrowed(NewLabel("a", "b", "c")); err == nil {
		t.Error("a policy adds a tag")
	}
}

// TestDeclassifierCrosses: a guest reads of a declassifier what the host has declared, and the digest of what was granted has it.
func TestDeclassifierCrosses(t *testing.T) {
	i := vault()
	c, granted := Catalog{"Vault": i}, []GrantedName{{Name: "vault", Type: &Type{Name: "Vault"}}}
	d := Decoder{Reader: wire.NewReader(string(crossed(granted, c)))}
	_, got := ReadGrants(&d)
	if d.Err() != nil || !reflect.DeepEqual(got["Vault"].Methods["both"], i.Methods["both"]) || !reflect.DeepEqual(got["Vault"].Methods["plain"], i.Methods["plain"]) {
		t.Errorf("%v\n%+v\n%+v", d.Err(), got["Vault"].Methods["both"], i.Methods["both"])
	}
	was := digestGrants(c, granted)
	i.Methods["score"].Result.Con.Max++
	wider := digestGrants(c, granted)
	i.Methods["score"].Declassifies = NewLabel("diary", "x")
	if wider == was || digestGrants(c, granted) == wider {
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
	if f := how["diary vault.both"]; !f.May || !strings.Contains(f.How, "declassifies it: at most 5 bits") {
		t.Error(f)
	}
	if f := how["diary vault.plain"]; f.May {
		t.Error(f)
	}
	if f := (&Gate{}).by("untrusted:mail", vault().Methods["is"]); f.May || !strings.Contains(f.How, "refused") {
		t.Error(f)
	}
	if f := (&Gate{}).by("pii", vault().Methods["is"]); f.May {
		t.Error(f)
	}
}

// TestMadeIsCalculated: what comes with something that a program calculates from labelled values counts as made by it.
func TestMadeIsCalculated(t *testing.T) {
	s := &Session{contents: []content{{plain: Text("a")}, {plain: Text("b")}, {plain: Text("c")}}, calculated: [][2]uint64{{1, 2}}}
	for i, want := range []bool{false, true, false} {
		if v := NewSealed(uint32(i), TypeText, NewLabel("a")); s.holdsRecipe(v) != want || s.holdsRecipe(List(v)) != want || s.holdsRecipe(RecordValue(Field{"x", v})) != want {
			t.Errorf("cell %d: not %t", i, want)
		}
	}
}
