package approvals_test

// This file has NULL, which a person must be able to tell from the text "null".

import (
	"strings"
	"testing"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestNullIsNoText: a program that writes the text "null" over NULL, or NULL over that text, has a change set that shows it. By their texts alone both
// values are equal.
func TestNullIsNoText(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, back := range []bool{false, true} {
			w := open(t, e)
			program := `return staff.where({ name: "ada" }).update({ salary: 100, note: "null" })`
			if back {
				w.exec(`UPDATE staff SET note = 'null' WHERE id = 1001`)
				program = `return staff.where({ name: "ada" }).update({ salary: 100, note: null })`
			}
			x := w.prepared(program)
			if len(x.Set.Parts[0].Rows) != 1 {
				t.Fatalf("%+v: the row is not shown", x.Set.Parts[0].Rows)
			}
			c := x.Set.Parts[0].Rows[0].Cells[3]
			if !c.Changed() || c.WasNull == back || c.IsNull != back || *c.Before != *c.After {
				t.Errorf("%+v", c)
			}
			w.exec(`UPDATE staff SET note = 'other' WHERE id = 1001`)
			res, err := w.tool.Apply(t.Context(), x.ID, x.Digest(), boss)
			if want := map[bool]string{false: `note from "other" to "null"`, true: `note from "other" to null`}[back]; err != nil || res.Err == nil || !strings.Contains(differs(res.Err), want) {
				t.Errorf("%v: %s", err, differs(res.Err))
			}
		}
	})
}
