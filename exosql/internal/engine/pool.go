package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/schema"
)

// Pool has the sessions of one database. Each is opened when it is first needed.
type Pool struct {
	Engine Engine
	System string       // System is the kind of database, for observers
	opened int          // opened counts the sessions that the pool may have
	Free   chan Session // Free has the idle sessions, and nil for each that is not open
	closed chan struct{}
	close  sync.Once
}

// NewPool makes a pool of n sessions and opens one, to find out at once whether the database can be opened.
func NewPool(ctx context.Context, e Engine, n int) (*Pool, error) {
	p := newPool(e, n)
	s, err := p.Acquire(ctx)
	if err != nil {
		p.Close()
		return nil, err
	}
	p.Release(s)
	return p, nil
}

func newPool(e Engine, n int) *Pool {
	p := &Pool{Engine: e, opened: n, Free: make(chan Session, n), closed: make(chan struct{})}
	for range n {
		p.Free <- nil // this session is opened when it is first needed
	}
	return p
}

// Close waits for running queries, and closes every connection. Later queries fail. A second Close does nothing.
func (p *Pool) Close() error {
	var err error
	p.close.Do(func() { err = p.shut() })
	return err
}

func (p *Pool) shut() error {
	close(p.closed)
	var errs []error
	for range p.opened {
		if s := <-p.Free; s != nil {
			errs = append(errs, s.Close())
		}
	}
	if p.Engine != nil {
		errs = append(errs, p.Engine.Close())
	}
	return errors.Join(errs...)
}

// ErrClosed is in the error of queries after Close.
var ErrClosed = fail.Named("exosql: the database is closed")

// Closed returns the error of queries after Close. Each call makes a new one, so a caller may fill in its Op.
func Closed() error {
	return &fail.Error{Kind: fail.Revoked, Msg: "the host has closed the database: no program can use it any more", Err: ErrClosed}
}

// Acquire takes a session out of the pool, or opens one if no open session is free.
func (p *Pool) Acquire(ctx context.Context) (s Session, err error) {
	select {
	case <-p.closed:
		return nil, Closed()
	default:
	}
	select {
	case s = <-p.Free:
	case <-p.closed:
		return nil, Closed()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for n := len(p.Free); s == nil && n > 0; n-- { // the place that was taken has no session: look for an open session, and return the place
		select {
		case s = <-p.Free:
			p.Free <- nil
		default:
		}
	}
	if s == nil {
		if s, err = p.Engine.Connect(ctx); err != nil {
			p.Free <- nil
		}
	}
	return s, err
}

// Release returns a session to the pool. If the session's state is unknown, Release closes it, and another is opened when it is needed.
func (p *Pool) Release(s Session) {
	if !s.Sound() {
		_ = s.Close()
		s = nil
	}
	p.Free <- s
}

// Run runs a plan. If a session was dead before anything was sent, Run tries another.
func (p *Pool) Run(ctx context.Context, pl *plan.Plan, args []value.Value, by *Settings, out *plan.Collector) (err error) {
	ctx, end := pl.Observed(ctx, p.System)
	defer func() { end(out, 0, err) }()
	return p.run(ctx, pl, args, by, nil, out)
}

// run is Run without an observer. If at is not nil, the pool belongs to a replica, which must first reach that position.
func (p *Pool) run(ctx context.Context, pl *plan.Plan, args []value.Value, by *Settings, at *Position, out *plan.Collector) error {
	err := p.with(ctx, at != nil, func(s Session) error {
		if at != nil {
			s.(Follower).Reach(*at)
		}
		s.With(by)
		return s.Query(ctx, pl, args, out)
	})
	if err != nil {
		return err
	}
	return out.End()
}

// with calls f for one session, and then for others as long as f returns ErrLost.
func (p *Pool) with(ctx context.Context, replica bool, f func(Session) error) error {
	for tries := 0; ; tries++ {
		if err := p.once(ctx, replica, f); !errors.Is(err, ErrLost) || tries >= p.opened { // all sessions may be dead; then the last try opens a new one
			return err
		}
	}
}

func (p *Pool) once(ctx context.Context, replica bool, f func(Session) error) error {
	within, cancel := ctx, context.CancelFunc(func() {})
	if replica {
		within, cancel = context.WithTimeout(ctx, replicaReady)
	}
	s, err := p.Acquire(within)
	cancel()
	if err != nil && replica && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("%w: %w", ErrElsewhere, err)
	}
	if err != nil {
		return err
	}
	defer p.Release(s)
	return f(s)
}

// Once runs a plan on one session, without an observer. Unlike Run, it tries no other session.
func (p *Pool) Once(ctx context.Context, pl *plan.Plan, args []value.Value, by *Settings, out *plan.Collector) error {
	return p.once(ctx, false, func(s Session) error {
		s.With(by)
		return s.Query(ctx, pl, args, out)
	})
}

// Fresh opens a session outside the pool, which the caller closes. An idle session might know only the schema of its last statement.
func (p *Pool) Fresh(ctx context.Context) (Session, error) {
	select {
	case <-p.closed:
		return nil, Closed()
	default:
		return p.Engine.Connect(ctx)
	}
}

// Catalog reads the database's catalogue.
func (p *Pool) Catalog(ctx context.Context, cells bool) (*schema.Database, error) {
	select {
	case <-p.closed:
		return nil, Closed()
	default:
		return p.Engine.Catalog(ctx, cells)
	}
}
