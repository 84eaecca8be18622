package kit

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// InZone runs a program on things, with the time zone zone as its local time.
func InZone(t *testing.T, db *exosql.DB, zone, program string) (string, error) {
	t.Helper()
	result, _, err := InZoneOf(t, db, exosql.AllRows[Thing](), zone, program)
	return result, err
}

// InZoneOf runs a program like InZone, on things in a scope. It also returns the queries that ran.
func InZoneOf(t *testing.T, db *exosql.DB, scope exosql.Predicate[Thing], zone, program string) (result string, ran []exosql.Query, err error) {
	t.Helper()
	record := exo.RecordFunc(func(e exo.Entry) error {
		for _, d := range e.Details {
			if q, ok := d.(exosql.Query); ok {
				ran = append(ran, q)
			}
		}
		return nil
	})
	gate, err := exo.NewGate(exo.Config{Zone: zone, Grants: map[string]exo.Object{"things": ThingFacet().Of(exosql.Grant(db, Things, scope))}, Limits: exo.Limits{Rows: 1e6, Bytes: 1 << 30}, Record: record})
	if err != nil {
		t.Fatal(err)
	}
	res := tu.InProcess(gate).Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Clock: tu.Start, Seed: 1}})
	if res.Err != nil {
		return fail.GuestText(res.Err), ran, res.Err
	}
	return res.Value.String(), ran, nil
}
