package exo

import (
	"context"
	"fmt"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"strings"
	"testing"
)

// plainObject describes itself anew each time, by what a test has made of it.
type plainObject struct{ desc message.Description }

func (o *plainObject) Describe() (message.Description, error)              { return o.desc, nil }
func (o *plainObject) Eval(context.Context, *Message) (value.Value, error) { return value.Null(), nil }

func plainDescription(doc string) message.Description {
	m := &message.Method{Name: "read", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeData}}}
	i := &message.Interface{Name: "Plain", Doc: doc, Methods: map[string]*message.Method{"read": m}}
	return message.Description{Type: &message.Type{Name: "Plain"}, Interfaces: []*message.Interface{i}}
}

func gateOfPlain(t *testing.T, d message.Description, c Config) *Gate {
	t.Helper()
	c.Grants = map[string]Object{"plain": &plainObject{d}}
	g, err := NewGate(c)
	wantOK(t, "gate", err)
	return g
}

// Gates of equal declarations share what is made of them, and gates of others do not, nor
// does a gate hear of what is changed in a description later.
func TestDeclaredShared(t *testing.T) {
	type key struct{}
	made := 0
	derive := func(g *Gate) int { return g.Derive(key{}, func() any { made++; return made }).(int) }
	mine := plainDescription("a")
	first, again := gateOfPlain(t, mine, Config{}), gateOfPlain(t, plainDescription("a"), Config{Admits: value.NewLabel("x")})
	if first.declared != again.declared || derive(first) != derive(again) || made != 1 {
		t.Error("two gates of equal declarations share nothing")
	}
	if again.admits.Empty() || !first.admits.Empty() {
		t.Error("a gate has the labels of another")
	}
	other := gateOfPlain(t, plainDescription("b"), Config{})
	if other.declared == first.declared || derive(other) == derive(first) {
		t.Error("two gates of different declarations are one")
	}
	// The host changes what it described, in place.
	m := mine.Interfaces[0].Methods["read"]
	m.Effect, m.Reply = message.Immediate, value.NewLabel("secret")
	if !first.ReadOnly() || first.catalog["Plain"].Methods["read"].Effect != message.NoEffect {
		t.Error("a gate changed with the description of its object")
	}
	if _, err := NewGate(Config{Grants: map[string]Object{"plain": &plainObject{mine}}}); err == nil || !strings.Contains(err.Error(), "Record") {
		t.Errorf("a method with an effect is taken for the one that it was before: %v", err)
	}
	if g := gateOfPlain(t, mine, Config{Record: Unrecorded}); g.ReadOnly() || g.kept.String() != "{secret}" {
		t.Errorf("%v %v", g.ReadOnly(), g.kept)
	}
	if g := gateOfPlain(t, plainDescription("a"), Config{}); g.declared != first.declared {
		t.Error("what was kept is lost")
	}
}

// What is frozen is told by its address: no description is compared with another of which
// the host said so.
func TestFrozenIsItself(t *testing.T) {
	a, b := plainDescription("frozen a"), plainDescription("frozen b")
	a.Frozen, b.Frozen = true, true
	x, y, z := gateOfPlain(t, a, Config{}), gateOfPlain(t, a, Config{}), gateOfPlain(t, b, Config{})
	if x.declared != y.declared || x.declared == z.declared || x.catalog["Plain"] != a.Interfaces[0] {
		t.Error("frozen descriptions are copied, or confused")
	}
}

// A file that is opened twice has as many interfaces to compare as it has tables, not their square: 400 tables took 41 s.
func TestDeclaredAgainComparesOnce(t *testing.T) {
	const n = 50
	facets := func() (out []message.Description) {
		var all []*message.Interface
		for i := range n {
			x := plainDescription("again").Interfaces[0]
			x.Name = fmt.Sprint("Plain", i)
			all = append(all, x)
		}
		for _, x := range all {
			out = append(out, message.Description{Type: &message.Type{Name: x.Name}, Interfaces: append([]*message.Interface{}, all...), Frozen: true})
		}
		return out
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("again", i))
	}
	first, err := declaredOf(names, facets())
	wantOK(t, "declared", err)
	opened := facets()
	if pairs, ok := first.pairs(opened); !ok || len(pairs) != n {
		t.Errorf("%d pairs are compared for %d tables: %v", len(pairs), n, ok)
	}
	again, err := declaredOf(names, opened)
	wantOK(t, "declared again", err)
	if again != first {
		t.Error("a file that is opened again shares nothing")
	}
	opened[n-1].Interfaces[n-1].Doc = "another"
	if other, err := declaredOf(names, opened); err != nil || other == first {
		t.Errorf("a different interface was taken for an equal one: %v", err)
	}
}

// What is kept of declarations is bounded, however many there are and whatever is derived.
func TestDeclaredBounded(t *testing.T) {
	var g *Gate
	for n := range 1200 {
		g = gateOfPlain(t, plainDescription(fmt.Sprint("kind ", n, strings.Repeat(" ", 1<<19))), Config{})
	}
	if n := allDeclared.all.Size(); n > allDeclared.all.Bytes {
		t.Errorf("%d bytes are kept", n)
	}
	for n := range 1000 {
		if g.Derive(n, func() any { return n }) != n {
			t.Fatal("another key's")
		}
	}
	if len(g.derived) > maxDerived {
		t.Errorf("%d things are kept", len(g.derived))
	}
}
