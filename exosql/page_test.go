package exosql_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestPagesOfEachExpression: whatever rows can be sorted by, pages of them together are the whole list, each row once, with ties and
// nulls, in both directions.
func TestPagesOfEachExpression(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var more []string
		for i := range 3 { // ties, of which one row has another id first
			more = append(more, fmt.Sprintf("INSERT INTO things SELECT %d - id, n, big, f, d, s, b, at, day, iv, u, raw, j, tags, nums, ds FROM things WHERE id < 5", 20*(i+1)))
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append([]string{kit.ThingsSQL(e)}, more...)...)})
		r := tu.NewRunner(t, map[string]exo.Object{"things": kit.ThingFacet().Of(exosql.Grant(db, kit.Things, exosql.AllRows[kit.Thing]()))}, exo.Limits{Calls: 100000})
		n, share := 0, tu.OneIn(t, 6)
		for k, x := range kit.Expressions {
			if !share.Next() {
				continue
			}
			sizes := []string{"1, 5", "3, 16"}[k%2]
			o := r.Run(t, kit.InPages+`const failed = [];
for (const q of [things.orderBy(t => (`+x.Expr+`).asc()), things.orderBy(t => (`+x.Expr+`).desc()), things.orderBy(t => [t.b, (`+x.Expr+`).desc(), t.id]), things.orderBy(t => [(`+x.Expr+`), t.n.desc()])]) {
  const ids = q.select(t => t.id), all = await ids.limit(1000).execute();
  for (const size of [`+sizes+`]) { const s = same(await inPages(ids, size), all); if (s !== true) failed.push([size, s]); }
}
return failed`)
			if o.Kind == fail.Denied && strings.Contains(o.Message, "no member `asc`") {
				continue
			}
			if n++; o.JSON != "[]" {
				t.Errorf("%s: %s", x.Expr, o)
			}
		}
		if n < share.Of(len(kit.Expressions)*3/4) {
			t.Errorf("%d of %d expressions were sorted by", n, len(kit.Expressions))
		}
	})
}

// pagedQueries are queries of each form, with orders that are not total.
var pagedQueries = []string{
	"notes", "notes.orderBy(n => n.due)", "notes.orderBy(n => n.due.desc())", "notes.orderBy(n => [n.code, n.due.desc()])", "notes.orderBy(n => [n.due.desc(), n.code])",
	"notes.orderBy(n => n.due).orderBy(n => n.id.desc())", "notes.orderBy(n => n.due).orderBy(n => n.due.desc())", "notes.where(n => n.due !== null).orderBy(n => n.due.desc())",
	"notes.orderBy(n => n.text.length).where(n => n.text.includes('9'))", "notes.where(n => n.text.includes('9')).orderBy(n => n.due.desc())",
	"notes.orderBy(n => n.folder().name)", "notes.orderBy(n => [n.folder().name.desc(), n.due])", "folders.orderBy(f => f.notes().count().desc())", "folders.orderBy(f => f.notes().max(n => n.due))",
	"notes.join(({ note }) => note.folder()).orderBy(({ folder, note }) => [folder.name, note.due.desc()])", "folders.join(({ folder }) => folder.notes()).orderBy(({ note }) => note.due)",
	"folders.leftJoin(({ folder }) => folder.notes().where(n => n.due > 900)).orderBy(({ note }) => note.due.desc())",
	"folders.leftJoin(({ folder }) => folder.notes().where(n => n.due > 900)).orderBy(({ note }) => [note.due, note.code])",
	"folders.leftJoin(({ folder }) => folder.notes().where(n => n.due > 900))",
	"notes.select(n => ({ d: n.due })).distinct().orderBy(n => n.due.desc())", "notes.select(n => n.code).distinct()", "notes.orderBy(n => n.code.desc()).select(n => ({ c: n.code })).distinct()",
	"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() }))", "notes.groupBy(n => n.due).select(g => ({ d: g.due, n: g.count() })).orderBy(g => g.count().desc())",
	"notes.groupBy(n => ({ d: n.due, c: n.code })).orderBy(g => g.d.desc())", "notes.groupBy(n => n.folderId).select(g => ({ f: g.folderId, a: g.avg(n => n.due) })).orderBy(g => g.avg(n => n.due).desc())",
	"notes.groupBy(n => n.folderId).select(g => ({ f: g.folderId, all: g.collect(n => n.id) }))", "notes.countBy(n => n.due)",
	"notes.orderBy(n => n.due).limit(30)", "notes.orderBy(n => n.due.desc()).offset(7)", "notes.orderBy(n => n.due).limit(30).orderBy(n => n.code.desc())", "notes.orderBy(n => n.code).offset(3).limit(20).where(n => n.due > 100)",
	"notes.orderBy(n => n.due.desc()).distinctBy(n => n.code)", "notes.orderBy(n => n.due).partitionBy(n => n.code).where(({ window }) => window.rowNumber() < 3).select(({ note, window }) => ({ i: note.id, r: window.rowNumber() }))",
	"notes.orderBy(n => n.due).partitionBy(n => n.code).orderBy(({ window }) => window.rowNumber().desc()).select(({ note, window }) => ({ i: note.id, r: window.rowNumber() }))",
	"notes.select(n => ({ d: n.due, c: n.code })).union(notes.select(n => ({ d: n.id, c: n.text }))).orderBy(r => r.d.desc())", "notes.select(n => n.due).intersect(notes.select(n => n.due))", "notes.select(n => n.due).except(notes.where(n => n.due > 500).select(n => n.due))",
	"folders.notes().orderBy(n => n.code)", "notes.where(n => n.folderId.in(folders.where(f => f.name.includes('1')).select(f => f.id))).orderBy(n => n.code)",
	"folders.select(f => ({ name: f.name, notes: f.notes().orderBy(n => n.due.desc()).limit(2) }))", "folders.limit(3).select(f => ({ name: f.name, notes: f.notes().limit(1) }))", "notes.orderBy(n => n.code).select(n => ({ n: n, f: { name: n.folder().name } }))",
	"notes.where(n => n.due === null).orderBy(n => n.due)", "notes.where(n => n.due === null).orderBy(n => n.due.desc())", "notes.where(n => n.id === -1)", "notes.as('x').orderBy(x => x.code)", "notes.orderBy(n => n.due > 500)",
}

// TestPagesTogether: pages of each form of query together are what execute gives in the same order, whatever their size, and of
// every plan: open, guarded and fenced.
func TestPagesTogether(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			t.Run(name, func(t *testing.T) {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(kit.NotesSQL(e, 200, indexes...)...)})
				tiers, share := map[string]int{}, tu.OneIn(t, 6)
				for i, grants := range []map[string]exo.Object{kit.NotesOf(db, 1, false), kit.NotesOf(db, 1, true), notesVia(db, 1)} {
					r := tu.NewRunner(t, grants, exo.Limits{Calls: 100000})
					for k, q := range pagedQueries {
						if !share.Next() {
							continue
						}
						// Ties have the order of limit: by the keys, in the direction of the last term.
						o := r.Run(t, kit.InPages+"const q = "+q+"; const all = await q.limit(100000).execute(), failed = []; for (const n of ["+fmt.Sprint(1+(k+i)%6, ", ", 2+k%11)+", 1000]) { const s = same(await inPages(q, n), all); if (s !== true) failed.push([n, s]) } return failed")
						if o.JSON != "[]" {
							t.Errorf("%s: %.2000s", q, o)
						}
						for _, x := range o.SQL {
							tiers[exosql.Tier(x)]++
						}
					}
				}
				t.Log(tiers)
			})
		}
	})
}

// TestPagesRandom: the same of random orders over random rows with many ties and nulls.
func TestPagesRandom(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	terms := []string{"n.due", "n.code", "n.text", "n.folderId", "n.id", "n.due > 1", "n.folder().name", "n.due + n.folderId", "n.code.length"}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		type opened struct {
			hand *sql.DB
			r    [2]*tu.Runner
		}
		dbs := map[string]opened{}
		for name, indexes := range notesIndexSets {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 40, indexes...)...)})
			limits := exo.Limits{Calls: 100000}
			dbs[name] = opened{e.SQLDB(t, url), [2]*tu.Runner{tu.NewRunner(t, kit.NotesOf(db, 1, false), limits), tu.NewRunner(t, kit.NotesOf(db, 1, true), limits)}}
		}
		rapid.Check(t, func(rt *rapid.T) {
			rows := []string{"DELETE FROM notes"}
			value := rapid.SampledFrom([]string{"NULL", "1", "2", "3"})
			word := rapid.SampledFrom([]string{"''", "'a'", "'b'", "'A'", "'ab'", "'é'"})
			for i := range rapid.IntRange(0, 14).Draw(rt, "rows") {
				rows = append(rows, fmt.Sprintf("INSERT INTO notes VALUES (%d, %d, %d, %s, %s, %s)", i, rapid.IntRange(1, 2).Draw(rt, "owner"), rapid.SampledFrom([]int{1, 11, 21}).Draw(rt, "folder"), word.Draw(rt, "text"), word.Draw(rt, "code"), value.Draw(rt, "due")))
			}
			db := dbs[rapid.SampledFrom([]string{"scope", "none", "other", "links"}).Draw(rt, "indexes")]
			if _, err := db.hand.Exec(strings.Join(rows, ";")); err != nil {
				rt.Fatal(err)
			}
			r := db.r[rapid.IntRange(0, 1).Draw(rt, "fenced")]
			var by []string
			for range rapid.IntRange(1, 3).Draw(rt, "terms") {
				by = append(by, "("+rapid.SampledFrom(terms).Draw(rt, "term")+")"+rapid.SampledFrom([]string{".asc()", ".desc()"}).Draw(rt, "direction"))
			}
			q := "notes.orderBy(n => [" + strings.Join(by, ", ") + "])"
			o := r.Run(t, kit.InPages+"const q = "+q+"; return same(await inPages(q, "+fmt.Sprint(rapid.IntRange(1, 5).Draw(rt, "size"))+"), await q.limit(1000).execute())")
			if o.JSON != "true" {
				rt.Fatalf("%s: %s", q, o)
			}
		})
	})
}
