package approvals_test

// This file has rows whose key is a secret.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSealedKeys: the key of a row is not in its change set in clear if its table has a label (a labelled key of its own can't be granted). A cell that
// shows it has the label, so an approver's view seals it. The twin has no label.
func TestSealedKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, c := range map[string]struct {
			label func(declared)
			shown bool // the facet shows the key
			want  string
		}{
			"a labelled table":                      {func(d declared) { d.staff.WithLabel("person") }, true, "[sealed]"},
			"a labelled table, whose key is hidden": {func(d declared) { d.staff.WithLabel("person") }, false, "[sealed]"},
			"another labelled column":               {func(d declared) { d.note.WithLabel("person") }, true, "1001"},
			"no label":                              {func(declared) {}, true, "1001"},
		} {
			w := fresh(t, e, false)
			d := declare()
			c.label(d)
			members := []exosql.Member[staff]{d.salary, d.note, d.name}
			if c.shown {
				members = append(members, d.id)
			}
			f := exosql.NewFacet(d.staff, "staff", members...).AllowUpdate(d.salary).Approve(exosql.ApproveAlways())
			w.tool = w.toolOf("user:1", codemode.Grants{"staff": d.ours(w, f)}, "person")
			x := w.prepared(`return staff.where({ name: "ada" }).update({ salary: 111 })`)
			r := x.Set.Parts[0].Rows[0]
			if r.Key != c.want {
				t.Errorf("%s: the key is %s, want %s", name, r.Key, c.want)
			}
			for _, cell := range r.Cells {
				if *cell.Before == "1001" && slices.Contains(cell.Label, "person") != (c.want == "[sealed]") {
					t.Errorf("%s: %s has the label %q", name, fmt.Sprint(cell.Name, *cell.Before), cell.Label)
				}
			}
			if res, err := w.apply(x); err != nil || res.Err != nil {
				t.Errorf("%s: %v %v", name, err, res.Err)
			}
		}
	})
}
