package engine

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Writer is a guarded connection (see Engine) for units of work: one transaction, in which
// everything is read and written until it ends. It reads like a Session. It writes only within a
// unit, and only by plans that have a Write.
type Writer interface {
	Session
	// Alive reports whether an idle connection can still be used. It asks the server if the connection was idle for long.
	Alive(ctx context.Context) bool
	// Begin opens a unit: SERIALIZABLE on PostgreSQL, a deferred transaction on SQLite.
	Begin(ctx context.Context) error
	// Write makes changes and returns the number of rows. out gets the rows that the last statement
	// returns. After an error nothing is changed, and Open reports whether the unit still exists.
	Write(ctx context.Context, changes []Change, out *plan.Collector) (rows int64, err error)
	// Open reports whether the unit still exists, since some errors end it.
	Open() bool
	// Prepare checks the rules that can still fail, such as deferred constraints. It also fails if ctx has ended. Otherwise a unit with no
	// commit sent would have an unknown outcome, and a commit would keep changes for a caller who has left.
	Prepare(ctx context.Context) error
	// Mark begins a part of the unit. Keep ends the part; Back undoes the part, and nothing before it.
	// Parts are not nested.
	Mark(ctx context.Context) error
	Keep(ctx context.Context) error
	Back(ctx context.Context) error
	// Commit and Rollback end the unit. After an error of Commit other than ErrSerial it is unknown whether the unit was kept.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error

	Marks
	Imager
}

// Change is a plan that changes rows. It runs once with each list of values in Args.
type Change struct {
	Plan *plan.Plan
	Args [][]value.Value
}

// One returns the statement and its values, if changes is exactly one statement with one list of values.
func One(changes []Change) (p *plan.Plan, args []value.Value, ok bool) {
	if len(changes) == 1 && len(changes[0].Args) == 1 {
		return changes[0].Plan, changes[0].Args[0], true
	}
	return nil, nil, false
}

// ErrNoChange is the error of a Writer that got no change, or a statement that only reads.
var ErrNoChange = fail.Named("exosql: a write contained no change, so nothing ran: this is a fault of exosql, please report it")

// OnlyWrites reports whether there are changes and each has a Write.
func OnlyWrites(changes []Change) bool {
	for _, c := range changes {
		if c.Plan.Write == nil {
			return false
		}
	}
	return len(changes) > 0
}

// ErrSerial is in the error of a unit that can't be ordered with others that ran at the same time.
// Such a unit has changed nothing, and may run again from its beginning.
var ErrSerial = fail.Named("exosql: another transaction changed rows that the run's transaction has read")

// Violation is a rule of the database that a write would have broken. Apart from Err it contains no
// value and no row.
type Violation struct {
	Rule       Rule
	Table      string      // Table is the name in the database
	Columns    []string    // Columns are the columns that the engine names in its error
	Constraint string      // Constraint is the constraint's name in the engine's error; "" if that has none
	Holds      string      // Holds is, for a BadValue, a text for the program about the values that the column accepts; "" if unknown
	Domain     string      // Domain is, for a domain's check, the type with the rule
	At         int         // At is the number of the statement that broke the rule, among those sent together
	Late       bool        // Late: the rule was checked when the transaction ended
	By         *plan.Write // By is the write that broke a Late rule; nil if unknown
	Err        error       // Err is the engine's own text for the host, which may quote values

	// Unseen: the row with which the write conflicts may be newer than the state that the unit reads. Then the unit runs again in a newer state
	// before it may commit.
	Unseen bool
}

// Rule is a kind of constraint.
type Rule uint8

const (
	NoRule Rule = iota
	NotNull
	Unique
	ForeignKey
	CheckRule
	BadValue // a value that the column's type doesn't accept
	Trigger  // a trigger that the host has named raised an error
)

func (v *Violation) Error() string { return v.Err.Error() }

func (v *Violation) Unwrap() error { return v.Err }
