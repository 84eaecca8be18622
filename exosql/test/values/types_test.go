package values_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const typesSetup = `CREATE EXTENSION IF NOT EXISTS citext SCHEMA public; CREATE EXTENSION IF NOT EXISTS hstore SCHEMA public; CREATE EXTENSION IF NOT EXISTS ltree SCHEMA public; CREATE EXTENSION IF NOT EXISTS cube SCHEMA public; CREATE EXTENSION IF NOT EXISTS isn SCHEMA public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad'); CREATE TYPE pair AS (a int, b text); CREATE TYPE span AS RANGE (subtype = float8);
CREATE DOMAIN d_int AS int; CREATE DOMAIN d_text AS text; CREATE DOMAIN d_mood AS mood; CREATE DOMAIN d_inet AS inet; CREATE DOMAIN d_ints AS int[]; CREATE DOMAIN d_pair AS pair; CREATE DOMAIN d_dint AS d_int; CREATE DOMAIN d_cit AS public.citext; CREATE DOMAIN d_time AS timestamp`

// Where an order of a type is that of programs, of the database's type, or none.
const (
	known   = ""
	byType  = "type"  // compared and sorted by the type
	extreme = "least" // the same, and the database has min and max of it
	noOrder = "none"
)

// liveTypes are types with a text of two values, of which the first is the lesser one. Of most of them it has the greater text.
var liveTypes = []struct{ name, a, b, order string }{
	{"bool", "false", "true", known}, {"smallint", "2", "10", known}, {"int", "2", "10", known}, {"bigint", "2", "10", known}, {"real", "2", "10", known}, {"float8", "2", "10", known}, {"numeric", "2", "10", known},
	{"text", "B", "a", known}, {"varchar(9)", "B", "a", known}, {"char(9)", "B", "a", known}, {"name", "B", "a", known}, {`"char"`, "B", "a", byType}, {"bytea", `\x01`, `\x02`, known}, {"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", known},
	{"date", "2020-01-02", "2021-01-02", known}, {"time", "02:00:00", "10:00:00", extreme}, {"timetz", "02:00:00+00", "10:00:00+00", extreme}, {"timestamp", "2020-01-02 00:00:00", "2021-01-02 00:00:00", known}, {"timestamptz", "2020-01-02 00:00:00+00", "2021-01-02 00:00:00+00", known}, {"interval", "2 days", "10 days", known},
	{"json", `{"a": 1}`, `{"a": 2}`, known}, {"jsonb", `{"a": 1}`, `{"a": 2}`, known}, {"jsonpath", `$."a"`, `$."b"`, noOrder}, {"xml", "<a/>", "<b/>", noOrder},
	{"inet", "9.0.0.1", "10.0.0.1", extreme}, {"cidr", "9.0.0.0/8", "10.0.0.0/8", byType}, {"macaddr", "08:00:2b:01:02:03", "18:00:2b:01:02:03", byType}, {"macaddr8", "08:00:2b:01:02:03:04:05", "18:00:2b:01:02:03:04:05", byType},
	{"money", "$2.00", "$10.00", extreme}, {"bit(3)", "010", "100", byType}, {"varbit", "010", "1", byType}, {"oid", "2", "10", extreme}, {"pg_lsn", "2/0", "10/0", extreme}, {"xid", "2", "10", noOrder}, {"tid", "(0,2)", "(0,10)", extreme}, {"regtype", "integer", "text", noOrder}, {"txid_snapshot", "2:2:", "10:10:", noOrder},
	{"tsvector", "'a':1", "'b':1", noOrder}, {"tsquery", "'a'", "'b'", noOrder},
	{"point", "(2,0)", "(10,0)", noOrder}, {"lseg", "[(0,0),(2,0)]", "[(0,0),(10,0)]", noOrder}, {"box", "(2,2),(0,0)", "(10,10),(0,0)", noOrder}, {"path", "((0,0),(2,0))", "((0,0),(2,0),(3,0))", noOrder}, {"polygon", "((0,0),(2,0))", "((0,0),(10,0))", noOrder}, {"circle", "<(0,0),2>", "<(0,0),10>", noOrder}, {"line", "{1,2,3}", "{1,2,4}", noOrder},
	{"int4range", "[2,3)", "[10,11)", byType}, {"numrange", "[2,3)", "[10,11)", noOrder}, {"daterange", "[2020-01-02,2020-01-03)", "[2021-01-02,2021-01-03)", byType}, {"tstzrange", "empty", `["2020-01-02 00:00:00+00","2020-01-03 00:00:00+00")`, byType}, {"int4multirange", "{[2,3)}", "{[10,11)}", byType}, {"span", "[2,3)", "[10,11)", noOrder},
	{"mood", "sad", "glad", extreme}, {"pair", "(2,x)", "(10,x)", noOrder}, {"public.citext", "A", "b", known}, {"public.hstore", `"a"=>"1"`, `"b"=>"1"`, noOrder}, {"public.ltree", "a.b", "b.a", noOrder}, {"public.lquery", "a.*", "b.*", noOrder}, {"public.cube", "(2)", "(10)", noOrder}, {"public.isbn", "0-393-04002-X", "1-4000-5066-9", noOrder},
	{"d_int", "2", "10", known}, {"d_text", "B", "a", known}, {"d_mood", "sad", "glad", noOrder}, {"d_inet", "9.0.0.1", "10.0.0.1", extreme}, {"d_ints", "{2,3}", "{10}", known}, {"d_pair", "(2,x)", "(10,x)", noOrder}, {"d_dint", "2", "10", known}, {"d_cit", "A", "b", known},
}

// TestTypes: whatever type a column of PostgreSQL has, each operation gives what SQL gives, or says why it can't. By the letters of its text
// $10 comes before $2, 10.0.0.1 before 9.0.0.1, and an enum's values stand in no order. The twin is the type text.
func TestTypes(t *testing.T) {
	tu.NotQuick(t)
	setup := strings.Split(typesSetup, ";")
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	array := func(s string) string { return `{"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"}` }
	for i, x := range liveTypes {
		for _, c := range [][4]string{{"t", x.name, x.a, x.b}, {"a", x.name + "[]", array(x.a), array(x.b)}} {
			table := fmt.Sprint(c[0], i)
			setup = append(setup, fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, c %s, org int NOT NULL DEFAULT 1)", table, c[1]),
				fmt.Sprintf("INSERT INTO %s VALUES (1, %s), (2, %s), (3, NULL), (4, %[2]s)", table, quote(c[2]), quote(c[3])))
		}
	}
	setup = append(setup, "CREATE TABLE odd (id int PRIMARY KEY, c d_ints[])", "CREATE TABLE odd2 (id int PRIMARY KEY, c d_time[])")
	url := tu.Postgres.URL(t)
	db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(setup...)})
	raw := tu.Postgres.SQLDB(t, url)
	live, err := db.Catalog(t.Context())
	noError(t, err)
	ask := func(query string) (s string) {
		t.Helper()
		noError(t, raw.QueryRow(query).Scan(&s))
		return s
	}
	share := tu.OneIn(t, 6)
	for i, x := range liveTypes {
		for _, list := range []bool{false, true} {
			if !share.Next(x.order, list) {
				continue
			}
			table, name := fmt.Sprint("t", i), x.name
			if list {
				table, name = fmt.Sprint("a", i), x.name+"[]"
			}
			tb, err := dynamic.New(live).Table(table)
			noError(t, err)
			f, err := tb.Facet("row", "id", "c")
			if err != nil {
				if name != "d_ints[]" || !strings.Contains(err.Error(), "array of arrays") {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			noError(t, f.AllowInsert("id", "c"))
			noError(t, f.AllowUpdate("c"))
			o, err := f.Grant(db, dynamic.AllRows())
			noError(t, err)
			in, err := f.Grant(db, dynamic.Eq("org", 1)) // of all rows no path is asked for
			noError(t, err)
			if _, err := exosql.AccessPaths(t.Context(), in); err != nil {
				t.Errorf("%s: its access paths: %v", name, err)
			}
			r := tu.NewRunner(t, map[string]exo.Object{"rows": o}, exo.Limits{})
			is := func(program, want string) {
				t.Helper()
				if out := r.Run(t, program); out.JSON != want && !(want == "" && out.Kind == fail.Invalid && strings.Contains(out.Message, "`c` is ") || want == "invalid" && out.Kind == fail.Invalid && (strings.Contains(out.Message, "`c`") || strings.Contains(out.Message, "row.c"))) {
					t.Errorf("%s: %s: %s %s %s, want %s", name, program, out.JSON, out.Kind, out.Message, want)
				}
			}
			if name == "d_inet[]" { // its elements are cast as PostgreSQL casts inet, with the length of the mask
				continue
			}
			const shown = "return (await rows.orderBy(r => r.id)).map(r => r.c)"
			elem := r.Run(t, "return (await rows.first()).c")
			if kind := typeOfC(o); kind == value.TypeText && x.order != known || kind == value.TypeList && elem.Kind == fail.Other && strings.HasPrefix(elem.JSON, `["`) && x.order != known {
				want := "SELECT json_agg(CASE WHEN c IS NOT NULL THEN format('%s', c) END ORDER BY id) FROM " + table
				if list {
					want = "SELECT json_agg(CASE WHEN c IS NOT NULL THEN ARRAY(SELECT format('%s', e) FROM unnest(c) AS e) END ORDER BY id) FROM " + table
				}
				if got, want := r.Run(t, shown), ask(want); !tu.SameJSON(got.JSON, want) {
					t.Errorf("%s: %s %s, want %s", name, got.JSON, got.Message, want)
				}
			} else if out := r.Run(t, shown); out.Kind != fail.Other {
				t.Errorf("%s: %s %s", name, out.Kind, out.Message)
			}
			if !list {
				lit := "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(x.a) + "'"
				if kind := typeOfC(o); kind == value.TypeText {
					is("return await rows.where(r => r.c.eq("+lit+")).count()", "2")
					is("return await rows.where(r => r.c !== "+lit+").count()", "2")
					is("return await rows.where(r => r.c.in(["+lit+", "+lit+"])).count()", "2")
					is("return (await rows.groupBy(r => r.c).select(g => g.count())).slice().sort()", "[1,1,2]")
					is("return await rows.countDistinct(r => r.c)", "2")
					order := map[bool]string{true: "", false: "[3,1,4,2]"}[x.order == noOrder]
					is("return (await rows.orderBy(r => r.c)).map(r => r.id)", order)
					is("const p = await rows.orderBy(r => r.c).page(2); return [...p.rows, ...(await rows.orderBy(r => r.c).page(2, p.next)).rows].map(r => r.id)", order)
					is("return (await rows.where(r => r.c > "+lit+")).map(r => r.id)", map[bool]string{true: "", false: "[2]"}[x.order == noOrder])
					is("return (await rows.where(r => r.c.between("+lit+", "+lit+"))).map(r => r.id)", map[bool]string{true: "", false: "[1,4]"}[x.order == noOrder])
					if x.order != known {
						is("return await rows.orderBy(r => r.c ?? 'sad')", "")
						is("return await rows.where(r => r.c > r.c.lower())", "")
						is("return await rows.orderBy(r => r.c === 'glad' ? r.c : r.c)", "")
					}
					is("return await rows.min(r => r.c) === (await rows.first()).c", map[bool]string{true: "true", false: ""}[x.order == known || x.order == extreme])
					is("return (await rows.groupBy(r => r.c).orderBy(g => g.c).select(g => g.count()))", map[bool]string{true: "", false: "[1,2,1]"}[x.order == noOrder])
				}
				if x.order == byType || x.order == extreme {
					is("return rows.where(r => r.c === 'zz').count()", map[bool]string{true: "0", false: "invalid"}[x.name == `"char"`])
				}
			}
			first := r.Run(t, "return (await rows.first()).c").JSON
			is("const v = (await rows.first()).c; await rows.insert({id: 9, c: v}); return (await rows.where(r => r.id === 9).first()).c", first)
			is("const v = (await rows.first()).c; await rows.where(r => r.id === 2).update({c: v}); return (await rows.where(r => r.id === 2).first()).c", first)
			if typeOfC(o) != value.TypeList {
				is("await rows.where(r => r.id === 2).update(r => ({c: r.c})); return (await rows.where(r => r.id === 2).first()).c", first)
			}
			if got := ask("SELECT count(*) FROM " + table + " WHERE c::text = (SELECT c::text FROM " + table + " WHERE id = 1)"); got != "4" && x.name != "json" { // whose spaces are not kept
				t.Errorf("%s: what was written is in %s rows", name, got)
			}
			if typeOfC(o) == value.TypeText && x.order != known && x.name != "xml" && x.name != "xid" && x.name != "tsvector" && x.name != "tsquery" && !strings.Contains(x.name, "ltree") && !strings.Contains(x.name, "lquery") && x.name != `"char"` {
				is("await rows.insert({id: 10, c: 'zz'})", "invalid")
			}
		}
	}
	for table, want := range map[string]string{"odd": "array of arrays", "odd2": "domain over a time"} {
		tb, err := dynamic.New(live).Table(table)
		noError(t, err)
		if _, err := tb.Facet("row", "id", "c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", table, err, want)
		}
	}
}

// typeOfC is the type of the column c for programs.
func typeOfC(o exo.Object) string {
	d, err := o.Describe()
	if err != nil {
		return err.Error()
	}
	for _, i := range d.Interfaces {
		if i.Name == "Row" || i.Name == "RowRow" {
			if p := i.Fields["c"]; p != nil {
				return p.Type.Args["of"].Name
			}
		}
	}
	return ""
}

// TestNumbersAsText: a column that SQLite takes for numbers, declared as text, is compared and shown by its text. The twin asks SQLite itself.
func TestNumbersAsText(t *testing.T) {
	url := tu.SQLite.URL(t)
	db := tu.SQLite.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE parts (id INTEGER PRIMARY KEY, code UUID NOT NULL)", "INSERT INTO parts VALUES (1, '1000'), (2, 'abc'), (3, '20')")})
	live, err := db.Catalog(t.Context())
	noError(t, err)
	tb := made(dynamic.New(live).Table("parts", dynamic.ColumnSpec{Name: "code", Type: value.TypeText}))(t)
	f := made(tb.Facet("part", "id", "code"))(t)
	for scope, want := range map[string]string{"1000": "[1]", "1e3": "[]"} {
		r := tu.NewRunner(t, map[string]exo.Object{"parts": made(f.Grant(db, dynamic.Eq("code", scope)))(t)}, exo.Limits{})
		if out := r.Run(t, "return parts.select(p => p.id)"); out.JSON != want {
			t.Errorf("scope %s: %s", scope, out)
		}
	}
	r := tu.NewRunner(t, map[string]exo.Object{"parts": made(f.Grant(db, dynamic.AllRows()))(t)}, exo.Limits{})
	for program, want := range map[string]string{
		"parts.where(p => p.code === '1e3').count()": "0", "parts.where(p => p.code === '1000').count()": "1", "parts.where(p => p.code.in(['1000.0', '20'])).select(p => p.id)": "[3]",
		"parts.where(p => p.code !== '1e3').count()": "3", "parts.orderBy(p => p.code).select(p => p.code)": `["1000","20","abc"]`, "parts.groupBy(p => p.code).count()": "3",
	} {
		if out := r.Run(t, "return "+program); !tu.SameJSON(out.JSON, want) {
			t.Errorf("%s: %s, want %s", program, out, want)
		}
	}
	var n int
	if err := tu.SQLite.SQLDB(t, url).QueryRow("SELECT count(*) FROM parts WHERE code = '1e3'").Scan(&n); err != nil || n != 1 {
		t.Errorf("SQLite itself: %d %v", n, err)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func made[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T { t.Helper(); noError(t, err); return x }
}
