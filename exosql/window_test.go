package exosql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// windowPrograms sort rows and look at one by others, of folders and notes.
var windowPrograms = []string{
	"notes.orderBy(n => n.due.desc()).distinctBy(n => n.code)",
	"notes.orderBy(n => [n.text.includes('9'), n.id]).distinctBy(n => n.text.lower()).where(n => n.text.includes('1'))",
	"notes.distinctBy(n => ({ c: n.code, big: n.due > 500 })).where(n => n.code === 'c3')",
	"notes.where(n => n.text.includes('9')).orderBy(n => n.due).distinctBy(n => n.folder().name)",
	"notes.orderBy(n => n.due).distinctBy(n => n.code).folder()",
	"notes.orderBy(n => [n.due, n.id]).partitionBy(n => n.code).where(({ note, window }) => window.rowNumber() <= 2 && note.text.includes('1')).select(({ note }) => ({ id: note.id }))",
	"notes.orderBy(n => n.due).partitionBy(n => n.code).where(({ note }) => note.code === 'c3').select(({ note, window }) => ({ id: note.id, r: window.rank(), d: window.denseRank(), n: window.count() }))",
	"notes.orderBy(n => [n.due, n.id]).partitionBy().select(({ note, window }) => ({ id: note.id, s: window.runningSum(n => n.due), before: window.lag(n => n.text.lower()), after: window.lead(n => n.due, 2), x: window.sum(n => n.text.includes('9') ? n.due : 0) }))",
	"notes.orderBy(n => n.text.includes('9')).partitionBy(n => n.text).select(({ note, window }) => ({ id: note.id, f: window.first(n => n.due), l: window.last(n => n.due), max: window.runningMax(n => n.code) }))",
	"notes.join(({ note }) => note.folder()).orderBy(({ note }) => note.due).distinctBy(({ folder }) => folder.name).where(({ note, folder }) => folder.name.includes('1') && (note.text.includes('9') || note.due > 0))",
	"folders.orderBy(f => f.notes().max(n => n.due)).partitionBy(f => f.notes().some(n => n.text.includes('9'))).select(({ folder, window }) => ({ id: folder.id, n: window.runningSum(f => f.notes().count()) }))",
	"notes.orderBy(n => [n.due, n.id]).partitionBy(n => n.code).select(({ note, window }) => ({ id: note.id, c: window.where(n => n.text.includes('9')).count(), s: window.where(n => n.due > 100).runningSum(n => n.due), m: window.where(n => n.text.includes('1')).movingSum(n => n.due, 3), x: window.movingMax(n => n.text.lower(), 2) }))",
	"notes.orderBy(n => n.text.includes('9')).partitionBy().where(({ window }) => window.where(n => n.folder().name.includes('1')).movingCount(5) > 0).select(({ note, window }) => ({ id: note.id, a: window.movingAvg(n => n.due, 4), l: window.movingMin(n => n.folder().notes().count(), 2) }))",
	"notes.groupBy(n => n.code).orderBy(g => g.count()).partitionBy().where(({ group }) => group.code.includes('1')).select(({ group, window }) => ({ c: group.code, n: window.where(g => g.count() > 1).movingSum(g => g.max(n => n.due), 2) }))",
	"notes.groupBy(n => n.code).orderBy(g => g.count()).partitionBy().where(({ group }) => group.code.includes('1')).select(({ group, window }) => ({ c: group.code, n: window.runningSum(g => g.max(n => n.due)) }))",
}

// TestOpenWindows: whatever indexes there are, nothing that a window sorts by, puts together or takes is tried on a row out
// of scope, no guarded statement has a window, and the answer is that of the fenced statement.
func TestOpenWindows(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			t.Run(name, func(t *testing.T) {
				db, _, sprung := trapDB(t, e, indexes...)
				r, bare := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{}), tu.NewRunner(t, kit.NotesOf(db, 1, true), exo.Limits{})
				open := 0
				for _, program := range windowPrograms {
					whole := "const r = await " + program + "; return r.map(x => JSON.stringify(x)).sort()"
					o, want := r.Run(t, whole), bare.Run(t, whole)
					if sprung(o) || o.JSON != want.JSON || o.Kind != 0 || o.JSON == "[]" && !strings.Contains(program, "'c3'") || len(o.SQL) != 1 {
						t.Fatalf("%s\n%v\nwant\n%v\n%v", program, o, want, o.SQL)
					}
					switch exosql.Tier(o.SQL[0]) {
					case "guarded":
						t.Errorf("%s: rows out of scope may be read\n%v", program, o.SQL)
					case "open":
						open++
					}
				}
				if name == "scope" && open == 0 {
					t.Error("no statement ran open")
				}
			})
		}
	})
}

// TestWindowReads: how much is read for a window depends on no value of others, with indexes on all that it sorts by
// and puts together that do not begin with the scope.
func TestWindowReads(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		reads, answers := map[string][]int{}, map[string][]string{}
		for _, others := range []string{"UPDATE notes SET due = 500, code = 'c3', text = '9' WHERE owner <> 1", "UPDATE notes SET due = 5000 + id, code = CASE WHEN id % 2 = 0 THEN 'a' ELSE 'z' END, text = 'z' WHERE owner <> 1"} {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(kit.NotesSQL(e, 2000, "CREATE INDEX notes_by_due ON notes (due)", "CREATE INDEX notes_by_code ON notes (code, due)", "CREATE INDEX notes_by_text ON notes (text)"), others, "ANALYZE")...)})
			hand := e.SQLDB(t, url)
			for i := range 2 * len(windowPrograms) {
				program := windowPrograms[i/2]
				r := tu.NewRunner(t, kit.NotesOf(db, 1, i%2 == 1), exo.Limits{})
				o := r.Run(t, "return await "+program+".execute()")
				if o.Kind != 0 || len(o.SQL) != 1 {
					t.Fatalf("%s: %v", program, o)
				}
				p := program + []string{"", " of a range"}[i%2]
				answers[p] = append(answers[p], o.JSON)
				if e.Name == tu.Postgres.Name {
					reads[p] = append(reads[p], rowsRead(t, hand, o.SQL[0].SQL, o.SQL[0].Args))
					continue
				}
				exosql.SQLiteSteps(t.Context(), db)
				r.Run(t, "return await "+program+".execute()")
				reads[p] = append(reads[p], exosql.SQLiteSteps(t.Context(), db))
			}
		}
		for p, n := range reads {
			if n[0] != n[1] || n[0] == 0 {
				t.Errorf("%s: reads %d where others have one thing, %d where they have another", p, n[0], n[1])
			}
			if a := answers[p]; a[0] != a[1] || strings.Contains(a[0], "5000") {
				t.Errorf("%s: %s, and %s where others have something else", p, a[0], a[1])
			}
		}
	})
}

// TestWindowsAreExact: running sums and means are those of sum and avg, beyond what an engine's own sum holds, and NULL is
// no value.
func TestWindowsAreExact(t *testing.T) {
	type cell struct {
		ID, Owner int64
		N         *int64
		D         *exosql.Decimal
	}
	cells := exosql.NewTable[cell]("cells")
	id, owner := exosql.NewKey(cells, "id", func(c *cell) *int64 { return &c.ID }), exosql.NewColumn(cells, "owner", func(c *cell) *int64 { return &c.Owner })
	n, d := exosql.NewNullable(cells, "n", func(c *cell) **int64 { return &c.N }), exosql.NewNullable(cells, "d", func(c *cell) **exosql.Decimal { return &c.D })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE cells (id {int} PRIMARY KEY, owner {int} NOT NULL, n {int}, d "+e.Pick("TEXT", "numeric")+")",
			"INSERT INTO cells VALUES (1, 1, 9223372036854775807, '0.10'), (2, 1, 9223372036854775807, '0.2'), (3, 1, NULL, NULL), (4, 1, -9223372036854775807, '123456789012345678901234567890.5'), (5, 1, 1, '0.10'), (6, 2, 1, '5')")})
		r := tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, n, d).Of(exosql.Grant(db, cells, owner.Eq(1)))}, exo.Limits{})
		for program, want := range map[string]string{
			"cells.partitionBy().select(({ cell, window }) => ({ id: cell.id, r: window.runningSum(c => c.n), s: window.sum(c => c.n), a: window.runningAvg(c => c.n) })).orderBy(({ cell }) => cell.id)":                                                                                     `[{"id":1,"r":"9223372036854775807","s":"9223372036854775808","a":9223372036854776000},{"id":2,"r":"18446744073709551614","s":"9223372036854775808","a":9223372036854776000},{"id":3,"r":"18446744073709551614","s":"9223372036854775808","a":9223372036854776000},{"id":4,"r":"9223372036854775807","s":"9223372036854775808","a":3074457345618258400},{"id":5,"r":"9223372036854775808","s":"9223372036854775808","a":2305843009213694000}]`,
			"cells.partitionBy().select(({ cell, window }) => ({ r: window.runningSum(c => c.d), a: window.runningAvg(c => c.d), min: window.runningMin(c => c.d), max: window.max(c => c.d), l: window.lag(c => c.d), c: window.runningSum(c => c.d * 2) })).orderBy(({ cell }) => cell.id)": "",
			"cells.partitionBy().select(({ cell, window }) => ({ id: cell.id, s: window.movingSum(c => c.n, 2), a: window.movingAvg(c => c.n, 2), c: window.movingCount(2), least: window.movingMin(c => c.n, 3), d: window.movingSum(c => c.d, 2), m: window.movingAvg(c => c.d, 3), x: window.movingMax(c => c.d, 2), y: window.movingMin(c => c.d, 2) })).orderBy(({ cell }) => cell.id)": `[` +
				`{"id":1,"s":"9223372036854775807","a":9223372036854776000,"c":1,"least":"9223372036854775807","d":"0.1","m":"0.1","x":"0.1","y":"0.1"},` +
				`{"id":2,"s":"18446744073709551614","a":9223372036854776000,"c":2,"least":"9223372036854775807","d":"0.3","m":"0.15","x":"0.2","y":"0.1"},` +
				`{"id":3,"s":"9223372036854775807","a":9223372036854776000,"c":2,"least":"9223372036854775807","d":"0.2","m":"0.15","x":"0.2","y":"0.2"},` +
				`{"id":4,"s":"-9223372036854775807","a":-9223372036854776000,"c":2,"least":"-9223372036854775807","d":"123456789012345678901234567890.5","m":"61728394506172839450617283945.35","x":"123456789012345678901234567890.5","y":"123456789012345678901234567890.5"},` +
				`{"id":5,"s":"-9223372036854775806","a":-4611686018427388000,"c":2,"least":"-9223372036854775807","d":"123456789012345678901234567890.6","m":"61728394506172839450617283945.3","x":"123456789012345678901234567890.5","y":"0.1"}]`,
			"cells.partitionBy().select(({ cell, window }) => ({ s: window.where(c => c.n > 1).sum(c => c.n), r: window.where(c => c.n > 1 || c.d > 1).runningSum(c => c.d), c: window.where(c => c.d === '0.10').runningCount(), m: window.where(c => c.d < 1).where(c => c.n > 1).movingMax(c => c.n, 2), e: window.where(c => c.id > 9).min(c => c.d) })).orderBy(({ cell }) => cell.id)": `[` +
				`{"s":"18446744073709551614","r":"0.1","c":1,"m":"9223372036854775807","e":null},{"s":"18446744073709551614","r":"0.3","c":1,"m":"9223372036854775807","e":null},{"s":"18446744073709551614","r":"0.3","c":1,"m":"9223372036854775807","e":null},{"s":"18446744073709551614","r":"123456789012345678901234567890.8","c":1,"m":null,"e":null},{"s":"18446744073709551614","r":"123456789012345678901234567890.8","c":2,"m":null,"e":null}]`,
			"cells.partitionBy(c => c.d).select(({ cell, window }) => ({ id: cell.id, n: window.count() })).orderBy(({ cell }) => cell.id)":                         `[{"id":1,"n":2},{"id":2,"n":1},{"id":3,"n":1},{"id":4,"n":1},{"id":5,"n":2}]`,
			"cells.orderBy(c => c.d).partitionBy().select(({ cell, window }) => ({ id: cell.id, r: window.rank(), d: window.denseRank(), n: window.rowNumber() }))": `[{"id":3,"r":1,"d":1,"n":1},{"id":1,"r":2,"d":2,"n":2},{"id":5,"r":2,"d":2,"n":3},{"id":2,"r":4,"d":3,"n":4},{"id":4,"r":5,"d":4,"n":5}]`,
			"cells.orderBy(c => [c.n.desc(), c.id.desc()]).distinctBy(c => c.d).select(c => ({ id: c.id }))":                                                        `[{"id":2},{"id":1},{"id":4},{"id":3}]`,
		} {
			o := r.Run(t, "return await "+program)
			if o.Kind != 0 || want != "" && o.JSON != want {
				t.Errorf("%s\n%v\nwant %s", program, o, want)
			}
			if want == "" && o.JSON != `[{"r":"0.1","a":"0.1","min":"0.1","max":"123456789012345678901234567890.5","l":null,"c":"0.2"},{"r":"0.3","a":"0.15","min":"0.1","max":"123456789012345678901234567890.5","l":"0.1","c":"0.6"},{"r":"0.3","a":"0.15","min":"0.1","max":"123456789012345678901234567890.5","l":"0.2","c":"0.6"},{"r":"123456789012345678901234567890.8","a":"41152263004115226300411522630.26666666666666666666","min":"0.1","max":"123456789012345678901234567890.5","l":null,"c":"246913578024691357802469135781.6"},{"r":"123456789012345678901234567890.9","a":"30864197253086419725308641972.725","min":"0.1","max":"123456789012345678901234567890.5","l":"123456789012345678901234567890.5","c":"246913578024691357802469135781.8"}]` {
				t.Errorf("%s\n%v", program, o)
			}
		}
	})
}

// TestWindowFrames: frames of differing lengths, and conditions that differ, stand beside one another.
func TestWindowFrames(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(kit.NotesSQL(e, 50), "UPDATE notes SET due = id")...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for program, want := range map[string]string{
			"window.movingCount(1) + window.movingCount(2) * 10 + window.movingCount(3) * 100":                                    "111,221,321,321",
			"window.movingSum(n => n.due, 2) - window.movingSum(n => n.due, 1)":                                                   "0,FIRST,SECOND,THIRD",
			"window.where(n => n.due > 0).movingCount(3) - window.where(n => n.due > 1e6).movingCount(3) - window.movingCount(3)": "0,0,0,0",
		} {
			o := r.Run(t, "const rows = await notes.orderBy(n => n.id).partitionBy().select(({ note, window }) => ({ id: note.id, x: "+program+" })).limit(4); const ids = rows.map(r => r.id); "+
				"return ["+"rows.map(r => r.x).join(), '"+want+"'.replace('FIRST', ids[0]).replace('SECOND', ids[1]).replace('THIRD', ids[2])]")
			var got []string
			if err := json.Unmarshal([]byte(o.JSON), &got); err != nil || len(got) != 2 || got[0] != got[1] {
				t.Errorf("%s: %s", program, o)
			}
		}
	})
}

// TestBadCellsOfWindows: what a column can't hold is null in a window as in a sum.
func TestBadCellsOfWindows(t *testing.T) {
	type cell struct {
		ID, Owner, N int64
		D            exosql.Decimal
	}
	cells := exosql.NewTable[cell]("cells")
	id, owner := exosql.NewKey(cells, "id", func(c *cell) *int64 { return &c.ID }), exosql.NewColumn(cells, "owner", func(c *cell) *int64 { return &c.Owner })
	n, d := exosql.NewColumn(cells, "n", func(c *cell) *int64 { return &c.N }), exosql.NewColumn(cells, "d", func(c *cell) *exosql.Decimal { return &c.D })
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE cells (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, n NOT NULL, d NOT NULL)",
		"INSERT INTO cells VALUES (1, 1, 1, '1.5'), (2, 1, 2, '2'), (3, 2, 1.5, 'x'), (4, 2, 'y', x'00')")})
	for _, call := range []string{"runningSum(c => c.n)", "sum(c => c.n)", "runningSum(c => c.d)", "avg(c => c.d)", "lag(c => c.n, 0)", "first(c => c.n)", "movingSum(c => c.n, 1)", "movingAvg(c => c.d, 2)", "movingMin(c => c.d, 2)", "where(c => c.id > 0).sum(c => c.d)", "where(c => c.id > 0).movingMax(c => c.d, 1)"} {
		for _, o := range []int64{1, 2} {
			none := o == 2
			r := tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, n, d).Of(exosql.Grant(db, cells, owner.Eq(o)))}, exo.Limits{})
			if o := r.Run(t, "return await cells.partitionBy().select(({ window }) => ({ x: window."+call+" }))"); o.Kind != 0 || none != (o.JSON == `[{"x":null},{"x":null}]`) {
				t.Errorf("%s: %v", call, o)
			}
		}
	}
}

// TestWindowRefusals: each way of giving a window is right, or an error that says what would be.
func TestWindowRefusals(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 50)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for program, want := range map[string]string{
			"notes.partitionBy(n => n.code).select(({ window }) => ({ r: window.rank() }))": "needs an order",
			"notes.partitionBy(n => n.code).select(({ note, window }) => window)":           "the selection must be",
			"notes.partitionBy(n => n.code).select(({ note, window }) => ({ w: window }))":  "a window is no value",
			"notes.partitionBy(n => n.code).select(ns => ns)":                               "the selection must be",
			"notes.partitionBy(n => n.code).select(ns => ({ ns }))":                         "can't be",
			"notes.partitionBy(n => n.code).partitionBy(({ note }) => note.id)":             "window is already",
			"notes.join(({ note }) => note.folder().distinctBy(f => f.id))":                 "can't be used in a callback",
			"folders.select(f => ({ n: f.notes().distinctBy(n => n.code).count() }))":       "can't be used in a callback",
			"folders.join(({ folder }) => folder.notes().partitionBy(n => n.code))":         "can't be used in a callback",
			"notes.distinctBy(n => 1)": "must be a column",
			"notes.distinctBy(n => n)": "must be a column",
			"notes.distinctBy()":       "needs the keys",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.lag(n => n.due, -1) }))":              "negative",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.lag() }))":                            "needs the value",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.rowNumber(n => n.due) }))":            "takes",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.runningSum(n => n.code) }))":          "a column of numbers",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.sum(n => window.rowNumber()) }))":     "sees only the rows of the window",
			"notes.partitionBy(n => n.code).select(({ note, window }) => ({ x: window.sum(n => n.due * note.due) }))": "sees only the rows of the window",
			"notes.groupBy(n => n.code).select(g => ({ x: g.partitionBy(n => n.code) }))":                             "has no member",

			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.due > window.count()).count() }))":       "sees only the rows of the window",
			"notes.partitionBy(n => n.code).select(({ note, window }) => ({ x: window.where(n => n.due > note.due).count() }))":       "sees only the rows of the window",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.due > 5) }))":                            "a window is no value",
			"notes.partitionBy(n => n.code).select(({ window }) => window.where(n => n.due > 5))":                                     "",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.due > 5).rowNumber() }))":                "can't follow where",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.due > 5).lag(n => n.due) }))":            "can't follow where",
			"notes.orderBy(n => n.due).partitionBy().select(({ window }) => ({ x: window.where(n => n.due > 5).first(n => n.due) }))": "can't follow where",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where({ nothing: 1 }).count() }))":                    "nothing",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.text).count() }))":                       "the condition",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingSum(n => n.due) }))":                            "how many rows, with this one",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingSum(n => n.due, 0) }))":                         "1 to 1000 rows",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingSum(n => n.due, 1001) }))":                      "1 to 1000 rows",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingCount() }))":                                    "how many rows, with this one",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingCount(-1) }))":                                  "negative",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.movingAvg(n => n.due, { last: 7 }) }))":               "how many rows, with this one",
			"notes.partitionBy(n => n.code).select(({ note, window }) => ({ x: window.movingAvg(n => n.due, note.due) }))":            "how many rows, with this one",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.rolling(7).avg(n => n.due) }))":                       "window.movingAvg(t => t.column, 7)",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ x: window.rowsBetween(-6, 0).avg(n => n.due) }))":               "window.movingAvg(t => t.column, 7)",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).select(({ window }) => ({ x: window.where(n => n.due > 5).where }))":  "",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != fail.Invalid && o.Kind != fail.Denied || !strings.Contains(o.Message, want) && want != "invalid" {
				t.Errorf("%s: %s, want %q", program, o, want)
			}
		}
		for _, program := range []string{ // what comes before and after
			"notes.orderBy(n => n.due).limit(5).distinctBy(n => n.code).offset(1).limit(2).where(n => n.id > 0)",
			"notes.select(n => ({ c: n.code })).distinct().distinctBy(n => n.due).distinct()",
			"notes.partitionBy(n => n.code).groupBy(({ window }) => ({ n: window.count() })).select(g => ({ n: g.n, m: g.count() }))",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).join(({ note }) => note.folder()).where(({ folder, window }) => folder.id > 0 && window.rowNumber() === 1)",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).orderBy(({ window }) => window.rowNumber().desc()).first()",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).max(({ window }) => window.rowNumber())",
			"notes.partitionBy(n => n.due).where(({ note, window }) => note.folder().notes().some(o => o.id > window.rowNumber()))",
			"notes.distinctBy('code')",
			"notes.partitionBy(n => n.code).select(({ window }) => ({ a: window.where({ code: 'c3' }).count(), b: window.filter(n => n.due > 5).sum('due'), c: window.movingSum('due', 3) }))",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).where(({ window }) => window.where(n => n.due > 5).movingCount(3) > 1).count()",
			"notes.orderBy(n => n.due).partitionBy(n => n.code).orderBy(({ window }) => window.movingMax(n => n.due, 3).desc()).page(2)",
			"notes.partitionBy(n => n.code).groupBy(({ note }) => note.code).select(g => ({ x: g.max(({ window }) => window.rowNumber()) })).sum(g => g.count())",
			"notes.distinctBy(n => [n.code, n.due]).countBy(n => n.code)",
			"folders.join(notes.orderBy(n => n.due).partitionBy(n => n.code), ({ folder, note }) => folder.id === note.id).where(({ window }) => window.rowNumber() <= 3).select(({ folder, window }) => ({ f: folder.name, n: window.rowNumber() }))",
			"folders.leftJoin(notes.as('m').distinctBy(m => m.code), ({ folder, m }) => folder.id === m.id)",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != 0 {
				t.Errorf("%s: %s", program, o)
			}
		}
	})
}

// TestWithheldWindows: what a policy takes away is not reached by a window.
func TestWithheldWindows(t *testing.T) {
	acme := tu.Tenant(tu.Open(t), tu.Acme)
	r := tu.NewRunner(t, map[string]exo.Object{"tasks": policy.Only(acme["tasks"], "select", "execute", "where", "distinctBy")}, exo.Limits{})
	if o := r.Run(t, "return (await tasks.distinctBy(t => t.status)).length"); o.JSON != "3" {
		t.Error(o)
	}
	if o := r.Run(t, "return await tasks.partitionBy(t => t.status).select(({ window }) => ({ n: window.count() }))"); o.Kind != fail.Denied {
		t.Error(o)
	}
}
