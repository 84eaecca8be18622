package worker_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
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

// No principal has all places, nor has a tool that has none: whoever fills its
// share with programs that do not end holds up itself.
func TestShare(t *testing.T) {
	type member struct {
		tool int
		who  exo.Principal
	}
	for name, c := range map[string]struct{ greedy, other member }{
		"two principals of one tool": {member{0, "ann"}, member{0, "bob"}},
		"two tools without one":      {member{0, ""}, member{1, ""}},
		"a tool without one":         {member{0, ""}, member{0, "bob"}},
	} {
		p := newPool(t, worker.PoolOptions{Workers: 3, Queue: 2})
		tools := []exoeval.Runner{evaluator(t, &shop{}, exo.Limits{}, p), evaluator(t, &shop{}, exo.Limits{}, p)}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 4 { // two run, two wait
			wg.Go(func() {
				tools[c.greedy.tool].Run(ctx, exoeval.Job{Program: "for (;;) {}", Run: exo.Run{Principal: c.greedy.who}})
			})
		}
		for p.Stats().Waiting != 2 {
			runtime.Gosched()
		}
		if p.Stats().Running != 2 {
			t.Errorf("%s: %d run", name, p.Stats().Running)
		}
		// Its line is full, and that is said.
		r := tools[c.greedy.tool].Run(ctx, exoeval.Job{Program: "1", Run: exo.Run{Principal: c.greedy.who}})
		if fail.KindOf(r.Err) != fail.Limit || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
			t.Errorf("%s: the line is full: %v", name, r.Err)
		}
		for range 3 {
			r := tools[c.other.tool].Run(t.Context(), exoeval.Job{Program: "1 + 1", Run: exo.Run{Principal: c.other.who}})
			if r.Err != nil || r.Value.Int() != 2 {
				t.Errorf("%s: %v %v", name, r.Value, r.Err)
			}
		}
		if p.Stats().Waiting != 2 {
			t.Errorf("%s: %d wait; the others' places went to who has its share", name, p.Stats().Waiting)
		}
		cancel()
		wg.Wait()
	}
}

// A principal that is alone may be given all places.
func TestShareIsSettable(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 2, Share: 2})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { e.Run(ctx, exoeval.Job{Program: "for (;;) {}"}) })
	}
	for p.Stats().Waiting != 1 {
		runtime.Gosched()
	}
	if p.Stats().Running != 2 {
		t.Errorf("%d run", p.Stats().Running)
	}
	cancel()
	wg.Wait()
}

// The wait for a place is bounded, and is no part of the program's own time.
func TestWaitForPlace(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, ParkedBytes: 1})
	s := &shop{began: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		evaluator(t, s, exo.Limits{}, p).Run(ctx, exoeval.Job{Program: "await shop.wait()", Run: exo.Run{Principal: "ann"}})
	})
	<-s.began
	e := evaluator(t, &shop{}, exoeval.Bounds{Total: 300 * time.Millisecond}, p)
	r := e.Run(t.Context(), exoeval.Job{Program: "1", Run: exo.Run{Principal: "bob"}})
	if fail.KindOf(r.Err) != fail.Limit || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
		t.Errorf("%v", r.Err)
	}
	cancel()
	wg.Wait()
	if r := e.Run(t.Context(), exoeval.Job{Program: "1", Run: exo.Run{Principal: "bob"}}); r.Err != nil {
		t.Error(r.Err)
	}
}

// A host that is out of files for a moment is not without workers for ever.
func TestNullDeviceIsAskedForAgain(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	func() {
		var old unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		defer unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
		if r := run(t, e, "1"); fail.KindOf(r.Err) != fail.Internal || !errors.Is(errors.Unwrap(r.Err), unix.EMFILE) || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
			t.Errorf("without files: %v", r.Err)
		}
	}()
	if r := run(t, e, "1 + 1"); r.Err != nil || r.Value.Int() != 2 {
		t.Errorf("with files again: %v %v", r.Value, r.Err)
	}
}

// finisher ends its effects when it is told to.
type finisher struct {
	shop
	finish chan struct{}
	most   atomic.Int64
	inside atomic.Int64
}

func (f *finisher) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	f.most.Store(max(f.most.Load(), f.inside.Add(1)))
	defer f.inside.Add(-1)
	<-f.finish
	return value.Null(), nil
}

// Who ends its programs early has no more of their effects at a time than others.
func TestPlaceIsHeldByEffects(t *testing.T) {
	t.Parallel() // it waits for most of its time
	for _, program := range []string{"shop.act(); throw 1", "shop.act(); for (;;) {}", "!effect and breach"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			f := &finisher{finish: make(chan struct{})}
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": f}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
			e := inWorker(t, g, p, exoeval.Bounds{Wall: 100 * time.Millisecond})
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { run(t, e, program) })
			}
			for p.Stats().Waiting != 2 || f.inside.Load() != 1 {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(300 * time.Millisecond) // long enough for the first to be ended
			if n := p.Stats().Waiting; n != 2 {
				t.Errorf("%s: %d wait", program, n)
			}
			close(f.finish)
			wg.Wait()
			if n := f.most.Load(); n != 1 {
				t.Errorf("%s: %d effects at a time", program, n)
			}
		})
	}
}
