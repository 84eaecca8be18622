package engine

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Writer is a guarded connection for units of work: one transaction, in which everything is
// read and written until it ends. Its queries are those of a Session. It writes only within a
// unit, and only by plans that have a Write.
type Writer interface {
	Session
	// Begin opens a unit: SERIALIZABLE on PostgreSQL, a deferred transaction on SQLite.
	Begin(ctx context.Context) error
	// Write makes changes and returns the number of rows. out gets the rows that the last statement
	// returns. After an error nothing of the changes is done; Open reports whether the unit still exists.
	Write(ctx context.Context, changes []Change, out *plan.Collector) (rows int64, err error)
	// Open reports whether the unit that began still exists: some errors end it.
	Open() bool
	// Prepare checks what can still fail, such as deferred constraints. It also fails if ctx has ended: without that, a unit whose
	// commit is not sent would have an unknown outcome, and a commit that is sent would keep changes for a caller who has left.
	Prepare(ctx context.Context) error
	// Mark begins a part of the unit. Keep ends the part; Back undoes it and nothing before it. No
	// part begins in another.
	Mark(ctx context.Context) error
	Keep(ctx context.Context) error
	Back(ctx context.Context) error
	// Commit and Rollback end the unit. After an error of Commit other than ErrSerial it is unknown whether the unit was kept.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error

	Marks
	Imager
}

// Change is a plan that changes rows. It is run once with each list of values in Args.
type Change struct {
	Plan *plan.Plan
	Args [][]value.Value
}

// One returns the statement and its values if changes are exactly one statement with one list of values.
func One(changes []Change) (p *plan.Plan, args []value.Value, ok bool) {
	if len(changes) == 1 && len(changes[0].Args) == 1 {
		return changes[0].Plan, changes[0].Args[0], true
	}
	return nil, nil, false
}

// ErrNoChange is the error of a Writer that was given no change, or a statement that only reads.
var ErrNoChange = errors.New("exosql: Write was given no change, or a statement that only reads")

// OnlyWrites reports whether there are changes and each has a Write.
func OnlyWrites(changes []Change) bool {
	for _, c := range changes {
		if c.Plan.Write == nil {
			return false
		}
	}
	return len(changes) > 0
}

// ErrSerial is in the error of a unit that can't be ordered with others that ran at the same
// time. Such a unit has changed nothing and may be run again from its beginning.
var ErrSerial = errors.New("exosql: another transaction changed what this one read")

// Violation is a rule of the database that a write would have broken. Apart from Err it names
// no values and no row.
type Violation struct {
	Rule       Rule
	Table      string      // in the database
	Columns    []string    // as far as the engine names them
	Constraint string      // its name, of a check
	Holds      string      // of a BadValue: what the column accepts, for the program; "": unknown
	Domain     string      // of a check of a domain: the type that has the rule
	At         int         // the number of the statement that broke the rule, among those that were sent together
	Late       bool        // the rule was checked when the transaction ended
	By         *plan.Write // the write that broke a Late one; nil: unknown
	Err        error       // the engine's own words, which may quote values: for the host

	// Unseen: the row in the way may be newer than the state that the unit reads. Then the unit is run again in a newer state before it may commit.
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
