package revoke

// This file refuses and stops programs of principals that are on the list.

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// Every is how long a process may go by what it has read of the list.
const Every = time.Second

// Patience is how long a program may go on while the list can't be read.
const Patience = 10 * time.Second

// running is a program that runs.
type running struct {
	principal exo.Principal
	stop      context.CancelCauseFunc
}

// Begin refuses a program of a revoked principal. Otherwise it returns the context for a run, which ends when the principal is revoked; the
// cause is an *fail.Error of Kind Revoked. The caller calls end after the run.
func (l *List) Begin(ctx context.Context, p exo.Principal) (run context.Context, end func(), err error) {
	if err := l.made(); err != nil {
		return nil, nil, err
	}
	if err := l.look(ctx); err != nil {
		return nil, nil, &fail.Error{Kind: fail.Internal, Err: err}
	}
	r := &running{principal: p}
	run, r.stop = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.has(p) {
		r.stop(nil)
		return nil, nil, refused()
	}
	if len(l.runs) == 0 {
		l.seen = time.Now()
		l.timer = time.AfterFunc(Every, l.check)
	}
	l.runs[r] = struct{}{}
	return run, func() { l.end(r) }, nil
}

func (l *List) end(r *running) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.runs, r); len(l.runs) == 0 {
		l.timer.Stop()
	}
	r.stop(nil)
}

func refused() error {
	return &fail.Error{Kind: fail.Revoked, Msg: "the host has taken back the access of this principal"}
}

// has reports whether a principal is revoked. l.mu is held.
func (l *List) has(p exo.Principal) bool {
	is, asked := l.revoked[p]
	if !asked {
		is = slices.ContainsFunc(l.entries, func(e Entry) bool { return e.All || l.covers(e.Principal, p) })
		l.revoked[p] = is
	}
	return is
}

// look reads the list unless it was read within Every.
func (l *List) look(ctx context.Context) error {
	l.reading.Lock()
	defer l.reading.Unlock()
	if !l.read.IsZero() && time.Since(l.read) < Every {
		return nil
	}
	at := time.Now()
	ctx, cancel := context.WithTimeout(ctx, Patience/2)
	defer cancel()
	entries, err := l.Entries(ctx)
	if err != nil {
		return err
	}
	l.read = at
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.revoked = entries, map[exo.Principal]bool{}
	return nil
}

// check reads the list, stops the programs whose principals are revoked, and comes again while programs run.
func (l *List) check() {
	err := l.look(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.seen = time.Now()
	} else {
		err = &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("whether the principal is revoked can't be asked: %w", err)}
	}
	for r := range l.runs {
		if err == nil && l.has(r.principal) {
			r.stop(refused())
		} else if err != nil && time.Since(l.seen) > Patience {
			r.stop(err)
		}
	}
	if len(l.runs) > 0 {
		l.timer.Reset(Every)
	}
}
