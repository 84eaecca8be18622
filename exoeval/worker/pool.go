package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/fair"
	"github.com/exoagent/exoagent/internal/scalar"
)

// PoolOptions are the options of NewPool. Zero means the default.
type PoolOptions struct {
	Workers int // the most programs that compute at the same time; default twice the processors, at least 4
	Share   int // how many workers one principal may use, or one tool if its runs have no principal; default all but one, at least one
	// ParkedBytes bounds the memory of programs that wait for the host. A waiting program gives up its
	// place and keeps its process. No program begins while all waiting programs together use this
	// much, and none of a principal while that principal's use its share (see Share). Default 512 MiB.
	ParkedBytes int
	Idle        int // workers that are started in advance; default half of Workers, at most 8
	Queue       int // the most programs of one principal, or of one tool whose runs have none, that may wait; default 64
	TotalWait   int // the most programs of all principals that may wait; default 1024
	// Namespaces gives each worker its own namespaces. They refuse nothing that
	// the filter of system calls does not refuse. A start with them copies the
	// host's page tables: from a host of 1 GiB it takes eight times as long.
	// Use them if you want a second wall, or if your system has no such filter.
	Namespaces bool
	Require    Isolation // walls without which no program runs; zero: Process
	Reuse      Reuse     // zero: each process runs one program
	// Binary is the absolute path of exo-worker (see its folder), built with the host. If it is "", a worker is the host's own binary:
	// that needs no second file, but each worker initialises everything that the host links. On Linux the file must belong to
	// this user or root, and no other user may write it. NewPool starts one worker from it. If the file is refused,
	// the error wraps ErrBinary.
	Binary string
}

// Pool starts workers in advance and lets a bounded number of them compute. A new worker knows nothing
// until it gets a program. It serves one program, or several of one tool and principal (Reuse), so
// evaluators of different gates can share a pool. Several goroutines may call its methods.
type Pool struct {
	opts PoolOptions

	mu       sync.Mutex
	queue    *fair.Queue[party]
	idle     []*proc // ready, and never had a program
	kept     []*proc // stopped, each for the next program of its owner; the most recently used is last
	starting int     // workers that are starting and will be idle
	cold     bool    // no worker warms up; for BenchmarkPaced
	begun    bool
	closed   bool
	// Counts runs and goroutines; some of these reap processes. It
	// grows from zero only under mu and while the pool is open.
	busy     sync.WaitGroup
	launches chan launching
	null     *os.File // opened and used by the launcher
	binary   *os.File // PoolOptions.Binary; nil: the host's own binary
	kill     context.CancelCauseFunc
	ctx      context.Context
}

// NewPool makes a pool. It starts no worker until the first program,
// except to find out which walls the system has, or to check Binary.
func NewPool(o PoolOptions) (*Pool, error) {
	if err := o.Reuse.check(); err != nil {
		return nil, err
	}
	o.Workers = scalar.Positive(o.Workers, max(4, 2*runtime.GOMAXPROCS(0)))
	o.Share = scalar.Positive(o.Share, max(1, o.Workers-1))
	o.Idle = scalar.Positive(o.Idle, min(8, (o.Workers+1)/2))
	o.Queue = scalar.Positive(o.Queue, 64)
	o.TotalWait = scalar.Positive(o.TotalWait, 1024)
	o.ParkedBytes = scalar.Positive(o.ParkedBytes, 512<<20)
	o.Reuse.Kept = scalar.Positive(o.Reuse.Kept, o.Workers)
	places := fair.Config{Places: o.Workers, Share: o.Share, PerMember: o.Queue, Total: o.TotalWait,
		Away: o.ParkedBytes, AwayShare: max(1, int(float64(o.ParkedBytes)*min(1, float64(o.Share)/float64(o.Workers))))}
	p := &Pool{opts: o, launches: make(chan launching), queue: fair.New[party](places)}
	if o.Binary != "" {
		var err error
		if p.binary, err = openBinary(o.Binary); err != nil {
			return nil, err
		}
	}
	p.ctx, p.kill = context.WithCancelCause(context.Background())
	if o.Require != 0 || p.binary != nil {
		if _, err := p.Isolation(context.Background()); err != nil { // a worker with fewer walls than required is refused there
			p.Close()
			if errors.Is(err, ErrBinary) {
				err = binaryError(o.Binary, err)
			}
			return nil, err
		}
	}
	return p, nil
}

var shared = sync.OnceValue(func() *Pool {
	p, _ := NewPool(PoolOptions{}) // it can only fail if walls are required
	return p
})

// Shared is the pool for all who name no other. It starts
// workers when the first program comes, and is never closed.
func Shared() *Pool { return shared() }

// Stats counts what a pool has at one moment.
type Stats struct {
	Running  int // programs that have a place: their worker computes, or they are about to get one
	Parked   int // programs that have a worker and wait for an answer of the host, or for a place to go on
	Waiting  int // programs that wait for their turn
	Idle     int // workers that wait for a program
	Starting int // workers that will be idle
	Kept     int // workers that are stopped and wait for the next program of their tool and principal (PoolOptions.Reuse)
}

// Stats returns the present counts, for metrics.
func (p *Pool) Stats() Stats {
	if !p.made() {
		return Stats{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting, running := p.queue.Len()
	parked, _ := p.queue.Away()
	return Stats{Running: running, Parked: parked, Waiting: waiting, Idle: len(p.idle), Starting: p.starting, Kept: len(p.kept)}
}

// ErrClosed is in the error of a call after Close, and in the Err of a run that Close has ended.
var ErrClosed = errors.New("worker: the pool is closed")

// enter counts a run: Close waits for it. Call exit when
// the run has ended. The context ends with the pool.
func (p *Pool) enter(ctx context.Context) (_ context.Context, exit func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, &fail.Error{Kind: fail.Internal, Err: errors.Join(ErrNotRun, ErrClosed)}
	}
	p.busy.Add(1)
	p.begin()
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		p.busy.Done()
	}, nil
}

// Isolation reports which walls are round a worker. It starts a worker if none is idle.
func (p *Pool) Isolation(ctx context.Context) (Isolation, error) {
	if !p.made() {
		return 0, errZeroPool
	}
	ctx, exit, err := p.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer exit()
	w, err := p.acquire(ctx, party{}, owner{})
	if err != nil {
		return 0, err
	}
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < p.opts.Idle
	if keep {
		p.idle = append(p.idle, w) // it has met no program
		p.leave(w.stay.place)
	}
	p.mu.Unlock()
	if !keep {
		p.discard(w)
	}
	return w.isolation, nil
}

// errNoPlace ends a program's wait for a place.
var errNoPlace = errors.New("worker: no place was free in time")

// party is the unit of fair queueing: a principal, or the tool if the run has no principal.
type party struct {
	principal exo.Principal
	tool      *runner // set if principal is empty
}

// acquire waits for the turn of who and returns a worker: the one that served
// of, if it was kept. ctx must come from enter. Errors wrap ErrNotRun.
func (p *Pool) acquire(ctx context.Context, who party, of owner) (*proc, error) {
	w, place, err := p.take(ctx, who, of)
	if err == nil && w == nil {
		if w, err = p.fresh(ctx, true); err != nil {
			p.release(place)
		}
	}
	if err == nil {
		w.stay = &stay{place: place}
		w.stay.uses.Store(1)
		if w.isolation.Has(p.opts.Require) {
			return w, nil
		}
		p.discard(w)
		err = fmt.Errorf("worker: this system has the walls %v; PoolOptions.Require wants %v", w.isolation, p.opts.Require)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, fail.ErrLimit):
		return nil, err
	case cause == errNoPlace:
		return nil, &fail.Error{Kind: fail.Limit, Msg: "no place was free for the program in time; try again later", Err: errors.Join(ErrNotRun, cause)}
	case cause == context.DeadlineExceeded:
		return nil, &fail.Error{Kind: fail.Cancelled, Msg: "the program was not run: the deadline of its caller had passed", Err: errors.Join(ErrNotRun, cause)}
	case cause != nil:
		return nil, &fail.Error{Kind: fail.Cancelled, Err: errors.Join(ErrNotRun, cause, ctx.Err())}
	}
	return nil, &fail.Error{Kind: fail.Internal, Err: errors.Join(ErrNotRun, err)}
}

// take waits for a place. The worker is nil if none was idle.
func (p *Pool) take(ctx context.Context, who party, of owner) (w *proc, place *fair.Ticket[party], err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	switch place, err = p.queue.Enter(who, ""); err {
	case fair.ErrYours:
		return nil, nil, &fail.Error{Kind: fail.Limit, Msg: "too many of your programs wait to be run; try again when they have ended", Err: ErrNotRun}
	case fair.ErrFull:
		return nil, nil, &fail.Error{Kind: fail.Limit, Msg: "too many programs wait to be run; try again later", Err: ErrNotRun}
	}
	select {
	case <-place.Turn():
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		place.Leave() // also if its turn came meanwhile
		return nil, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if w = p.ofOwner(of); w != nil {
		return w, place, nil
	}
	if n := len(p.idle); n > 0 {
		w, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	return w, place, nil
}

// leave gives the place of a program to the next one that waits. p.mu is held.
func (p *Pool) leave(place *fair.Ticket[party]) {
	p.refill() // a program has just ended: starting a process earlier would take a processor from it
	place.Leave()
}

// yield gives back the place of a program that waits and keeps using so much memory.
func (p *Pool) yield(place *fair.Ticket[party], memory int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refill()
	place.Yield(memory)
}

// release gives back a place.
func (p *Pool) release(place *fair.Ticket[party]) {
	p.mu.Lock()
	p.leave(place)
	p.mu.Unlock()
}

// discard ends a worker that has served, in the background.
func (p *Pool) discard(w *proc) {
	s := w.stay
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
		p.part(s)
	}()
}

// part gives back the place of a worker when the worker is gone and its run is
// settled. Effects of a program may go on after its end. If they did not count
// as a place, one could have more effects at a time than there are places.
func (p *Pool) part(s *stay) {
	if s.uses.Add(-1) == 0 {
		p.release(s.place)
	}
}

// Close ends all workers, also those that run a program, and waits until they are
// gone and their runs have returned, most with Kind Cancelled. When it returns, the
// pool has no process, file or goroutine left. An object that ignores its context
// delays its run and so Close. So an object, or Record, must not call Close.
func (p *Pool) Close() error {
	if !p.made() {
		return nil
	}
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	for _, w := range p.kept {
		w.reused.expire.Stop()
	}
	idle = append(idle, p.kept...)
	p.idle, p.kept = nil, nil
	p.mu.Unlock()
	p.kill(ErrClosed)
	for _, w := range idle {
		w.reap()
	}
	p.busy.Wait()
	if p.binary != nil {
		p.binary.Close()
	}
	return nil
}
