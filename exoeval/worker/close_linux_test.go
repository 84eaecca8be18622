package worker_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// closing notes what this process has before a pool is made. left says what of
// the pool is still there; it is asked as soon as Close has returned.
func closing(t *testing.T) (left func()) {
	t.Helper()
	for range 5000 { // the pool of the process has workers, too
		if worker.Shared().Settled() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	before := map[int]bool{}
	for _, pid := range children(t, os.Getpid()) {
		before[pid] = true
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	return func() {
		t.Helper()
		for _, pid := range children(t, os.Getpid()) {
			if !before[pid] {
				t.Errorf("process %d is left", pid)
			}
		}
		n := 0
		for range 1000 { // a goroutine that has ended may still be counted, and what it closes be open
			if n = openFiles(t); n <= files && runtime.NumGoroutine() <= goroutines {
				return
			}
			time.Sleep(time.Millisecond)
		}
		if n > files {
			t.Errorf("%d open files, %d before", n, files)
		}
		b := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), goroutines, b[:runtime.Stack(b, true)])
	}
}

func hang(t *testing.T) (release func()) {
	t.Helper()
	release, err := worker.Hang()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return release
}

func started(t *testing.T, n int) {
	t.Helper()
	for range 5000 {
		if len(children(t, os.Getpid())) >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing was started")
}

// Close ends what is being started, whoever waits for it, and a pool that is
// closed keeps nothing of what comes after.
func TestCloseDuringStart(t *testing.T) {
	left := closing(t)
	n := len(children(t, os.Getpid()))
	release := hang(t)
	for name, start := range map[string]func(*worker.Pool) error{
		"isolation": func(p *worker.Pool) error { _, err := p.Isolation(context.Background()); return err },
		"run": func(p *worker.Pool) error {
			r := evaluator(t, &shop{}, exo.Limits{}, p).Run(context.Background(), exoeval.Job{Program: "1"})
			if r.Err == nil {
				return nil
			}
			return r.Err
		},
	} {
		p := newPool(t, worker.PoolOptions{Workers: 2})
		done := make(chan error, 1)
		go func() { done <- start(p) }()
		started(t, n+1)
		p.Close()
		if err := <-done; !errors.Is(err, worker.ErrNotRun) || !errors.Is(err, fail.ErrCancelled) || !errors.Is(err, worker.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		left()
	}
	release()
	// At any moment of a start.
	for i := range 40 {
		p := newPool(t, worker.PoolOptions{Workers: 3, Idle: 3})
		done := make(chan bool)
		go func() { p.Isolation(context.Background()); done <- true }()
		time.Sleep(time.Duration(i) * 250 * time.Microsecond)
		p.Close()
		<-done
		left()
	}
}

// Asking for the walls many times at once leaves no more workers than may wait.
func TestIsolationKeepsFew(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 4, Share: 4, Idle: 1})
	done := make(chan error)
	for range 4 {
		go func() { _, err := p.Isolation(t.Context()); done <- err }()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for range 5000 {
		if p.Settled() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if p.Stats().Idle > 1 {
		t.Errorf("%d workers wait", p.Stats().Idle)
	}
}

// lingerer takes its time to heed its context.
type lingerer struct {
	shop
	inside atomic.Int64
}

func (l *lingerer) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	l.inside.Add(1)
	defer l.inside.Add(-1)
	if l.began != nil {
		close(l.began)
	}
	<-ctx.Done()
	time.Sleep(50 * time.Millisecond)
	return value.Value{}, ctx.Err()
}

// Close waits for the runs under way, which end at once and say why.
func TestCloseEndsRuns(t *testing.T) {
	left := closing(t)
	p := newPool(t, worker.PoolOptions{Workers: 1, ParkedBytes: 1})
	l := &lingerer{shop: shop{began: make(chan struct{})}}
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": l}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	e := inWorker(t, g, p)
	ran := make(chan *exoeval.RunResult, 1)
	go func() { ran <- e.Run(context.Background(), exoeval.Job{Program: "await shop.act()"}) }()
	<-l.began
	waited := make(chan *exoeval.RunResult, 1)
	go func() { waited <- e.Run(context.Background(), exoeval.Job{Program: "1"}) }()
	for p.Stats().Waiting != 1 {
		runtime.Gosched()
	}
	p.Close()
	if n := l.inside.Load(); n != 0 {
		t.Error("an object is still being asked")
	}
	if r := <-ran; fail.KindOf(r.Err) != fail.Cancelled || errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
		t.Errorf("the run under way: %v", r.Err)
	}
	if r := <-waited; fail.KindOf(r.Err) != fail.Cancelled || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
		t.Errorf("the run that waited: %v", r.Err)
	}
	left()
}

// A start that hangs holds its caller no longer than the caller's context.
func TestHungStart(t *testing.T) {
	left := closing(t)
	release := hang(t)
	p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	done := make(chan *exoeval.RunResult, 1)
	go func() { done <- e.Run(ctx, exoeval.Job{Program: "1"}) }()
	select {
	case r := <-done:
		if fail.KindOf(r.Err) != fail.Cancelled || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) || !errors.Is(errors.Unwrap(r.Err), context.DeadlineExceeded) || !strings.Contains(fail.GuestText(r.Err), "not run: the deadline of its caller") {
			t.Errorf("%v", r.Err)
		}
	case <-time.After(8 * time.Second):
		t.Fatal("the run has not returned after its context")
	}
	release()
	if r := run(t, e, "1 + 1"); r.Err != nil || r.Value.Int() != 2 {
		t.Errorf("the next: %v %v", r.Value, r.Err)
	}
	p.Close()
	left()
}
