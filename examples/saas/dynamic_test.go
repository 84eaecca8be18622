package main

import (
	"reflect"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The declarations of schema.go once more, as data: what a file could say.
var (
	describedColumns = map[string][]dynamic.ColumnSpec{
		"organizations": {{Name: "plan", OneOf: []string{"free", "team", "business"}}, iso("created_at")},
		"members":       {{Name: "email", Label: []string{"pii"}, Readers: dynamic.Readers{Kind: "member", Columns: []string{"id"}}}, {Name: "role", OneOf: []string{"owner", "admin", "member", "guest"}}, iso("joined_at")},
		"projects":      {{Name: "archived", Type: value.TypeBool}, iso("created_at")},
		"tasks": {{Name: "assignee_id", Doc: "null when nobody is assigned"}, {Name: "status", OneOf: []string{"todo", "in_progress", "done"}},
			{Name: "priority", Doc: "1 is the most urgent, 4 the least"}, {Name: "estimate", Doc: "in hours"}, iso("due_at"), iso("created_at")},
		"comments": {{Name: "body", Label: []string{value.Untrusted}}, iso("created_at")},
	}
	describedLinks = []struct {
		from, name, column, to, references string
		one                                bool
		doc                                string
	}{
		{"organizations", "members", "id", "members", "organization_id", false, ""},
		{"organizations", "projects", "id", "projects", "organization_id", false, ""},
		{"members", "assignedTasks", "id", "tasks", "assignee_id", false, ""},
		{"members", "organization", "organization_id", "organizations", "id", true, ""},
		{"projects", "tasks", "id", "tasks", "project_id", false, ""},
		{"projects", "organization", "organization_id", "organizations", "id", true, ""},
		{"tasks", "comments", "id", "comments", "task_id", false, ""},
		{"tasks", "assignee", "assignee_id", "members", "id", true, "none when nobody is assigned"},
		{"tasks", "project", "project_id", "projects", "id", true, ""},
		{"comments", "author", "author_id", "members", "id", true, ""},
		{"comments", "task", "task_id", "tasks", "id", true, ""},
	}
	describedFacets = []struct {
		table, alias string
		columns      []string
	}{
		{"organizations", "org", []string{"id", "name", "plan", "created_at"}},
		{"members", "member", []string{"id", "name", "email", "role", "joined_at"}},
		{"projects", "project", []string{"id", "name", "description", "archived", "created_at"}},
		{"tasks", "task", []string{"id", "title", "status", "priority", "estimate", "due_at", "created_at", "assignee_id", "project_id"}},
		{"comments", "comment", []string{"id", "body", "created_at"}},
	}
	describedScopes = []string{"organizations.members", "organizations.projects", "projects.tasks", "tasks.comments"}
)

func iso(name string) dynamic.ColumnSpec {
	return dynamic.ColumnSpec{Name: name, Type: value.TypeTime, StoredISO: true}
}

// described makes the grants of schema.go from the data above and the live catalogue.
func described(t *testing.T, db *exosql.DB, id int64) codemode.Grants {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	live, err := db.Catalog(t.Context())
	must(err)
	d := dynamic.New(live)
	tables, facets, links := map[string]*dynamic.Table{}, map[string]*dynamic.Facet{}, map[string]*dynamic.Link{}
	for _, f := range describedFacets {
		tables[f.table], err = d.Table(f.table, describedColumns[f.table]...)
		must(err)
		facets[f.table], err = tables[f.table].Facet(f.alias, f.columns...)
		must(err)
	}
	for _, l := range describedLinks {
		r, err := tables[l.from].Link(dynamic.LinkSpec{Name: l.name, Columns: []string{l.column}, To: tables[l.to], References: []string{l.references}, One: l.one, Doc: l.doc})
		must(err)
		must(facets[l.from].Add(r, facets[l.to]))
		links[l.from+"."+l.name] = r
	}
	var scopes []dynamic.Scope
	for _, s := range describedScopes {
		scopes = append(scopes, dynamic.ScopeVia(links[s]))
	}
	o, err := facets["organizations"].Grant(db, dynamic.Eq("id", id), scopes...)
	must(err)
	return codemode.Grants{"organization": o}
}

// TestDynamic: grants that are declared from data are those of schema.go, as far as they read. A model reads the same
// declarations, and each program of the corpus gives the same result by the same statements.
func TestDynamic(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
		org, _ := facets()
		typed, data := codemode.Grants{"organization": org.Of(owned(db, 1))}, described(t, db, 1)
		if err := exosql.Check(t.Context(), db, exosql.Granted(data["organization"])); err != nil {
			t.Error(err)
		}
		want, err := typed["organization"].Describe()
		if err != nil {
			t.Fatal(err)
		}
		if has, err := data["organization"].Describe(); err != nil || !reflect.DeepEqual(has, want) {
			t.Fatalf("the declarations differ: %v\nhas  %+v\nwant %+v", err, has, want)
		}
		statements := 0
		run := func(g codemode.Grants, code string) (string, []string) {
			out := tu.NewRunner(t, g, exo.Limits{}).Run(t, code)
			var sql []string
			for _, q := range out.SQL {
				sql = append(sql, q.SQL)
			}
			statements += len(sql)
			slices.Sort(sql) // some programs ask for several things at once
			return out.JSON + out.Message, sql
		}
		for _, p := range corpus.Read(t, programs, 60) {
			has, sql := run(data, p.Source)
			want, wantSQL := run(typed, p.Source)
			if has != want || !slices.Equal(sql, wantSQL) {
				t.Errorf("%s:\nhas  %s %q\nwant %s %q", p.Name, has, sql, want, wantSQL)
			}
		}
		if statements < 100 {
			t.Errorf("only %d statements were compared", statements)
		}
	})
}
