package exosql_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// regroupPrograms group and add up what select named, and groups themselves.
var regroupPrograms = []string{
	"notes.select(n => ({ c: n.code, y: n.text.includes('9') })).groupBy(r => r.y)",
	"notes.select(n => ({ c: n.code, y: n.text.includes('9') })).groupBy(r => ({ y: r.y, z: r.c.includes('1') })).select(g => ({ y: g.y, m: g.max(r => r.c.lower()) }))",
	"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.where(n => n.text.includes('9')).count() })).groupBy(r => r.n).select(g => ({ n: g.n, codes: g.count(), l: g.max(r => r.c) }))",
	"notes.groupBy(n => n.text.includes('9')).groupBy(g => g.max(n => n.text.includes('1') ? 1 : 0))",
	"notes.groupBy(n => n.folder().name).groupBy(g => g.sum(n => n.text.includes('9') ? 1 : 0)).where(g => g.count() > 0)",
	"notes.orderBy(n => n.text).limit(9).select(n => ({ t: n.text.lower() })).distinct().groupBy(r => r.t)",
}

// TestOpenRegroups: nothing in groups of groups is tried on a row out of scope.
func TestOpenRegroups(t *testing.T) { springsNoTrap(t, regroupPrograms) }

// TestRegroupReads: how much is read for groups of groups depends on no value of others.
func TestRegroupReads(t *testing.T) { readsAlike(t, regroupPrograms) }

// TestRegroups: groups and aggregates are of what select shows, too, and of groups, in every way to write them.
func TestRegroups(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 10), "DELETE FROM notes",
			"INSERT INTO notes VALUES (1, 1, 1, 'a', 'x', 1), (2, 1, 1, 'b', 'x', 2), (3, 1, 11, 'c', 'y', 3), (4, 1, 11, 'd', 'z', NULL), (5, 1, 1, 'e', 'y', 9), (6, 2, 1, 'f', 'x', 100)")...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for program, want := range map[string]string{
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).groupBy(r => r.n).select(g => ({ n: g.n, codes: g.count() })).orderBy(r => r.n)": `[{"codes":1,"n":1},{"codes":2,"n":2}]`,
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).groupBy('n').select(g => ({ n: g.n, codes: g.count() })).orderBy('n')":           `[{"codes":1,"n":1},{"codes":2,"n":2}]`,
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).countBy(r => r.n).orderBy(g => g.n)":                                             `[{"count":1,"n":1},{"count":2,"n":2}]`,
			"notes.groupBy(n => n.code).groupBy(g => ({ n: g.count() })).select(g => ({ n: g.n, codes: g.count(), last: g.max(r => r.code) })).orderBy(r => r.n)":   `[{"codes":1,"last":"z","n":1},{"codes":2,"last":"y","n":2}]`,
			"notes.groupBy(n => n.code).avg(g => g.count())":                                                                                                                          `1.6666666666666667`,
			"notes.groupBy(n => n.code).max(g => g.sum(n => n.due))":                                                                                                                  `12`,
			"notes.groupBy(n => n.code).select(g => ({ n: g.count(), s: g.sum(n => n.due) })).sum(r => r.n)":                                                                          `5`,
			"notes.groupBy(n => n.code).select(g => ({ n: g.count(), s: g.sum(n => n.due) })).max(({ s }) => s)":                                                                      `12`,
			"notes.groupBy(n => n.code).select(g => ({ n: g.count(), s: g.sum(n => n.due) })).sum('n')":                                                                               `5`,
			"notes.groupBy(n => n.code).select(g => ({ n: g.count() })).where(r => r.n > 1).groupBy(r => r.n).select(g => ({ n: g.n, x: g.sum(r => r.n) }))":                          `[{"n":2,"x":4}]`,
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).orderBy(r => [r.n.desc(), r.c]).limit(2).sum(r => r.n)":                                            `4`,
			"notes.select(n => ({ big: n.due > 2 })).groupBy(r => r.big).select(g => ({ big: g.big, n: g.count() })).orderBy(r => r.n)":                                               `[{"big":true,"n":2},{"big":false,"n":3}]`,
			"notes.select(n => ({ twice: n.due * 2 })).sum(r => r.twice)":                                                                                                             `30`,
			"notes.select(n => ({ c: n.code })).distinct().count()":                                                                                                                   `3`,
			"notes.select(n => ({ c: n.code })).distinct().max(r => r.c)":                                                                                                             `"z"`,
			"notes.select(n => ({ c: n.code })).distinct().groupBy(r => r.c).select(g => ({ c: g.c, n: g.count() })).orderBy(r => r.c).first()":                                       `{"c":"x","n":1}`,
			"notes.select(n => ({ c: n.code, due: n.due })).groupBy(n => n.code).select(g => ({ c: g.code, s: g.sum(n => n.due) })).orderBy(g => g.c).first()":                        `{"c":"x","s":3}`,
			"notes.groupBy(n => n.code).select(g => ({ n: g.count() })).groupBy(r => r.n).select(g => ({ n: g.n, k: g.count() })).groupBy(r => r.k).count()":                          `2`,
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).groupBy(r => r.n).select(g => ({ n: g.n, l: g.collect(r => r.c) })).orderBy(r => r.n)":             `[{"l":["z"],"n":1},{"l":["x","y"],"n":2}]`,
			"notes.groupBy(n => n.code).select(g => ({ c: g.code, n: g.count() })).groupBy(r => r.n).select(g => ({ n: g.n, w: g.where(r => r.c > 'x').count() })).orderBy(r => r.n)": `[{"n":1,"w":1},{"n":2,"w":1}]`,
			"notes.select(n => ({ c: n.code })).union(folders.select(f => ({ c: f.name }))).groupBy(r => r.c.length).count()":                                                         `2`,
			"notes.where(n => n.due > notes.groupBy(x => x.code).avg(g => g.count())).count()":                                                                                        `3`,
			"notes.where(n => n.id > notes.select(x => ({ d: x.due })).avg(r => r.d)).count()":                                                                                        `2`,
			"folders.orderBy(f => f.id).limit(1).select(f => ({ s: f.notes().select(n => ({ d: n.due })).sum(r => r.d) }))":                                                           `[{"s":12}]`,
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 || !tu.SameJSON(o.JSON, want) || len(o.SQL) != 1 {
				t.Errorf("%s\n%v\nwant %s\n%v", program, o, want, o.SQL)
			}
		}
	})
}
