package exosql

// This file has the errors to look for with errors.Is and errors.As.

import (
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/unit"
)

// ConstraintError says which rule of the database a write would have broken, of a program or of Go code. It is in the error
// of the write, which is of Kind Invalid: find it with errors.As. A program reads the names of columns that its facet shows,
// and nothing else of it.
type ConstraintError struct {
	Rule       Rule
	Table      string   // in the database
	Columns    []string // the same; nil where the database does not say
	Constraint string   // the name of the constraint; "" where the database does not say
	Row        int      // which of several inserted rows, from 1; 0: there was one, or it is not known
	Err        error    // the driver's, which may quote values
}

// Rule is what a constraint demands.
type Rule uint8

const (
	RuleNotNull    = Rule(engine.NotNull)    // a value
	RuleUnique     = Rule(engine.Unique)     // a value that no other row has
	RuleForeignKey = Rule(engine.ForeignKey) // that the row referred to is there, or that no row refers to this one
	RuleCheck      = Rule(engine.CheckRule)  // what an expression says
	RuleType       = Rule(engine.BadValue)   // a value that the type of the column holds
	RuleTrigger    = Rule(engine.Trigger)    // what a trigger that the host has named accepts
)

func (r Rule) String() string {
	return map[Rule]string{RuleNotNull: "not null", RuleUnique: "unique", RuleForeignKey: "foreign key", RuleCheck: "check", RuleType: "type", RuleTrigger: "trigger"}[r]
}

func (e *ConstraintError) Error() string {
	if e == nil || e.Err == nil {
		return "exosql: this ConstraintError is empty: no refused write made it"
	}
	return e.Err.Error()
}

func (e *ConstraintError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

func brokenBy(v *engine.Violation, columns []string, row int, err error) error {
	return &ConstraintError{Rule(v.Rule), v.Table, columns, v.Constraint, row, err}
}

// Errors to look for with errors.Is, beside [ErrCursor] and [ErrNoFacet], and those of package exo; with errors.As there are
// [ConstraintError], [VersionError] and [CheckError]. What else can go wrong is told apart by its Kind: see [fail.KindOf].
var (
	ErrClosed    = engine.ErrClosed  // the DB was closed: of kind fail.Revoked
	ErrNoWitness = engine.ErrNoMarks // the DB was opened without OpenOptions.Witness
	ErrTxDone    = unit.ErrTxDone    // the Tx has ended already, by Commit, Rollback or Close of its DB
)

// ErrCursor is why a cursor is refused, be it forged, or of another query, constant, principal, grant or key: all look alike.
var ErrCursor = answer.ErrCursor

// ErrNoFacet is what AccessPaths returns for an object that [Facet.Of] did not make: nil, or a zero one.
var ErrNoFacet = answer.ErrNoFacet
