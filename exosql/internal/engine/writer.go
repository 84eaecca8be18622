package engine

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Writer is a guarded connection on which a unit of work can be: one transaction, in which
// everything is read and written until it ends. Its queries are those of a Session. Nothing can be written outside
// of a unit, or by a plan that says nothing of writing.
type Writer interface {
	Session
	// Begin opens a unit: SERIALIZABLE on PostgreSQL, a deferred transaction on SQLite.
	Begin(ctx context.Context) error
	// Write makes changes, and gives the number of rows. out gets what the last statement returns. After an error
	// nothing of them is done; whether the unit is still there says Open.
	Write(ctx context.Context, changes []Change, out *plan.Collector) (rows int64, err error)
	// Open reports whether the unit that began is still there: some errors end it.
	Open() bool
	// Prepare forces what can still go wrong, such as deferred constraints. It fails, too, where ctx has ended: a commit that is
	// not sent then would leave nobody knowing that nothing was kept, and one that is, changes for somebody who has left.
	Prepare(ctx context.Context) error
	// Mark begins a part of the unit, which ends by Keep, or by Back, which undoes it and nothing that
	// came before. No part begins in another.
	Mark(ctx context.Context) error
	Keep(ctx context.Context) error
	Back(ctx context.Context) error
	// Commit and Rollback end the unit. After an error of Commit that is no ErrSerial nobody knows whether it was kept.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error

	Marks
}

// Change is a plan that changes rows, and the values with which it is run, once with each.
type Change struct {
	Plan *plan.Plan
	Args [][]value.Value
}

// One is the only statement of changes that are one.
func One(changes []Change) (p *plan.Plan, args []value.Value, ok bool) {
	if len(changes) == 1 && len(changes[0].Args) == 1 {
		return changes[0].Plan, changes[0].Args[0], true
	}
	return nil, nil, false
}

// OnlyWrites reports whether each of the changes is one.
func OnlyWrites(changes []Change) bool {
	for _, c := range changes {
		if c.Plan.Write == nil {
			return false
		}
	}
	return len(changes) > 0
}

// ErrSerial is in the error of a unit that can't be put in an order with others that ran at the
// same time, and has changed nothing: it may be run again from its beginning.
var ErrSerial = errors.New("exosql: another transaction changed what this one read")

// Violation is a rule of the database that a write would have broken. It says nothing of any
// row but the one that was written, and nothing of that.
type Violation struct {
	Rule       Rule
	Table      string      // in the database
	Columns    []string    // as far as the engine names them
	Constraint string      // its name, of a check
	Holds      string      // of a bad value: what its column holds, for the program; "": unknown
	Domain     string      // the type whose rule it is, of a check that is no table's
	At         int         // which of the statements that were written together has broken it
	Late       bool        // it was looked at when the transaction ended
	By         *plan.Write // what has broken one that is Late; nil: it is not known
	Err        error       // the engine's own words, which may quote values: for the host

	// Unseen says that it may be broken by a row that is not in the state which the unit reads: the unit is kept only if it is so in a newer one.
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
	BadValue // that the column's type can't hold
	Trigger  // one that the host has named raised an error
)

func (v *Violation) Error() string { return v.Err.Error() }

func (v *Violation) Unwrap() error { return v.Err }
