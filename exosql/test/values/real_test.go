package values_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestReal: a column of PostgreSQL's type real is one number, the one that it is written as, wherever it is shown, compared, calculated with,
// sorted, paged and written. As a double 0.1 would be 0.10000000149011612, which no condition on 0.1 finds. The twin is a column of doubles.
func TestReal(t *testing.T) {
	for _, of := range []string{"real", "double precision"} {
		db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE items (id int PRIMARY KEY, r "+of+", f double precision)",
			"INSERT INTO items VALUES (1, 0.1, 0.1), (2, 0.1, 0.2), (3, 1, 1), (4, NULL, NULL), (5, -16777216.5, 3), (6, 3.4e38, 1e300), (7, 1e-45, 0)")})
		tables := dynamic.New(kit.Get(db.Catalog(t.Context())))
		f := kit.Get(kit.Get(tables.Table("items", dynamic.ColumnSpec{Name: "r", UnscopedLookup: true})).Facet("item", "id", "r", "f"))
		if err := f.AllowUpdate("r"); err != nil {
			t.Fatal(err)
		}
		r := tu.NewRunner(t, map[string]exo.Object{"items": kit.Get(f.Grant(db, dynamic.AllRows()))}, exo.Limits{})
		for program, want := range map[string]string{
			"items.where(i => i.id < 5).orderBy(i => i.id).select(i => i.r)":     "[0.1,0.1,1,null]",
			"items.where(i => i.r === 0.1).select(i => i.id).orderBy(i => i.id)": "[1,2]", "items.where({ r: 0.1 }).count()": "2", "items.where(i => [0.1, 7].includes(i.r)).count()": "2",
			"items.where(i => i.r <= 0.1 && i.r > 0.09).count()": "2", "items.where(i => i.r < 0.1 && i.r > -1).count()": "1", "items.where(i => i.r === i.f).select(i => i.id).orderBy(i => i.id)": "[1,3,4]",
			"items.where(i => i.id < 3).max(i => i.r)": "0.1", "items.where(i => i.id < 3).avg(i => i.r)": "0.1", "items.where(i => i.id < 4).sum(i => i.r)": "1.2", "items.where(i => i.id < 3).median(i => i.r)": "0.1",
			"items.where(i => i.id < 3).groupBy(i => i.r).select(g => ({ r: g.r, n: g.count(), most: g.max(i => i.r), all: g.collect(i => i.r) }))": `[{"r":0.1,"n":2,"most":0.1,"all":[0.1,0.1]}]`,
			"items.where(i => i.r === items.where(o => o.id === 2).max(o => o.r)).count()":                                                          "2",
			"items.orderBy(i => i.r, i => i.id).select(i => i.id)":                                                                                  "[4,5,7,1,2,3,6]",
			"items.where(i => i.id < 3).select(i => `${i.r * 3}`)":                                                                                  `["0.3","0.3"]`,
			"items.where(i => i.id === 6).first().then(i => i.r === 3.4e38)":                                                                        "true",
		} {
			if o := r.Run(t, "return await "+program); !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s: %s: %s, want %s", of, program, o, want)
			}
		}
		if o := r.Run(t, "await items.where(i => i.id === 1).ifUnchanged({ r: 0.1 }).update({ r: 0.3 }); return await items.where(i => i.r === 0.3).count()"); o.JSON != "1" {
			t.Errorf("%s: %s", of, o)
		}
		if o := r.Run(t, "return await items.where(i => i.id === 6).update({ r: 0 }), [await items.where(i => i.r < 0.3).count(), await items.where(i => !(i.r < 0.3)).count()]"); o.JSON != "[4,3]" {
			t.Errorf("%s: %s", of, o)
		}
		// Compared by a function, it is no condition to be tried on rows out of scope.
		scoped := tu.NewRunner(t, map[string]exo.Object{"items": kit.Get(f.Grant(db, dynamic.Lt("id", 5)))}, exo.Limits{})
		o := scoped.Run(t, "return await items.where(i => i.f > 0).where(i => i.r === 0.1).count()")
		inside, _, fenced := strings.Cut(o.SQL[0].SQL, "OFFSET 0")
		if o.JSON != "1" || !fenced || strings.Contains(inside, " AND (") != (of != "real") {
			t.Errorf("%s: %s: %s", of, o, o.SQL[0].SQL)
		}
		// Each row once, page by page, in the order of the column.
		if o := r.Run(t, "const seen = []; let next = null; do { const p = await items.orderBy(i => i.r).page(1, next); seen.push(p.rows[0].id); next = p.next } while (next); return seen.length + ' ' + new Set(seen).size"); o.JSON != `"7 7"` {
			t.Errorf("%s: %s", of, o)
		}
	}
}
