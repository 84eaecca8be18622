package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/corpus"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func run(stdin string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = app.Run(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}

// TestOrganizations counts what each organization reaches, by every way there
// is: the rows that cross from one to another are never among them.
func TestOrganizations(t *testing.T) {
	const program = `async (api) => {
		const org = api.organization, projects = org.projects(), tasks = projects.tasks(), comments = tasks.comments();
		const count = (...queries) => Promise.all(queries.map(q => q.count()));
		return {
			members: await count(org.members(), tasks.assignee(), comments.author()),
			projects: await count(projects, tasks.project()),
			tasks: await count(tasks, org.members().assignedTasks(), comments.task()),
			comments: await count(comments, comments.task().comments()),
			organizations: await count(org, projects.organization(), org.members().organization()),
		};
	}`
	for id, want := range map[int]string{
		1: `{"members":[5,5,5],"projects":[4,4],"tasks":[28,21,21],"comments":[40,40],"organizations":[1,1,1]}`,
		2: `{"members":[4,4,4],"projects":[3,3],"tasks":[20,15,14],"comments":[24,24],"organizations":[1,1,1]}`,
		3: `{"members":[3,3,3],"projects":[2,2],"tasks":[12,10,10],"comments":[21,21],"organizations":[1,1,1]}`,
	} {
		out, errs, code := run("", "-org", fmt.Sprint(id), "-e", program)
		if out != want+"\n" || errs != "" || code != 0 {
			t.Errorf("organization %d: exit %d %s\ngot  %swant %s", id, code, errs, out, want)
		}
	}
	if _, errs, code := run("", "-org", "4", "-e", program); code != 2 || errs != "saas: there is no org 4; there are 1 (Acme Robotics), 2 (Globex Farms), 3 (Initech Labs)\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestShown: a model is shown every member of the facets, and nothing else of the tables.
func TestShown(t *testing.T) {
	out, _, code := run("", "-api")
	if code != 0 {
		t.Fatal(code)
	}
	for _, want := range []string{"organization", "members()", "projects()", "tasks()", "comments()", "assignee()", "assignedTasks()", "author()", "in_progress", "in hours"} {
		if !strings.Contains(out, want) {
			t.Errorf("-api does not show %q", want)
		}
	}
	for _, hidden := range []string{"organization_id", "organizationId", "authorId", "Acme", "SELECT"} {
		if strings.Contains(out, hidden) {
			t.Errorf("-api shows %q", hidden)
		}
	}
}

// TestLargeResult: what is cut stays JSON, and standard error says so.
func TestLargeResult(t *testing.T) {
	out, errs, code := run("", "-e", `(api) => {
		const tasks = api.organization.projects().tasks();
		return tasks.join(tasks.as('other'), ({ task, other }) => task.id !== other.id).select(({ task, other }) => ({ task, other })).execute();
	}`)
	var rows []any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || code != 0 || len(rows) == 0 || len(rows) >= 28*27 {
		t.Errorf("exit %d, %d rows: %v", code, len(rows), err)
	}
	if !strings.HasPrefix(errs, "saas: ") || !strings.Contains(errs, "756") {
		t.Errorf("the notice: %q", errs)
	}
}

// TestExamples: the programs that -help shows work.
func TestExamples(t *testing.T) {
	for _, e := range app.Examples {
		if out, errs, code := run("", "-e", e); code != 0 || errs != "" || !json.Valid([]byte(out)) {
			t.Errorf("%s: exit %d %s%s", e, code, out, errs)
		}
	}
}

func TestProcess(t *testing.T) {
	bin := corpus.Binary(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.URL(t)
		for _, want := range []string{"28\n", "28\n"} { // made, and used again
			if got := corpus.Exec(t, "", bin, "-db", db, "-e", "api.organization.projects().tasks().count()"); got != (corpus.Exit{Out: want}) {
				t.Errorf("%+v", got)
			}
		}
		if got := corpus.Exec(t, "", bin, "-db", db, "-org", "2", "-e", "api.organization.projects().tasks().first().name.x"); got.Code != 1 || !json.Valid([]byte(got.Out)) || got.Err != "" {
			t.Errorf("%+v", got)
		}
	})
	if got := corpus.Exec(t, "", bin, "-org", "none", "-e", "1"); got.Code != 2 || got.Out != "" {
		t.Errorf("%+v", got)
	}
}
