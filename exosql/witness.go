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

// CreateWitness is the statement that makes the table of [OpenOptions.Witness], on both engines. Run it in the host's migrations. A role that does
// not own the table needs the rights to SELECT and INSERT; [Policies] gives them. The table can't be granted to programs.
const CreateWitness = engine.CreateMarks

// Committed implements record.Store: it reports whether a run's changes were kept. The database must be opened with [OpenOptions.Witness], now and
// when the run ran. Ask about runs with a process that ended, or a connection that was lost. The answer false is final: a run still in progress is
// made to fail. If the run's transaction is still open on the server, Committed waits and in the end returns an error: ask again.
func (db *DB) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	err = db.marks(ctx, "exosql: Committed", func(w engine.Writer) (err error) {
		kept, err = w.Settle(ctx, run.String(), time.Now())
		return err
	})
	return kept, err
}

// Forget deletes the marks of runs that ended before a time; Committed can no longer answer for them. Choose a time some days ago: it must be
// earlier than any transaction that may still be open. Each mark is dated by the clock of the host that ran the run. Forget needs the rights to
// UPDATE and DELETE, which the programs' role should not have.
func (db *DB) Forget(ctx context.Context, before time.Time) error {
	return db.marks(ctx, "exosql: Forget", func(w engine.Writer) error { return w.Forget(ctx, before) })
}

// Forgotten implements record.Forgetful: it returns the latest time that was passed to Forget, or zero.
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
		return &fail.Error{Kind: fail.Invalid, Op: op, Msg: "this DB was opened without OpenOptions.Witness, so its runs leave no marks: set it", Err: ErrNoWitness}
	}
	return db.db.Units.Marks(ctx, op, f)
}

// openWitness refuses a database in which runs could not write their marks.
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
