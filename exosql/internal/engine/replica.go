package engine

// This file reads on replicas: servers that replay the log of a database's own server, the primary.

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Position is a state of a primary. On PostgreSQL it is a place in the log, with its timeline, and a snapshot of the transactions that are over.
type Position struct{ LSN, Timeline, Snapshot string }

// Follower is a Session of a database that may have replicas.
type Follower interface {
	Session
	// Position returns the state of the primary, which has each transaction that was committed before the call.
	Position(ctx context.Context) (Position, error)
	// Reach sets the position that the session of a replica needs. The next queries fail with ErrElsewhere before they read, unless the server
	// is a replica on the same timeline, and has each transaction of the position.
	Reach(Position)
}

// ErrElsewhere is in the error of a replica that can't answer, so another server has to. ErrBehind is there too if waiting may help, and ErrPassing if
// the replica may answer other statements.
var (
	ErrElsewhere = fail.Named("exosql: the replica can't answer now")
	ErrBehind    = fail.Named("exosql: the replica lags behind the primary's log")
	ErrPassing   = fail.Named("exosql: the replica could not run this one statement")
)

const (
	replayWait   = 100 * time.Millisecond // replayWait is how long a run's first read waits for a replica; then the primary answers
	replayMost   = 5 * time.Second        // replayMost is how long further reads wait; then the run ends with Kind Conflict
	restTime     = time.Second            // restTime is how long a replica that failed is asked nothing
	replicaReady = 2 * time.Second        // replicaReady bounds the wait for a session of a replica
)

// Replicas are the replicas of a primary. They answer reads of runs that can't write.
//
// Before each read the primary is asked for its position, and a replica answers only if it has reached that position. So a read sees everything
// that was committed before the read began, by whatever process.
type Replicas struct {
	primary *Pool
	all     []*replica
	turn    atomic.Uint32 // turn counts the first reads, which take turns
}

type replica struct {
	*Pool
	number int          // number counts from 1
	rests  atomic.Int64 // rests is the Unix time in nanoseconds until which the replica is asked nothing; 0: it answers
}

// Reader is one run, or one call of Go code. It reads on the primary alone, or on replicas alone. A replica may show a transaction a moment before the
// primary does, so a run that changed sides could see the transaction disappear.
type Reader struct {
	first sync.Mutex // first is held during the first read
	on    int        // on is 0 before the first read, onPrimary, or the number of a replica
}

const onPrimary = -1

// NewReplicas returns an empty list of a primary's replicas.
func NewReplicas(primary *Pool) *Replicas { return &Replicas{primary: primary} }

// Add adds a replica with n sessions, and opens one of them. If the replica can't be reached, it is tried again later. If it is reached, and is no
// replica of the primary, Add fails.
func (rs *Replicas) Add(ctx context.Context, e Engine, n int) error {
	p, err := NewPool(ctx, e, n)
	r := &replica{Pool: p, number: len(rs.all) + 1}
	if errors.Is(err, ErrElsewhere) && ctx.Err() == nil {
		r.Pool = newPool(e, n)
		r.rest(err)
	} else if err != nil {
		return err
	}
	rs.all = append(rs.all, r)
	return nil
}

// Close is like Pool.Close.
func (rs *Replicas) Close() (err error) {
	if rs != nil {
		for _, r := range rs.all {
			err = errors.Join(err, r.Close())
		}
	}
	return err
}

// Run runs a plan for a reader. It returns the number of the replica that answered, or 0 for the primary.
func (rs *Replicas) Run(ctx context.Context, r *Reader, pl *plan.Plan, args []value.Value, by *Settings, collect func() *plan.Collector) (out *plan.Collector, number int, err error) {
	ctx, end := pl.Observed(ctx, rs.primary.System)
	defer func() { end(out, 0, err) }()
	run := func(p *Pool, at *Position) error {
		out = collect()
		return p.run(ctx, pl, args, by, at, out)
	}
	r.first.Lock()
	on := r.on
	if on != 0 {
		r.first.Unlock()
	} else {
		defer r.first.Unlock()
		defer func() { r.on = cmp.Or(number, onPrimary) }()
	}
	if on != onPrimary {
		number, err = rs.ask(ctx, on, run)
		switch {
		case !errors.Is(err, ErrElsewhere):
			return out, number, err
		case on != 0:
			return nil, 0, &fail.Error{Kind: fail.Conflict, Msg: "the server from which this program has read can't answer any more; run the program again", Err: err}
		}
	}
	err = run(rs.primary, nil)
	return out, 0, err
}

// ask runs f on a replica that has replayed all transactions that are committed by now. on is the number of the replica on which the reader has read, or 0.
func (rs *Replicas) ask(ctx context.Context, on int, f func(*Pool, *Position) error) (number int, err error) {
	var at Position
	var order []*replica
	until := time.Now().Add(replayWait)
	if on == 0 {
		n := int(rs.turn.Add(1)) % len(rs.all)
		order = slices.Concat(rs.all[n:], rs.all[:n])
	} else { // the reader's own replica has a second try, since a replay may have cut off the first
		until = time.Now().Add(replayMost)
		order = slices.Concat(rs.all[on-1:], rs.all[:on])
	}
	err = ErrElsewhere
	for _, r := range order {
		if on == 0 && !r.awake() {
			continue
		}
		if at.LSN == "" {
			err = rs.primary.with(ctx, false, func(s Session) (err error) {
				at, err = s.(Follower).Position(ctx)
				return err
			})
			if err != nil { // the primary can't be asked, so it is not known which position a replica must have reached
				return 0, err
			}
		}
		of := at
		if on != 0 && on != r.number { // the reader may have seen on its own replica a transaction that is still in progress on the primary
			of.Snapshot = ""
		}
		if err = r.ask(ctx, until, func() error { return f(r.Pool, &of) }); !errors.Is(err, ErrElsewhere) {
			return r.number, err
		}
	}
	return 0, err
}

// ask repeats f while the replica is behind, but not after the time until. After another error the replica rests.
func (r *replica) ask(ctx context.Context, until time.Time, f func() error) (err error) {
	for pause := time.Millisecond / 2; ; pause = min(2*pause, 10*time.Millisecond) {
		if err = f(); !errors.Is(err, ErrBehind) || time.Now().Add(pause).After(until) {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	if !errors.Is(err, ErrElsewhere) {
		if ctx.Err() == nil { // otherwise the replica may not have answered
			r.rests.Store(0)
		}
	} else if !errors.Is(err, ErrPassing) {
		r.rest(err)
	}
	return err
}

// rest keeps readers from the replica for a while.
func (r *replica) rest(err error) {
	if r.rests.Swap(time.Now().Add(restTime).UnixNano()) == 0 {
		slog.Warn("a replica can't be read", "replica", r.number, "reason", fail.Reason(err))
	}
}

// awake reports whether the replica may be asked. After a rest it returns true to one reader, which finds out whether the replica answers.
func (r *replica) awake() bool {
	until, now := r.rests.Load(), time.Now()
	return until == 0 || now.UnixNano() > until && r.rests.CompareAndSwap(until, now.Add(restTime).UnixNano())
}
