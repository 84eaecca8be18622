package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// A program that never ran is told apart from one that ran and failed.
func TestNeverRan(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, ParkedBytes: 1})
	s := &shop{began: make(chan struct{})}
	e := evaluator(t, s, exo.Limits{}, p)
	ran, stopRunning := context.WithCancel(t.Context())
	waits, stopWaiting := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if r := e.Run(ran, exoeval.Job{Program: "shop.act(); await shop.wait()"}); fail.KindOf(r.Err) != fail.Cancelled || errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
			t.Errorf("stopped while it ran: %v", r.Err)
		}
	})
	<-s.began
	bob := make(chan struct{})
	wg.Go(func() {
		defer close(bob)
		if r := e.Run(t.Context(), exoeval.Job{Program: "1", Run: exo.Run{Principal: "bob"}}); r.Err != nil {
			t.Error(r.Err)
		}
	})
	for p.Stats().Waiting != 1 {
		runtime.Gosched()
	}
	gone := make(chan struct{})
	wg.Go(func() {
		defer close(gone)
		if r := e.Run(waits, exoeval.Job{Program: "shop.act()"}); fail.KindOf(r.Err) != fail.Cancelled || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
			t.Errorf("stopped while it waited: %v", r.Err)
		}
	})
	for p.Stats().Waiting != 2 {
		runtime.Gosched()
	}
	stopWaiting()
	<-gone
	select {
	case <-bob:
		t.Error("who stops waiting gave away a place that was not theirs")
	case <-time.After(200 * time.Millisecond):
	}
	stopRunning()
	wg.Wait()
	if n := s.acts.Load(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// Each principal has a line of its own, and lines take turns.
func TestQueue(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, Queue: 3, ParkedBytes: 1})
	s := &shop{began: make(chan struct{})}
	e := evaluator(t, s, exo.Limits{}, p)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { e.Run(ctx, exoeval.Job{Program: "await shop.wait()"}) })
	<-s.began
	var mu sync.Mutex
	var order []string
	for i, who := range []exo.Principal{"ann", "ann", "ann", "bob"} {
		wg.Go(func() {
			r := e.Run(t.Context(), exoeval.Job{Program: "1", Run: exo.Run{Principal: who}})
			mu.Lock()
			defer mu.Unlock()
			if r.Err != nil {
				t.Error(r.Err)
			}
			order = append(order, string(who))
		})
		for p.Stats().Waiting != i+1 {
			runtime.Gosched()
		}
	}
	// The line is full: the program is refused at once, and it is said what to do.
	r := e.Run(t.Context(), exoeval.Job{Program: "shop.act()", Run: exo.Run{Principal: "ann"}})
	if fail.KindOf(r.Err) != fail.Limit || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) || !strings.Contains(fail.GuestText(r.Err), "try again") {
		t.Errorf("%v", r.Err)
	}
	cancel()
	wg.Wait()
	if i := slices.Index(order, "bob"); i > 1 {
		t.Errorf("bob waited for all of ann's programs: %v", order)
	}
	if s.acts.Load() != 0 {
		t.Error("a program that was refused had an effect")
	}
}

func TestClose(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 2, Share: 2})
	s := &shop{}
	e := evaluator(t, s, exo.Limits{}, p)
	results := make(chan *exoeval.RunResult)
	for range 4 {
		go func() { results <- e.Run(context.Background(), exoeval.Job{Program: "for (;;) {}"}) }()
	}
	for p.Stats().Waiting != 2 {
		runtime.Gosched()
	}
	p.Close()
	ran := 0
	for range 4 {
		r := <-results
		if r.Err == nil {
			t.Fatal("an endless loop ended")
		}
		if !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
			ran++
			if fail.KindOf(r.Err) != fail.Cancelled {
				t.Error(r.Err)
			}
		}
	}
	if s := p.Stats(); ran > 2 || s.Running != 0 || s.Idle != 0 {
		t.Errorf("%d ran; %+v after Close", ran, s)
	}
	if r := e.Run(t.Context(), exoeval.Job{Program: "shop.act()"}); fail.KindOf(r.Err) != fail.Internal || !errors.Is(errors.Unwrap(r.Err), worker.ErrNotRun) {
		t.Errorf("%v", r.Err)
	}
	p.Close()
}

// Workers that died while they waited are replaced, and nobody notices.
func TestDeadIdle(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 4, Idle: 2})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	run(t, e, "1")
	for range 2000 {
		if p.Stats().Idle == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for _, pid := range p.IdlePIDs() {
		kill(pid)
	}
	for range 5 {
		if r := run(t, e, "1"); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
}

// kill ends a process that is not ours to wait for, and returns when its connection has ended,
// which it does with the last of its threads.
func kill(pid int) {
	q, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	q.Kill()
	for range 5000 {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || lastThread(string(b)) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// lastThread reports whether stat is of a zombie that has no other threads. The folder of its
// threads does not tell: it was seen with one entry while the kernel still counted two.
func lastThread(stat string) bool {
	_, after, _ := strings.Cut(stat, ") ")
	f := strings.Fields(after) // from the third of proc_pid_stat(5) on
	return len(f) > 17 && f[0] == "Z" && f[17] == "1"
}

func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

// The calls of a program happen or not, whoever is faster, and none after Run.
func TestEffects(t *testing.T) {
	for name, program := range map[string]string{
		"awaited":          "await shop.act(); return 1",
		"not awaited":      "shop.act(); return 1",
		"before a failure": "shop.act(); throw new Error('x')",
		"before a loop":    "shop.act(); for (;;) {}",
		"before the end":   "shop.act(); 'a'.repeat(2**36)",
	} {
		s := &shop{}
		e := evaluator(t, s, exoeval.Bounds{Wall: time.Second}, nil) // enough to get to the call on a busy machine
		for range 2 {
			s.acts.Store(0)
			run(t, e, program)
			if n := s.acts.Load(); n != 1 {
				t.Errorf("%s: %d effects", name, n)
			}
		}
	}
}
