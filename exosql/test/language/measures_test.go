package language_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/policy"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type msOrg struct {
	ID, Tenant int64
	Name       string
}

type msDeal struct {
	ID, Org int64
	State   string
	Amount  exosql.Decimal
	Days    *int64
}

type msItem struct{ ID, Deal, Price int64 }

// measured are the declarations of the tests of measures.
type measured struct {
	orgs   *exosql.Table[msOrg]
	deals  *exosql.Table[msDeal]
	tenant *exosql.Column[msOrg, int64]
	id     *exosql.Column[msDeal, int64]
	state  *exosql.Column[msDeal, string]
	amount *exosql.Column[msDeal, exosql.Decimal]
	days   *exosql.Column[msDeal, int64]
	has    exosql.Link[msOrg, msDeal]
	parts  exosql.Link[msDeal, msItem]
	org    *exosql.Facet[msOrg]
	deal   *exosql.Facet[msDeal]
	item   *exosql.Facet[msItem]
}

func newMeasured() *measured {
	m := &measured{}
	m.orgs = exosql.NewTable[msOrg]("orgs")
	oid := exosql.NewKey(m.orgs, "id", func(o *msOrg) *int64 { return &o.ID })
	m.tenant = exosql.NewColumn(m.orgs, "tenant", func(o *msOrg) *int64 { return &o.Tenant })
	name := exosql.NewColumn(m.orgs, "name", func(o *msOrg) *string { return &o.Name })
	m.deals = exosql.NewTable[msDeal]("deals")
	m.id = exosql.NewKey(m.deals, "id", func(d *msDeal) *int64 { return &d.ID })
	org := exosql.NewColumn(m.deals, "org_id", func(d *msDeal) *int64 { return &d.Org })
	m.state = exosql.NewColumn(m.deals, "state", func(d *msDeal) *string { return &d.State })
	m.amount = exosql.NewColumn(m.deals, "amount", func(d *msDeal) *exosql.Decimal { return &d.Amount })
	m.days = exosql.NewNullable(m.deals, "days", func(d *msDeal) **int64 { return &d.Days })
	items := exosql.NewTable[msItem]("items")
	iid := exosql.NewKey(items, "id", func(i *msItem) *int64 { return &i.ID })
	of := exosql.NewColumn(items, "deal_id", func(i *msItem) *int64 { return &i.Deal })
	price := exosql.NewColumn(items, "price", func(i *msItem) *int64 { return &i.Price })
	m.has, m.parts = exosql.Many("deals", oid, org), exosql.Many("items", m.id, of)
	m.item = exosql.NewFacet(items, "item", iid, price, exosql.Sum(price).As("worth"), exosql.Max(price).As("dearest"))
	m.deal = exosql.NewFacet(m.deals, "deal", m.id, org, m.state, m.amount, m.days, exosql.Via(m.parts, m.item))
	m.org = exosql.NewFacet(m.orgs, "org", oid, name, exosql.Via(m.has, m.deal))
	m.deal.Add(exosql.Via(exosql.One("org", org, oid), m.org), exosql.Via(exosql.Many("siblings", org, org), m.deal))
	return m
}

// add gives the facet of deals measures.
func (m *measured) add() *measured {
	won, closed := exosql.Count[msDeal]().Where(m.state.Eq("won")).As("won"), exosql.Count[msDeal]().Where(m.state.In("won", "lost"))
	m.deal.Add(exosql.Sum(m.amount).Where(m.state.Eq("won")).As("revenue").Doc("of deals that are won"), won, exosql.Ratio("winRate", won, closed),
		exosql.Ratio("perDay", exosql.Sum(m.amount), exosql.Sum(m.days)), exosql.Count[msDeal]().As("deals"), exosql.Mean(m.days).As("duration"), exosql.Max(m.days).As("longest"), exosql.Min(m.state).As("least"),
		exosql.Sum(m.amount).Where(exosql.Not(m.state.Eq("open"))).Where(m.amount.Gt("1")).As("large"), exosql.Count[msDeal]().Where(m.days.IsNull()).As("undated"))
	return m
}

// msRows are the tables; org 9 is another tenant's, and no program's.
const msRows = `CREATE TABLE orgs (id {int} PRIMARY KEY, tenant {int} NOT NULL, name TEXT NOT NULL);
CREATE TABLE deals (id {int} PRIMARY KEY, org_id {int} NOT NULL, state TEXT NOT NULL, amount {decimal} NOT NULL, days {int});
CREATE TABLE items (id {int} PRIMARY KEY, deal_id {int} NOT NULL, price {int} NOT NULL);
INSERT INTO orgs VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'c'), (9, 2, 'x');
INSERT INTO deals VALUES (1, 1, 'won', '10.10', 3), (2, 1, 'won', '0.20', NULL), (3, 1, 'lost', '5', 7), (4, 1, 'open', '100', 0), (5, 2, 'lost', '7.5', 2), (6, 2, 'open', '0.3', NULL), (9, 9, 'won', '1000000', 1000);
INSERT INTO items VALUES (1, 1, 5), (2, 1, 6), (3, 3, 7), (9, 9, 1000000)`

func (m *measured) grants(db *exosql.DB) map[string]exo.Object {
	orgs := exosql.Grant(db, m.orgs, m.tenant.Eq(1), exosql.ScopeVia(m.has), exosql.ScopeVia(m.parts))
	return map[string]exo.Object{"orgs": m.org.Of(orgs), "deals": m.deal.Of(exosql.Follow(orgs, m.has))}
}

// TestMeasures: a measure is what SQL gives that was written by hand, wherever it stands.
func TestMeasures(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(msRows)})
		raw := e.SQLDB(t, url)
		r := tu.NewRunner(t, newMeasured().add().grants(db), exo.Limits{})
		const mine = " FROM deals AS d JOIN orgs AS o ON o.id = d.org_id AND o.tenant = 1 "
		revenue := "SUM(CASE WHEN d.state = 'won' THEN CAST(d.amount AS {float}) END)"
		rate := "CAST(SUM(CASE WHEN d.state = 'won' THEN 1 ELSE 0 END) AS {float}) / NULLIF(SUM(CASE WHEN d.state IN ('won', 'lost') THEN 1 ELSE 0 END), 0)"
		for _, c := range []struct{ name, program, sql string }{
			{"plain", "[{ k: 1, v: await deals.revenue() }, { k: 2, v: await deals.large() }]", "SELECT 1, " + revenue + mine + "UNION ALL SELECT 2, SUM(CAST(d.amount AS {float}))" + mine + "WHERE NOT d.state = 'open' AND CAST(d.amount AS {float}) > 1"},
			{"filtered", "[{ k: 1, v: await deals.where(d => d.days !== null).revenue() }]", "SELECT 1, " + revenue + mine + "WHERE d.days IS NOT NULL"},
			{"functions", "[{ k: 1, v: await deals.deals() }, { k: 2, v: await deals.duration() }, { k: 3, v: await deals.longest() }, { k: 4, v: await deals.undated() }]",
				"SELECT 1, COUNT(*)" + mine + "UNION ALL SELECT 2, AVG(CAST(d.days AS {float}))" + mine + "UNION ALL SELECT 3, MAX(d.days)" + mine + "UNION ALL SELECT 4, COUNT(*)" + mine + "WHERE d.days IS NULL"},
			{"of groups", "await deals.groupBy(d => d.state).select(g => ({ k: g.state, v: g.revenue() }))", "SELECT d.state, " + revenue + mine + "GROUP BY d.state ORDER BY 1"},
			{"of some of a group", "await deals.groupBy(d => d.orgId).select(g => ({ k: g.orgId, v: g.where(d => d.days > 2).revenue() }))", "SELECT d.org_id, SUM(CASE WHEN d.state = 'won' AND d.days > 2 THEN CAST(d.amount AS {float}) END)" + mine + "GROUP BY 1 ORDER BY 1"},
			{"groups by it", "await deals.groupBy(d => d.orgId).where(g => g.winRate() > 0.1).orderBy(g => g.revenue().desc()).select(g => ({ k: g.orgId, v: g.winRate() }))", "SELECT d.org_id, " + rate + mine + "GROUP BY 1 HAVING " + rate + " > 0.1"},
			{"groups by an object", "await deals.groupBy(d => d.orgId).where({ winRate: { gt: 0.1 }, orgId: 1, count: { gte: 4 }, not: { won: 3 } }).select(g => ({ k: g.orgId, v: g.winRate() }))", "SELECT d.org_id, " + rate + mine + "GROUP BY 1 HAVING " + rate + " > 0.1"},
			{"groups by an equal measure", "await deals.groupBy(d => d.orgId).where({ won: 2, revenue: '10.3' }).where({ perDay: [11.53] }).select(g => ({ k: g.orgId, v: g.won() }))", "SELECT 1, 2"},
			{"groups without a measure", "await deals.groupBy(d => d.orgId).where({ revenue: null }).select(g => ({ k: g.orgId, v: g.won() }))", "SELECT 2, 0"},
			{"what errors about objects name", "await deals.groupBy(t => t.orgId).where(g => g.won() === 2).where({ won: 2 }).where(g => g.won() !== null).select(g => ({ k: g.orgId, v: g.won() }))", "SELECT 1, 2"},
			{"groups by what is shown", "await deals.groupBy(d => d.orgId).select(g => ({ k: g.orgId, v: g.won() })).where({ v: 2 }).where({ won: 2 })", "SELECT 1, 2"},
			{"groups by what is shown under its name", "await deals.groupBy(d => d.orgId).select(g => ({ k: g.orgId, v: g.count(), won: g.count() })).orderBy('won').where({ won: { gt: 2 } })", "SELECT 1, 4"},
			{"groups sorted by what is shown under an aggregate's name", "await deals.groupBy(d => d.orgId).select(g => ({ k: g.orgId, v: g.won(), count: g.max(d => d.id.mul(-1)) })).orderBy('count').limit(1)", "SELECT 2, 0"},
			{"groups by its name", "await deals.groupBy(d => d.orgId).orderBy('revenue', 'desc').select(g => ({ k: g.orgId, v: g.revenue() }))", "SELECT d.org_id, " + revenue + mine + "GROUP BY 1 ORDER BY 1"},
			{"groups and shown by their names", "(await deals.groupBy('orgId').orderBy({ revenue: 'desc' }).select(['orgId', 'revenue'])).map(g => ({ k: g.orgId, v: g.revenue }))", "SELECT d.org_id, " + revenue + mine + "GROUP BY 1 ORDER BY 1"},
			{"what errors about windows name", "await deals.where(d => d.days !== null).groupBy(t => t.days).orderBy(g => g.days).partitionBy().select(({ group, window }) => ({ k: group.days, v: window.runningSum(g => g.revenue()) }))", "SELECT p.days, (SELECT " + revenue + mine + "WHERE d.days <= p.days) FROM deals AS p JOIN orgs AS q ON q.id = p.org_id AND q.tenant = 1 WHERE p.days IS NOT NULL GROUP BY 1 ORDER BY 1"},
			{"ratios of groups", "await deals.groupBy(d => d.state).select(g => ({ k: g.state, v: g.winRate() }))", "SELECT d.state, " + rate + mine + "GROUP BY d.state ORDER BY 1"},
			{"a ratio of decimals", "await deals.groupBy(d => d.state).select(g => ({ k: g.state, v: g.perDay() }))", "SELECT d.state, SUM(CAST(d.amount AS {float})) / NULLIF(SUM(d.days), 0)" + mine + "GROUP BY d.state ORDER BY 1"},
			{"links", "await orgs.orderBy(o => o.id).select(o => ({ k: o.name, v: o.deals().revenue() }))", "SELECT p.name, (SELECT " + revenue + mine + "WHERE o.id = p.id) FROM orgs AS p WHERE p.tenant = 1 ORDER BY p.id"},
			{"some of links", "await orgs.orderBy(o => o.id).select(o => ({ k: o.name, v: o.deals().where(d => d.amount > 1).won() }))", "SELECT p.name, (SELECT COUNT(*)" + mine + "WHERE o.id = p.id AND d.state = 'won' AND CAST(d.amount AS {float}) > 1) FROM orgs AS p WHERE p.tenant = 1 ORDER BY p.id"},
			{"conditions", "await orgs.where(o => o.deals().winRate() > 0.5).select(o => ({ k: o.name, v: o.deals().deals() }))", "SELECT 'a', 4"},
			{"orders", "await orgs.orderBy(o => o.deals().large().desc()).select(o => ({ k: o.name, v: o.deals().large() }))", "SELECT o.name, SUM(CASE WHEN NOT d.state = 'open' AND CAST(d.amount AS {float}) > 1 THEN CAST(d.amount AS {float}) END) FROM orgs AS o LEFT JOIN deals AS d ON d.org_id = o.id WHERE o.tenant = 1 GROUP BY o.name ORDER BY COALESCE(SUM(CASE WHEN NOT d.state = 'open' AND CAST(d.amount AS {float}) > 1 THEN CAST(d.amount AS {float}) END), -1) DESC"},
			{"links of a query", "[{ k: 1, v: await orgs.deals().revenue() }, { k: 2, v: await orgs.where(o => o.id === 2).deals().revenue() }, { k: 3, v: await deals.items().worth() }]", "SELECT 1, " + revenue + mine + "UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 18"},
			{"another table's", "await deals.orderBy(d => d.id).limit(3).select(d => ({ k: d.id, v: d.items().worth() }))", "SELECT d.id, (SELECT SUM(i.price) FROM items AS i WHERE i.deal_id = d.id)" + mine + "ORDER BY 1 LIMIT 3"},
			{"none", "[{ k: 1, v: await deals.where(d => d.id === 0).revenue() }, { k: 2, v: await deals.where({ id: 0 }).won() }, { k: 3, v: await deals.where({ id: 0 }).winRate() }, { k: 4, v: await deals.where({ state: 'open' }).winRate() }]", "SELECT 1, NULL UNION ALL SELECT 2, 0 UNION ALL SELECT 3, NULL UNION ALL SELECT 4, NULL"},
			{"a join to one", "await deals.join(({ deal }) => deal.org()).groupBy(({ org }) => org.name).select(g => ({ k: g.name, v: g.revenue() }))", "SELECT o.name, " + revenue + mine + "GROUP BY 1 ORDER BY 1"},
			{"a join from one", "await orgs.join(({ org }) => org.deals()).groupBy(({ org }) => org.name).select(g => ({ k: g.name, v: g.revenue() }))", "SELECT o.name, " + revenue + mine + "GROUP BY 1 ORDER BY 1"},
			{"a left join", "await orgs.leftJoin(({ org }) => org.deals()).groupBy(({ org }) => org.name).select(g => ({ k: g.name, v: g.deals() }))", "SELECT o.name, COUNT(d.id) FROM orgs AS o LEFT JOIN deals AS d ON d.org_id = o.id WHERE o.tenant = 1 GROUP BY 1 ORDER BY 1"},
			{"nulls of a left join", "await orgs.leftJoin(({ org }) => org.deals()).groupBy(({ org }) => org.name).select(g => ({ k: g.name, v: g.undated() }))", "SELECT o.name, COUNT(CASE WHEN d.days IS NULL THEN d.id END) FROM orgs AS o LEFT JOIN deals AS d ON d.org_id = o.id WHERE o.tenant = 1 GROUP BY 1 ORDER BY 1"},
			{"windows", "await deals.orderBy(d => d.id).partitionBy(d => d.orgId).select(({ deal, window }) => ({ k: deal.id, v: window.revenue() })).orderBy(({ deal }) => deal.id)", "SELECT d.id, (SELECT SUM(CASE WHEN x.state = 'won' THEN CAST(x.amount AS {float}) END) FROM deals AS x WHERE x.org_id = d.org_id)" + mine + "ORDER BY 1"},
			{"ratios of windows", "await deals.orderBy(d => d.id).partitionBy(d => d.orgId).select(({ deal, window }) => ({ k: deal.id, v: window.where(x => x.id < 4).winRate() })).orderBy(({ deal }) => deal.id)", "SELECT d.id, CASE WHEN d.org_id = 1 THEN 2.0 / 3 END" + mine + "ORDER BY 1"},
			{"windows up to each row", "await deals.orderBy(d => d.id).partitionBy(d => d.orgId).select(({ deal, window }) => ({ k: deal.id, v: window.running().revenue() })).orderBy(({ deal }) => deal.id)", "SELECT d.id, (SELECT SUM(CASE WHEN x.state = 'won' THEN CAST(x.amount AS {float}) END) FROM deals AS x WHERE x.org_id = d.org_id AND x.id <= d.id)" + mine + "ORDER BY 1"},
			{"ratios of the last rows", "await deals.orderBy(d => d.id).partitionBy().select(({ deal, window }) => ({ k: deal.id, v: window.moving(2).winRate() })).orderBy(({ deal }) => deal.id)", "SELECT d.id, (SELECT CAST(SUM(CASE WHEN x.state = 'won' THEN 1 ELSE 0 END) AS {float}) / NULLIF(SUM(CASE WHEN x.state IN ('won', 'lost') THEN 1 ELSE 0 END), 0) FROM deals AS x WHERE x.id BETWEEN d.id - 1 AND d.id)" + mine + "ORDER BY 1"},
			{"ratios up to each of some rows", "await deals.orderBy(d => d.id).partitionBy().select(({ deal, window }) => ({ k: deal.id, v: window.where(x => x.days !== null).running().perDay() })).orderBy(({ deal }) => deal.id)", "SELECT d.id, (SELECT SUM(CAST(x.amount AS {float})) / NULLIF(SUM(x.days), 0) FROM deals AS x WHERE x.id <= d.id AND x.days IS NOT NULL)" + mine + "ORDER BY 1"},
			{"a place by a measure", "await deals.groupBy(d => d.orgId).orderBy(g => g.revenue().desc()).partitionBy().select(({ group, window }) => ({ k: group.orgId, v: window.rank() }))", "SELECT d.org_id, RANK() OVER (ORDER BY COALESCE(" + revenue + ", -1) DESC)" + mine + "GROUP BY 1 ORDER BY 2"},
			{"windows of groups", "await deals.groupBy(d => d.orgId).orderBy(g => g.orgId).partitionBy().select(({ group, window }) => ({ k: group.orgId, v: window.winRate() }))", "SELECT o.id, (SELECT " + strings.ReplaceAll(rate, "d.", "x.") + " FROM deals AS x WHERE x.org_id < 9) FROM orgs AS o WHERE o.id < 3 ORDER BY 1"},
			{"windows up to each group", "await deals.groupBy(d => d.orgId).orderBy(g => g.orgId).partitionBy().select(({ group, window }) => ({ k: group.orgId, v: window.running().winRate() }))", "SELECT o.id, (SELECT " + strings.ReplaceAll(rate, "d.", "x.") + " FROM deals AS x WHERE x.org_id <= o.id) FROM orgs AS o WHERE o.id < 3 ORDER BY 1"},
			{"means of the last groups", "await deals.groupBy(d => d.state).orderBy(g => g.state).partitionBy().select(({ group, window }) => ({ k: group.state, v: window.moving(2).duration() }))", "SELECT s.state, (SELECT AVG(CAST(d.days AS {float}))" + mine + "WHERE d.state IN (s.state, s.before)) FROM (SELECT 'lost' AS state, 'lost' AS before UNION ALL SELECT 'open', 'lost' UNION ALL SELECT 'won', 'open') AS s ORDER BY 1"},
			{"none of the groups", "await deals.groupBy(d => d.orgId).orderBy(g => g.orgId).partitionBy().select(({ group, window }) => ({ k: group.orgId, v: window.where(g => g.winRate() > 7).deals() }))", "SELECT 1, 0 UNION ALL SELECT 2, 0"},
			{"windows of joined groups", "await deals.join(({ deal }) => deal.items()).groupBy(({ deal }) => deal.orgId).orderBy(g => g.orgId).partitionBy().select(({ group, window }) => ({ k: group.orgId, v: window.running().worth() }))", "SELECT 1, 18"},
			{"conditions on windows", "await deals.orderBy(d => d.id).partitionBy().where(({ window }) => window.running().revenue() > 10.2).select(({ deal }) => ({ k: deal.id, v: deal.orgId })).orderBy(({ deal }) => deal.id)", "SELECT d.id, d.org_id" + mine + "WHERE d.id > 1 ORDER BY 1"},
			{"after limit", "[{ k: 1, v: await deals.orderBy(d => d.id).limit(1).revenue() }, { k: 2, v: await deals.orderBy(d => d.id).distinctBy(d => d.orgId).deals() }, { k: 3, v: await deals.orderBy(d => d.id.desc()).offset(4).won() }]", "SELECT 1, 10.1 UNION ALL SELECT 2, 2 UNION ALL SELECT 3, 2"},
			{"after select", "[{ k: 1, v: await deals.select(d => ({ revenue: d.id })).revenue() }, { k: 2, v: await deals.select(d => d.id).won() }]", "SELECT 1, " + revenue + mine + "UNION ALL SELECT 2, 2"},
			{"in other queries", "await deals.where(d => d.days >= deals.duration()).orderBy(d => d.id).select(d => ({ k: d.id, v: deals.won() }))", "SELECT d.id, 2" + mine + "WHERE d.days >= (SELECT AVG(CAST(d.days AS {float}))" + mine + ") ORDER BY 1"},
			{"pages of groups", "const q = deals.groupBy(d => d.state).select(g => ({ k: g.state, v: g.large() })).orderBy(r => r.v.desc()); const a = await q.page(1); const b = await q.page(5, a.next); return [...a.rows, ...b.rows]", "SELECT 'won', 10.1 UNION ALL SELECT 'lost', 12.5 UNION ALL SELECT 'open', NULL ORDER BY 2 DESC"},
		} {
			program := c.program
			if !strings.Contains(program, "return") {
				program = "return " + program
			}
			o := r.Run(t, program)
			got, want := msPairs(t, o), msSQL(t, raw, e.SQL(c.sql))
			if c.name == "pages of groups" {
				want = "lost=12.5 won=10.1 open=null"
			}
			if got != want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", c.name, o, got, want)
			}
			if len(o.Result.Notices) > 0 {
				t.Errorf("%s: %q", c.name, o.Result.Notices)
			}
		}
		for program, want := range map[string]string{
			"return [await deals.revenue(), await deals.won(), await deals.winRate(), await deals.perDay(), await deals.least()]":                          `["10.3",2,0.5,"10.25833333333333333333","lost"]`,
			"return deals.groupBy(d => d.orgId).select(g => ({ r: g.winRate(), same: g.won() / g.where(d => d.state !== 'open').count(), l: g.least() }))": `[{"l":"lost","r":0.6666666666666666,"same":0.6666666666666666},{"l":"lost","r":0,"same":0}]`,
		} {
			if o := r.Run(t, program); !tu.SameJSON(o.JSON, want) {
				t.Errorf("%s: %s, want %s", program, o, want)
			}
		}
	})
}

// msPairs are the keys and numbers of a result.
func msPairs(t *testing.T, o tu.Outcome) string {
	var rows []struct{ K, V any }
	if err := json.Unmarshal([]byte(o.JSON), &rows); err != nil {
		return o.String()
	}
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprint(r.K)+"="+msNumber(r.V))
	}
	return strings.Join(out, " ")
}

func msNumber(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		f, err := strconv.ParseFloat(x, 64)
		if err != nil {
			return x
		}
		v = f
	}
	return strconv.FormatFloat(v.(float64), 'g', 10, 64)
}

func msSQL(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var k string
		var v sql.NullFloat64
		if err := rows.Scan(&k, &v); err != nil {
			t.Fatal(err)
		}
		n := "null"
		if v.Valid {
			n = strconv.FormatFloat(v.Float64, 'g', 10, 64)
		}
		out = append(out, k+"="+n)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return strings.Join(out, " ")
}

// TestMeasureErrors: what a measure can't be is an error with the form that works, and nothing that a program does defines one anew.
func TestMeasureErrors(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, newMeasured().add().grants(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(msRows)})), exo.Limits{})
		for program, want := range map[string]string{
			"return deals.join(({ deal }) => deal.items()).revenue()":                                                                   "is a measure of deal, but the join has each of these rows once for every item; to use each once, leave the join out: a condition on item is where(x => x.items().some(y => …)) on the query of deal",
			"return deals.leftJoin(({ deal }) => deal.items()).winRate()":                                                               "the join has each of these rows once for every item",
			"return deals.join(({ deal }) => deal.items()).groupBy(({ item }) => item.price).select(g => g.won())":                      "the join has each of these rows once for every item",
			"return deals.join(({ deal }) => deal.items()).partitionBy().select(({ window }) => window.longest())":                      "the join has each of these rows once for every item",
			"return orgs.select(o => ({ n: o.deals().join(({ deal }) => deal.items()).revenue() }))":                                    "the join has each of these rows once for every item",
			"return deals.join(({ deal }) => deal.items()).distinctBy(({ deal }) => deal.id).revenue()":                                 "the join has each of these rows once for every item",
			"return deals.join(orgs, ({ deal, org }) => deal.amount > org.id).revenue()":                                                "is a measure of deal, but the join has each of these rows once for every org; to use each once, begin with the query of deal, without the join",
			"return deals.join(deals.as('other'), ({ deal, other }) => deal.id === other.id).revenue()":                                 "is a measure of deal and of other: call it where only one of the two is",
			"return deals.join(({ deal }) => deal.siblings().as('other')).groupBy(({ deal }) => deal.id).select(g => ({ n: g.won() }))": "is a measure of deal and of other: call it where only one of the two is",
			"return deals.distinct().deals()": "distinct keeps only one of several equal rows",
			"return deals.join(orgs.select(o => ({ id: o.id })).distinct(), ({ deal, org }) => deal.orgId === org.id).deals()":                                       "distinct keeps only one of several equal rows",
			"return deals.join(({ deal }) => deal.siblings().as('sib')).join(({ sib }) => sib.items()).worth()":                                                      "the join has each of these rows once for every",
			"return deals.join(({ deal }) => deal.siblings().as('sib')).revenue()":                                                                                   "is a measure of deal and of sib: call it where only one of the two is",
			"return deals.select(d => d.state).distinct().deals()":                                                                                                   "distinct keeps only one of several equal rows: put deals before select",
			"return deals.where(d => d.revenue() > 1)":                                                                                                               "has no member `revenue`; it is a measure of many rows: ask a query, a group, a window (window.running().revenue() up to each row) or a link for it, like .groupBy(t => t.orgId).select(g => ({ orgId: g.orgId, revenue: g.revenue() }))",
			"return deals.orderBy('revenue')":                                                                                                                        "has no member `revenue`; it is a measure of many rows: ask a query, a group, a window (window.running().revenue() up to each row) or a link for it, like .groupBy(",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => ({ x: window.runningSum(d => d.revenue()) }))":                                     "has no member `revenue`; it is a measure of many rows: ask a query, a group, a window (window.running().revenue() up to each row) or a link for it, like .groupBy(",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => ({ x: window.runningRevenue() }))":                                                 "has no member `runningRevenue`; write window.revenue() for the whole window, window.running().revenue() for the rows up to each, window.moving(7).revenue() for the last 7",
			"return deals.groupBy(d => d.days).partitionBy().select(({ window }) => ({ x: window.movingRevenue(3) }))":                                               "window.running().revenue() for the rows up to each, window.moving(7).revenue() for the last 7",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => window.running().rank())":                                                          "can't follow where, running or moving, which choose some rows of a window",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => window.running().runningSum(d => d.id))":                                           "can't follow where, running or moving",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => window.running().moving(3).won())":                                                 "takes one running() or moving(n) before it, and here are two: leave one of them out",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => window.moving().won())":                                                            "needs how many rows",
			"return deals.orderBy(d => d.id).partitionBy().select(({ window }) => window.moving(1001).won())":                                                        "a moving window has 1 to 1000 rows; got 1001",
			"return deals.join(({ deal }) => deal.items()).partitionBy().select(({ window }) => window.running().won())":                                             "the join has each of these rows once for every item",
			"return deals.join(({ deal }) => deal.items()).groupBy(({ item }) => item.price).partitionBy().select(({ window }) => window.running().won())":           "the join has each of these rows once for every item",
			"return deals.join(({ deal }) => deal.siblings().as('sib')).groupBy(({ deal }) => deal.id).partitionBy().select(({ window }) => window.moving(2).won())": "is a measure of deal and of sib",
			"return deals.groupBy(d => d.orgId).groupBy(g => g.count()).partitionBy().select(({ window }) => window.revenue())":                                      "has no member `revenue`",
			"return deals.groupBy(d => ({ revenue: d.id })).select(g => ({ n: g.revenue() }))":                                                                       "`revenue` is already a member of groups: give the key another name, like { revenueKey: t.column }",
			"return deals.countBy(d => ({ won: d.id }))":                                                                                                             "`won` is already a member of groups",
			"return deals.where({ revenue: 1 }).count()":                                                                                                             "`revenue` is a measure of many rows: write .groupBy(t => t.orgId).where(g => g.revenue() === 1), where this object works too",
			"return deals.where({ won: { gt: 1 } }).count()":                                                                                                         "write .groupBy(t => t.orgId).where(g => g.won() !== null), where this object works too",
			"return deals.where({ or: [{ least: 'a' }] }).count()":                                                                                                   "write .groupBy(t => t.orgId).where(g => g.least() === \"a\"), where",
			"return deals.groupBy(d => d.orgId).where({ deals: {} })":                                                                                                "`deals: {}` has no condition: write `deals: value`",
			"return deals.groupBy(d => d.orgId).where({ deals: { near: 3 } })":                                                                                       "`near` is no condition of group.deals()",
			"return orgs.where({ deals: { some: { revenue: 1 } } })":                                                                                                 "has no member `revenue`",
			"return orgs.where({ deals: { revenue: 1 } })":                                                                                                           "`deals` is a link, and a filter object compares the columns of one table: ask it in a callback, like .where(t => t.deals().count() > 3)",
			"return deals.revenue(d => d.id)":                                                                                                                        "takes",
			"return deals.revenue(1)":                                                                                                                                "takes",
			"return deals.groupBy(d => d.state).select(g => ({ n: g.revenue(d => d.id) }))":                                                                          "takes",
			"deals.revenue = () => 1; return deals.revenue()":                                                                                                        "it can't be assigned to",
			"Object.getPrototypeOf(deals).revenue = () => 1; return deals.revenue()":                                                                                 "",
			"Object.defineProperty(deals, 'revenue', { value: () => 1 }); return deals.revenue()":                                                                    "",
			"return deals.revenu()": "did you mean `revenue`?",
			"return deals.groupBy(d => d.state).select(g => ({ n: g.revenu() }))": "did you mean `revenue`?",
			"return deals.groupBy(d => d.state).revenue()":                        "has no member `revenue`",
			"return deals.revenue().where(d => d.id > 1)":                         "where",
			"return deals.revenue.toString()":                                     "deals.revenue is a method: call it, deals.revenue()",
			"return deals.groupBy(d => d.state).select(g => ({ n: g.revenue }))":  "revenue",
			"return deals.where(d => d.amount > 1).median.revenue()":              "",
			"return deals.update({ revenue: 1 })":                                 "",
		} {
			o := r.Run(t, program)
			if o.JSON == "" && (o.Kind != fail.Invalid && o.Kind != fail.Denied && o.Kind != fail.Program || !strings.Contains(o.Message, want)) || o.JSON != "" && (want != "" || o.JSON != `"10.3"`) {
				t.Errorf("%s\n%s\nwant %q", program, o, want)
			}
			for _, hidden := range []string{"tenant", "CASE", "org_id", "'won'"} {
				if strings.Contains(o.Message, hidden) {
					t.Errorf("%s: the error names %s: %s", program, hidden, o.Message)
				}
			}
		}
	})
}

// TestMeasureHint: the form that the error for a measure of rows in an object names is right to the letter, and so is the object itself on those groups.
func TestMeasureHint(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, newMeasured().add().grants(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(msRows)})), exo.Limits{})
		for object, want := range map[string]string{"{ revenue: '10.3' }": "[1]", "{ won: 2 }": "[1]", "{ winRate: 0 }": "[2]", "{ least: 'lost' }": "[1,2]", "{ revenue: null }": "", "{ won: { gt: 1 } }": ""} {
			o := r.Run(t, "return deals.where("+object+")")
			_, form, _ := strings.Cut(o.Message, "write ")
			form, _, found := strings.Cut(form, ", where this object works too")
			if o = r.Run(t, "return (await deals"+form+").map(g => g.orgId)"); !found || o.JSON == "" || want != "" && o.JSON != want {
				t.Errorf("%s: %s: %s, want %s", object, form, o, want)
			}
			groups, _, _ := strings.Cut(form, ".where(")
			if o = r.Run(t, "return (await deals"+groups+".where("+object+")).map(g => g.orgId)"); o.JSON == "" || want != "" && o.JSON != want {
				t.Errorf("%s: %s, want %s", object, o, want)
			}
		}
	})
}

// TestMeasuresAndPolicies: what leaves an object no methods but those named leaves it no measures either, by whatever way they are asked.
func TestMeasuresAndPolicies(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(msRows)})
	for _, c := range []struct {
		keep []string
		has  bool
	}{{[]string{"count", "groupBy", "select", "execute", "join", "org"}, false}, {[]string{"count", "groupBy", "select", "execute", "join", "org", "revenue"}, true}} {
		grants := newMeasured().add().grants(db)
		grants["deals"] = policy.Only(grants["deals"], c.keep...)
		r := tu.NewRunner(t, grants, exo.Limits{})
		for _, program := range []string{"return deals.revenue()", "return deals.groupBy(d => d.state).select(g => ({ n: g.revenue() }))", "return deals.join(({ deal }) => deal.org()).revenue()", "return deals.select(d => ({ n: d.id })).revenue()"} {
			if o := r.Run(t, program); c.has != (o.JSON != "") || !c.has && o.Kind != fail.Denied {
				t.Errorf("%v: %s: %s", c.keep, program, o)
			}
		}
		if o := r.Run(t, "return orgs.deals().won()"); o.JSON != "2" {
			t.Error(o)
		}
	}
}

// TestMeasureDeclarations: what can't be a measure is refused where it is declared, or where the facet is granted.
func TestMeasureDeclarations(t *testing.T) {
	db := tu.Open(t)
	for want, add := range map[string]func(m *measured){
		"has no name: give it one with As":       func(m *measured) { m.deal.Add(exosql.Sum(m.amount)) },
		"has no name":                            func(m *measured) { m.deal.Add(exosql.Measure[msDeal]{}) },
		`two members are named "amount"`:         func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("amount")) },
		`two members are named "items"`:          func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("items")) },
		`"where" can't be the name of a measure`: func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("where")) },
		`"collect" can't be`:                     func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("collect")) },
		`"rank" can't be`:                        func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("rank")) },
		`"update" can't be`:                      func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("update")) },
		`"then" can't be`:                        func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("then")) },
		`two members are named "x"`:              func(m *measured) { m.deal.Add(exosql.Sum(m.amount).As("x"), exosql.Count[msDeal]().As("x")) },
		"which has no sum":                       func(m *measured) { m.deal.Add(exosql.Sum(m.state).As("x")) },
		"a ratio needs two measures, neither of them a ratio": func(m *measured) {
			r := exosql.Ratio("r", exosql.Sum(m.days), exosql.Sum(m.days))
			m.deal.Add(exosql.Ratio("x", r, r))
		},
		"needs two measures":                       func(m *measured) { m.deal.Add(exosql.Ratio("x", exosql.Measure[msDeal]{}, exosql.Sum(m.days))) },
		"both measures of a ratio must be numbers": func(m *measured) { m.deal.Add(exosql.Ratio("x", exosql.Min(m.state), exosql.Sum(m.days))) },
		"the Predicate is zero":                    func(m *measured) { m.deal.Add(exosql.Sum(m.days).Where(exosql.Predicate[msDeal]{}).As("x")) },
		"a ratio can't have a condition": func(m *measured) {
			m.deal.Add(exosql.Ratio("x", exosql.Sum(m.days), exosql.Sum(m.days)).Where(m.days.Gt(1)))
		},
		"sum needs a column":      func(m *measured) { m.deal.Add(exosql.Sum[msDeal, int64](nil).As("x")) },
		"can't be compared: want": func(m *measured) { m.deal.Add(exosql.Count[msDeal]().Where(m.state.Eq("\x00")).As("x")) },
		"facet deal is in use and can't be changed": func(m *measured) {
			_, _ = m.deal.Of(exosql.Grant(db, m.deals, m.id.Eq(1), exosql.ScopeShared(m.orgs))).Describe()
			m.add()
		},
	} {
		got := ""
		func() {
			defer func() { got = fmt.Sprint(recover()) }()
			add(newMeasured())
		}()
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// What a facet does not show is found when all is known.
	m := newMeasured()
	narrow := exosql.NewFacet(m.deals, "narrow", m.id, exosql.Count[msDeal]().Where(m.state.Eq("won")).As("won"))
	_, err := narrow.Of(exosql.Grant(db, m.deals, m.id.Eq(1))).Describe()
	if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "the measure won: the facet does not show the column state") {
		t.Error(err)
	}
}

// TestRandomMeasures: a measure is the program's own aggregate written out, of misfits and of texts in several spellings too.
func TestRandomMeasures(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		more := e.Pick("CREATE TABLE deals (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, state TEXT NOT NULL COLLATE NOCASE, amount TEXT NOT NULL, days);INSERT INTO deals VALUES (20, 1, 'WON', 'x', 'y'), (21, 1, 'Lost', '2', 1.5)",
			"CREATE TABLE deals (id bigint PRIMARY KEY, org_id bigint NOT NULL, state TEXT NOT NULL, amount numeric NOT NULL, days bigint); INSERT INTO deals VALUES (20, 1, 'WON', 'NaN', 5)")
		rest := strings.Replace(msRows, "CREATE TABLE deals (id {int} PRIMARY KEY, org_id {int} NOT NULL, state TEXT NOT NULL, amount {decimal} NOT NULL, days {int})", more, 1)
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(rest)})
		rapid.Check(t, func(rt *rapid.T) {
			m := newMeasured()
			cond, own := m.condition(rt, 2)
			measure, call := m.aggregate(rt)
			m.deal.Add(measure.Where(cond).As("own"), exosql.Ratio("share", exosql.Count[msDeal]().Where(cond), exosql.Count[msDeal]()))
			r := tu.NewRunner(t, m.grants(db), exo.Limits{})
			form := rapid.SampledFrom([]string{
				"deals.where(%[1]s).%[2]s|deals.own()",
				"deals.where(d => d.id > 2).where(%[1]s).%[2]s|deals.where(d => d.id > 2).own()",
				"deals.groupBy(d => d.orgId).select(g => ({ v: g.where(%[1]s).%[2]s }))|deals.groupBy(d => d.orgId).select(g => ({ v: g.own() }))",
				"deals.groupBy(d => d.days).select(g => ({ v: g.where(%[1]s).%[2]s, r: g.where(%[1]s).count() / g.count() }))|deals.groupBy(d => d.days).select(g => ({ v: g.own(), r: g.share() }))",
				"orgs.orderBy(o => o.id).select(o => ({ v: o.deals().where(%[1]s).%[2]s }))|orgs.orderBy(o => o.id).select(o => ({ v: o.deals().own() }))",
				"deals.orderBy(d => d.id).limit(4).where(%[1]s).%[2]s|deals.orderBy(d => d.id).limit(4).own()",
				"orgs.leftJoin(({ org }) => org.deals()).groupBy(({ org }) => org.id).select(g => ({ v: g.where(({ deal }) => deal.id !== null).where(({ deal: d }) => %[3]s).%[4]s }))|orgs.leftJoin(({ org }) => org.deals()).groupBy(({ org }) => org.id).select(g => ({ v: g.own() }))",
			}).Draw(rt, "form")
			mine, theirs, _ := strings.Cut(form, "|")
			mine = fmt.Sprintf(mine, "d => "+own, strings.ReplaceAll(call, "@", "d"), own, strings.ReplaceAll(call, "@", "{ deal: d }"))
			a, b := r.Run(t, "return await "+mine), r.Run(t, "return await "+theirs)
			if a.JSON == "" || a.JSON != b.JSON {
				rt.Errorf("%s\n%s\n%s\n%s", mine, a, theirs, b)
			}
		})
	})
}

// TestRandomWindowsOfMeasures: a measure in a window of rows or of groups is that of the rows of the window's frame, as a model in memory has it.
func TestRandomWindowsOfMeasures(t *testing.T) {
	type deal struct {
		id, org, cents, days int // days -1: null
		state                string
	}
	sum := func(of func(d deal) (int, bool)) func([]deal) (total, n int) {
		return func(rows []deal) (total, n int) {
			for _, d := range rows {
				if v, ok := of(d); ok {
					total, n = total+v, n+1
				}
			}
			return total, n
		}
	}
	won := sum(func(d deal) (int, bool) { return d.cents, d.state == "won" })
	closed := sum(func(d deal) (int, bool) { return 1, d.state != "open" })
	cents := sum(func(d deal) (int, bool) { return d.cents, true })
	days := sum(func(d deal) (int, bool) { return d.days, d.days >= 0 })
	over := func(a, b int) any {
		if b == 0 {
			return nil
		}
		return float64(a) / float64(b)
	}
	model := map[string]func(rows []deal) any{
		"revenue":  func(r []deal) any { v, n := won(r); return over(v, min(n, 1)*100) },
		"won":      func(r []deal) any { _, n := won(r); return float64(n) },
		"deals":    func(r []deal) any { return float64(len(r)) },
		"winRate":  func(r []deal) any { _, n := won(r); c, _ := closed(r); return over(n, c) },
		"perDay":   func(r []deal) any { v, _ := cents(r); d, _ := days(r); return over(v, d*100) },
		"duration": func(r []deal) any { v, n := days(r); return over(v, n) },
		"longest": func(r []deal) any {
			var most any
			for _, d := range r {
				if v := float64(d.days); v >= 0 && (most == nil || v > most.(float64)) {
					most = v
				}
			}
			return most
		},
		"undated": func(r []deal) any { _, n := days(r); return float64(len(r) - n) },
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []deal
	setup, _, _ := strings.Cut(msRows, "INSERT INTO deals")
	for id := range 40 {
		d := deal{id + 1, random.IntN(3) + 1, random.IntN(1000), random.IntN(4) - 1, []string{"won", "lost", "open"}[random.IntN(3)]}
		all = append(all, d)
		null := strings.Replace(strconv.Itoa(d.days), "-1", "NULL", 1)
		setup += fmt.Sprintf("INSERT INTO deals VALUES (%d, %d, '%s', '%d.%02d', %s), (%d, 9, 'won', '5000', 77);", d.id, d.org, d.state, d.cents/100, d.cents%100, null, d.id+100)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		r := tu.NewRunner(t, newMeasured().add().grants(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup)})), exo.Limits{})
		rapid.Check(t, func(rt *rapid.T) {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(model))).Draw(rt, "measure")
			last := rapid.IntRange(0, 6).Draw(rt, "rows") // 0: all; 1: up to each
			frame := fmt.Sprintf(".moving(%d)", last)
			if last < 2 {
				frame = []string{"", ".running()"}[last]
			}
			some, apart, groups := rapid.Bool().Draw(rt, "some"), rapid.Bool().Draw(rt, "apart"), rapid.Bool().Draw(rt, "groups")
			narrow := ""
			var units [][]deal // what the windows are made of
			if groups {
				byKey := map[string][]deal{}
				for _, d := range all {
					byKey[d.state+strconv.Itoa(d.org)] = append(byKey[d.state+strconv.Itoa(d.org)], d)
				}
				for _, k := range slices.Sorted(maps.Keys(byKey)) {
					units = append(units, byKey[k])
				}
				narrow = ".where(g => g.won() > 1)"
			} else {
				for _, d := range all {
					units = append(units, []deal{d})
				}
				narrow = ".where(d => d.state === 'won')"
			}
			holds := func(u []deal) bool {
				_, n := won(u)
				return !some || groups && n > 1 || !groups && n > 0
			}
			if !some {
				narrow = ""
			}
			if rapid.Bool().Draw(rt, "before") {
				frame, narrow = narrow+frame, ""
			}
			by := map[bool]string{}
			if apart {
				by = map[bool]string{true: "g => g.orgId", false: "d => d.orgId"}
			}
			program := "deals.orderBy(d => d.id).partitionBy(" + by[false] + ").select(({ deal: d, window }) => ({ k: d.id, v: window" + frame + narrow + "." + name + "() })).orderBy(({ deal }) => deal.id)"
			if groups {
				program = "deals.groupBy(d => [d.state, d.orgId]).orderBy(g => g.state).partitionBy(" + by[true] + ").select(({ group: g, window }) => ({ s: g.state, o: g.orgId, v: window" + frame + narrow + "." + name + "() })).orderBy(({ group }) => [group.state, group.orgId])"
			}
			o := r.Run(t, "return (await "+program+").map(r => ({ k: r.k ?? r.s + r.o, v: r.v }))")
			var want []string
			for i, u := range units {
				var window [][]deal
				for j, x := range units {
					if (!apart || x[0].org == u[0].org) && (last == 0 || j <= i) {
						window = append(window, x)
					}
				}
				if last > 1 {
					window = window[max(0, len(window)-last):]
				}
				window = slices.DeleteFunc(window, func(x []deal) bool { return !holds(x) })
				k := strconv.Itoa(u[0].id)
				if groups {
					k = u[0].state + strconv.Itoa(u[0].org)
				}
				want = append(want, k+"="+msNumber(model[name](slices.Concat(window...))))
			}
			if got := msPairs(t, o); got != strings.Join(want, " ") {
				rt.Errorf("%s\ngot  %s\nwant %s\n%s", program, got, strings.Join(want, " "), o)
			}
		})
	})
}

// condition is a condition, and how a program writes it.
func (m *measured) condition(t *rapid.T, depth int) (exosql.Predicate[msDeal], string) {
	if depth > 0 {
		switch rapid.IntRange(0, 3).Draw(t, "op") {
		case 0:
			p, a := m.condition(t, depth-1)
			return exosql.Not(p), "(" + a + ").not()"
		case 1:
			p, a := m.condition(t, depth-1)
			q, b := m.condition(t, depth-1)
			return exosql.And(p, q), "(" + a + ").and(" + b + ")"
		case 2:
			p, a := m.condition(t, depth-1)
			q, b := m.condition(t, depth-1)
			return exosql.Or(p, q), "(" + a + ").or(" + b + ")"
		}
	}
	switch rapid.IntRange(0, 7).Draw(t, "leaf") {
	case 0:
		return m.state.Eq("won"), "d.state.eq('won')"
	case 1:
		return m.state.In("won", "lost"), "d.state.in(['won', 'lost'])"
	case 2:
		return m.days.Gt(2), "d.days.gt(2)"
	case 3:
		return m.days.IsNull(), "d.days.isNull()"
	case 4:
		return m.amount.Between("0.25", "10.1"), "d.amount.between('0.25', '10.1')"
	case 5:
		return exosql.ILike(m.state, "%O%"), "d.state.ilike('%O%')"
	case 6:
		return m.days.NotIn(3, 7), "d.days.notIn([3, 7])"
	}
	return m.state.Ne("open"), "d.state.ne('open')"
}

// aggregate is a measure, and how a program writes it.
func (m *measured) aggregate(t *rapid.T) (exosql.Measure[msDeal], string) {
	switch rapid.IntRange(0, 6).Draw(t, "aggregate") {
	case 0:
		return exosql.Count[msDeal](), "count()"
	case 1:
		return exosql.Sum(m.amount), "sum((@) => d.amount)"
	case 2:
		return exosql.Sum(m.days), "sum((@) => d.days)"
	case 3:
		return exosql.Mean(m.amount), "avg((@) => d.amount)"
	case 4:
		return exosql.Max(m.days), "max((@) => d.days)"
	case 5:
		return exosql.Min(m.amount), "min((@) => d.amount)"
	}
	return exosql.Max(m.state), "max((@) => d.state)"
}

// TestPageOfMeasures: the program of docs/language.md gives what the page says.
func TestPageOfMeasures(t *testing.T) {
	page, err := os.ReadFile("../../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(page), "<!-- test: TestPageOfMeasures in exosql/test/language -->\n```js\n")
	program, rest, _ := strings.Cut(program, "```\n```json\n")
	want, _, _ := strings.Cut(rest, "\n```")
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		o := tu.NewRunner(t, newMeasured().add().grants(e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(msRows)})), exo.Limits{}).Run(t, program)
		if !found || !tu.SameJSON(o.JSON, want) {
			t.Errorf("%s, want %s", o, want)
		}
	})
}
