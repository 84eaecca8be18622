package exoeval

import (
	"context"
	"maps"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
)

// NewLocal is what runs programs against a gate in this process. It panics where none can run.
func NewLocal(g *exo.Gate) *local {
	w, err := NewWorld(g, Bounds{})
	if err != nil {
		panic(err)
	}
	return newLocal(g, w)
}

// NewRealmOf makes the realm of a program as often as it is called.
func NewRealmOf(l *local, program string) func() error {
	prog, err := l.compile(program)
	if err != nil {
		return func() error { return err }
	}
	return func() error { return bareRun(l, prog).newRealm() }
}

// Recording calls a program, an arrow function, as often as the result is
// called: in one realm, and with a host that takes messages and never answers.
func Recording(l *local, program string) (func() error, error) {
	prog, err := l.compile(program)
	if err != nil {
		return nil, err
	}
	r := bareRun(l, prog)
	if err := r.newRealm(); err != nil {
		return nil, err
	}
	main, err := r.VM.RunProgram(prog.Compiled)
	if err != nil {
		return nil, err
	}
	f, _ := goja.AssertFunction(main)
	return func() error {
		clear(r.Open)
		_, err := f(goja.Undefined(), r.api)
		return err
	}, nil
}

func bareRun(l *local, prog *program) *run {
	s, err := l.gate.Begin(context.Background(), exo.Run{}, "", nil)
	if err != nil {
		panic(err)
	}
	w := *l.world
	w.Limits.ConsoleBytes = 1000
	return newRun(context.Background(), realm.Realm{VM: goja.New(), Seed: 1}, deafPort{}, s.Checker(), &w, prog)
}

type deafPort struct{}

func (deafPort) Submit(exo.Call) error                         { return nil }
func (deafPort) Log(exo.Line) error                            { return nil }
func (deafPort) Next(context.Context) (exo.Reply, bool, error) { return exo.Reply{}, false, nil }

// Keywords are the words that no grant has for a name.
const Keywords = scalar.Keywords

// RealmNames lists the globals that every program finds.
func RealmNames() []string { return slices.Sorted(maps.Keys(front.Globals())) }
