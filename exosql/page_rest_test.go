package exosql_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPagesAfter: pages after a search, after a tree, and after groups of groups are together what execute gives: the rank and the
// depth are values of the order like others.
func TestPagesAfter(t *testing.T) {
	many := fewLetters
	for i := range 20 {
		many = append(many, [2]any{fmt.Sprint("payment ", i%3), fmt.Sprint("failed", []string{"", " payment", " failed payment failed"}[i%3])})
	}
	below := "staff.where(s => s.id === 1).reports().recursive()"
	groups := "notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count(), f: g.min(n => n.folderId) }))"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		mail := openLetters(t, e, many)
		tree := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(staffSQL()...)})
		noted := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 200)...)})
		for _, x := range []struct {
			grants  map[string]exo.Object
			queries []string
		}{
			{map[string]exo.Object{"letters": letterFacet.Of(exosql.Grant(mail, letters, letterOwner.Eq(1)))}, []string{
				"letters.search('payment')", "letters.search('payment failed').select(l => l.id)", "letters.search('payment -refund').select(l => ({ id: l.id, r: l.rank() }))",
				"letters.search('pay*').orderBy(l => l.subject)", "letters.search('pay*').orderBy(l => l.body.desc())", "letters.search('failed').where(l => l.id > 2)", "letters.where(l => l.search('payment') && l.id > 2).orderBy(l => l.rank('failed').desc())",
				"letters.search('payment').limit(9)", "letters.search('payment').limit(9).orderBy(l => l.id.desc())", "letters.search('payment').groupBy(l => l.subject).select(g => ({ s: g.subject, n: g.count() }))",
				"letters.search('payment').distinctBy(l => l.subject)", "letters.search('payment').select(l => ({ s: l.subject })).distinct()", "letters.search('zebra')",
			}},
			{staffOf(tree, 1), []string{
				below, below + ".orderBy(s => s.depth)", below + ".orderBy(s => s.depth.desc())", below + ".orderBy(s => [s.depth.desc(), s.name])", below + ".select(s => ({ id: s.id, d: s.depth }))", below + ".orderBy('depth', 'desc').select(s => s.name)",
				below + ".where(s => s.depth > 1)", below + ".groupBy(s => s.depth).select(g => ({ d: g.depth, n: g.count() }))", below + ".countBy('depth')", below + ".limit(3)", below + ".manager()", below + ".join(({ employee }) => employee.manager().as('boss'))",
				"staff.reports().recursive()", "staff.where(s => s.id === 12).manager().recursive()", "staff.where(s => s.id === 31).reports().recursive()", "staff.where(s => s.id === 1).reports().recursive(1)",
			}},
			{kit.NotesOf(noted, 1, false), []string{
				groups + ".groupBy(r => r.n).select(g => ({ n: g.n, k: g.count() }))", groups + ".groupBy(r => r.f).select(g => ({ f: g.f, s: g.sum(r => r.n), l: g.max(r => r.c) })).orderBy(g => g.s.desc())", groups + ".countBy(r => r.n)",
				"notes.groupBy(n => n.code).groupBy(g => ({ n: g.count() })).select(g => ({ n: g.n, codes: g.count() }))", "notes.groupBy(n => n.due).groupBy(g => g.max(n => n.code)).select(g => ({ n: g.count() }))",
				groups + ".groupBy(r => r.n).select(g => ({ n: g.n, k: g.count() })).groupBy(r => r.k).select(g => ({ k: g.k, m: g.count() }))", groups + ".where(r => r.n > 1).groupBy(r => r.f)", groups + ".select(r => ({ n: r.n })).distinct()",
			}},
		} {
			r := tu.NewRunner(t, x.grants, exo.Limits{Calls: 100_000})
			for k, q := range x.queries {
				o := r.Run(t, kit.InPages+"const q = "+q+"; const all = await q.limit(100000).execute(), failed = []; for (const n of ["+fmt.Sprint(1+k%3, ", ", 2+k%7)+", 1000]) { const s = same(await inPages(q, n), all); if (s !== true) failed.push([n, s]) } return failed")
				if o.JSON != "[]" {
					t.Errorf("%s: %.1000s", q, o)
				}
			}
		}
	})
}
