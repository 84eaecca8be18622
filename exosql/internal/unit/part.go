package unit

// This file makes a run a part of a Tx: its transaction is a savepoint there.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// part is the Writer of one run in a Tx. The run's transaction is a savepoint.
type part struct {
	engine.Writer
	begun bool
	over  bool // over: the part had a conflict, which its program may have caught
}

func (p *part) Begin(ctx context.Context) error {
	err := noReplay(p.Mark(ctx))
	p.begun, p.over = err == nil, false
	return err
}

func (p *part) Open() bool { return p.begun && !p.over && p.Writer.Open() }

func (p *part) Commit(ctx context.Context) error {
	p.begun = false
	if err := noReplay(p.Keep(ctx)); err != nil {
		return errors.Join(exo.ErrNothingDone, err, p.Back(ctx)) // nothing is final before the Tx commits
	}
	return nil
}

func (p *part) Rollback(ctx context.Context) error {
	if !p.begun {
		return nil
	}
	p.begun = false
	return p.Back(ctx)
}

func (p *part) Prepare(ctx context.Context) error { return noReplay(p.Writer.Prepare(ctx)) }

func (p *part) Query(ctx context.Context, q *plan.Plan, args []value.Value, out *plan.Collector) error {
	err := p.Writer.Query(ctx, q, args, out)
	p.over = p.over || errors.Is(err, engine.ErrSerial)
	return noReplay(err)
}

func (p *part) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (int64, error) {
	n, err := p.Writer.Write(ctx, changes, out)
	p.over = p.over || errors.Is(err, engine.ErrSerial)
	return n, noReplay(err)
}

func (p *part) Witness(ctx context.Context, run string, at time.Time) error {
	return noReplay(p.Writer.Witness(ctx, run, at))
}

// errOvertaken is inside the error of a transaction that would have to begin again.
var errOvertaken = fail.Named("exosql: another transaction changed rows that the host's transaction has read")

// noReplay makes a conflict with another transaction end the run. To begin again, the Tx would need a newer state
// of the database. That would undo earlier runs of the Tx, and the host has already seen their results.
func noReplay(err error) error {
	if !errors.Is(err, engine.ErrSerial) {
		return err
	}
	return &fail.Error{Kind: fail.Conflict, Msg: "other transactions changed rows that the host's transaction has read: the host has to roll it back, and begin another one", Err: fmt.Errorf("%w: %s", errOvertaken, err)}
}
