package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUnfitPermission: a permission that matches nothing in the database is an error of Check, whatever the rights of the facet; one that fits
// is none, though the rights do not set it off today.
func TestUnfitPermission(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE projects (id {serial}, org_id {int} NOT NULL, code TEXT NOT NULL UNIQUE); CREATE TABLE kids (id {int} PRIMARY KEY, project {int} REFERENCES projects (id) ON DELETE CASCADE)"))
		unfit := func(known ...exosql.Permission) string {
			d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("projects"), "id org_id code")
			o := exosql.NewFacet(d.Table, "project", d.ID, d.Code).AllowUpdate(d.Code).Permit(known...).Of(exosql.Grant(db, d.Table, d.Org.Eq(1)))
			found, err := exosql.Findings(t.Context(), db, exosql.Granted(o))
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, f := range found {
				if f.Kind == exosql.UnfitPermission && !f.Warning {
					out = append(out, f.Problem)
				}
			}
			return strings.Join(out, "; ")
		}
		fits := []exosql.Permission{exosql.AllowUnique("code"), exosql.AllowCascade("kids", "project")}
		if got := unfit(fits...); got != "" {
			t.Errorf("what fits: %s", got)
		}
		if got, want := unfit(append(fits, exosql.AllowTrigger("touch"), exosql.AllowUnique("cod"), exosql.AllowWaiting("kids", "project"))...),
			`exosql.AllowTrigger("touch") matches nothing in the database; exosql.AllowUnique("cod") matches nothing in the database; exosql.AllowWaiting("kids", "project") matches nothing in the database`; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}
