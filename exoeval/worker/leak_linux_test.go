package worker_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// The programs of TestNothingLeaks: what ends well, and what does not.
var (
	benign  = []string{"1", "await shop.rows()", "throw 1", "await shop.nap()", "shop.again().then(a => a.rows())", "shop.act(); return 1", "console.log(1); return [1, 2]"}
	hostile = []string{"'a'.repeat(2**36)", "for (;;) {}", "!nothing", "!open", "!huge", "shop.wait(); for (;;) {}", "!no such attack", "!flood",
		"const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", "let a = []; a.length = 2**32-1; a.reverse(); return 1"}
)

// After many runs, half of them hostile, some of them given up by their callers,
// nothing is left: no process, no file, no goroutine, and no memory to speak of.
// With EXO_LONG there are 10,000.
func TestNothingLeaks(t *testing.T) {
	runs := testutil.Amount(200, 10_000)
	left := closing(t)
	before := heap()
	p := newPool(t, worker.PoolOptions{Workers: 6, Share: 6})
	e := evaluator(t, &shop{rows: rowsOf(10)}, testutil.Both{Limits: exo.Limits{UnansweredBytes: 1 << 20}, Bounds: exoeval.Bounds{Wall: 20 * time.Millisecond * time.Duration(worker.RaceFactor)}}, p)
	kinds := map[fail.Kind]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := 0
	for range 6 {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= runs {
					return
				}
				program := benign[i/2%len(benign)]
				if i%2 == 1 {
					program = hostile[i/2%len(hostile)]
				}
				patience := time.Minute
				if i%23 == 22 {
					patience = time.Duration(i%10) * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				r := e.Run(ctx, exoeval.Job{Program: program})
				cancel()
				kind := fail.Other
				if r.Err != nil {
					kind = fail.KindOf(r.Err)
				}
				mu.Lock()
				kinds[kind]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	p.Close()
	left()
	t.Logf("%d runs: %v", runs, kinds)
	for _, k := range []fail.Kind{fail.Other, fail.Program, fail.Limit, fail.Breach, fail.Cancelled} { // what crashes may be out of time first
		if kinds[k] == 0 {
			t.Errorf("no run ended with kind %v", k)
		}
	}
	if kinds[fail.Internal] > 0 {
		t.Errorf("%d runs were lost", kinds[fail.Internal])
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d bytes are still held", grown)
	}
}

// A worker that was taken over makes calls that are refused, each with a message of 1 MiB,
// for as long as its run may last. The host keeps none of the messages: 500 of 8 MB made 4.9 GB.
func TestRefusedCallsAreNotKept(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1})
	s := &shop{began: make(chan struct{})}
	e := evaluator(t, s, testutil.Both{Limits: exo.Limits{MessageBytes: 1 << 30}, Bounds: exoeval.Bounds{Wall: time.Minute, CPU: time.Minute, Total: time.Minute}}, p)
	if r := run(t, e, "1"); r.Err != nil {
		t.Fatal(r.Err)
	}
	before := heap()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan *exoeval.RunResult)
	go func() { done <- e.Run(ctx, exoeval.Job{Program: "!refused"}) }()
	select {
	case <-s.began: // 64 calls were refused, and their run goes on
	case r := <-done:
		t.Fatal(r.Err)
	}
	grown := heap() - before
	cancel()
	<-done
	if grown > 8<<20 {
		t.Errorf("64 refused calls keep %d KiB while the run lasts", grown>>10)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
