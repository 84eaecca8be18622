package plan_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

type observer struct{ told string }

func (o *observer) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	o.told = fmt.Sprint(a.System, " ", a.Name, " ", a.Tables, " ", a.Interface)
	return ctx, func(out observe.Outcome) { o.told += fmt.Sprint("; ", out.Error, " ", out.Rows) }
}

type stateError string

func (stateError) Error() string      { return "CANARY" }
func (s stateError) SQLState() string { return string(s) }

type codeError struct{ error }

func (codeError) ErrorCode() string { return "2067" }

// TestObservedStatement: an observer gets the names of tables, the database's code of an error or its kind, and nothing of the statement.
func TestObservedStatement(t *testing.T) {
	reads := map[string]map[string]bool{"users": {"id": true}, "todos": {"id": true}}
	for _, c := range []struct {
		p    plan.Plan
		err  error
		want string
	}{
		{plan.Plan{Text: "CANARY", Reads: reads}, errors.New("CANARY"), "sqlite SELECT [todos users] ; internal 0"},
		{plan.Plan{Text: "CANARY", Reads: reads, Write: &plan.Write{Table: "todos", Insert: true, Given: []string{"CANARY"}}}, nil, "sqlite INSERT [todos] ;  3"},
		{plan.Plan{Text: "CANARY", Write: &plan.Write{Table: "todos", Update: []string{"CANARY"}}}, nil, "sqlite UPDATE [todos] ;  3"},
		{plan.Plan{Text: "CANARY", Write: &plan.Write{Table: "todos", Delete: true}}, fmt.Errorf("x: %w", stateError("23505")), "sqlite DELETE [todos] ; 23505 0"},
		{plan.Plan{}, stateError("CANARY"), "sqlite SELECT [] ; internal 0"},
		{plan.Plan{}, fmt.Errorf("x: %w", codeError{errors.New("CANARY")}), "sqlite SELECT [] ; 2067 0"},
		{plan.Plan{}, &fence.Refused{Why: errors.New("CANARY")}, "sqlite SELECT [] ;  0"},
		{plan.Plan{}, fail.Errorf(fail.Limit, "CANARY", "CANARY"), "sqlite SELECT [] ; limit 0"},
	} {
		o := &observer{}
		_, end := c.p.Observed(observe.With(t.Context(), o), "sqlite")
		end(nil, 3, c.err)
		if o.told != c.want {
			t.Errorf("it is told %q, want %q", o.told, c.want)
		}
	}
}
