package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// granted closes the scopes of org with facets that have the given links.
func granted(t *testing.T, e tu.Engine, build func(org *exosql.Facet[tu.Org], member *exosql.Facet[tu.Member], project *exosql.Facet[tu.Project], task *exosql.Facet[tu.Task]), scopes ...exosql.Scope) error {
	t.Helper()
	org := exosql.NewFacet(tu.Orgs, "org", tu.OrgID)
	member := exosql.NewFacet(tu.Members, "member", tu.MemberID)
	project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID)
	task := exosql.NewFacet(tu.Tasks, "task", tu.TaskID)
	build(org, member, project, task)
	_, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"org": org.Of(exosql.Grant(e.Open(t), tu.Orgs, tu.OrgID.Eq(1), scopes...))}})
	return err
}

type (
	fo = *exosql.Facet[tu.Org]
	fm = *exosql.Facet[tu.Member]
	fp = *exosql.Facet[tu.Project]
	ft = *exosql.Facet[tu.Task]
)

// Which schemas need declarations: those in which a table can be reached in two
// ways that may mean different rows.
func TestScopeClosing(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		chain := func(o fo, m fm, p fp, x ft) {
			o.Add(exosql.Via(tu.OrgProjects, p))
			p.Add(exosql.Via(tu.ProjectTasks, x))
		}
		bothWays := func(o fo, m fm, p fp, x ft) {
			chain(o, m, p, x)
			p.Add(exosql.Via(tu.ProjectOf, o))
			x.Add(exosql.Via(tu.TaskOf, p))
		}
		lead := func(o fo, m fm, p fp, x ft) {
			bothWays(o, m, p, x)
			o.Add(exosql.Via(tu.OrgMembers, m))
			p.Add(exosql.Via(tu.ProjectLed, m))
		}
		assigned := func(o fo, m fm, p fp, x ft) {
			chain(o, m, p, x)
			o.Add(exosql.Via(tu.OrgMembers, m))
			m.Add(exosql.Via(tu.MemberTasks, x))
		}
		onlyLead := func(o fo, m fm, p fp, x ft) {
			o.Add(exosql.Via(tu.OrgProjects, p))
			p.Add(exosql.Via(tu.ProjectLed, m))
		}
		for name, c := range map[string]struct {
			build  func(fo, fm, fp, ft)
			scopes []exosql.Scope
			want   string // "" for none
		}{
			"one way each":                {chain, nil, ""},
			"both ways over the same key": {bothWays, nil, ""},
			"two ways to members":         {lead, nil, "table members can be reached in more than one way (orgs.members, projects.lead)"},
			"two ways, declared via":      {lead, []exosql.Scope{exosql.ScopeVia(tu.OrgMembers)}, ""},
			"two ways, declared rows":     {lead, []exosql.Scope{exosql.ScopeRows(tu.Members, tu.MemberOrg.Eq(1))}, ""},
			"two ways, declared shared":   {lead, []exosql.Scope{exosql.ScopeShared(tu.Members)}, ""},
			"two ways to tasks":           {assigned, nil, "table tasks can be reached in more than one way (projects.tasks, members.assignedTasks)"},
			"two ways to tasks, declared": {assigned, []exosql.Scope{exosql.ScopeVia(tu.ProjectTasks)}, ""},
			"one foreign way":             {onlyLead, nil, ""},
			"the zero Scope":              {chain, []exosql.Scope{{}}, "zero Scope"},
			"the zero Link":               {chain, []exosql.Scope{exosql.ScopeVia(exosql.Link[tu.Org, tu.Project]{})}, "zero Scope"},
			"the zero Predicate":          {chain, []exosql.Scope{exosql.ScopeRows(tu.Tasks, exosql.Predicate[tu.Task]{})}, "zero Predicate"},
			"declared twice":              {chain, []exosql.Scope{exosql.ScopeVia(tu.ProjectTasks), exosql.ScopeShared(tu.Tasks)}, "two scopes for table tasks"},
			"of the granted table":        {chain, []exosql.Scope{exosql.ScopeShared(tu.Orgs)}, "is the granted one"},
			"a circle":                    {lead, []exosql.Scope{exosql.ScopeVia(tu.ProjectLed), exosql.ScopeVia(tu.MemberLeads)}, "goes in a circle"},
			"begins elsewhere":            {chain, []exosql.Scope{exosql.ScopeVia(tu.MemberTasks)}, "which the grant does not reach"},
		} {
			t.Run(name, func(t *testing.T) {
				err := granted(t, e, c.build, c.scopes...)
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			})
		}
	})
}

// A table that leads to itself can mean other rows at each step.
func TestScopeOfALinkToItself(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		x := exosql.NewTable[pair]("pairs")
		k := exosql.NewKey(x, "a", func(p *pair) *int64 { return &p.A })
		b := exosql.NewColumn(x, "b", func(p *pair) *int64 { return &p.B })
		next := exosql.One("next", b, k)
		f := exosql.NewFacet(x, "pair", k)
		f.Add(exosql.Via(next, f))
		db := e.Open(t, "CREATE TABLE pairs (a {int} PRIMARY KEY, b {int} NOT NULL); INSERT INTO pairs VALUES (1, 2), (2, 3), (3, 1)")
		r := tu.NewRunner(t, map[string]exo.Object{"pairs": f.Of(exosql.Grant(db, x, k.In(1, 2)))}, exo.Limits{})
		// 1 -> 2 stays; 2 -> 3 leaves the grant.
		if o := r.Run(t, "return [await pairs.next(), await pairs.next().next(), await pairs.join(({ pair }) => pair.next().as('n')).count()]"); o.JSON != `[[{"a":2}],[],1]` {
			t.Error(o)
		}
		// The twin: the rows are there.
		r = tu.NewRunner(t, map[string]exo.Object{"pairs": f.Of(exosql.Grant(db, x, exosql.AllRows[pair]()))}, exo.Limits{})
		if o := r.Run(t, "return (await pairs.next().execute()).length"); o.JSON != "3" {
			t.Error(o)
		}
	})
}

// TestImpliedScope holds the one rule by which a scope is left out of the SQL:
// a row that was reached from a row in scope, by the very link that its table's
// scope demands, is in scope already. Everywhere else the scope stands.
func TestImpliedScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		r := tu.As(t, db, tu.Acme, exo.Limits{})
		for name, c := range map[string]struct {
			program string
			semi    int // IN (SELECT ...) in the statement
			want    string
		}{
			"down the links of the scopes":  {"org.join(({ org }) => org.projects()).join(({ project }) => project.tasks()).select(({ task }) => ({ id: task.id })).orderBy(({ task }) => task.id)", 0, `[{"id":1001},{"id":1002},{"id":1003},{"id":1004},{"id":1090}]`},
			"members, by their scope":       {"org.join(({ org }) => org.members()).select(({ member }) => ({ id: member.id })).orderBy(({ member }) => member.id)", 0, `[{"id":11},{"id":12}]`},
			"lead: not the link of members": {"org.join(({ org }) => org.projects()).join(({ project }) => project.lead()).select(({ member }) => ({ id: member.id }))", 1, `[{"id":11}]`},
			"and down from there":           {"org.join(({ org }) => org.members()).join(({ member }) => member.assignedTasks()).select(({ task }) => ({ id: task.id })).orderBy(({ task }) => task.id)", 2, `[{"id":1001},{"id":1002},{"id":1004}]`},
			"back up: the inverse":          {"org.join(({ org }) => org.projects()).join(({ project }) => project.org().as('o2')).select(({ o2 }) => ({ id: o2.id })).limit(1)", 0, `[{"id":1}]`},
		} {
			t.Run(name, func(t *testing.T) {
				o := r.Run(t, "return await "+c.program)
				if o.JSON != c.want || len(o.SQL) != 1 {
					t.Fatalf("got %s, want %s", o, c.want)
				}
				if n := strings.Count(o.SQL[0].SQL, "IN (SELECT"); n != c.semi {
					t.Errorf("%d semi-joins, want %d: %s", n, c.semi, o.SQL[0].SQL)
				}
			})
		}
		// The same holds for each tenant with the other's rows in the way.
		b := tu.As(t, db, tu.Bolt, exo.Limits{})
		if o := b.Run(t, "return await org.join(({ org }) => org.projects()).join(({ project }) => project.lead()).select(({ member }) => ({ id: member.id }))"); o.JSON != `[{"id":21}]` {
			t.Error(o)
		}
	})
}
