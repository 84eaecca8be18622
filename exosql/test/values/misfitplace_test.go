package values_test

// Misfits of both engines in pages, orders and aggregates: each row is in one page, and no value is lost behind one.

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// placeTool grants all rows of the table item with the columns that the specs name.
func placeTool(t *testing.T, e tu.Engine, specs []dynamic.ColumnSpec, statements ...string) *codemode.Tool {
	t.Helper()
	db, _ := kit.File(t, e, statements...)
	live, err := db.Catalog(t.Context())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	items, err := dynamic.New(live).Table("item", specs...)
	must(err)
	names := []string{}
	for _, c := range live.Tables[0].Columns {
		names = append(names, c.Name)
	}
	facet, err := items.Facet("i", names...)
	must(err)
	of, err := facet.Of(db, items.Rows(dynamic.AllRows()))
	must(err)
	tool, err := codemode.New(codemode.Grants{"items": of}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii"), Evaluator: exoeval.InProcess{}})
	must(err)
	return tool
}

// TestPagesOfMisfits: each row is in exactly one page, whatever its cells are, in the order that the whole query has.
func TestPagesOfMisfits(t *testing.T) {
	for name, c := range map[string]struct {
		e     tu.Engine
		specs []dynamic.ColumnSpec
		table string
		cells map[string][]string
	}{
		"sqlite": {tu.SQLite, []dynamic.ColumnSpec{{Name: "at", Stored: "sql"}, {Name: "seen", Type: "time", Stored: "iso"}, {Name: "made", Type: "time"}},
			"due DATE, at DATETIME, seen TEXT, made TEXT, note TEXT, r REAL, d DECIMAL(10,2), b BLOB, n INTEGER",
			map[string][]string{
				"due":  {"'2024-02-30'", "'2024-03-01'", "'2024-02-29'", "NULL", "''", "5", "'2024-02-30x'"},
				"at":   {"'2024-02-30 10:00:00'", "'2024-03-01 00:00:00'", "NULL", "''", "5", "'2024-03-01 00:00:00.0004'", "'2024-03-01 00:00:00.0005'"},
				"seen": {"'2024-02-30T10:00:00.000Z'", "'2024-03-01T00:00:00Z'", "'2024-03-01T00:00:00.000Z'", "NULL", "''", "5", "'x'"},
				"made": {"'2024-02-30T10:00:00.000Z'", "'2024-03-01T00:00:00Z'", "'2024-03-01 00:00:00'", "NULL", "''", "5", "'x'"},
				"note": {"'b' || char(0) || 'c'", "'b'", "'c'", "NULL", "x'62'", "CAST(x'62ff' AS TEXT)", "''"},
				"r":    {"9e999", "-9e999", "1.5", "NULL", "'x'", "x'00'", "1e308"},
				"d":    {"9e999", "-9e999", "1.5", "NULL", "'x'", "x'00'", "'1.50'"},
				"b":    {"x'00'", "x''", "'x'", "NULL", "5", "9e999", "x'0001'"},
				"n":    {"5", "5.5", "'x'", "NULL", "''", "x'00'", "9e999"},
			}},
		"postgres": {tu.Postgres, nil, "until timestamptz, local timestamp, due date, num numeric, r real, f double precision, took interval",
			map[string][]string{
				"until": {"'infinity'", "'-infinity'", "'2024-01-02 03:04:05.678901+00'", "NULL", "'infinity'", "'20000-01-01'", "'0044-03-15 BC'"},
				"local": {"'infinity'", "'-infinity'", "'2024-01-02 03:04:05.678901'", "NULL", "'infinity'", "'20000-01-01'", "'0044-03-15 BC'"},
				"due":   {"'infinity'", "'-infinity'", "'2024-01-02'", "NULL", "'infinity'", "'20000-01-01'", "'0044-03-15 BC'"},
				"num":   {"'NaN'", "'Infinity'", "1.5", "NULL", "'-Infinity'", "'NaN'", "1e400"},
				"r":     {"'NaN'", "'Infinity'", "1.5", "NULL", "'-Infinity'", "'NaN'", "0.1"},
				"f":     {"'NaN'", "'Infinity'", "1.5", "NULL", "'-Infinity'", "'NaN'", "0.1"},
				"took":  {"'1 day'", "'24 hours'", "'1 mon'", "NULL", "'30 days'", "'-1 day'", "'0'"},
			}},
	} {
		for _, index := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, index), func(t *testing.T) {
				t.Parallel()
				statements := []string{"CREATE TABLE item (id INTEGER PRIMARY KEY, " + c.table + ")"}
				var names []string
				for col, cells := range c.cells {
					names = append(names, col)
					for i, cell := range cells {
						statements = append(statements, fmt.Sprintf("INSERT INTO item (id, %s) VALUES (%d, %s) ON CONFLICT (id) DO UPDATE SET %[1]s = excluded.%[1]s", col, i+1, cell))
					}
					if index {
						statements = append(statements, fmt.Sprintf("CREATE INDEX item_%s ON item (%[1]s)", col))
					}
				}
				tool := placeTool(t, c.e, c.specs, statements...)
				slices.Sort(names)
				for _, col := range names {
					for _, order := range []string{"i." + col, "i." + col + ".desc()", "[i." + col + ".desc(), i.id]", "[i." + col + ", i.id.desc()]"} {
						for _, size := range []string{"1", "2"} {
							r := tool.Run(t.Context(), "const q = items.orderBy(i => "+order+"); const p = []; let c, n = 0; do { const x = await q.select(i => i.id).page("+size+", c); p.push(...x.rows); c = x.next } while (c && n++ < 20);"+
								"return [p.length, new Set(p).size, p.join() === (await q).map(i => i.id).join()]")
							want := "[7,7,true]"
							if index || !strings.HasPrefix(order, "[") { // as they are stored, or rows that are equal in any order
								want = "[7,7,"
							}
							if r.Err != nil || !strings.HasPrefix(string(r.JSON), want) {
								t.Errorf("%s in pages of %s: %s %v", order, size, r.JSON, r.Err)
							}
						}
					}
				}
			})
		}
	}
}

// misfitPlaces are columns with three values, each as a program and an answer have it, in ascending order, and cells that are none.
var misfitPlaces = []struct {
	e          tu.Engine
	typ        string
	spec       dynamic.ColumnSpec
	values     [3]string
	cells      [3]string
	misfits    [2]string
	shown      [3]string
	calculates string
}{
	{tu.SQLite, "INTEGER", dynamic.ColumnSpec{}, [3]string{"2", "5", "7"}, [3]string{"2", "5", "7"}, [2]string{"''", "'n/a'"}, [3]string{"2", "5", "7"}, "i.c + 1"},
	{tu.SQLite, "REAL", dynamic.ColumnSpec{}, [3]string{"2.5", "5.5", "7.5"}, [3]string{"2.5", "5.5", "7.5"}, [2]string{"9e999", "-9e999"}, [3]string{"2.5", "5.5", "7.5"}, "i.c + 1"},
	{tu.SQLite, "DATE", dynamic.ColumnSpec{}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [2]string{"'2024-02-30'", "'2020-02-31'"}, [3]string{`"2021-01-01"`, `"2022-01-01"`, `"2023-01-01"`}, "i.c.truncate('month')"},
	{tu.SQLite, "TEXT", dynamic.ColumnSpec{Type: "time", Stored: "iso"}, [3]string{"new Date('2021-01-01')", "new Date('2022-01-01')", "new Date('2023-01-01')"}, [3]string{"'2021-01-01T00:00:00.000Z'", "'2022-01-01T00:00:00.000Z'", "'2023-01-01T00:00:00.000Z'"}, [2]string{"'2024-02-30T00:00:00.000Z'", "'2020-02-31T00:00:00.000Z'"}, [3]string{`"2021-01-01T00:00:00.000Z"`, `"2022-01-01T00:00:00.000Z"`, `"2023-01-01T00:00:00.000Z"`}, "i.c.year()"},
	{tu.SQLite, "DATETIME", dynamic.ColumnSpec{}, [3]string{"new Date('2021-01-01')", "new Date('2022-01-01')", "new Date('2023-01-01')"}, [3]string{"'2021-01-01 00:00:00'", "'2022-01-01T00:00:00Z'", "'2023-01-01'"}, [2]string{"'2024-02-30 00:00:00'", "'2022-01-15 noon'"}, [3]string{`"2021-01-01T00:00:00.000Z"`, `"2022-01-01T00:00:00.000Z"`, `"2023-01-01T00:00:00.000Z"`}, "i.c.year()"},
	{tu.Postgres, "numeric", dynamic.ColumnSpec{}, [3]string{"2.5", "5.5", "7.5"}, [3]string{"2.5", "5.5", "7.5"}, [2]string{"'NaN'", "'-Infinity'"}, [3]string{`"2.5"`, `"5.5"`, `"7.5"`}, "i.c + 1"},
	{tu.Postgres, "double precision", dynamic.ColumnSpec{}, [3]string{"2.5", "5.5", "7.5"}, [3]string{"2.5", "5.5", "7.5"}, [2]string{"'NaN'", "'-Infinity'"}, [3]string{"2.5", "5.5", "7.5"}, "i.c + 1"},
	{tu.Postgres, "real", dynamic.ColumnSpec{}, [3]string{"2.1", "5.1", "7.1"}, [3]string{"2.1", "5.1", "7.1"}, [2]string{"'Infinity'", "'-Infinity'"}, [3]string{"2.1", "5.1", "7.1"}, "i.c + 1"},
	{tu.Postgres, "date", dynamic.ColumnSpec{}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [2]string{"'infinity'", "'-infinity'"}, [3]string{`"2021-01-01"`, `"2022-01-01"`, `"2023-01-01"`}, "i.c.truncate('month')"},
	{tu.Postgres, "timestamptz", dynamic.ColumnSpec{}, [3]string{"new Date('2021-01-01')", "new Date('2022-01-01')", "new Date('2023-01-01')"}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [2]string{"'infinity'", "'-infinity'"}, [3]string{`"2021-01-01T00:00:00.000Z"`, `"2022-01-01T00:00:00.000Z"`, `"2023-01-01T00:00:00.000Z"`}, "i.c.year()"},
	{tu.Postgres, "timestamp", dynamic.ColumnSpec{}, [3]string{"new Date('2021-01-01')", "new Date('2022-01-01')", "new Date('2023-01-01')"}, [3]string{"'2021-01-01'", "'2022-01-01'", "'2023-01-01'"}, [2]string{"'20000-01-01'", "'0044-01-01 BC'"}, [3]string{`"2021-01-01T00:00:00.000Z"`, `"2022-01-01T00:00:00.000Z"`, `"2023-01-01T00:00:00.000Z"`}, "i.c.year()"},
}

// misfitPlaceAsked are programs about rows whose cell c is: 1 the value M, 2 the greatest one H, 3 and 5 misfits, 4 the least value L, 6 NULL.
var misfitPlaceAsked = []struct{ program, want string }{
	{`return items.orderBy(i => i.c.desc()).limit(1).select(i => i.id)`, `[2]`},
	{`return items.orderBy(i => i.c.desc()).limit(2).select(i => ({ x: { n: i.id } }))`, `[{"x":{"n":2}},{"x":{"n":1}}]`},
	{`return (await items.orderBy(i => i.c.desc()).first()).id`, `2`},
	{`return items.orderBy(i => i.c.desc()).select(i => i.id).first()`, `2`},
	{`return items.orderBy(i => [i.c.desc(), i.id]).select(i => i.id)`, `[2,1,4,3,5,6]`},
	{`return items.orderBy(i => [i.c, i.id]).select(i => i.id)`, `[3,5,6,4,1,2]`},
	{`return items.orderBy(i => i.c.desc()).limit(2).max(i => i.c)`, `H`},
	{`return items.orderBy(i => i.c.desc()).limit(2).min(i => i.c)`, `M`},
	{`return items.orderBy(i => i.c.desc()).limit(2).where(i => i.c !== null).count()`, `2`},
	{`return items.orderBy(i => i.c.desc()).partitionBy(i => i.g).where(({ i, window }) => window.rowNumber() === 1).select(({ i }) => i.id)`, `[2]`},
	{`return (await items.orderBy(i => i.c.desc()).distinctBy(i => i.g)).map(i => i.id)`, `[2]`},
	{`return items.orderBy(i => i.c).limit(1).select(i => i.id)`, `[3]`},
	{`return items.orderBy(i => i.c).limit(2).select(i => ({ x: { n: i.id } }))`, `[{"x":{"n":3}},{"x":{"n":5}}]`},
	{`return (await items.orderBy(i => i.c).first()).id`, `3`},
	{`return items.orderBy(i => [i.g, i.c]).limit(1).select(i => i.id)`, `[3]`},
	{`return items.orderBy(i => [i.g.desc(), i.c]).limit(1).select(i => i.id)`, `[3]`},
	{`return items.where(i => i.id > 3 && i.id !== 6).orderBy(i => i.c).select(i => i.id).first()`, `5`},
	{`return items.orderBy(i => [i.c, i.id]).offset(2).limit(2).select(i => i.id)`, `[6,4]`},
	{`return items.where(i => i.c !== null).orderBy(i => i.c).limit(1).select(i => i.id)`, `[4]`},
	{`return items.where(i => i.id === 99).orderBy(i => i.c).limit(1).select(i => i.id)`, `[]`},
	{`return items.max(i => i.c)`, `H`},
	{`return items.min(i => i.c)`, `L`},
	{`return items.groupBy(i => i.g).select(g => ({ a: g.min(i => i.c), b: g.max(i => i.c) }))`, `[{"a":L,"b":H}]`},
	{`return ids(items.where(i => i.c > l))`, `[1,2]`},
	{`return ids(items.where(i => i.c < h))`, `[1,4]`},
	{`return ids(items.where(i => i.c >= l))`, `[1,2,4]`},
	{`return ids(items.where(i => i.c <= h))`, `[1,2,4]`},
	{`return ids(items.where(i => i.c.between(l, m)))`, `[1,4]`},
	{`return ids(items.where(i => !(i.c > l)))`, `[3,4,5,6]`},
	{`return ids(items.where(i => i.c > l || i.id === 3))`, `[1,2,3]`},
	{`return ids(items.where(i => i.c === m))`, `[1]`},
	{`return ids(items.where(i => i.c !== m))`, `[2,3,4,5,6]`},
	{`return ids(items.where(i => i.c.ne(m)))`, `[2,4]`},
	{`return ids(items.where(i => i.c === null))`, `[3,5,6]`},
	{`return ids(items.where(i => i.c !== null))`, `[1,2,4]`},
	{`return ids(items.where(i => i.c.in([m, h])))`, `[1,2]`},
	{`return ids(items.where(i => i.c.notIn([m])))`, `[2,4]`},
	{`return ids(items.where(i => ![m].includes(i.c)))`, `[2,3,4,5,6]`},
	{`return ids(items.where(i => (i.c ?? m) === m))`, `[1,3,5,6]`},
	{`return items.orderBy(i => i.id).select(i => i.c)`, `[M,H,null,L,null,null]`},
	{`return items.orderBy(i => i.id).select(i => i.c ?? m)`, `[M,H,M,L,M,M]`},
	{`return (await items.orderBy(i => i.id).select(i => CALC)).map(x => x === null)`, `[false,false,true,false,true,true]`},
	{`return (await items.groupBy(i => CALC).count())`, `4`},
	{`return items.where(i => i.c > l).count()`, `2`},
	{`return items.groupBy(i => i.c).count()`, `4`},
	{`return (await items.groupBy(i => i.c).select(g => ({ c: g.c, n: g.count() }))).filter(g => g.c === null).map(g => g.n)`, `[3]`},
	{`return items.countDistinct(i => i.c)`, `3`},
	{`return items.select(i => i.c).distinct().count()`, `4`},
	{`return (await items.distinctBy(i => i.c)).length`, `4`},
	{`return ids(items.where(i => i.c === i.d))`, `[3,5,6]`},
	{`return ids(items.where(i => i.c > i.d))`, `[]`},
	{`return items.where(i => i.c.in(items.select(j => j.c))).count()`, `3`},
}

// TestMisfitsInEachPlace: a misfit is null wherever a program asks, whether an index has the column or not, and whether it is shown or not.
func TestMisfitsInEachPlace(t *testing.T) {
	for _, k := range misfitPlaces {
		for _, index := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s/%t", k.e.Name, k.typ, index), func(t *testing.T) {
				t.Parallel()
				statements := []string{fmt.Sprintf("CREATE TABLE item (id INTEGER PRIMARY KEY, c %s, d %[1]s, g INTEGER)", k.typ)}
				if index {
					statements = append(statements, "CREATE INDEX item_c ON item (c)", "CREATE INDEX item_g ON item (g, c)")
				}
				for i, cell := range []string{k.cells[1], k.cells[2], k.misfits[0], k.cells[0], k.misfits[1], "NULL"} {
					statements = append(statements, fmt.Sprintf("INSERT INTO item VALUES (%d, %s, %s, 1)", i+1, cell, k.misfits[0]))
				}
				spec, other := k.spec, k.spec
				spec.Name, other.Name = "c", "d"
				tool := placeTool(t, k.e, []dynamic.ColumnSpec{spec, other}, statements...)
				to := strings.NewReplacer("L", k.shown[0], "M", k.shown[1], "H", k.shown[2])
				for _, a := range misfitPlaceAsked {
					program := fmt.Sprintf("const ids = q => q.orderBy(i => i.id).select(i => i.id); const l = %s, m = %s, h = %s;\n", k.values[0], k.values[1], k.values[2]) + strings.ReplaceAll(a.program, "CALC", k.calculates)
					r := tool.Run(t.Context(), program)
					if r.Err != nil || string(r.JSON) != to.Replace(a.want) {
						t.Errorf("%s\n\t%s %v\n\twant %s", a.program, r.JSON, r.Err, to.Replace(a.want))
					}
				}
				if r := tool.Run(t.Context(), "return items.select(i => i.c)"); !strings.Contains(r.Notice, "`c` has 2 values") {
					t.Errorf("notice: %q, %v", r.Notice, r.Err)
				}
			})
		}
	}
}
