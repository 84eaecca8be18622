package approvals_test

// This file undoes runs for persons who have grants, and not the whole database.

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// undoing is a world that keeps what runs change.
type undoing struct {
	*world
	start string
}

func newUndoing(t *testing.T, e tu.Engine) *undoing {
	w := fresh(t, e, true, e.Pick(exosql.CreateUndo, "SELECT 1"))
	w.db = e.OpenURL(t, w.url, &exosql.OpenOptions{Images: 500, Witness: true, Undo: time.Hour})
	return &undoing{w, w.dump()}
}

// of are the rows that a person of an organization may undo: staff, and the lines of staff, whose scope follows from the staff's.
func (w *undoing) of(org int64, runs exosql.UndoRuns) exo.Object {
	d := declare()
	lines := exosql.NewFacet(d.lines, "line", d.line, d.text).AllowUpdate(d.text).AllowDelete().AllowUndo(runs)
	f := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary, exosql.Via(exosql.Many("lines", d.id, d.lineOf), lines)).AllowInsert(d.name, d.salary).AllowUpdate(d.salary).AllowDelete().Permit(exosql.AllowUnique("name")).AllowUndo(runs)
	return f.Of(exosql.Grant(w.db, d.staff, d.org.Eq(org)))
}

// everywhere lets a program move rows from one organization to another.
func (w *undoing) everywhere() exo.Object {
	d := declare()
	return exosql.NewFacet(d.staff, "staff", d.id, d.name, d.org, d.salary).AllowUpdate(d.org, d.salary).Of(exosql.Grant(w.db, d.staff, exosql.AllRows[staff]()))
}

// ran runs a program on grants, and returns its run.
func (w *undoing) ran(of exo.Object, program string) exo.RunID {
	w.t.Helper()
	res := w.toolOf("user:1", codemode.Grants{"staff": of}).Run(w.t.Context(), program)
	if res.Err != nil {
		w.t.Fatal(program, res.Err)
	}
	return res.ID
}

// TestUndoFor: a person undoes a run of theirs, of which all rows are in their scope, with hidden columns, which they are not shown.
func TestUndoFor(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		w.exec("UPDATE staff SET secret = 'hidden' WHERE id = 1001")
		w.start = w.dump()
		ours := w.of(1, exosql.UndoOwn)
		run := w.ran(ours, `await staff.where({ name: "ada" }).lines().delete(); await staff.where({ name: "ada" }).delete(); await staff.where({ name: "bob" }).update({ salary: 7 }); return staff.insert({ name: "new", salary: 1 })`)
		after := w.dump()
		for _, as := range []exo.RunID{{}, exo.NewRunID()} {
			rows, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, As: as, Own: true}, ours)
			if err != nil || len(refused) > 0 || len(rows) != 4 {
				t.Fatal(rows, refused, err)
			}
			for _, r := range rows {
				if strings.Contains(strings.Join(r.Columns, " "), "secret") || r.Table.Name == "staff" && r.Before == nil && r.Others != 3 {
					t.Errorf("a person is shown %+v", r)
				}
			}
			if as == (exo.RunID{}) && w.dump() != after {
				t.Error("a look has changed something")
			}
		}
		if got := w.dump(); got != w.start {
			t.Errorf("%s\nwant\n%s", got, w.start)
		}
	})
}

// TestUndoForRefuses: an undo for a person changes no row that is not theirs, and reveals neither the row nor whether the run exists. The twin of each is
// the operator's undo, which succeeds.
func TestUndoForRefuses(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what      string
			by        func(*undoing) exo.Object
			program   string
			meanwhile string
			own       bool
			undoes    func(*undoing) []exo.Object
		}{
			{what: "another tenant's run", by: func(w *undoing) exo.Object { return w.of(2, exosql.UndoOwn) }, program: `return staff.where({ name: "zoe" }).update({ salary: 1 })`, own: true},
			{what: "a run of two tenants", by: (*undoing).everywhere, program: `return staff.where(s => s.salary > 0).update({ salary: 1 })`, own: true},
			{what: "another person's run", program: `return staff.where({ name: "ada" }).update({ salary: 1 })`},
			{what: "no right", program: `return staff.where({ name: "ada" }).update({ salary: 1 })`, own: true, undoes: func(w *undoing) []exo.Object { return []exo.Object{w.of(1, 0)} }},
			{what: "no grants", program: `return staff.where({ name: "ada" }).update({ salary: 1 })`, own: true, undoes: func(*undoing) []exo.Object { return nil }},
			{what: "a row whose owner has moved since", program: `return staff.where({ name: "ada" }).lines().update({ text: "x" })`, meanwhile: "UPDATE staff SET org_id = 2 WHERE id = 1001", own: true},
			{what: "a deleted row whose owner has moved since", program: `return staff.where({ name: "ada" }).lines().delete()`, meanwhile: "UPDATE staff SET org_id = 2 WHERE id = 1001", own: true},
			{what: "a row that was another tenant's", by: (*undoing).everywhere, program: `return staff.where({ name: "zoe" }).update({ orgId: 1, salary: 1 })`, own: true},
			{what: "a row that is another tenant's now", by: (*undoing).everywhere, program: `return staff.where({ name: "ada" }).update({ orgId: 2 })`, own: true},
		} {
			w := newUndoing(t, e)
			by, undoes := w.of(1, exosql.UndoOwn), []exo.Object{w.of(1, exosql.UndoOwn)}
			if c.by != nil {
				by = c.by(w)
			}
			if c.undoes != nil {
				undoes = c.undoes(w)
			}
			run := w.ran(by, c.program)
			if c.meanwhile != "" {
				w.exec(c.meanwhile)
			}
			before := w.dump()
			_, _, unknown := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: exo.NewRunID(), As: exo.NewRunID(), Own: true}, undoes...)
			for _, as := range []exo.RunID{{}, exo.NewRunID()} {
				rows, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, As: as, Own: c.own}, undoes...)
				if fail.KindOf(err) != fail.Denied || len(rows)+len(refused) > 0 || w.dump() != before || unknown == nil || err.Error() != unknown.Error() {
					t.Errorf("%s: %v %v %v; an unknown run: %v", c.what, rows, refused, err, unknown)
				}
			}
			if _, refused, err := w.db.Undo(t.Context(), run, exo.NewRunID()); err != nil || len(refused) > 0 || w.dump() == before {
				t.Errorf("%s: the operator's undo: %v %v", c.what, refused, err)
			}
		}
	})
}

// TestUndoForAny: with UndoAny a person undoes others' runs, too; a row that was changed since is named by its key, without what it was.
func TestUndoForAny(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newUndoing(t, e)
		ours := w.of(1, exosql.UndoAny)
		run := w.ran(ours, `return staff.where(s => s.salary > 0).update({ salary: 5 })`)
		w.exec("UPDATE staff SET note = 'since' WHERE id = 1002")
		before := w.dump()
		rows, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, As: exo.NewRunID()}, ours)
		if err != nil || len(rows) > 0 || len(refused) != 1 || strings.Join(refused[0].Row.Columns, " ") != "id" || refused[0].Row.After != nil || refused[0].Row.Before[0].Text != "1002" || w.dump() != before {
			t.Errorf("changed since: %+v %+v %v", rows, refused, err)
		}
		w.exec("UPDATE staff SET note = NULL WHERE id = 1002")
		if _, refused, err := w.db.UndoFor(t.Context(), exosql.UndoRequest{Run: run, As: exo.NewRunID()}, ours); err != nil || len(refused) > 0 || w.dump() != w.start {
			t.Errorf("%v %v\n%s\nwant\n%s", refused, err, w.dump(), w.start)
		}
	})
}
