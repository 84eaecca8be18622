package unit

// This file has the unit, its steps, and how it runs one statement.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Unit is the unit of work of one run: a transaction in which everything is read and written. If
// the database can't order it with others that ran at the same time, all statements are repeated in
// a new transaction. If an answer then differs, the program acted on something that is no longer
// true, and the run ends with Kind Conflict.
type Unit struct {
	of  *Units
	ctx context.Context // ctx is the context of the run

	mu      sync.Mutex
	w       engine.Writer
	steps   []step // steps are the answered statements, in order
	wrote   bool   // wrote: a statement of the unit has changed something
	keeps   bool   // keeps: images of the rows that the unit changes are kept, for an undo
	broken  bool   // broken: the engine has panicked, so its connection is not used again
	unseen  bool   // unseen: a program got an error that may not be true in the state that it reads (see engine.Violation)
	lost    error  // lost is why nothing may be kept, or nil
	mark    string // mark is the run's ID once Mark has inserted it
	release func(engine.Writer)
	discard func(engine.Writer) // discard replaces release after a panic in the engine
	idle    *time.Timer

	capture func(context.Context) error // capture makes a new transaction keep images (see Capture)

	tx       *Tx               // tx is the Tx that this unit is a part of, or nil
	Late     func(error) error // Late returns the program's error for a rule of the database that the end of the unit broke
	written  []decl.RowWrite   // written has the writes for the hooks after the commit
	settling []decl.RowWrite   // settling is written, once it is committed
}

// step is one statement that reads, or several changes made together, with the answer.
type step struct {
	p       *plan.Plan
	args    []value.Value
	changes []engine.Change
	by      *engine.Settings
	rows    int64 // rows counts the changed rows
	answer  value.Digest
	failed  string // failed is the error that the program got instead of an answer, and that it may rely on
	sealed  bool   // sealed: the answer has values that its program may not read

	collect func(*exo.Message) *plan.Collector
}

// programError returns a text with everything that a program can learn from an error. Two errors are the same for a program if their texts are equal.
func (u *Unit) programError(err error) string {
	if v, ok := errors.AsType[*engine.Violation](err); ok {
		return fmt.Sprint("violation ", v.Rule, v.Table, v.Columns, v.Constraint, v.At)
	}
	return fail.KindOf(err).String() + ": " + fail.GuestText(err)
}

func (u *Unit) lose(err error) { u.lost = err }

// Over reports whether the unit can keep nothing any more.
func (u *Unit) Over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lost != nil
}

// once runs the statement of a step, and returns its rows and the number of rows that it changed.
func (u *Unit) once(ctx context.Context, s *step, m *exo.Message) (out *plan.Collector, n int64, err error) {
	p := s.p
	if s.changes != nil {
		p = s.changes[len(s.changes)-1].Plan
	}
	ctx, end := p.Observed(ctx, u.of.System)
	defer func() { end(out, n, err) }()
	out = s.collect(m)
	u.w.With(s.by)
	if s.changes != nil && u.of.Undo > 0 && u.tx == nil && !u.keeps {
		if err := u.w.Capture(ctx, keptRows, keptBytes); err != nil {
			return nil, 0, err
		}
		u.keeps = true
	}
	if s.changes != nil {
		n, err = u.w.Write(ctx, s.changes, out)
	} else {
		err = u.w.Query(ctx, s.p, s.args, out)
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		return nil, 0, err
	}
	return out, n, nil
}

// abandon closes the connection, unless it was returned.
func (u *Unit) abandon() {
	if w := u.w; w != nil {
		u.w = nil
		u.forget()
		u.discard(w)
	}
}

func (u *Unit) forget() {
	if u.steps = nil; u.lost == nil {
		u.lost = errUnitOver
	}
}

var errUnitOver = fail.Named("exosql: the transaction of the run has ended, so it takes no more statements")
