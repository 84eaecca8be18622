package main

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// pageStatements are queries that are read in pages, with the order of each in SQL and the condition that a person would write
// for a later page: $2 and $3 are of the last row before it.
var pageStatements = []struct{ name, program, order, after string }{
	{"by key", "tickets.orderBy(t => t.id)", "id", "id > $3 AND CAST($2 AS BIGINT) IS NOT NULL"},
	{"by due, downwards", "tickets.orderBy(t => t.due.desc())", "due DESC, id DESC", "(due, id) < ($2, $3)"},
	{"by status and due", "tickets.orderBy(t => [t.status, t.due])", "status, due, id", ""},
}

// BenchmarkPages measures a page of 50 rows at the start and behind half of a tenant's rows, in turn with the statement
// that a person would write for that, whose texts PostgreSQL sorts by its own rules: "x/statement" is the later page beside it, "x/first" the later page beside the first one, both of this module.
//
//	EXO_ROWS=1000000 go test -run '^$' -bench Pages -benchtime 20x ./internal/bench
func BenchmarkPages(b *testing.B) {
	n := benchRows(b)
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			url := e.URL(b)
			db := e.OpenURL(b, url, &exosql.OpenOptions{Setup: e.Exec(listsFill(e, n)...)})
			hand, err := sql.Open(e.Pick("sqlite", "pgx"), strings.TrimPrefix(url, "sqlite:"))
			if err != nil {
				b.Fatal(err)
			}
			defer hand.Close()
			hand.SetMaxOpenConns(1)
			if e.Name == tu.Postgres.Name { // as our own connections have it
				if _, err := hand.Exec("SET plan_cache_mode = force_generic_plan; SET jit = off"); err != nil {
					b.Fatal(err)
				}
			}
			for i, size := range []string{"10%", "89%"} {
				org := int64(i + 2)
				r := listRunner(b, db, org)
				for _, q := range pageStatements {
					b.Run(size+"/"+q.name, func(b *testing.B) {
						skip := n / 2 * []int{10, 89}[i] / 100
						o := r.Run(b, fmt.Sprintf("const { next } = await %s.page(%d); await %[1]s.page(50); const deep = await %[1]s.page(50, next); return deep.rows.length", q.program, skip))
						if o.JSON != "50" || len(o.SQL) != 3 {
							b.Fatalf("%s: %v", q.program, o)
						}
						if os.Getenv("EXO_SHOW") != "" {
							b.Logf("%s\n%s\n%s", q.program, o.SQL[2].SQL, o.SQL[2].Fenced)
						}
						prepared := func(text string) *sql.Stmt {
							st, err := hand.Prepare(text)
							if err != nil {
								b.Fatalf("%v: %s", err, text)
							}
							b.Cleanup(func() { st.Close() })
							return st
						}
						args := func(q exosql.Query) (out []any) {
							for _, a := range q.Args {
								out = append(out, goArg(b, a))
							}
							return out
						}
						var due, id int64
						var status string
						if err := hand.QueryRow(fmt.Sprintf("SELECT due, id, status FROM tickets WHERE org_id = $1 ORDER BY %s LIMIT 1 OFFSET %d", q.order, skip-1), org).Scan(&due, &id, &status); err != nil {
							b.Fatal(err)
						}
						given, after := []any{org, due, id}, q.after
						if after == "" {
							given, after = append(given, status), "(status, due, id) > ($4, $2, $3)"
						}
						theirs := prepared("SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 AND " + after + " ORDER BY " + q.order + " LIMIT 50")
						first, deep := prepared(o.SQL[1].SQL), prepared(o.SQL[2].SQL)
						if a, c := countRows(b, theirs, given...), countRows(b, deep, args(o.SQL[2])...); a != 50 || c != 51 {
							b.Fatalf("%d and %d rows", a, c)
						}
						var times [3][]time.Duration
						for b.Loop() {
							for k, run := range []func(){func() { countRows(b, theirs, given...) }, func() { countRows(b, first, args(o.SQL[1])...) }, func() { countRows(b, deep, args(o.SQL[2])...) }} {
								start := time.Now()
								run()
								times[k] = append(times[k], time.Since(start))
							}
						}
						least := func(k int) float64 { return float64(slices.Min(times[k]).Nanoseconds()) / 1e3 }
						b.ReportMetric(least(0), "µs/hand")
						b.ReportMetric(least(2)/least(0), "x/statement")
						b.ReportMetric(least(2)/least(1), "x/first")
						b.ReportMetric(0, "ns/op") // of all together
					})
				}
			}
		})
	}
}
