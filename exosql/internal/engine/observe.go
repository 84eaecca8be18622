package engine

// This file reports statements that have no plan, such as COMMIT, to the host's observer.

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// SystemSQLite and SystemPostgres are the names of databases in the conventions of OpenTelemetry.
const (
	SystemSQLite   = "sqlite"
	SystemPostgres = "postgresql"
)

// Observe calls f, which runs the statement name in a database of the kind system, and reports it to the observer of ctx. If a COMMIT fails and it is
// not known whether it was kept, Observe reports its outcome as unknown.
func Observe(ctx context.Context, system, name string, f func(context.Context) error) (err error) {
	ctx, told := observe.Begin(ctx, observe.Activity{Kind: observe.Statement, Name: name, System: system})
	kind := observe.CommitUnknown // kind stays unknown if the driver panics
	defer func() { told(observe.Outcome{Error: kind}) }()
	if err = f(ctx); name != "COMMIT" || err == nil || errors.Is(err, exo.ErrNothingDone) || errors.Is(err, ErrSerial) {
		kind = plan.ObservedError(err)
	}
	return err
}
