package exosql_test

import (
	"context"
	"database/sql"
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
	Note  string
}

// BenchmarkMisfits is what the guards of columns cost that may hold what their type can't: each program over a million rows of a STRICT
// table, which needs none, and over the same rows of an ordinary one, in turn. x/strict is the ratio of the fastest answers of whole runs.
func BenchmarkMisfits(b *testing.B) {
	const columns = " (id INTEGER PRIMARY KEY, n INTEGER, f REAL, plain INTEGER, note TEXT NOT NULL)"
	db := tu.SQLite.OpenWith(b, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		stmts := []string{"CREATE TABLE strict_rows" + columns + " STRICT", "CREATE TABLE loose_rows" + columns}
		for _, t := range []string{"strict_rows", "loose_rows"} {
			stmts = append(stmts, "INSERT INTO "+t+" SELECT n, CASE WHEN n % 4 = 0 THEN NULL ELSE n * 7919 % 1000003 END, n * 7919 % 1000003 + 0.5, n * 7919 % 1000003, 'note ' || n FROM "+kit.Numbers(tu.SQLite, 1_000_000),
				"CREATE INDEX "+t+"_n ON "+t+" (n)", "CREATE INDEX "+t+"_f ON "+t+" (f)")
		}
		return tu.SQLite.Exec(append(stmts, "ANALYZE")...)(ctx, db)
	}})
	grants := codemode.Grants{}
	for name, t := range map[string]*exosql.Table[mfbRow]{"strict": exosql.NewTable[mfbRow]("strict_rows"), "loose": exosql.NewTable[mfbRow]("loose_rows")} {
		id := exosql.NewKey(t, "id", func(r *mfbRow) *int64 { return &r.ID })
		n := exosql.NewNullable(t, "n", func(r *mfbRow) **int64 { return &r.N })
		f := exosql.NewNullable(t, "f", func(r *mfbRow) **float64 { return &r.F })
		plain := exosql.NewNullable(t, "plain", func(r *mfbRow) **int64 { return &r.Plain })
		note := exosql.NewColumn(t, "note", func(r *mfbRow) *string { return &r.Note })
		grants[name] = exosql.NewFacet(t, "row", id, n, f, plain, note).Of(exosql.Grant(db, t, exosql.AllRows[mfbRow]()))
	}
	tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, program string }{
		{"nothing", "1 // %s"},
		{"float range by its index, counted", "%s.where(r => r.f > 200000 && r.f < 575000).count()"},
		{"int range by its index, counted", "%s.where(r => r.n > 200000 && r.n < 700000).count()"},
		{"int range by its index, with a column of the rows", "%s.where(r => r.n > 200000 && r.n < 210000).sum(r => r.plain)"},
		{"int range without an index, counted", "%s.where(r => r.plain > 200000 && r.plain < 575000).count()"},
		{"equal, by its index", "%s.where(r => r.n === 4711).count()"},
		{"null by its index, counted", "%s.where(r => r.n === null).count()"},
		{"null without an index, counted", "%s.where(r => r.plain === null).count()"},
		{"order without an index, 20 rows", "%s.orderBy(r => r.plain).limit(20)"},
		{"order by an index, 20 rows", "%s.orderBy(r => r.n, 'desc').limit(20)"},
		{"greatest by its index", "%s.max(r => r.n)"},
		{"sum", "%s.sum(r => r.plain)"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var strict, loose []time.Duration
			for b.Loop() {
				var results [2]string
				for i, name := range []string{"strict", "loose"} {
					start := time.Now()
					r := tool.Run(b.Context(), "return "+fmt.Sprintf(c.program, name))
					took := time.Since(start)
					if r.Err != nil {
						b.Fatal(r.Err)
					}
					if results[i] = string(r.JSON); i == 0 {
						strict = append(strict, took)
					} else {
						loose = append(loose, took)
					}
				}
				if results[0] != results[1] {
					b.Fatalf("strict: %s, loose: %s", results[0], results[1])
				}
			}
			b.ReportMetric(float64(slices.Min(strict))/1e6, "strict-ms")
			b.ReportMetric(float64(slices.Min(loose))/1e6, "loose-ms")
			b.ReportMetric(float64(slices.Min(loose))/float64(slices.Min(strict)), "x/strict")
			b.ReportMetric(0, "ns/op") // of both together
		})
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
