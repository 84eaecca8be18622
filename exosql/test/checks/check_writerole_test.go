package checks_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type wrTask struct {
	ID, Project int64
	Title       string
}

// TestCheckWriteRights: a role that may only read is refused for a facet through which programs write, and one that is told what a superuser is told
// too. After each Fix programs can do what they may. The twin, which nobody checked, gets an internal error.
func TestCheckWriteRights(t *testing.T) {
	url := tu.Postgres.URL(t)
	schema := tu.Param(t, url, "search_path")
	kit.Change(t, url, "CREATE TABLE projects (id int PRIMARY KEY)", "CREATE TABLE tasks (id serial PRIMARY KEY, project int NOT NULL REFERENCES projects, title text NOT NULL)", "CREATE INDEX ON tasks (project)", "INSERT INTO projects VALUES (1), (2)")
	grants := func(db *exosql.DB) map[string]exo.Object {
		projects := exosql.NewTable[struct{ ID int64 }]("projects")
		id := exosql.NewKey(projects, "id", func(p *struct{ ID int64 }) *int64 { return &p.ID })
		tasks := exosql.NewTable[wrTask]("tasks")
		taskID := exosql.NewKey(tasks, "id", func(p *wrTask) *int64 { return &p.ID })
		of := exosql.NewColumn(tasks, "project", func(p *wrTask) *int64 { return &p.Project })
		title := exosql.NewColumn(tasks, "title", func(p *wrTask) *string { return &p.Title })
		link := exosql.Many("tasks", id, of)
		task := exosql.NewFacet(tasks, "task", taskID, title).AllowInsert(title).AllowUpdate(title).AllowDelete()
		return map[string]exo.Object{"projects": exosql.NewFacet(projects, "project", id, exosql.Via(link, task)).Of(exosql.Grant(db, projects, id.Eq(1), exosql.ScopeVia(link)))}
	}
	found := func(as string, kind exosql.FindingKind) string {
		t.Helper()
		db := tu.Postgres.OpenURL(t, as, nil)
		all, err := exosql.Findings(t.Context(), db, exosql.Granted(grants(db)["projects"]))
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(f exosql.Finding) bool { return f.Kind == kind })
		if i < 0 {
			return ""
		}
		return all[i].Fix
	}
	programs := map[string]string{"insert": "projects.tasks().insert({ title: 'a' })", "update": "projects.tasks().where(t => t.id > 0).update({ title: 'b' })", "delete": "projects.tasks().where(t => t.id > 0).delete()"}
	writes := func(as, program string) string {
		return tu.NewRunner(t, grants(tu.Postgres.OpenURL(t, as, nil)), exo.Limits{}).Run(t, program).Message
	}

	role := kit.NewRole(t)
	as := tu.AsUser(t, url, role)
	kit.Change(t, url, "GRANT USAGE ON SCHEMA "+schema+" TO "+role, "GRANT SELECT ON projects, tasks TO "+role)
	want := "GRANT UPDATE (title) ON S.tasks TO R; GRANT DELETE ON S.tasks TO R; GRANT INSERT (project, title) ON S.tasks TO R; GRANT USAGE ON SEQUENCE S.tasks_id_seq TO R"
	fix := found(as, exosql.NotWritable)
	if strings.NewReplacer(schema, "S", role, "R").Replace(fix) != want {
		t.Fatalf("found %q, want %q", fix, want)
	}
	for name, p := range programs {
		if got := writes(as, p); !strings.Contains(got, "internal error") {
			t.Errorf("the twin: %s: %q", name, got)
		}
	}
	// UPDATE of a sequence lets an insert take a number, too.
	kit.Change(t, url, "GRANT UPDATE ON SEQUENCE tasks_id_seq TO "+role)
	if got := found(as, exosql.NotWritable); got == "" || strings.Contains(got, "SEQUENCE") {
		t.Errorf("with UPDATE of the sequence: %q", got)
	}
	kit.Change(t, url, "REVOKE UPDATE ON SEQUENCE tasks_id_seq FROM "+role)
	for i, grant := range strings.Split(fix, "; ") { // each of them is needed
		rest := strings.Join(strings.Split(fix, "; ")[i:], "; ")
		if got := found(as, exosql.NotWritable); got != rest {
			t.Errorf("found %q, want %q", got, rest)
		}
		kit.Change(t, url, grant)
	}
	told := found(url, exosql.RoleRights)
	own := kit.NewRole(t)
	_, statements, _ := strings.Cut(told, ": CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS; ")
	kit.Change(t, url, strings.ReplaceAll(statements, " TO exo", " TO "+own))
	for _, as := range []string{as, tu.AsUser(t, url, own)} {
		if got := found(as, exosql.NotWritable) + found(as, exosql.NotReadable) + found(as, exosql.RoleRights); got != "" {
			t.Errorf("after the fix: %q", got)
		}
		for name, p := range programs {
			if got := writes(as, p); got != "" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// TestCheckFilledRights: a role is not refused for a column that a hook fills in one kind of write, since that is known only when the hook runs.
func TestCheckFilledRights(t *testing.T) {
	url := tu.Postgres.URL(t)
	kit.Change(t, url, "CREATE TABLE tasks (id int PRIMARY KEY, project int NOT NULL, title text NOT NULL)", "CREATE INDEX ON tasks (project)", "INSERT INTO tasks VALUES (1, 1, 'a')")
	role := kit.NewRole(t)
	kit.Change(t, url, "GRANT USAGE ON SCHEMA "+tu.Param(t, url, "search_path")+" TO "+role, "GRANT SELECT ON tasks TO "+role, "GRANT INSERT (id, project, title) ON tasks TO "+role, "GRANT UPDATE (title) ON tasks TO "+role)
	db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, role), nil)
	tasks := exosql.NewTable[wrTask]("tasks")
	id := exosql.NewKey(tasks, "id", func(p *wrTask) *int64 { return &p.ID })
	of := exosql.NewColumn(tasks, "project", func(p *wrTask) *int64 { return &p.Project })
	title := exosql.NewColumn(tasks, "title", func(p *wrTask) *string { return &p.Title })
	tasks.BeforeWrite(func(_ context.Context, w *exosql.Write[wrTask]) error {
		if w.Kind == exosql.Inserts {
			w.Fill(of.Set(1))
		}
		return nil
	}, of)
	object := exosql.NewFacet(tasks, "task", id, title).AllowInsert(id, title).AllowUpdate(title).Of(exosql.Grant(db, tasks, exosql.AllRows[wrTask]()))
	if err := exosql.Check(t.Context(), db, exosql.Granted(object)); err != nil {
		t.Error(err)
	}
	for _, p := range []string{"tasks.insert({ id: 2, title: 'b' })", "tasks.where({ id: 1 }).update({ title: 'c' })"} {
		if o := tu.NewRunner(t, map[string]exo.Object{"tasks": object}, exo.Limits{}).Run(t, p); o.Message != "" {
			t.Errorf("%s: %s", p, o.Message)
		}
	}
}
