package worker_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// A callback of the host that panics loses neither the place nor the worker,
// when its caller recovers and goes on as servers do.
func TestRecordPanics(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1})
	bad := true
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{rows: rowsOf(1)}}, Record: exo.RecordFunc(func(ev exo.Entry) error {
		if bad && ev.Step == exo.Intent {
			panic("the host's record failed")
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	e := inWorker(t, g, p)
	for range 3 { // more than there are places
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			e.Run(t.Context(), exoeval.Job{Program: "await shop.rows()"})
		}()
	}
	bad = false
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if r := e.Run(ctx, exoeval.Job{Program: "1 + 1"}); r.Err != nil || r.Value.Int() != 2 {
		t.Errorf("the next program: %v %v", r.Value, r.Err)
	}
}

// openUnit is the share of a run that a slow effect has.
type openUnit struct{ ended, kept atomic.Int32 }

func (u *openUnit) Prepare(context.Context) error { return nil }

func (u *openUnit) Commit(context.Context) error {
	u.ended.Add(1)
	u.kept.Add(1)
	return nil
}

func (u *openUnit) Rollback(context.Context) error {
	u.ended.Add(1)
	return nil
}

// slowShop is a shop whose effects take their time and have a unit of work.
type slowShop struct {
	shop
	unit openUnit
}

func (s *slowShop) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "act" {
		if _, err := m.Unit(s, func(context.Context) (exo.Unit, error) { return &s.unit, nil }); err != nil {
			return value.Value{}, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return s.shop.Eval(ctx, m)
}

// When Run panics, because a callback of the host did, nothing of the run is left:
// on whatever goroutine it happened the host recovers where it called Run.
func TestRecordPanicLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		at    exo.Step
		where string
	}{{exo.Intent, "in process"}, {exo.Intent, "in a worker"}, {exo.Outcome, "in process"}, {exo.Outcome, "in a worker"}} {
		s, events := &slowShop{}, 0 // each with a record of its own: what one run owes to it stops the next
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": s}, Record: exo.RecordFunc(func(ev exo.Entry) error {
			if ev.Call != 0 {
				events++
			}
			if ev.Step == c.at && (c.at == exo.Outcome || events == 2) {
				panic("the host's record failed")
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if p := recover(); p != "the host's record failed" {
					t.Errorf("%v, %s: %v", c.at, c.where, p)
				}
			}()
			both(t, g)[c.where].Run(t.Context(), exoeval.Job{Program: "shop.act(); await shop.nap()"})
		}()
		if s.unit.ended.Load() != 1 || s.unit.kept.Load() != 0 || s.acts.Load() != 1 {
			t.Errorf("%v, %s: %d acts, the unit ended %d times, kept %d", c.at, c.where, s.acts.Load(), s.unit.ended.Load(), s.unit.kept.Load())
		}
	}
}

// badShop fails with what its program says.
type badShop struct{ shop }

func (s *badShop) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "nap" {
		runtime.Goexit()
	}
	return value.Value{}, &fail.Error{Kind: fail.Kind(m.Args[0].Int()), Msg: "said"}
}

// What an object fails with is told alike in process and in a worker, and is
// never charged to the worker.
func TestBadObjects(t *testing.T) {
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &badShop{}}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	evaluators := both(t, g)
	programs := []string{"await shop.nap()", "try { await shop.nap() } catch (e) { return e.message }"}
	for k := range fail.Breach + 2 {
		programs = append(programs, fmt.Sprintf("await shop.echo(%d)", k), fmt.Sprintf("try { await shop.echo(%d) } catch (e) { return [e.kind, e.message] }", k))
	}
	for _, p := range programs {
		in, out := run(t, evaluators["in process"], p), run(t, evaluators["in a worker"], p)
		if a, b := told(in), told(out); a != b || in.Err != nil && (fail.KindOf(in.Err) == fail.Crashed || fail.KindOf(in.Err) == fail.Breach || event(out) != worker.NoEvent) {
			t.Errorf("%s\nin process: %s\nin a worker: %s", p, a, b)
		}
	}
}

// A worker that does not take its job holds nobody longer than the caller's context.
func TestStoppedWorker(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
	e := evaluator(t, &shop{}, exoeval.Bounds{SourceBytes: 1 << 20}, p)
	run(t, e, "1")
	var pids []int
	for range 2000 {
		if pids = p.IdlePIDs(); len(pids) == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if len(pids) != 1 {
		t.Fatalf("idle: %v", pids)
	}
	if err := unix.Kill(pids[0], unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	done := make(chan *exoeval.RunResult)
	go func() { done <- e.Run(ctx, exoeval.Job{Program: "1" + strings.Repeat(" ", 900_000)}) }()
	select {
	case r := <-done:
		if r.Err == nil {
			t.Error("it ran")
		}
	case <-time.After(8 * time.Second):
		t.Fatal("the run has not returned after its context")
	}
}

// A frame whose bytes come one at a time costs the host a read for each, and no
// more: it looks for the beginning of a frame only.
func TestTrickle(t *testing.T) {
	n, err := worker.Looks(300, 0)
	for range 50 {
		if n > 0 || err != nil {
			break
		}
		n, err = worker.Looks(300, 0) // half of the processors were looking for workers that start
	}
	if err != nil || n == 0 || n > worker.MaxLooks {
		t.Errorf("looked %d times for one frame, %v", n, err)
	}
}

// Where half of the processors look for frames already, nobody else does: the others are
// left to those that have something to do. TestTrickle is the twin.
func TestFewLook(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		if n, err := worker.Looks(1, max(1, procs/2)); n > 0 || err != nil {
			t.Errorf("%d processors: looked %d times, %v", procs, n, err)
		}
	}
}

// Threads without stacks count in no limit of memory, so the watch counts them.
func TestThreadsAreCounted(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	if r := run(t, e, "const end = 3e5; let n = 0; for (let i = 0; i < end; i++) n++; return n"); r.Err != nil {
		t.Fatalf("the twin: %v", r.Err)
	}
	defer worker.FewThreads()()
	r := run(t, e, "for (;;) {}")
	if fail.KindOf(r.Err) != fail.Breach || event(r) != worker.PolicyBreach {
		t.Errorf("%v", r.Err)
	}
}

// TestBeginPanics: a record that panics before there is a run keeps no place, process or file.
func TestBeginPanics(t *testing.T) {
	for name, reuse := range map[string]worker.Reuse{"one program": {}, "reuse": {Programs: 10, Within: time.Minute}} {
		t.Run(name, func(t *testing.T) {
			left := closing(t)
			p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1, Reuse: reuse})
			panics := true
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{rows: rowsOf(1)}}, Record: exo.RecordFunc(func(e exo.Entry) error {
				if panics && e.Step == exo.Begun {
					panic("of the recorder")
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			e := inWorker(t, g, p)
			for range 3 {
				func() {
					defer func() {
						if r := recover(); r != "of the recorder" {
							t.Error("the host does not see its panic:", r)
						}
					}()
					run(t, e, "1")
				}()
			}
			for range 2000 { // each is reaped by a goroutine of its own
				if p.Stats().Running == 0 {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			if n := p.Stats().Running; n != 0 {
				t.Errorf("%d places are kept", n)
			}
			panics = false
			if res := run(t, e, "return 1"); res.Err != nil {
				t.Error("the next program does not run:", res.Err)
			}
			p.Close()
			left()
		})
	}
}
