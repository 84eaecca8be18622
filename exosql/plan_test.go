package exosql_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// values collects everything that can be reached from v by reflection.
func values(v reflect.Value, seen map[uintptr]bool, visit func(reflect.Value)) {
	if !v.IsValid() {
		return
	}
	visit(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			values(v.Elem(), seen, visit)
		}
	case reflect.Interface:
		values(v.Elem(), seen, visit)
	case reflect.Struct:
		for i := range v.NumField() {
			values(v.Field(i), seen, visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			values(v.Index(i), seen, visit)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			values(it.Key(), seen, visit)
			values(it.Value(), seen, visit)
		}
	}
}

// holds looks for a text or number in a value.
func holds(x any, text string, number uint64) (found string) {
	values(reflect.ValueOf(x), map[uintptr]bool{}, func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.String && strings.Contains(v.String(), text):
			found = v.String()
		case v.CanInt() && uint64(v.Int()) == number, v.CanUint() && v.Uint() == number:
			found = fmt.Sprint(number)
		}
	})
	return found
}

// A plan is shared by all runs and tenants: it must not depend on a value.
func TestPlanHoldsNoValue(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		const text, number = "canary-of-a-value", 7_777_777_777
		db := e.Open(t)
		scope := exosql.And(tu.OrgID.Eq(1), tu.OrgName.Ne(text), tu.OrgID.Ne(number))
		org := exosql.Grant(db, tu.Orgs, scope, tu.Scopes()...)
		tasks := exosql.Follow(exosql.Follow(org, tu.OrgProjects), tu.ProjectTasks).Where(tu.TaskTitle.Ne(text)).Where(tu.TaskID.In(1001, 1002, number)).Limit(number)
		if rows, err := tasks.All(t.Context()); err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		f := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskTitle)
		r := tu.NewRunner(t, map[string]exo.Object{"tasks": f.Of(tasks)}, exo.Limits{})
		o := r.Run(t, fmt.Sprintf("return await tasks.where((t) => t.title !== '%s' && t.id !== %d && t.id.in([1001, %d])).orderBy((t) => t.id).limit(%d).select((t) => ({ id: t.id, x: '%[1]s' }))", text, number, number, number))
		if o.JSON != `[{"id":1001,"x":"`+text+`"}]` {
			t.Fatal(o)
		}
		plans := exosql.CachedPlans(db)
		if len(plans) != 2 {
			t.Fatalf("%d plans, want one for each way", len(plans))
		}
		for _, p := range plans {
			if s := holds(p, text, number); s != "" {
				t.Errorf("a plan holds the value %q", s)
			}
		}
		// The twin: what is looked for is found where values are.
		if holds(o.SQL, text, 0) == "" || holds(o.SQL, "none", number) == "" {
			t.Error("holds finds nothing in what does hold the values")
		}
	})
}

// One shape, one plan: tenants, values and lists of one class share it.
func TestPlansAreShared(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		acme, bolt := tu.As(t, db, tu.Acme, exo.Limits{}), tu.As(t, db, tu.Bolt, exo.Limits{})
		run := func(r *tu.Runner, program, want string) {
			t.Helper()
			if o := r.Run(t, program); o.JSON != want {
				t.Fatalf("%s: %s, want %s", program, o, want)
			}
		}
		run(acme, "return await tasks.where((t) => t.title === 'ACME draw').count()", "1")
		n := len(exosql.CachedPlans(db))
		for _, title := range []string{"x", "BOLT survey", "' OR '1'='1", strings.Repeat("y", 100)} {
			run(acme, "return await tasks.where((t) => t.title === "+fmt.Sprintf("%q", title)+").count()", "0")
		}
		run(bolt, "return await tasks.where((t) => t.title === 'BOLT survey').count()", "1")
		run(bolt, "return await tasks.where((t) => t.title === 'ACME draw').count()", "0")
		if got := len(exosql.CachedPlans(db)); got != n {
			t.Errorf("%d plans, want %d: one shape has one plan", got, n)
		}
		// What belongs to the shape makes another plan.
		for i, program := range []string{
			"return await tasks.where((t) => t.title === null).count()",
			"return await tasks.where((t) => t.title !== 'x').count()",
			"return (await tasks.where((t) => t.title === 'x').execute()).length",
		} {
			acme.Run(t, program)
			if got := len(exosql.CachedPlans(db)); got != n+i+1 {
				t.Errorf("%d plans after %s, want %d", got, program, n+i+1)
			}
		}
		// Lists share plans by the class of their length: few plans for all lengths.
		before := len(exosql.CachedPlans(db))
		for i := 1; i <= 40; i++ {
			run(acme, fmt.Sprintf("return await tasks.where((t) => t.id.in(Array.from({ length: %d }, (_, i) => 1001 + i))).count()", i), fmt.Sprint(min(i, 4)))
		}
		if got := len(exosql.CachedPlans(db)) - before; got > 8 {
			t.Errorf("%d plans for 40 lengths of a list", got)
		}
	})
}

func TestTypedPlansAreShared(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		for _, tenant := range []int64{tu.Acme, tu.Bolt} {
			for _, p := range []int64{1, 5, 9} {
				if _, err := exosql.Follow(tu.OrgOf(db, tenant), tu.OrgProjects).Where(tu.ProjectID.Gt(p)).All(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := len(exosql.CachedPlans(db)); n != 1 {
			t.Errorf("%d plans, want 1: %s", n, strings.Join(exosql.PlanTexts(db), "\n"))
		}
	})
}

// A statement is prepared once on each connection that runs it. Queries that follow one another need one connection: a second
// is opened when the first is in use, and then queries use both.
func TestStatementsAreReused(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		q := exosql.Follow(tu.OrgOf(db, tu.Acme), tu.OrgProjects)
		query := func() {
			t.Helper()
			for range 20 {
				if _, err := q.All(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		query()
		if n, open := exosql.Prepared(db), exosql.Opened(db); n != 1 || open != 1 {
			t.Errorf("%d prepared statements on %d connections after one query 20 times, want 1 on 1", n, open)
		}
		if err := exosql.OpenAll(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		query()
		if n, open := exosql.Prepared(db), exosql.Opened(db); n != 4 || open != 4 {
			t.Errorf("%d prepared statements on %d connections, once all are open, want 4 on 4", n, open)
		}
	})
}

// The cache is bounded, and a plan that fell out is made again.
func TestPlanCacheIsBounded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(), PlanBytes: 20 << 10})
		r := tu.As(t, db, tu.Acme, exo.Limits{})
		for round := range 2 {
			for i := range 20 {
				o := r.Run(t, "return await tasks"+strings.Repeat(".where((t) => t.id.gt(0))", i)+".count()")
				if o.JSON != "5" {
					t.Fatal(round, i, o)
				}
			}
		}
		if n, bytes := len(exosql.CachedPlans(db)), exosql.PlanBytes(db); n < 3 || n > 15 || bytes > 20<<10 {
			t.Errorf("%d plans with %d bytes, want some that fit in 20 KiB", n, bytes)
		}
	})
}

// What the host's record says of a query is what ran.
func TestDetails(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		o := tu.As(t, e.Open(t), tu.Acme, exo.Limits{}).Run(t, "return await tasks.where((t) => t.done === true && t.dueAt === null && t.dueAt.lt(new Date(0)).not()).execute()")
		if len(o.SQL) != 1 || !strings.HasPrefix(o.SQL[0].SQL, "SELECT ") || o.SQL[0].Took <= 0 || o.SQL[0].Took > time.Minute {
			t.Fatalf("%+v", o.SQL)
		}
		if got := fmt.Sprint(o.SQL[0].Args); !strings.Contains(got, "1970-01-01T00:00:00.000Z") || o.SQL[0].Rows != 0 {
			t.Errorf("args %s rows %d", got, o.SQL[0].Rows)
		}
	})
}
