package exosql

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// unit is the unit of work of one run: one transaction, in which everything is read and
// written. Where the database can't put it in an order with others that ran at the same time, all of
// it is asked again in a new one; if an answer then differs, the program has acted on what is not
// true any more, and the run ends with Kind Conflict.
type unit struct {
	db  *DB
	ctx context.Context // of the run

	mu    sync.Mutex
	w     engine.Writer
	steps []step // that were answered, in order
	wrote bool
	lost  error // why nothing of it may be kept
	idle  *time.Timer
}

// step is one statement and its answer.
type step struct {
	p      *plan.Plan
	args   []exo.Value
	rows   int64 // that a write changed
	answer exo.Digest

	collect func(*exo.Message) *plan.Collector
}

// maxTries is how often a unit is run in all.
const maxTries = 4

// beginUnit opens the unit of work of a run. It gets a connection of its own until the run ends.
func (db *DB) beginUnit(ctx context.Context) (exo.Unit, error) {
	u := &unit{db: db, ctx: ctx}
	var err error
	if u.w, err = db.writers.Acquire(ctx); err != nil {
		return nil, err
	}
	if err = u.w.Begin(ctx); err != nil {
		db.writers.Release(u.w)
		return nil, exo.Classify("", err)
	}
	return u, nil
}

// do answers one statement of the unit. rows is how many a write changed.
func (u *unit) do(ctx context.Context, p *plan.Plan, args []exo.Value, m *exo.Message, collect func(*exo.Message) *plan.Collector) (out *plan.Collector, rows int64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil && !u.idle.Stop() {
		u.idle = nil
	}
	if u.lost != nil {
		return nil, 0, u.lost
	}
	s := step{p: p, args: args, collect: collect}
	err = u.ordered(ctx, func() (err error) {
		out, s.rows, err = u.once(ctx, &s, m)
		return err
	})
	if err != nil {
		if !u.w.Open() && u.lost == nil {
			u.lose(fmt.Errorf("exosql: the transaction is over: %w", err))
		}
		return nil, 0, err
	}
	if s.answer, err = exo.RowsValue(out.Rows()).Digest(); err != nil {
		return nil, 0, err
	}
	u.steps, u.wrote = append(u.steps, s), u.wrote || p.Write != nil
	if u.wrote { // other programs wait for what this one has written
		u.idle = time.AfterFunc(u.db.idle, u.tooLong)
	}
	return out, s.rows, nil
}

// tooLong ends a unit that has written and that nobody has asked anything for long.
func (u *unit) tooLong() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost == nil && u.w != nil {
		u.lose(exo.Errorf(exo.Limit, "", "the program has held what it has changed for longer than %v without asking for anything more", u.db.idle))
		_ = u.w.Rollback(context.Background())
	}
}

func (u *unit) lose(err error) { u.lost = err }

// over reports whether nothing of the unit can be kept any more.
func (u *unit) over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lost != nil
}

// once runs a statement.
func (u *unit) once(ctx context.Context, s *step, m *exo.Message) (*plan.Collector, int64, error) {
	out := s.collect(m)
	var n int64
	var err error
	if s.p.Write != nil {
		n, err = u.w.Write(ctx, s.p, s.args, out)
	} else {
		err = u.w.Query(ctx, s.p, s.args, out)
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		return nil, 0, err
	}
	return out, n, nil
}

// ordered calls f, and where the unit can't be put in an order runs all that came before again, and f.
func (u *unit) ordered(ctx context.Context, f func() error) error {
	err := f()
	for tries := 1; errors.Is(err, engine.ErrSerial); tries++ {
		if tries == maxTries {
			err = conflict(err)
			u.lose(err)
			return err
		}
		if again := u.replay(ctx); again != nil {
			if errors.Is(again, engine.ErrSerial) {
				err = again
				continue
			}
			u.lose(again)
			return again
		}
		err = f()
	}
	return err
}

func conflict(err error) error {
	return &exo.Error{Kind: exo.Conflict, Msg: "other programs changed what this one has read while it ran; run it again", Err: err}
}

// replay begins anew, and asks again all that was answered.
func (u *unit) replay(ctx context.Context) error {
	if err := u.w.Rollback(ctx); err != nil {
		return err
	}
	if err := u.w.Begin(ctx); err != nil {
		return err
	}
	for _, s := range u.steps {
		out, n, err := u.once(ctx, &s, nil)
		if errors.Is(err, engine.ErrSerial) {
			return err
		}
		if err != nil {
			return conflict(err)
		}
		if d, err := exo.RowsValue(out.Rows()).Digest(); err != nil || d != s.answer || n != s.rows {
			return conflict(errors.New("exosql: an answer differs from the first"))
		}
	}
	return nil
}

// Prepare implements exo.Unit.
func (u *unit) Prepare(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	if u.lost != nil {
		return u.lost
	}
	if !u.wrote {
		return nil
	}
	return u.db.said(nil, u.ordered(ctx, func() error { return u.w.Prepare(ctx) }))
}

// Commit implements exo.Unit.
func (u *unit) Commit(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, u.lost)
	}
	err := u.ordered(ctx, func() error { return u.w.Commit(ctx) })
	u.end(ctx)
	if err != nil && u.lost != nil {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
	}
	return err
}

// Rollback implements exo.Unit.
func (u *unit) Rollback(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	err := u.end(ctx)
	return err
}

// end gives the connection back.
func (u *unit) end(ctx context.Context) error {
	if u.w == nil {
		return nil
	}
	err := u.w.Rollback(ctx)
	u.db.writers.Release(u.w)
	u.w, u.steps = nil, nil
	if u.lost == nil {
		u.lost = errUnitOver
	}
	return err
}

var errUnitOver = errors.New("exosql: the unit of work is over")
