package codemode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// TestCausesSayWhere: the host is told where in the program, as it was handed in, a label came from, and where a sealed value was given. In a
// worker it is told the same as in process, and the program nothing of it.
func TestCausesSayWhere(t *testing.T) {
	const asked = ", people.first, as Person.pay"
	for _, c := range []struct{ program, want string }{
		{"return people\n .where(p => p.pay > 1).count()", "call 1 (line 2:30), people.where(…).count, which reads Person.pay"},
		{"const p: any = await people.first();\nconst s = 'é𝒳'; return await reveal(p.pay)", "call 2 (line 2:37), reveal, of a value given by call 1 (line 1:34)" + asked},
		{"const p = await people.first();\nconst t = await text`pay: ${p.pay}`;\nreturn reveal(t)",
			"call 3 (line 3:14), reveal, of a value given by call 2 (line 2:31), text and one given by call 1 (line 1:29)" + asked},
		{"const q = people.select(p => ({ a: p.id, b: p.pay }));\nconst rows = await q.limit(1);\nreturn reveal(rows)", "call 2 (line 3:14), reveal, of a value given by call 1 (line 2:14), people.select(…).limit(…).execute, as Person.pay"},
		{"return people.sum(p => p.pay)", "call 1 (line 1:18), people.sum, which reads Person.pay"},
		{"return people.where(p => p.pay > 1)", "call 1 (line 1:20), people.where(…).execute, which reads Person.pay"}, // sent as it is returned
	} {
		for _, inProcess := range []bool{true, false} {
			var events []exo.Entry
			tool, err := codemode.New(sealedGrants(t, func(int64) error { return nil }), &codemode.Options{Evaluator: evaluator(inProcess),
				Record: exo.RecordFunc(func(e exo.Entry) error { events = append(events, e); return nil })})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			if got := fmt.Sprint(r.Causes); got != "[pay: by "+c.want+"]" {
				t.Errorf("in process %v, %s:\n%s, want\n%s", inProcess, c.program, got, c.want)
			}
			last := events[len(events)-1]
			if fail.KindOf(r.Err) != fail.Denied || strings.Contains(fail.GuestText(r.Err), "Person.pay") || !strings.Contains(fail.GuestText(r.Err), "was the first") || last.Err == nil || !strings.Contains(fmt.Sprint(last.Err), c.want) {
				t.Errorf("%v, on record %v", r.Err, last.Err)
			}
			for _, e := range events {
				if (e.Pos.Line > 0) != (e.Call > 0) || e.Pos.Text != "" {
					t.Errorf("%v of call %d at %v", e.Step, e.Call, e.Pos)
				}
			}
		}
	}
}
