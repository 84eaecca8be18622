package exoeval_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// With the same seed and start the same program has the same result; chance is
// there, and differs from seed to seed.
func TestSameSeedSameResult(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	run := func(seed uint64) string {
		res := r.Eval.Run(t.Context(), exoeval.Job{Program: "return [Math.random(), Math.random(), Date.now(), [3, 1, 2].sort(() => Math.random() - 0.5)]", Run: exo.Run{Clock: testutil.Start, Seed: seed}})
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		return res.Value.String()
	}
	if a, b := run(7), run(7); a != b {
		t.Errorf("one seed, two results: %s %s", a, b)
	}
	if a, b := run(7), run(8); a == b {
		t.Errorf("two seeds, one result: %s", a)
	}
	if a, b := run(0), run(0); a == b {
		t.Errorf("no seed, one result: %s", a)
	}
}

// A cancelled caller stops a program that computes.
func TestCancelStopsAProgram(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	for name, program := range map[string]string{"loop": "await box.put(1); for (;;) {}", "promises": "for (;;) await box.puts()", "caught": "for (;;) { try { await box.puts(); for (;;) {} } catch (e) {} }"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"box": &testutil.Box{}}, Record: exo.RecordFunc(func(e exo.Entry) error {
				if e.Step == exo.Intent {
					cancel()
				}
				return nil
			}), Limits: exo.Limits{Calls: 1e9}})
			if err != nil {
				t.Fatal(err)
			}
			res := exoeval.NewLocal(gate).Run(ctx, exoeval.Job{Program: program})
			if res.Err == nil || !errors.Is(res.Err, fail.ErrCancelled) || !res.Value.IsZero() {
				t.Errorf("got %v %v, want kind cancelled", res.Value, res.Err)
			}
		})
	}
	if o := r.Run(t, "return 1"); o.JSON != "1" {
		t.Error(o)
	}
}

// One evaluator runs many programs at once; a program that was seen before
// fails at the same place with an error of its own.
func TestRunsAreApart(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for _, p := range []struct{ program, want string }{
				{"let n = 0; for (const t of await tasks.execute()) n += t.id; mark = undefined; return n", ""},
				{"const before = typeof Math.mark; Math.mark = 1; return before", `"undefined"`},
				{"return (await tasks.where((t) => t.id > 1001).execute()).length", "4"},
				{"return await taks.count()", ""},
			} {
				res := r.Eval.Run(t.Context(), exoeval.Job{Program: p.program})
				if p.want == "" {
					if fail.KindOf(res.Err) != fail.Syntax || fail.PosOf(res.Err).Line != 1 {
						t.Errorf("%s: %v", p.program, res.Err)
					} else {
						res.Err.(*fail.Error).Pos.Line = 99 // it is ours: the next run has another
					}
				} else if res.Err != nil || res.Value.String() != p.want {
					t.Errorf("%s: %v %v", p.program, res.Value, res.Err)
				}
			}
		})
	}
	wg.Wait()
}

// What a run did is on record, in order: intent, then outcome, refusals too.
func TestRecord(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{Calls: 3})
	o := r.Run(t, "await tasks.count(); await box.fail().catch(() => {}); await box.put(1); await box.put(2)")
	var got []string
	for _, e := range o.Events {
		s := e.Step.String() + " " + e.Op
		if e.Err != nil {
			s += " failed"
		}
		got = append(got, s)
	}
	want := "intent tasks.count,outcome tasks.count,intent box.fail,outcome box.fail failed,intent box.put,outcome box.put,refused box.put failed"
	if strings.Join(got, ",") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ","), want)
	}
}

// The names of the realm are those that the checker admits, and no other is there.
func TestRealmNames(t *testing.T) {
	r := testutil.As(t, testutil.Open(t), testutil.Acme, exo.Limits{})
	names := exoeval.RealmNames()
	if len(names) < 30 {
		t.Fatal(names)
	}
	for _, n := range names {
		if o := r.Run(t, "return typeof "+n); o.Kind != fail.Other || o.JSON == `"undefined"` && n != "undefined" {
			t.Errorf("%s: %s", n, o)
		}
	}
	for _, n := range []string{"globalThis", "Function", "eval", "Reflect", "Proxy", "WeakRef", "ArrayBuffer", "setTimeout", "escape"} {
		if o := r.Run(t, "return "+n); o.Kind != fail.Syntax {
			t.Errorf("%s: %s", n, o)
		}
	}
}
