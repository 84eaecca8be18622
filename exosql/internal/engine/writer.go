package engine

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Writer is a guarded connection on which a unit of work can be: one transaction, in which
// everything is read and written until it ends. Its queries are those of a Session. Nothing can be written outside
// of a unit, or by a plan that says nothing of writing.
type Writer interface {
	Session
	// Begin opens a unit: SERIALIZABLE on PostgreSQL, a deferred transaction on SQLite.
	Begin(ctx context.Context) error
	// Write runs a plan that changes rows, and gives their number. After an error nothing of
	// it is done; whether the unit is still there says Open.
	Write(ctx context.Context, p *plan.Plan, args []exo.Value, out *plan.Collector) (rows int64, err error)
	// Open reports whether the unit that began is still there: some errors end it.
	Open() bool
	// Prepare forces what can still go wrong, such as deferred constraints.
	Prepare(ctx context.Context) error
	// Commit and Rollback end the unit. After an error of Commit that is no ErrSerial nobody knows whether it was kept.
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
}

// ErrSerial is in the error of a unit that can't be put in an order with others that ran at the
// same time, and has changed nothing: it may be run again from its beginning.
var ErrSerial = errors.New("exosql: another transaction changed what this one read")

// Violation is a rule of the database that a write would have broken. It says nothing of any
// row but the one that was written, and nothing of that.
type Violation struct {
	Rule       Rule
	Table      string   // in the database
	Columns    []string // as far as the engine names them
	Constraint string   // its name, of a check
	Err        error    // the engine's own words, which may quote values: for the host
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
)

func (v *Violation) Error() string { return v.Err.Error() }

func (v *Violation) Unwrap() error { return v.Err }
