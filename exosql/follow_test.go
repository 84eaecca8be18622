package exosql_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// A chain of Follow over a shared row must not leave the tenant: tag 1 is on
// tasks of both. A table that is entered a second time, by another link, stays
// within the scope by which it was entered first.
func TestFollowStaysInTenant(t *testing.T) {
	db := tu.Open(t)
	round := func(others ...exosql.Scope) exosql.Relation[tu.TaskTag] {
		g := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme), others...)
		tasks := exosql.Follow(exosql.Follow(g, tu.OrgProjects), tu.ProjectTasks)
		tags := exosql.Follow(exosql.Follow(tasks, tu.TaskLabels), tu.TaskTagName)
		return exosql.Follow(tags, tu.TagTasks)
	}
	taskOf := func(x tu.TaskTag) int64 { return x.TaskID }
	implied := ids(t, round(), taskOf) // by the link that the chain came by first
	declared := ids(t, round(exosql.ScopeVia(tu.TaskLabels)), taskOf)
	if !slices.Equal(implied, declared) {
		t.Errorf("the way round a shared tag gives %v, declared %v", implied, declared)
	}
	shared := ids(t, round(exosql.ScopeShared(tu.TaskTags)), taskOf)
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
}

// Where a chain enters a table by two links that may mean different rows, only
// the host can know which is meant.
func TestFollowTwoWays(t *testing.T) {
	db := tu.Open(t)
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
	if !errors.Is(err, exo.ErrDenied) || !strings.Contains(err.Error(), "more than one way") {
		t.Errorf("two ways into projects: %v", err)
	}
	facet := exosql.NewFacet(tu.Projects, "project", tu.ProjectID)
	if _, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"x": facet.Of(led)}}); err == nil {
		t.Error("two ways into projects can be granted to a program")
	}
}
