package revoke

// This file refuses and stops programs of principals that are on the list.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// Every is how long a process may use a copy of the list before it reads the list again.
const Every = time.Second

// Patience is how long a program may continue while the list can't be read.
const Patience = 10 * time.Second

// running is a program that runs.
type running struct {
	principal exo.Principal
	stop      context.CancelCauseFunc
}

// Begin refuses a program of a revoked principal. Otherwise it returns the context for a run, which ends with a *fail.Stop of Kind Revoked when the
// principal is revoked, or with one of Kind Internal when the list could not be read for Patience. An error has Kind Revoked, Internal if the list can't be
// read, or Denied for the zero List. The caller calls end after the run; a second call does nothing.
func (l *List) Begin(ctx context.Context, p exo.Principal) (run context.Context, end func(), err error) {
	if err := l.made(); err != nil {
		return nil, nil, err
	}
	if err := l.look(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, nil, fail.Classify("", errors.Join(ctx.Err(), fail.CauseOf(ctx)))
		}
		return nil, nil, &fail.Error{Kind: fail.Internal, Err: err}
	}
	r := &running{principal: p}
	run, r.stop = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has(p) {
		r.stop(nil)
		return nil, nil, &fail.Error{Kind: fail.Revoked, Msg: taken}
	}
	if len(l.runs) == 0 {
		l.seen = time.Now()
		l.timer = time.AfterFunc(Every, l.check)
	}
	l.runs[r] = struct{}{}
	return run, func() { l.end(r) }, nil
}

// taken is the text that a program of a revoked principal reads.
const taken = "the host has taken back the access of this principal"

var errUnread = fail.Named("revoke: the list of revoked principals can't be read")

func (l *List) end(r *running) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.runs, r); len(l.runs) == 0 {
		l.timer.Stop()
	}
	r.stop(nil)
}

// has reports whether a principal is revoked. l.mu is held.
func (l *List) has(p exo.Principal) bool {
	is, asked := l.revoked[p]
	if !asked {
		is = l.covers(p)
		l.revoked[p] = is
	}
	return is
}

// reading is one attempt to read the store. All callers that need the list meanwhile wait for it.
type reading struct {
	done  chan struct{} // closed when the reading has ended
	err   error
	stale bool // this process has changed the list since the reading began
}

// look reads the list unless it was read within Every. It returns at the latest when ctx ends.
func (l *List) look(ctx context.Context) error {
	l.mu.Lock()
	if !l.read.IsZero() && time.Since(l.read) < Every {
		l.mu.Unlock()
		return nil
	}
	r := l.now
	if r == nil {
		r = &reading{done: make(chan struct{})}
		l.now = r
		go l.readInto(r)
	}
	l.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errUnread, context.Cause(ctx))
	}
}

// readInto reads the store for all callers that wait for r.
func (l *List) readInto(r *reading) {
	at := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), Patience/2)
	defer cancel()
	entries, err := l.Entries(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	defer close(r.done)
	l.now = nil
	if err != nil {
		r.err = fmt.Errorf("%w: %w", errUnread, err)
		return
	}
	var names []exo.Principal
	all := false
	for _, e := range entries {
		if all = all || e.All; !e.All {
			names = append(names, e.Principal)
		}
	}
	l.covers, l.revoked = l.match(names), map[exo.Principal]bool{}
	if all {
		l.covers = func(exo.Principal) bool { return true }
	}
	if l.read = at; r.stale {
		l.read = time.Time{}
	}
}

// check stops the programs of revoked principals, or all programs if the list can't be read for Patience. It is called again while programs run. If the
// store hangs, check waits no longer than Every.
func (l *List) check() {
	ctx, cancel := context.WithTimeout(context.Background(), Every)
	err := l.look(ctx)
	cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.seen = time.Now()
	}
	for r := range l.runs {
		if err == nil && l.has(r.principal) {
			r.stop(&fail.Stop{Kind: fail.Revoked, Msg: taken})
		} else if err != nil && time.Since(l.seen) > Patience {
			r.stop(&fail.Stop{Kind: fail.Internal, Err: err})
		}
	}
	if len(l.runs) > 0 {
		l.timer.Reset(Every)
	}
}
