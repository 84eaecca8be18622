package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type bmTicket struct {
	ID, Org, Assignee, Project int64
	Secret                     string
}
type bmProject struct {
	ID, Org, Owner int64
	Name, Plan     string
}

// TestBesideShowsMore: by a column that one grant lets programs write, another may tell whose a row is that it shows or allows more
// of. A row that is assigned would be read, and deleted, by what is granted to its assignee alone. Where the other shows no
// more, the write succeeds.
func TestBesideShowsMore(t *testing.T) {
	tickets, projects := exosql.NewTable[bmTicket]("tickets"), exosql.NewTable[bmProject]("projects")
	id := exosql.NewKey(tickets, "id", func(x *bmTicket) *int64 { return &x.ID })
	org := exosql.NewColumn(tickets, "org_id", func(x *bmTicket) *int64 { return &x.Org })
	assignee := exosql.NewColumn(tickets, "assignee", func(x *bmTicket) *int64 { return &x.Assignee })
	project := exosql.NewColumn(tickets, "project_id", func(x *bmTicket) *int64 { return &x.Project })
	secret := exosql.NewColumn(tickets, "secret", func(x *bmTicket) *string { return &x.Secret })
	pid := exosql.NewKey(projects, "id", func(x *bmProject) *int64 { return &x.ID })
	pOrg := exosql.NewColumn(projects, "org_id", func(x *bmProject) *int64 { return &x.Org })
	owner := exosql.NewColumn(projects, "owner", func(x *bmProject) *int64 { return &x.Owner })
	name := exosql.NewColumn(projects, "name", func(x *bmProject) *string { return &x.Name })
	plan := exosql.NewColumn(projects, "plan", func(x *bmProject) *string { return &x.Plan })
	to, of := exosql.One("project", project, pid), exosql.Many("tickets", pid, project)

	named := exosql.NewFacet(projects, "named", pid, name)
	planned := exosql.NewFacet(projects, "planned", pid, name, plan)
	open := exosql.NewFacet(tickets, "listed", id, assignee).AllowUpdate(assignee)
	moved := exosql.NewFacet(tickets, "moved", id, project, exosql.Via(to, named)).AllowUpdate(project)
	theirs := exosql.NewFacet(tickets, "own", id, secret)
	deleted := exosql.NewFacet(tickets, "deleted", id, assignee).AllowDelete()
	linked := exosql.NewFacet(tickets, "linked", id, exosql.Via(to, named))
	within := exosql.NewFacet(projects, "within", pid, exosql.Via(of, theirs))
	scoped := []exosql.Scope{exosql.ScopeRows(projects, pOrg.Eq(1))}

	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for what, c := range map[string]struct {
			tickets, mine func(db *exosql.DB) exo.Object
			program, want string // "": it succeeds
		}{
			"a column": {open1(open, tickets, org), own(theirs, tickets, assignee), `tickets.where({ id: 2 }).update({ assignee: 1 })`, "`assignee` can't be changed: it decides which rows another grant"},
			"a column, a condition beside": {open1(open, tickets, org), func(db *exosql.DB) exo.Object {
				return theirs.Of(exosql.Grant(db, tickets, org.Eq(1)).Where(assignee.Eq(1)))
			}, `tickets.where({ id: 2 }).update(x => ({ assignee: x.id - 1 }))`, "`assignee` can't be changed: it decides which rows another grant"},
			"a right": {open1(open, tickets, org), own(deleted, tickets, assignee), `tickets.where({ id: 2 }).update({ assignee: 1 })`, "`assignee` can't be changed: it decides which rows another grant"},
			"a link":  {open1(open, tickets, org), func(db *exosql.DB) exo.Object { return linked.Of(exosql.Grant(db, tickets, assignee.Eq(1), scoped...)) }, `tickets.where({ id: 2 }).update({ assignee: 1 })`, "`assignee` can't be changed: it decides which rows another grant"},
			"no more": {open1(open, tickets, org), own(exosql.NewFacet(tickets, "same", id, assignee), tickets, assignee), `tickets.where({ id: 2 }).update({ assignee: 1 })`, ""},
			"a parent": {func(db *exosql.DB) exo.Object { return moved.Of(exosql.Grant(db, tickets, org.Eq(1), scoped...)) },
				func(db *exosql.DB) exo.Object { return within.Of(exosql.Grant(db, projects, owner.Eq(1))) }, `tickets.where({ id: 2 }).update({ projectId: 1 })`, "`projectId` can't be changed: it decides which rows another grant"},
			"a column of what it leads to": {func(db *exosql.DB) exo.Object { return moved.Of(exosql.Grant(db, tickets, org.Eq(1), scoped...)) },
				func(db *exosql.DB) exo.Object {
					return planned.Of(exosql.Follow(exosql.Grant(db, tickets, assignee.Eq(1)), to))
				}, `tickets.where({ id: 1 }).update({ projectId: 2 })`, "`projectId` refers to no row"},
			"no more of what it leads to": {func(db *exosql.DB) exo.Object { return moved.Of(exosql.Grant(db, tickets, org.Eq(1), scoped...)) },
				func(db *exosql.DB) exo.Object {
					return named.Of(exosql.Follow(exosql.Grant(db, tickets, assignee.Eq(1)), to))
				}, `tickets.where({ id: 1 }).update({ projectId: 2 })`, ""},
		} {
			db, _ := kit.File(t, e, "CREATE TABLE projects (id {int} PRIMARY KEY, org_id {int} NOT NULL, owner {int} NOT NULL, name VARCHAR(20) NOT NULL, plan VARCHAR(20) NOT NULL)",
				"CREATE TABLE tickets (id {int} PRIMARY KEY, org_id {int} NOT NULL, assignee {int} NOT NULL, project_id {int} NOT NULL, secret VARCHAR(20) NOT NULL)",
				"INSERT INTO projects VALUES (1, 1, 1, 'mine', 'mine'), (2, 1, 2, 'ours', 'theirs')", "INSERT INTO tickets VALUES (1, 1, 1, 1, 'mine'), (2, 1, 2, 2, 'theirs')")
			tool, err := codemode.New(codemode.Grants{"tickets": c.tickets(db), "mine": c.mine(db)}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			r := tool.Run(t.Context(), "await "+c.program+"; return await mine")
			if ok := c.want == "" && r.Err == nil || c.want != "" && r.Err != nil && strings.Contains(r.Err.Error(), c.want); !ok {
				t.Errorf("%s: %s: %s %v, want %q", what, c.program, r.JSON, r.Err, c.want)
			}
		}
	})
}

func open1(f *exosql.Facet[bmTicket], t *exosql.Table[bmTicket], org *exosql.Column[bmTicket, int64]) func(*exosql.DB) exo.Object {
	return func(db *exosql.DB) exo.Object { return f.Of(exosql.Grant(db, t, org.Eq(1))) }
}

func own(f *exosql.Facet[bmTicket], t *exosql.Table[bmTicket], by *exosql.Column[bmTicket, int64]) func(*exosql.DB) exo.Object {
	return func(db *exosql.DB) exo.Object { return f.Of(exosql.Grant(db, t, by.Eq(1))) }
}
