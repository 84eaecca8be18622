package exosql

// The errors to look for with errors.Is and errors.As, and which rule of the database a write has broken; package broken writes what a
// program reads of it.

import (
	"errors"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/broken"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// ConstraintError says which rule of the database a write would have broken, of a program or of Go code. It is in the error
// of the write, which is of Kind Invalid: find it with errors.As. A program reads the names of columns that its facet shows,
// and nothing else of it.
type ConstraintError struct {
	Rule       Rule
	Table      string   // in the database
	Columns    []string // the same; nil where the database does not say
	Constraint string   // the name of the constraint; "" where the database does not say
	Row        int      // which of several rows that were inserted together, from 1; 0: there was one, or nobody knows
	Err        error    // the driver's, which may quote values
}

// Rule is what a constraint demands.
type Rule uint8

const (
	RuleNotNull    = Rule(engine.NotNull)    // a value
	RuleUnique     = Rule(engine.Unique)     // a value that no other row has
	RuleForeignKey = Rule(engine.ForeignKey) // a row that is referred to, or none that refers to this one
	RuleCheck      = Rule(engine.CheckRule)  // what an expression says
	RuleType       = Rule(engine.BadValue)   // a value that the type of the column holds
	RuleTrigger    = Rule(engine.Trigger)    // what a trigger that the host has named accepts
)

func (r Rule) String() string {
	return map[Rule]string{RuleNotNull: "not null", RuleUnique: "unique", RuleForeignKey: "foreign key", RuleCheck: "check", RuleType: "type", RuleTrigger: "trigger"}[r]
}

func (e *ConstraintError) Error() string {
	if e == nil || e.Err == nil {
		return "exosql: a ConstraintError that no write was refused by"
	}
	return e.Err.Error()
}

func (e *ConstraintError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// lateError is constraintError at the end of the transaction: of the last change that can have broken the rule, by the rows of its table or
// by rows that they refer to.
func (u *unit) lateError(err error) error {
	v, ok := errors.AsType[*engine.Violation](err)
	if !ok {
		return err
	}
	var by *changing
	for _, x := range u.changed {
		if !x.breaks(v) {
			continue
		}
		if by != nil && (by.run.Kind != x.run.Kind || by.run.Facet != x.run.Facet) {
			return u.db.constraintError(nil, err) // which of them it was nobody knows
		}
		by = x
	}
	return u.db.constraintError(by, err)
}

// breaks reports whether the change can have broken the rule.
func (x *changing) breaks(v *engine.Violation) bool {
	if v.By != nil { // SQLite knows the statement, and not the rule
		return x.run.Change != nil && x.run.Change.Write == v.By || slices.ContainsFunc(x.run.Inserts, func(in writing.Insert) bool {
			return in.One.Write == v.By || in.Many != nil && in.Many.Write == v.By
		})
	}
	is := func(table string) bool { return table != "" && strings.HasSuffix("."+x.run.Table.Name, "."+table) }
	db := x.unit.db
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	var key *schema.ForeignKey
	if t := db.live.Table(schema.Name{Name: v.Table}); t != nil && v.Rule == engine.ForeignKey {
		if i := slices.IndexFunc(t.ForeignKeys, func(k schema.ForeignKey) bool { return k.Name == v.Constraint }); i >= 0 {
			key = &t.ForeignKeys[i]
		}
	}
	if key == nil {
		return is(v.Table)
	}
	sets := func(columns []string) bool {
		return slices.ContainsFunc(x.run.Change.Write.Update, func(c string) bool { return slices.Contains(columns, c) })
	}
	switch x.run.Kind {
	case writing.Inserts:
		return is(v.Table)
	case writing.Deletes:
		return is(key.Table.Name)
	}
	return is(v.Table) && sets(key.Columns) || is(key.Table.Name) && sets(key.References)
}

// constraintError returns a broken rule of the database as an error that a program can read, and any other error as it is. x is the write, and
// nil where a transaction ends.
func (db *DB) constraintError(x *changing, err error) error {
	v, ok := errors.AsType[*engine.Violation](err)
	if !ok {
		return err
	}
	db.liveMu.Lock()
	live := db.live
	db.liveMu.Unlock()
	var run *writing.Run
	if x != nil {
		run = x.run
	}
	text, columns, row := broken.Rule(v, run, live)
	return &fail.Error{Kind: fail.Invalid, Msg: text, Err: &ConstraintError{Rule(v.Rule), v.Table, columns, v.Constraint, row + 1, err}}
}

// Errors to look for with errors.Is, beside [ErrCursor] and [ErrNoFacet], and those of package exo; with errors.As there are
// [ConstraintError], [VersionError] and [CheckError]. What else can go wrong is told apart by its Kind: see [fail.KindOf].
var (
	ErrClosed    = engine.ErrClosed  // the DB was closed
	ErrNoWitness = engine.ErrNoMarks // the DB was opened without OpenOptions.Witness
	ErrTxDone    = errors.New("exosql: this Tx has ended already, by Commit, Rollback or Close of its DB")
)
