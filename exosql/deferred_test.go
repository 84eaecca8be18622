package exosql_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDeferred: what the database checks at the end of a transaction is checked before a program's commit, and nothing is kept
// where it does not hold; so, too, where the rule was made since the connection last asked whether there are any.
func TestDeferred(t *testing.T) {
	e := tu.Postgres
	const rule = `CREATE OR REPLACE FUNCTION many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT sum(points) FROM jobs WHERE org_id = NEW.org_id) > 100 THEN RAISE EXCEPTION 'too many' USING ERRCODE = 'check_violation'; END IF; RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER audit AFTER UPDATE ON jobs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION many()`
	for _, since := range []bool{false, true} {
		setup := kit.JobsTables(e)
		if !since {
			setup = append(setup, rule)
		}
		url := kit.OwnDatabase(t) // whether anything can be deferred is asked of a whole database
		db := e.OpenURL(t, url, &exosql.OpenOptions{WriteIdle: time.Minute, Setup: e.Exec(setup...)})
		raw, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { raw.Close() })
		var points []string
		exosql.AtPoints(db, func(point string) { points = append(points, point) })
		kit.JobsKnown = true
		r := tu.NewRunner(t, kit.JobsGrants(db, 1), exo.Limits{})
		kit.JobsKnown = false
		// It breaks the rule, and then doesn't.
		if o := r.Run(t, `await jobs.where({ id: 1 }).update({ points: 1000 }); return jobs.where({ id: 1 }).update({ points: 4 })`); o.JSON != "1" {
			t.Fatal(o)
		}
		if since {
			if _, err := raw.Exec(rule); err != nil {
				t.Fatal(err)
			}
			exosql.ForgetCatalogue(db)
		}
		before := kit.Cells(t, raw, kit.Jobs)
		for range 2 {
			points = nil
			o := r.Run(t, `return jobs.where({ id: 1 }).update({ points: 1000 })`)
			if o.Kind != fail.Invalid || !strings.Contains(o.Message, "breaks a rule of the database") {
				t.Fatal(o)
			}
			if slices.Contains(points, "before commit") != since {
				t.Errorf("since %v: %v", since, points)
			}
			if after := kit.Cells(t, raw, kit.Jobs); after != before {
				t.Fatalf("it leaves %s", after)
			}
		}
		table := exosql.NewTable[kit.Job]("jobs").Permit(exosql.AllowTrigger("audit"))
		exosql.NewKey(table, "id", func(j *kit.Job) *int64 { return &j.ID })
		org := exosql.NewColumn(table, "org_id", func(j *kit.Job) *int64 { return &j.Org })
		of := exosql.NewNullable(table, "points", func(j *kit.Job) **int64 { return &j.Points })
		err = db.Transact(t.Context(), func(tx *exosql.Tx) error {
			_, err := exosql.Grant(db, table, org.Eq(1)).InTx(tx).Where(of.Eq(4)).Update(t.Context(), of.Set(1000))
			return err
		})
		if c, ok := errors.AsType[*exosql.ConstraintError](err); !ok || c.Rule != exosql.RuleCheck || !errors.Is(err, exo.ErrNothingDone) || fail.KindOf(err) != fail.Invalid || kit.Cells(t, raw, kit.Jobs) != before {
			t.Errorf("since %v: of Go code: %v", since, err)
		}
		if err := db.Transact(context.Background(), func(*exosql.Tx) error { return nil }); err != nil { // in which nothing was asked
			t.Error(err)
		}
	}
}
