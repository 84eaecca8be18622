package exotest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

// judge stands in for the test that an object fails.
type judge struct {
	testing.TB
	mu      sync.Mutex
	said    []string
	cleanup []func()
}

func (j *judge) Helper()          {}
func (j *judge) Cleanup(f func()) { j.cleanup = append(j.cleanup, f) }
func (j *judge) Errorf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.said = append(j.said, fmt.Sprintf(format, args...))
}
func (j *judge) Fatalf(format string, args ...any) {
	j.Errorf(format, args...)
	runtime.Goexit()
}
func (j *judge) Fatal(args ...any) { j.Fatalf("%s", fmt.Sprint(args...)) }

// under is what a test says that runs f.
func under(f func(t testing.TB)) []string {
	j := &judge{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(j)
	}()
	<-done
	for _, f := range j.cleanup {
		f()
	}
	return j.said
}

// thing is an object that does what its functions say.
type thing struct {
	interfaces func() []*message.Interface
	eval       func(context.Context, *exo.Message) (value.Value, error)
}

func (o *thing) Describe() (message.Description, error) {
	is := o.interfaces()
	return message.Description{Type: &message.Type{Name: is[0].Name}, Interfaces: is}, nil
}

func (o *thing) Eval(ctx context.Context, m *exo.Message) (value.Value, error) { return o.eval(ctx, m) }

func con(name string) *message.Term { return &message.Term{Con: &message.Type{Name: name}} }

// ask describes Thing with the one method ask(x?) of these types.
func ask(arg *message.Type, result *message.Term) func() []*message.Interface {
	return func() []*message.Interface {
		m := &message.Method{Name: "ask", Sends: true, Result: result}
		if arg != nil {
			m.Params = []message.Param{{Name: "the question", Want: &message.Term{Con: arg}}}
		}
		return []*message.Interface{{Name: "Thing", Methods: map[string]*message.Method{"ask": m}},
			{Name: "Other", Methods: map[string]*message.Method{}}}
	}
}

func gives(v value.Value) func(context.Context, *exo.Message) (value.Value, error) {
	return func(context.Context, *exo.Message) (value.Value, error) { return v, nil }
}

// Conform finds each breach, and finds none in an object that keeps to the rules.
func TestConform(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	text, point := &message.Type{Name: value.TypeText}, &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "x", Type: &message.Type{Name: value.TypeInt}}, {Name: "y", Type: &message.Type{Name: value.TypeDate, Null: true}, Opt: true}}}
	list := func(of *message.Type) *message.Term {
		return &message.Term{Con: &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": of}}}
	}
	calls := 0
	var learnt atomic.Int32
	release := make(chan struct{})
	var other *thing
	for what, c := range map[string]struct {
		o    exo.Object
		want string // "" for none
	}{
		"text":             {&thing{ask(text, con(value.TypeText)), func(_ context.Context, m *exo.Message) (value.Value, error) { return m.Args[0], nil }}, ""},
		"a failure":        {&thing{ask(text, con(value.TypeText)), func(context.Context, *exo.Message) (value.Value, error) { return value.Value{}, errors.New("no") }}, ""},
		"a record":         {&thing{ask(point, &message.Term{Con: point}), func(_ context.Context, m *exo.Message) (value.Value, error) { return m.Args[0], nil }}, ""},
		"rows":             {&thing{ask(nil, list(point)), gives(value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}, Cells: []value.Value{value.Int(1), value.Int(2)}}))}, ""},
		"data":             {&thing{ask(&message.Type{Name: value.TypeData}, con(value.TypeData)), func(_ context.Context, m *exo.Message) (value.Value, error) { return m.Args[0], nil }}, ""},
		"an object":        {&thing{ask(nil, con("Thing")), func(_ context.Context, m *exo.Message) (value.Value, error) { return value.RefValue(m.Objects[0]), nil }}, ""},
		"of another type":  {&thing{ask(nil, con(value.TypeText)), gives(value.Int(1))}, "is 1, but the description says text"},
		"null":             {&thing{ask(nil, con(value.TypeText)), gives(value.Null())}, "but the description says text"},
		"a number as text": {&thing{ask(nil, con(value.TypeInt)), gives(value.Text("1"))}, "but the description says a whole number"},
		"a date with time": {&thing{ask(nil, con(value.TypeDate)), gives(value.Text("2024-01-31T12:00:00Z"))}, "but the description says a day"},
		"a field less":     {&thing{ask(nil, &message.Term{Con: point}), gives(value.RecordValue())}, "the result lacks the field x"},
		"a field more":     {&thing{ask(nil, &message.Term{Con: point}), gives(value.RecordValue(value.Field{Name: "x", Value: value.Int(1)}, value.Field{Name: "z", Value: value.Int(1)}))}, "the description lacks"},
		"an item":          {&thing{ask(nil, list(text)), gives(value.List(value.Text("a"), value.Int(1)))}, "result[1]"},
		"a cell":           {&thing{ask(nil, list(point)), gives(value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"x"}}, Cells: []value.Value{value.Int(1), value.Text("2")}}))}, "result[1].x"},
		"no object":        {&thing{ask(nil, con("Thing")), gives(value.Int(1))}, "but the description says Thing"},
		"another object":   {&thing{ask(nil, con("Other")), func(context.Context, *exo.Message) (value.Value, error) { return value.RefValue(other), nil }}, "but the description says Other"},
		"a panic": {&thing{ask(text, con(value.TypeText)), func(_ context.Context, m *exo.Message) (value.Value, error) {
			return value.Text(m.Args[0].Text()[:1]), nil
		}}, "ask: Eval must return, and not panic"},
		"an end": {&thing{ask(nil, con(value.TypeText)), func(context.Context, *exo.Message) (value.Value, error) { runtime.Goexit(); panic("not here") }}, "ask: Eval must return, and not panic or end its goroutine"},
		"a moody object": {&thing{func() []*message.Interface {
			calls++
			return ask([]*message.Type{text, point}[calls%2], con(value.TypeInt))()
		}, gives(value.Int(1))}, "has changed since"},
		"one that learns": {&thing{func() []*message.Interface {
			return ask([]*message.Type{text, point}[learnt.Load()], con(value.TypeInt))()
		}, func(context.Context, *exo.Message) (value.Value, error) {
			learnt.Store(1)
			return value.Int(1), nil
		}}, "after messages were sent, Describe returns another"},
		"nothing to send": {&thing{func() []*message.Interface { return []*message.Interface{{Name: "Thing"}} }, nil}, "can send this object no message"},
		"what can't be":   {&thing{func() []*message.Interface { return []*message.Interface{{Name: "text"}} }, nil}, "can't be granted"},
		"a panic when held": {&thing{func() []*message.Interface {
			is := ask(nil, &message.Term{Con: message.Receipt()})()
			is[0].Methods["ask"].Effect = message.Held
			return is
		}, func(context.Context, *exo.Message) (value.Value, error) { panic("now") }}, "ask: Eval must return, and not panic"},
		"a service": {mailer(t), ""},
		"what never returns": {&thing{ask(nil, con(value.TypeInt)), func(ctx context.Context, m *exo.Message) (value.Value, error) {
			if ctx.Err() != nil {
				<-release
			}
			return value.Int(1), nil
		}}, "has not returned"},
	} {
		patience = 30 * time.Second
		if what == "what never returns" {
			patience = 50 * time.Millisecond
		}
		if o, ok := c.o.(*thing); ok {
			other = o
		}
		said := strings.Join(under(func(t testing.TB) { Conform(t, c.o) }), "\n")
		if c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: it says %q, want %q", what, said, c.want)
		}
	}
	close(release)
}

func mailer(t *testing.T) exo.Object {
	type mail struct {
		To   string     `json:"to"`
		CC   []string   `json:"cc,omitempty"`
		At   *time.Time `json:"at"`
		Size int8       `json:"size,omitempty"`
		More any        `json:"more,omitempty"`
	}
	s, err := service.New("mail", "", service.Method("send", "", func(_ context.Context, in mail) (mail, error) { return in, nil }),
		service.Read("list", "", func(context.Context, service.None) ([]mail, error) { return make([]mail, 2), nil }),
		service.Read("box", "", func(context.Context, service.None) (exo.Object, error) { return nil, service.Refuse("none") }).ReturnsOwnKind())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A message that is kept is not sent, and is bound to a run that lives.
func TestMessage(t *testing.T) {
	asked := 0
	o := &thing{ask(&message.Type{Name: value.TypeText}, con(value.TypeText)), func(context.Context, *exo.Message) (value.Value, error) { asked++; return value.Text("x"), nil }}
	for what, given := range map[string]exo.Object{"itself": o, "restricted": policy.Only(o, "ask")} {
		m := Message(t, given, "ask", "why")
		if asked != 0 || m.Root.Name != "ask" || m.Args[0].Text() != "why" || m.Objects[0] != exo.Object(o) {
			t.Errorf("%s: %+v, asked %d times", what, m, asked)
		}
		m.AddDetail("seen")
		if err := m.Spend(1, 1); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if u, err := m.Unit("key", func(context.Context) (exo.Unit, error) { return unit{}, nil }); err != nil || u != (unit{}) {
			t.Errorf("%s: %v %v", what, u, err)
		}
	}
	if said := under(func(t testing.TB) { Message(t, o, "ask", 1) }); len(said) != 1 || !strings.Contains(said[0], "must be text") {
		t.Errorf("a message that the gate refuses: %q", said)
	}
	if said := under(func(t testing.TB) { Send(t, o, "ask", struct{}{}) }); len(said) != 1 || !strings.Contains(said[0], "struct {}") {
		t.Errorf("an argument that is none: %q", said)
	}
	if v, err := Send(t, o, "ask", "why"); err != nil || v.Text() != "x" || asked != 1 {
		t.Errorf("%v, %v, asked %d times", v, err, asked)
	}
}

type unit struct{ ended *[]bool }

func (u unit) Prepare(context.Context) error  { return nil }
func (u unit) Commit(context.Context) error   { return u.end(true) }
func (u unit) Rollback(context.Context) error { return u.end(false) }

func (u unit) end(commit bool) error {
	if u.ended != nil {
		*u.ended = append(*u.ended, commit)
	}
	return nil
}

// Send commits what went well, and a run of Begin only what Finish was told to.
func TestCommits(t *testing.T) {
	var ended []bool
	fail := false
	o := &thing{ask(nil, con(value.TypeInt)), func(_ context.Context, m *exo.Message) (value.Value, error) {
		if _, err := m.Unit("key", func(context.Context) (exo.Unit, error) { return unit{&ended}, nil }); err != nil || fail {
			return value.Value{}, errors.New("no")
		}
		return value.Int(1), nil
	}}
	Send(t, o, "ask")
	fail = true
	Send(t, o, "ask")
	fail = false
	t.Run("begun", func(t *testing.T) { On(t, o).Call("ask").Send() })
	if fmt.Sprint(ended) != "[true false false]" {
		t.Error(ended)
	}
}

// Of what is held Send says whether it happened.
func TestSendHeld(t *testing.T) {
	fail, acted := false, 0
	o := &thing{func() []*message.Interface {
		is := ask(nil, &message.Term{Con: message.Receipt()})()
		is[0].Methods["ask"].Effect = message.Held
		return is
	}, func(context.Context, *exo.Message) (value.Value, error) {
		if acted++; fail {
			return value.Value{}, errors.New("the line is busy")
		}
		return value.Int(1), nil
	}}
	if v, err := Send(t, o, "ask"); err != nil || v.Type() != value.TypeRecord || acted != 1 {
		t.Errorf("%v, %v, acted %d times", v, err, acted)
	}
	fail = true
	if _, err := Send(t, o, "ask"); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Error(err)
	}
}

// Chains record what a program would: fields, callbacks, records of expressions, other
// objects, and what replies refer to.
func TestChain(t *testing.T) {
	num := &message.Type{Name: "Num", Args: map[string]*message.Type{"of": {Name: value.TypeInt}}}
	row := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "n", Type: num}}}
	var got []string
	o := &thing{func() []*message.Interface {
		return []*message.Interface{{Name: "Rows", Fields: map[string]*message.Property{"size": {Type: num}}, Methods: map[string]*message.Method{
			"where":  {Name: "where", Params: []message.Param{{Name: "limit", Want: con(value.TypeInt), Opt: true}, {Name: "the condition", Want: &message.Term{Con: num}, Lambda: &message.Term{Con: row}, Opt: true}}, Result: con("Rows")},
			"select": {Name: "select", Params: []message.Param{{Name: "the selection", Want: con(value.TypeSelection), Lambda: &message.Term{Con: row}}}, Result: con("Rows")},
			"join":   {Name: "join", Params: []message.Param{{Name: "the other", Want: con("Rows")}}, Result: con("Rows")},
			"copy":   {Name: "copy", Sends: true, Result: con("Rows")},
			"keep":   {Name: "keep", Sends: true, Params: []message.Param{{Name: "the data", Want: con(value.TypeData)}}, Result: con(value.TypeInt)}}},
			{Name: "Num", Expr: true, Methods: map[string]*message.Method{"plus": {Name: "plus", Params: []message.Param{{Name: "n", Want: con(value.TypeInt)}}, Result: &message.Term{Con: num}}}}}
	}, nil}
	o.eval = func(_ context.Context, m *exo.Message) (value.Value, error) {
		got = append(got, fmt.Sprintf("%s %v", m.Root.Name, m.Args))
		return map[string]value.Value{"copy": value.RefValue(o), "keep": value.Int(int64(len(m.Objects)))}[m.Root.Name], nil
	}
	run := Begin(t, exo.Config{Grants: map[string]exo.Object{"a": o, "b": o}})
	a, b := run.On("a"), run.On("b")
	plus := func(r *Chain) *Chain { return r.Field("n").Call("plus", 2) }
	if chosen := a.Call("where", 1, plus).Call("select", func(*Chain) *Chain { return b }); chosen.err == nil {
		t.Error("another object is no selection, and was one")
	}
	if chosen := a.Call("where", 1, plus).Call("select", func(r *Chain) *Chain { return r.Field("n") }); chosen.err != nil {
		t.Error("a column is a selection of its values:", chosen.err)
	}
	v, err := a.Call("where", 1, plus).Call("join", b).Call("copy").Send()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
	n, err := run.Reply(v).Call("keep", map[string]any{"list": []any{nil, true, 1, int64(2), 1.5, "x", at}, "value": value.Int(3)}).Send()
	if err != nil || n.Int() != 1 {
		t.Errorf("%v %v", n, err)
	}
	want := []string{"copy [1 2]", `keep [{"list":[null,true,1,2,1.5,"x","2024-01-31T00:00:00.000Z"],"value":3}]`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the object got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := a.Call("select", func(r *Chain) *Chain { return r.Call("none") }).Call("copy").Send(); fail.KindOf(err) != fail.Denied {
		t.Errorf("an error within a callback: %v", err)
	}
	if _, err := a.Call("join", On(t, o)).Call("copy").Send(); err == nil || !strings.Contains(err.Error(), "another Run") {
		t.Errorf("a chain of another run: %v", err)
	}
	for _, f := range []func(testing.TB){func(t testing.TB) { Begin(t, exo.Config{Grants: map[string]exo.Object{"a": o}}).On("z") },
		func(t testing.TB) { Begin(t, exo.Config{}).Reply(value.Int(1)) }, func(t testing.TB) { On(t, nil) }} {
		if said := under(f); len(said) != 1 {
			t.Errorf("it says %q", said)
		}
	}
}
