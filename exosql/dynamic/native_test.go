package dynamic_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestEnums: an enum is compared with constants and sorted in the order of its type, wherever a program sorts; with a text it is compared
// as one, and never by the order of letters. A value that it has not is an error that names those that it has.
func TestEnums(t *testing.T) {
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TYPE size AS ENUM ('small', 'medium', 'large')",
		"CREATE TABLE boxes (id int PRIMARY KEY, size size NOT NULL, other size, note text, sizes size[], up_to size)",
		"INSERT INTO boxes VALUES (1, 'large', 'small', 'large', '{small,large}', 'large'), (2, 'small', NULL, 'x', '{}', 'large'), (3, 'medium', 'medium', 'small', NULL, 'small')")})
	live, err := db.Catalog(t.Context())
	must(t, err)
	tb := get(dynamic.New(live).Table("boxes"))(t)
	f := get(tb.Facet("box", "id", "size", "other", "note", "sizes", "up_to"))(t)
	same := get(tb.Link(dynamic.LinkSpec{Name: "same", Columns: []string{"size"}, To: tb, References: []string{"size"}}))(t)
	must(t, f.Add(same, f))
	must(t, f.AllowUpdate("sizes", "other"))
	o := get(f.Grant(db, dynamic.Ge("size", "small")))
	r := tu.NewRunner(t, map[string]exo.Object{"boxes": firstOf(t, o)}, exo.Limits{})
	check := func(program, want string) {
		t.Helper()
		out := r.Run(t, "return "+program)
		if part, wrong := strings.CutPrefix(want, "!"); wrong && (out.Kind != fail.Invalid || !strings.Contains(out.Message, part)) || !wrong && !tu.SameJSON(out.JSON, want) {
			t.Errorf("%s: %s %s %s, want %s", program, out.JSON, out.Kind, out.Message, want)
		}
	}
	for program, want := range map[string]string{
		"boxes.orderBy(b => b.size).select(b => b.id)":                                                                          "[2,3,1]",
		"boxes.orderBy(b => b.size.desc()).select(b => b.id)":                                                                   "[1,3,2]",
		"boxes.where(b => b.size > 'small').orderBy(b => b.id).select(b => b.id)":                                               "[1,3]",
		"boxes.where(b => b.size.between('small', 'medium')).orderBy(b => b.id).select(b => b.id)":                              "[2,3]",
		"boxes.where(b => b.size < b.upTo).orderBy(b => b.id).select(b => b.id)":                                                "[2]",
		"boxes.where(b => b.size === b.other).select(b => b.id)":                                                                "[3]",
		"boxes.where(b => b.size === b.note).select(b => b.id)":                                                                 "[1]",
		"boxes.where(b => b.size < b.note).select(b => b.id)":                                                                   "!`size` is size in the database, and can't be compared with a text by order",
		"boxes.where(b => b.size === 'huge').count()":                                                                           "!'small', 'medium', 'large'",
		"boxes.where(b => b.size.in(['small', 'huge'])).count()":                                                                "!'small', 'medium', 'large'",
		"boxes.where(b => b.sizes.has('large')).select(b => b.id)":                                                              "[1]",
		"boxes.where(b => b.sizes.has('huge')).select(b => b.id)":                                                               "!'small', 'medium', 'large'",
		"boxes.where(b => b.sizes.length === 2).select(b => b.sizes)":                                                           `[["small","large"]]`,
		"boxes.max(b => b.size)":                                                                                                `"large"`,
		"boxes.min(b => b.other)":                                                                                               `"small"`,
		"boxes.countDistinct(b => b.other)":                                                                                     "2",
		"boxes.groupBy(b => ({ s: b.size })).orderBy(g => g.s).select(g => g.s)":                                                `["small","medium","large"]`,
		"boxes.groupBy(b => ({ u: b.upTo })).orderBy(g => g.max(b => b.size)).select(g => ({ u: g.u, m: g.max(b => b.size) }))": `[{"m":"medium","u":"small"},{"m":"large","u":"large"}]`,
		"boxes.groupBy(b => ({ u: b.upTo })).where(g => g.min(b => b.size) < 'medium').select(g => g.u)":                        `["large"]`,
		"boxes.orderBy(b => b.other ?? 'small').count()":                                                                        "3",
		"boxes.orderBy(b => b.other ?? 'small').select(b => b.id)":                                                              "!the text that is made of it here is in no order",
		"boxes.orderBy(b => b.size.upper()).select(b => b.id)":                                                                  "[1,3,2]",
		"boxes.distinctBy(b => b.size).orderBy(b => b.size).select(b => b.size)":                                                `["small","medium","large"]`,
		"boxes.orderBy(b => b.size).partitionBy(b => b.upTo).select(({ box, window }) => ({ i: box.id, n: window.rowNumber(), p: window.lag(b => b.size) })).then(rows => rows.map(r => [r.i, r.n, r.p]))": `[[2,1,null],[3,1,null],[1,2,"small"]]`,
		"boxes.select(b => ({ x: b.size })).union(boxes.select(b => ({ x: b.note }))).count()":                                                                                                             "4",
		"boxes.select(b => b.size).union(boxes.select(b => b.other)).count()":                                                                                                                              "4",
		"boxes.orderBy(b => b.size).page(2).then(async p => [p.rows, (await boxes.orderBy(b => b.size).page(2, p.next)).rows].flat().map(b => b.id))":                                                      "[2,3,1]",
		"boxes.where(b => b.same().count() === 1).count()":                                                                                                                                                 "3",
	} {
		check(program, want)
	}
	for _, c := range [][2]string{
		{"boxes.where({ id: 1 }).update({ sizes: ['huge'] })", "!'small', 'medium', 'large'"},
		{"boxes.where({ id: 1 }).update({ sizes: ['medium', null] }).then(() => boxes.where({ id: 1 }).select(b => b.sizes))", `[["medium",null]]`},
		{"boxes.where({ id: 2 }).update(b => ({ other: b.size })).then(() => boxes.where({ id: 2 }).select(b => b.other))", `["small"]`},
	} {
		check(c[0], c[1])
	}
	// The scope compares by the type, too.
	few := tu.NewRunner(t, map[string]exo.Object{"boxes": firstOf(t, get(f.Grant(db, dynamic.Lt("size", "large"))))}, exo.Limits{})
	if out := few.Run(t, "return boxes.orderBy(b => b.id).select(b => b.id)"); out.JSON != "[2,3]" {
		t.Error(out)
	}
}

func firstOf[T any](t *testing.T, of func(*testing.T) T) T { t.Helper(); return of(t) }

// TestParts: a partitioned table is one table, with the key of the whole; a partition that is declared alone has that key, too; a foreign
// table is read, without a key.
func TestParts(t *testing.T) {
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE logs (id int, day date, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
		"CREATE TABLE logs_2020 PARTITION OF logs FOR VALUES FROM ('2020-01-01') TO ('2021-01-01')", "CREATE TABLE logs_2021 PARTITION OF logs FOR VALUES FROM ('2021-01-01') TO ('2022-01-01')",
		"INSERT INTO logs VALUES (1, '2020-05-05', 'a'), (2, '2021-05-05', 'b'), (3, '2021-06-06', 'c')",
		"CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public", "DO $$ BEGIN EXECUTE format('CREATE SERVER %I FOREIGN DATA WRAPPER file_fdw', current_schema() || '_files'); EXECUTE format('CREATE FOREIGN TABLE lines (n int, text text) SERVER %I OPTIONS (program ''printf \"1,x\\n2,y\\n\"'', format ''csv'')', current_schema() || '_files'); END $$")})
	live, err := db.Catalog(t.Context())
	must(t, err)
	grants := map[string]exo.Object{}
	for name, columns := range map[string][]string{"logs": {"id", "day", "note"}, "logs_2021": {"id", "day", "note"}, "lines": {"n", "text"}} {
		f := get(get(dynamic.New(live).Table(name))(t).Facet(strings.ReplaceAll(name, "_", ""), columns...))(t)
		grants[strings.TrimSuffix(name, "_2021")+map[bool]string{true: "2021"}[strings.Contains(name, "_2021")]] = firstOf(t, get(f.Grant(db, dynamic.AllRows())))
	}
	r := tu.NewRunner(t, grants, exo.Limits{})
	for program, want := range map[string]string{
		"logs.orderBy(l => l.id).select(l => l.note)": `["a","b","c"]`, "logs.page(2).then(p => p.rows.length)": "2", "logs2021.page(1).then(p => p.rows[0].note)": `"b"`,
		"logs2021.limit(1).select(l => l.id)": "[2]", "lines.where(l => l.n > 1).select(l => l.text)": `["y"]`, "lines.count()": "2",
	} {
		if out := r.Run(t, "return "+program); !tu.SameJSON(out.JSON, want) {
			t.Errorf("%s: %s, want %s", program, out, want)
		}
	}
}
