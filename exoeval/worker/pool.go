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

// PoolOptions are for NewPool. Zero means the default.
type PoolOptions struct {
	Workers int // programs that compute at the same time; default twice the processors, at least 4
	Share   int // the most of them for one principal, or for one tool that has none; default all but one, at least one
	// ParkedBytes is the memory of programs that wait for an answer of the host. Such a
	// program gives its place back and keeps its process. While those of all hold this much,
	// or those of one principal its share of it, as of Workers, no program begins. Default 512 MiB.
	ParkedBytes int
	Idle        int // workers started before they are needed; default half of Workers, at most 8
	Queue       int // programs of one principal, or of one tool that has none, that may wait; default 64
	TotalWait   int // programs of all principals that may wait; default 1024
	// Namespaces asks for namespaces of each worker's own. They refuse nothing that the
	// filter of system calls does not refuse, and a start with them copies the host's page
	// tables: a host of 1 GiB needs eight times as long. So it is for those who want the
	// second wall, or have no such filter.
	Namespaces bool
	Require    Isolation // walls without which nothing runs; zero: Process
	Reuse      Reuse     // zero: each process runs one program
	// Binary is the absolute path of exo-worker (see its folder), built with the host; "": the host's own
	// binary, which needs no second file, and initialises in each worker all that the host links. On
	// Linux the file must belong to this user or root, and be writable by no other. NewPool starts one
	// worker of it. What is wrong with it is an error that wraps ErrBinary.
	Binary string
}

// Pool starts workers before they are needed and lets a bounded number of them
// compute. A worker in a pool knows nothing until it gets a program, and serves one, or those
// of one tool and principal (Reuse), so evaluators of different gates can share a pool. Its methods may be called from several goroutines.
type Pool struct {
	opts PoolOptions

	mu       sync.Mutex
	queue    *fair.Queue[party]
	idle     []*proc // greeted, with no program
	kept     []*proc // stopped, each for the next program of its owner; the one used last at the end
	starting int     // on their way to idle
	cold     bool    // none warms up; of BenchmarkPaced
	begun    bool
	closed   bool
	// Runs, and goroutines, some of which reap processes. It grows from zero only
	// under mu and while the pool is open.
	busy     sync.WaitGroup
	launches chan launching
	null     *os.File // of the launcher, while it lives
	binary   *os.File // PoolOptions.Binary; nil: the host's own
	kill     context.CancelCauseFunc
	ctx      context.Context
}

// NewPool makes a pool. It starts nothing until the first program, unless it
// must find out which walls there are, or what Binary is.
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
		if _, err := p.Isolation(context.Background()); err != nil { // a worker with fewer walls is refused there
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
	p, _ := NewPool(PoolOptions{}) // it fails only where walls are required
	return p
})

// Shared is the pool of the process, for all who name none. It starts workers when the first
// program comes, and is never closed.
func Shared() *Pool { return shared() }

// Stats is what a pool does at one moment.
type Stats struct {
	Running  int // programs that have a place: a worker that computes, or are about to get one
	Parked   int // programs that have a worker and wait for an answer of the host, or for a place to take it
	Waiting  int // programs that wait for their turn
	Idle     int // workers that wait for a program
	Starting int // workers that will be idle
	Kept     int // workers that are stopped and wait for the next program of their tool (PoolOptions.Reuse)
}

// Stats is for metrics.
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

// ErrClosed is in the Err of what a Pool is asked after Close, and of runs that Close ended.
var ErrClosed = errors.New("worker: the pool is closed")

// enter counts a run, for which Close waits; exit must be called after it. The
// context ends with the pool.
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

// Isolation starts a worker, if none is idle, and says which walls are round it.
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

// errNoPlace ends the wait of a program for its turn.
var errNoPlace = errors.New("worker: no place was free in time")

// party is the unit of fair queueing: a principal, or the tool if the run has none.
type party struct {
	principal exo.Principal
	tool      *runner // where principal is empty
}

// acquire waits until it is the turn of who and returns a worker, one that served of if one is kept. ctx
// must come from enter. Errors wrap ErrNotRun.
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

// take waits for a place among those that run. The worker is nil where none was idle.
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
		place.Leave() // also where its turn came meanwhile
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

// leave gives the place of a program to the next that waits. p.mu is held.
func (p *Pool) leave(place *fair.Ticket[party]) {
	p.refill() // not before a program has ended: starting a process takes a processor from it
	place.Leave()
}

// yield gives back the place of a program that waits, which goes on to hold so much memory.
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

// discard ends a worker that has served, without making its program wait.
func (p *Pool) discard(w *proc) {
	s := w.stay
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
		p.part(s)
	}()
}

// part gives back the place of a worker when it is gone and its run is settled: the
// effects of a program go on for a while when it was ended, and who could have more
// of those at a time than there are places would need no worker.
func (p *Pool) part(s *stay) {
	if s.uses.Add(-1) == 0 {
		p.release(s.place)
	}
}

// Close ends all workers, those that run included, and waits until they are gone
// and their runs have returned: with Kind Cancelled, unless they were about to
// end in another way. When it returns, no process, no file and no goroutine of the
// pool is left. An object that does not heed its context holds it up as it holds up its
// run, so Close must not be called by an object, or by Record.
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
