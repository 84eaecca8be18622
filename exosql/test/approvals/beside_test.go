package approvals_test

// This file hides a column that a trigger changes among other columns of the same row, which the program writes by itself.

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestColumnBesideOthers: a rule on a column holds for a trigger's change of it, however often the program writes other columns of that row. The twins have
// no rule, or no change of the column.
func TestColumnBesideOthers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		const note, raise, plain = `await staff.where({ name: "ada" }).update({ note: "a" }); await staff.where({ name: "ada" }).update({ note: "b" }); `, `return lines.where({ id: 2001 }).update({ text: "raise" })`, `return lines.where({ id: 2001 }).update({ text: "x" })`
		for _, c := range []struct {
			program     string
			rule, waits bool
		}{{note + raise, true, true}, {raise, true, true}, {note + plain, true, false}, {note + raise, false, false}} {
			w := carried(t, e, true, nil, nil)
			d := declare()
			s := exosql.NewFacet(d.staff, "staff", d.id, d.name, d.note, d.salary).AllowUpdate(d.note)
			if c.rule {
				s.Approve(exosql.ApproveColumns[staff](d.salary))
			}
			w.tool = w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, s),
				"lines": exosql.NewFacet(d.lines, "line", d.line, d.text).AllowUpdate(d.text).Permit(exosql.AllowTrigger("raises")).Of(exosql.Grant(w.db, d.lines, d.lineOrg.Eq(1)))})
			before := w.dump()
			res := w.tool.Run(t.Context(), c.program)
			if waits := fail.KindOf(res.Err) == fail.Pending; waits != c.waits || res.Err != nil && !waits || (w.dump() == before) != c.waits {
				t.Errorf("%s, rule %v: %v", c.program, c.rule, res.Err)
			}
		}
	})
}
