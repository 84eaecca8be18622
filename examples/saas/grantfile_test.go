package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/corpus"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestGrantFile: what exo.yaml grants is what grant does in Go. A model reads the same declarations, each program of the corpus gives the
// same result by the same statements, and each program that writes does what it does there.
func TestGrantFile(t *testing.T) {
	text, err := os.ReadFile("exo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file, err := grantfile.Parse("exo.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
		declared, err := file.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"saas": db}})
		if err != nil {
			t.Fatal(err)
		}
		acts, err := file.ParseClaims("org=1,member=1")
		if err != nil {
			t.Fatal(err)
		}
		written, err := declared.Grants(acts)
		if err != nil {
			t.Fatal(err)
		}
		typed := grant(db, 1, 1)
		typed["me"] = mine().Of(exosql.Grant(db, members, memberOrgID.Eq(1), exosql.ScopeRows(organizations, orgID.Eq(1)),
			exosql.ScopeVia(orgProjects), exosql.ScopeVia(projectTasks), exosql.ScopeVia(taskComments)).Where(memberID.Eq(1))) // as the file says it
		for name := range typed {
			// The file was held against the database, by which its declarations know what a new row needs: so are these.
			if err := exosql.Check(t.Context(), db, exosql.Granted(typed[name])); err != nil {
				t.Fatal(err)
			}
			want, err := typed[name].Describe()
			if err != nil {
				t.Fatal(err)
			}
			if has, err := written[name].Describe(); err != nil || !reflect.DeepEqual(has, want) {
				t.Fatalf("%s: the declarations differ: %v\nhas  %+v\nwant %+v", name, err, has, want)
			}
		}
		statements := 0
		run := func(r *tu.Runner, code string) (string, []string) {
			out := r.Run(t, code)
			var sql []string
			for _, q := range out.SQL {
				sql = append(sql, q.SQL)
			}
			statements += len(sql)
			slices.Sort(sql)
			return out.JSON + out.Message, sql
		}
		a, b := tu.NewRunner(t, written, exo.Limits{}), tu.NewRunner(t, typed, exo.Limits{})
		for _, p := range corpus.Read(t, programs, 60) {
			has, sql := run(a, p.Source)
			if want, wantSQL := run(b, p.Source); has != want || !slices.Equal(sql, wantSQL) {
				t.Errorf("%s:\nhas  %s %q\nwant %s %q", p.Name, has, sql, want, wantSQL)
			}
		}
		for _, p := range []string{`return api.me.comments().where(c => c.task().status !== 'done')`, `return api.me.comments().task()`, `return api.me`} {
			has, sql := run(a, p)
			if want, wantSQL := run(b, p); has != want || !slices.Equal(sql, wantSQL) {
				t.Errorf("%s:\nhas  %s %q\nwant %s %q", p, has, sql, want, wantSQL)
			}
		}
		if statements < 100 {
			t.Errorf("only %d statements were compared", statements)
		}
		for _, c := range changes {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
			declared, err := file.Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"saas": db}})
			if err != nil {
				t.Fatal(err)
			}
			acts, err := file.ParseClaims(fmt.Sprintf("org=1,member=%d", c.as))
			if err != nil {
				t.Fatal(err)
			}
			grants, err := declared.Grants(acts)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			want, refused := strings.CutPrefix(c.want, "!")
			if refused && (r.Err == nil || !strings.Contains(r.Err.Error(), want)) || !refused && (r.Err != nil || string(r.JSON) != want) {
				t.Errorf("%s: %s %v, want %s", c.name, r.JSON, r.Err, c.want)
			}
		}
		findings, err := declared.Check()
		for _, f := range findings {
			if !f.Warning {
				t.Error(f.String())
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
}
