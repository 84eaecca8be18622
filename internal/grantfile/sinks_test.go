package grantfile_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestKept: whether a run's changes were kept is known where each database that programs change has witness: true, since it knows all runs that began
// after it was made. Otherwise nobody guesses.
func TestKept(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.SQLDB(t, url)
		for _, s := range []string{"CREATE TABLE people (id int primary key, note text not null)", exosql.CreateWitness} {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.ExecContext(t.Context(), "CREATE TABLE exo_undo (n integer PRIMARY KEY, run text NOT NULL, at_ms bigint NOT NULL, image text NOT NULL)"); err != nil {
			t.Fatal(err)
		}
		run := exo.NewRunID()
		if _, err := db.ExecContext(t.Context(), "INSERT INTO exo_runs (run, kept, at_ms) VALUES ('"+run.String()+"', TRUE, 1)"); err != nil {
			t.Fatal(err)
		}
		t.Setenv("KEPT_DB", url)
		for witness, want := range map[string][3]exo.State{
			"witness: true":  {exo.StateApplied, exo.StateRolledBack, exo.StateUnknown},
			"witness: false": {exo.StateUnknown, exo.StateUnknown, exo.StateUnknown},
			"undo: 7d":       {exo.StateApplied, exo.StateRolledBack, exo.StateUnknown}, // which needs the marks, too
		} {
			if e.Name == tu.Postgres.Name && witness == "undo: 7d" {
				continue // it needs the triggers of exo gen undo
			}
			f, err := grantfile.Parse("exo.yaml", []byte("exo: 1\nreviewed: true\ndatabases: {d: {url: env:KEPT_DB, "+witness+"}}\ngrants: {people: person}\nfacets: {person: {table: people, scope: shared, columns: [id, note], update: [note]}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := f.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range []struct {
				run    exo.RunID
				before time.Time
			}{{run, time.Now()}, {exo.NewRunID(), time.Now().Add(time.Hour)}, {exo.NewRunID(), time.UnixMilli(0)}} {
				if got, err := d.Kept(t.Context(), c.run, c.before); err != nil || got != want[i] {
					t.Errorf("%s, run %d: %v %v, want %v", witness, i, got, err, want[i])
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
