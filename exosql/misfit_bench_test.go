package exosql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type mfbRow struct {
	ID    int64
	N     *int64
	F     *float64
	Plain *int64
	At    *time.Time
	Note  string
}

// BenchmarkMisfits is what the guards of columns cost that may hold what their type can't: each program over a million rows, and the SQL
// that a person writes, in turn; on SQLite also the program over the same rows of a STRICT table, which needs few guards. x/hand and x/strict
// are ratios of the fastest answers: of whole runs, beside statements.
func BenchmarkMisfits(b *testing.B) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		url, names := e.URL(b), []string{"loose"}
		columns := " (id {int} PRIMARY KEY, n {int}, f {float}, plain {int}, at " + e.Pick("DATETIME", "timestamptz") + ", note TEXT NOT NULL)"
		statements := []string{"CREATE TABLE loose_rows" + columns}
		if e.Name == tu.SQLite.Name {
			names = append(names, "strict")
			statements = append(statements, "CREATE TABLE strict_rows"+strings.Replace(columns, "DATETIME", "TEXT", 1)+" STRICT")
		}
		for _, name := range names {
			t := name + "_rows"
			statements = append(statements, "INSERT INTO "+t+" SELECT n, CASE WHEN n % 4 = 0 THEN NULL ELSE CAST(n AS bigint) * 7919 % 1000003 END, CAST(n AS bigint) * 7919 % 1000003 + 0.5, CAST(n AS bigint) * 7919 % 1000003, "+
				e.Pick("strftime('%Y-%m-%dT%H:%M:%S.000Z', 1704067200 + n, 'unixepoch')", "timestamptz '2024-01-01Z' + n * interval '1 second'")+", 'note ' || n FROM "+kit.Numbers(e, 1_000_000),
				"CREATE INDEX "+t+"_n ON "+t+" (n"+e.Pick("", " NULLS FIRST, id")+")", "CREATE INDEX "+t+"_f ON "+t+" (f)", "CREATE INDEX "+t+"_at ON "+t+" (at)")
		}
		db := e.OpenURL(b, url, &exosql.OpenOptions{Setup: e.Exec(append(statements, "ANALYZE")...)})
		hand := e.SQLDB(b, url)
		hand.SetMaxOpenConns(1)
		for _, text := range []string{"VACUUM loose_rows", "SET max_parallel_workers_per_gather = 0"} { // what exosql sets: one processor answers
			if _, err := hand.ExecContext(b.Context(), e.Pick("SELECT 1", text)); err != nil {
				b.Fatal(err)
			}
		}
		grants := codemode.Grants{}
		tables := map[string]*exosql.Table[mfbRow]{"loose": exosql.NewTable[mfbRow]("loose_rows"), "strict": exosql.NewTable[mfbRow]("strict_rows")}
		for _, name := range names {
			t := tables[name]
			id := exosql.NewKey(t, "id", func(r *mfbRow) *int64 { return &r.ID })
			n := exosql.NewNullable(t, "n", func(r *mfbRow) **int64 { return &r.N })
			f := exosql.NewNullable(t, "f", func(r *mfbRow) **float64 { return &r.F })
			plain := exosql.NewNullable(t, "plain", func(r *mfbRow) **int64 { return &r.Plain })
			at := exosql.NewNullable(t, "at", func(r *mfbRow) **time.Time { return &r.At }).StoredISO()
			note := exosql.NewColumn(t, "note", func(r *mfbRow) *string { return &r.Note })
			grants[name] = exosql.NewFacet(t, "row", id, n, f, plain, at, note, exosql.Sum(plain).Where(n.Gt(500_000)).As("total"),
				exosql.Ratio("share", exosql.Count[mfbRow]().Where(n.Gt(500_000)), exosql.Count[mfbRow]())).Of(exosql.Grant(db, t, exosql.AllRows[mfbRow]()))
		}
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			b.Fatal(err)
		}
		day := e.Pick("'2024-01-%02dT00:00:00.000Z'", "'2024-01-%02dZ'")
		for _, c := range []struct{ name, program, sql string }{
			{"float range by its index, counted", "where(r => r.f > 200000 && r.f < 575000).count()", "SELECT count(*) FROM loose_rows WHERE f > 200000 AND f < 575000"},
			{"int range by its index, counted", "where(r => r.n > 200000 && r.n < 700000).count()", "SELECT count(*) FROM loose_rows WHERE n > 200000 AND n < 700000"},
			{"int range by its index, with a column of the rows", "where(r => r.n > 200000 && r.n < 210000).sum(r => r.plain)", "SELECT sum(plain) FROM loose_rows WHERE n > 200000 AND n < 210000"},
			{"int range without an index, counted", "where(r => r.plain > 200000 && r.plain < 575000).count()", "SELECT count(*) FROM loose_rows WHERE plain > 200000 AND plain < 575000"},
			{"time range by its index, counted", "where(r => r.at > new Date('2024-01-03') && r.at < new Date('2024-01-08')).count()", "SELECT count(*) FROM loose_rows WHERE at > " + fmt.Sprintf(day, 3) + " AND at < " + fmt.Sprintf(day, 8)},
			{"equal, by its index", "where(r => r.n === 4711).count()", "SELECT count(*) FROM loose_rows WHERE n = 4711"},
			{"null by its index, counted", "where(r => r.n === null).count()", "SELECT count(*) FROM loose_rows WHERE n IS NULL"},
			{"null without an index, counted", "where(r => r.plain === null).count()", "SELECT count(*) FROM loose_rows WHERE plain IS NULL"},
			{"order without an index, 20 rows", "orderBy(r => r.plain).limit(20)", "SELECT id, n, f, plain, at, note FROM loose_rows ORDER BY plain LIMIT 20"},
			{"order by an index, 20 rows", "orderBy(r => r.n, 'desc').limit(20)", "SELECT id, n, f, plain, at, note FROM loose_rows ORDER BY n DESC" + e.Pick("", " NULLS LAST") + ", id DESC LIMIT 20"},
			{"order upwards by an index, 20 rows", "where(r => r.n !== null).orderBy(r => r.n).limit(20)", "SELECT id, n, f, plain, at, note FROM loose_rows WHERE n IS NOT NULL ORDER BY n LIMIT 20"},
			{"order upwards by an index and another column, 20 rows", "where(r => r.n !== null).orderBy(r => [r.n, r.plain]).limit(20)", "SELECT id, n, f, plain, at, note FROM loose_rows WHERE n IS NOT NULL ORDER BY n, plain LIMIT 20"},
			{"latest 20", "orderBy(r => r.at, 'desc').limit(20)", "SELECT id, n, f, plain, at, note FROM loose_rows ORDER BY at DESC" + e.Pick("", " NULLS LAST") + ", id DESC LIMIT 20"},
			{"greatest by its index", "max(r => r.n)", "SELECT max(n) FROM loose_rows"},
			{"greatest float by its index", "max(r => r.f)", "SELECT max(f) FROM loose_rows"},
			{"sum", "sum(r => r.plain)", "SELECT sum(plain) FROM loose_rows"},
			{"sum of floats", "sum(r => r.f)", "SELECT sum(f) FROM loose_rows"},
			{"measure with a condition", "total()", "SELECT sum(plain) FILTER (WHERE n > 500000) FROM loose_rows"},
			{"the same, written by a program", "where(r => r.n > 500000).sum(r => r.plain)", "SELECT sum(plain) FROM loose_rows WHERE n > 500000"},
			{"measure that is a ratio", "share()", "SELECT CAST(count(*) FILTER (WHERE n > 500000) AS " + e.Pick("REAL", "double precision") + ") / count(*) FROM loose_rows"},
		} {
			b.Run(e.Name+"/"+c.name, func(b *testing.B) {
				took := map[string][]time.Duration{}
				for b.Loop() {
					for _, name := range names {
						start := time.Now()
						r := tool.Run(b.Context(), "return "+name+"."+c.program)
						took[name] = append(took[name], time.Since(start))
						if r.Err != nil {
							b.Fatal(r.Err)
						}
					}
					start := time.Now()
					rows, err := hand.QueryContext(b.Context(), c.sql)
					if err != nil {
						b.Fatal(err)
					}
					for rows.Next() {
					}
					if err := rows.Close(); err != nil {
						b.Fatal(err)
					}
					took["hand"] = append(took["hand"], time.Since(start))
				}
				least := slices.Min(took["loose"])
				for name, all := range took {
					b.ReportMetric(float64(slices.Min(all))/1e6, name+"-ms")
					if name != "loose" {
						b.ReportMetric(float64(least)/float64(slices.Min(all)), "x/"+name)
					}
				}
				b.ReportMetric(0, "ns/op") // of all together
			})
		}
	}
}

// TestAllRowsHaveNoFence: of a grant of all rows nothing is out of scope, so no fence keeps a program's conditions from an index. The twin,
// a grant of one owner's rows that no index finds, has one.
func TestAllRowsHaveNoFence(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE rows (id {int} PRIMARY KEY, n {int}, f {float}, plain {int}, note TEXT NOT NULL)", "CREATE INDEX by_n ON rows (n)")})
		rows := exosql.NewTable[mfbRow]("rows")
		id := exosql.NewKey(rows, "id", func(r *mfbRow) *int64 { return &r.ID })
		n := exosql.NewNullable(rows, "n", func(r *mfbRow) **int64 { return &r.N })
		plain := exosql.NewNullable(rows, "plain", func(r *mfbRow) **int64 { return &r.Plain })
		facet := exosql.NewFacet(rows, "row", id, n, plain)
		for owner, scope := range map[string]exosql.Relation[mfbRow]{"all": exosql.Grant(db, rows, exosql.AllRows[mfbRow]()), "one": exosql.Grant(db, rows, plain.Eq(1))} {
			r := tu.NewRunner(t, map[string]exo.Object{"rows": facet.Of(scope)}, exo.Limits{})
			for _, program := range []string{"rows.where(r => r.n > 5).count()", "rows.as('a').join(rows.as('b'), ({ a, b }) => a.id === b.id).where(({ b }) => b.n > 5).count()"} {
				o := r.Run(t, "return await "+program)
				if len(o.SQL) != 1 || (strings.Contains(o.SQL[0].SQL, "OFFSET 0)") || strings.Contains(o.SQL[0].SQL, "CASE WHEN")) != (owner == "one") {
					t.Errorf("%s: %s: %v", owner, program, o)
				}
			}
		}
	})
}
