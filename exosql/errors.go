package exosql

import (
	"errors"

	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// Errors to look for with errors.Is, beside [ErrCursor] and [ErrNoFacet], and those of package exo; with errors.As there are
// [ConstraintError], [VersionError] and [CheckError]. What else can go wrong is told apart by its Kind: see [fail.KindOf].
var (
	ErrClosed    = engine.ErrClosed  // the DB was closed
	ErrNoWitness = engine.ErrNoMarks // the DB was opened without OpenOptions.Witness
	ErrTxDone    = errors.New("exosql: this Tx has ended already, by Commit, Rollback or Close of its DB")
)
