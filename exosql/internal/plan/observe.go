package plan

// This file describes statements to the host's observer.

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Observed reports to the observer of ctx that the statement begins in a database of the kind system. Call end with what the statement
// answered, with the number of rows that it changed, and with its error. The observer gets the names of tables, which the host declared.
func (p *Plan) Observed(ctx context.Context, system string) (with context.Context, end func(out *Collector, changed int64, err error)) {
	if !observe.On(ctx) {
		return ctx, func(*Collector, int64, error) {}
	}
	a := observe.Activity{Kind: observe.Statement, Name: "SELECT", System: system}
	switch w := p.Write; {
	case w == nil:
		a.Tables = slices.Sorted(maps.Keys(p.Reads))
	case w.Insert:
		a.Name, a.Tables = "INSERT", []string{w.Table}
	case w.Delete:
		a.Name, a.Tables = "DELETE", []string{w.Table}
	default:
		a.Name, a.Tables = "UPDATE", []string{w.Table}
	}
	with, told := observe.Begin(ctx, a)
	return with, func(out *Collector, changed int64, err error) {
		if err == nil && changed == 0 {
			changed = int64(out.Rows().Len())
		} else if err != nil {
			changed = 0
		}
		told(observe.Outcome{Error: ObservedError(err), Rows: int(changed)})
	}
}

// sqlState matches a code of PostgreSQL. A trigger may choose the code, and put a row's value into it: five characters bound how much that can be.
var sqlState = scalar.Pattern(`^[0-9A-Z]{5}$`)

// ObservedError returns the database's code of an error, or its kind; "" for an open statement that package fence refused, since the statement then
// runs in another form.
func ObservedError(err error) string {
	if _, refused := errors.AsType[*fence.Refused](err); refused {
		return ""
	}
	if e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok && sqlState().MatchString(e.SQLState()) {
		return e.SQLState()
	}
	if e, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return e.ErrorCode()
	}
	return observe.ErrorOf(err)
}
