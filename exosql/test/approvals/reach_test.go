package approvals_test

// This file has ways around a rule: another facet of its table, and writes of other tables that the database carries on to it.

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

type pay struct{ ID, Org, Staff int64 }

const pays = `CREATE TABLE pays (id {int} PRIMARY KEY, org_id {int} NOT NULL, staff_id {int} REFERENCES staff (id) ON DELETE CASCADE); INSERT INTO pays VALUES (1, 1, 1003), (2, 1, 1003), (3, 1, 1001)`

// carried is a company where deleting staff deletes their pays, and where the line "raise" raises a salary. Rules are on pays and on salaries, and on no
// table that its programs write.
func carried(t *testing.T, e tu.Engine, kept bool, onPays, onStaff []exosql.Approval) *world {
	t.Helper()
	w := fresh(t, e, kept, pays, e.Pick(`CREATE TRIGGER raises AFTER UPDATE ON lines WHEN new.text = 'raise' BEGIN UPDATE staff SET salary = salary + 1 WHERE id = new.staff_id; END`,
		`CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE staff SET salary = salary + 1 WHERE id = new.staff_id AND new.text = 'raise'; RETURN NULL; END $$;
		CREATE TRIGGER raises AFTER UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION raise()`))
	d := declare()
	p := exosql.NewTable[pay]("pays")
	pid, porg := exosql.NewKey(p, "id", func(p *pay) *int64 { return &p.ID }), exosql.NewColumn(p, "org_id", func(p *pay) *int64 { return &p.Org })
	w.tool = w.toolOf("user:1", codemode.Grants{
		"staff": d.ours(w, exosql.NewFacet(d.staff, "staff", d.id, d.name).AllowDelete().Permit(exosql.AllowCascade("pays", "staff_id"))),
		"pays":  exosql.NewFacet(p, "pay", pid).Approve(onPays...).Of(exosql.Grant(w.db, p, porg.Eq(1))),
		"lines": exosql.NewFacet(d.lines, "line", d.line, d.text).AllowUpdate(d.text).Permit(exosql.AllowTrigger("raises")).Of(exosql.Grant(w.db, d.lines, d.lineOrg.Eq(1))),
		"team":  d.ours(w, exosql.NewFacet(d.staff, "team", d.id, d.salary).Approve(onStaff...)), "log": instant(t)})
	return w
}

// instant is a service that acts at once.
func instant(t *testing.T) *service.Service {
	t.Helper()
	log, err := service.New("log", "logs", service.Method("now", "logs at once", func(context.Context, service.None) (service.None, error) { return service.None{}, nil }).Immediate())
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestCarriedOn: a write that the database carries on to a table with a rule asks. Where all changed rows are known it asks by these rows, and else in any
// case. Then nobody can agree, since nobody could be shown what changes. The twin has no rule.
func TestCarriedOn(t *testing.T) {
	deletes, salary := []exosql.Approval{exosql.ApproveDeletes()}, []exosql.Approval{exosql.ApproveAbove(0)}
	above := func(n int64) []exosql.Approval { return []exosql.Approval{exosql.ApproveAbove(n)} }
	share := tu.OneIn(t, 3)
	const eve, bob, raise, other = `return staff.where({ name: "eve" }).delete()`, `return staff.where({ name: "bob" }).delete()`, `return lines.where({ id: 2001 }).update({ text: "raise" })`, `return lines.where({ id: 2001 }).update({ text: "x" })`
	for _, c := range []struct {
		program         string
		onPays, onStaff []exosql.Approval
		asks            string // where the rows are known
		may             bool   // else
	}{
		{eve, deletes, nil, "delete of pay", true}, {bob, deletes, nil, "", true}, {eve, above(1), nil, "more than 1 rows of pay in a day", true}, {eve, above(2), nil, "", true},
		{raise, nil, salary, "more than 0 rows of team in a day", true}, {other, nil, salary, "", true}, {eve, nil, nil, "", false}, {raise, nil, nil, "", false},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			for _, kept := range []bool{true, false} {
				if !kept && e.Name == tu.SQLite.Name {
					continue // SQLite always has images
				}
				if e.Name == tu.Postgres.Name && !share.Next(kept, c.asks != "") {
					continue // there each world is a database that is made
				}
				w := carried(t, e, kept, c.onPays, c.onStaff)
				before := w.dump() + tu.Rows(t, w.raw, "SELECT * FROM pays")
				res := w.tool.Run(t.Context(), c.program)
				same := w.dump()+tu.Rows(t, w.raw, "SELECT * FROM pays") == before
				switch {
				case kept && c.asks != "":
					all, err := w.tool.Pending(t.Context())
					if err != nil || fail.KindOf(res.Err) != fail.Pending || !same || len(all) != 1 || strings.Join(all[0].Rules, ";") != c.asks {
						t.Fatalf("%s: %v, rules of %+v", c.program, res.Err, all)
					}
					if also := strings.Join(all[0].Set.Parts[0].Also, ";"); also != map[bool]string{true: "rows of pays that no grant shows: 2 deleted", false: "rows of staff that no grant shows: 1 changed"}[c.onPays != nil] {
						t.Errorf("%s: a person is told %q", c.program, also)
					}
				case !kept && c.may:
					if fail.KindOf(res.Err) != fail.Invalid || !strings.Contains(res.Err.Error(), "a person would have to agree") || !same {
						t.Errorf("%s, whose rows nobody knows: %v", c.program, res.Err)
					}
				case res.Err != nil || same:
					t.Errorf("%s, kept %v: %v", c.program, kept, res.Err)
				}
			}
		})
	}
}

// TestSameNameInAnotherSchema: where a write is carried on to a table of the same name in another schema, with the same key, a person is told of both: that
// another column of the written row changes, and of the other table. The twin has no such table.
func TestSameNameInAnotherSchema(t *testing.T) {
	for _, aside := range []bool{true, false} {
		w := &world{t: t, e: tu.Postgres, now: time.Now(), store: store.NewMemory(nil), url: kit.OwnDatabase(t)}
		w.raw = w.e.SQLDB(t, w.url)
		w.exec(w.e.SQL(ddl(w.e)) + `; CREATE SCHEMA zaside; CREATE TABLE zaside.lines (id bigint PRIMARY KEY, text text NOT NULL); INSERT INTO zaside.lines VALUES (2001, 'kept');
			CREATE FUNCTION moves() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.staff_id = 1002; RETURN new; END $$; CREATE TRIGGER moves BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION moves();
			CREATE FUNCTION carries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE zaside.lines SET text = 'lost' WHERE id = new.id; RETURN NULL; END $$`)
		if aside {
			w.exec(`CREATE TRIGGER zcarries AFTER UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION carries()`)
		}
		live, err := schema.ReadPostgres(t.Context(), w.raw)
		if err != nil {
			t.Fatal(err)
		}
		w.exec(exosql.UndoTriggers(live, "postgres", time.Hour, schema.Name{Schema: "public", Name: "lines"}, schema.Name{Schema: "zaside", Name: "lines"}))
		w.db = w.e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true})
		w.keep()
		d := declare()
		f := exosql.NewFacet(d.lines, "line", d.line, d.text).AllowUpdate(d.text).Permit(exosql.AllowTrigger("moves")).Approve(exosql.ApproveAlways())
		if aside {
			f.Permit(exosql.AllowTrigger("zcarries"))
		}
		w.tool = w.toolOf("user:1", codemode.Grants{"lines": f.Of(exosql.Grant(w.db, d.lines, d.lineOrg.Eq(1)))})
		x := w.prepared(`return lines.where({ id: 2001 }).update({ text: "x" })`)
		if len(x.Set.Parts) != 1 || len(x.Set.Parts[0].Rows) != 1 {
			t.Fatalf("%+v", x.Set)
		}
		part := x.Set.Parts[0]
		if want := map[bool]string{true: "rows of zaside.lines that no grant shows: 1 changed"}[aside]; strings.Join(part.Also, ";") != want || !part.Rows[0].Other {
			t.Errorf("aside %v: another column %v, also %q", aside, part.Rows[0].Other, part.Also)
		}
	}
}

// TestImmediateBeforeRule: what acts at once is not followed by a write that may meet a rule, by another facet of the table or carried on to it: after a
// person agrees, it would act once more. The rule is not met yet. The twin has no rule there.
func TestImmediateBeforeRule(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for write, open := range map[string]func(rule ...exosql.Approval) *world{
			`staff.where({ name: "bob" }).delete()`:               func(rule ...exosql.Approval) *world { return carried(t, e, false, rule, nil) },
			`lines.where({ id: 2001 }).update({ text: "x" })`:     func(rule ...exosql.Approval) *world { return carried(t, e, false, nil, rule) },
			`people.where({ name: "ada" }).update({ note: "x" })`: func(rule ...exosql.Approval) *world { return second(t, e, false, rule...) },
		} {
			w := open(exosql.ApproveAbove(1 << 40))
			before := w.dump()
			if res := w.tool.Run(t.Context(), "await log.now(); return "+write); fail.KindOf(res.Err) != fail.Denied || !strings.Contains(res.Err.Error(), "acted at once") || w.dump() != before {
				t.Errorf("%s: %v", write, res.Err)
			}
			w = open()
			if res := w.tool.Run(t.Context(), "await log.now(); return "+write); res.Err != nil || w.dump() == before {
				t.Errorf("%s, without the rule: %v", write, res.Err)
			}
		}
	})
}

// second has a facet with rules, and one of the same table without, by another declaration, alias and columns.
func second(t *testing.T, e tu.Engine, linked bool, rules ...exosql.Approval) *world {
	t.Helper()
	w := fresh(t, e, false)
	d, again := declare(), declare()
	ruled := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary, d.note).AllowUpdate(d.note).Approve(rules...)
	people := exosql.NewFacet(again.staff, "person", again.name, again.salary, again.note).AllowInsert(again.name, again.salary).AllowUpdate(again.salary, again.note).AllowDelete().Permit(exosql.AllowUnique("name"))
	grants := codemode.Grants{"people": again.ours(w, people), "log": instant(t)}
	if linked { // no grant has the facet with rules
		grants["lines"] = exosql.NewFacet(d.lines, "line", d.line, exosql.Via(exosql.One("staff", d.lineOf, d.id), ruled)).Of(exosql.Grant(w.db, d.lines, d.lineOrg.Eq(1), exosql.ScopeRows(d.staff, d.org.Eq(1))))
	} else {
		grants["staff"] = d.ours(w, ruled)
	}
	w.tool = w.toolOf("user:1", grants)
	return w
}

// TestSecondFacet: a rule holds for its table, by whatever facet a program writes it. The twin has no rules.
func TestSecondFacet(t *testing.T) {
	for program, rule := range map[string]exosql.Approval{
		`return people.where({ name: "ada" }).update({ salary: 111 })`: exosql.ApproveAlways(),
		`return people.where({ name: "ada" }).update({ note: "x" })`:   exosql.ApproveAbove(0),
		`return people.where({ name: "eve" }).delete()`:                exosql.ApproveDeletes(),
		`return people.insert({ name: "new", salary: 1 })`:             exosql.ApproveAlways(),
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			for _, linked := range []bool{false, true} {
				w := second(t, e, linked, rule)
				before := w.dump()
				if res := w.tool.Run(t.Context(), program); fail.KindOf(res.Err) != fail.Pending || w.dump() != before {
					t.Errorf("%s, linked %v: %v", program, linked, res.Err)
				}
				w = second(t, e, linked)
				if res := w.tool.Run(t.Context(), program); res.Err != nil || w.dump() == before {
					t.Errorf("%s, linked %v, without the rule: %v", program, linked, res.Err)
				}
			}
		})
	}
}

// TestDayIsOfTable: the rows of a day are added up for a table, not for each facet of it.
func TestDayIsOfTable(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := second(t, e, false, exosql.ApproveAbove(3))
		for i, name := range []string{"staff", "people", "people", "staff"} {
			res := w.tool.Run(t.Context(), `return `+name+`.where({ name: "ada" }).update({ note: "`+fmt.Sprint(i)+`" })`)
			if i < 3 && res.Err != nil || i == 3 && fail.KindOf(res.Err) != fail.Pending {
				t.Errorf("row %d, by %s: %v", i+1, name, res.Err)
			}
		}
	})
}

// TestStrongerRuleHolds: of two rules with equal words the stronger says who may agree, in either order. The twin has the weaker one alone.
func TestStrongerRuleHolds(t *testing.T) {
	strong := map[string]changeset.Who{"another person": {By: changeset.Other}, "a page": {By: changeset.Self, Least: changeset.Page}}
	self := changeset.Who{By: changeset.Self}
	for name, rule := range map[string]exosql.Approval{"always": exosql.ApproveAlways(), "a number": exosql.ApproveAbove(0)} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			for needs, who := range strong {
				for _, c := range [][]exosql.Approval{{rule.From(who), rule.From(self)}, {rule.From(self), rule.From(who)}, {rule.From(self)}} {
					w := open(t, e, c...)
					x := w.prepared(rise)
					_, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), review.Approver{Name: "user:1", How: review.Terminal})
					if len(x.Rules) != 1 || (err != nil) != (len(c) > 1) {
						t.Errorf("%s, %s: %v, rules %q, who %+v", name, needs, err, x.Rules, x.Who)
					}
				}
			}
		})
	}
}
