package approvals_test

// This file has what a person is shown of the rows, and what they could not be shown.

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestHiddenColumnIsNamed: a trigger changes a column that the facet hides. The row says so. The twin's trigger writes what was there.
func TestHiddenColumnIsNamed(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, secret := range []string{"z", "x"} {
			w := fresh(t, e, true, fmt.Sprintf(e.Pick(`CREATE TRIGGER hides AFTER UPDATE OF note ON staff BEGIN UPDATE staff SET secret = '%s' WHERE id = new.id; END`,
				`CREATE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.secret = '%s'; RETURN NEW; END $$; CREATE TRIGGER hides BEFORE UPDATE OF note ON staff FOR EACH ROW EXECUTE FUNCTION hide()`), secret))
			d := declare()
			f := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.note).AllowUpdate(d.note).Permit(exosql.AllowTrigger("hides")).Approve(exosql.ApproveAlways())
			w.tool = w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, f)})
			x := w.prepared(`return staff.where({ name: "ada" }).update({ note: "n" })`)
			if rows := x.Set.Parts[0].Rows; len(rows) != 1 || rows[0].Other != (secret == "z") {
				t.Errorf("%s: %+v", secret, rows)
			}
		}
	})
}

// TestGuessedValueIsListed: a program writes a labelled value that it guesses. The row is listed whether or not the guess is right: a missing row would
// reveal it to a person who may not read the label. The twin has no label, and lists what changes.
func TestGuessedValueIsListed(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, labelled := range []bool{true, false} {
			for _, guess := range []int{100, 101} {
				w := fresh(t, e, false)
				d := declare()
				if labelled {
					d.salary.WithLabel("pay")
				}
				f := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.salary).AllowUpdate(d.salary).Approve(exosql.ApproveAlways())
				w.tool = w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, f)})
				x := w.prepared(fmt.Sprintf(`return staff.where({ name: "ada" }).update({ salary: %d })`, guess))
				if n := len(x.Set.Parts[0].Rows); (n == 1) != (labelled || guess != 100) {
					t.Errorf("labelled %v, %d: %d rows are listed", labelled, guess, n)
				}
			}
		}
	})
}

// TestTooManyRows: nobody agrees to rows that they are not shown. The twin has as many as are shown.
func TestTooManyRows(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, n := range []int{500, 501} {
			w := fresh(t, e, false, fmt.Sprintf(e.Pick(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO staff (org_id, name, salary) SELECT 1, 'n' || i, 7 FROM n`,
				`INSERT INTO staff (org_id, name, salary) SELECT 1, 'n' || i, 7 FROM generate_series(1, %d) AS i`), n))
			w.tool = w.made("user:1")
			before := w.dump()
			res := w.tool.Run(t.Context(), `return staff.where({ salary: 7 }).update({ salary: 8 })`)
			if want := map[int]fail.Kind{500: fail.Pending, 501: fail.Invalid}[n]; fail.KindOf(res.Err) != want || w.dump() != before {
				t.Errorf("%d rows: %v", n, res.Err)
			}
		}
	})
}

// TestNoImagesNoAgreement: a database that lists no changes keeps none that meets a rule: nobody could be shown it. The twin has no rule.
func TestNoImagesNoAgreement(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, rules := range [][]exosql.Approval{{exosql.ApproveAlways()}, {}} {
			w := fresh(t, e, false)
			w.db = e.OpenURL(t, w.url, nil)
			w.rules = rules
			before := w.dump()
			res := w.made("user:1").Run(t.Context(), rise)
			if refused := len(rules) > 0; refused != (fail.KindOf(res.Err) == fail.Invalid) || refused != (w.dump() == before) {
				t.Errorf("%d rules: %v", len(rules), res.Err)
			}
		}
	})
}
