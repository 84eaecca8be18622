package main

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The tickets of BenchmarkLinked have no column of the tenant: a ticket is in scope by its customer. Two tables
// have these rows. The columns of "lookups" are declared with AllowUnscopedLookup.
var linkedSQL = []string{
	"CREATE TABLE customers (id {int} PRIMARY KEY, org_id {int} NOT NULL, region TEXT NOT NULL)",
	"CREATE TABLE tickets (id {int} PRIMARY KEY, customer_id {int} NOT NULL, code TEXT NOT NULL, due {int} NOT NULL, status TEXT NOT NULL, n {int}, title TEXT NOT NULL)",
}

var linkedIndexes = []string{
	"CREATE INDEX customers_region ON customers (org_id, region)",
	"CREATE INDEX tickets_customer ON tickets (customer_id)",
	"CREATE INDEX tickets_code ON tickets (code)",
	"CREATE INDEX tickets_due ON tickets (due)",
	"CREATE INDEX tickets_status_due ON tickets (status, due)",
	"ANALYZE",
}

// linkedObjects grants a tenant's customers and their tickets, with or without columns by which programs may look rows up before their scope.
func linkedObjects(db *exosql.DB, org int64, lookup bool) map[string]exo.Object {
	c := exosql.NewTable[listCustomer]("customers")
	key := exosql.NewKey(c, "id", func(c *listCustomer) *int64 { return &c.ID })
	tenant := exosql.NewColumn(c, "org_id", func(c *listCustomer) *int64 { return &c.Org })
	region := exosql.NewColumn(c, "region", func(c *listCustomer) *string { return &c.Region })
	t := exosql.NewTable[listTicket]("tickets")
	id := exosql.NewKey(t, "id", func(t *listTicket) *int64 { return &t.ID })
	customer := exosql.NewColumn(t, "customer_id", func(t *listTicket) *int64 { return &t.Customer })
	code := exosql.NewColumn(t, "code", func(t *listTicket) *string { return &t.Code })
	due := exosql.NewColumn(t, "due", func(t *listTicket) *int64 { return &t.Due })
	status := exosql.NewColumn(t, "status", func(t *listTicket) *string { return &t.Status })
	n := exosql.NewNullable(t, "n", func(t *listTicket) **int64 { return &t.N })
	title := exosql.NewColumn(t, "title", func(t *listTicket) *string { return &t.Title })
	if lookup {
		region.AllowUnscopedLookup()
		code.AllowUnscopedLookup()
		due.AllowUnscopedLookup()
		status.AllowUnscopedLookup()
		n.AllowUnscopedLookup()
	}
	link := exosql.Many("tickets", key, customer)
	ticketFacet := exosql.NewFacet(t, "ticket", id, customer, code, due, status, n, title)
	granted := exosql.Grant(db, c, tenant.Eq(org))
	return map[string]exo.Object{
		"customers": exosql.NewFacet(c, "customer", key, region, exosql.Via(link, ticketFacet)).Of(granted),
		"tickets":   ticketFacet.Of(exosql.Follow(granted, link)),
	}
}

// linkedText is the statement of a list with the tenant in the table of the customers, as a person would write it.
func linkedText(name, text string) string {
	if name == "two hops" {
		return strings.Replace(text, " AND t.org_id = $1", "", 1)
	}
	text = strings.Replace(text, "FROM tickets WHERE org_id = $1", "FROM tickets t JOIN customers c ON c.id = t.customer_id WHERE c.org_id = $1", 1)
	for _, column := range []string{"SELECT id", "ORDER BY id", ", id "} {
		text = strings.ReplaceAll(text, column, strings.Replace(column, "id", "t.id", 1))
	}
	return text
}

// BenchmarkLinked measures the questions of BenchmarkLists where tickets are in scope by a link: "x/statement" is this
// module's statement where it runs, beside the statement by hand, which PostgreSQL plans with its values. Of a
// table whose columns have AllowUnscopedLookup, "x/lookup" is the same.
//
//	EXO_ROWS=1000000 go test -run '^$' -bench Linked -benchtime 5x ./internal/bench
func BenchmarkLinked(b *testing.B) {
	n := benchRows(b)
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			url := e.URL(b)
			db := e.OpenURL(b, url, &exosql.OpenOptions{Setup: e.Exec(linkedFill(e, n)...)})
			hand, err := sql.Open(e.Pick("sqlite", "pgx"), strings.TrimPrefix(url, "sqlite:"))
			if err != nil {
				b.Fatal(err)
			}
			defer hand.Close()
			hand.SetMaxOpenConns(1)
			if e.Name == tu.Postgres.Name {
				for _, s := range []string{"VACUUM ANALYZE customers, tickets", "SET plan_cache_mode = force_custom_plan; SET jit = off; SET max_parallel_workers_per_gather = 0"} {
					if _, err := hand.Exec(s); err != nil {
						b.Fatal(err)
					}
				}
			}
			for i, size := range []string{"1%", "10%", "89%"} {
				org := int64(i + 1)
				var code string
				var due int64
				if err := hand.QueryRow("SELECT code, due FROM tickets t JOIN customers c ON c.id = t.customer_id WHERE c.org_id = $1 ORDER BY t.id LIMIT 1 OFFSET 300", org).Scan(&code, &due); err != nil {
					b.Fatal(err)
				}
				plain, lookup := linkedRunner(b, db, org, false), linkedRunner(b, db, org, true)
				for _, l := range listStatements {
					values := strings.NewReplacer("{code}", code, "{due}", fmt.Sprint(due))
					b.Run(size+"/"+l.name, func(b *testing.B) {
						args := []any{org}
						if strings.Contains(l.program, "{code}") {
							args = append(args, code)
						} else if strings.Contains(l.program, "{due}") {
							args = append(args, due)
						}
						linkedBench(b, []*tu.Runner{plain, lookup}, hand, args, values.Replace(l.program), linkedText(l.name, l.sql))
					})
				}
			}
		})
	}
}

// linkedFill makes n tickets of the customers of three tenants. A customer's tickets lie together, as they were made, and customers lie as they came.
func linkedFill(e tu.Engine, n int) []string {
	fill := listsFill(e, n)
	of := "INSERT INTO tickets SELECT s.n, CASE WHEN s.n % 100 = 0 THEN 1 WHEN s.n % 100 <= 10 THEN 2 ELSE 3 END, "
	tickets := strings.Replace(fill[len(listsSQL)+1], of, "INSERT INTO tickets SELECT s.n, ", 1)
	tickets = strings.Replace(tickets, "1 + (s.n - 1) % "+fmt.Sprint(n/10), "1 + (s.n - 1) / 10", 1)
	return slices.Concat(linkedSQL, []string{fill[len(listsSQL)], tickets}, linkedIndexes)
}

func linkedRunner(b *testing.B, db *exosql.DB, org int64, lookup bool) *tu.Runner {
	return tu.NewRunner(b, linkedObjects(db, org, lookup), exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50})
}

// linkedBench measures a statement by hand in turn with this module's, where it runs: without AllowUnscopedLookup, and then with it.
func linkedBench(b *testing.B, runners []*tu.Runner, hand *sql.DB, given []any, program, statement string) {
	theirs, err := hand.Prepare(statement)
	if err != nil {
		b.Fatalf("%v: %s", err, statement)
	}
	defer theirs.Close()
	want := countRows(b, theirs, given...)
	for _, r := range runners {
		for range 3 {
			o := r.Run(b, "const all = await "+program+"; return Array.isArray(all) ? all.length : 1")
			if o.JSON != fmt.Sprint(want) {
				b.Fatalf("%v, by hand %d rows", o, want)
			}
			if os.Getenv("EXO_SHOW") != "" {
				b.Logf("%s\n%s\n%s", program, o.SQL[0].SQL, o.SQL[0].Fenced)
			}
		}
	}
	for i, r := range runners { // one after the other: what reads all rows takes those of a lookup out of the caches
		var byHand, ours []time.Duration
		for range b.N {
			start := time.Now()
			countRows(b, theirs, given...)
			byHand = append(byHand, time.Since(start))
			o := r.Run(b, "return await "+program)
			if o.Result.Err != nil || len(o.SQL) == 0 {
				b.Fatal(o)
			}
			took := time.Duration(0)
			for _, q := range o.SQL {
				took += q.Took
			}
			ours = append(ours, took)
		}
		least := slices.Min(byHand)
		b.ReportMetric(float64(least.Nanoseconds())/1e3, []string{"µs/hand", "µs/hand-lookup"}[i])
		b.ReportMetric(float64(slices.Min(ours))/float64(least), []string{"x/statement", "x/lookup"}[i])
	}
	b.ReportMetric(0, "ns/op") // of all together
}
