package approvals_test

// This file applies change sets where something is otherwise that the rows alone do not show.

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestAnotherDatabase: a program asks a service which of two databases to write. When the change is being applied the service answers otherwise, and the other
// database has equal rows: the change set is not applied there. By the rows alone it would be.
func TestAnotherDatabase(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w, other := fresh(t, e, true), fresh(t, e, true) // on PostgreSQL two databases, so that the names of their schemas are equal, too
		d := declare()
		f := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary, d.note).AllowUpdate(d.salary).Approve(exosql.ApproveAlways())
		answer := "test"
		which, err := service.New("which", "says which", service.Read("one", "the database", func(context.Context, service.None) (string, error) { return answer, nil }))
		if err != nil {
			t.Fatal(err)
		}
		w.tool = w.toolOf("user:1", codemode.Grants{"test": d.ours(w, f), "live": d.ours(other, f), "which": which})
		const program = `const g = await which.one() === "test" ? test : live; return await g.where({ name: "ada" }).update({ salary: 111 })`
		x := w.prepared(program)
		answer = "live"
		y := w.prepared(program)
		if a, b := x.Set.Parts[0], y.Set.Parts[0]; !bytes.Equal(a.Known, b.Known) || fmt.Sprint(a.Grants, b.Grants) != "[test] [live]" || len(a.Known) != 32 {
			t.Errorf("the rows of %v and %v differ: this test shows nothing", a.Grants, b.Grants)
		}
		before := other.dump()
		if res, err := w.apply(x); err != nil || fail.KindOf(res.Err) != fail.Conflict || other.dump() != before {
			t.Errorf("what was prepared for test: %v %v", err, res.Err)
		}
		if res, err := w.apply(y); err != nil || res.Err != nil || other.dump() == before {
			t.Errorf("the twin: %v %v", err, res.Err)
		}
	})
}

// TestHiddenKey: a facet hides its table's key. Somebody exchanges the values of two rows, so the program would change the other row, and all that its
// facet shows would be the same: the change set is not applied.
func TestHiddenKey(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, kept := range []bool{false, true} {
			for _, exchanged := range []bool{true, false} {
				w := fresh(t, e, kept)
				d := declare()
				f := exosql.NewFacet(d.staff, "staff", d.salary, d.note).AllowUpdate(d.salary).Approve(exosql.ApproveAlways())
				w.tool = w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, f)})
				const program = `return staff.where({ salary: 100 }).update({ salary: 111 })`
				x := w.prepared(program)
				if exchanged {
					w.exec(`UPDATE staff SET salary = 300 - salary WHERE id IN (1001, 1002)`)
					if y := w.prepared(program); text(x) != text(y) {
						t.Errorf("the facet shows %s and %s: this test shows nothing", text(x), text(y))
					}
				}
				before := w.dump()
				res, err := w.apply(x)
				if err != nil || exchanged != (fail.KindOf(res.Err) == fail.Conflict) || exchanged != (w.dump() == before) {
					t.Errorf("kept %v, exchanged %v: %v %v", kept, exchanged, err, res.Err)
				}
			}
		}
	})
}

// text is what the facets show of a change set's rows.
func text(x review.ChangeSet) string {
	var b strings.Builder
	for _, r := range x.Set.Parts[0].Rows {
		for _, c := range r.Cells {
			fmt.Fprint(&b, r.Table, r.Kind, c.Name, *c.Before, *c.After, ";")
		}
	}
	return b.String()
}

// TestNothingLeftToDo: somebody has made the same change by hand before it was applied. It is a conflict, and never applied.
func TestNothingLeftToDo(t *testing.T) {
	for _, c := range []struct{ program, meanwhile string }{
		{rise, `UPDATE staff SET salary = 111 WHERE id = 1001`},
		{`return staff.where(s => s.salary < 150).update({ salary: 150 })`, `UPDATE staff SET salary = 150 WHERE id = 1001`},
		{`return staff.where({ name: "eve" }).delete()`, `DELETE FROM staff WHERE id = 1003`},
		{`if (await staff.where({ name: "eve" }).count()) await ` + outside + `; return 1`, `DELETE FROM staff WHERE id = 1003`},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			w := open(t, e)
			x := w.prepared(c.program)
			w.exec(c.meanwhile)
			before := w.dump()
			res, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), boss)
			if err != nil || fail.KindOf(res.Err) != fail.Conflict || differs(res.Err) == "" || w.dump() != before || len(w.sent) != 0 {
				t.Errorf("%s: %v %v, differs %q", c.program, err, res.Err, differs(res.Err))
			}
			if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != review.Conflict {
				t.Errorf("%s: %s %v", c.program, got.State, err)
			}
			if next := w.tool.Run(t.Context(), "return 1"); strings.Contains(next.Notice, "agreed to and applied") || !strings.Contains(next.Notice, "nothing of it happened") {
				t.Errorf("%s: the model reads %q", c.program, next.Notice)
			}
		})
	}
}

// TestRejectNeedsSomebody: who is known in no way refuses nothing: a client would make a user's changes vanish. The twin is known.
func TestRejectNeedsSomebody(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := open(t, e, exosql.ApproveAlways().From(changeset.Who{By: changeset.Other, Least: changeset.Page}))
		x := w.prepared(rise)
		for _, by := range []review.Approver{{Name: "boss"}, {Name: "boss", How: "client"}, {How: review.Page}, {}} {
			if err := w.tool.Reject(t.Context(), x.ID, "no", by); err == nil {
				t.Errorf("%+v refused it", by)
			}
			if got, err := w.keeper.Get(t.Context(), x.ID); err != nil || got.State != review.Pending {
				t.Errorf("%+v: %s %v", by, got.State, err)
			}
		}
		if err := w.tool.Reject(t.Context(), x.ID, "no", boss); err != nil {
			t.Errorf("somebody at a terminal, who may refuse what they may not agree to: %v", err)
		}
	})
}

// TestNewRowsAreCompared: what a program gives a new row is compared, though the database chooses the row's key. The twin's value is as it was.
func TestNewRowsAreCompared(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, meanwhile := range []string{"201", "200"} {
			w := open(t, e)
			x := w.prepared(`const b = await staff.where({ name: "bob" }).first(); return staff.insert({ name: "new", salary: b.salary })`)
			w.exec("UPDATE staff SET salary = " + meanwhile + " WHERE name = 'bob'")
			before := w.dump()
			res, err := w.apply(x)
			if conflict := meanwhile != "200"; err != nil || conflict != (fail.KindOf(res.Err) == fail.Conflict) || conflict != (w.dump() == before) {
				t.Errorf("%s: %v %v", meanwhile, err, res.Err)
			}
		}
	})
}
