package unit

// This file begins and ends units: prepare, mark, commit and the hooks after it, or rollback.

import (
	"context"
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// New begins a unit of work. It is part of tx unless that is nil.
func (us *Units) New(ctx context.Context, tx *Tx) (*Unit, error) {
	u := &Unit{of: us, Late: us.Broken, ctx: ctx, release: us.Writers.Release, discard: us.Writers.Discard, tx: tx}
	var err error
	if tx != nil {
		u.w, u.release, err = tx.part(ctx)
		u.discard = tx.spoil
	} else {
		u.w, err = us.writer(ctx)
	}
	if err != nil {
		return nil, err
	}
	begun := false
	defer func() {
		if !begun {
			u.discard(u.w)
		}
	}()
	err = u.w.Begin(ctx)
	if begun = true; err != nil {
		u.release(u.w)
		return nil, fail.Classify("", err)
	}
	return u, nil
}

// In runs f in a unit of work, which is kept if f returns no error. With a Tx, the unit is a part of it.
func (us *Units) In(ctx context.Context, tx *Tx, f func(*Unit) error) error {
	u, err := us.New(ctx, tx)
	if err != nil {
		return Undone("", err)
	}
	if err = f(u); err == nil {
		err = u.Prepare(ctx)
	}
	if err != nil {
		return Undone("", errors.Join(err, u.Rollback(context.WithoutCancel(ctx))))
	}
	if err := u.Commit(ctx); err != nil {
		return fail.Classify("", err)
	}
	us.SettleTyped(ctx, u.settling)
	return nil
}

// InTx runs f within a Tx, or with nil if there is no Tx.
func (us *Units) InTx(ctx context.Context, tx *Tx, f func(*Unit) error) error {
	if tx == nil {
		return f(nil)
	}
	return us.In(ctx, tx, f)
}

// Prepare implements exo.Unit.
func (u *Unit) Prepare(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	if u.lost != nil {
		return u.lost
	}
	if !u.wrote && !u.unseen {
		return nil
	}
	return u.Late(u.ordered(ctx, func() error {
		if u.unseen && u.tx == nil { // a replay within a host's Tx would read the same state again, so only a unit with its own transaction is replayed
			u.unseen = false
			return fmt.Errorf("%w: a newer row, which the run does not see, conflicts with a row that the run has written", engine.ErrSerial)
		}
		return u.w.Prepare(ctx)
	}))
}

// InHostTransaction implements exo.HostUnit: the unit is in a Tx, and the host decides whether it is kept.
func (u *Unit) InHostTransaction() bool { return u.tx != nil }

// Commit implements exo.Unit.
func (u *Unit) Commit(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, u.lost)
	}
	defer u.abandon() // after a driver's panic its transaction may still be open, and others would wait for it
	err := u.Late(u.ordered(ctx, func() error { return u.w.Commit(ctx) }))
	given := u.lost != nil // given: the unit was lost before the commit was sent; after any other error the outcome is unknown
	if err == nil && u.tx != nil {
		u.tx.written = append(u.tx.written, u.written...) // only the unit that has the Tx's turn writes here
	} else if err == nil {
		u.settling = u.written
	}
	u.end(ctx)
	if err != nil && given {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
	}
	return err
}

// Rollback implements exo.Unit.
func (u *Unit) Rollback(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.idle != nil {
		u.idle.Stop()
	}
	err := u.end(ctx)
	return err
}

// end rolls the unit back, and returns the connection to the pool. Nothing is left to roll back after a commit.
func (u *Unit) end(ctx context.Context) error {
	if u.w == nil {
		return nil
	}
	defer u.abandon()
	if u.broken {
		return nil // a closed connection has no open transaction
	}
	err := u.w.Rollback(ctx)
	w := u.w
	u.w = nil
	u.forget()
	u.release(w)
	return err
}

// AfterCommit implements exo.AfterCommitter: it calls the hooks. Within a Tx of the host, nothing is committed before the Tx is.
func (u *Unit) AfterCommit(ctx context.Context) error {
	u.mu.Lock()
	written := u.settling
	u.settling = nil
	kept := u.keeps
	u.mu.Unlock()
	failed := u.of.settle(ctx, written)
	if kept {
		failed = errors.Join(failed, u.of.Trim(ctx, "exosql: AfterCommit"))
	}
	return failed
}

var _ exo.AfterCommitter = (*Unit)(nil)

// Mark inserts the ID of the unit's run into the table of marks, in the unit's transaction.
func (u *Unit) Mark(ctx context.Context, run exo.RunID) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return u.lost
	}
	err := u.ordered(ctx, func() error { return u.leave(ctx, run.String()) })
	if err == nil {
		u.mark = run.String() // mark is set only now: otherwise, if ordered repeats the unit, replay would insert the mark, and leave again
	}
	return err
}
