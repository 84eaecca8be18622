package labels_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type patient struct {
	ID, Diag int64
	Name     string
}

type illness struct {
	ID   int64
	Name string
}

// Whatever a labelled column decides carries its label: also where it is read by
// a link only, and whatever the facet is called or the object was narrowed to.
func TestLabelsFollowTheColumn(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, `CREATE TABLE patients (id {int} PRIMARY KEY, name TEXT NOT NULL, diag_id {int} NOT NULL);
		CREATE TABLE illnesses (id {int} PRIMARY KEY, name TEXT NOT NULL);
		INSERT INTO patients VALUES (1, 'ada', 7), (2, 'ben', 8);
		INSERT INTO illnesses VALUES (7, 'flu'), (8, 'gout')`)
		patients := exosql.NewTable[patient]("patients")
		id := exosql.NewKey(patients, "id", func(p *patient) *int64 { return &p.ID })
		name := exosql.NewColumn(patients, "name", func(p *patient) *string { return &p.Name })
		diag := exosql.NewColumn(patients, "diag_id", func(p *patient) *int64 { return &p.Diag }).WithLabel("medical")
		illnesses := exosql.NewTable[illness]("illnesses")
		illnessID := exosql.NewKey(illnesses, "id", func(i *illness) *int64 { return &i.ID })
		illnessName := exosql.NewColumn(illnesses, "name", func(i *illness) *string { return &i.Name })
		has := exosql.One("illness", diag, illnessID)

		full := exosql.NewFacet(patients, "row", id, name, diag, exosql.Via(has, exosql.NewFacet(illnesses, "illness", illnessID, illnessName)))
		scope := exosql.Grant(db, patients, exosql.AllRows[patient](), exosql.ScopeShared(illnesses))
		all := full.Of(scope)
		run := func(o exo.Object, admits value.Label, program string) *exoeval.RunResult {
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"patients": o}, Admits: admits})
			if err != nil {
				t.Fatal(err)
			}
			return tu.InProcess(g).Run(t.Context(), exoeval.Job{Program: program})
		}
		for _, program := range []string{
			"patients.where(p => p.diagId === 7).select(p => ({ n: p.name }))",
			"patients.where({ diagId: 7 }).count()",
			"patients.orderBy(p => p.diagId).select(p => ({ n: p.name }))",
			"patients.join(({ row }) => row.illness()).select(({ row, illness }) => ({ n: row.name, i: illness.name }))",
			"patients.distinct().count()",
			"patients.distinct().select(p => ({ n: p.name }))",
			"patients.illness()",
			"patients.illness().count()",
			"patients.select(p => ({ n: p.illness().name }))",
			"patients.where(p => p.illness().name === 'flu').select(p => ({ n: p.name }))",
			"patients.orderBy(p => p.illness().name).select(p => ({ n: p.name }))",
			"patients.select(p => ({ n: p.name, i: p.illness() }))",
			"patients.select(p => ({ a: { b: { i: p.illness().select(i => ({ n: i.name })) } } }))",
			"patients.select(p => ({ n: p.illness().first().name }))",
			"patients.where(p => !p.illness()).count()",
			"patients.select(p => ({ n: p.illness().count() }))",
			"patients.where(p => p.illness().where(i => i.id > 7).exists()).count()",
			"patients.groupBy(p => p.name).where(g => g.max(p => p.illness().name) === 'flu').select(g => ({ n: g.name }))",
			"patients.max(p => p.diagId)",
			"patients.where(p => p.id.in(patients.select(q => q.diagId))).count()",
			"patients.where(p => p.id.notIn(patients.where(q => q.diagId === 7).select(q => q.id))).select(p => p.id)",
			"patients.where(p => p.id.in(patients.orderBy(q => q.diagId).limit(1).select(q => q.id))).select(p => p.id)",
			"patients.select(p => ({ n: p.name, x: patients.where(q => q.diagId === 7).count() }))",
			"patients.where(p => p.id > patients.min(q => q.diagId)).count()",
			"patients.where(p => p.name.in(patients.illness().select(i => i.name))).count()",
			"patients.select(p => p.id).union(patients.select(p => p.diagId)).count()",
			"patients.select(p => p.id).except(patients.where(p => p.diagId === 7).select(p => p.id))",
			"patients.select(p => ({ id: p.diagId })).intersect(patients.select(p => ({ id: p.id }))).where(r => r.id > 7).count()",
			"patients.select(p => p.id).unionAll(patients.orderBy(p => p.diagId).limit(1).select(p => p.id))",
			"patients.select(p => ({ d: p.diagId, n: p.name })).where(r => r.d === 7).select(p => p.name)",
			"patients.where(p => p.id.in(patients.distinct().select(q => q.id))).count()",
			"patients.countDistinct(p => p.diagId)",
			"patients.groupBy(p => p.diagId).count()",
			"patients.groupBy(p => p.name).where(g => g.where(p => p.diagId === 7).count() > 0).select(g => ({ n: g.name }))",
			"patients.orderBy(p => p.id).partitionBy().select(({ row, window }) => ({ n: row.name, c: window.where(p => p.diagId === 7).count() }))",
			"patients.partitionBy().where(({ window }) => window.movingMax(p => p.diagId, 2) === 7).select(({ row }) => row.name)",
			"patients.groupBy(p => p.name).orderBy(g => g.max(p => p.diagId)).select(g => ({ n: g.name }))",
			"patients.where(p => p.diagId === 7).count(); return 1",
			"try { await patients.where(p => p.diagId === 7).count() } finally { throw new Error('it is so') }",
		} {
			for what, o := range map[string]exo.Object{"full": all, "only": policy.Only(all, "execute", "first", "select", "where", "count", "orderBy", "join", "distinct", "illness", "groupBy", "partitionBy", "max", "countDistinct", "exists", "limit", "min", "union", "unionAll", "except", "intersect")} {
				if r := run(o, value.Label{}, program); fail.KindOf(r.Err) != fail.Denied || !strings.Contains(fail.GuestText(r.Err), "medical") || r.Label.Empty() {
					t.Errorf("%s: %s: %v %v, label %v", what, program, r.Value, r.Err, r.Label)
				}
				if r := run(o, value.NewLabel("medical"), program); r.Err != nil && fail.KindOf(r.Err) != fail.Program {
					t.Errorf("%s: the twin that admits the label: %s: %v", what, program, r.Err)
				}
			}
		}
		// What only shows it gives it sealed, and adds nothing to the label: TestSealed.
		for program, want := range map[string]string{
			"patients":         `[{"id":1,"name":"ada","diagId":"[sealed medical]"},{"id":2,"name":"ben","diagId":"[sealed medical]"}]`,
			"patients.first()": `{"id":1,"name":"ada","diagId":"[sealed medical]"}`,
			"patients.select(p => ({ d: p.diagId }))": `[{"d":"[sealed medical]"},{"d":"[sealed medical]"}]`,
		} {
			for what, admits := range map[string]value.Label{want: {}, strings.NewReplacer(`"[sealed medical]"},`, `7},`, `"[sealed medical]"}`, map[bool]string{true: "7}", false: "8}"}[program == "patients.first()"]).Replace(want): value.NewLabel("medical")} {
				r := run(all, admits, program)
				if got, _ := r.Value.AppendJSON(nil); string(got) != what || r.Label.Empty() != admits.Empty() {
					t.Errorf("%s: %s %v, label %v, want %s", program, got, r.Err, r.Label, what)
				}
			}
		}
		// The twin: what reads no labelled column leaves.
		if r := run(all, value.Label{}, "patients.where(p => p.id === 1).select(p => ({ n: p.name }))"); r.Err != nil || !r.Label.Empty() {
			t.Errorf("public columns: %v, label %v", r.Err, r.Label)
		}
		// A host's own order by a labelled column would show it without a label.
		for _, by := range []exosql.Order[patient]{diag.Asc(), diag.Desc()} {
			if _, err := full.Of(scope.OrderBy(by)).Describe(); err == nil {
				t.Error("a relation sorted by a labelled column can be granted")
			}
		}
		if _, err := full.Of(scope.OrderBy(name.Desc())).Describe(); err != nil {
			t.Errorf("the twin: %v", err)
		}
	})
}
