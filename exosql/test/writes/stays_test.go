package writes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestStays: a row can't be moved out of scope by the columns that say whose it is, though the host has
// allowed to write them. The same on a grant of all rows succeeds.
func TestStays(t *testing.T) {
	grants := func(db *exosql.DB, all bool) codemode.Grants {
		orgs, jobs, notes := exosql.NewTable[kit.JobsOrg]("orgs"), exosql.NewTable[kit.Job]("jobs"), exosql.NewTable[kit.JobsNote]("notes")
		orgID := exosql.NewKey(orgs, "id", func(o *kit.JobsOrg) *int64 { return &o.ID })
		jobID := exosql.NewKey(jobs, "id", func(j *kit.Job) *int64 { return &j.ID })
		jobOrg := exosql.NewColumn(jobs, "org_id", func(j *kit.Job) *int64 { return &j.Org })
		title := exosql.NewColumn(jobs, "title", func(j *kit.Job) *string { return &j.Title })
		noteID := exosql.NewKey(notes, "id", func(n *kit.JobsNote) *int64 { return &n.ID })
		noteJob := exosql.NewColumn(notes, "job_id", func(n *kit.JobsNote) *int64 { return &n.Job })
		body := exosql.NewColumn(notes, "body", func(n *kit.JobsNote) *string { return &n.Body })
		jobNotes, org := exosql.Many("notes", jobID, noteJob), exosql.One("org", jobOrg, orgID)
		n := exosql.NewFacet(notes, "note", noteID, body, noteJob).AllowInsert(body, noteJob).AllowUpdate(body, noteJob)
		j := exosql.NewFacet(jobs, "job", jobID, jobOrg, title, exosql.Via(jobNotes, n), exosql.Via(org, exosql.NewFacet(orgs, "org", orgID))).AllowInsert(jobOrg, title).AllowUpdate(jobOrg, title)
		if all {
			return codemode.Grants{"jobs": j.Of(exosql.Grant(db, jobs, exosql.AllRows[kit.Job](), exosql.ScopeShared(orgs), exosql.ScopeVia(jobNotes)))}
		}
		return codemode.Grants{"jobs": j.Of(exosql.Grant(db, jobs, jobOrg.Eq(1), exosql.ScopeRows(orgs, orgID.Eq(1)), exosql.ScopeVia(jobNotes)))}
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for program, want := range map[string]string{
			`return jobs.where({ id: 1 }).update({ orgId: 2 })`:                                "`orgId` can't be changed",
			`return jobs.where({ id: 1 }).update(j => ({ orgId: j.orgId + 1 }))`:               "`orgId` can't be changed",
			`return jobs.where({ id: 1 }).notes().all().update({ jobId: 3 })`:                  "`jobId` refers to no row",
			`return jobs.where({ id: 1 }).notes().all().update(n => ({ jobId: n.jobId + 2 }))`: "refers to another row, so it can't be calculated",
			`return jobs.insert({ orgId: 2, title: "x" })`:                                     "`orgId` is filled in",
		} {
			for _, all := range []bool{false, true} {
				db, look := kit.OpenJobs(t, e)
				tool, err := codemode.New(grants(db, all), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				if err != nil {
					t.Fatal(err)
				}
				r := tool.Run(context.Background(), program)
				foreign := "SELECT (SELECT count(*) FROM jobs WHERE org_id = 2) + (SELECT count(*) FROM notes WHERE job_id = 3)"
				if !all {
					if r.Err == nil || !strings.Contains(r.Err.Error(), want) {
						t.Errorf("%s: %v, want %s", program, r.Err, want)
					}
					if got := look(foreign); got != "2" {
						t.Errorf("%s: %s rows are theirs", program, got)
					}
				} else if got := look(foreign); got != "3" && !strings.Contains(program, "=> (") {
					t.Errorf("%s on a grant of all rows: %v, %s rows are theirs", program, r.Err, got)
				}
			}
		}
	})
}
