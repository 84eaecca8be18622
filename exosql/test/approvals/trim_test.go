package approvals_test

// This file shows that what is kept for an undo does not grow for ever.

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/schema"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestKeptForSoLong: a process that runs on deletes images older than OpenOptions.Undo, by its own runs, and keeps the younger ones.
func TestKeptForSoLong(t *testing.T) {
	const keep = 30 * time.Second // a run looks for old images after a twentieth of it
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		raw := e.SQLDB(t, url)
		exec := func(text string) {
			t.Helper()
			if _, err := raw.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range strings.Split(ddl(e), ";\n") {
			exec(text)
		}
		if e.Name == tu.Postgres.Name {
			var role string
			if err := raw.QueryRow("SELECT current_user").Scan(&role); err != nil {
				t.Fatal(err)
			}
			live, err := e.OpenURL(t, url, nil).Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			exec(exosql.UndoTriggers(live, role, keep, schema.Name{Schema: live.Path[0], Name: "staff"}))
		} else {
			exec(exosql.CreateUndo)
		}
		db := e.OpenURL(t, url, &exosql.OpenOptions{Witness: true, Undo: keep})
		s := exosql.NewTable[staff]("staff")
		id := exosql.NewKey(s, "id", func(s *staff) *int64 { return &s.ID })
		org := exosql.NewColumn(s, "org_id", func(s *staff) *int64 { return &s.Org })
		salary := exosql.NewColumn(s, "salary", func(s *staff) *int64 { return &s.Salary })
		f := exosql.NewFacet(s, "staff", id, salary).AllowUpdate(salary)
		tool, err := codemode.New(codemode.Grants{"staff": f.Of(exosql.Grant(db, s, org.Eq(1)))}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		write := func() {
			t.Helper()
			if res := tool.Run(t.Context(), `return staff.where({ id: 1001 }).update({ salary: Math.floor(Math.random() * 1e9) })`); res.Err != nil {
				t.Fatal(res.Err)
			}
		}
		kept := func() (old, all int) {
			t.Helper()
			if err := raw.QueryRow(e.Pick("SELECT count(*) FILTER (WHERE at_ms < 5), count(*) FROM exo_undo", "SELECT count(*) FILTER (WHERE xact::text::bigint = 1), count(*) FROM exo_undo")).Scan(&old, &all); err != nil {
				t.Fatal(err)
			}
			return old, all
		}
		write()
		_, young := kept()
		if young == 0 {
			t.Fatal("nothing is kept")
		}
		exec(e.Pick("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) INSERT INTO exo_undo (n, run, at_ms, image) SELECT -i, 'old', 1, '{}' FROM n",
			"INSERT INTO exo_undo (xact, at) SELECT '1', now() - interval '1 hour' FROM generate_series(1, 2500)"))
		write()
		time.Sleep(keep / 20)
		write()
		if old, all := kept(); old != 0 || all < young {
			t.Errorf("%d old images are kept, and %d in all; before %d", old, all, young)
		}
	})
}
