package engine

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
)

// Marks are rows that show which runs were committed, after a connection was lost: see exosql.OpenOptions.Witness. A run's
// transaction inserts a mark. If the host asks about a run without one, Settle inserts the mark that the run was not kept.
type Marks interface {
	// Witness inserts the mark of a run in the unit, so that both are kept or neither. After an error
	// the unit has no mark. ErrSettled means that the run has a mark already.
	Witness(ctx context.Context, run string, at time.Time) error

	// Settle reports whether a run was kept, outside of a unit. false is final, since a later Witness
	// of the run fails. Settle waits for a unit that has inserted its mark and has not ended.
	Settle(ctx context.Context, run string, at time.Time) (kept bool, err error)
	// Forget deletes the marks that are older than before, outside of a unit, and stores that time for Forgotten.
	Forget(ctx context.Context, before time.Time) error
	// Forgotten returns the time before which marks may be missing: the last time given to Forget, or when the table was first seen. The first call
	// for a table stores that time. Since Open calls it, a table that was made again or emptied is noticed.
	Forgotten(ctx context.Context) (time.Time, error)
}

// CreateMarks creates the table of marks, on both engines. at_ms counts milliseconds since 1970. Open writes one
// row with ForgottenRow in place of a run's ID, and with the time that Forgotten returns.
const CreateMarks = `CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)`

// ForgottenRow can't be the ID of a run, since those have 32 digits.
const ForgottenRow = "forgotten"

// ErrSettled is the error of a run that the host has already recorded as not kept.
var ErrSettled = fail.Named("exosql: the host asked about the run before its commit, so the run is not kept")

// ErrMarksLost is Settle's error if the table has neither a mark of the run nor the ForgottenRow that Open has written.
var ErrMarksLost = fail.Named("exosql: the table exo_runs was made again or emptied while the DB was open, and has lost which runs were kept: open the database again")

// ErrNoMarks is the error of a connection that was not opened for marks.
var ErrNoMarks = fail.Named("exosql: the database was opened without OpenOptions.Witness: set that option")
