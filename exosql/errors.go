package exosql

// This file has the errors that hosts find with errors.Is and errors.As.

import (
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/unit"
)

// ConstraintError names the database rule that a write of a program or of Go code broke. errors.As finds it in the error of the write, which has
// Kind Invalid. Of its content a program sees only the names of columns that its facet shows.
type ConstraintError struct {
	Rule       Rule
	Table      string   // Table is the table's name in the database
	Columns    []string // Columns are the names of the rule's columns in the database; nil if the database does not report them
	Constraint string   // Constraint is the name of the constraint; "" if the database does not report it
	Row        int      // Row is the number of the row among several inserted rows, from 1; 0 for a single row, or if it is not known
	Err        error    // Err is the driver's error, which may quote values
}

// Rule is a kind of constraint. The comments below describe what each demands.
type Rule uint8

const (
	RuleNotNull    = Rule(engine.NotNull)    // RuleNotNull demands a value
	RuleUnique     = Rule(engine.Unique)     // RuleUnique demands a value that no other row has
	RuleForeignKey = Rule(engine.ForeignKey) // RuleForeignKey demands that the row referred to exists, or that no row refers to this one
	RuleCheck      = Rule(engine.CheckRule)  // RuleCheck demands that an expression is true
	RuleType       = Rule(engine.BadValue)   // RuleType demands a value that fits the type of the column
	RuleTrigger    = Rule(engine.Trigger)    // RuleTrigger demands a value that a permitted trigger accepts
)

func (r Rule) String() string {
	return map[Rule]string{RuleNotNull: "not null", RuleUnique: "unique", RuleForeignKey: "foreign key", RuleCheck: "check", RuleType: "type", RuleTrigger: "trigger"}[r]
}

func (e *ConstraintError) Error() string {
	if e == nil || e.Err == nil {
		return "exosql: this ConstraintError is zero: get one by errors.As from the error of a write"
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

// These errors are found with errors.Is, like [ErrCursor], [ErrNoFacet] and those of package exo. With errors.As, [ConstraintError],
// [VersionError] and [CheckError] are found. Other errors differ by their Kind: see [fail.KindOf].
var (
	ErrClosed    = engine.ErrClosed  // the DB was closed; its kind is fail.Revoked
	ErrNoWitness = engine.ErrNoMarks // the DB was opened without OpenOptions.Witness
	ErrTxDone    = unit.ErrTxDone    // the Tx has ended already, by Commit, Rollback or Close of its DB
)

// ErrCursor means that a cursor is refused. A forged cursor, and a cursor of another query, constant, principal, grant or key, give the same error.
var ErrCursor = answer.ErrCursor

// ErrNoFacet is the error of AccessPaths for an object that [Facet.Of] did not make.
var ErrNoFacet = answer.ErrNoFacet
