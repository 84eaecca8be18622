package exosql

// This file has the transactions of the host, which package unit runs.

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/unit"
)

// Tx is a transaction of the host that may contain several runs, one after another. A run started with [Tx.Context] reads and writes inside the Tx;
// nothing else sees its changes before Commit. A run that fails leaves the Tx as it was. Relations are outside the Tx, except those made with
// [Relation.InTx]. [DB.Transact] makes a Tx for Go code alone.
//
// A Tx is for trying programs, at a terminal or in a test: others wait for the rows that it has changed. Its runs are never repeated, so a conflict
// with another transaction ends a run with Kind Conflict. When a run ends, its record reports its changes as applied, and its held effects act,
// even if the Tx is rolled back later. So grant such programs no effects outside the database.
type Tx struct{ tx *unit.Tx }

// core returns the transaction inside, or nil for a Tx that was not begun.
func (t *Tx) core() *unit.Tx {
	if t == nil {
		return nil
	}
	return t.tx
}

// Begin opens a Tx. It occupies one of the DB's writing connections until Commit or Rollback; a deferred Rollback after a Commit does
// nothing. Closing the DB rolls the Tx back.
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

// Context returns ctx for runs in the Tx, to be passed to [codemode.Tool.Run]. After the Tx has ended, such a run is an error that wraps [ErrTxDone].
// So is a run in the Tx of a Transact, because it would be unknown whether its changes were kept. Runs on other databases are not in the Tx.
func (t *Tx) Context(ctx context.Context) context.Context { return t.core().Context(ctx) }

// Transact calls f with a new Tx. Transact commits if f returns nil, and rolls back otherwise. At most [OpenOptions].Conns Txs are open at once; the
// next waits. Reads and writes of relations made with [Relation.InTx] are in the transaction, which is SERIALIZABLE on PostgreSQL. Other relations
// are outside of it; on SQLite a write of one never succeeds, because it waits for the transaction. Programs do not run in it. After a conflict with
// another transaction f is called again, up to a few times. So f must have no other effect, and must return or wrap each error that it got. Transact
// returns f's own error as it is. After any other error that does not wrap [exo.ErrNothingDone] it is unknown whether the transaction was kept.
func (db *DB) Transact(ctx context.Context, f func(*Tx) error) error {
	if err := db.core().Ready(); err != nil {
		return unit.Undone("exosql: Transact", err)
	}
	return db.db.Units.Transact(ctx, func(t *unit.Tx) error { return f(&Tx{t}) })
}

// InTx returns the relation in a Tx of the same DB: its queries see the changes in the Tx. Objects that a [Facet] makes of it are not bound to the
// Tx.
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
		err = fail.Errorf(fail.Invalid, "exosql: InTx", "the transaction and the relation are of different databases: pass a transaction that the relation's DB began")
	}
	s := *r.r
	s.Err = err
	return Relation[T]{&s, r.t, r.db, tx.core()}
}

// Commit keeps the changes of the runs. After an error that does not wrap exo.ErrNothingDone it is unknown whether they were kept; Kind Conflict
// means that another transaction interfered. An error ends the Tx, except the error that ctx ended while a run was still in the Tx. Commit of a Tx
// that has ended is an error of Kind Invalid, because nil would mean that changes were kept. Commit of the Tx of a Transact is an error too:
// Transact commits it when its function has returned.
func (t *Tx) Commit(ctx context.Context) error { return t.core().Commit(ctx) }

// Rollback undoes the changes of the runs. It waits for a run that is still in the Tx. ctx does not cut this wait short, since a deferred
// Rollback often has a context that was just cancelled. It does nothing for a Tx that has ended.
func (t *Tx) Rollback(ctx context.Context) error { return t.core().Rollback(ctx) }
