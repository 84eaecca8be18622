package codemode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	kept "github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkRecorded is a read of 6 rows, recorded in turn in each way, and not at all: the metric of each is its median beside that of the one that is
// not recorded. So is a change of one row.
//
//	go test -run '^$' -bench Recorded -benchtime 1000x ./codemode
func BenchmarkRecorded(b *testing.B) {
	for _, e := range suiteEngines {
		b.Run(e.name, func(b *testing.B) {
			db, _ := e.open(b)
			for _, inProcess := range []bool{true, false} {
				b.Run(map[bool]string{true: "in process", false: "worker"}[inProcess], func(b *testing.B) {
					b.Run("read", func(b *testing.B) { recorded(b, db, inProcess, twoJoins) })
					b.Run("write", func(b *testing.B) {
						recorded(b, db, inProcess, "(api) => api.tasks.all().update(t => ({ priority: t.priority + 1 }))")
					})
				})
			}
		})
	}
}

// recorded runs a program for each recorder in turn.
func recorded(b *testing.B, db *exosql.DB, inProcess bool, program string) {
	input, _ := json.Marshal(map[string]string{"code": program})
	to := recorders(b)
	tools := make([]*codemode.Tool, len(to))
	for i, r := range to {
		facet := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName)
		project := exosql.NewFacet(tu.Projects, "project", tu.ProjectID, tu.ProjectName)
		task := exosql.NewFacet(tu.Tasks, "task", tu.TaskID, tu.TaskTitle, tu.TaskPriority)
		facet.Add(exosql.Via(tu.OrgProjects, project))
		project.Add(exosql.Via(tu.ProjectTasks, task))
		org := exosql.Grant(db, tu.Orgs, tu.OrgID.Eq(1), exosql.ScopeVia(tu.OrgProjects), exosql.ScopeVia(tu.ProjectTasks))
		own := exosql.NewFacet(tu.Tasks, "own", tu.TaskID, tu.TaskPriority).AllowUpdate(tu.TaskPriority)
		tool, err := codemode.New(codemode.Grants{"org": facet.Of(org), "tasks": own.Of(exosql.Grant(db, tu.Tasks, tu.TaskID.Eq(1)))},
			&codemode.Options{Evaluator: evaluator(inProcess), Record: r.to})
		if err != nil {
			b.Fatal(err)
		}
		tools[i] = tool
	}
	took := make([][]time.Duration, len(tools))
	first := 0
	for b.Loop() {
		first++ // none is always the first
		for n := range tools {
			i := (first + n) % len(tools)
			time.Sleep(time.Millisecond) // models call it with pauses, in which the next worker starts, and the next data key is made
			for s := worker.Shared().Stats(); !inProcess && s.Running+s.Starting > 0; s = worker.Shared().Stats() {
				time.Sleep(200 * time.Microsecond)
			}
			begun := time.Now()
			if out, err := tools[i].Call(b.Context(), input); err != nil || bytes.Contains(out, []byte(`"error"`)) {
				b.Fatal(err, string(out))
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	median := func(i int) float64 { slices.Sort(took[i]); return float64(took[i][len(took[i])/2]) }
	for i := 1; i < len(tools); i++ {
		b.ReportMetric(median(i)/median(0), to[i].name)
	}
	b.ReportMetric(median(0), "unrecorded-ns")
}

type recorder struct {
	name string
	to   exo.Recorder
}

// recorders are the ways to record; the first keeps nothing.
func recorders(b *testing.B) []recorder {
	lines, err := kept.Open(filepath.Join(b.TempDir(), "lines"))
	if err != nil {
		b.Fatal(err)
	}
	k, dir := treetest.NewKeys(b, false), filepath.Join(b.TempDir(), "folder")
	if err := tree.Create(dir, k.About, k.Private); err != nil {
		b.Fatal(err)
	}
	folder, err := kept.OpenFolder(dir, k.Private)
	if err != nil {
		b.Fatal(err)
	}
	url := tu.WithParam(b, tu.Postgres.URL(b), "synchronous_commit", "on")
	if err := postgres.Create(b.Context(), url, k.About, k.Private); err != nil {
		b.Fatal(err)
	}
	in, err := postgres.Open(b.Context(), url, k.Private, nil)
	if err != nil {
		b.Fatal(err)
	}
	shared, err := kept.OnShared(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(lines.Close(), folder.Close(), shared.Close()); err != nil {
			b.Error(err)
		}
	})
	return []recorder{{"unrecorded", exo.Unrecorded}, {"lines", lines}, {"folder", folder}, {"database", shared}}
}
