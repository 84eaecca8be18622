package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestWritableAnew: a write that was harmless is held against the catalogue again once that is read again. The database may
// have got a rule since that tells of foreign rows.
func TestWritableAnew(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, raw := kit.File(t, e, kit.JobsTables(e)...)
		r := tu.NewRunner(t, kit.JobsGrants(db, 1), exo.Limits{})
		const program = `return jobs.where({ id: 1 }).update({ title: "mine" })`
		for range 2 {
			if o := r.Run(t, program); o.JSON != "1" {
				t.Fatal(o)
			}
		}
		if _, err := raw.Exec(`CREATE UNIQUE INDEX told ON jobs (title)`); err != nil {
			t.Fatal(err)
		}
		exosql.ForgetCatalogue(db)
		for range 2 { // what was refused is not remembered as harmless either
			if o := r.Run(t, program); o.Kind != fail.Denied || !strings.Contains(o.Result.Err.Error(), "unique among the rows of all") {
				t.Fatal(o)
			}
		}
		if _, err := raw.Exec(`DROP INDEX told`); err != nil {
			t.Fatal(err)
		}
		exosql.ForgetCatalogue(db)
		if o := r.Run(t, program); o.JSON != "1" {
			t.Fatal(o)
		}
	})
}
