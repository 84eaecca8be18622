package exoeval_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// change is something that await would run, if it changed nothing.
type change struct{ effect message.EffectMode }

func (c change) Describe() (message.Description, error) {
	i := &message.Interface{Name: "Change", Await: "run", Order: []string{"run", "twice"}, Methods: map[string]*message.Method{
		"run":   {Name: "run", Sends: true, Effect: c.effect, Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}},
		"twice": {Name: "twice", Result: &message.Term{Var: "self"}},
	}}
	return message.Description{Type: &message.Type{Name: "Change"}, Interfaces: []*message.Interface{i}}, nil
}

func (change) Eval(context.Context, *exo.Message) (value.Value, error) { return value.Int(1), nil }

// However a program comes to give something that acts, it is run once where only its
// result makes sense, and never if it has an effect.
func TestGivenIsRun(t *testing.T) {
	for program, calls := range map[string]int{
		"await change; return 1":                                        1,
		"return await change.twice()":                                   1,
		"return change":                                                 1,
		"return (async () => change)()":                                 1,
		"await (async () => change)(); return 1":                        1,
		"await (async () => { await null; return change })(); return 1": 1,
		"const p = (async () => change)(); await 0; await p":            1,
		"await Promise.all([change, change.twice()]); return 1":         2,
		"await Promise.race([change]); return 1":                        1,
		"await Promise.any([change]); return 1":                         1,
		"await Promise.all([(async () => change)()]); return 1":         1,
		"return { a: { b: [change] } }":                                 1,
		"const c = change.twice(); return [c, c, { c }]":                1,
		"return { get a() { return change } }":                          1,
		"for await (const x of [change, change.twice()]);":              2,
	} {
		for _, effect := range []message.EffectMode{message.NoEffect, message.Immediate} {
			n := 0
			gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"change": change{effect}}, Record: exo.RecordFunc(func(e exo.Entry) error {
				if e.Step == exo.Outcome {
					n++
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			res := exoeval.NewLocal(gate).Run(t.Context(), exoeval.Job{Program: program})
			switch {
			case effect == message.NoEffect && (res.Err != nil || n != calls):
				t.Errorf("%s: %d calls, %v", program, n, res.Err)
			case effect != message.NoEffect && (n != 0 || fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(fail.GuestText(res.Err), ".run()")):
				t.Errorf("%s, of what has an effect: %d calls, %v", program, n, res.Err)
			}
		}
	}
	// Passing it on runs nothing.
	for _, program := range []string{"await Promise.resolve([change]); return 1", "[change].map((c) => c.twice()); return 1", "Promise.resolve(change).then((c) => 1); return 1", "console.log(change, [change]); return 1"} {
		n := 0
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"change": change{}}, Record: exo.RecordFunc(func(e exo.Entry) error {
			if e.Call != 0 {
				n++
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if res := exoeval.NewLocal(gate).Run(t.Context(), exoeval.Job{Program: program}); res.Err != nil || n != 0 {
			t.Errorf("%s: %d events, %v", program, n, res.Err)
		}
	}
}

// TestUndefinedIsGiven: a method that changes something takes no undefined for an argument that was left out. Who writes
// delete(found) and found nothing would delete what the rest of the chain says.
func TestUndefinedIsGiven(t *testing.T) {
	for _, effect := range []message.EffectMode{message.NoEffect, message.Immediate} {
		n := 0
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"change": change{effect}}, Record: exo.RecordFunc(func(e exo.Entry) error {
			if e.Step == exo.Outcome {
				n++
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{"undefined", "void 0", "[].find(x => x)", "({}).id", "...[undefined]", "undefined, undefined"} {
			n = 0
			r := exoeval.NewLocal(gate).Run(t.Context(), exoeval.Job{Program: "return await change.twice().run(" + given + ")"})
			refused := fail.KindOf(r.Err) == fail.Invalid && strings.Contains(fail.GuestText(r.Err), "is given undefined") && n == 0
			if effect == message.NoEffect && r.Err != nil || effect != message.NoEffect && !refused {
				t.Errorf("%s, effect %v: %d calls, %v", given, effect, n, r.Err)
			}
		}
	}
}
