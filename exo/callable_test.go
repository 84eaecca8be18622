package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"testing"
)

// greeter is called itself: greet("Ann").
type greeter struct {
	call    string
	methods []string
}

func (g *greeter) Describe() (message.Description, error) {
	text := &message.Term{Con: &message.Type{Name: value.TypeText}}
	i := &message.Interface{Name: "Greeter", Call: g.call, Methods: map[string]*message.Method{}}
	for _, n := range g.methods {
		i.Methods[n] = &message.Method{Name: n, Sends: true, Result: text, Params: []message.Param{{Name: "who", Want: text}}}
	}
	return message.Description{Type: &message.Type{Name: "Greeter"}, Interfaces: []*message.Interface{i}}, nil
}

func (g *greeter) Eval(_ context.Context, m *Message) (value.Value, error) {
	return value.Text("hello " + m.Root.Args[0].Lit.Text()), nil
}

// TestCallable: what is called itself has one method, and errors name it as the
// program does.
func TestCallable(t *testing.T) {
	for what, g := range map[string]*greeter{
		"no such method":  {"greet", nil},
		"another method":  {"greet", []string{"hello"}},
		"further methods": {"greet", []string{"greet", "hello"}},
	} {
		if _, err := NewGate(Config{Grants: map[string]Object{"greet": g}}); err == nil {
			t.Errorf("%s: it was granted", what)
		}
	}
	_, err := NewGate(Config{Grants: map[string]Object{"greet": &greeter{"greet", []string{"greet"}}, "mail": &greeter{"", []string{"greet"}}}})
	if err == nil {
		t.Fatal("two interfaces of one name differ in what calling means, and nobody saw it")
	}
	gate, err := NewGate(Config{Grants: map[string]Object{"greet": &greeter{"greet", []string{"greet"}}}})
	if err != nil {
		t.Fatal(err)
	}
	c := &message.Checker{Catalog: gate.Catalog(), Bounds: gate.Limits().Message(), Ref: func(uint32) *message.Type { return gate.Granted()[0].Type }, Show: func(uint32) string { return "hi" }}
	ref, bad := c.MakeRef(0)
	if bad != nil {
		t.Fatal(bad)
	}
	if _, bad = c.MakeCall(ref, "greet", nil); bad == nil || fail.AsError("", bad).Op != "hi" {
		t.Errorf("%v", bad)
	}
	if op := c.Op(ref, "other"); op != "hi.other" {
		t.Error(op)
	}
	// What a policy takes the method from is no longer called.
	d, err := keeping(&greeter{"greet", []string{"greet"}}, "greet").Describe()
	if err != nil || d.Interfaces[0].Call != "greet" {
		t.Errorf("%+v, %v", d, err)
	}
	d, err = keeping(&greeter{"greet", []string{"greet"}}).Describe()
	if err != nil || d.Interfaces[0].Call != "" {
		t.Errorf("%+v, %v", d.Interfaces[0], err)
	}
}
