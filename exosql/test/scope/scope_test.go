package scope_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
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
			"two ways to members":         {lead, nil, "table members can be reached by orgs.members and by projects.lead, which may mean different rows; declare which are in scope, as a further argument of Grant: ScopeVia(the link orgs.members), or ScopeRows, or ScopeShared for all rows"},
			"two ways to both":            {func(o fo, m fm, p fp, x ft) { lead(o, m, p, x); m.Add(exosql.Via(tu.MemberTasks, x)) }, nil, "table projects can be reached by orgs.projects and by tasks.project, table members by orgs.members and by projects.lead, and table tasks by projects.tasks and by members.assignedTasks, which may mean different rows; declare for each which are in scope, as a further argument of Grant: ScopeVia(the link orgs.projects), or ScopeRows, or ScopeShared for all rows"},
			"two ways, declared via":      {lead, []exosql.Scope{exosql.ScopeVia(tu.OrgMembers)}, ""},
			"two ways, declared rows":     {lead, []exosql.Scope{exosql.ScopeRows(tu.Members, tu.MemberOrg.Eq(1))}, ""},
			"two ways, declared shared":   {lead, []exosql.Scope{exosql.ScopeShared(tu.Members)}, ""},
			"two ways to tasks":           {assigned, nil, "table tasks can be reached by projects.tasks and by members.assignedTasks, which may mean different rows"},
			"two ways to tasks, declared": {assigned, []exosql.Scope{exosql.ScopeVia(tu.ProjectTasks)}, ""},
			"one foreign way":             {onlyLead, nil, ""},
			"the zero Scope":              {chain, []exosql.Scope{{}}, "zero Scope"},
			"the zero Link":               {chain, []exosql.Scope{exosql.ScopeVia(exosql.Link[tu.Org, tu.Project]{})}, "zero Scope"},
			"the zero Predicate":          {chain, []exosql.Scope{exosql.ScopeRows(tu.Tasks, exosql.Predicate[tu.Task]{})}, "zero Predicate"},
			"declared twice":              {chain, []exosql.Scope{exosql.ScopeVia(tu.ProjectTasks), exosql.ScopeShared(tu.Tasks)}, "two scopes for table tasks"},
			"of the granted table":        {chain, []exosql.Scope{exosql.ScopeShared(tu.Orgs)}, "is the granted one"},
			"a circle":                    {lead, []exosql.Scope{exosql.ScopeVia(tu.ProjectLed), exosql.ScopeVia(tu.MemberLeads)}, "back to itself"},
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
		x := exosql.NewTable[kit.Pair]("pairs")
		k := exosql.NewKey(x, "a", func(p *kit.Pair) *int64 { return &p.A })
		b := exosql.NewColumn(x, "b", func(p *kit.Pair) *int64 { return &p.B })
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
		r = tu.NewRunner(t, map[string]exo.Object{"pairs": f.Of(exosql.Grant(db, x, exosql.AllRows[kit.Pair]()))}, exo.Limits{})
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
			semi    int // tables that stand in the statement for a scope, in IN (SELECT ...) or, on SQLite, in a join that the program has not
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
				if n := strings.Count(o.SQL[0].SQL, "IN (SELECT") + strings.Count(o.SQL[0].SQL, " JOIN ") - strings.Count(c.program, ".join("); n != c.semi {
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

// TestScopeLinkSeparatesPlans: two grants that differ in the link of a ScopeVia and in
// nothing else never share a plan: one would be handed the other's rows.
func TestScopeLinkSeparatesPlans(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		member := exosql.NewFacet(tu.Members, "member", tu.MemberID)
		project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID, exosql.Via(tu.ProjectLed, member))
		org := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, exosql.Via(tu.OrgProjects, project), exosql.Via(tu.OrgMembers, member))
		for range 2 { // the second time both plans are cached
			for _, c := range []struct {
				by             exosql.Scope
				program, typed string
			}{
				{exosql.ScopeVia(tu.OrgMembers), `[{"id":11}]`, "[11]"},
				{exosql.ScopeVia(tu.ProjectLed), `[{"id":11},{"id":21}]`, "[11 21]"},
			} {
				r := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(tu.Acme), c.by)
				o := tu.NewRunner(t, map[string]exo.Object{"org": org.Of(r)}, exo.Limits{}).Run(t, "return await org.projects().lead().orderBy((m) => m.id)")
				if o.JSON != c.program {
					t.Errorf("a program gets %s, want %s", o, c.program)
				}
				rows, err := exosql.Follow(exosql.Follow(r, tu.OrgProjects), tu.ProjectLed).OrderBy(tu.MemberID.Asc()).All(t.Context())
				var ids []int64
				for _, m := range rows {
					ids = append(ids, m.ID)
				}
				if got := fmt.Sprint(ids); err != nil || got != c.typed {
					t.Errorf("the typed chain gets %v, want %v (%v)", got, c.typed, err)
				}
			}
		}
	})
}

// TestScopeRowsAlone: rows that only a ScopeRows keeps out stay out, in every way in
// which a program reaches their table.
func TestScopeRowsAlone(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		member := exosql.NewFacet(tu.Members, "member", tu.MemberID)
		project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID, exosql.Via(tu.ProjectLed, member))
		for _, c := range []struct {
			scope exosql.Scope
			want  string
		}{
			{exosql.ScopeRows(tu.Members, tu.MemberOrg.Eq(tu.Acme)), `[[{"id":11}],[{"id":11}],[{"id":101,"lead":11},{"id":102,"lead":null},{"id":190,"lead":null}],1]`},
			// The twin: the rows are there, and led from outside.
			{exosql.ScopeShared(tu.Members), `[[{"id":11},{"id":21}],[{"id":11},{"id":21}],[{"id":101,"lead":11},{"id":102,"lead":null},{"id":190,"lead":21}],2]`},
		} {
			r := tu.NewRunner(t, map[string]exo.Object{"projects": project.Of(exosql.Grant(db, tu.Projects, tu.ProjectOrg.Eq(tu.Acme), c.scope))}, exo.Limits{})
			o := r.Run(t, `return [
				await projects.lead().orderBy((m) => m.id),
				await projects.join(({ project }) => project.lead()).select(({ member }) => ({ id: member.id })).orderBy(({ member }) => member.id),
				await projects.leftJoin(({ project }) => project.lead()).select(({ project, member }) => ({ id: project.id, lead: member.id })).orderBy(({ project }) => project.id),
				await projects.lead().count(),
			]`)
			if o.JSON != c.want {
				t.Errorf("got %s, want %s", o, c.want)
			}
		}
	})
}

type part struct{ Tenant, ID, Of int64 }

// TestCompositeKeys: a link over two columns compares both, in each form in which a
// link becomes SQL.
func TestCompositeKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		wholes, parts := exosql.NewTable[part]("wholes"), exosql.NewTable[part]("parts")
		wt, wi := exosql.NewKey(wholes, "tenant", func(p *part) *int64 { return &p.Tenant }), exosql.NewKey(wholes, "id", func(p *part) *int64 { return &p.ID })
		pt, pi := exosql.NewKey(parts, "tenant", func(p *part) *int64 { return &p.Tenant }), exosql.NewKey(parts, "id", func(p *part) *int64 { return &p.ID })
		of := exosql.NewColumn(parts, "of", func(p *part) *int64 { return &p.Of })
		db := e.Open(t, `CREATE TABLE wholes (tenant {int}, id {int}, PRIMARY KEY (tenant, id)); CREATE TABLE parts (tenant {int}, id {int}, of {int} NOT NULL, PRIMARY KEY (tenant, id));
			INSERT INTO wholes VALUES (1, 1), (1, 2), (2, 1); INSERT INTO parts VALUES (1, 10, 1), (1, 11, 2), (2, 20, 1)`)
		// The pairs in both orders: neither may be dropped.
		for _, l := range []exosql.Link[part, part]{exosql.Many("parts", wt, pt, exosql.Keys(wi, of)), exosql.Many("parts", wi, of, exosql.Keys(wt, pt))} {
			p := exosql.NewFacet(parts, "part", pi)
			w := exosql.NewFacet(wholes, "whole", wi, exosql.Via(l, p))
			mine := exosql.Grant(db, wholes, exosql.And(wt.Eq(1), wi.Eq(1)))
			r := tu.NewRunner(t, map[string]exo.Object{"wholes": w.Of(mine), "parts": p.Of(exosql.Follow(mine, l))}, exo.Limits{})
			const want = `[[{"id":10}],[{"id":10}],[{"id":10}],[{"id":10}]]`
			if o := r.Run(t, `return [
				await wholes.parts(),
				await wholes.join(({ whole }) => whole.parts()).select(({ part }) => ({ id: part.id })),
				await wholes.leftJoin(({ whole }) => whole.parts()).select(({ part }) => ({ id: part.id })),
				await parts,
			]`); o.JSON != want {
				t.Errorf("got %s, want %s", o, want)
			}
			rows, err := exosql.Follow(mine, l).All(t.Context())
			if err != nil || len(rows) != 1 || rows[0].ID != 10 {
				t.Errorf("Follow: %v %v", rows, err)
			}
		}
	})
}
