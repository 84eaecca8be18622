package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The table of BenchmarkLists is what an application asks all day: a page of a
// list, a filter, a count, two hops. It has the indexes that a backend engineer would
// give it, each beginning with the tenant, and one (due) that does not.
var listsSQL = []string{
	"CREATE TABLE customers (id {int} PRIMARY KEY, org_id {int} NOT NULL, region TEXT NOT NULL)",
	"CREATE TABLE tickets (id {int} PRIMARY KEY, org_id {int} NOT NULL, customer_id {int} NOT NULL, code TEXT NOT NULL, due {int} NOT NULL, status TEXT NOT NULL, n {int}, title TEXT NOT NULL)",
}

var listsIndexes = []string{
	"CREATE INDEX customers_region ON customers (org_id, region)",
	"CREATE INDEX tickets_org ON tickets (org_id)",
	"CREATE INDEX tickets_code ON tickets (org_id, code)",
	"CREATE INDEX tickets_due ON tickets (org_id, due)",
	"CREATE INDEX tickets_status_due ON tickets (org_id, status, due)",
	"CREATE INDEX tickets_customer ON tickets (customer_id)",
	"CREATE INDEX tickets_any_due ON tickets (due)",
	"ANALYZE",
}

type listCustomer struct {
	ID, Org int64
	Region  string
}

type listTicket struct {
	ID, Org, Customer   int64
	Code, Status, Title string
	Due                 int64
	N                   *int64
}

var (
	listCustomers  = exosql.NewTable[listCustomer]("customers")
	customerID     = exosql.NewKey(listCustomers, "id", func(c *listCustomer) *int64 { return &c.ID })
	customerOrg    = exosql.NewColumn(listCustomers, "org_id", func(c *listCustomer) *int64 { return &c.Org })
	customerRegion = exosql.NewColumn(listCustomers, "region", func(c *listCustomer) *string { return &c.Region })

	listTickets    = exosql.NewTable[listTicket]("tickets")
	ticketID       = exosql.NewKey(listTickets, "id", func(t *listTicket) *int64 { return &t.ID })
	ticketOrg      = exosql.NewColumn(listTickets, "org_id", func(t *listTicket) *int64 { return &t.Org })
	ticketCustomer = exosql.NewColumn(listTickets, "customer_id", func(t *listTicket) *int64 { return &t.Customer })
	ticketCode     = exosql.NewColumn(listTickets, "code", func(t *listTicket) *string { return &t.Code })
	ticketDue      = exosql.NewColumn(listTickets, "due", func(t *listTicket) *int64 { return &t.Due })
	ticketStatus   = exosql.NewColumn(listTickets, "status", func(t *listTicket) *string { return &t.Status })
	ticketN        = exosql.NewNullable(listTickets, "n", func(t *listTicket) **int64 { return &t.N })
	ticketTitle    = exosql.NewColumn(listTickets, "title", func(t *listTicket) *string { return &t.Title })

	customerTickets = exosql.Many("tickets", customerID, ticketCustomer)
)

// listStatements are the programs of lists (table.go), each with the statement that a person would
// write for it. In SQL, $1 is the tenant, $2 its {code} or {due}; other values are constants, as people write them.
var listStatements = []struct{ name, program, sql string }{
	{"page by key", "tickets.orderBy(t => t.id).limit(20)",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 ORDER BY id LIMIT 20"},
	{"equals, indexed", "tickets.where(t => t.code === '{code}')",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 AND code = $2"},
	{"range, in its order, 20", "tickets.where(t => t.due >= {due}).orderBy(t => t.due).limit(20)",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 AND due >= $2 ORDER BY due, id LIMIT 20"},
	{"latest 20", "tickets.orderBy(t => t.due.desc()).limit(20)",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 ORDER BY due DESC, id DESC LIMIT 20"},
	{"latest 20 of a status", "tickets.where(t => t.status === 'rare').orderBy(t => t.due.desc()).limit(20)",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 AND status = 'rare' ORDER BY due DESC, id DESC LIMIT 20"},
	{"two hops", "customers.where(c => c.region === 'north').tickets().where(t => t.code === '{code}')",
		"SELECT t.id, t.customer_id, t.code, t.due, t.status, t.n, t.title FROM customers c JOIN tickets t ON t.customer_id = c.id WHERE c.org_id = $1 AND c.region = 'north' AND t.org_id = $1 AND t.code = $2"},
	{"equals, no index", "tickets.where(t => t.n === 77)",
		"SELECT id, customer_id, code, due, status, n, title FROM tickets WHERE org_id = $1 AND n = 77"},
	{"count of a status", "tickets.where(t => t.status === 'open').count()",
		"SELECT count(*) FROM tickets WHERE org_id = $1 AND status = 'open'"},
	{"count", "tickets.count()", "SELECT count(*) FROM tickets WHERE org_id = $1"},
}

// BenchmarkLists measures each question in turn with the statement that a person would
// write, and reports the ratio of the fastest: "x/statement" of the statements alone,
// prepared on one connection of the same driver; "x/rls" is that of the statement under
// PostgreSQL's row-level security, which needs no condition on the tenant; and "µs/more" is
// what a whole program in process takes beyond the statement by hand. Tenants hold 1 %, 10 %
// and 89 % of EXO_ROWS rows (100,000).
//
//	EXO_ROWS=1000000 go test -run '^$' -bench Lists -benchtime 10x ./internal/bench
func BenchmarkLists(b *testing.B) {
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
			policed := listPolicies(b, e, url, hand)
			for i, size := range []string{"1%", "10%", "89%"} {
				org := int64(i + 1)
				var code string
				var due int64
				if err := hand.QueryRow("SELECT code, due FROM tickets WHERE org_id = $1 ORDER BY id LIMIT 1 OFFSET 300", org).Scan(&code, &due); err != nil {
					b.Fatal(err)
				}
				r := listRunner(b, db, org)
				for _, l := range listStatements {
					values := strings.NewReplacer("{code}", code, "{due}", fmt.Sprint(due))
					b.Run(size+"/"+l.name, func(b *testing.B) {
						args := []any{org}
						if strings.Contains(l.program, "{code}") {
							args = append(args, code)
						} else if strings.Contains(l.program, "{due}") {
							args = append(args, due)
						}
						listBench(b, r, hand, policed, args, values.Replace(l.program), l.sql)
					})
				}
			}
		})
	}
}

// benchRows is how many rows the tables have.
func benchRows(b *testing.B) int {
	n := 100_000
	if s := os.Getenv("EXO_ROWS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 1000 {
			b.Fatalf("EXO_ROWS=%s is no number of rows from 1000", s)
		}
	}
	return n
}

// listsFill makes n tickets of three tenants. Rows lie as they came, not by tenant.
func listsFill(e tu.Engine, n int) []string {
	numbers := func(n int) string {
		return fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", "generate_series(1::bigint, %d) AS s (n)"), n) // bigint: of a million it is multiplied
	}
	org := "CASE WHEN s.n % 100 = 0 THEN 1 WHEN s.n % 100 <= 10 THEN 2 ELSE 3 END"
	return slices.Concat(listsSQL, []string{
		"INSERT INTO customers SELECT s.n, " + org + ", CASE WHEN s.n % 7 = 0 THEN 'north' ELSE 'south' END FROM " + numbers(n/10),
		"INSERT INTO tickets SELECT s.n, " + org + ", 1 + (s.n - 1) % " + fmt.Sprint(n/10) + ", 'c' || (s.n * 7919 % " + fmt.Sprint(n/10) + "), s.n * 7907 % " + fmt.Sprint(n) +
			", CASE WHEN s.n * 31 % 1009 < 5 THEN 'rare' WHEN s.n * 31 % 1009 < 300 THEN 'open' ELSE 'done' END, CASE WHEN s.n % 5 = 0 THEN NULL ELSE s.n * 13 % 1000 END, 'Ticket number ' || s.n FROM " + numbers(n),
	}, listsIndexes)
}

func listRunner(b *testing.B, db *exosql.DB, org int64) *tu.Runner {
	ticket := exosql.NewFacet(listTickets, "ticket", ticketID, ticketCustomer, ticketCode, ticketDue, ticketStatus, ticketN, ticketTitle)
	customer := exosql.NewFacet(listCustomers, "customer", customerID, customerRegion, exosql.Via(customerTickets, ticket))
	customers := exosql.Grant(db, listCustomers, customerOrg.Eq(org), exosql.ScopeRows(listTickets, ticketOrg.Eq(org)))
	return tu.NewRunner(b, map[string]exo.Object{"customers": customer.Of(customers), "tickets": ticket.Of(exosql.Grant(db, listTickets, ticketOrg.Eq(org)))},
		exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50})
}

// listPolicies gives the tables a policy for a role that is none of ours, and a connection of
// that role. It is nil for SQLite.
func listPolicies(b *testing.B, e tu.Engine, url string, hand *sql.DB) *sql.DB {
	if e.Name != tu.Postgres.Name {
		return nil
	}
	run := func(db *sql.DB, statements ...string) {
		b.Helper()
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				b.Fatalf("%s: %v", s, err)
			}
		}
	}
	var schema string
	if err := hand.QueryRow("SELECT current_schema()").Scan(&schema); err != nil {
		b.Fatal(err)
	}
	run(hand, "DO $$ BEGIN CREATE ROLE exo_bench_tenant; EXCEPTION WHEN duplicate_object THEN NULL; END $$", "GRANT USAGE ON SCHEMA "+schema+" TO exo_bench_tenant")
	for _, table := range []string{"customers", "tickets"} {
		run(hand, "GRANT SELECT ON "+table+" TO exo_bench_tenant", "ALTER TABLE "+table+" ENABLE ROW LEVEL SECURITY",
			"CREATE POLICY tenant ON "+table+" USING (org_id = current_setting('exo.org')::bigint)")
	}
	b.Cleanup(func() { _, _ = hand.Exec("DROP OWNED BY exo_bench_tenant") })
	db, err := sql.Open("pgx", url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	run(db, "SET plan_cache_mode = force_generic_plan", "SET jit = off", "SET ROLE exo_bench_tenant")
	return db
}

// unscoped is a statement without its conditions on the tenant.
var unscoped = strings.NewReplacer("c.org_id = $1 AND ", "", "t.org_id = $1 AND ", "", " WHERE org_id = $1 AND ", " WHERE ", " WHERE org_id = $1", "")

func listBench(b *testing.B, r *tu.Runner, hand, policed *sql.DB, given []any, program, statement string) {
	o := r.Run(b, "return await "+program)
	if len(o.SQL) == 0 {
		b.Fatalf("%s: no statement: %v", program, o)
	}
	theirs, err := hand.Prepare(statement)
	if err != nil {
		b.Fatal(err)
	}
	defer theirs.Close()
	wantRows := countRows(b, theirs, given...)
	var ours []func() int // the program's statements: of an order upwards a second one looks behind the limit
	for i, q := range o.SQL {
		if os.Getenv("EXO_SHOW") != "" {
			b.Logf("%s\n%s\n%s", program, q.SQL, q.Fenced)
		}
		st, err := hand.Prepare(q.SQL)
		if err != nil {
			b.Fatalf("%v: %s", err, q.SQL)
		}
		defer st.Close()
		var args []any
		for _, a := range q.Args {
			args = append(args, goArg(b, a))
		}
		ours = append(ours, func() int { return countRows(b, st, args...) })
		if got := ours[i](); i == 0 && got != wantRows {
			b.Fatalf("%d rows, by hand %d\n%s", got, wantRows, q.SQL)
		}
	}
	var third *sql.Stmt
	if policed != nil {
		if _, err := policed.Exec(fmt.Sprintf("SET exo.org = '%d'", given[0])); err != nil {
			b.Fatal(err)
		}
		if third, err = policed.Prepare(strings.ReplaceAll(unscoped.Replace(statement), "$2", "$1")); err != nil {
			b.Fatal(err)
		}
		defer third.Close()
		if got := countRows(b, third, given[1:]...); got != wantRows {
			b.Fatalf("%d rows under the policy, by hand %d", got, wantRows)
		}
	}
	var mine, other, whole, policy []time.Duration
	for b.Loop() {
		start := time.Now()
		countRows(b, theirs, given...)
		other = append(other, time.Since(start))
		start = time.Now()
		for _, run := range ours {
			run()
		}
		mine = append(mine, time.Since(start))
		if third != nil {
			start = time.Now()
			countRows(b, third, given[1:]...)
			policy = append(policy, time.Since(start))
		}
		start = time.Now()
		if o := r.Run(b, "return await "+program); o.Result.Err != nil {
			b.Fatal(o)
		}
		whole = append(whole, time.Since(start))
	}
	reportTimes(b, other, mine, whole, policy)
}

// reportTimes reports the least time of a statement by hand, of this module's and of a whole program, and of one under a
// policy if there is one.
func reportTimes(b *testing.B, hand, mine, whole, policy []time.Duration) {
	least := slices.Min(hand)
	b.ReportMetric(float64(least.Nanoseconds())/1e3, "µs/hand")
	b.ReportMetric(float64(slices.Min(mine))/float64(least), "x/statement")
	if policy != nil {
		b.ReportMetric(float64(slices.Min(policy))/float64(least), "x/rls")
	}
	b.ReportMetric(float64((slices.Min(whole)-least).Nanoseconds())/1e3, "µs/more")
	b.ReportMetric(0, "ns/op") // of all together
}

func goArg(b *testing.B, v value.Value) any {
	switch v.Type() {
	case value.TypeInt:
		return v.Int()
	case value.TypeText:
		return v.Text()
	}
	b.Fatalf("an argument of type %s", v.Type())
	return nil
}

func countRows(b *testing.B, st *sql.Stmt, args ...any) int { return readRows(b, st, args, nil) }

// readRows reads all rows of a statement, and counts them. see gets each cell, if it is not nil.
func readRows(b *testing.B, st *sql.Stmt, args []any, see func(cell []byte)) (n int) {
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	cells := make([]sql.RawBytes, len(columns))
	into := make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			b.Fatal(err)
		}
		if see != nil {
			for _, c := range cells {
				see(c)
			}
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}
