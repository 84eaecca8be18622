package scope_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// projectsOf grants a relation of projects to programs, with a link away and back.
func projectsOf(t *testing.T, r exosql.Relation[tu.Project]) *tu.Runner {
	project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID)
	task := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, exosql.Via(tu.TaskOf, project))
	project.Add(exosql.Via(tu.ProjectTasks, task))
	return tu.NewRunner(t, map[string]exo.Object{"projects": project.Of(r)}, exo.Limits{})
}

// What a host has narrowed before it handed a relation out stays narrowed, for the rows
// themselves, for what links lead to, and for the way round that comes back.
func TestHostsStepsHold(t *testing.T) {
	const (
		rows  = "await projects.orderBy((p) => p.id)"
		tasks = "await projects.tasks().orderBy((t) => t.id).select((t) => ({ id: t.id }))"
		round = "await projects.tasks().project().orderBy((p) => p.id)"
	)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		mine := exosql.Grant(e.Open(t), tu.Projects, tu.ProjectOrg.Eq(tu.Acme), exosql.ScopeVia(tu.ProjectTasks))
		sorted := mine.OrderBy(tu.ProjectID.Asc())
		for _, c := range []struct {
			what string
			r    exosql.Relation[tu.Project]
			want string
		}{
			{"the grant", mine, `[[{"id":101},{"id":102},{"id":190}],[{"id":1001},{"id":1002},{"id":1003},{"id":1004},{"id":1090}],[{"id":101},{"id":102}]]`},
			{"where", mine.Where(tu.ProjectID.Gt(101)), `[[{"id":102},{"id":190}],[{"id":1004},{"id":1090}],[{"id":102}]]`},
			{"offset", sorted.Offset(1), `[[{"id":102},{"id":190}],[{"id":1004},{"id":1090}],[{"id":102}]]`},
			{"limit", sorted.Limit(1), `[[{"id":101}],[{"id":1001},{"id":1002},{"id":1003}],[{"id":101}]]`},
			{"page", sorted.Offset(1).Limit(1), `[[{"id":102}],[{"id":1004},{"id":1090}],[{"id":102}]]`},
			{"where after a limit", sorted.Limit(1).Where(tu.ProjectID.Gt(101)), `[[],[],[]]`},
		} {
			if o := projectsOf(t, c.r).Run(t, fmt.Sprintf("return [%s, %s, %s]", rows, tasks, round)); o.JSON != c.want {
				t.Errorf("%s: %s, want %s", c.what, o, c.want)
			}
		}
	})
}

// A limit in a join's callback is one for each row that the callback is about.
func TestLimitInACallback(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := projectsOf(t, exosql.Grant(e.Open(t), tu.Projects, tu.ProjectOrg.Eq(tu.Acme), exosql.ScopeVia(tu.ProjectTasks)))
		const program = "return await projects.join(({ project }) => project.tasks().orderBy(({ task }) => task.id)%s).select(({ task }) => ({ id: task.id })).orderBy(({ task }) => task.id)"
		for after, want := range map[string]string{
			"":                     `[{"id":1001},{"id":1002},{"id":1003},{"id":1004},{"id":1090}]`,
			".limit(1)":            `[{"id":1001},{"id":1004}]`,
			".offset(1)":           `[{"id":1002},{"id":1003},{"id":1090}]`,
			".offset(1).limit(1)":  `[{"id":1002},{"id":1090}]`,
			".limit(0)":            `[]`,
			".limit(2).limit(100)": `[{"id":1001},{"id":1002},{"id":1004},{"id":1090}]`,
		} {
			if o := r.Run(t, fmt.Sprintf(program, after)); o.JSON != want {
				t.Errorf("%q: %s, want %s", after, o, want)
			}
		}
	})
}

// SQLite joins 64 tables at most and has words of its own for more, and its planner is
// slow long before.
func TestTooManyTables(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := projectsOf(t, exosql.Grant(e.Open(t), tu.Projects, tu.ProjectOrg.Eq(tu.Acme), exosql.ScopeVia(tu.ProjectTasks)))
		const program = "let q = projects.as('p'); for (let i = 0; i < %d; i++) q = q.join(({ p }) => p.tasks().as('t' + i)); return await q.count()"
		if o := r.Run(t, fmt.Sprintf(program, 3)); o.JSON != "35" { // 3*3*3 + 2*2*2
			t.Errorf("three: %s", o)
		}
		if o := r.Run(t, fmt.Sprintf(program, 70)); o.Kind != fail.Limit {
			t.Errorf("seventy: %s", o)
		}
	})
}

// Two tables may have one row type in Go, so the compiler can't tell their facets
// apart: the columns of one would be read from the other.
func TestFacetOfAnotherTable(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		other := exosql.NewTable[tu.Project]("tasks")
		id := exosql.NewKey(other, "id", func(p *tu.Project) *int64 { return &p.ID })
		r := exosql.Grant(e.Open(t), tu.Projects, tu.ProjectOrg.Eq(tu.Acme))
		if _, err := exosql.NewFacet(other, "thing", id).Of(r).Describe(); err == nil {
			t.Error("a facet of tasks shows projects")
		}
		if _, err := exosql.NewFacet(tu.Projects, "thing", tu.ProjectID).Of(r).Describe(); err != nil {
			t.Error(err)
		}
	})
}
