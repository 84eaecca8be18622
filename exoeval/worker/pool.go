package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// PoolOptions are for NewPool. Zero means the default.
type PoolOptions struct {
	Workers   int       // programs that run at the same time; default twice the processors, at least 4
	Idle      int       // workers started before they are needed; default half of Workers, at most 8
	Queue     int       // programs of one principal that may wait; default 64
	TotalWait int       // programs of all principals that may wait; default 1024
	Require   Isolation // walls without which nothing runs; zero: Process
}

// Pool starts workers before they are needed and lets a bounded number of them
// run. A worker in a pool knows nothing until it gets a program, and serves one, so evaluators
// of different gates can share a pool. Its methods may be called from several goroutines.
type Pool struct {
	opts PoolOptions

	mu       sync.Mutex
	queue    queue
	running  int     // workers that run or are about to
	idle     []*proc // greeted, with no program
	starting int     // on their way to idle
	begun    bool
	closed   bool
	rest     sync.Cond      // nothing runs
	busy     sync.WaitGroup // goroutines, some of which reap processes
	launches chan launching
	null     *os.File
	kill     context.CancelCauseFunc
	ctx      context.Context
}

type launching struct {
	proc *proc
	err  chan error
}

// NewPool makes a pool. It starts nothing until the first program, unless it
// must find out which walls there are.
func NewPool(o PoolOptions) (*Pool, error) {
	or(&o.Workers, max(4, 2*runtime.GOMAXPROCS(0)))
	or(&o.Idle, min(8, (o.Workers+1)/2))
	or(&o.Queue, 64)
	or(&o.TotalWait, 1024)
	p := &Pool{opts: o, launches: make(chan launching)}
	p.rest.L = &p.mu
	p.ctx, p.kill = context.WithCancelCause(context.Background())
	if o.Require != 0 {
		if i, err := p.Isolation(context.Background()); err != nil {
			p.Close()
			return nil, err
		} else if !i.Has(o.Require) {
			p.Close()
			return nil, fmt.Errorf("worker: this system gives the walls %v; %v are required", i, o.Require)
		}
	}
	return p, nil
}

func or(p *int, d int) {
	if *p <= 0 {
		*p = d
	}
}

var shared = sync.OnceValue(func() *Pool {
	p, _ := NewPool(PoolOptions{}) // it fails only where walls are required
	return p
})

// Shared is the pool of the process, for everybody who names none. It starts
// workers when the first program comes, and is never closed.
func Shared() *Pool { return shared() }

var errClosed = errors.New("worker: the pool is closed")

// Isolation starts a worker, if none is idle, and says which walls are round it.
func (p *Pool) Isolation(ctx context.Context) (Isolation, error) {
	w, err := p.acquire(ctx, "")
	if err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w) // it has met no program
	p.leave()
	return w.isolation, nil
}

// acquire gives a worker to a program, when it is the turn of its principal.
// Errors wrap ErrNotRun.
func (p *Pool) acquire(ctx context.Context, who exo.Principal) (*proc, error) {
	w, err := p.take(ctx, who)
	if err == nil && w == nil {
		w, err = p.fresh()
		if err != nil {
			p.mu.Lock()
			p.leave()
			p.mu.Unlock()
		}
	}
	if err == nil && !w.isolation.Has(p.opts.Require) {
		p.discard(w)
		err = fmt.Errorf("worker: it has the walls %v only", w.isolation)
	}
	switch {
	case err == nil:
		return w, nil
	case ctx.Err() != nil:
		return nil, &exo.Error{Kind: exo.Cancelled, Err: errors.Join(ErrNotRun, ctx.Err())}
	case errors.Is(err, exo.ErrLimit):
		return nil, err
	}
	return nil, &exo.Error{Kind: exo.Internal, Err: errors.Join(ErrNotRun, err)}
}

// take waits for a place among those that run. The worker is nil where none was idle.
func (p *Pool) take(ctx context.Context, who exo.Principal) (*proc, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	p.begin()
	if p.running >= p.opts.Workers {
		t, err := p.queue.add(who, p.opts.Queue, p.opts.TotalWait)
		p.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-t.turn:
			p.mu.Lock()
		case <-ctx.Done():
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.queue.remove(t) {
				p.leave() // its turn came meanwhile
			}
			return nil, ctx.Err()
		}
		if p.closed {
			p.leave()
			p.mu.Unlock()
			return nil, errClosed
		}
	} else {
		p.running++
	}
	var w *proc
	if n := len(p.idle); n > 0 {
		w, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	return w, nil
}

// leave gives the place of a program to the next that waits. p.mu is held.
func (p *Pool) leave() {
	p.refill() // not before a program has ended: starting a process takes a processor from it
	if t := p.queue.next(); t != nil {
		close(t.turn) // the place is its
		return
	}
	if p.running--; p.running == 0 {
		p.rest.Broadcast()
	}
}

// refill starts workers for the programs to come. p.mu is held.
func (p *Pool) refill() {
	for !p.closed && len(p.idle)+p.starting < p.opts.Idle {
		p.starting++
		p.busy.Add(1)
		go func() {
			defer p.busy.Done()
			w, err := p.fresh()
			p.mu.Lock()
			p.starting--
			if err == nil && !p.closed {
				p.idle = append(p.idle, w)
				w = nil
			}
			p.mu.Unlock()
			if err == nil && w != nil {
				w.reap()
			}
		}()
	}
}

// fresh starts a worker and waits until it is locked down.
func (p *Pool) fresh() (*proc, error) {
	l := launching{&proc{}, make(chan error, 1)}
	select {
	case p.launches <- l:
	case <-p.ctx.Done():
		return nil, errClosed
	}
	if err := <-l.err; err != nil {
		return nil, err
	}
	return l.proc, l.proc.greet()
}

// begin starts the launcher with the first program. p.mu is held.
func (p *Pool) begin() {
	if p.begun {
		return
	}
	p.begun = true
	path, err := self()
	p.busy.Add(1)
	go p.launcher(path, err)
}

// launcher starts all workers of the pool on one thread, which lives as long as
// the pool: the kernel ends a worker with the thread that started it.
func (p *Pool) launcher(path string, err error) {
	defer p.busy.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case l := <-p.launches:
			e := err
			if e == nil && p.null == nil { // asked again each time: a host may be out of descriptors for a moment
				p.null, e = os.OpenFile(os.DevNull, os.O_RDWR, 0)
			}
			if e == nil {
				l.proc.p, l.proc.end, e = launch(path, p.null)
			}
			l.err <- e
		case <-p.ctx.Done():
			return
		}
	}
}

// discard ends a worker that has served, without making its program wait.
func (p *Pool) discard(w *proc) {
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
		p.release()
	}()
}

// release gives back the place of a worker that is gone.
func (p *Pool) release() {
	p.mu.Lock()
	p.leave()
	p.mu.Unlock()
}

// Close ends all workers, those that run included, and waits until they are
// gone. Programs that run end with Kind Cancelled; those that wait are not run.
func (p *Pool) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	idle := p.idle
	p.idle = nil
	for t := p.queue.next(); t != nil; t = p.queue.next() {
		p.running++ // take gives the place back
		close(t.turn)
	}
	p.mu.Unlock()
	p.kill(errClosed)
	for _, w := range idle {
		w.reap()
	}
	p.mu.Lock()
	for p.running > 0 {
		p.rest.Wait()
	}
	p.mu.Unlock()
	p.busy.Wait() // nobody adds to it any more
	if first && p.null != nil {
		p.null.Close()
	}
	return nil
}
