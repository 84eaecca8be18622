package values_test

// What a column of SQLite can't hold counts as null in all that programs read, and is found by nothing that writes.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// misfitKind is a kind of column: two values, the first of which is less, as programs write and read them and as cells, and cells that are none.
type misfitKind struct {
	typ, kind string
	stored    exosql.StoredForm
	values    [2]string // of a program
	shown     [2]string // in an answer, as JSON
	cells     [2]string
	misfits   []string
	same      bool // values have no order, or no sum
}

var misfitKinds = map[string]misfitKind{
	"int":     {"INTEGER", "int", "", [2]string{"3", "7"}, [2]string{"3", "7"}, [2]string{"3", "7"}, []string{"''", "'x'", "5.5", "x'00'", "1e300", "-2.5"}, false},
	"float":   {"REAL", "float", "", [2]string{"3.5", "7.5"}, [2]string{"3.5", "7.5"}, [2]string{"3.5", "7.5"}, []string{"''", "'x'", "x'00'", "'~'"}, false},
	"decimal": {"DECIMAL(10,2)", "decimal", "", [2]string{"'3.5'", "'7.5'"}, [2]string{`"3.5"`, `"7.5"`}, [2]string{"3.5", "7.5"}, []string{"''", "'1,5'", "x'35'", "9e999"}, false},
	"bool":    {"BOOLEAN", "bool", "", [2]string{"false", "true"}, [2]string{"false", "true"}, [2]string{"0", "1"}, []string{"'t'", "2", "''", "x'01'", "0.5"}, true},
	"text":    {"TEXT", "text", "", [2]string{"'a'", "'b'"}, [2]string{`"a"`, `"b"`}, [2]string{"'a'", "'b'"}, []string{"x'61'", "x''"}, true},
	"bytes":   {"BLOB", "bytes", "", [2]string{"'AAA='", "'AAE='"}, [2]string{`"AAA="`, `"AAE="`}, [2]string{"x'0000'", "x'0001'"}, []string{"'x'", "5", "''"}, true},
	"date":    {"DATE", "date", "", [2]string{"'2024-01-02'", "'2024-02-03'"}, [2]string{`"2024-01-02"`, `"2024-02-03"`}, [2]string{"'2024-01-02'", "'2024-02-03'"}, []string{"''", "'0000-00-00'", "20240105", "'2024-01-15 00:00:00'", "'n/a'", "x'00'"}, true},
	"iso":     {"TEXT", "time", "iso", [2]string{"new Date('2024-01-02T03:04:05Z')", "new Date('2024-02-03T04:05:06Z')"}, [2]string{`"2024-01-02T03:04:05.000Z"`, `"2024-02-03T04:05:06.000Z"`}, [2]string{"'2024-01-02T03:04:05.000Z'", "'2024-02-03T04:05:06.000Z'"}, []string{"''", "'0000-00-00T00:00:00.000Z'", "'n/a'", "x'00'"}, true},
	"time":    {"DATETIME", "time", "", [2]string{"new Date('2024-01-02T03:04:05Z')", "new Date('2024-02-03T04:05:06Z')"}, [2]string{`"2024-01-02T03:04:05.000Z"`, `"2024-02-03T04:05:06.000Z"`}, [2]string{"'2024-01-02 03:04:05'", "'2024-02-03T04:05:06Z'"}, []string{"''", "'0000-00-00 00:00:00'", "1706000000", "'n/a'", "x'00'"}, true},
	"millis":  {"DATETIME", "time", "unix-ms", [2]string{"new Date(1704164645000)", "new Date(1706933106000)"}, [2]string{`"2024-01-02T03:04:05.000Z"`, `"2024-02-03T04:05:06.000Z"`}, [2]string{"1704164645000", "1706933106000"}, []string{"'2024-01-15 03:04:05'", "''", "x'00'", "1705000000000.5"}, true},
	"sql":     {"DATETIME", "time", "sql", [2]string{"new Date('2024-01-02T03:04:05Z')", "new Date('2024-02-03T04:05:06Z')"}, [2]string{`"2024-01-02T03:04:05.000Z"`, `"2024-02-03T04:05:06.000Z"`}, [2]string{"'2024-01-02 03:04:05'", "'2024-02-03 04:05:06'"}, []string{"''", "'0000-00-00 00:00:00'", "1706000000", "'n/a'"}, true},
	"uuid":    {"UUID", "uuid", "", [2]string{"'00000000-0000-4000-8000-000000000001'", "'00000000-0000-4000-8000-000000000002'"}, [2]string{`"00000000-0000-4000-8000-000000000001"`, `"00000000-0000-4000-8000-000000000002"`}, [2]string{"'00000000-0000-4000-8000-000000000001'", "'00000000-0000-4000-8000-000000000002'"}, []string{"''", "'x'", "5", "x'00'", "'zzzzzzzz-0000-4000-8000-000000000001'"}, true},
}

// misfitAsked are programs about a column c whose cells are, by the id of the row: 1 the less value A, 2 the greater one B, 3 NULL, and misfits
// in all others: "nulls" are 3 and these, in the order of their ids. Each answer is written here.
var misfitAsked = []struct{ program, want string }{
	{`return await t.orderBy(r => r.id).select(r => r.c)`, `[A,B,null,null…]`},
	{`return ids(t.where(r => r.c === null))`, `[nulls]`},
	{`return ids(t.where(r => r.c !== null))`, `[1,2]`},
	{`return ids(t.where(r => r.c.isNull()))`, `[nulls]`},
	{`return ids(t.where(r => r.c.isNotNull()))`, `[1,2]`},
	{`return ids(t.where({ c: null }))`, `[nulls]`},
	{`return ids(t.where(r => r.c === a))`, `[1]`},
	{`return ids(t.where(r => r.c !== a))`, `[2,nulls]`},
	{`return ids(t.where(r => r.c.ne(a)))`, `[2]`},
	{`return ids(t.where(r => r.c.in([a, b])))`, `[1,2]`},
	{`return ids(t.where(r => r.c.notIn([a])))`, `[2]`},
	{`return ids(t.where(r => ![a].includes(r.c)))`, `[2,nulls]`},
	{`return ids(t.where(r => r.c === r.d))`, `[1,2,nulls]`},
	{`return ids(t.where(r => r.c.eq(r.d)))`, `[1,2]`},
	{`return ids(t.where(r => (r.c ?? a) === a))`, `[1,nulls]`},
	{`return await t.orderBy(r => r.id).select(r => r.c ?? b)`, `[A,B,B,B…]`},
	{`return (await t.orderBy(r => [r.c, r.id])).map(r => r.id)`, `[nulls,1,2]`},
	{`return (await t.orderBy(r => [r.c.desc(), r.id]).select(r => ({ id: r.id, c: r.c }))).map(r => r.id)`, `[2,1,nulls]`},
	{`return (await t.orderBy(r => [r.c.desc(), r.id]).limit(2)).map(r => r.id)`, `[2,1]`},
	{`return inPages(t.orderBy(r => [r.c, r.id]).select(r => r.id), 2)`, `[nulls,1,2]`},
	{`return inPages(t.orderBy(r => [r.c.desc(), r.id]).select(r => r.id), 2)`, `[2,1,nulls]`},
	{`return (await t.groupBy(r => r.c).select(g => ({ c: g.c, n: g.count() }))).map(x => [x.c, x.n]).sort((x, y) => x[1] - y[1] || (x[0] < y[0] ? -1 : 1))`, `[[A,1],[B,1],[null,N]]`},
	{`return await t.countDistinct(r => r.c)`, `2`},
	{`return (await t.select(r => r.c).distinct()).length`, `3`},
	{`return (await t.distinctBy(r => r.c)).length`, `3`},
	{`return await t.groupBy(r => r.org).select(g => g.collect(r => r.c))`, `[[A,B]]`},
	{`return (await orgs.select(o => ({ t: o.rows().orderBy(r => r.id).select(r => r.c) })))[0].t`, `[A,B,null,null…]`},
	{`return await orgs.where(o => o.rows().some(r => r.c === null && r.id !== 3)).count()`, `1`},
	{`return (await t.orderBy(r => r.id).partitionBy(r => r.org).select(({ t, window }) => window.lag(r => r.c))).length`, `rows`},
}

var misfitOrdered = []struct{ program, want string }{
	{`return ids(t.where(r => r.c > a))`, `[2]`},
	{`return ids(t.where(r => r.c >= a))`, `[1,2]`},
	{`return ids(t.where(r => r.c < b))`, `[1]`},
	{`return ids(t.where(r => r.c <= b))`, `[1,2]`},
	{`return ids(t.where(r => b > r.c))`, `[1]`},
	{`return ids(t.where(r => r.c.between(a, b)))`, `[1,2]`},
	{`return ids(t.where(r => !(r.c > a)))`, `[1,nulls]`},
	{`return ids(t.where(r => !(r.c < b)))`, `[2,nulls]`},
	{`return ids(t.where(r => !(r.c > a && r.id > 0)))`, `[1,nulls]`},
	{`return ids(t.where(r => r.c > r.d))`, `[]`},
	{`return ids(t.where(r => r.c >= r.d))`, `[1,2]`},
	{`return await t.min(r => r.c)`, `A`},
	{`return await t.max(r => r.c)`, `B`},
	{`return (await t.groupBy(r => r.org).select(g => ({ a: g.min(r => r.c), b: g.max(r => r.c) })))[0]`, `{"a":A,"b":B}`},
}

var misfitSummed = []struct{ program, want string }{
	{`return Number(await t.sum(r => r.c))`, `S`},
	{`return Number(await t.avg(r => r.c)) * 2`, `S`},
	{`return Number(await t.median(r => r.c)) * 2`, `S`},
	{`return (await t.orderBy(r => r.id).select(r => r.c + 1)).map(x => x === null ? null : Number(x) - 1)`, `[SA,SB,null,null…]`},
	{`return (await t.groupBy(r => r.org).select(g => ({ s: g.sum(r => r.c), n: g.avg(r => r.c) }))).map(x => Number(x.s) / Number(x.n))[0]`, `2`},
}

// misfitTool has two tables with a column of the kind, one of which has an index.
func misfitTool(t *testing.T, k misfitKind, table string, statements ...string) (*codemode.Tool, *exosql.DB) {
	t.Helper()
	db, _ := kit.File(t, tu.SQLite, statements...)
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := dynamic.New(live)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	orgs, err := d.Table("orgs")
	must(err)
	spec := func(name string) dynamic.ColumnSpec {
		return dynamic.ColumnSpec{Name: name, Type: k.kind, Stored: k.stored}
	}
	rows, err := d.Table(table, spec("c"), spec("d"))
	must(err)
	link, err := orgs.Link(dynamic.LinkSpec{Name: "rows", Columns: []string{"id"}, To: rows, References: []string{"org"}})
	must(err)
	of, err := orgs.Facet("org", "id")
	must(err)
	facet, err := rows.Facet("t", "id", "org", "c", "d")
	must(err)
	must(of.Add(link, facet))
	must(facet.AllowUpdate("c", "d"))
	must(facet.AllowInsert("id", "c", "d"))
	must(facet.Permit("unique(id)"))
	a, err := of.Grant(db, dynamic.Eq("id", 1), dynamic.ScopeVia(link))
	must(err)
	b, err := facet.Grant(db, dynamic.Eq("org", 1))
	must(err)
	tool, err := codemode.New(codemode.Grants{"orgs": a, "t": b}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	must(err)
	return tool, db
}

// misfitRows makes the rows: in d stands the value that c has, but the other way round where that is none.
func misfitRows(k misfitKind, table string) []string {
	out := []string{
		"CREATE TABLE orgs (id INTEGER PRIMARY KEY)", "INSERT INTO orgs VALUES (1)",
		fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, c %s, d %s)", table, k.typ, k.typ),
	}
	if table == "led" {
		out = append(out, "CREATE INDEX led_c ON led (org, c)")
	}
	for i, c := range append([]string{k.cells[0], k.cells[1], "NULL"}, k.misfits...) {
		d := c
		if i > 2 {
			d = k.misfits[(i-2)%len(k.misfits)]
		}
		out = append(out, fmt.Sprintf("INSERT INTO %s VALUES (%d, 1, %s, %s)", table, i+1, c, d))
	}
	return out
}

func (k misfitKind) want(text string) string {
	nulls := "3"
	for i := range k.misfits {
		nulls += fmt.Sprint(",", i+4)
	}
	n := len(k.misfits)
	text = strings.ReplaceAll(text, "nulls", nulls)
	text = strings.ReplaceAll(text, "rows", fmt.Sprint(n+3))
	for _, x := range []string{"null", "B"} {
		text = strings.ReplaceAll(text, ","+x+"…", strings.Repeat(","+x, n))
	}
	text = strings.ReplaceAll(text, "null,N", fmt.Sprint("null,", n+1))
	sum := map[string]string{"3": "10", "3.5": "11"}[k.cells[0]]
	text = strings.NewReplacer("SA", k.cells[0], "SB", k.cells[1], "S", sum).Replace(text)
	return strings.NewReplacer("A", k.shown[0], "B", k.shown[1]).Replace(text)
}

func TestMisfitsAreNull(t *testing.T) {
	for name, k := range misfitKinds {
		for _, table := range []string{"plain", "led"} {
			t.Run(name+"/"+table, func(t *testing.T) {
				t.Parallel()
				tool, _ := misfitTool(t, k, table, misfitRows(k, table)...)
				asked := misfitAsked
				if k.kind != "bool" && k.kind != "bytes" && k.kind != "uuid" {
					asked = append(asked[:len(asked):len(asked)], misfitOrdered...)
				}
				if !k.same {
					asked = append(asked[:len(asked):len(asked)], misfitSummed...)
				}
				for _, a := range asked {
					if k.kind == "bytes" && strings.ContainsAny(a.program, "Bp") && (strings.Contains(a.program, "groupBy") || strings.Contains(a.program, "distinctBy") || strings.Contains(a.program, "partitionBy")) {
						continue // bytes can't be
					}
					if table == "led" && strings.Contains(a.program, "inPages") { // in the order of the index, each row once
						if k.kind == "text" {
							continue // see below
						}
						a.program = strings.Replace(a.program, "return inPages(", "const p = await inPages(", 1) + "; return [p.length, new Set(p).size, p.indexOf(1) < p.indexOf(2)]"
						a.want = fmt.Sprintf("[rows,rows,%t]", !strings.Contains(a.program, "desc"))
					}
					program := kit.InPages + "const ids = q => q.orderBy(r => r.id).select(r => r.id).execute(); const a = " + k.values[0] + ", b = " + k.values[1] + ";\n" + a.program
					r := tool.Run(t.Context(), program)
					if r.Err != nil || a.want != "" && string(r.JSON) != k.want(a.want) {
						t.Errorf("%s\n\t%s %v\n\twant %s", a.program, r.JSON, r.Err, k.want(a.want))
					}
				}
			})
		}
	}
}

// TestMisfitsInWrites: a misfit is no null to a write, which is a Conflict where it would be one. By other columns the row is found, and mended.
func TestMisfitsInWrites(t *testing.T) {
	for name, k := range misfitKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, _ := misfitTool(t, k, "plain", misfitRows(k, "plain")...)
			for _, a := range []struct{ program, want string }{
				{`return t.where(r => r.id === 3 && r.c === null).update({ c: a })`, `1`},
				{`return t.where(r => r.id <= 2 && r.c !== null).update({ d: a })`, `2`},
				{`return t.where(r => r.id === 4 && r.c !== null).update({ d: a })`, `0`},
				{`return t.where(r => r.c === null).update({ c: a })`, "conflict"},
				{`return t.where(r => r.id === 4 && r.c === null).update({ d: null })`, "conflict"},
				{`return t.where(r => r.id === 4 && r.c.isNull()).update({ d: null })`, "conflict"},
				{`return t.where(r => r.id === 4 && r.c !== a).update({ d: null })`, "conflict"},
				{`return t.where(r => r.id === 4).update(r => ({ d: r.c ?? a }))`, "conflict"},
				{`const r = await t.where({ id: 4 }).first(); return t.where({ id: 4 }).ifUnchanged({ c: r.c }).update({ d: a })`, "conflict"},
				{`return t.where({ id: 1 }).ifUnchanged({ c: a }).update({ d: a })`, `1`},
				{`await t.where({ id: 4 }).update({ c: b }); return (await t.where({ id: 4 }).first()).c`, k.shown[1]},
				{`await t.where({ id: 5 }).update({ c: null }); return ids(t.where(r => r.id === 5 && r.c === null))`, `[5]`},
			} {
				r := tool.Run(t.Context(), "const ids = q => q.select(r => r.id).execute(); const a = "+k.values[0]+", b = "+k.values[1]+";\n"+a.program)
				if a.want == "conflict" && fail.KindOf(r.Err) != fail.Conflict || a.want != "conflict" && (r.Err != nil || string(r.JSON) != a.want) {
					t.Errorf("%s\n\t%s %v\n\twant %s", a.program, r.JSON, r.Err, a.want)
				}
			}
		})
	}
}

// TestMisfitNotices: an answer counts the cells that are null for it, by column. Labelled columns are not counted, nor those that are not shown.
func TestMisfitNotices(t *testing.T) {
	k := misfitKinds["int"]
	tool, _ := misfitTool(t, k, "plain", misfitRows(k, "plain")...)
	for _, a := range []struct{ program, want string }{
		{`return t`, "`c` has 6 values in this answer that are not of the type int in the database; they are null here; t.execute: `d` has 6 values"},
		{`return t.orderBy(r => r.id).limit(4).select(r => r.c)`, "`c` has 1 values"},
		{`return (await t.orderBy(r => r.id).select(r => r.c).page(5)).rows.length`, "`c` has 2 values"},
		{`return orgs.select(o => ({ l: o.rows().select(r => ({ c: r.c })) }))`, "`c` has 6 values"},
		{`return t.sum(r => r.c)`, "t.sum: `c` in 6 of the rows behind this answer is not of the type int in the database; it counts as null"},
		{`return t.avg(r => r.c * 2 + 1)`, "`c` in 6 of the rows"},
		{`return t.orderBy(r => r.id).limit(4).median(r => r.c)`, "`c` in 1 of the rows"},
		{`return t.countBy(r => r.c)`, "`c` in 6 of the rows"},
		{`return t.groupBy(r => ({ odd: r.id % 2 })).select(g => ({ n: g.max(r => r.c), m: g.sum(r => r.c) }))`, "`c` in 6 of the rows"},
		{`return (await t.orderBy(r => r.id).groupBy(r => ({ id: r.id })).select(g => ({ id: g.id, m: g.sum(r => r.c) })).page(5)).rows.length`, "`c` in 2 of the rows"},
		{`return t.groupBy(r => ({ c: r.c })).select(g => ({ c: g.c, n: g.sum(r => r.id) })).orderBy(({ group }) => group.c).first()`, "`c` in 6 of the rows"},
		{`return t.groupBy(r => ({ odd: r.id % 2 })).select(g => ({ s: g.count(r => r.c === null) })).distinct()`, ""},
		{`return t.groupBy(r => ({ c: r.c })).max(g => g.count())`, ""}, // of groups no tally stands beside one value
		{`return t.groupBy(r => ({ odd: r.id % 2 })).avg(g => g.sum(r => r.c))`, ""},
		{`return t.groupBy(r => ({ odd: r.id % 2 })).select(g => ({ s: g.sum(r => r.c) })).countDistinct(r => r.s)`, ""},
		{`return t.where(r => r.c !== null).sum(r => r.c)`, ""},
		{`return t.count()`, ""},
		{`return t.groupBy(r => ({ odd: r.id % 2 })).select(g => g.count())`, ""},
		{`return t.where(r => r.c !== null)`, ""},
		{`return t.where(r => r.c === null).count()`, ""},
		{`return t.select(r => r.id)`, ""},
	} {
		if r := tool.Run(t.Context(), a.program); r.Err != nil || !strings.Contains(r.Notice, a.want) || (a.want == "") != (r.Notice == "") {
			t.Errorf("%s: %q, %v", a.program, r.Notice, r.Err)
		}
	}
}

// TestMisfitNoticesOfLabels: how many cells of a labelled column are misfits is told of no answer, though what is read of them is admitted.
func TestMisfitNoticesOfLabels(t *testing.T) {
	for e, misfit := range map[tu.Engine]string{tu.SQLite: "'x'", tu.Postgres: "'NaN'"} {
		tool := placeTool(t, e, []dynamic.ColumnSpec{{Name: "c", Label: []string{"pii"}}}, "CREATE TABLE item (id INTEGER PRIMARY KEY, c double precision, d double precision)",
			"INSERT INTO item VALUES (1, 1, "+misfit+"), (2, "+misfit+", 5)")
		for _, a := range []struct{ program, want string }{
			{`await items.sum(i => i.d); return 1`, "`d` in 1 of the rows"},
			{`await items.sum(i => i.c); return 1`, ""},
			{`await items.median(i => i.c + 1); return 1`, ""},
			{`await items.countBy(i => i.c); return 1`, ""},
			{`await items.groupBy(i => ({ d: i.d })).select(g => ({ d: g.d, c: g.max(i => i.c) })); return 1`, "`d` in 1 of the rows"},
			{`await items.execute(); return 1`, "`d` has 1 values"},
		} {
			if r := tool.Run(t.Context(), a.program); r.Err != nil || !strings.Contains(r.Notice, a.want) || (a.want == "") != (r.Notice == "") || strings.Contains(r.Notice, "`c`") {
				t.Errorf("%s: %s: %q, %v", e.Name, a.program, r.Notice, r.Err)
			}
		}
	}
}

// TestOneValueBesideLabels: one value of all rows is no cell of a row, so a labelled column of the facet, which it does not read, seals none.
func TestOneValueBesideLabels(t *testing.T) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		for _, tags := range [][]string{{"pii"}, {"pay"}} { // admitted or not
			tool := placeTool(t, e, []dynamic.ColumnSpec{{Name: "mail", Label: tags}, {Name: "pay", Type: "decimal"}, {Name: "day", Type: "date"}},
				"CREATE TABLE item (id INTEGER PRIMARY KEY, mail TEXT, name TEXT, pay DECIMAL(10,2), day DATE, qty INTEGER)", "CREATE INDEX item_qty ON item (qty)",
				"INSERT INTO item VALUES (1, 'm', 'ann', 10.5, '2024-01-02', 3), (2, 'n', 'bob', 20, '2024-01-03', 2)")
			r := tool.Run(t.Context(), `return [String(await items.sum(i => i.pay)), await items.max(i => i.name), await items.min(i => i.day), await items.max(i => i.qty), String(await items.median(i => i.pay)), await items.count()]`)
			if want := `["30.5","bob","2024-01-02",3,"15.25",2]`; r.Err != nil || string(r.JSON) != want {
				t.Errorf("%s: %s %v, want %s", e.Name, r.JSON, r.Err, want)
			}
			if r := tool.Run(t.Context(), `return items.max(i => i.mail)`); (r.Err == nil) != (tags[0] == "pii") {
				t.Errorf("%s: the greatest labelled value: %s %v", e.Name, r.JSON, r.Err)
			}
		}
	}
}

type mfItem struct{ ID, Org, Price, Qty int64 }

// TestMisfitsElsewhere: a condition on the rows of an aggregate has its guards, though the aggregate itself needs none, and a write goes by
// the order that programs are shown.
func TestMisfitsElsewhere(t *testing.T) {
	db, raw := kit.File(t, tu.SQLite, "CREATE TABLE items (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, price INTEGER, qty INTEGER)", "CREATE INDEX by_price ON items (org, price)",
		"INSERT INTO items VALUES (1, 1, 'x', 5), (2, 1, 4, 7), (3, 1, 2, 9)")
	items := exosql.NewTable[mfItem]("items")
	id := exosql.NewKey(items, "id", func(i *mfItem) *int64 { return &i.ID })
	org := exosql.NewColumn(items, "org", func(i *mfItem) *int64 { return &i.Org })
	price := exosql.NewColumn(items, "price", func(i *mfItem) *int64 { return &i.Price })
	qty := exosql.NewColumn(items, "qty", func(i *mfItem) *int64 { return &i.Qty })
	tool, err := codemode.New(codemode.Grants{"items": exosql.NewFacet(items, "item", id, org, price, qty).AllowDelete().Of(exosql.Grant(db, items, org.Eq(1)))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	if r := tool.Run(t.Context(), "return items.groupBy(i => i.org).select(g => ({ n: g.where(i => i.price > 3).sum(i => i.qty) }))"); string(r.JSON) != `[{"n":7}]` {
		t.Errorf("the sum of the rows over 3: %s %v", r.JSON, r.Err)
	}
	for _, order := range []string{"i.price", "i.price.desc()"} {
		first := tool.Run(t.Context(), "return (await items.orderBy(i => "+order+").first()).id")
		_ = tool.Run(t.Context(), "return items.orderBy(i => "+order+").limit(1).delete()") // a Conflict, or the row that was shown
		if left := kit.Cells(t, raw, "SELECT id FROM items WHERE id <> "+string(first.JSON)+" ORDER BY id"); len(strings.Fields(left)) < 2 {
			t.Errorf("by %s first is %s, and these are left: %q", order, first.JSON, left)
		}
		if _, err := raw.Exec("DELETE FROM items; INSERT INTO items VALUES (1, 1, 'x', 5), (2, 1, 4, 7), (3, 1, 2, 9)"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMisfitsOfSpans: lengths of time in whatever form of ISO 8601, and lists. What is neither is null.
func TestMisfitsOfSpans(t *testing.T) {
	db, _ := kit.File(t, tu.SQLite, "CREATE TABLE jobs (id INTEGER PRIMARY KEY, took TEXT, tags TEXT)",
		`INSERT INTO jobs VALUES (1, 'P7D', '["a"]'), (2, 'P1W', '[]'), (3, '', '{}'), (4, 5, 'x'), (5, NULL, NULL), (6, x'00', x'00')`)
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := dynamic.New(live).Table("jobs", dynamic.ColumnSpec{Name: "took", Type: "interval"}, dynamic.ColumnSpec{Name: "tags", Type: "list", Elem: "text"})
	if err != nil {
		t.Fatal(err)
	}
	facet, err := jobs.Facet("job", "id", "took", "tags")
	if err != nil {
		t.Fatal(err)
	}
	of, err := facet.Of(db, jobs.Rows(dynamic.AllRows()))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"jobs": of}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		`return (await jobs.orderBy(j => j.id)).map(j => [j.took, j.tags])`: `[["P7D",["a"]],["P7D",[]],[null,null],[null,null],[null,null],[null,null]]`,
		`return ids(jobs.where(j => j.took === null))`:                      `[3,4,5,6]`,
		`return ids(jobs.where(j => j.took !== null))`:                      `[1,2]`,
		`return ids(jobs.where(j => j.took === "P7D"))`:                     `[1,2]`,
		`return ids(jobs.where(j => j.took !== "P7D"))`:                     `[3,4,5,6]`,
		`return ids(jobs.where(j => j.took > "P1D"))`:                       `[1,2]`,
		`return ids(jobs.where(j => j.tags === null))`:                      `[3,4,5,6]`,
		`return ids(jobs.where(j => j.tags !== null))`:                      `[1,2]`,
		`return ids(jobs.where(j => j.tags.includes("a")))`:                 `[1]`,
	} {
		if r := tool.Run(t.Context(), "const ids = q => q.orderBy(j => j.id).select(j => j.id);\n"+program); r.Err != nil || string(r.JSON) != want {
			t.Errorf("%s: %s %v, want %s", program, r.JSON, r.Err, want)
		}
	}
}

// TestMisfitsOfLinkedRows: an aggregate of an aggregate leaves misfits out on both levels, and no row is changed because a misfit of a row
// that it leads to reads as null.
func TestMisfitsOfLinkedRows(t *testing.T) {
	db, raw := kit.File(t, tu.SQLite, "CREATE TABLE owners (id INTEGER PRIMARY KEY, credit INTEGER)", "CREATE TABLE items (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owners, qty INTEGER, note TEXT)",
		"CREATE INDEX by_owner ON items (owner, qty)", "INSERT INTO owners VALUES (1, 'x'), (2, NULL), (3, 7)", "INSERT INTO items (id, owner, qty) VALUES (1, 1, 'x'), (2, 2, 5), (3, 3, 9), (4, 1, 3)")
	live, err := db.Catalog(t.Context())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	d := dynamic.New(live)
	owners, err := d.Table("owners")
	must(err)
	items, err := d.Table("items")
	must(err)
	many, err := owners.Link(dynamic.LinkSpec{Name: "items", Columns: []string{"id"}, To: items, References: []string{"owner"}})
	must(err)
	one, err := items.Link(dynamic.LinkSpec{Name: "holder", Columns: []string{"owner"}, To: owners, References: []string{"id"}, One: true})
	must(err)
	owner, err := owners.Facet("owner", "id", "credit")
	must(err)
	item, err := items.Facet("item", "id", "qty", "note")
	must(err)
	must(owner.Add(many, item))
	must(item.Add(one, owner))
	must(item.AllowUpdate("note"))
	all := func(t *dynamic.Table) dynamic.Scope { return dynamic.ScopeRows(t, dynamic.AllRows()) }
	a, err := owner.Grant(db, dynamic.AllRows(), all(items))
	must(err)
	b, err := item.Grant(db, dynamic.AllRows(), all(owners))
	must(err)
	tool, err := codemode.New(codemode.Grants{"owners": a, "items": b}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	must(err)
	for _, c := range []struct{ program, want string }{
		{`return owners.min(o => o.items().max(i => i.qty))`, `3`},
		{`return items.where(i => i.holder().credit === null).orderBy(i => i.id).select(i => i.id)`, `[1,2,4]`},
		{`return items.where(i => i.holder().credit === null).update({ note: "none" })`, `1`},
		{`return items.where(i => i.holder().credit !== null).update({ note: "some" })`, `1`},
		{`return items.where(i => i.holder().credit > 1).update({ note: "more" })`, `1`},
	} {
		if r := tool.Run(t.Context(), c.program); r.Err != nil || string(r.JSON) != c.want {
			t.Errorf("%s: %s %v, want %s", c.program, r.JSON, r.Err, c.want)
		}
	}
	if got := kit.Cells(t, raw, "SELECT id, note FROM items WHERE note IS NOT NULL ORDER BY id"); got != "2|none 3|more" {
		t.Errorf("changed: %s", got)
	}
}
