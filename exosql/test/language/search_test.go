package language_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestSearchIsBounded: what is looked for is short, whether a program or a row says it,
// and what is put together to be looked through has a bound: nothing stops PostgreSQL
// within one row.
func TestSearchIsBounded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		long := strings.Repeat("n", 200)
		r := tu.As(t, e.Open(t, "INSERT INTO tasks VALUES (1005, 101, NULL, '"+long+"', 'open', FALSE, 1, NULL), (1006, 101, NULL, 'm"+long+"', 'open', FALSE, 1, NULL)"), tu.Acme, exo.Limits{})
		for program, want := range map[string]string{
			"tasks.where(t => t.title.includes('n'.repeat(200))).count()":                                                                                                          "2",
			"tasks.where(t => t.title.includes('n'.repeat(201))).count()":                                                                                                          "longer than 200 bytes",
			"tasks.where(t => t.title.startsWith('n'.repeat(201)) || t.title.endsWith('m'.repeat(201))).count()":                                                                   "0",
			"tasks.where(t => t.id >= 1005 && t.id <= 1006 && t.title.includes(t.title)).count()":                                                                                  "1", // the text of 1006 is longer
			"tasks.where(t => t.id === 1006 && t.title.startsWith(t.title)).count()":                                                                                               "1",
			"tasks.where(t => { let s = t.title; for (let i = 0; i < 20; i++) s = s + 'x'.repeat(200000); return s.includes('y') }).count()":                                       "0",
			"tasks.where(t => { let c = t.done; for (const x of 'abcdefghijklmnopqrstuvwxyz0123456789') c = c.or(t.title.ilike(x)).or(t.title.lower().eq(x)); return c }).count()": "1",
			"tasks.select(t => ({ s: `${t.title} ${t.status} ${t.title} ${t.status} ${t.title} ${t.status} ${t.title} ${t.status} ${t.title} ${t.status}`.length })).count()":      "7",
		} {
			if o := r.Run(t, "return await "+program); o.JSON != want && !strings.Contains(o.Message, want) {
				t.Errorf("%.120s: %v, want %s", program, o, want)
			}
		}
		// Each of these is done often, and not without end.
		for _, op := range []string{"includes('q!')", "like('q!%')", "ilike('q!%')", "lower().eq('q!')", "upper().eq('q!')", "length.eq(3)", "trim().eq('q!')", "startsWith('q!')", "eq('q!')", "in(['q!'])"} {
			for times, want := range map[int]string{12: "1", 80: "puts together"} {
				o := r.Run(t, fmt.Sprintf("return await tasks.where(t => { let s = t.title; for (let i = 0; i < 4; i++) s = s + 'x'; let c = t.done; for (let i = 0; i < %d; i++) c = c.or(s.%s); return c }).count()", times, op))
				if o.JSON != want && !strings.Contains(o.Message, want) {
					t.Errorf("%s, %d times: %v", op, times, o)
				}
			}
		}
		// One row must not take the host's memory.
		many := strings.Repeat("s, ", 40) + "s"
		for _, x := range []string{"t.status.in([" + many + "])"} {
			if o := r.Run(t, "return await tasks.where(t => { let s = t.title.concat(t.title, t.title, t.title); s = s.concat(s, s, s); return "+x+" }).count()"); o.Kind != fail.Limit {
				t.Errorf("%s: %v", x, o)
			}
		}
	})
}
