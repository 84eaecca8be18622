package kit

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// HeldWrites checks that what programs write is stored in the column's form.
func HeldWrites(t *testing.T, e tu.Engine, f *CellForm, tool *codemode.Tool, raw *sql.DB) {
	for _, a := range []struct{ program, want string }{
		{`await held.insert({ id: 7, at: new Date('2025-03-04T05:06:07Z'), day: '2025-03-04', done: true }); return held.where({ id: 7 }).select(t => ({ a: t.at, b: t.day, c: t.done })).first().then(r => Object.values(r))`, `["2025-03-04T05:06:07.000Z","2025-03-04",true]`},
		{`await held.where({ id: 7 }).update({ same: new Date('2025-03-04T05:06:08Z'), done: false }); return ids(held.where(t => t.same > t.at && !t.done).orderBy(t => t.id))`, `[7]`},
		{`await held.where({ id: 7 }).update(t => ({ at: t.same, same: t.iso })); return held.where({ id: 7 }).select(t => ({ a: t.at, b: t.same })).first().then(r => Object.values(r))`, `["2025-03-04T05:06:08.000Z",null]`},
		{`await held.where({ id: 6 }).update(t => ({ same: t.iso, day: t.other, iso: t.at, other: t.day })); return held.where({ id: 6 }).select(t => ({ a: t.same, b: t.day, c: t.iso, d: t.other })).first().then(r => Object.values(r))`, `["2024-01-02T03:04:05.000Z","2024-01-02","2024-01-02T03:04:05.000Z","2024-01-02"]`},
		{`const r = await held.where({ id: 1 }).first(); return held.where({ id: 1 }).ifUnchanged({ id: 1, at: r.at, day: r.day, done: r.done }).update({ day: '2025-01-01' })`, `1`},
		{`return held.where({ id: 1 }).ifUnchanged({ id: 1, at: new Date(0) }).update({ day: '2025-01-02' }).catch(e => e.name + e.message.includes('chang'))`, ``},
		{`return held.where(t => t.at.eq(new Date('1969-07-20T20:17:40Z'))).delete()`, `1`},
		{`return ids(held.orderBy(t => [t.at, t.id]))`, `[4,3,1,6,2,7]`},
	} {
		r := tool.Run(t.Context(), HeldIDs+a.program)
		if r.Err != nil || string(r.JSON) != a.want && a.want != "" {
			t.Errorf("%s\n%s %v, want\n%s", a.program, r.JSON, r.Err, a.want)
		}
	}
	if e.Name != tu.SQLite.Name || f.Time == "" {
		return
	}
	at := time.Date(2025, 3, 4, 5, 6, 8, 0, time.UTC)
	var n int
	where := fmt.Sprintf("id = 7 AND at = %s AND day = %s AND done = %s", f.at(at), f.dayAt("2025-03-04"), f.flags[0])
	if err := raw.QueryRow("SELECT count(*) FROM held WHERE " + where).Scan(&n); err != nil || n != 1 {
		var cells [3]any
		raw.QueryRow("SELECT typeof(at) || at, typeof(day) || day, typeof(done) || done FROM held WHERE id = 7").Scan(&cells[0], &cells[1], &cells[2])
		t.Errorf("%s: %v, the row is %v", where, err, cells)
	}
	// The program copied values to columns that store times or days in another form: each cell must have the form of its new column.
	if err := raw.QueryRow("SELECT count(*) FROM held WHERE id = 6 AND same = at AND iso = '2024-01-02T03:04:05.000Z' AND other = '2024-01-02' AND day = " + f.dayAt("2024-01-02")).Scan(&n); err != nil || n != 1 {
		t.Errorf("what was copied: %d %v", n, err)
	}
	// For a value that the form can't store, the error must name what to write instead.
	r := tool.Run(t.Context(), `await held.where({ id: 7 }).update({ at: new Date('2025-03-04T05:06:07.500Z') }); return held.where({ id: 7 }).select(t => t.at).first()`)
	if f.millis && (r.Err != nil || !strings.Contains(string(r.JSON), "05:06:07.500Z")) || !f.millis && (r.Err == nil || !strings.Contains(r.Err.Error(), "whole seconds")) {
		t.Errorf("%s %v", r.JSON, r.Err)
	}
}
