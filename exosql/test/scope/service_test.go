package scope_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestServicesArePassedOver: what compares grants with a database passes a service over, attenuated or not. The twin, an attenuated facet,
// is looked at: what is missing in the database is found.
func TestServicesArePassedOver(t *testing.T) {
	url := tu.Postgres.URL(t)
	db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(kit.JobsTables(tu.Postgres)...)})
	jobs := kit.JobsGrants(db, 1)["jobs"]
	mail, err := service.New("mail", "sends", service.Read("where", "finds", func(context.Context, service.None) (string, error) { return "", nil }))
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(o exo.Object) error{
		"Check":       func(o exo.Object) error { return exosql.Check(t.Context(), db, exosql.Granted(o)) },
		"AccessPaths": func(o exo.Object) error { _, err := exosql.AccessPaths(t.Context(), o); return err },
		"Policies":    func(o exo.Object) error { _, err := exosql.Policies(t.Context(), "exo_any", jobs, o); return err },
	} {
		for _, o := range []exo.Object{mail, exo.Wrap(mail, exo.Policy{})} {
			if err := ask(o); err != nil {
				t.Errorf("%s of a service: %v", name, err)
			}
		}
		if err := ask(nil); !errors.Is(err, exosql.ErrNoFacet) {
			t.Errorf("%s of nil: %v", name, err)
		}
	}
	hidden := func(o exo.Object) (out bool) {
		found, err := exosql.Findings(t.Context(), db, exosql.Granted(o))
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(found, func(f exosql.Finding) bool { return f.Kind == exosql.HiddenEffect })
	}
	kit.Change(t, url, "CREATE RULE r AS ON UPDATE TO jobs DO ALSO NOTIFY x")
	if !hidden(jobs) || !hidden(exo.Wrap(jobs, exo.Policy{})) || hidden(policy.Only(jobs, "count")) {
		t.Errorf("what a write sets off: %t, weaker %t, without a method that writes %t", hidden(jobs), hidden(exo.Wrap(jobs, exo.Policy{})), hidden(policy.Only(jobs, "count")))
	}
	if _, err := tu.Admin(t, url).Exec("DROP TABLE " + tu.Param(t, url, "search_path") + ".jobs CASCADE"); err != nil {
		t.Fatal(err)
	}
	for _, o := range []exo.Object{jobs, exo.Wrap(jobs, exo.Policy{}), exo.Wrap(exo.Wrap(jobs, exo.Policy{}), exo.Policy{})} {
		if err := exosql.Check(t.Context(), db, exosql.Granted(o)); err == nil || !strings.Contains(err.Error(), "jobs: there is no such table") {
			t.Errorf("%T without its table: %v", o, err)
		}
	}
}

// TestAskBeneath: who holds a weaker object gets nothing by a question of its own, not the object below.
func TestAskBeneath(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(kit.JobsTables(tu.SQLite)...)})
	weaker := exo.Wrap(kit.JobsGrants(db, 1)["jobs"], exo.Policy{})
	var object exo.Object
	var anything any
	type question struct{ asked bool }
	var q question
	for _, ask := range []any{nil, &object, &anything, &q, object} {
		exo.AskBeneath(weaker, ask)
	}
	if object != nil || anything != nil || q.asked {
		t.Error("a question of another package was answered")
	}
}

type vwOpen struct{ ID, Org int64 }

// TestPoliciesLeaveViewsOut: a role with policies gets no right to a view; what else is granted works. A scope through a view is refused.
func TestPoliciesLeaveViewsOut(t *testing.T) {
	url, name := tu.Postgres.URL(t), kit.NewRole(t)
	owner := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(append(kit.JobsTables(tu.Postgres), "CREATE VIEW open_jobs AS SELECT id, org_id FROM jobs")...)})
	view := func(db *exosql.DB) exo.Object {
		table := exosql.NewTable[vwOpen]("open_jobs")
		id := exosql.NewKey(table, "id", func(v *vwOpen) *int64 { return &v.ID })
		org := exosql.NewColumn(table, "org_id", func(v *vwOpen) *int64 { return &v.Org })
		return exosql.NewFacet(table, "open", id).Of(exosql.Grant(db, table, org.Eq(1)))
	}
	script, err := exosql.Policies(t.Context(), name, kit.JobsGrants(owner, 1)["jobs"], view(owner))
	if err != nil || !strings.Contains(script, "-- Left out is the view open_jobs,") || strings.Contains(script, "ON open_jobs") || strings.Contains(script, `ON "open_jobs"`) {
		t.Fatalf("%v\n%s", err, script)
	}
	if _, err := tu.Admin(t, url).Exec(script); err != nil {
		t.Fatal(err)
	}
	db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, name), &exosql.OpenOptions{RowSecurity: true})
	r := tu.NewRunner(t, map[string]exo.Object{"jobs": kit.JobsGrants(db, 1)["jobs"], "open": view(db)}, exo.Limits{})
	if o := r.Run(t, `return jobs.count()`); o.Message != "" || o.JSON == "0" {
		t.Errorf("what is granted: %s", o)
	}
	if o := r.Run(t, `return open.count()`); o.Message == "" {
		t.Errorf("the view: %s", o)
	}
}
