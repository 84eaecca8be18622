package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
)

type tree struct {
	Kids []tree `json:"kids"`
}

type deepFunc struct {
	A struct {
		F func() `json:"f"`
	} `json:"a"`
}

type twins struct {
	inner
	Other int `json:"a"`
}

type quoted struct {
	A int `json:"a,string"`
}

type proto struct {
	A int `json:"__proto__"`
}

type undocumented struct {
	A int `jsonschema:""`
}

type half struct{}

func (half) MarshalText() ([]byte, error) { return nil, nil }

func takes[T any](context.Context, T) (None, error) { return None{}, nil }
func gives[T any](context.Context, None) (T, error) { var z T; return z, nil }

// What can't be expressed is found by New, which names the type and the field.
func TestNewRefuses(t *testing.T) {
	ok := Read("m", "", takes[inner])
	for _, c := range []struct {
		what  string
		name  string
		op    Operation
		names []string // in the error
	}{
		{"function in argument", "x", Read("m", "", takes[deepFunc]), []string{"argument.a.f", "func()"}},
		{"channel in result", "x", Read("m", "", gives[map[string]chan int]), []string{"result[]", "chan int"}},
		{"complex", "x", Read("m", "", gives[complex128]), []string{"complex128"}},
		{"cycle", "x", Read("m", "", gives[tree]), []string{"result.kids[]", "service.tree"}},
		{"interface with methods", "x", Read("m", "", gives[error]), []string{"error"}},
		{"keys", "x", Read("m", "", gives[map[int]int]), []string{"map[int]int"}},
		{"pointer to pointer", "x", Read("m", "", gives[**int]), []string{"**int"}},
		{"pointer to slice", "x", Read("m", "", gives[*[]int]), []string{"*[]int"}},
		{"JSON of its own", "x", Read("m", "", gives[json.RawMessage]), []string{"json.RawMessage"}},
		{"JSON by pointer", "x", Read("m", "", gives[big.Int]), []string{"big.Int"}},
		{"only one half of a text form", "x", Read("m", "", gives[half]), []string{"service.half"}},
		{"embedded pointer", "x", Read("m", "", gives[struct{ *inner }]), []string{"inner"}},
		{"embedded time", "x", Read("m", "", gives[struct{ time.Time }]), []string{"its own MarshalJSON"}},
		{"option string", "x", Read("m", "", takes[quoted]), []string{"field A", "string"}},
		{"two of one name", "x", Read("m", "", takes[twins]), []string{"field Other", `"a"`}},
		{"reserved field", "x", Read("m", "", takes[proto]), []string{"field A", "__proto__"}},
		{"empty description", "x", Read("m", "", takes[undocumented]), []string{"empty"}},
		{"scalar argument", "x", Read("m", "", takes[int]), []string{"int", "struct"}},
		{"pointer argument", "x", Read("m", "", takes[*inner]), []string{"struct"}},
		{"time argument", "x", Read("m", "", takes[time.Time]), []string{"time.Time"}},
		{"object in a list", "x", Read("m", "", gives[[]exo.Object]), []string{"result[]", "exo.Object"}},
		{"object of unknown kind", "x", Read("m", "", gives[exo.Object]), []string{"Returns"}},
		{"kind of no object", "x", Read("m", "", gives[int]).ReturnsOwnKind(), []string{"int"}},
		{"bad example", "x", Read("m", "", gives[exo.Object]).Returns(&Service{}), []string{"zero Service"}},
		{"no function", "x", Read[None, None]("m", "", nil), []string{"function"}},
		{"zero operation", "x", Operation{}, []string{`""`}},
		{"method then", "x", Read("then", "", takes[inner]), []string{"then"}},
		{"method with a dot", "x", Read("a.b", "", takes[inner]), []string{"a.b"}},
		{"service constructor", "constructor", ok, []string{"constructor"}},
		{"service row", "row", ok, []string{"row"}},
		{"service of no letters", "__", ok, []string{"__"}},
		{"empty service name", "", ok, nil},
	} {
		_, err := New(c.name, "", c.op)
		if err == nil {
			t.Errorf("%s: accepted", c.what)
			continue
		}
		for _, n := range c.names {
			if !strings.Contains(err.Error(), n) {
				t.Errorf("%s: %q does not name %s", c.what, err, n)
			}
		}
	}
	if _, err := New("x", "", ok); err != nil {
		t.Errorf("the twin: %v", err)
	}
	if _, err := New("x", "", ok, ok); err == nil {
		t.Error("one method twice was accepted")
	}
	if _, err := (&Service{}).Describe(); err == nil {
		t.Error("the zero Service describes itself")
	}
}

// The catalogue has the names, types, docs and rights that were declared.
func TestDescribe(t *testing.T) {
	type in struct {
		At   time.Time `json:"at" jsonschema:"when it happens"`
		Tags []string  `json:"tags,omitempty"`
		Note *string   `json:"note"`
	}
	s, err := New("web_search", "finds things",
		Method("b", "first", takes[in]).Immediate().Admits(value.NewLabel("pii")),
		Read("a", "second", gives[[]inner]),
		Read("c", "third", takes[struct {
			N int `json:"n,omitempty"`
		}]))
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Describe()
	if err != nil || d.Type.Name != "WebSearch" || d.Type.Args != nil || len(d.Interfaces) != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	i := d.Interfaces[0]
	if got := fmt.Sprint(i.Name, i.Order, i.Doc); got != "WebSearch[b a c]finds things" && got != "WebSearch [b a c] finds things" {
		t.Error(got)
	}
	b, a, c := i.Methods["b"], i.Methods["a"], i.Methods["c"]
	if !b.Sends || !b.Sink || b.Effect != message.Immediate || !slices.Equal(b.Admits.Tags(), []string{"pii"}) {
		t.Errorf("b: %+v", b)
	}
	if !a.Sends || !a.Sink || a.Effect != message.NoEffect || !a.Admits.Empty() || len(a.Params) != 0 {
		t.Errorf("a: %+v", a)
	}
	if b.Params[0].Opt || !c.Params[0].Opt {
		t.Error("only an argument without required fields may be left out")
	}
	fs := b.Params[0].Want.Con.Fields
	if len(fs) != 3 || fs[0].Type.Name != value.TypeTime || fs[0].Doc != "when it happens" || fs[0].Opt || !fs[1].Opt || fs[1].Type.Null ||
		fs[1].Type.Args["of"].Name != value.TypeText || fs[2].Opt || !fs[2].Type.Null {
		t.Errorf("fields: %+v", fs)
	}
}

// An argument that may be left out may also be given.
func TestOptionalArgument(t *testing.T) {
	s := mustNew(t, Read("m", "", func(_ context.Context, in struct {
		N int `json:"n,omitempty"`
	}) (int, error) {
		return in.N, nil
	}), Read("need", "", takes[inner]))
	r := open(t, exo.Config{}, s)
	if v, err := r.call(0, "m", value.Value{}); err != nil || v.Int() != 0 {
		t.Error(v, err)
	}
	if v, err := r.call(0, "m", rec("n", value.Int(3))); err != nil || v.Int() != 3 {
		t.Error(v, err)
	}
	_, err := r.call(0, "need", value.Value{})
	wantKind(t, err, fail.Invalid)
}

type wrapped struct{ err error }

func (w wrapped) Error() string { return "s3cret outer" }
func (w wrapped) Unwrap() error { return w.err }

// An error's text must not be the way out.
func TestErrors(t *testing.T) {
	cause := errors.New("s3cret: dial 10.0.0.1")
	for _, c := range []struct {
		name  string
		err   error
		kind  fail.Kind
		guest string
	}{
		{"plain", cause, fail.Internal, "it.m: internal error"},
		{"timeout of its own", fmt.Errorf("s3cret: %w", context.DeadlineExceeded), fail.Internal, "it.m: internal error"},
		{"cancelled of its own", wrapped{context.Canceled}, fail.Internal, "it.m: internal error"},
		{"written for the guest", Refuse("no such address: %s", "x"), fail.Invalid, "it.m: no such address: x"},
		{"wrapped round it", wrapped{Refuse("not yours")}, fail.Invalid, "it.m: not yours"},
		{"of another layer", fail.Errorf(fail.Invalid, "s3cret.table", "s3cret column"), fail.Internal, "it.m: internal error"},
		{"of another layer, denied", wrapped{fail.Errorf(fail.Denied, "", "s3cret")}, fail.Internal, "it.m: internal error"},
		{"of another layer, a limit", &fail.Error{Kind: fail.Limit, Msg: "s3cret", Err: cause}, fail.Limit, "it.m: a limit was reached while the host answered this call: ask for less"},
		{"internal with a message", &fail.Error{Kind: fail.Internal, Msg: "s3cret"}, fail.Internal, "it.m: internal error"},
	} {
		s := mustNew(t, Read("m", "", func(context.Context, None) (string, error) { return "s3cret result", c.err }))
		v, err := open(t, exo.Config{}, s).call(0, "m", value.Value{})
		wantKind(t, err, c.kind)
		if err == nil {
			continue
		}
		if fail.GuestText(err) != c.guest || !v.IsZero() {
			t.Errorf("%s: the guest reads %q and %v, want %q", c.name, fail.GuestText(err), v, c.guest)
		}
		if !errors.Is(err, c.err) && c.kind == fail.Internal {
			t.Errorf("%s: the cause is lost to the host: %v", c.name, err)
		}
	}
}

func TestNilErrorOfErrorType(t *testing.T) {
	s := mustNew(t, Read("m", "", func(context.Context, None) (int, error) { return 1, (*fail.Error)(nil) }))
	v, err := open(t, exo.Config{}, s).call(0, "m", value.Value{})
	wantKind(t, err, fail.Internal)
	if !v.IsZero() {
		t.Error("a result next to an error left:", v)
	}
}

func TestPanicIsInternal(t *testing.T) {
	s := mustNew(t, Read("m", "", func(context.Context, None) (int, error) { panic("s3cret") }), Read("ok", "", gives[int]))
	r := open(t, exo.Config{}, s)
	_, err := r.call(0, "m", value.Value{})
	wantKind(t, err, fail.Internal)
	if strings.Contains(fail.GuestText(err), "s3cret") {
		t.Error(fail.GuestText(err))
	}
	if _, err := r.call(0, "ok", value.Value{}); err != nil {
		t.Error("the run did not survive:", err)
	}
}

// When the run ends, that is the reason, whatever the function makes of it.
func TestRunEnds(t *testing.T) {
	in := make(chan struct{})
	s := mustNew(t, Read("m", "", func(ctx context.Context, _ None) (int, error) {
		close(in)
		<-ctx.Done()
		return 0, errors.New("s3cret: gave up")
	}))
	r := open(t, exo.Config{}, s)
	go func() { <-in; r.s.Finish(context.Background(), value.Null(), nil) }()
	_, err := r.call(0, "m", value.Value{})
	wantKind(t, err, fail.Cancelled)
	if err != nil && strings.Contains(fail.GuestText(err), "s3cret") {
		t.Error(fail.GuestText(err))
	}
}

func folder(name string) *Service {
	s, err := New("folder", "a folder",
		Read("open", "a folder in it", func(_ context.Context, in struct {
			Name string `json:"name"`
		}) (*Service, error) {
			if in.Name == "none" {
				return nil, nil
			}
			return folder(name + "/" + in.Name), nil
		}).ReturnsOwnKind(),
		Read("path", "where it is", func(context.Context, None) (string, error) { return name, nil }),
		Method("remove", "removes it", func(context.Context, None) (None, error) { return None{}, nil }).Immediate(),
	)
	if err != nil {
		panic(err)
	}
	return s
}

// A method can return a further capability, of its own kind or of another.
func TestReturnsObject(t *testing.T) {
	var s *Service
	s = mustNew(t,
		Read("root", "", func(context.Context, None) (exo.Object, error) { return folder(""), nil }).Returns(folder("")),
		Read("liar", "", func(context.Context, None) (exo.Object, error) { return s, nil }).Returns(folder("")),
	)
	r := open(t, exo.Config{}, s)
	root, err := r.call(0, "root", value.Value{})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := r.call(root.Number(), "open", rec("name", value.Text("a")))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.call(sub.Number(), "path", value.Value{}); err != nil || p.Text() != "/a" {
		t.Error(p, err)
	}
	_, err = r.call(root.Number(), "open", rec("name", value.Text("none")))
	wantKind(t, err, fail.Internal)
	_, err = r.call(0, "liar", value.Value{})
	wantKind(t, err, fail.Internal)
}

// Only holds for what the object leads to, even beside the full form.
func TestOnlyReachesReturnedObjects(t *testing.T) {
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"full": folder("f"), "some": policy.Only(folder("s"), "open", "path")}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, g)
	defer s.Finish(context.Background(), value.Null(), nil)
	r := &run{t: t, s: s, c: s.Checker()}
	for id, removes := range []bool{true, false} { // the grants are numbered by name
		sub, err := r.call(uint32(id), "open", rec("name", value.Text("a")))
		if err != nil {
			t.Fatal(err)
		}
		sub, err = r.call(sub.Number(), "open", rec("name", value.Text("b")))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := r.call(sub.Number(), "path", value.Value{}); err != nil || !strings.HasSuffix(p.Text(), "/a/b") {
			t.Error(p, err)
		}
		if _, err = r.call(sub.Number(), "remove", value.Value{}); removes && err != nil {
			t.Error(err)
		} else if !removes {
			wantKind(t, err, fail.Denied)
		}
	}
}

// Revoking an object revokes what it led to.
func TestRevocableReachesReturnedObjects(t *testing.T) {
	o, revoke := policy.Revocable(folder(""))
	r := open(t, exo.Config{}, o)
	sub, err := r.call(0, "open", rec("name", value.Text("a")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.call(sub.Number(), "path", value.Value{}); err != nil {
		t.Error(err)
	}
	revoke()
	_, err = r.call(sub.Number(), "path", value.Value{})
	wantKind(t, err, fail.Revoked)
}

// Results count against the budgets of the run.
func TestBudget(t *testing.T) {
	s := mustNew(t, Read("m", "", func(_ context.Context, in struct {
		N int `json:"n"`
	}) ([]int, error) {
		return make([]int, in.N), nil
	}))
	r := open(t, exo.Config{Limits: exo.Limits{Rows: 10}}, s)
	if _, err := r.call(0, "m", rec("n", value.Int(10))); err != nil {
		t.Error(err)
	}
	_, err := r.call(0, "m", rec("n", value.Int(1)))
	wantKind(t, err, fail.Limit)
}

// A service does not answer what the gate would not have let pass.
func TestZeroServiceRefuses(t *testing.T) {
	if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"it": &Service{}}}); err == nil {
		t.Error("the zero Service was granted")
	}
	if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"it": folder("")}, Record: exo.Unrecorded}); err != nil {
		t.Error(err)
	}
}
