package worker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// A callback of the host that panics loses neither the place nor the worker,
// when its caller recovers and goes on as servers do.
func TestRecordPanics(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1})
	bad := true
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{rows: rowsOf(1)}}, Record: func(ev exo.Event) {
		if bad && ev.Phase == exo.Intent {
			panic("the host's record failed")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := worker.New(g, &worker.Options{Pool: p})
	if err != nil {
		t.Fatal(err)
	}
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

// A worker that does not take its job holds nobody longer than the caller's context.
func TestStoppedWorker(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
	e := evaluator(t, &shop{}, exo.Limits{SourceBytes: 1 << 20}, p)
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
	done := make(chan *exoeval.Result)
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

// Threads without stacks count in no limit of memory, so the watch counts them.
func TestThreadsAreCounted(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	if r := run(t, e, "const end = 3e6; let n = 0; for (let i = 0; i < end; i++) n++; return n"); r.Err != nil {
		t.Fatalf("the twin: %v", r.Err)
	}
	defer worker.FewThreads()()
	r := run(t, e, "for (;;) {}")
	if r.Err == nil || r.Err.Kind != exo.Breach || event(r) != worker.PolicyBreach {
		t.Errorf("%v", r.Err)
	}
}
