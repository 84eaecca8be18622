package writes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUncalledAsData: a method in the place of data is an error at the line and column where it is named, also in what JSON would leave it out
// of without a word. The twin, a function of the program's own, is left out as in JSON.
func TestUncalledAsData(t *testing.T) {
	run := uncalledTool(t)
	for program, at := range map[string]string{
		"return jobs.count":                                       "1:13: ",
		"return { a: 1, n: jobs.count }":                          "1:24: ",
		"const f = jobs.count\nreturn { a: [{ n: f }] }":          "1:16: ",
		"return Promise.all([jobs.count])":                        "1:26: ",
		"return JSON.stringify({ a: 1,\n n: jobs.count })":        "",
		"return await jobs.where({ points: jobs.count }).count()": "1:",
	} {
		if _, err := run(program); !strings.HasPrefix(err, at) || !strings.Contains(err, "jobs.count is a method: call it, jobs.count()") {
			t.Errorf("%s: %s, want it at %s", program, err, at)
		}
	}
	if got, err := run("return { a: 1, f: () => 1 }"); got != `{"a":1}` {
		t.Errorf("the twin: %s %s", got, err)
	}
}

// uncalledTool runs programs on jobs.
func uncalledTool(t *testing.T) func(program string) (result, err string) {
	t.Helper()
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(kit.JobsTables(tu.SQLite)...)})
	tool, err := codemode.New(codemode.Grants{"jobs": kit.JobsGrants(db, 1)["jobs"]}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	return func(program string) (string, string) {
		r := tool.Run(t.Context(), program)
		return string(r.JSON), fmt.Sprint(r.Err)
	}
}

// TestKeyOfOneGroupKey: where a group has one key, g.key is that key, and a member of its name is named.
func TestKeyOfOneGroupKey(t *testing.T) {
	run := uncalledTool(t)
	if _, err := run("return jobs.groupBy(j => ({ p: j.points })).select(g => ({ p: g.key.p, n: g.count() }))"); !strings.Contains(err, "group.p has no member `p`; it is the value itself: write group.p") {
		t.Error(err)
	}
	a, _ := run("return jobs.groupBy(j => ({ p: j.points })).select(g => ({ p: g.p }))")
	if b, err := run("return jobs.groupBy(j => ({ p: j.points })).select(g => ({ p: g.key }))"); a != b || a == "" {
		t.Errorf("the twin: %s and %s %s", a, b, err)
	}
}
