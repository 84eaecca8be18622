package worker_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// A worker that guesses the number of an object can't use it before it was handed over.
func TestGuessedObjects(t *testing.T) {
	t.Parallel() // it waits for most of its time
	s := &shop{}
	e := evaluator(t, s, exoeval.Bounds{Total: time.Second}, nil)
	if r := run(t, e, "!guess"); fail.KindOf(r.Err) != fail.Limit {
		t.Errorf("%v", r.Err)
	}
	if n := s.acts.Load(); n != 0 {
		t.Errorf("%d effects of an object that was not given", n)
	}
	if run(t, e, "!no guess"); s.acts.Load() != 1 {
		t.Error("the twin had no effect")
	}
}

// What calls hold that wait for an answer is bounded, in a worker by itself; one
// that does not count is ended.
func TestUnansweredBytes(t *testing.T) {
	s, slow := &shop{}, exoeval.Bounds{Wall: time.Minute, CPU: time.Minute, Total: 2 * time.Minute} // with the race detector on a busy machine
	all := exo.Limits{MessageBytes: 1 << 30}
	e := evaluator(t, s, testutil.Both{Limits: all, Bounds: slow}, nil)
	if r := run(t, e, "!flood"); fail.KindOf(r.Err) != fail.Breach || event(r) != worker.ProtocolBreach {
		t.Errorf("%v", r.Err)
	}
	for name, e := range map[string]exoeval.Runner{"worker": e, "in process": testutil.InProcess(gateOf(t, s, all), slow)} {
		r := run(t, e, "const ps = []; for (let i = 0; i < 100; i++) ps.push(shop.echo('x'.repeat(2e5))); return (await Promise.all(ps)).length")
		if fail.KindOf(r.Err) != fail.Limit || !strings.Contains(fail.GuestText(r.Err), "16777216 bytes") {
			t.Errorf("%s: all at once: %v", name, r.Err)
		}
		r = run(t, e, "let n = 0; for (let i = 0; i < 100; i++) n += (await shop.echo('x'.repeat(2e5))).length; return n")
		if r.Err != nil || r.Value.Int() != 100*200_000 {
			t.Errorf("%s: one by one: %v %v", name, r.Value, r.Err)
		}
	}
}

// All that a program sends is bounded, wherever it runs: a text counts in each call that has it, and what is sent beyond the
// limit does not act. The guest does not count, so it is the host that says so.
func TestMessageBytes(t *testing.T) {
	slow := exoeval.Bounds{Wall: time.Minute, CPU: time.Minute, Total: 2 * time.Minute}
	for name, make := range map[string]func(*shop) exoeval.Runner{
		"worker": func(s *shop) exoeval.Runner {
			return evaluator(t, s, testutil.Both{Limits: exo.Limits{MessageBytes: 1 << 20}, Bounds: slow}, nil)
		},
		"in process": func(s *shop) exoeval.Runner {
			return testutil.InProcess(gateOf(t, s, exo.Limits{MessageBytes: 1 << 20}), slow)
		},
	} {
		s := &shop{}
		e := make(s)
		r := run(t, e, "const x = 'x'.repeat(2e5); for (let i = 0; i < 100; i++) { try { await shop.echo(x) } catch {} } return 1")
		if fail.KindOf(r.Err) != fail.Limit || !strings.Contains(fail.GuestText(r.Err), "at most 1048576 bytes, and a value counts anew in each call") {
			t.Errorf("%s: %v", name, r.Err)
		}
		if r = run(t, e, "const x = 'x'.repeat(2e5); let n = 0; for (let i = 0; i < 5; i++) n += (await shop.echo(x)).length; return n"); r.Err != nil || r.Value.Int() != 1_000_000 {
			t.Errorf("%s: the twin: %v %v", name, r.Value, r.Err)
		}
	}
}

// slow is asked for something while its run is ended.
type slow struct {
	shop
	deaf         bool // it does not heed its context
	inside, done atomic.Int64
}

func (s *slow) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	s.inside.Add(1)
	defer s.inside.Add(-1)
	if s.deaf || m.Root.Name == "act" {
		time.Sleep(600 * time.Millisecond)
	} else {
		<-ctx.Done()
	}
	if ctx.Err() == nil {
		s.done.Add(1)
	}
	return value.Null(), ctx.Err()
}

// A program that is ended for a limit does not wait for what it was reading, but
// for its effects, and for objects that can't be called off.
func TestOpenCallsAtTheEnd(t *testing.T) {
	t.Parallel() // it waits for most of its time
	for _, c := range []struct {
		name, program string
		deaf          bool
		done          int64
	}{
		{"a read", "shop.rows(); for (;;) {}", false, 0},
		{"reads that fill the places", "for (let i = 0; i < 20; i++) shop.rows(); shop.act(); for (;;) {}", false, 1},
		{"a native loop", "shop.rows(); let a = []; a.length = 2**32-1; a.reverse(); return 1", false, 0},
		{"a breach", "!read and breach", false, 0},
		{"an effect", "shop.act(); for (;;) {}", false, 1},
		{"a read that can't be called off", "shop.rows(); for (;;) {}", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &slow{deaf: c.deaf}
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": s}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			bounds := exoeval.Bounds{Wall: 200 * time.Millisecond, CPU: 200 * time.Millisecond, Total: time.Hour}
			for name, e := range map[string]exoeval.Runner{"worker": inWorker(t, g, nil, bounds), "in process": testutil.InProcess(g, bounds)} {
				if name == "in process" && (strings.HasPrefix(c.program, "!") || strings.Contains(c.program, "reverse")) {
					continue
				}
				s.done.Store(0)
				done := make(chan *exoeval.RunResult, 1)
				go func() { done <- run(t, e, c.program) }()
				select {
				case r := <-done:
					if fail.KindOf(r.Err) != fail.Limit && fail.KindOf(r.Err) != fail.Breach {
						t.Errorf("%s, %s: %v", c.name, name, r.Err)
					}
				case <-time.After(30 * time.Second):
					t.Fatalf("%s, %s: the run waits for its reads", c.name, name)
				}
				if n := s.inside.Load(); n != 0 {
					t.Errorf("%s, %s: the object is still being asked", c.name, name)
				}
				if n := s.done.Load(); n != c.done {
					t.Errorf("%s, %s: %d done", c.name, name, n)
				}
			}
		})
	}
}
