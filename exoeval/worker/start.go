package worker

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/exoagent/exoagent/exo/fail"
)

type launching struct {
	proc *proc
	now  bool // a program already waits for the worker
	err  chan error
}

// refill starts workers for later programs. The caller holds p.mu.
func (p *Pool) refill() {
	for !p.closed && len(p.idle)+p.starting < p.opts.Idle {
		p.starting++
		p.busy.Add(1)
		go func() {
			defer p.busy.Done()
			waiting, _ := p.queue.Len()
			w, err := p.fresh(p.ctx, waiting > 0 || p.cold)
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

// fresh starts a worker and waits until it is locked down, or until ctx or the pool ends. The parameter now reports that a program already
// waits for the worker, so the worker does not warm up.
func (p *Pool) fresh(ctx context.Context, now bool) (*proc, error) {
	l := launching{&proc{}, now, make(chan error, 1)}
	select {
	case p.launches <- l:
	case <-ctx.Done():
		return nil, fail.CauseOf(ctx)
	}
	select {
	case err := <-l.err:
		if err == nil {
			err = l.proc.greet(ctx)
		}
		if err != nil && p.binary != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("%w: %w", ErrBinary, err)
		}
		if err != nil {
			return nil, err
		}
		return l.proc, nil
	case <-ctx.Done():
		// A start can't be stopped, so end the process when it has started.
		p.busy.Add(1)
		go func() {
			defer p.busy.Done()
			if <-l.err == nil {
				l.proc.reap()
			}
		}()
		return nil, fail.CauseOf(ctx)
	}
}

// begin starts the launcher when the first program comes. The caller holds p.mu.
func (p *Pool) begin() {
	if p.begun {
		return
	}
	p.begun = true
	var path string
	var err error
	if p.binary != nil {
		path = executable(p.binary)
	} else {
		path, err = self()
	}
	p.busy.Add(1)
	go p.launcher(path, err)
}

// launcher starts all workers of the pool on one thread. The thread lives as long as the pool, because the kernel ends a worker with the
// thread that started it.
func (p *Pool) launcher(path string, err error) {
	defer p.busy.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() {
		if p.null != nil {
			p.null.Close()
		}
	}()
	for {
		select {
		case l := <-p.launches:
			e := err
			if e == nil && p.null == nil { // try again at each start, because a host may have no free descriptor for a moment
				p.null, e = os.OpenFile(os.DevNull, os.O_RDWR, 0)
			}
			if e == nil {
				e = p.launch(path, l)
			}
			l.err <- e
		case <-p.ctx.Done():
			return
		}
	}
}

// launch runs on the launcher's thread. It tries to make namespaces and continues without them: a system may lack them, forbid them, or have
// none left.
func (p *Pool) launch(path string, l launching) (err error) {
	if p.opts.Namespaces && namespaces != 0 {
		if l.proc.p, l.proc.end, err = launch(path, p.null, l.now, namespaces); err == nil {
			l.proc.isolation = Namespaces
			return nil
		}
	}
	l.proc.p, l.proc.end, err = launch(path, p.null, l.now, 0)
	return err
}
