package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// setPrograms combine queries, with conditions, orders and limits in each and on what they give together.
var setPrograms = []string{
	"notes.where(n => n.text.includes('9')).select(n => ({ id: n.id, t: n.text })).union(folders.where(f => f.name.includes('1')).select(f => ({ id: f.id, t: f.name })))",
	"notes.select(n => ({ d: n.due })).union(notes.select(n => ({ d: n.due }))).orderBy(r => r.d).limit(3)",
	"notes.select(n => ({ d: n.due, c: n.code })).unionAll(notes.select(n => ({ d: n.id, c: n.text }))).where(r => r.c.includes('9') || r.d > 990)",
	"notes.select(n => n.due).intersect(notes.where(n => n.code === 'c1').select(n => n.due))",
	"notes.select(n => n.due).except(notes.where(n => n.text.includes('9')).select(n => n.due))",
	"folders.select(f => f.id).except(notes.where(n => n.text.includes('99')).select(n => n.folderId))",
	"notes.orderBy(n => n.due.desc()).limit(3).select(n => ({ id: n.id, c: n.code })).unionAll(notes.orderBy(n => n.text).limit(3).select(n => ({ id: n.id, c: n.text }))).orderBy(r => [r.c, r.id])",
	"notes.select(n => ({ c: n.code, d: n.due })).unionAll(notes.select(n => ({ c: n.text, d: n.due }))).where(r => r.d > 100).groupBy(r => r.c).select(g => ({ c: g.c, n: g.count(), m: g.max(r => r.d) }))",
	"notes.where(n => n.folderId.in(folders.select(f => f.id).union(notes.select(n => n.folderId))) && n.text.includes('9'))",
	"notes.select(n => n.due).union(notes.select(n => n.id)).union(folders.select(f => f.id)).intersect(notes.where(n => n.text.includes('9')).select(n => n.id))",
}

// TestOpenSets: no condition of either query, nor one on what they give together, is tried on a row out of scope.
func TestOpenSets(t *testing.T) { springsNoTrap(t, setPrograms) }

// TestSetReads: how much is read depends on no value of others.
func TestSetReads(t *testing.T) { readsAlike(t, setPrograms) }

// TestSetBounds: how many queries are combined is bounded, in one another and beside one another.
func TestSetBounds(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.As(t, e.Open(t), tu.Acme, exo.Limits{})
		chain, tree := "tasks.select(t => t.id)", "tasks.select(t => t.id)"
		for range 4 {
			chain += ".unionAll(tasks.select(t => t.id))"
		}
		for range 5 {
			tree = tree + ".unionAll(" + tree + ")"
		}
		for program, kind := range map[string]fail.Kind{chain: 0, tree: fail.Limit, chain + strings.Repeat(".unionAll(tasks.select(t => t.id))", 40): fail.Limit} {
			if o := r.Run(t, "return await "+program+".count()"); o.Kind != kind || kind == 0 && o.JSON != "25" {
				t.Errorf("%.80s: %v", program, o)
			}
		}
	})
}

// TestSetsOfLists: what can't be compared is refused for what it is.
func TestSetsOfLists(t *testing.T) {
	r := tu.As(t, tu.Open(t), tu.Acme, exo.Limits{})
	for _, shown := range []string{"t.comments()", "t.comments().first()", "t.assignee()"} {
		q := "tasks.select(t => ({ x: " + shown + " }))"
		if o := r.Run(t, "return await "+q+".union("+q+")"); o.Kind != fail.Invalid || !strings.Contains(o.Message, "`x` is a list of rows") {
			t.Errorf("%s: %s", shown, o)
		}
	}
}

// TestSetsOfOtherScopes: each of two queries has the rows of its own grant, whichever comes first.
func TestSetsOfOtherScopes(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t)
		acme, bolt := tu.Tenant(db, tu.Acme), tu.Tenant(db, tu.Bolt)
		r := tu.NewRunner(t, map[string]exo.Object{"tasks": acme["tasks"], "theirs": bolt["tasks"], "others": bolt["people"]}, exo.Limits{})
		o := r.Run(t, `const ours = tasks.select(t => ({ id: t.id, s: t.status })), them = theirs.select(t => ({ id: t.id, s: t.status })), by = r => r.id;
return [await ours.union(them).orderBy(by).select(by), await them.unionAll(ours).count(), await ours.intersect(them), await them.except(ours).orderBy(by).select(by),
  await tasks.select(t => t.status).intersect(theirs.select(t => t.status)).count(), await others.select(p => ({ id: p.id })).union(tasks.select(t => ({ id: t.id }))).where(r => r.id < 1002).orderBy(by)]`)
		if want := `[[1001,1002,1003,1004,1090,2001,2002,2090],8,[],[2001,2002,2090],2,[{"id":21},{"id":22},{"id":1001}]]`; o.JSON != want {
			t.Errorf("%v, want %s", o, want)
		}
	})
}
