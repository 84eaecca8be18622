package testutil

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
)

// Runner runs programs with exactly the grants of one principal.
type Runner struct {
	Eval exoeval.Runner
	Gate *exo.Gate

	mu     sync.Mutex
	events []exo.Entry
}

// Outcome is the end of a program, in a form that tests can compare.
type Outcome struct {
	JSON    string // the result as JSON; "" if the program failed
	Kind    fail.Kind
	Message string
	Console string
	Result  *exoeval.RunResult
	SQL     []exosql.Query
	Events  []exo.Entry // the record's entries about messages
}

// As makes a Runner for a tenant of db.
func As[L Limits](t testing.TB, db *exosql.DB, tenant int64, limits L) *Runner {
	t.Helper()
	return NewRunner(t, Tenant(db, tenant), limits)
}

// NewRunner makes a Runner with the given grants.
func NewRunner[L Limits](t testing.TB, grants map[string]exo.Object, l L) *Runner {
	t.Helper()
	limits, bounds := Split(l)
	r := &Runner{}
	g, err := exo.NewGate(exo.Config{Grants: grants, Limits: limits, Record: exo.RecordFunc(func(e exo.Entry) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		if e.Call != 0 {
			r.events = append(r.events, e)
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	r.Gate = g
	if r.Eval, err = (exoeval.InProcess{}).Bind(g, bounds); err != nil {
		t.Fatal(err)
	}
	return r
}

// Limits are limits of a gate, of an evaluator, or of both.
type Limits interface {
	exo.Limits | exoeval.Bounds | Both
}

// Both are the limits of a gate and of an evaluator.
type Both struct {
	exo.Limits
	exoeval.Bounds
}

// Split returns the gate's part and the evaluator's part of limits.
func Split[L Limits](l L) (exo.Limits, exoeval.Bounds) {
	switch l := any(l).(type) {
	case exo.Limits:
		return l, exoeval.Bounds{}
	case exoeval.Bounds:
		return exo.Limits{}, l
	}
	both := any(l).(Both)
	return both.Limits, both.Bounds
}

// InProcess runs programs against g in this process, within the first of bounds. It panics if programs can't use the name of a grant.
func InProcess(g *exo.Gate, bounds ...exoeval.Bounds) exoeval.Runner {
	r, err := (exoeval.InProcess{}).Bind(g, append(bounds, exoeval.Bounds{})[0])
	if err != nil {
		panic(err)
	}
	return r
}

// Start is the time on the clock of every program.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// Run runs one program. Runs of one Runner must not overlap.
func (r *Runner) Run(t testing.TB, program string) Outcome {
	t.Helper()
	return r.RunIn(context.Background(), t, program)
}

// RunIn is Run with a context, for example of a transaction.
func (r *Runner) RunIn(ctx context.Context, t testing.TB, program string) Outcome {
	t.Helper()
	r.mu.Lock()
	r.events = nil
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	res := r.Eval.Run(ctx, exoeval.Job{Program: program, Run: exo.Run{Clock: Start, Seed: 7}})
	r.mu.Lock()
	defer r.mu.Unlock()
	o := Outcome{Console: res.Console, Result: res, Events: r.events}
	for _, e := range r.events {
		for _, d := range e.Details {
			if q, ok := d.(exosql.Query); ok {
				o.SQL = append(o.SQL, q)
			}
		}
	}
	if res.Err != nil {
		o.Kind, o.Message = fail.KindOf(res.Err), fail.GuestText(res.Err)
		return o
	}
	b, err := res.Value.AppendJSON(nil)
	if err != nil {
		t.Fatalf("the result is no JSON: %v", err)
	}
	o.JSON = string(b)
	return o
}

// Visible returns everything that the program's author sees of the run.
func (o Outcome) Visible() string { return o.JSON + "\n" + o.Message + "\n" + o.Console }

func (o Outcome) String() string {
	if o.Result != nil && o.Result.Err != nil {
		return fmt.Sprintf("%v\nconsole: %s", o.Result.Err, o.Console)
	}
	return fmt.Sprintf("%s\nconsole: %s", o.JSON, o.Console)
}

// Leaks names what the program's author saw but must not see: a text of another tenant, or a hidden text.
func (o Outcome) Leaks(tenant int64) string {
	for other, canary := range Canaries {
		if other != tenant && strings.Contains(o.Visible(), canary) {
			return "a text of tenant " + canary
		}
	}
	if strings.Contains(o.Visible(), Hidden) {
		return "a hidden text"
	}
	return ""
}

// SameJSON reports whether two texts are the same JSON value.
func SameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	xs, _ := json.Marshal(x)
	ys, _ := json.Marshal(y)
	return string(xs) == string(ys)
}
