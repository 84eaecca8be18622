package exosql

// This file has the transactions of the host; package unit runs them.

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/unit"
)

// Tx is a transaction of the host around runs: what runs with its [Tx.Context] read and change on its DB they read and change in
// it, one run after the other, and nobody else sees it before Commit. A
// run that fails leaves the transaction as it was. It is for trying programs, at a keyboard or in a test: others
// wait for what it has changed, and what a run did is never run again for it, so a conflict with
// another transaction ends a run with Kind Conflict, and is not replayed. Relations are read and written outside of
// it, but for those that are [Relation.InTx] it. [DB.Transact] makes a Tx for Go code alone.
//
// A run ends when its part of the Tx does: its record says then that its changes were applied, and its held effects
// act, whatever becomes of the Tx. So grant programs that are tried no effects outside of the database.
type Tx struct{ tx *unit.Tx }

// core is nil for a Tx that was not begun.
func (t *Tx) core() *unit.Tx {
	if t == nil {
		return nil
	}
	return t.tx
}

// Begin opens a Tx. It has one of the DB's connections for writing until it ends, by Commit or Rollback; a deferred Rollback after a
// Commit does nothing. Close of the DB rolls it back.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	t, err := db.db.Units.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &Tx{t}, nil
}

// Context is ctx for runs that are in the Tx: give it to [codemode.Tool.Run]. After the Tx has ended such a run is an error that wraps [ErrTxDone],
// and so is one in the Tx of a Transact: it would not be known whether what it changed was kept. Runs on other databases are not in it.
func (t *Tx) Context(ctx context.Context) context.Context { return t.core().Context(ctx) }

// Transact calls f with a new Tx, which it commits if f returns nil and rolls back if not. As many of them may be open at
// once as the DB has connections for writing, [OpenOptions].Conns; the next waits. What relations [Relation.InTx] the Tx read and
// write is one transaction, SERIALIZABLE on PostgreSQL; a relation that is not In it is outside of it, and on SQLite waits for
// it in vain if it writes. Where another transaction was in its way, f is called again, a few times at most, so it must change
// nothing else, and return the error that it was given or one that wraps it. Programs do not run in it. An error of f is
// returned as it is; after another one that does not wrap [exo.ErrNothingDone] nobody knows whether the transaction was kept.
func (db *DB) Transact(ctx context.Context, f func(*Tx) error) error {
	if err := db.core().Ready(); err != nil {
		return unit.Undone("exosql: Transact", err)
	}
	return db.db.Units.Transact(ctx, func(t *unit.Tx) error { return f(&Tx{t}) })
}

// InTx is the relation as it is read and written in a Tx of the same DB: it sees what was changed there. Objects that a
// [Facet] makes of it are not bound to the Tx.
func (r Relation[T]) InTx(tx *Tx) Relation[T] {
	if r.r == nil {
		return r
	}
	err := r.r.Err
	switch {
	case err != nil:
	case tx.core() == nil:
		err = unit.ErrNoTx
	case r.db.core().Ready() != nil || !tx.tx.Of(&r.db.db.Units):
		err = fail.Errorf(fail.Invalid, "exosql: In", "the transaction is of another database than the relation")
	}
	s := *r.r
	s.Err = err
	return Relation[T]{&s, r.t, r.db, tx.core()}
}

// Commit keeps what the runs have changed. After an error that does not wrap exo.ErrNothingDone it is not known whether it was
// kept; one of Kind Conflict says that another transaction was in its way. The Tx has ended with any error but that ctx ended
// while a run was still in it. For a Tx that has ended already, in whatever way, Commit is an error of Kind Invalid, since nil
// would mean that something was kept. It is an error for the Tx of a Transact, which commits it when its function has returned.
func (t *Tx) Commit(ctx context.Context) error { return t.core().Commit(ctx) }

// Rollback undoes what the runs have changed, once the run that is in the transaction has ended: ctx does not end it, since
// its caller may have been cancelled just then. It does nothing for a Tx that has ended already.
func (t *Tx) Rollback(ctx context.Context) error { return t.core().Rollback(ctx) }
