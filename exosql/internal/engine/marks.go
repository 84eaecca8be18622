package engine

import (
	"context"
	"errors"
	"time"
)

// Marks are the rows that show, after a connection was lost, which runs were committed: see exosql.OpenOptions.Witness. A run's
// transaction inserts a mark. If the host asks about a run without one, Settle inserts a mark that says it was not kept.
type Marks interface {
	// Witness inserts the mark of a run in the unit, so that it is kept if the unit is. After an
	// error nothing of it is done; ErrSettled means that there is a mark of the run already.
	Witness(ctx context.Context, run string, at time.Time) error

	// Settle reports whether a run was kept; it works outside of a unit. false is final: a Witness
	// of the run fails after it. Settle waits for a unit that has left its mark and has not ended.
	Settle(ctx context.Context, run string, at time.Time) (kept bool, err error)
	// Forget deletes the marks that are older than before, outside of a unit, and stores that time for Forgotten.
	Forget(ctx context.Context, before time.Time) error
	// Forgotten returns the time before which marks may be missing: the last time given to Forget, or since when the table is known to be there. The
	// first call for a table notes that, so Open calls it, and a table that was made again or emptied says so.
	Forgotten(ctx context.Context) (time.Time, error)
}

// CreateMarks creates the table of marks, on both engines. at_ms counts milliseconds since
// 1970. One row, which Open writes, has ForgottenRow in place of a run's ID, and the time that Forgotten returns.
const CreateMarks = `CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)`

// ForgottenRow can't be the ID of a run, which has 32 digits.
const ForgottenRow = "forgotten"

// ErrSettled is the error of a run that the host has already recorded as not kept.
var ErrSettled = errors.New("exosql: the host asked about the run before its commit, so it is not kept")

// ErrMarksLost is the error of Settle if the table has no mark of a run, and no ForgottenRow, which Open has written.
var ErrMarksLost = errors.New("exosql: the table exo_runs was made again or emptied while this DB was open, and has lost which runs were kept: open the database again")

// ErrNoMarks is the error of a connection that was not opened for marks.
var ErrNoMarks = errors.New("exosql: the database was opened without OpenOptions.Witness")
