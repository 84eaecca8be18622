package values_test

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// heldAsked are programs that read, each with the answer for the times, days and flags above.
var heldAsked = []struct{ program, want string }{
	{`return held.where({ id: 1 }).select(t => ({ at: t.at, day: t.day, done: t.done })).first()`, `{"at":"2024-01-02T03:04:05.000Z","day":"2024-01-02","done":false}`},
	{`return held.orderBy(t => t.id).select(t => ({ a: t.at, d: t.day, f: t.done }))`, `[{"a":"2024-01-02T03:04:05.000Z","d":"2024-01-02","f":false},{"a":"2024-01-02T03:04:06.000Z","d":"2024-02-29","f":true},{"a":"2023-12-31T23:59:59.000Z","d":"2023-12-31","f":false},{"a":null,"d":null,"f":null},{"a":"1969-07-20T20:17:40.000Z","d":"1969-07-20","f":false},{"a":"2024-01-02T03:04:05.000Z","d":"2024-01-02","f":true}]`},
	{`return ids(held.where(t => t.at['='](at)).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at === at).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at.ne(at)).orderBy(t => t.id))`, `[2,3,5]`},
	{`return ids(held.where(t => t.at.in([at, new Date('1969-07-20T20:17:40Z')])).orderBy(t => t.id))`, `[1,5,6]`},
	{`return ids(held.where(t => t.at.notIn([at])).orderBy(t => t.id))`, `[2,3,5]`},
	{`return ids(held.where(t => t.at < at).orderBy(t => t.id))`, `[3,5]`},
	{`return ids(held.where(t => t.at <= at).orderBy(t => t.id))`, `[1,3,5,6]`},
	{`return ids(held.where(t => t.at > at).orderBy(t => t.id))`, `[2]`},
	{`return ids(held.where(t => t.at >= at).orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => at < t.at).orderBy(t => t.id))`, `[2]`},
	{`return ids(held.where(t => t.at > new Date(at.getTime() - 1)).orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => t.at < new Date(at.getTime() + 1)).orderBy(t => t.id))`, `[1,3,5,6]`},
	{`return ids(held.where(t => t.at.eq(new Date(at.getTime() + 1))).orderBy(t => t.id))`, `[]`},
	{`return ids(held.where(t => t.at.between(new Date('2023-12-31T23:59:59Z'), at)).orderBy(t => t.id))`, `[1,3,6]`},
	{`return ids(held.where({ at: '2024-01-02T03:04:05Z' }).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at.isNull()).orderBy(t => t.id))`, `[4]`},
	{`return ids(held.where(t => t.at.isNotNull()).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.where(t => t.at.eq(t.same)).orderBy(t => t.id))`, `[1,3,5]`},
	{`return ids(held.where(t => t.at < t.same).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.at.eq(t.iso)).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.where(t => t.iso < t.same).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.orderBy(t => [t.at, t.id]))`, `[4,5,3,1,6,2]`},
	{`return ids(held.orderBy(t => [t.at.desc(), t.id]))`, `[2,1,6,3,5,4]`},
	{`return held.groupBy(t => t.at).orderBy(g => g.at).select(g => ({ at: g.at, n: g.count() }))`, `[{"at":null,"n":1},{"at":"1969-07-20T20:17:40.000Z","n":1},{"at":"2023-12-31T23:59:59.000Z","n":1},{"at":"2024-01-02T03:04:05.000Z","n":2},{"at":"2024-01-02T03:04:06.000Z","n":1}]`},
	{`return held.groupBy(t => t.at.year()).orderBy(g => g.year).select(g => ({ y: g.year, n: g.count() }))`, `[{"y":null,"n":1},{"y":1969,"n":1},{"y":2023,"n":1},{"y":2024,"n":3}]`},
	{`return held.where({ id: 3 }).select(t => ({ y: t.at.getUTCFullYear(), m: t.at.getUTCMonth(), d: t.at.getUTCDate(), h: t.at.getUTCHours(), i: t.at.getUTCMinutes(), ms: t.at.getTime(), tr: t.at.truncate('month') })).first()`, `{"y":2023,"m":11,"d":31,"h":23,"i":59,"ms":1704067199000,"tr":"2023-12-01"}`},
	{`return held.where({ id: 2 }).select(t => ({ d: t.same - t.at, e: t.at - t.iso })).first()`, `{"d":3600000,"e":0}`},
	{`return [await held.min(t => t.at), await held.max(t => t.at), await held.countDistinct(t => t.at), await held.min(t => t.day), await held.max(t => t.day)]`, `["1969-07-20T20:17:40.000Z","2024-01-02T03:04:06.000Z",4,"1969-07-20","2024-02-29"]`},
	{`return inPages(held.orderBy(t => t.at).select(t => t.id), 2)`, `[4,5,3,1,6,2]`},
	{`return inPages(held.orderBy(t => t.at.desc()).select(t => t.id), 2)`, `[2,6,1,3,5,4]`},
	{`return inPages(held.orderBy(t => [t.day, t.at]).select(t => t.id), 2)`, `[4,5,3,1,6,2]`},
	{`return inPages(held.orderBy(t => [t.done, t.id]).select(t => t.id), 2)`, `[4,1,3,5,2,6]`},
	{`return ids(held.where(t => t.day.eq('2024-01-02')).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.day > '2023-12-31').orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => t.day <= '2023-12-31').orderBy(t => t.id))`, `[3,5]`},
	{`return ids(held.where(t => t.day.in(['2024-02-29', '1969-07-20'])).orderBy(t => t.id))`, `[2,5]`},
	{`return ids(held.where(t => t.day.eq(t.other)).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.orderBy(t => [t.day.desc(), t.id]))`, `[2,1,6,3,5,4]`},
	{`return held.groupBy(t => t.day.month()).orderBy(g => g.month).select(g => ({ m: g.month, n: g.count() }))`, `[{"m":null,"n":1},{"m":1,"n":2},{"m":2,"n":1},{"m":7,"n":1},{"m":12,"n":1}]`},
	{`return ids(held.where(t => t.done).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.done.eq(false)).orderBy(t => t.id))`, `[1,3,5]`},
	{`return ids(held.where(t => t.done === true).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where({ done: true }).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.done.isNull()).orderBy(t => t.id))`, `[4]`},
	{`return held.groupBy(t => t.done).orderBy(g => g.done).select(g => ({ f: g.done, n: g.count() }))`, `[{"f":null,"n":1},{"f":false,"n":3},{"f":true,"n":2}]`},
	{`return held.countBy(t => t.done).orderBy(g => g.done)`, `[{"done":null,"count":1},{"done":false,"count":3},{"done":true,"count":2}]`},
	{`return held.distinctBy(t => t.at).orderBy(t => t.id).select(t => t.id)`, `[1,2,3,4,5]`},
	{`return held.orderBy(t => t.id).partitionBy(t => t.done).select(({ held, window }) => ({ id: held.id, before: window.lag(t => t.at), first: window.first(t => t.at) })).where(r => r.id.in([3, 6])).orderBy(r => r.id)`, `[{"id":3,"before":"2024-01-02T03:04:05.000Z","first":"2024-01-02T03:04:05.000Z"},{"id":6,"before":"2024-01-02T03:04:06.000Z","first":"2024-01-02T03:04:06.000Z"}]`},
	{`return held.where(t => t.done).groupBy(t => t.done).select(g => ({ l: g.collect(t => t.at) }))`, ``},
}

// TestStoredForms: whatever form a column of SQLite has, a program reads, asks, sorts, groups and pages as if the column had the type, as it
// has on PostgreSQL.
func TestStoredForms(t *testing.T) {
	run := func(t *testing.T, e tu.Engine, f *kit.CellForm) {
		db, raw := kit.File(t, e, f.Schema(e)...)
		facet, scope, held := f.Facet()
		tool, err := codemode.New(codemode.Grants{"held": facet.Of(exosql.Grant(db, held, scope))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range heldAsked {
			if r := tool.Run(t.Context(), kit.InPages+kit.HeldIDs+a.program); r.Err != nil || string(r.JSON) != a.want && a.want != "" {
				t.Errorf("%s\n%s %v, want\n%s", a.program, r.JSON, r.Err, a.want)
			}
		}
		kit.HeldWrites(t, e, f, tool, raw)
	}
	for i := range kit.CellForms {
		t.Run(kit.CellForms[i].Name, func(t *testing.T) { run(t, tu.SQLite, &kit.CellForms[i]) })
	}
	t.Run("postgres", func(t *testing.T) { run(t, tu.Postgres, &kit.CellForms[0]) })
}
