package approvals_test

// This file compares what an update on PostgreSQL returns of its rows with what becomes of them.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// raises is a trigger that raises a salary after an update has set it.
func raises(e tu.Engine) string {
	return e.Pick("CREATE TRIGGER raises AFTER UPDATE OF salary ON staff WHEN NEW.salary < 1000 BEGIN UPDATE staff SET salary = NEW.salary + 1000 WHERE id = NEW.id; END",
		`CREATE FUNCTION raised() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE staff SET salary = NEW.salary + 1000 WHERE id = NEW.id; RETURN NULL; END $$;
		CREATE TRIGGER raises AFTER UPDATE OF salary ON staff FOR EACH ROW WHEN (NEW.salary < 1000) EXECUTE FUNCTION raised()`)
}

// TestLastImageIsShown: whatever a program does to a row after an update has returned it, the record shows what the row becomes. The twin is one
// update, of which the returned row is shown.
func TestLastImageIsShown(t *testing.T) {
	const first = `await staff.where({ name: "ada" }).update({ salary: 110 }); `
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for program, want := range map[string]string{
			first: "110",
			first + `await staff.where({ name: "ada" }).update({ salary: 120 })`:                                             "120",
			first + `await staff.where({ name: "bob" }).update({ salary: 130 })`:                                             "110",
			first + `await wages.where({ id: 1001 }).update({ salary: 140 })`:                                                "140",
			first + `await staff.where({ name: "ada" }).delete()`:                                                            "gone",
			first + `try { await staff.where({ name: "ada" }).update({ name: "bob" }) } catch {}`:                            "110",
			first + `await staff.where({ name: "ada" }).update({ name: "x" }); await staff.insert({ name: "y", salary: 1 })`: "110",
			`await raised.where({ name: "ada" }).update({ salary: 150 })`:                                                    "1150",
		} {
			w := fresh(t, e, false, "DELETE FROM lines", raisesRaised(e))
			d := declare()
			facet := func() *exosql.Facet[staff] {
				return exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary).AllowInsert(d.name, d.salary).AllowUpdate(d.name, d.salary).AllowDelete().Permit(exosql.AllowUnique("name"))
			}
			r := exosql.NewTable[staff]("raised")
			id, org := exosql.NewKey(r, "id", func(s *staff) *int64 { return &s.ID }), exosql.NewColumn(r, "org_id", func(s *staff) *int64 { return &s.Org })
			name, salary := exosql.NewColumn(r, "name", func(s *staff) *string { return &s.Name }), exosql.NewColumn(r, "salary", func(s *staff) *int64 { return &s.Salary })
			raised := exosql.NewFacet(r, "raised", id, name, salary).AllowUpdate(salary).Permit(exosql.AllowTrigger("raises")).Of(exosql.Grant(w.db, r, org.Eq(1)))
			tool := w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, facet()), "wages": d.ours(w, facet()), "raised": raised})
			if res := tool.Run(t.Context(), program); res.Err != nil {
				t.Fatal(program, res.Err)
			}
			got := ""
			for _, entry := range w.record {
				for _, x := range entry.Details {
					if c, ok := x.(exosql.Changes); ok && entry.Step == exo.Committing {
						for _, row := range c.Rows {
							if fmt.Sprint(row.Key) == "[1001]" {
								is := "gone"
								if !row.After.IsZero() {
									is = fmt.Sprint(row.After.FieldList()[2].Value.Int())
								}
								if got == "" || got == want {
									got = is
								}
							}
						}
					}
				}
			}
			is := tu.Rows(t, w.raw, "SELECT coalesce((SELECT salary FROM "+map[bool]string{true: "raised", false: "staff"}[strings.HasPrefix(program, "await raised")]+" WHERE id = 1001), -1)")
			if got != want || !strings.Contains(is, "{"+strings.Replace(want, "gone", "-1", 1)+"}") {
				t.Errorf("%s: the record shows %q and the table %s, want %s", program, got, is, want)
			}
		}
	})
}

// raisesRaised makes the table raised, of which a trigger raises each salary.
func raisesRaised(e tu.Engine) string {
	return "CREATE TABLE raised (id bigint PRIMARY KEY, org_id bigint NOT NULL, name text NOT NULL, salary bigint NOT NULL);\nINSERT INTO raised VALUES (1001, 1, 'ada', 100);\n" +
		strings.NewReplacer("staff", "raised").Replace(raises(e))
}

// TestTriggerSinceTheCatalogue: a trigger that was made after the catalogue was read, and after a person has seen the change, makes the apply a
// conflict, though the statement returns what the person saw. The twin has no trigger.
func TestTriggerSinceTheCatalogue(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, made := range []bool{true, false} {
			w := open(t, e)
			x := w.prepared(`return staff.where({ name: "ada" }).update({ salary: 500 })`)
			if made {
				w.exec(raises(e))
			}
			before := w.dump()
			res, err := w.apply(x)
			if err != nil || made != (res.Err != nil) || made != (w.dump() == before) || made && e.Name == tu.Postgres.Name && fail.KindOf(res.Err) != fail.Conflict {
				t.Errorf("a new trigger %v: %v %v\n%s", made, err, res.Err, w.dump())
			}
		}
	})
}

// TestInsteadRule: PostgreSQL refuses RETURNING where a rule acts instead of the update. So where the host permits a rule, an update returns nothing.
func TestInsteadRule(t *testing.T) {
	w := fresh(t, tu.Postgres, false, `CREATE TABLE shadow (id bigint PRIMARY KEY, org_id bigint NOT NULL, salary bigint NOT NULL)`, `INSERT INTO shadow VALUES (1001, 1, 100)`,
		`CREATE TABLE base AS SELECT * FROM shadow`, `CREATE RULE moves AS ON UPDATE TO shadow DO INSTEAD UPDATE base SET salary = NEW.salary WHERE id = OLD.id`)
	w.db = tu.Postgres.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true})
	r := exosql.NewTable[staff]("shadow")
	id, org := exosql.NewKey(r, "id", func(s *staff) *int64 { return &s.ID }), exosql.NewColumn(r, "org_id", func(s *staff) *int64 { return &s.Org })
	salary := exosql.NewColumn(r, "salary", func(s *staff) *int64 { return &s.Salary })
	x := exosql.NewFacet(r, "shadow", id, salary).AllowUpdate(salary).Permit(exosql.AllowRule("moves")).Of(exosql.Grant(w.db, r, org.Eq(1)))
	if res := w.toolOf("user:1", codemode.Grants{"shadow": x}).Run(t.Context(), `return shadow.where({ id: 1001 }).update({ salary: 5 })`); res.Err != nil {
		t.Error(res.Err)
	}
}
