package worker_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// meeting answers when so many have come.
type meeting struct {
	shop
	all sync.WaitGroup
}

func (m *meeting) Eval(ctx context.Context, msg *exo.Message) (value.Value, error) {
	m.all.Done()
	met := make(chan struct{})
	go func() { m.all.Wait(); close(met) }()
	select {
	case <-met:
		return m.shop.Eval(ctx, msg)
	case <-ctx.Done():
		return value.Value{}, ctx.Err()
	}
}

// A program that waits for its host has no place, so many more wait at one time than
// there are places, and take one again to compute.
func TestPlacesAreForComputing(t *testing.T) {
	const many = 24
	left := closing(t)
	m := &meeting{}
	m.all.Add(many)
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": m}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t, worker.PoolOptions{Workers: 4})
	e := inWorker(t, g, p)
	over := make(chan struct{})
	var wg, looking sync.WaitGroup
	most := 0
	looking.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				most = max(most, p.Stats().Running)
				time.Sleep(time.Millisecond)
			}
		}
	})
	for range many {
		wg.Go(func() {
			if r := run(t, e, "let n = await shop.echo(20); for (let i = 0; i < 22; i++) n++; return n"); r.Err != nil || r.Value.Int() != 42 {
				t.Errorf("%v %v", r.Value, r.Err)
			}
		})
	}
	wg.Wait()
	close(over)
	looking.Wait()
	if most > 4 {
		t.Errorf("%d programs had a place", most)
	}
	p.Close()
	if s := p.Stats(); s.Running != 0 || s.Parked != 0 || s.Waiting != 0 {
		t.Errorf("at the end: %+v", s)
	}
	left()
}

// A worker that says that it waits is stopped until its answer has come, whatever it
// would do; the twin says nothing, and goes on.
func TestParkedIsStopped(t *testing.T) {
	t.Parallel() // it waits for most of its time
	for program, want := range map[string]int64{"!waits and acts": 0, "!acts": 1} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			s := &shop{}
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			r := evaluator(t, s, exo.Limits{}, nil).Run(ctx, exoeval.Job{Program: program})
			cancel()
			if n := s.acts.Load(); n != want || fail.KindOf(r.Err) != fail.Cancelled {
				t.Errorf("%s: %d effects, %v", program, n, r.Err)
			}
		})
	}
}

// stopped are the processes of ours that stand still.
func stopped(t *testing.T) (pids []int) {
	for _, pid := range children(t, os.Getpid()) {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if _, rest, _ := strings.Cut(string(b), ") "); strings.HasPrefix(rest, "T") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// A worker that waits is held to its limits all the same: somebody may have it go on.
func TestParkedIsWatched(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1})
	e := evaluator(t, &shop{}, exoeval.Bounds{CPU: 200 * time.Millisecond, Wall: time.Minute}, p)
	ran := make(chan *exoeval.RunResult)
	go func() { ran <- e.Run(t.Context(), exoeval.Job{Program: "!waits and computes"}) }()
	for p.Stats().Parked == 0 {
		runtime.Gosched()
	}
	for {
		select {
		case r := <-ran:
			if fail.KindOf(r.Err) != fail.Limit || event(r) != worker.OutOfCPU {
				t.Errorf("%v", r.Err)
			}
			return
		default:
			for _, pid := range stopped(t) {
				unix.Kill(pid, unix.SIGCONT)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// While programs that wait hold as much memory as they may, none begins; and none of a
// principal whose programs hold its share.
func TestParkedBytes(t *testing.T) {
	t.Parallel() // it waits for most of its time
	for name, c := range map[string]struct {
		o     worker.PoolOptions
		other exo.Principal
		waits bool
	}{
		"no room":      {worker.PoolOptions{Workers: 2, Share: 2, ParkedBytes: 1}, "bob", true},
		"room":         {worker.PoolOptions{Workers: 2, Share: 2}, "bob", false},
		"no share":     {worker.PoolOptions{Workers: 1 << 10, Share: 1, Idle: 1, ParkedBytes: 1 << 30}, "ann", true},
		"others' room": {worker.PoolOptions{Workers: 1 << 10, Share: 1, Idle: 1, ParkedBytes: 1 << 30}, "bob", false},
	} {
		p := newPool(t, c.o)
		e := evaluator(t, &shop{}, exo.Limits{}, p)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			e.Run(ctx, exoeval.Job{Program: "await shop.wait()", Run: exo.Run{Principal: "ann"}})
		})
		for p.Stats().Parked == 0 {
			runtime.Gosched()
		}
		ran := make(chan *exoeval.RunResult, 1)
		wg.Go(func() {
			ran <- e.Run(t.Context(), exoeval.Job{Program: "1", Run: exo.Run{Principal: c.other}})
		})
		if c.waits {
			for p.Stats().Waiting == 0 && len(ran) == 0 {
				runtime.Gosched()
			}
			if len(ran) > 0 {
				t.Errorf("%s: it began", name)
			}
			cancel()
		}
		if r := <-ran; r.Err != nil {
			t.Errorf("%s: %v", name, r.Err)
		}
		cancel()
		wg.Wait()
	}
}

// holder answers hold when it is let.
type holder struct {
	shop
	let chan struct{}
}

func (h *holder) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if m.Root.Name == "rows" {
		select {
		case <-h.let:
		case <-ctx.Done():
		}
		return value.Null(), ctx.Err()
	}
	return h.shop.Eval(ctx, m)
}

// A program whose answer has come goes on only when it has a place again.
func TestAnswerWaitsForPlace(t *testing.T) {
	h := &holder{let: make(chan struct{})}
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": h}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(t, worker.PoolOptions{Workers: 1, Share: 1})
	e := inWorker(t, g, p)
	var wg sync.WaitGroup
	wg.Go(func() {
		if r := run(t, e, "await shop.rows(); return await shop.act()"); r.Err != nil || r.Value.Int() != 1 {
			t.Errorf("%v %v", r.Value, r.Err)
		}
	})
	for p.Stats().Parked == 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() { e.Run(ctx, exoeval.Job{Program: "for (;;) {}"}) })
	for p.Stats().Running == 0 {
		runtime.Gosched()
	}
	close(h.let)
	time.Sleep(200 * time.Millisecond)
	if n := h.acts.Load(); n != 0 || p.Stats().Parked != 1 {
		t.Errorf("it went on without a place: %d effects, %+v", n, p.Stats())
	}
	cancel()
	wg.Wait()
}
