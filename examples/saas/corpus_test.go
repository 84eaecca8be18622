package main

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus"
)

var trackerApp = corpus.App{
	Name:     "saas",
	SQL:      tracker.Schema + tracker.Seed,
	Postgres: tracker.Postgres,
	IDs:      "SELECT id FROM organizations ORDER BY id",
	Grants:   func(db *exosql.DB, id int64) codemode.Grants { return grant(db, id, owners[id]) },
}

// owners are those of the organizations.
var owners = map[int64]int64{1: 1, 2: 6, 3: 10}

const programs = "../../testdata/programs/saas"

func TestPrograms(t *testing.T) { corpus.Outcomes(t, trackerApp, corpus.Read(t, programs, 60)) }

// TestIsolation marks every text of every row with its organization's canary.
func TestIsolation(t *testing.T) {
	const mark = `
UPDATE organizations SET name = name || ' canary-' || id || '-';
UPDATE members SET name = name || ' canary-' || organization_id || '-', email = email || ' canary-' || organization_id || '-';
UPDATE projects SET name = name || ' canary-' || organization_id || '-', description = description || ' canary-' || organization_id || '-';
UPDATE tasks SET title = title || (SELECT ' canary-' || p.organization_id || '-' FROM projects AS p WHERE p.id = project_id);
UPDATE comments SET body = body || (SELECT ' canary-' || p.organization_id || '-' FROM tasks AS t JOIN projects AS p ON p.id = t.project_id WHERE t.id = task_id);`
	canary := func(id int64) string { return fmt.Sprintf("canary-%d-", id) }
	corpus.Isolation(t, trackerApp, corpus.Read(t, programs, 60), mark, canary)
}

// TestAlone deletes all other organizations and what they own. What strangers
// left in ours stays: a task is assigned to, or a comment written by, nobody then.
func TestAlone(t *testing.T) {
	corpus.Alone(t, trackerApp, corpus.Read(t, programs, 60), func(id int64) string {
		return fmt.Sprintf(`
DELETE FROM projects WHERE organization_id <> %d;
DELETE FROM tasks WHERE project_id NOT IN (SELECT id FROM projects);
DELETE FROM comments WHERE task_id NOT IN (SELECT id FROM tasks);
DELETE FROM members WHERE organization_id <> %[1]d;
DELETE FROM organizations WHERE id <> %[1]d;`, id)
	})
}
