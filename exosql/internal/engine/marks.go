package engine

import (
	"context"
	"errors"
	"time"
)

// Marks are the rows by which runs are known after their connection is lost: see exosql.OpenOptions.Witness. A run that
// commits leaves one in its unit. Who asks about a run that left none leaves another one in its place.
type Marks interface {
	// Witness leaves in the unit the mark of a run that is kept if the unit is. After an error nothing of it is done;
	// ErrSettled says that there is a mark of the run already.
	Witness(ctx context.Context, run string, at time.Time) error

	// Settle reports outside of a unit whether a run was kept. false is for good: a Witness of the run fails after it.
	// It waits for a unit that has left its mark and has not ended.
	Settle(ctx context.Context, run string, at time.Time) (kept bool, err error)
	// Forget deletes the marks that are older than before, outside of a unit, and leaves word of it.
	Forget(ctx context.Context, before time.Time) error
	// Forgotten is the last time before which marks were deleted, zero if none were.
	Forgotten(ctx context.Context) (time.Time, error)
}

// CreateMarks makes the table of marks, on both engines. at_ms counts milliseconds since 1970. One row has no ID of a run but
// ForgottenRow, and says what Forgotten does.
const CreateMarks = `CREATE TABLE exo_runs (run text NOT NULL PRIMARY KEY, kept boolean NOT NULL, at_ms bigint NOT NULL)`

// ForgottenRow is no ID, which has 32 digits.
const ForgottenRow = "forgotten"

// ErrSettled is the error of a run that would be kept although the answer was given that it was not.
var ErrSettled = errors.New("exosql: the host asked about the run before its commit, so it is not kept")

// ErrNoMarks is the error of a connection that was not opened for marks.
var ErrNoMarks = errors.New("exosql: the database was opened without OpenOptions.Witness")
