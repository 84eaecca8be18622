package exosql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestAggregateReads: with an index on what an aggregate compares, or on what groups, that
// does not begin with the scope, no row out of scope is read in its order: how many are read depends on no value
// of others. The bare statement reads others' rows until it finds one in scope.
func TestAggregateReads(t *testing.T) {
	programs := []string{
		"notes.max(n => n.due)", "notes.min(n => n.code)", "notes.max(n => n.code)", "notes.countDistinct(n => n.due)", "notes.median(n => n.due)", "notes.countBy(n => n.code).limit(2)",
		"notes.orderBy(n => n.due).groupBy(n => n.code).limit(1).select(g => ({ l: g.collect(n => n.due) }))",
		"notes.groupBy(n => n.code).limit(1)", "notes.groupBy(n => n.due).orderBy(g => g.due.desc()).limit(2)",
		"notes.groupBy(n => n.due).where(g => g.due > 990).select(g => ({ n: g.count() }))",
		"notes.groupBy(n => n.owner).select(g => ({ max: g.max(n => n.due), min: g.min(n => n.code) }))",
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		reads, answers := map[string][]int{}, map[string][]string{}
		bare := []int{}
		for _, others := range []string{"UPDATE notes SET due = 500, code = 'c3' WHERE owner <> 1", "UPDATE notes SET due = 5000 + id, code = CASE WHEN id % 2 = 0 THEN 'a' ELSE 'z' END WHERE owner <> 1"} {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(kit.NotesSQL(e, 4000, "CREATE INDEX notes_by_due ON notes (due)", "CREATE INDEX notes_by_code ON notes (code)"), others, "ANALYZE")...)})
			r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
			hand := e.SQLDB(t, url)
			for _, p := range programs {
				o := r.Run(t, "return await "+p)
				if o.Kind != 0 || len(o.SQL) != 1 {
					t.Fatalf("%s: %v", p, o)
				}
				answers[p] = append(answers[p], o.JSON)
				if e.Name == tu.Postgres.Name {
					reads[p] = append(reads[p], rowsRead(t, hand, o.SQL[0].SQL, o.SQL[0].Args))
					continue
				}
				exosql.SQLiteSteps(t.Context(), db)
				r.Run(t, "return await "+p)
				reads[p] = append(reads[p], exosql.SQLiteSteps(t.Context(), db))
			}
			// The twin: without a fence the engine goes down the index.
			const down = "SELECT max(due) FROM notes WHERE owner = 1"
			if e.Name == tu.Postgres.Name {
				bare = append(bare, rowsRead(t, hand, down, nil))
			} else if n, err := exosql.SQLiteStepsOf(t.Context(), db, down, "notes", "owner", "due"); err != nil {
				t.Fatal(err)
			} else {
				bare = append(bare, n)
			}
		}
		for _, p := range programs {
			if n := reads[p]; n[0] != n[1] || n[0] == 0 {
				t.Errorf("%s: reads %d where others have one thing, %d where they have another", p, n[0], n[1])
			}
			if a := answers[p]; a[0] != a[1] || strings.Contains(a[0], "5000") {
				t.Errorf("%s: %s, and %s where others have something else", p, a[0], a[1])
			}
		}
		if bare[0] == bare[1] {
			t.Errorf("the bare statement reads %d rows whatever others have: this shows nothing", bare[0])
		}
	})
}

// TestHavingIsBehindScope: engines move a condition on a key of groups to the rows that are grouped,
// beside their scope. Whatever indexes there are, it is tried on no row out of scope.
func TestHavingIsBehindScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, indexes := range notesIndexSets {
			t.Run(name, func(t *testing.T) {
				r, _, sprung := trapNotes(t, e, indexes...)
				for _, p := range []string{
					"notes.groupBy(n => n.text).where(g => g.text.includes('air'))",
					"notes.groupBy(n => ({ t: n.text, c: n.code })).where(g => g.t.includes('air') && g.c !== 'c1')",
					"notes.groupBy(n => ({ lower: n.text.lower() })).where(g => g.lower === 'x' || g.count() > 1)",
					"notes.where(n => n.due !== 3).groupBy(n => n.text).where(g => g.text.startsWith('f')).orderBy(g => g.text.endsWith('1')).limit(2).where(g => g.text.includes('1'))",
					"notes.groupBy(n => n.text).where(g => g.text.includes('air')).select(g => ({ l: g.collect(n => n.text.lower()) }))",
					"notes.orderBy(n => n.text.includes('air')).groupBy(n => n.due).select(g => ({ l: g.where(n => n.text.includes('9')).collect(n => n.text) }))",
					"notes.where(n => n.text.includes('air')).groupBy(n => n.due).select(g => ({ l: g.collect(n => n.text) }))",
					"notes.join(({ note }) => note.folder()).groupBy(({ folder }) => folder.name).where(g => g.name.includes('air')).select(g => ({ ...g, n: g.where(({ note }) => note.text.includes('9')).count() }))",
				} {
					o := r.Run(t, "return await "+p)
					if sprung(o) || o.Kind != 0 || len(o.SQL) != 1 {
						t.Fatalf("%s\n%v\n%v", p, o, o.SQL)
					}
					// A trap is dear, so an engine that has the choice tries the scope first: that is luck.
					if exosql.Tier(o.SQL[0]) == "guarded" {
						t.Errorf("%s: no guard stands before the condition\n%v", p, o.SQL)
					}
				}
			})
		}
	})
}

// TestMedianIsBounded: SQLite holds the values of a median in the host's memory, so many of them are a
// limit, and so are many medians. PostgreSQL sorts them on its disk.
func TestMedianIsBounded(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	type cell struct {
		ID, Owner int64
		D         exosql.Decimal
	}
	cells := exosql.NewTable[cell]("cells")
	id, owner := exosql.NewKey(cells, "id", func(c *cell) *int64 { return &c.ID }), exosql.NewColumn(cells, "owner", func(c *cell) *int64 { return &c.Owner })
	d := exosql.NewColumn(cells, "d", func(c *cell) *exosql.Decimal { return &c.D })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		nines := strings.Repeat("9", 990)
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec("CREATE TABLE cells (id {int} PRIMARY KEY, owner {int} NOT NULL, d {decimal} NOT NULL)",
			fmt.Sprintf(e.Pick("WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 300) INSERT INTO cells SELECT n, 1, n || '%s' FROM s", "INSERT INTO cells SELECT n, 1, (n || '%s')::numeric FROM generate_series(1, 300) AS s (n)"), nines))})
		r := tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, d).Of(exosql.Grant(db, cells, owner.Eq(1)))}, exoeval.Bounds{Total: 5 * time.Minute}) // it is about memory, and not about the clock
		median := func(most int) string {                                                                                                                                            // of 300 × most numbers, each as long as a decimal may be
			return fmt.Sprintf("return await cells.join(cells.as('o'), ({ o }) => o.id <= %d).median(({ cell }) => cell.d)", most)
		}
		if o := r.Run(t, median(20)); o.JSON != `"1514`+nines[1:]+`"` {
			t.Errorf("%.200v", o)
		}
		if o := r.Run(t, median(300)); e.Name == tu.Postgres.Name && o.Kind != 0 {
			t.Errorf("%.200v", o)
		} else if e.Name == tu.SQLite.Name && (o.Kind != fail.Limit || !strings.Contains(o.Message, "too many values")) {
			t.Errorf("%.200v", o)
		}
		many := ""
		for i := range 11 {
			many += fmt.Sprintf("m%d: g.median(c => c.id + %d), ", i, i)
		}
		if o := r.Run(t, "return await cells.groupBy(c => c.id > 9).select(g => ({ "+many+"}))"); o.Kind != fail.Limit || !strings.Contains(o.Message, "10 medians") {
			t.Errorf("%v", o)
		}
		if o := r.Run(t, "return await cells.median(c => c.id)"); o.JSON != "150.5" {
			t.Errorf("the connection is of no use afterwards: %v", o)
		}
	})
}

// TestCollectIsBounded: a list holds 1 MiB of texts on both engines, and not one more.
func TestCollectIsBounded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 3000)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		// 256 texts of 4088 bytes and 8 each are 1 MiB.
		list := func(rows int, text string) string {
			return fmt.Sprintf("return (await notes.orderBy(n => n.id).limit(%d).groupBy(n => n.id > 0).select(g => ({ l: g.collect(n => %s) })))[0].l.length", rows, text)
		}
		full := "n.code.slice(0, 0) + '" + strings.Repeat("é", 2044) + "'"
		if o := r.Run(t, list(256, full)); o.JSON != "256" {
			t.Errorf("%v", o)
		}
		if o := r.Run(t, list(257, full)); o.Kind != fail.Limit || !strings.Contains(o.Message, "list is too long") {
			t.Errorf("%v", o)
		}
		if o := r.Run(t, list(256, full+" + 'x'")); o.Kind != fail.Limit {
			t.Errorf("%v", o)
		}
		if o := r.Run(t, list(300, "n.id > 2000 ? "+full+" : n.code")); o.JSON != "300" {
			t.Errorf("%v", o)
		}
		if o := r.Run(t, "return await notes.countBy(n => n.owner)"); o.JSON != `[{"owner":1,"count":300}]` {
			t.Errorf("the connection is of no use afterwards: %v", o)
		}
	})
}

// TestGroupRefusals: what would be lost is refused.
func TestGroupRefusals(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 50)...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for program, want := range map[string]string{
			"notes.select(n => ({ c: n.code })).distinct().countDistinct(n => n.due)":                                 "after distinct only selected columns can be used",
			"notes.select(n => ({ c: n.code })).distinct().groupBy(n => n.due)":                                       "after distinct only selected columns can be used",
			"notes.select(n => ({ c: n.code })).distinct().groupBy(n => n.c).select(g => ({ m: g.max(n => n.due) }))": "after distinct only selected columns can be used",
			"notes.select(n => ({ c: n.code })).distinct().groupBy(n => n.folder().name)":                             "after distinct only selected columns can be used",
			"notes.select(n => ({ due: n.id })).sum(n => n.due)":                                                      "another name in select",
			"notes.select(n => ({ due: n.id })).groupBy(n => n.due)":                                                  "another name in select",
			"notes.select(n => ({ due: n.id, c: n.code })).groupBy(n => n.c).select(g => ({ m: g.max(n => n.due) }))": "another name in select",
			"notes.groupBy(n => n.code).leftJoin(notes, ({ group, note }) => note.code === 'a')":                      "can't be joined",
			"notes.join(notes.as('o').groupBy(o => o.code), ({ note, group }) => note.code === group.code)":           "can't be joined",
			"notes.groupBy(n => n.code).select(g => g.where(n => n.due > 0))":                                         "can't be shown",
			"notes.groupBy(n => n.code).select(g => ({ x: g.where(n => n.due > 0) }))":                                "can't be shown",
			"notes.groupBy(n => n.code).as('g')":                                                                      "can't be joined or renamed",
			"notes.join(({ note }) => note.folder().groupBy(f => f.id))":                                              "can't be used in a callback",
			"notes.groupBy(n => n.code).select(g => ({ x: g.max(n => n.due * g.count()) }))":                          "callback about its rows",
			"notes.groupBy(n => n.code).select(g => ({ x: g.where(n => n.code === g.code).count() }))":                "callback about its rows",
			"notes.groupBy(n => ({ sum: n.due }))":                                                                    "is already a member of groups",
			"notes.groupBy(n => ({ group: n.code }))":                                                                 "is already a member of groups",
			"notes.groupBy(n => n.code).where(g => g.collect(n => n.due) !== null)":                                   "can only be shown",
			"notes.groupBy(n => n.code).select(g => ({ x: g.collect(n => n.due).isNull() }))":                         "can only be shown",
			"notes.groupBy(n => ({}))": "must be a column",
		} {
			if o := r.Run(t, "return await "+program); o.Kind != fail.Invalid || !strings.Contains(o.Message, want) {
				t.Errorf("%s: %s, want %q", program, o, want)
			}
		}
	})
}

// TestWholeBesideExact: a column of whole numbers compares with an exact number, at either side, as numbers do, on SQLite as it is
// stored; where either is null as =, !== and < have it.
func TestWholeBesideExact(t *testing.T) {
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
			"INSERT INTO cells VALUES (1, 1, 2, '2.5'), (2, 1, 3, '2.5'), (3, 1, 2, '2.00'), (4, 1, -2, '-2.5'), (5, 1, -3, '-2.5'), (6, 1, NULL, '1'), (7, 1, 1, NULL), (8, 1, NULL, NULL), "+
				"(9, 1, 9223372036854775807, '9223372036854775807.5'), (10, 1, -9223372036854775808, '-9223372036854775808.5'), (11, 1, 9223372036854775807, '99999999999999999999')")})
		r := tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, n, d).Of(exosql.Grant(db, cells, owner.Eq(1)))}, exo.Limits{})
		for cond, want := range map[string]string{
			"c.n > c.d": "[2,4,10]", "c.d < c.n": "[2,4,10]", "c.n <= c.d": "[1,3,5,9,11]", "c.d >= c.n": "[1,3,5,9,11]",
			"c.n >= c.d": "[2,3,4,10]", "c.d <= c.n": "[2,3,4,10]", "c.n < c.d": "[1,5,9,11]", "c.d > c.n": "[1,5,9,11]",
			"c.n === c.d": "[3,8]", "c.d === c.n": "[3,8]", "c.n !== c.d": "[1,2,4,5,6,7,9,10,11]", "c.d !== c.n": "[1,2,4,5,6,7,9,10,11]",
			"c.n > cells.where(x => x.id <= 3).avg(x => x.n)": "[2,9,11]", "c.n <= cells.where(x => x.id <= 3).avg(x => x.d)": "[1,3,4,5,7,10]", // 2.33…
			"c.n === cells.where(x => x.id < 0).avg(x => x.n)": "[6,8]", "c.n < cells.where(x => x.id < 0).sum(x => x.d)": "[]",
		} {
			o := r.Run(t, "return (await cells.where(c => "+cond+").orderBy(c => c.id).select(c => c.id))")
			if o.JSON != want {
				t.Errorf("%s: %v, want %s", cond, o, want)
				continue
			}
			if strings.Contains(o.SQL[0].SQL, `exo_key(("t0"."n"`) {
				t.Errorf("%s: a function is called for each row: %s", cond, o.SQL[0].SQL)
			}
		}
	})
}

// TestMeanOfStored: the mean of a column of decimals is the one of what is calculated of it, which is a sum by a count: of sums that
// are 0, of numbers with a thousand digits on either side, and of those that are no numbers to calculate with.
func TestMeanOfStored(t *testing.T) {
	type cell struct {
		ID, Owner int64
		D         *exosql.Decimal
	}
	cells := exosql.NewTable[cell]("cells")
	id, owner := exosql.NewKey(cells, "id", func(c *cell) *int64 { return &c.ID }), exosql.NewColumn(cells, "owner", func(c *cell) *int64 { return &c.Owner })
	d := exosql.NewNullable(cells, "d", func(c *cell) **exosql.Decimal { return &c.D })
	zeros, nines := strings.Repeat("0", 990), strings.Repeat("9", 999)
	groups := [][]string{
		{"1", "2", "2"}, {"1.5", "-1.5"}, {"0", "0.00"}, {}, {"0." + zeros + "1", "0." + zeros + "2"}, {"-0." + zeros + "1"}, {nines, nines, "1"}, {"-" + nines, nines, "0.5"}, {nines + "." + nines, "-0." + nines},
		{"0.00000000000000000001", "0"}, {"-0.00000000000000000001", "0", "0"}, {"1" + nines + "0", "3"}, {"0." + zeros + zeros + "1", "7", "8"}, {"99999999999999999999.99999999999999999999", "1"},
	}
	var many []string
	for i := range 1001 {
		many = append(many, fmt.Sprintf("%d.%02d", i*7919%10007-5000, i%100))
	}
	groups = append(groups, many)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		n, rows := 0, []string{}
		for g, list := range groups {
			for _, v := range append(list, "NULL") {
				n++
				if v != "NULL" {
					v = "'" + v + "'"
				}
				rows = append(rows, fmt.Sprintf("(%d, %d, %s)", n, g, v))
			}
		}
		if e.Name == tu.Postgres.Name {
			rows = append(rows, fmt.Sprintf("(%d, 0, 'NaN')", n+1), fmt.Sprintf("(%d, 0, 'Infinity')", n+2))
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE cells (id {int} PRIMARY KEY, owner {int} NOT NULL, d "+e.Pick("TEXT", "numeric")+")", "INSERT INTO cells VALUES "+strings.Join(rows, ", "))})
		for g := range groups {
			r := tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, d).Of(exosql.Grant(db, cells, owner.Eq(int64(g))))}, exo.Limits{})
			o := r.Run(t, "return [await cells.avg(c => c.d), await cells.sum(c => c.d)]")
			want := r.Run(t, "return [await cells.avg(c => c.d + 0), await cells.sum(c => c.d + 0)]")
			if o.JSON != want.JSON || o.Kind != 0 {
				t.Errorf("group %d: %v, want %v", g, o, want)
			}
		}
	})
}

// TestBadCells: what a column can't hold is null to an aggregate as it is where it is shown, also of all rows.
func TestBadCells(t *testing.T) {
	type cell struct {
		ID, Owner, N int64
		D            exosql.Decimal
	}
	cells := exosql.NewTable[cell]("cells")
	id, owner := exosql.NewKey(cells, "id", func(c *cell) *int64 { return &c.ID }), exosql.NewColumn(cells, "owner", func(c *cell) *int64 { return &c.Owner })
	n, d := exosql.NewColumn(cells, "n", func(c *cell) *int64 { return &c.N }), exosql.NewColumn(cells, "d", func(c *cell) *exosql.Decimal { return &c.D })
	e := tu.SQLite
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE cells (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, n NOT NULL, d NOT NULL)",
		"INSERT INTO cells VALUES (1, 1, 1, '1.5'), (2, 1, 2, '2'), (3, 1, 6, 9e999), (4, 2, 1.5, 'x'), (5, 2, 1, '1'), (6, 3, 'y', x'00')")})
	of := func(o int64) *tu.Runner {
		return tu.NewRunner(t, map[string]exo.Object{"cells": exosql.NewFacet(cells, "cell", id, n, d).Of(exosql.Grant(db, cells, owner.Eq(o)))}, exo.Limits{})
	}
	for program, want := range map[string]string{
		"cells.sum(c => c.n)": "9", "cells.avg(c => c.n)": "3", "cells.sum(c => c.d)": `"3.5"`, "cells.avg(c => c.d)": `"1.75"`, "cells.median(c => c.d)": `"1.75"`, "cells.max(c => c.d)": `"2"`, "cells.min(c => c.d)": `"1.5"`,
		"cells.groupBy(c => c.id > 0).select(g => ({ x: g.sum(c => c.n) / g.count() }))":              `[{"x":3}]`,
		"cells.groupBy(c => c.id > 0).select(g => ({ x: g.where(c => c.id > 0).sum(c => c.d) * 2 }))": `[{"x":"7"}]`,
	} {
		if o := of(1).Run(t, "return await "+program); o.JSON != want {
			t.Errorf("%s: %v, want %s", program, o, want)
		}
	}
	for program, want := range map[string][2]string{
		"cells.sum(c => c.n)": {"1", "null"}, "cells.avg(c => c.n)": {"1", "null"}, "cells.sum(c => c.d)": {`"1"`, "null"}, "cells.avg(c => c.d)": {`"1"`, "null"}, "cells.median(c => c.d)": {`"1"`, "null"}, "cells.max(c => c.d)": {`"1"`, "null"}, "cells.min(c => c.d)": {`"1"`, "null"},
		"cells.groupBy(c => c.id > 0).select(g => ({ x: g.where(c => c.id > 0).sum(c => c.d) * 2 }))": {`[{"x":"2"}]`, `[{"x":null}]`},
	} {
		for i, bad := range []int64{2, 3} {
			if o := of(bad).Run(t, "return await "+program); o.JSON != want[i] {
				t.Errorf("%s of owner %d: %v, want %s", program, bad, o, want[i])
			}
		}
	}
	if o := of(2).Run(t, "return [await cells.sum(c => c.d + 1), await cells.where(c => c.id > 4).sum(c => c.d)]"); o.JSON != `["2","1"]` {
		t.Errorf("%v", o)
	}
}
