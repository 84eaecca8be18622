package limits_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// manyLinked gives Acme 400 members and 400 projects of its organisation, and each project 20 tasks: what is walked in three
// directions at once multiplies.
var manyLinked = []string{
	"INSERT INTO members SELECT 10000 + n, 1, 'ACME m' || n, 'm', '' FROM {n}",
	"INSERT INTO projects SELECT 10000 + n, 1, 10000 + n, 'ACME p' || n, n FROM {n}",
	"INSERT INTO tasks SELECT 100000 + 400 * (k.n - 1) + s.n, 10000 + s.n, 10000 + s.n, 'ACME t' || s.n, 'open', FALSE, k.n, NULL FROM {n}, (SELECT n FROM {n} WHERE n <= 20) AS k",
}

func fillLinked(e tu.Engine) []string {
	numbers := e.Pick("(WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 400) SELECT n FROM r) AS s", "generate_series(1, 400) AS s (n)")
	var out []string
	for _, s := range manyLinked {
		s = strings.Replace(s, "FROM {n} WHERE", "FROM "+strings.Replace(numbers, "AS s", "AS x", 1)+" WHERE", 1)
		out = append(out, strings.ReplaceAll(s, "{n}", numbers))
	}
	return out
}

// products walk from one organisation to all of its members, projects and tasks, each with each: 400 × 400 × 8,000 rows and more.
const product = "org.join(({ org }) => org.members()).join(({ org }) => org.projects()).join(({ org }) => org.projects().as('other')).join(({ other }) => other.tasks())"

var products = map[string]string{
	"rows":           product + ".select(({ member, project, task }) => ({ m: member.name, p: project.name, t: task.title })).execute()",
	"count":          product + ".count()",
	"sum":            product + ".sum(({ task }) => task.priority)",
	"last":           product + ".orderBy(({ task }) => task.title.desc()).orderBy(({ member }) => member.name.desc()).first()",
	"groups":         product + ".groupBy(({ task, member, project }) => ({ t: task.id, m: member.id, p: project.id })).select(g => ({ n: g.count() })).count()",
	"distinct":       product + ".select(({ task, member, project }) => ({ t: task.title, m: member.name, p: project.name })).distinct().count()",
	"collected":      product + ".groupBy(({ org }) => ({ org: org.id })).select(g => ({ all: g.collect(({ task }) => task.title) })).execute()",
	"rows in rows":   "org.select(({ org }) => ({ a: org.members().select(m => ({ n: m.name, b: m.leads().select(p => ({ n: p.name, c: p.tasks().select(t => ({ n: t.title, d: t.project().org().members().select(m => ({ n: m.name })) })) })) })) })).execute()",
	"links as value": "org.members().where(m => m.org().projects().sum(p => p.org().projects().sum(q => q.tasks().sum(t => t.priority))) > 1).count()",
}

// resident is a line of what Linux says of the process's memory, in KiB.
func resident(t *testing.T, line string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // another system
	}
	_, after, _ := strings.Cut(string(text), line+":")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestProductMeetsALimit: a product through links meets a limit of the run, soon and in little memory, and the next program is
// served as before.
func TestProductMeetsALimit(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, fillLinked(e)...)
		const total = 400 * time.Millisecond
		r := tu.As(t, db, tu.Acme, tu.Both{Limits: exo.Limits{Rows: 20_000}, Bounds: exoeval.Bounds{Total: total}})
		unhurried := tu.As(t, db, tu.Acme, exo.Limits{})
		if o := unhurried.Run(t, "return [await org.join(({ org }) => org.members()).count(), await tasks.count()]"); o.JSON != "[402,8005]" {
			t.Fatal(o)
		}
		for name, program := range products {
			tu.KeepsNothing(t, 4<<20, func() {
				before, peak := resident(t, "VmRSS"), resident(t, "VmHWM") // the peak may be another test's
				if o := r.Run(t, "return await "+program); o.Kind != fail.Limit {
					t.Errorf("%s: %.300s", name, o)
				}
				if now := resident(t, "VmHWM"); now > peak && now-before > 512<<10 {
					t.Errorf("%s: the process took %d KiB", name, now-before)
				}
			})
		}
		if o := unhurried.Run(t, "return await tasks.count()"); o.JSON != "8005" {
			t.Errorf("afterwards: %v", o)
		}
	})
}

// TestPlanCost: a statement above the host's ceiling is not run, whether it reads or writes; the program hears no number, and the
// host both.
func TestPlanCost(t *testing.T) {
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Fill(append(fillLinked(tu.Postgres), "ANALYZE")...), PlanCost: 20_000})
	r := tu.As(t, db, tu.Acme, exo.Limits{})
	if o := r.Run(t, "return [await tasks.count(), await tasks.where({ id: 1001 }).first(), await tasks.orderBy(t => t.title).limit(1).select(t => t.id)].length"); o.JSON != "3" {
		t.Fatal(o)
	}
	for name, program := range products {
		o := r.Run(t, "return await "+program)
		if o.Kind != fail.Limit || !strings.Contains(o.Message, "too expensive") || strings.ContainsAny(o.Message[strings.Index(o.Message, "too expensive"):], "0123456789") {
			t.Errorf("%s: %.300s", name, o)
		}
		if said := o.Result.Err.Error(); !strings.Contains(said, "the plan costs ") || !strings.Contains(said, "PlanCost allows 20000.00") {
			t.Errorf("%s: the host is told %s", name, said)
		}
	}
	if o := r.Run(t, "return await tasks.count()"); o.JSON != "8005" {
		t.Errorf("afterwards: %v", o)
	}

	for cost, want := range map[float64]string{1: "SQLite estimates no costs", -1: "or 0 for no limit"} {
		if _, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{PlanCost: cost}); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", cost, err)
		}
	}
}

// TestPlanCostOfWrites: what changes rows is refused as what reads them, be it one statement or several, and nothing is changed.
func TestPlanCostOfWrites(t *testing.T) {
	ddl := tu.Postgres.Exec(strings.ReplaceAll(kit.JobsDDL, "{serial}", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"), kit.JobsRows)
	for cost, want := range map[float64]fail.Kind{0.001: fail.Limit, 1e9: fail.Other} {
		db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: ddl, PlanCost: cost})
		r := tu.NewRunner(t, kit.JobsGrants(db, 1), exo.Limits{})
		for _, program := range []string{
			"jobs.count()", "jobs.insert({ title: 'x', status: 'todo' })", "jobs.where({ id: 1 }).update({ title: 'y' })", "jobs.where({ title: 'x' }).delete()",
			"jobs.insert([{ title: 'z', status: 'todo' }, { title: 'u', status: 'todo', points: 1 }])",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != want || want == fail.Limit && !strings.Contains(o.Message, "too expensive") {
				t.Errorf("%v: %s: %s", cost, program, o)
			}
		}
	}
}
