package exosql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// titles is a message that selects columns of tasks under these names.
func titles(t testing.TB, s *exo.Session, gate *exo.Gate, names []string) message.Expr {
	t.Helper()
	c := s.Checker()
	must := func(n *message.Node, err error) *message.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var id uint32
	for _, g := range gate.Granted() {
		if g.Name == "tasks" {
			id = g.ID
		}
	}
	tasks := must(c.MakeRef(id))
	p := must(c.MakeParam(tasks, "select", 0, nil))
	row := must(c.MakeField(p, "task"))
	title := must(c.MakeField(row, "title"))
	args := make([]*message.Node, len(names))
	for i := range args {
		args[i] = title
	}
	out := must(c.MakeLambda(p, must(c.MakeRecord(names, args))))
	return must(c.MakeCall(must(c.MakeCall(tasks, "select", []*message.Node{out})), "execute", nil)).Expr()
}

// A program names its columns in a message of 1 MiB, each time in another way. The plans
// of all those messages stay within the bound of their cache, and with them nothing of the
// messages: five programs with 8 MB each made 4 GB, for good.
func TestPlansKeepNoFrame(t *testing.T) {
	runs := tu.Amount(64, 2000)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		const bound = 1 << 20
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(), PlanBytes: bound})
		gate, err := exo.NewGate(exo.Config{Grants: tu.Tenant(db, tu.Acme)})
		if err != nil {
			t.Fatal(err)
		}
		run := func(i, width int) {
			frame := strings.Repeat("n", 1<<20) + fmt.Sprintf("%06d", i)
			names := make([]string, width)
			for k := range names {
				names[k] = frame[len(frame)-6-k-1:]
			}
			s, err := gate.Begin(t.Context(), exo.Run{}, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Submit(exo.Call{ID: 1, Expr: titles(t, s, gate, names)}); err != nil {
				t.Fatal(err)
			}
			if r, _, err := s.Next(t.Context()); err != nil || r.Err != nil || r.Value.Len() == 0 {
				t.Fatal(r.Err, err)
			}
			if err := s.Finish(t.Context(), value.Null(), nil); err != nil {
				t.Fatal(err)
			}
		}
		run(0, 1)
		tu.KeepsNothing(t, bound+1<<20, func() {
			for i := range runs {
				run(i+1, 1+i%80)
			}
		})
		if n, bytes := len(exosql.CachedPlans(db)), exosql.PlanBytes(db); n < 20 || bytes > bound {
			t.Errorf("%d plans with %d bytes are kept", n, bytes)
		}
	})
}

// However many statements run, and whatever they are, what a connection keeps prepared is
// within its bound, in the engine's own memory.
func TestPreparedIsBounded(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	runs := tu.Amount(120, 1000)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		const plans = 256 << 10
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(), Conns: 1, PlanBytes: plans})
		r := tu.As(t, db, tu.Acme, exo.Limits{})
		for i := range runs {
			cond := "t.id.gt(0)"
			switch i % 4 {
			case 1:
				cond += strings.Repeat(" && t.title !== null", i/8)
			case 2:
				cond += strings.Repeat(".and(t.title.like('%a%'))", i/8)
			case 3:
				cond += strings.Repeat(" || t.id.add(1).gt(2)", i/8)
			}
			q := "tasks" + strings.Repeat(".where(t => t.id.gt(0))", i%5) + ".where(t => " + cond + ")"
			if o := r.Run(t, "return await "+q+".count()"); o.Kind != fail.Other && o.Kind != fail.Limit {
				t.Fatal(q, o)
			}
		}
		n, bytes := exosql.Prepared(db), exosql.PreparedBytes(db)
		t.Logf("%d statements with %d bytes", n, bytes)
		if n < 5 || n == runs || bytes > 2*plans {
			t.Errorf("%d statements with %d bytes are kept after %d, want as many as fit in %d", n, bytes, runs, 2*plans)
		}
		at, used, err := exosql.EngineBytes(t.Context(), db)
		t.Logf("the engine has %d with %d bytes", at, used)
		if err != nil || at != n || used > 2*plans || used < plans/2 {
			t.Errorf("the engine has %d statements with %d bytes, the connection counts %d with %d: %v", at, used, n, bytes, err)
		}
	})
}

// The estimate of what PostgreSQL takes for a statement is near enough to bound it.
func TestStatementBytes(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	e := tu.Postgres
	for name, q := range map[string]string{
		"one table":       "tasks",
		"columns":         "tasks.select(({ task }) => ({ " + manyNames(60, "task.title") + " }))",
		"conditions":      "tasks.where(t => t.id.gt(0)" + strings.Repeat(" && t.title !== null", 90) + ")",
		"sums":            "tasks.where(t => t.id" + strings.Repeat(".add(1)", 60) + ".gt(2))",
		"nested":          "tasks" + strings.Repeat(".where(t => t.title.like('%a%'))", 20),
		"joins":           "tasks.join(({ task }) => task.project()).join(({ project }) => project.org())",
		"joins of a kind": joins(12),
		"fences":          "tasks" + strings.Repeat(".limit(5).where(t => t.id.gt(0))", 6),
		"list":            "tasks.where(t => t.id.in(Array.from({ length: 500 }, (_, i) => i)))",
	} {
		t.Run(name, func(t *testing.T) {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(), Conns: 1, PlanBytes: 256 << 20})
			_, empty, err := exosql.EngineBytes(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			if o := tu.As(t, db, tu.Acme, exo.Limits{}).Run(t, "return (await "+q+".execute()).length"); o.Kind != fail.Other {
				t.Fatal(q, o)
			}
			_, used, err := exosql.EngineBytes(t.Context(), db)
			if err != nil {
				t.Fatal(err)
			}
			used -= empty
			counted := exosql.PreparedBytes(db)
			t.Logf("%d bytes at the server, %d counted", used, counted)
			if used > counted*3/2 || used < counted/12 {
				t.Errorf("%d bytes at the server, %d counted", used, counted)
			}
		})
	}
}

func manyNames(n int, of string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d: %s, ", i, of)
	}
	return b.String()
}

// joins walks from a task to its project and back, each time under new names.
func joins(n int) string {
	s, at := "tasks", "task"
	for i := range n {
		s += fmt.Sprintf(".join(({ %s }) => %[1]s.project().as('p%d')).join(({ p%[2]d }) => p%[2]d.tasks().as('t%[2]d'))", at, i)
		s += fmt.Sprintf(".where(({ t%d }) => t%[1]d.id.eq(1001))", i)
		at = fmt.Sprintf("t%d", i)
	}
	return s
}
