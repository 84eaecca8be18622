package exosql_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// shop and order are rows of tables whose tenants have unlike sizes. An order is in scope by its shop.
type (
	shop  struct{ ID, Org, Kind int64 }
	order struct {
		ID, Shop, Due int64
		Status        string
	}
)

var (
	shops     = exosql.NewTable[shop]("shops")
	shopID    = exosql.NewKey(shops, "id", func(s *shop) *int64 { return &s.ID })
	shopOrg   = exosql.NewColumn(shops, "org_id", func(s *shop) *int64 { return &s.Org })
	shopKind  = exosql.NewColumn(shops, "kind", func(s *shop) *int64 { return &s.Kind })
	orders    = exosql.NewTable[order]("orders")
	orderID   = exosql.NewKey(orders, "id", func(o *order) *int64 { return &o.ID })
	orderShop = exosql.NewColumn(orders, "shop_id", func(o *order) *int64 { return &o.Shop })
	orderDue  = exosql.NewColumn(orders, "due", func(o *order) *int64 { return &o.Due })
	orderStat = exosql.NewColumn(orders, "status", func(o *order) *string { return &o.Status })

	shopOrders = exosql.Many("orders", shopID, orderShop)
)

// ordersSQL makes 20,000 orders of 2,000 shops, of which tenant 1 has one in a hundred. size is the tenant of the shop s.n; status is
// that of the order s.n.
func ordersSQL(size, status string) []string {
	return []string{
		"CREATE TABLE shops (id bigint PRIMARY KEY, org_id bigint NOT NULL, kind bigint NOT NULL)",
		"CREATE TABLE orders (id bigint PRIMARY KEY, shop_id bigint NOT NULL, due bigint NOT NULL, status text NOT NULL)",
		"INSERT INTO shops SELECT s.n, " + size + ", s.n % 5 FROM generate_series(1::bigint, 2000) AS s (n)",
		"INSERT INTO orders SELECT s.n, 1 + (s.n - 1) / 10, s.n * 7919 % 20000, " + status + " FROM generate_series(1::bigint, 20000) AS s (n)",
		"CREATE INDEX shops_org ON shops (org_id)", "CREATE INDEX orders_shop ON orders (shop_id)", "CREATE INDEX orders_due ON orders (due)", "ANALYZE",
	}
}

func ordersOf(db *exosql.DB, in exosql.Predicate[shop]) map[string]exo.Object {
	facet := exosql.NewFacet(orders, "order", orderID, orderShop, orderDue, orderStat)
	granted := exosql.Grant(db, shops, in)
	return map[string]exo.Object{
		"shops":  exosql.NewFacet(shops, "shop", shopID, shopKind, exosql.Via(shopOrders, facet)).Of(granted),
		"orders": facet.Of(exosql.Follow(granted, shopOrders)),
	}
}

const (
	oneOfThree = "CASE WHEN s.n % 100 = 0 THEN 1 WHEN s.n % 100 <= 10 THEN 2 ELSE 3 END"
	oneOfMany  = "CASE WHEN s.n % 100 = 0 THEN 1 ELSE 2 + s.n % 50 END"
	mostOfAll  = "CASE WHEN s.n % 100 = 0 THEN 2 ELSE 1 END"
	rarely     = "CASE WHEN s.n % 40 = 0 THEN 'rare' ELSE 'done' END"
	often      = "CASE WHEN 1 + (s.n - 1) / 10 % 100 <> 0 OR s.n % 40 = 0 THEN 'rare' ELSE 'done' END"
)

// ownPrograms have scopes by a link, in which PostgreSQL plans with the size of the tenant.
var ownPrograms = []string{
	"orders.count()", "orders.where(o => o.status === 'rare').count()", "orders.orderBy(o => o.due.desc()).limit(5)", "orders.orderBy(o => o.id).limit(5)",
	"orders.where(o => o.due >= 300).orderBy(o => o.due).limit(5)", "shops.where(s => s.kind === 1).orders().where(o => o.status === 'rare')",
	"orders.where(o => o.shopId.in([100, 200]) && o.due < 300)", "orders.where(o => o.status.like('r%') || o.due === 7).limit(3)",
}

// explainer returns a function that asks the server how it runs a statement which it plans with its values.
func explainer(t *testing.T, url string) func(options, statement string, args []value.Value) string {
	hand := tu.Postgres.SQLDB(t, url)
	hand.SetMaxOpenConns(1)
	if _, err := hand.Exec("SET plan_cache_mode = force_custom_plan; SET jit = off; SET max_parallel_workers_per_gather = 0"); err != nil {
		t.Fatal(err)
	}
	return func(options, statement string, args []value.Value) string {
		t.Helper()
		var types, given []string
		for _, a := range args {
			if a.Type() == value.TypeInt {
				types, given = append(types, "bigint"), append(given, fmt.Sprint(a.Int()))
				continue
			}
			types, given = append(types, "text"), append(given, "'"+a.Text()+"'")
		}
		if _, err := hand.Exec("PREPARE asked (" + strings.Join(types, ", ") + ") AS " + statement); err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
		var text string
		if err := hand.QueryRow("EXPLAIN (FORMAT JSON" + options + ") EXECUTE asked (" + strings.Join(given, ", ") + ")").Scan(&text); err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
		if _, err := hand.Exec("DEALLOCATE asked"); err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// TestOwnPlan: a tenant's statement is planned for the size of the tenant. In databases that differ in rows out of scope only, however many other
// tenants there are and whatever their rows have, its plan is the same.
func TestOwnPlan(t *testing.T) {
	plans := map[string]map[string]string{}
	for name, fill := range map[string][]string{
		"one of three": ordersSQL(oneOfThree, rarely), "one of many": ordersSQL(oneOfMany, rarely), "others are rare": ordersSQL(oneOfThree, often), "most of all": ordersSQL(mostOfAll, rarely),
	} {
		url := tu.Postgres.URL(t)
		db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: tu.Postgres.Exec(fill...)})
		explain := explainer(t, url)
		r := tu.NewRunner(t, ordersOf(db, shopOrg.Eq(1)), exo.Limits{})
		for _, p := range ownPrograms {
			o := r.Run(t, "return await "+p)
			if o.Result.Err != nil || len(o.SQL) != 1 {
				t.Fatalf("%s: %v", p, o)
			}
			if plans[p] == nil {
				plans[p] = map[string]string{}
			}
			plans[p][name] = explain(", COSTS OFF", o.SQL[0].SQL, o.SQL[0].Args)
		}
	}
	for p, by := range plans {
		for _, other := range []string{"one of many", "others are rare"} {
			if by[other] != by["one of three"] {
				t.Errorf("%s: the plan depends on rows out of scope\n%s\n%s: %s", p, by["one of three"], other, by[other])
			}
		}
	}
	if p := ownPrograms[0]; plans[p]["most of all"] == plans[p]["one of three"] { // else the test finds nothing
		t.Errorf("%s: the plan does not depend on the size of the tenant: %s", p, plans[p]["most of all"])
	}
}

// shownHidden finds the placeholders that a statement hides from the planner.
var shownHidden = regexp.MustCompile(`\(SELECT (\$[0-9]+)\)`)

// TestOwnPlanHidesValues: such a statement's estimates are the same for every value of the program. The twin, with the same statement's values in
// sight, reveals how frequent a value is among all rows. Only these statements are planned with values.
func TestOwnPlanHidesValues(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	url := tu.Postgres.URL(t)
	db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: tu.Postgres.Exec(ordersSQL(oneOfThree, often)...)})
	explain := explainer(t, url)
	r := tu.NewRunner(t, ordersOf(db, shopOrg.Eq(1)), exo.Limits{})
	revealed := 0
	for _, c := range []struct{ program, a, b string }{
		{"orders.where(o => o.status === V).count()", "'rare'", "'done'"}, {"orders.where(o => o.due >= V).orderBy(o => o.due).limit(5)", "0", "19999"},
		{"orders.orderBy(o => o.due).limit(V)", "1", "20000"}, {"orders.orderBy(o => o.id).offset(V).limit(3)", "0", "15000"}, {"orders.where(o => o.id > V)", "0", "19999"},
		{"orders.where(o => o.status.in([V, 'none'])).count()", "'rare'", "'done'"}, {"shops.where(s => s.kind === V).orders().where(o => o.status === 'rare')", "1", "77"},
	} {
		q := func(v string) exosql.Query {
			o := r.Run(t, "return await "+strings.ReplaceAll(c.program, "V", v))
			if o.Result.Err != nil || len(o.SQL) != 1 {
				t.Fatal(c.program, o)
			}
			return o.SQL[0]
		}
		a, b := q(c.a), q(c.b)
		if x, y := explain("", a.SQL, a.Args), explain("", a.SQL, b.Args); a.SQL != b.SQL || x != y {
			t.Errorf("%s: the plan depends on the program's value\n%s\n%s", c.program, x, y)
		}
		if twin := shownHidden.ReplaceAllString(a.SQL, "$1"); explain("", twin, a.Args) != explain("", twin, b.Args) {
			revealed++
		}
	}
	if revealed < 6 {
		t.Errorf("the values of %d programs make a difference where the planner knows them; want 6 and more, else the test finds nothing", revealed)
	}
	for _, p := range []string{"shops.where(s => s.kind === 1).count()", "shops.where(s => s.id === 100).count()"} { // no scope of these goes by a link
		if o := r.Run(t, "return await "+p); o.Result.Err != nil || len(o.SQL) != 1 || shownHidden.MatchString(o.SQL[0].SQL) {
			t.Errorf("%s: %v", p, o)
		}
	}
	const plans = "SELECT (sum(custom_plans) > 0)::text || ' ' || (sum(generic_plans) > 0)::text FROM pg_prepared_statements WHERE statement LIKE '%orders%' %s statement NOT LIKE 'EXPLAIN%' AND statement NOT LIKE '%pg_prepared%'"
	for where, want := range map[string]string{"AND": "true false", "IS FALSE AND statement LIKE '%shops%' AND": "false true"} {
		v, err := exosql.AskOne(t.Context(), db, strings.Replace(plans, "%s", where, 1), value.TypeText, "")
		if err != nil || v.Text() != want {
			t.Errorf("statements %s are planned with values, and without: %q, %v; want %s", where, v.Text(), err, want)
		}
	}
}

// TestOwnPlanOfWiderScopes: a scope of two columns, of several values or of a range says more than the size of a tenant, so no value is planned with.
func TestOwnPlanOfWiderScopes(t *testing.T) {
	db := tu.Postgres.OpenURL(t, tu.Postgres.URL(t), &exosql.OpenOptions{Conns: 1, Setup: tu.Postgres.Exec(ordersSQL(oneOfThree, rarely)...)})
	for i, in := range []exosql.Predicate[shop]{exosql.And(shopOrg.Eq(1), shopKind.Eq(2)), shopOrg.In(1, 2), shopOrg.Gt(2)} {
		r := tu.NewRunner(t, ordersOf(db, in), exo.Limits{})
		o := r.Run(t, "return await orders.where(o => o.status === 'rare').count()")
		if o.Result.Err != nil || len(o.SQL) != 1 || shownHidden.MatchString(o.SQL[0].SQL) {
			t.Errorf("scope %d: %v", i, fmt.Sprint(o, o.SQL))
		}
	}
}

// TestOwnPlanCost: OpenOptions.PlanCost is compared with the cost for the tenant that asks, whoever asked before.
func TestOwnPlanCost(t *testing.T) {
	url := tu.Postgres.URL(t)
	fill := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(ordersSQL(oneOfThree, rarely)...)})
	explain := explainer(t, url)
	ask := func(db *exosql.DB, org int64) tu.Outcome {
		return tu.NewRunner(t, ordersOf(db, shopOrg.Eq(org)), exo.Limits{}).Run(t, "return await orders.count()")
	}
	costs := map[int64]float64{}
	for org := range int64(3) {
		q := ask(fill, org+1).SQL[0]
		costs[org+1] = totalCost(t, explain("", q.SQL, q.Args))
	}
	if costs[1]*1.5 > costs[3] {
		t.Fatalf("the costs are too alike for this test: %v", costs)
	}
	db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, PlanCost: (costs[1] + costs[3]) / 2})
	for _, org := range []int64{1, 3, 1, 3} {
		if o := ask(db, org); (o.Result.Err == nil) != (org == 1) || org == 3 && !strings.Contains(o.Result.Err.Error(), "too expensive") {
			t.Errorf("tenant %d: %v", org, o)
		}
	}
}

func totalCost(t *testing.T, plan string) (cost float64) {
	t.Helper()
	if _, err := fmt.Sscanf(regexp.MustCompile(`"Total Cost": [0-9.]+`).FindString(plan), `"Total Cost": %f`, &cost); err != nil {
		t.Fatal(err)
	}
	return cost
}
