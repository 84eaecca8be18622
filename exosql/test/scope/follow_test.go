package scope_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// A chain of Follow over a shared row must not leave the tenant: tag 1 is on
// tasks of both. A table that is entered a second time, by another link, stays
// within the scope by which it was entered first.
func TestFollowStaysInTenant(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		round := func(others ...exosql.Scope) exosql.Relation[tu.TaskTag] {
			g := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme), others...)
			tasks := exosql.Follow(exosql.Follow(g, tu.OrgProjects), tu.ProjectTasks)
			tags := exosql.Follow(exosql.Follow(tasks, tu.TaskLabels), tu.TaskTagName)
			return exosql.Follow(tags, tu.TagTasks)
		}
		taskOf := func(x tu.TaskTag) int64 { return x.TaskID }
		implied := kit.IDs(t, round(), taskOf) // by the link that the chain came by first
		declared := kit.IDs(t, round(exosql.ScopeVia(tu.TaskLabels)), taskOf)
		if !slices.Equal(implied, declared) {
			t.Errorf("the way round a shared tag gives %v, declared %v", implied, declared)
		}
		shared := kit.IDs(t, round(exosql.ScopeShared(tu.TaskTags)), taskOf)
		foreign := 0
		for _, id := range shared {
			if id >= 2000 {
				foreign++
			}
		}
		if foreign == 0 {
			t.Error("the twin, with the table shared, reaches no row of the other tenant")
		}
		if len(declared) == 0 {
			t.Error("nothing is reached within the tenant")
		}
		for _, id := range declared {
			if id >= 2000 {
				t.Errorf("task %d is another tenant's", id)
			}
		}
	})
}

// Where a chain enters a table by two links that may mean different rows, only
// the host can know which is meant.
func TestFollowTwoWays(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		twice := func(others ...exosql.Scope) exosql.Relation[tu.Task] {
			g := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme), others...)
			tasks := exosql.Follow(exosql.Follow(g, tu.OrgProjects), tu.ProjectTasks)
			return exosql.Follow(exosql.Follow(tasks, tu.TaskAssigned), tu.MemberTasks)
		}
		for _, c := range []struct {
			name   string
			scopes []exosql.Scope
			ok     bool
		}{
			{"declared", []exosql.Scope{exosql.ScopeVia(tu.ProjectTasks)}, true},
			{"led back", nil, true}, // assignedTasks is the way back of assignee: within ProjectTasks
		} {
			rows, err := twice(c.scopes...).All(t.Context())
			if (err == nil) != c.ok {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, r := range rows {
				if r.ID >= 2000 {
					t.Errorf("%s: task %d is another tenant's", c.name, r.ID)
				}
			}
			if len(rows) == 0 {
				t.Errorf("%s: no row", c.name)
			}
		}
		// Projects by the organization, then by who leads them: two ways.
		g := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme))
		members := exosql.Follow(exosql.Follow(exosql.Follow(g, tu.OrgProjects), tu.ProjectOf), tu.OrgMembers)
		led := exosql.Follow(members, tu.MemberLeads)
		_, err := led.All(t.Context())
		if !errors.Is(err, fail.ErrDenied) || !strings.Contains(err.Error(), "which may mean different rows") {
			t.Errorf("two ways into projects: %v", err)
		}
		facet := exosql.NewFacet(tu.Projects, "project", tu.ProjectID)
		if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"x": facet.Of(led)}}); err == nil {
			t.Error("two ways into projects can be granted to a program")
		}
	})
}

// The same chains, granted to a program: a facet's links don't widen what the
// chain has fixed.
func TestFollowedFacetStaysInTenant(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		tags := func(others ...exosql.Scope) exosql.Relation[tu.Tag] {
			g := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme), others...)
			tasks := exosql.Follow(exosql.Follow(g, tu.OrgProjects), tu.ProjectTasks)
			return exosql.Follow(exosql.Follow(tasks, tu.TaskLabels), tu.TaskTagName)
		}
		tagging := exosql.NewFacet(tu.TaskTags, "tagging", tu.TaskTagTask, tu.TaskTagTag)
		tag := exosql.NewFacet(tu.Tags, "tag", tu.TagID, exosql.Via(tu.TagTasks, tagging))
		round := func(others ...exosql.Scope) exosql.Relation[tu.TaskTag] {
			return exosql.Follow(tags(others...), tu.TagTasks)
		}
		show := func(o exo.Object, program string) string {
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"x": o}})
			if err != nil {
				t.Fatal(err)
			}
			r := tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: program})
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			return r.Value.String()
		}
		const all, linked = "x", "x.taskTags()"
		for what, got := range map[string]string{
			"the chain":             show(tagging.Of(round()), all),
			"narrowed":              show(tagging.Of(round().Where(tu.TaskTagTask.Gt(0))), all),
			"limited":               show(tagging.Of(round().Limit(100)), all),
			"a link after it":       show(tag.Of(tags()), linked),
			"a link after a limit":  show(tag.Of(tags().Limit(100)), linked),
			"declared, and a link":  show(tag.Of(tags(exosql.ScopeVia(tu.TaskLabels))), linked),
			"declared, and a chain": show(tagging.Of(round(exosql.ScopeVia(tu.TaskLabels))), all),
		} {
			if !strings.Contains(got, "1001") || strings.Contains(got, "200") {
				t.Errorf("%s: %s", what, got)
			}
		}
		if got := show(tag.Of(tags(exosql.ScopeShared(tu.TaskTags))), linked); !strings.Contains(got, "2001") {
			t.Errorf("the twin, with the table shared: %s", got)
		}
	})
}

// Without a key a limit has no one answer, and a labelled key would show its
// order without its label.
func TestKeysOfLimits(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "CREATE TABLE loose (a {int} NOT NULL)")
		x := exosql.NewTable[kit.Pair]("loose")
		a := exosql.NewColumn(x, "a", func(p *kit.Pair) *int64 { return &p.A })
		r := exosql.Grant(db, x, exosql.AllRows[kit.Pair]())
		if _, err := r.Where(a.Gt(0)).All(t.Context()); err != nil {
			t.Errorf("the twin: %v", err)
		}
		if _, err := r.Limit(2).Count(t.Context()); err == nil {
			t.Error("Limit without a key")
		}
		if _, err := r.Limit(2).Offset(1).Where(a.Gt(0)).All(t.Context()); err == nil {
			t.Error("Offset without a key")
		}
		if _, _, err := r.First(t.Context()); err == nil {
			t.Error("First without a key")
		}
		y := exosql.NewTable[kit.Pair]("loose")
		k := exosql.NewKey(y, "a", func(p *kit.Pair) *int64 { return &p.A }).WithLabel("secret")
		b := exosql.NewColumn(y, "b", func(p *kit.Pair) *int64 { return &p.B })
		if _, err := exosql.NewFacet(y, "pair", b).Of(exosql.Grant(db, y, k.Gt(0))).Describe(); err == nil || !strings.Contains(err.Error(), "labelled") {
			t.Errorf("a labelled key: %v", err)
		}
	})
}
