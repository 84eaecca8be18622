package exoeval_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestOtherSpellings: a column that a program calls as the database may, and not as it is declared, is an error wherever the row is read: undefined
// would be left out of sums and filters without a word. What is no column, what JSON has, and what the program added itself, is as in JavaScript.
func TestOtherSpellings(t *testing.T) {
	testutil.Engines(t, func(t *testing.T, e testutil.Engine) {
		r := testutil.As(t, e.Open(t), testutil.Acme, exo.Limits{})
		for program, want := range map[string]string{
			"const c = await org.projects().tasks().comments(); return c.filter(x => x.created_at).length":                                                                                                                                  "! there is no `created_at` here; did you mean `createdAt`?",
			"const c = await org.projects().tasks().comments(); return c.map(x => x.CreatedAt)":                                                                                                                                             "! there is no `CreatedAt` here; did you mean `createdAt`?",
			"const c = await org.projects().tasks().comments(); return Object.groupBy(c, x => x.createdat)":                                                                                                                                 "! did you mean `createdAt`?",
			"return (await org.projects().tasks().comments().first()).created_at":                                                                                                                                                           "! did you mean `createdAt`?",
			"const [{ created_at }] = await org.projects().tasks().comments(); return created_at":                                                                                                                                           "! did you mean `createdAt`?",
			"const p = await org.projects().tasks().comments().page(1); return p.rows[0].created_at":                                                                                                                                        "! did you mean `createdAt`?",
			"const c = await org.projects().tasks().comments().select(c => ({ at: { createdAt: c.createdAt } })); return c[0].at.created_at":                                                                                                "! did you mean `createdAt`?",
			"const c = await tasks.select(t => ({ total: t.priority, rowNo: t.id })); return c.map(x => x.row_no)":                                                                                                                          "! did you mean `rowNo`?",
			"const c = await org.projects().tasks().comments(); return [typeof c[0].nothing, c[0].nothing ?? 1, 'created_at' in c[0], Object.hasOwn(c[0], 'created_at'), `${c[0]}`, typeof c[0].valueOf]":                                   `["undefined",1,false,false,"[object Object]","function"]`,
			"const c = await org.projects().tasks().comments(); for (const x of c) x.created_at = 1; return [c[0].created_at, Object.keys(c[0]).includes('created_at')]":                                                                    `[1,true]`,
			"const [c] = await org.projects().tasks().comments(); const o = { ...c }; return typeof o.created_at":                                                                                                                           `"undefined"`,
			"const [c] = await org.projects().tasks().comments().select(c => ({ createdAt: 1 })); const { createdAt, ...rest } = c; const names = []; for (const n in c) names.push(n); return [createdAt, rest, names, JSON.stringify(c)]": `[1,{},["createdAt"],"{\"createdAt\":1}"]`,
		} {
			o := r.Run(t, program)
			if why, fails := strings.CutPrefix(want, "! "); fails && !strings.Contains(o.Message, why) || !fails && (o.Kind != 0 || !testutil.SameJSON(o.JSON, want)) {
				t.Errorf("%s\n got  %s\n want %s", program, o, want)
			}
		}
	})
}
