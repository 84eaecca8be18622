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

// PoolOptions are the options of NewPool. A zero field means its default.
type PoolOptions struct {
	Workers int // Workers is the most programs that compute at the same time; default twice the processors, at least 4
	Share   int // Share is how many workers one principal may use, or one tool if its runs have no principal; default all but one, at least one
	// ParkedBytes bounds the memory of programs that wait for the host: they keep their process without a place. No program begins while the
	// waiting programs together use this much. No program of a principal begins while the principal's waiting programs use its share of this
	// memory (see Share). Default 512 MiB.
	ParkedBytes int
	Idle        int // Idle is the number of workers that are started in advance; default half of Workers, at most 8
	Queue       int // Queue is the most programs that may wait, of one principal, or of one tool whose runs have none; default 64
	TotalWait   int // TotalWait is the most programs of all principals that may wait; default 1024
	// Namespaces gives each worker its own namespaces. They refuse nothing that the filter of system calls admits, and copy the host's page tables
	// at each start: from a host of 1 GiB a start takes eight times as long. Use them as a second wall, or on a system without that filter.
	Namespaces bool
	Require    Isolation // Require has the walls that each program must have; zero means Process
	Reuse      Reuse     // Reuse allows several programs in a process; zero allows one
	// Binary is the absolute path of exo-worker (see its folder), built with the host. With "" a worker is the host's own binary: no second file
	// is needed, but each worker initialises everything that the host links. On Linux this user or root must own the file, and no other user may
	// write it. NewPool starts one worker from it, to check it. The error for a refused file wraps ErrBinary.
	Binary string
	// BinarySHA256 is the SHA-256 of Binary in hexadecimal, for a host that knows the one file that it may start. It needs Binary. With "", Binary
	// must have been built from the same versions of modules as the host.
	BinarySHA256 string
}

// Pool starts workers in advance and lets a bounded number of them compute. A new worker knows nothing until it gets a program. It serves one
// program, or several of one tool and principal (Reuse). So evaluators of different gates can share a pool. Several goroutines may call its
// methods.
type Pool struct {
	opts PoolOptions

	mu            sync.Mutex
	queue         *fair.Queue[party]
	idle          []*proc // workers that are ready, and never had a program
	kept          []*proc // stopped workers, each for the next program of its owner; the last one was used most recently
	starting      int     // the number of workers that are starting and will be idle
	cold          bool    // set by BenchmarkPaced: no worker warms up
	begun, closed bool
	// busy counts runs and goroutines, some of which reap processes. It grows from zero only under mu and while the pool is open.
	busy     sync.WaitGroup
	launches chan launching
	null     *os.File // the null device, which only the launcher opens and uses
	binary   *os.File // the file of PoolOptions.Binary; nil for the host's own binary
	kill     context.CancelCauseFunc
	ctx      context.Context
}

// NewPool makes a pool. It starts no worker until the first program comes, unless it has to check Binary or find the system's walls.
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
	var err error
	if p.binary, err = openBinary(o.Binary, o.BinarySHA256); err != nil {
		return nil, err
	}
	p.ctx, p.kill = context.WithCancelCause(context.Background())
	if o.Require != 0 || p.binary != nil {
		if _, err := p.Isolation(context.Background()); err != nil { // Isolation refuses a worker with fewer walls than required
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
	p, _ := NewPool(PoolOptions{}) // without required walls NewPool does not fail
	return p
})

// Shared returns the pool for callers that name no pool. It starts workers when the first program comes, and is never closed.
func Shared() *Pool { return shared() }

// Stats counts the workers and programs of a pool at one moment.
type Stats struct {
	Running  int // Running counts programs that have a place: the worker computes, or they are about to get one
	Parked   int // Parked counts programs that have a worker and wait for a reply of the host, or for a place to continue
	Waiting  int // Waiting counts programs that wait for their turn
	Idle     int // Idle counts workers that wait for a program
	Starting int // Starting counts workers that will be idle
	Kept     int // Kept counts stopped workers that wait for the next program of their tool and principal (PoolOptions.Reuse)
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

// ErrClosed is in the error of a call after Close, and in the Err of a run that Close ended.
var ErrClosed = fail.Named("worker: the pool is closed")

// enter counts a run, for which Close waits. Call exit when the run has ended. The returned context ends with the pool.
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

// Isolation returns the walls around the pool's workers. It starts a worker if none is idle.
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
		p.idle = append(p.idle, w) // the worker never had a program
		p.leave(w.stay.place)
	}
	p.mu.Unlock()
	if !keep {
		p.discard(w)
	}
	return w.isolation, nil
}

// errNoPlace ends a program's wait for a place.
var errNoPlace = fail.Named("worker: no worker process was free in time")

// party is what gets equal turns: a principal, or the tool if the run has no principal.
type party struct {
	principal exo.Principal
	tool      *runner // the tool, if principal is empty
}

// acquire waits for the turn of the party who and returns a worker. If a worker is kept that served the owner in the parameter of, acquire returns
// that worker. ctx must come from enter. Errors wrap ErrNotRun.
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
		err = fmt.Errorf("worker: on this system a process is isolated by %v, but PoolOptions.Require wants %v: require less, or use a system that has these walls", w.isolation, p.opts.Require)
	}
	cause := fail.CauseOf(ctx)
	if why, ok := cause.(*fail.Error); ok { // the host ended the run with a *fail.Stop
		return nil, &fail.Error{Kind: why.Kind, Msg: why.Msg, Err: errors.Join(ErrNotRun, why.Err)}
	}
	switch {
	case errors.Is(err, ErrNotRun):
		return nil, err
	case cause == errNoPlace:
		return nil, &fail.Error{Kind: fail.Limit, Msg: "the program was not run: other programs kept all workers busy for too long; try again later", Err: errors.Join(ErrNotRun, cause)}
	case cause == context.DeadlineExceeded:
		return nil, &fail.Error{Kind: fail.Cancelled, Msg: "the program was not run: the deadline of its caller had passed", Err: errors.Join(ErrNotRun, cause)}
	case cause != nil:
		return nil, &fail.Error{Kind: fail.Cancelled, Err: errors.Join(ErrNotRun, cause, ctx.Err())}
	}
	return nil, &fail.Error{Kind: fail.Internal, Err: errors.Join(ErrNotRun, err)}
}

// take waits for a place in the pool. It also returns a kept or idle worker, or nil if there is none.
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
		place.Leave() // leave even if the turn came in the meantime
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

// leave gives the place of a program to the next one that waits. The caller holds p.mu.
func (p *Pool) leave(place *fair.Ticket[party]) {
	p.refill() // only now, because starting a process earlier would take a processor from the program
	place.Leave()
}

// yield gives up the place of a program that waits, and notes the memory that it still uses.
func (p *Pool) yield(place *fair.Ticket[party], memory int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refill()
	place.Yield(memory)
}

// release gives a place back.
func (p *Pool) release(place *fair.Ticket[party]) {
	p.mu.Lock()
	p.leave(place)
	p.mu.Unlock()
}

// discard ends, in the background, a worker that has served.
func (p *Pool) discard(w *proc) {
	s := w.stay
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
		p.part(s)
	}()
}

// part gives back a worker's place when the worker is gone and its run is settled. A program's effects may last longer than the program, so the
// program keeps its place until they end. Otherwise one program could have more effects at a time than there are places.
func (p *Pool) part(s *stay) {
	if s.uses.Add(-1) == 0 {
		p.release(s.place)
	}
}

// Close ends all workers and runs, most of them with Kind Cancelled, and waits for them. Then the pool has no process, file or goroutine left.
// An object that ignores its context delays its run and so Close. So an object, or Record, must not call Close.
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
