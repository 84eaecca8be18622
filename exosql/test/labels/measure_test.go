package labels_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type visit struct {
	ID, Clinic, Fee, Weight int64
	Diag                    string
}

type clinic struct {
	ID   int64
	Name string
}

// TestMeasuresAreLabelled: who asks for a measure has read all of its columns, those of its condition and of both parts of a ratio too, and no
// others: as by the aggregate that a program writes itself.
func TestMeasuresAreLabelled(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, `CREATE TABLE clinics (id {int} PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE visits (id {int} PRIMARY KEY, clinic_id {int} NOT NULL, fee {int} NOT NULL, weight {int} NOT NULL, diag TEXT NOT NULL);
		INSERT INTO clinics VALUES (1, 'north'); INSERT INTO visits VALUES (1, 1, 100, 80, 'flu'), (2, 1, 50, 90, 'gout')`)
		visits, clinics := exosql.NewTable[visit]("visits"), exosql.NewTable[clinic]("clinics")
		cid := exosql.NewKey(clinics, "id", func(c *clinic) *int64 { return &c.ID })
		name := exosql.NewColumn(clinics, "name", func(c *clinic) *string { return &c.Name })
		id := exosql.NewKey(visits, "id", func(v *visit) *int64 { return &v.ID })
		at := exosql.NewColumn(visits, "clinic_id", func(v *visit) *int64 { return &v.Clinic })
		fee := exosql.NewColumn(visits, "fee", func(v *visit) *int64 { return &v.Fee })
		weight := exosql.NewColumn(visits, "weight", func(v *visit) *int64 { return &v.Weight }).WithLabel("body")
		diag := exosql.NewColumn(visits, "diag", func(v *visit) *string { return &v.Diag }).WithLabel("medical")
		fees, flus := exosql.Sum(fee).As("fees"), exosql.Count[visit]().Where(diag.Eq("flu")).As("flus")
		facet := exosql.NewFacet(visits, "visit", id, at, fee, weight, diag, fees, flus, exosql.Max(weight).As("heaviest"), exosql.Ratio("share", flus, fees), exosql.Ratio("load", fees, exosql.Sum(weight)))
		has := exosql.Many("visits", cid, at)
		scope := exosql.Grant(db, clinics, exosql.AllRows[clinic](), exosql.ScopeVia(has))
		grants := map[string]exo.Object{"visits": facet.Of(exosql.Follow(scope, has)), "clinics": exosql.NewFacet(clinics, "clinic", cid, name, exosql.Via(has, facet)).Of(scope)}
		run := func(program string, admits ...string) *exoeval.RunResult {
			g, err := exo.NewGate(exo.Config{Grants: grants, Admits: value.NewLabel(admits...)})
			if err != nil {
				t.Fatal(err)
			}
			return tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: program})
		}
		for measure, c := range map[string]struct{ own, label string }{
			"fees()":     {"sum(({ visit: v }) => v.fee)", ""},
			"flus()":     {"where(({ visit: v }) => v.diag === 'flu').count()", "medical"},
			"heaviest()": {"max(({ visit: v }) => v.weight)", "body"},
			"share()":    {"where(({ visit: v }) => v.diag === 'flu').count()", "medical"},
			"load()":     {"sum(({ visit: v }) => v.weight)", "body"},
		} {
			for _, of := range []string{
				"return visits.%s",
				"await visits.%s; return 1",
				"return visits.where(v => v.id > 0).%s",
				"return visits.groupBy(v => v.clinicId).select(g => ({ n: g.%s }))",
				"return visits.groupBy(v => v.clinicId).where(g => g.%s > 0).select(g => ({ n: g.count() }))",
				"return visits.groupBy(v => v.clinicId).orderBy(g => g.%s).select(g => ({ n: g.count() }))",
				"return clinics.select(c => ({ n: c.visits().%s }))",
				"return clinics.where(c => c.visits().%s > 0).count()",
				"return clinics.orderBy(c => c.visits().%s.desc()).select(c => c.name)",
				"return clinics.visits().%s",
				"return clinics.join(({ clinic }) => clinic.visits()).groupBy(({ clinic }) => clinic.name).select(g => ({ n: g.%s }))",
				"return visits.orderBy(v => v.id).partitionBy().select(({ window }) => ({ n: window.%s }))",
				"if (await visits.%s > 0) return 1; return 2",
			} {
				program := fmt.Sprintf(of, measure)
				bare, own := run(program), run(fmt.Sprintf(of, c.own))
				if c.label == "" {
					if bare.Err != nil || !bare.Label.Empty() {
						t.Errorf("%s: %v %v", program, bare.Label, bare.Err)
					}
					continue
				}
				if bare.Err == nil || !value.NewLabel(c.label).FlowsTo(bare.Label) {
					t.Errorf("%s: %v left with the label %v", program, bare.Value, bare.Label)
				}
				if own.Err == nil || !own.Label.Equal(bare.Label) {
					t.Errorf("%s: labelled %v, and by the program's own aggregate %v: %v", program, bare.Label, own.Label, own.Err)
				}
				if all := run(program, "medical", "body"); all.Err != nil {
					t.Errorf("%s: %v", program, all.Err)
				}
			}
		}
	})
}

// TestMeasureTaken: a policy takes a measure of a labelled column from one of two tables that have one of its name. A join of both would
// ask for the other, whose label is none, and be given the first.
func TestMeasureTaken(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, `CREATE TABLE clinics (id {int} PRIMARY KEY, name TEXT NOT NULL)`, `CREATE TABLE visits (id {int} PRIMARY KEY, clinic_id {int} NOT NULL, fee {int} NOT NULL, weight {int} NOT NULL, diag TEXT NOT NULL)`,
			`INSERT INTO clinics VALUES (1, 'north')`, `INSERT INTO visits VALUES (1, 1, 100, 80, 'flu'), (2, 1, 50, 90, 'gout')`)
		visits, clinics := exosql.NewTable[visit]("visits"), exosql.NewTable[clinic]("clinics")
		clinicID := exosql.NewKey(clinics, "id", func(c *clinic) *int64 { return &c.ID })
		id := exosql.NewKey(visits, "id", func(v *visit) *int64 { return &v.ID })
		at := exosql.NewColumn(visits, "clinic_id", func(v *visit) *int64 { return &v.Clinic })
		weight := exosql.NewColumn(visits, "weight", func(v *visit) *int64 { return &v.Weight }).WithLabel("medical")
		ofClinic := exosql.NewFacet(clinics, "clinic", clinicID, exosql.Count[clinic]().As("worst"))
		ofVisit := exosql.NewFacet(visits, "visit", id, at, weight, exosql.Via(exosql.One("clinic", at, clinicID), ofClinic), exosql.Max(weight).As("worst"))
		o := exo.Wrap(ofVisit.Of(exosql.Grant(db, visits, exosql.AllRows[visit](), exosql.ScopeShared(clinics))), exo.Policy{Narrow: func(d *message.Description) error {
			delete(d.Interface(d.Type.Name).Methods, "worst")
			return nil
		}})
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"visits": o}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"visits.worst()", "visits.join(({ visit }) => visit.clinic()).where(({ visit }) => visit.id === 2).worst()", "visits.join(({ visit }) => visit.clinic()).groupBy(({ visit }) => visit.id).select(g => ({ id: g.id, d: g.worst() }))"} {
			if r := tu.InProcess(gate).Run(t.Context(), exoeval.Job{Program: "return " + p}); r.Err == nil {
				t.Errorf("%s: it got %v, labelled %v", p, r.Value, r.Label)
			}
		}
	})
}
