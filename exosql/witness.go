package exosql

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/schema"
)

// CreateWitness is the statement that makes the table of [OpenOptions.Witness], on both engines, for the host's migrations.
// A role that does not own it needs the rights to SELECT and INSERT; [Policies] gives them. No program can be granted the table.
const CreateWitness = engine.CreateMarks

// Committed implements record.Store: it reports whether what a run has changed was kept. The database must be opened with
// [OpenOptions.Witness], now and when the run ran. false is for good: if the run is still on its way, it fails. So ask about runs
// whose process has ended, or whose connection was lost. Where the server has not noticed that, and the run's
// transaction is still open there, Committed waits, and fails in the end: ask again.
func (db *DB) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	err = db.marks(ctx, "exosql: Committed", func(w engine.Writer) (err error) {
		kept, err = w.Settle(ctx, run.String(), time.Now())
		return err
	})
	return kept, err
}

// Forget deletes the marks of runs that ended before a time, which Committed then knows no more. Let it lie days back: it must be
// earlier than any transaction that may still be open. The marks are dated by the clock of the host whose run left them. It
// needs the rights to UPDATE and DELETE, which the role of programs should not have.
func (db *DB) Forget(ctx context.Context, before time.Time) error {
	return db.marks(ctx, "exosql: Forget", func(w engine.Writer) error { return w.Forget(ctx, before) })
}

// Forgotten implements record.Forgetful: it is the latest time that Forget was called with, or zero.
func (db *DB) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = db.marks(ctx, "exosql: Forgotten", func(w engine.Writer) (err error) {
		at, err = w.Forgotten(ctx)
		return err
	})
	return at, err
}

// marks calls f with a connection for the table of marks.
func (db *DB) marks(ctx context.Context, op string, f func(engine.Writer) error) error {
	if err := db.core().Ready(); err != nil {
		return err
	}
	if !db.db.Witness {
		return &fail.Error{Kind: fail.Invalid, Op: op, Msg: "runs leave no marks in this database: set OpenOptions.Witness", Err: ErrNoWitness}
	}
	return db.db.Units.Marks(ctx, op, f)
}

// openWitness refuses a database in which runs could leave no mark.
func openWitness(ctx context.Context, db *answer.DB) error {
	live, err := db.Pool.Catalog(ctx, false)
	if err != nil {
		return err
	}
	if why := unit.MarksWrong(live.Engine, live.Table(schema.Name{Name: decl.MarksTable})); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Witness is set, but %s; want, from a migration: %s", why, CreateWitness)
	}
	return nil
}
