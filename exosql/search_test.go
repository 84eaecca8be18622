package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
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
			"tasks.where(t => t.title.includes('n'.repeat(200))).count()":                                                                    "2",
			"tasks.where(t => t.title.includes('n'.repeat(201))).count()":                                                                    "longer than 200 bytes",
			"tasks.where(t => t.title.startsWith('n'.repeat(201)) || t.title.endsWith('m'.repeat(201))).count()":                             "0",
			"tasks.where(t => t.id >= 1005 && t.id <= 1006 && t.title.includes(t.title)).count()":                                            "1", // the text of 1006 is longer
			"tasks.where(t => t.id === 1006 && t.title.startsWith(t.title)).count()":                                                         "1",
			"tasks.where(t => { let s = t.title; for (let i = 0; i < 20; i++) s = s + 'x'.repeat(200000); return s.includes('y') }).count()": "0",
			"tasks.where(t => { let s = t.title; for (let i = 0; i < 20; i++) s = s + 'x'; return s.includes('a') || s.includes('b') || s.includes('c') || s.includes('d') || s.includes('e') || s.includes('f') }).count()": "32 MiB",
			"tasks.where(t => { let s = t.title; for (let i = 0; i < 20; i++) s = s + 'x'; return s.like('a%') || s.like('b%') || s.like('c%') || s.like('d%') || s.like('e%') || s.like('f%') }).count()":                   "32 MiB",
			"tasks.where(t => t.title.ilike('%a%') || t.status.ilike('%b%') || t.title.ilike('%c%') || t.status.ilike('%d%') || t.title.ilike('%e%') || t.status.ilike('%f%')).count() ":                                     "5",
		} {
			if o := r.Run(t, "return await "+program); o.JSON != want && !strings.Contains(o.Message, want) {
				t.Errorf("%.120s: %v, want %s", program, o, want)
			}
		}
	})
}
