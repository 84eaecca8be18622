package exosql

// This file has the marks of kept runs, by which a host learns later whether a run was kept.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// CreateWitness is the statement that makes the table of [OpenOptions.Witness], on both engines. Run it in the host's migrations. A role that does
// not own the table needs the rights to SELECT and INSERT; [Policies] gives them. The table can't be granted to programs.
const CreateWitness = engine.CreateMarks

// Committed implements record.Store: it reports whether a run's changes were kept. The database must be opened with [OpenOptions.Witness], now and when the run ran. Ask
// about runs whose process ended, or whose connection was lost. The answer false is final: a run still in progress is made to fail. For a run that began before
// Forgotten, false means nothing. With a synchronous standby of PostgreSQL, true also means that the standby has the changes. If the run's transaction is still open on the server, Committed waits and in the end returns an error: ask again.
func (db *DB) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	err = db.marks(ctx, "exosql: Committed", func(w engine.Writer) (err error) {
		kept, err = w.Settle(ctx, run.String(), time.Now())
		return err
	})
	return kept, err
}

// Forget deletes the marks of runs that ended before a time. Committed can no longer answer for them. Choose a time some days ago: it must be
// earlier than any transaction that may still be open. Each mark is dated by the clock of the host that ran the run. Forget needs the rights to
// UPDATE and DELETE, which the programs' role should not have.
func (db *DB) Forget(ctx context.Context, before time.Time) error {
	return db.marks(ctx, "exosql: Forget", func(w engine.Writer) error { return w.Forget(ctx, before) })
}

// Forgotten implements record.Forgetful. It returns the latest time that was passed to Forget, or the time at which Open first saw the table of marks.
// So a table that was dropped and made again, or emptied, is not mistaken for one that has no mark of a run.
func (db *DB) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = db.marks(ctx, "exosql: Forgotten", func(w engine.Writer) (err error) {
		at, err = w.Forgotten(ctx)
		return err
	})
	return at, err
}

// marks calls f with a connection to the table of marks.
func (db *DB) marks(ctx context.Context, op string, f func(engine.Writer) error) error {
	if err := db.core().Ready(); err != nil {
		return err
	}
	if !db.db.Witness {
		return &fail.Error{Kind: fail.Invalid, Op: op, Msg: "the DB was opened without OpenOptions.Witness, so no mark shows which runs were kept: set that option", Err: ErrNoWitness}
	}
	return db.db.Units.Marks(ctx, op, f)
}
