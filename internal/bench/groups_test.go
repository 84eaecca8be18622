package main

import (
	"database/sql"
	"encoding/json"
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

// sale is a row of the table of BenchmarkGroups, whose indexes begin with the tenant.
type sale struct {
	ID, Org, Customer, Ticket, N int64
	Status, Code                 string
	Amount                       exosql.Decimal
	At                           time.Time
}

var (
	sales        = exosql.NewTable[sale]("sales")
	saleID       = exosql.NewKey(sales, "id", func(s *sale) *int64 { return &s.ID })
	saleOrg      = exosql.NewColumn(sales, "org_id", func(s *sale) *int64 { return &s.Org })
	saleCustomer = exosql.NewColumn(sales, "customer_id", func(s *sale) *int64 { return &s.Customer })
	saleTicket   = exosql.NewColumn(sales, "ticket_id", func(s *sale) *int64 { return &s.Ticket })
	saleN        = exosql.NewColumn(sales, "n", func(s *sale) *int64 { return &s.N })
	saleStatus   = exosql.NewColumn(sales, "status", func(s *sale) *string { return &s.Status })
	saleCode     = exosql.NewColumn(sales, "code", func(s *sale) *string { return &s.Code })
	saleAmount   = exosql.NewColumn(sales, "amount", func(s *sale) *exosql.Decimal { return &s.Amount })
	saleAt       = exosql.NewColumn(sales, "sold_at", func(s *sale) *time.Time { return &s.At }).StoredISO()
)

// groupStatements are the programs of groupings, each with the statement that a person would write.
var groupStatements = []struct{ name, program, sqlite, postgres string }{
	{"count by status", "sales.groupBy(s => s.status).select(g => ({ status: g.status, n: g.count() }))",
		"SELECT status, count(*) FROM sales WHERE org_id = $1 GROUP BY status ORDER BY status", ""},
	{"count distinct", "sales.countDistinct(s => s.code)", "SELECT count(DISTINCT code) FROM sales WHERE org_id = $1", ""},
	{"greatest of a column", "sales.max(s => s.soldAt)", "SELECT max(sold_at) FROM sales WHERE org_id = $1", ""},
	{"sum of whole numbers", "sales.sum(s => s.n)", "SELECT sum(n) FROM sales WHERE org_id = $1", ""},
	{"sum of decimals", "sales.sum(s => s.amount)", "SELECT sum(amount) FROM sales WHERE org_id = $1", ""},
	{"sum by month", "sales.groupBy(s => ({ year: s.soldAt.year(), month: s.soldAt.month() })).select(g => ({ ...g, sum: g.sum(s => s.n) }))",
		"SELECT CAST(strftime('%Y', sold_at) AS INTEGER), CAST(strftime('%m', sold_at) AS INTEGER), sum(n) FROM sales WHERE org_id = $1 GROUP BY 1, 2 ORDER BY 1, 2",
		"SELECT extract(year FROM sold_at AT TIME ZONE 'UTC'), extract(month FROM sold_at AT TIME ZONE 'UTC'), sum(n) FROM sales WHERE org_id = $1 GROUP BY 1, 2 ORDER BY 1, 2"},
	{"decimals by status", "sales.groupBy(s => s.status).select(g => ({ status: g.status, sum: g.sum(s => s.amount), avg: g.avg(s => s.amount) }))",
		"SELECT status, sum(amount), avg(amount) FROM sales WHERE org_id = $1 GROUP BY status ORDER BY status", ""},
	{"top 10 by sum", "sales.groupBy(s => s.customerId).orderBy(g => g.sum(s => s.n).desc()).limit(10).select(g => ({ customer: g.customerId, sum: g.sum(s => s.n) }))",
		"SELECT customer_id, sum(n) FROM sales WHERE org_id = $1 GROUP BY customer_id ORDER BY sum(n) DESC, customer_id DESC LIMIT 10", ""},
	{"median", "sales.median(s => s.n)",
		"SELECT avg(n) FROM (SELECT n, row_number() OVER (ORDER BY n) AS i, count(*) OVER () AS k FROM sales WHERE org_id = $1) WHERE i IN ((k + 1) / 2, (k + 2) / 2)",
		"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM sales WHERE org_id = $1"},
	{"latest per ticket", "sales.orderBy(s => s.soldAt.desc()).distinctBy(s => s.ticketId).select(s => ({ ticket: s.ticketId, at: s.soldAt, n: s.n }))",
		"SELECT ticket_id, sold_at, n FROM (SELECT ticket_id, sold_at, n, row_number() OVER (PARTITION BY ticket_id ORDER BY sold_at DESC, id DESC) AS i FROM sales WHERE org_id = $1) WHERE i = 1 ORDER BY sold_at DESC",
		"SELECT * FROM (SELECT DISTINCT ON (ticket_id) ticket_id, sold_at, n FROM sales WHERE org_id = $1 ORDER BY ticket_id, sold_at DESC, id DESC) AS s ORDER BY sold_at DESC"},
	{"latest per customer", "sales.orderBy(s => s.soldAt.desc()).distinctBy(s => s.customerId).select(s => ({ customer: s.customerId, at: s.soldAt, n: s.n }))",
		"SELECT customer_id, sold_at, n FROM (SELECT customer_id, sold_at, n, row_number() OVER (PARTITION BY customer_id ORDER BY sold_at DESC, id DESC) AS i FROM sales WHERE org_id = $1) WHERE i = 1 ORDER BY sold_at DESC",
		"SELECT * FROM (SELECT DISTINCT ON (customer_id) customer_id, sold_at, n FROM sales WHERE org_id = $1 ORDER BY customer_id, sold_at DESC, id DESC) AS s ORDER BY sold_at DESC"},
	{"running sum", "sales.orderBy(s => s.soldAt).partitionBy(s => s.customerId).select(({ sale, window }) => ({ id: sale.id, sum: window.runningSum(s => s.n) })).limit(1000)",
		"SELECT id, sum(n) OVER (PARTITION BY customer_id ORDER BY sold_at, id ROWS UNBOUNDED PRECEDING) FROM sales WHERE org_id = $1 ORDER BY sold_at, id LIMIT 1000", ""},
	{"moving sum", "sales.orderBy(s => s.soldAt).partitionBy(s => s.customerId).select(({ sale, window }) => ({ id: sale.id, sum: window.movingSum(s => s.n, 7) })).limit(1000)",
		"SELECT id, sum(n) OVER (PARTITION BY customer_id ORDER BY sold_at, id ROWS 6 PRECEDING) FROM sales WHERE org_id = $1 ORDER BY sold_at, id LIMIT 1000", ""},
	{"moving max", "sales.orderBy(s => s.soldAt).partitionBy(s => s.customerId).select(({ sale, window }) => ({ id: sale.id, max: window.movingMax(s => s.n, 7) })).limit(1000)",
		"SELECT id, max(n) OVER (PARTITION BY customer_id ORDER BY sold_at, id ROWS 6 PRECEDING) FROM sales WHERE org_id = $1 ORDER BY sold_at, id LIMIT 1000", ""},
	{"in a query", "sales.where(s => s.customerId.in(sales.where(x => x.status === 'rare').select(x => x.customerId))).count()",
		"SELECT count(*) FROM sales WHERE org_id = $1 AND customer_id IN (SELECT customer_id FROM sales WHERE org_id = $1 AND status = 'rare')", ""},
	{"not in a query", "sales.where(s => s.customerId.notIn(sales.where(x => x.status === 'rare').select(x => x.customerId))).count()",
		"SELECT count(*) FROM sales WHERE org_id = $1 AND customer_id NOT IN (SELECT customer_id FROM sales WHERE org_id = $1 AND status = 'rare')", ""},
	{"above the mean", "sales.where(s => s.n > sales.avg(x => x.n)).count()",
		"SELECT count(*) FROM sales WHERE org_id = $1 AND n > (SELECT avg(n) FROM sales WHERE org_id = $1)", ""},
	{"page of a union", "sales.where(s => s.status === 'rare').select(s => ({ id: s.id, n: s.n })).union(sales.where(s => s.code === 'c7').select(s => ({ id: s.id, n: s.n }))).orderBy(r => [r.n.desc(), r.id.desc()]).limit(20)",
		"SELECT id, n FROM (SELECT id, n FROM sales WHERE org_id = $1 AND status = 'rare' UNION SELECT id, n FROM sales WHERE org_id = $1 AND code = 'c7') AS s ORDER BY n DESC, id DESC LIMIT 20", ""},
}

// buyer is a row of the table whose rows show their sales.
type buyer struct {
	ID, Org int64
	Name    string
}

var (
	buyers     = exosql.NewTable[buyer]("customers")
	buyerID    = exosql.NewKey(buyers, "id", func(c *buyer) *int64 { return &c.ID })
	buyerOrg   = exosql.NewColumn(buyers, "org_id", func(c *buyer) *int64 { return &c.Org })
	buyerName  = exosql.NewColumn(buyers, "name", func(c *buyer) *string { return &c.Name })
	buyerSales = exosql.Many("sales", buyerID, saleCustomer)
	buyerOf    = exosql.One("customer", saleCustomer, buyerID)
)

// nestedStatements show the rows of links of a page of 20 rows. By hand an engine makes JSON of them.
var nestedStatements = []struct{ name, program, sqlite, postgres string }{
	{"latest 3 of each", "customers.orderBy(c => c.id).limit(20).select(c => ({ name: c.name, sales: c.sales().orderBy(s => s.soldAt.desc()).limit(3).select(s => ({ status: s.status, n: s.n, at: s.soldAt })) }))",
		"SELECT c.name, (SELECT json_group_array(json_object('status', status, 'n', n, 'at', sold_at)) FROM (SELECT status, n, sold_at FROM sales WHERE org_id = $1 AND customer_id = c.id ORDER BY sold_at DESC, id DESC LIMIT 3)) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 20",
		"SELECT c.name, (SELECT json_agg(json_build_object('status', status, 'n', n, 'at', sold_at)) FROM (SELECT status, n, sold_at FROM sales WHERE org_id = $1 AND customer_id = c.id ORDER BY sold_at DESC, id DESC LIMIT 3) s) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 20"},
	{"all of each", "customers.orderBy(c => c.id).limit(2).select(c => ({ name: c.name, sales: c.sales() }))",
		"SELECT c.name, (SELECT json_group_array(json_object('id', id, 'customerId', customer_id, 'n', n, 'status', status, 'code', code, 'amount', amount, 'soldAt', sold_at) ORDER BY id) FROM sales WHERE org_id = $1 AND customer_id = c.id) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 2",
		"SELECT c.name, (SELECT json_agg(json_build_object('id', id, 'customerId', customer_id, 'n', n, 'status', status, 'code', code, 'amount', amount, 'soldAt', sold_at) ORDER BY id) FROM sales WHERE org_id = $1 AND customer_id = c.id) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 2"},
	{"first of each", "customers.orderBy(c => c.id).limit(20).select(c => ({ name: c.name, n: c.sales().orderBy(s => s.soldAt.desc()).first().n }))",
		"SELECT c.name, (SELECT n FROM sales WHERE org_id = $1 AND customer_id = c.id ORDER BY sold_at DESC, id DESC LIMIT 1) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 20", ""},
	{"the row of each", "sales.orderBy(s => s.soldAt.desc()).limit(20).select(s => ({ n: s.n, customer: s.customer() }))",
		"SELECT s.n, c.id, c.name FROM sales s LEFT JOIN customers c ON c.id = s.customer_id AND c.org_id = $1 WHERE s.org_id = $1 ORDER BY s.sold_at DESC, s.id DESC LIMIT 20", ""},
	{"some of each", "customers.orderBy(c => c.id).limit(20).select(c => ({ name: c.name, sales: c.sales().where(s => s.n > 900).orderBy(s => s.n).limit(5).select(s => ({ n: s.n, code: s.code })) }))",
		"SELECT c.name, (SELECT json_group_array(json_object('n', n, 'code', code)) FROM (SELECT n, code FROM sales WHERE org_id = $1 AND customer_id = c.id AND n > 900 ORDER BY n, id LIMIT 5)) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 20",
		"SELECT c.name, (SELECT json_agg(json_build_object('n', n, 'code', code)) FROM (SELECT n, code FROM sales WHERE org_id = $1 AND customer_id = c.id AND n > 900 ORDER BY n, id LIMIT 5) s) FROM customers c WHERE c.org_id = $1 ORDER BY c.id LIMIT 20"},
}

// nestedFill makes the customers of n sales.
func nestedFill(e tu.Engine, n int) []string {
	return append(salesFill(e, n), "CREATE TABLE customers (id {int} PRIMARY KEY, org_id {int} NOT NULL, name TEXT NOT NULL)",
		"INSERT INTO customers SELECT DISTINCT customer_id, org_id, 'customer ' || customer_id FROM sales",
		"CREATE INDEX customers_org ON customers (org_id, id)", "CREATE INDEX sales_customer ON sales (org_id, customer_id, sold_at)", "ANALYZE")
}

// BenchmarkNested measures rows within rows, in one statement, as BenchmarkGroups does groups.
func BenchmarkNested(b *testing.B) {
	n := benchRows(b)
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			db, hand := groupDB(b, e, nestedFill(e, n))
			sale := exosql.NewFacet(sales, "sale", saleID, saleCustomer, saleN, saleStatus, saleCode, saleAmount, saleAt)
			one := exosql.NewFacet(buyers, "customer", buyerID, buyerName, exosql.Via(buyerSales, sale))
			sale.Add(exosql.Via(buyerOf, one))
			for i, size := range []string{"1%", "10%", "89%"} {
				org := int64(i + 1)
				r := tu.NewRunner(b, map[string]exo.Object{
					"customers": one.Of(exosql.Grant(db, buyers, buyerOrg.Eq(org), exosql.ScopeRows(sales, saleOrg.Eq(org)))),
					"sales":     sale.Of(exosql.Grant(db, sales, saleOrg.Eq(org), exosql.ScopeRows(buyers, buyerOrg.Eq(org)))),
				}, exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50})
				for _, g := range nestedStatements {
					text := g.sqlite
					if e.Name == tu.Postgres.Name && g.postgres != "" {
						text = g.postgres
					}
					b.Run(size+"/"+g.name, func(b *testing.B) {
						benchEither(b, r, hand, org, g.program, text)
					})
				}
			}
		})
	}
}

// groupDB opens a database that statements fill, for programs and for statements by hand.
func groupDB(b *testing.B, e tu.Engine, fill []string) (*exosql.DB, *sql.DB) {
	url := e.URL(b)
	db := e.OpenURL(b, url, &exosql.OpenOptions{Setup: e.Exec(fill...)})
	hand, err := sql.Open(e.Pick("sqlite", "pgx"), strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { hand.Close() })
	hand.SetMaxOpenConns(1)
	if e.Name == tu.Postgres.Name { // as our own connections have it
		if _, err := hand.Exec("SET plan_cache_mode = force_generic_plan; SET jit = off"); err != nil {
			b.Fatal(err)
		}
	}
	return db, hand
}

// BenchmarkGroups measures aggregates and groups as BenchmarkLists does lists.
//
//	EXO_ROWS=1000000 go test -run '^$' -bench Groups -benchtime 5x ./internal/bench
func BenchmarkGroups(b *testing.B) {
	n := benchRows(b)
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		b.Run(e.Name, func(b *testing.B) {
			db, hand := groupDB(b, e, salesFill(e, n))
			facet := exosql.NewFacet(sales, "sale", saleID, saleCustomer, saleTicket, saleN, saleStatus, saleCode, saleAmount, saleAt)
			for i, size := range []string{"1%", "10%", "89%"} {
				org := int64(i + 1)
				r := tu.NewRunner(b, map[string]exo.Object{"sales": facet.Of(exosql.Grant(db, sales, saleOrg.Eq(org)))}, exo.Limits{Calls: 1 << 40, Rows: 1 << 40, Bytes: 1 << 50})
				for _, g := range groupStatements {
					text := g.sqlite
					if e.Name == tu.Postgres.Name && g.postgres != "" {
						text = g.postgres
					}
					b.Run(size+"/"+g.name, func(b *testing.B) {
						benchEither(b, r, hand, org, g.program, text)
					})
				}
			}
		})
	}
}

// benchEither measures a statement on the connection of the one by hand, or, where that has not its functions, where it runs.
func benchEither(b *testing.B, r *tu.Runner, hand *sql.DB, org int64, program, statement string) {
	if o := r.Run(b, "return await "+program); len(o.SQL) == 1 && !strings.Contains(o.SQL[0].SQL, "exo_") {
		listBench(b, r, hand, nil, []any{org}, program, statement)
		return
	}
	groupBench(b, r, hand, org, program, statement)
}

// groupBench measures a statement of SQLite where it runs: the aggregates of this module are functions of its own
// driver, which the connection of the statement by hand has not. Of that the JSON is decoded, as the rows of the program are.
func groupBench(b *testing.B, r *tu.Runner, hand *sql.DB, org int64, program, statement string) {
	theirs, err := hand.Prepare(statement)
	if err != nil {
		b.Fatal(err)
	}
	defer theirs.Close()
	n := decodeRows(b, theirs, org)
	o := r.Run(b, "const all = await "+program+"; return Array.isArray(all) ? all.length : 1")
	if o.JSON != fmt.Sprint(n) || len(o.SQL) != 1 {
		b.Fatalf("%v, by hand %d rows", o, n)
	}
	if os.Getenv("EXO_SHOW") != "" {
		b.Logf("%s\n%s\n%s", program, o.SQL[0].SQL, o.SQL[0].Fenced)
	}
	var mine, other, whole []time.Duration
	for b.Loop() {
		start := time.Now()
		decodeRows(b, theirs, org)
		other = append(other, time.Since(start))
		start = time.Now()
		o := r.Run(b, "return await "+program)
		whole = append(whole, time.Since(start))
		if o.Result.Err != nil || len(o.SQL) != 1 {
			b.Fatal(o)
		}
		mine = append(mine, o.SQL[0].Took)
	}
	reportTimes(b, other, mine, whole, nil)
}

// decodeRows reads all rows of a statement, and what is JSON in them.
func decodeRows(b *testing.B, st *sql.Stmt, args ...any) int {
	return readRows(b, st, args, func(cell []byte) {
		var decoded []map[string]any
		if strings.HasPrefix(string(cell), "[") && json.Unmarshal(cell, &decoded) != nil {
			b.Fatalf("%s is no JSON", cell)
		}
	})
}

// salesFill makes n sales of three tenants, of five years.
func salesFill(e tu.Engine, n int) []string {
	numbers := fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", "generate_series(1::bigint, %d) AS s (n)"), n)
	at := e.Pick("strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + s.n * 7907 % 157680000, 'unixepoch')", "to_timestamp(1600000000 + s.n * 7907 % 157680000)")
	amount := e.Pick("printf('%d.%02d', s.n * 31 % 10000, s.n % 100)", "((s.n * 31 % 10000) || '.' || lpad((s.n % 100)::text, 2, '0'))::numeric")
	return []string{
		"CREATE TABLE sales (id {int} PRIMARY KEY, org_id {int} NOT NULL, customer_id {int} NOT NULL, ticket_id {int} NOT NULL, status TEXT NOT NULL, code TEXT NOT NULL, n {int} NOT NULL, amount " + e.Pick("TEXT", "numeric(12, 2)") + " NOT NULL, sold_at " + e.Pick("TEXT", "timestamptz(3)") + " NOT NULL)",
		"INSERT INTO sales SELECT s.n, CASE WHEN s.n % 100 = 0 THEN 1 WHEN s.n % 100 <= 10 THEN 2 ELSE 3 END, 1 + s.n * 7919 % 1000, s.n * 7919 % " + fmt.Sprint(n/10) + ", CASE WHEN s.n * 31 % 1009 < 5 THEN 'rare' WHEN s.n * 31 % 1009 < 300 THEN 'open' ELSE 'done' END, 'c' || (s.n * 7919 % " + fmt.Sprint(n/10) + "), s.n * 13 % 1000, " + amount + ", " + at + " FROM " + numbers,
		"CREATE INDEX sales_status ON sales (org_id, status)", "CREATE INDEX sales_code ON sales (org_id, code)", "CREATE INDEX sales_at ON sales (org_id, sold_at)", "CREATE INDEX sales_ticket ON sales (org_id, ticket_id, sold_at)", "ANALYZE",
	}
}

// TestGroupTable: each grouping is measured, and a ratio above its target is bold.
func TestGroupTable(t *testing.T) {
	m := measured{}
	all := slices.Concat(groupStatements, nestedStatements)
	for i, g := range slices.Concat(groupings, nestings) {
		if i >= len(all) || all[i].name != g.name {
			t.Errorf("%s is not measured", g.name)
		}
		suite := "Groups/"
		if i >= len(groupings) {
			suite = "Nested/"
		}
		for _, e := range []string{"sqlite", "postgres"} {
			for _, size := range tenants {
				for _, unit := range []string{"µs/hand", "x/statement"} {
					m.add("internal/bench/"+suite+e+"/"+size+"/"+strings.ReplaceAll(g.name, " ", "_"), unit, 1)
				}
			}
		}
	}
	if text, err := groupTable(m, "7"); err != nil || strings.Contains(text, "**") || len(names(text)) != len(groupings)+len(nestings)+1 {
		t.Error(err, text)
	}
	m["internal/bench/Groups/sqlite/10%/sum_of_decimals"]["x/statement"] = []float64{2.6}
	m["internal/bench/Groups/postgres/10%/sum_of_decimals"]["x/statement"] = []float64{1.31}
	if text, err := groupTable(m, "7"); err != nil || !strings.Contains(text, "1.00 (**2.60**, 1.00) | 2.5 | 1 µs | 1.00 (**1.31**, 1.00) | 1.3 |") || !strings.Contains(text, fmt.Sprintf("Of %d statements 2 are above", 6*(len(groupings)+len(nestings)))) {
		t.Error(err, text)
	}
	delete(m, "internal/bench/Groups/sqlite/1%/median")
	if _, err := groupTable(m, "7"); err == nil {
		t.Error("what was not measured is in the table")
	}
}
