package writes_test

// Conditions, groups and distinct follow the column's own equality; all that decides what is in scope compares exactly.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type eqRow struct {
	ID          int64
	Code, Alt   *string
	Bare, Plain string
}

type eqTable struct {
	table     *exosql.Table[eqRow]
	id        *exosql.Column[eqRow, int64]
	code, alt *exosql.Column[eqRow, string]
	plain     *exosql.Column[eqRow, string]
}

func eqDeclare() (d eqTable) {
	d.table = exosql.NewTable[eqRow]("things")
	d.id = exosql.NewKey(d.table, "id", func(r *eqRow) *int64 { return &r.ID })
	d.code = exosql.NewNullable(d.table, "code", func(r *eqRow) **string { return &r.Code })
	d.alt = exosql.NewNullable(d.table, "alt", func(r *eqRow) **string { return &r.Alt })
	d.plain = exosql.NewColumn(d.table, "plain", func(r *eqRow) *string { return &r.Plain })
	return d
}

func eqDDL(e tu.Engine, typ string) string {
	return kit.BreaksDDL(e, "CREATE TABLE things (id {int} PRIMARY KEY, code "+typ+", alt "+typ+", plain TEXT NOT NULL);") +
		"INSERT INTO things (id, code, alt, plain) VALUES (1, $M, $V, $M), (2, $V, $V, $M), (3, 'beta', 'gamma', 'beta'), (4, NULL, NULL, 'x'), (5, $M, 'zz', 'y')"
}

func eqFill(text string, mine, theirs string) string {
	least, most := min(mine, theirs), max(mine, theirs)
	return strings.NewReplacer("$M", "'"+mine+"'", "$V", "'"+theirs+"'", `"M"`, fmt.Sprintf("%q", mine), `"V"`, fmt.Sprintf("%q", theirs), "GROUPS", eqList(least, "beta"), "TEXTS", eqList(least, most, "beta"), `"LEAST"`, fmt.Sprintf("%q", least), `"MOST"`, fmt.Sprintf("%q", most)).Replace(text)
}

// eqList is null and some texts in the order of their characters, as JSON.
func eqList(texts ...string) string {
	slices.Sort(texts)
	return `[null,"` + strings.Join(texts, `","`) + `"]`
}

func TestEqualityOfColumns(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				for _, typ := range []string{c.Typ, kit.Exactly} {
					db, _, _ := kit.ExactFile(t, e, c.Before+eqFill(eqDDL(e, typ), c.Mine, c.Theirs))
					d := eqDeclare()
					things := exosql.NewFacet(d.table, "thing", d.id, d.code, d.alt, d.plain).AllowUpdate(d.plain).Of(exosql.Grant(db, d.table, exosql.AllRows[eqRow]()))
					tool := kit.BreaksTool(t, codemode.Grants{"things": things})
					for _, x := range eqCases {
						want := x.wide
						if typ == kit.Exactly && x.exact != "" {
							want = x.exact
						}
						r := tool.Run(t.Context(), eqFill("const ids = q => q.orderBy(t => t.id).select(t => t.id);\nreturn "+x.program, c.Mine, c.Theirs))
						got := string(r.JSON)
						if r.Err != nil {
							got = r.Err.Error()
						}
						if want := eqFill(want, c.Mine, c.Theirs); got != want {
							t.Errorf("%s: %s:\n%s, want\n%s", typ, x.program, got, want)
						}
					}
				}
			})
		}
	})
}

// eqCases are programs, what they give where the equality is wider, and what where it is exact.
var eqCases = []struct{ program, wide, exact string }{
	{`ids(things.where(t => t.code === "V"))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => "V" === t.code))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => t.code !== "V"))`, `[3,4]`, `[1,3,4,5]`},
	{`ids(things.where(t => !(t.code === "V")))`, `[3,4]`, `[1,3,4,5]`},
	{`ids(things.where(t => t.code.eq("V")))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => t.code.ne("V")))`, `[3]`, `[1,3,5]`},
	{`ids(things.where({ code: "V" }))`, `[1,2,5]`, `[2]`},
	{`ids(things.where({ code: { not: "V" } }))`, `[3,4]`, `[1,3,4,5]`},
	{`ids(things.where(t => t.code.in(["V", "none"])))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => ["V", "none"].includes(t.code)))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => t.code.notIn(["V"])))`, `[3]`, `[1,3,5]`},
	{`ids(things.where(t => !["V"].includes(t.code)))`, `[3,4]`, `[1,3,4,5]`},
	{`ids(things.where(t => t.code === t.alt))`, `[1,2,4]`, `[2,4]`},
	{`ids(things.where(t => t.code.eq(t.alt)))`, `[1,2]`, `[2]`},
	{`ids(things.where(t => t.code === t.plain))`, `[1,3]`, ``},
	{`ids(things.where(t => t.plain === t.code))`, `[1,3]`, ``},
	{`ids(things.where(t => t.code.startsWith("V")))`, `[2]`, ``},
	{`ids(things.where(t => t.code.concat("") === "V"))`, `[2]`, ``},
	{`ids(things.where(t => (t.code ?? "") === "V"))`, `[2]`, ``},
	{`things.groupBy(t => t.plain).where(g => g.plain === "M").select(g => g.where(t => t.id > 0).countDistinct(t => t.code))`, `[1]`, `[2]`},
	{`things.groupBy(t => ({ c: t.code, late: t.id > 4 })).select(g => ({ c: g.c, n: g.count() })).groupBy(r => r.c).select(g => ({ c: g.c, n: g.sum(r => r.n) })).where(g => g.n > 2)`, `[{"c":"LEAST","n":3}]`, `[]`},
	{`things.groupBy(t => t.code).select(g => ({ c: g.code })).distinct().execute().then(r => r.length)`, `3`, `4`},
	{`things.where(t => t.code !== null).select(t => t.code).distinct().count()`, `2`, `3`},
	{`ids(things.where(t => t.code >= "M" && t.code <= "M"))`, `[1,5]`, ``},
	{`ids(things.where(t => t.code.between("M", "M")))`, `[1,5]`, ``},
	{`things.where({ id: { in: [1, 2] } }).orderBy(t => t.code).select(t => t.code)`, `["LEAST","MOST"]`, ``},
	{`things.where({ id: { in: [1, 2, 5] } }).orderBy("code", "desc").orderBy("id").select(t => t.code).execute().then(r => r[0])`, `"MOST"`, ``},
	{`things.groupBy(t => t.code).select(g => ({ code: g.code, n: g.count() })).where(r => r.n > 2)`, `[{"code":"LEAST","n":3}]`, `[]`},
	{`things.groupBy(t => t.code).select(g => ({ n: g.count(), least: g.min(t => t.code), most: g.max(t => t.code), ids: g.collect(t => t.id) })).where(g => g.n > 1).execute().then(r => r[0])`, `{"n":3,"least":"LEAST","most":"MOST","ids":[1,2,5]}`, `{"n":2,"least":"M","most":"M","ids":[1,5]}`},
	{`things.groupBy(t => t.code).where(g => g.code === "V").select(g => g.count())`, `[3]`, `[1]`},
	{`things.groupBy(t => t.code).where(g => g.code === "M").select(g => g.count())`, `[3]`, `[2]`},
	{`things.groupBy(t => t.code).select(g => ({ c: g.code, n: g.count() })).where(r => r.c === "V").select(r => r.n)`, `[3]`, `[1]`},
	{`things.groupBy(t => ({ c: t.code, long: t.id > 2 })).select(g => ({ c: g.c, long: g.long, n: g.count() })).where(g => g.n > 1)`, `[{"c":"LEAST","long":false,"n":2}]`, `[]`},
	{`things.countBy(t => t.code).where(g => g.count() > 2)`, `[{"code":"LEAST","count":3}]`, `[]`},
	{`things.countBy(t => t.code.concat("")).execute().then(r => r.length)`, `4`, ``},
	{`things.select(t => t.code).distinct().execute().then(r => r.length)`, `3`, `4`},
	{`things.orderBy(t => t.id.desc()).select(t => t.code).distinct().execute()`, `["M",null,"beta"]`, `["M",null,"beta","V"]`},
	{`things.select(t => ({ code: t.code, big: t.id > 4 })).distinct().execute().then(r => r.length)`, `4`, `5`},
	{`things.countDistinct(t => t.code)`, `2`, `3`},
	{`things.groupBy(t => t.id > 2).select(g => g.countDistinct(t => t.code))`, `[1,2]`, `[2,2]`},
	{`things.orderBy(t => t.id.desc()).distinctBy(t => t.code).select(t => t.id)`, `[5,4,3]`, `[5,4,3,2]`},
	{`things.orderBy(t => t.id).partitionBy(t => t.code).select(({ thing, window }) => ({ id: thing.id, n: window.rowNumber(), of: window.count() })).where(r => r.id === 5)`, `[{"id":5,"n":3,"of":3}]`, `[{"id":5,"n":2,"of":2}]`},
	{`things.orderBy(t => t.code).partitionBy().select(({ thing, window }) => ({ id: thing.id, r: window.rank() })).where(r => r.id < 3).execute().then(r => r[0].r === r[1].r)`, `false`, ``},
	{`ids(things.where(t => t.code.in(things.where(x => x.id === 2).select(x => x.code))))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => t.code.in(things.where(x => x.id === 2).select(x => x.alt))))`, `[1,2,5]`, `[2]`},
	{`ids(things.where(t => t.code.notIn(things.where(x => x.id === 2).select(x => x.code))))`, `[3]`, `[1,3,5]`},
	{`ids(things.where(t => t.code.in(things.where(x => x.id === 2).select(x => x.plain))))`, `[1,5]`, ``},
	{`ids(things.where(t => t.plain.in(things.where(x => x.id === 2).select(x => x.code))))`, `[]`, ``},
	{`things.where({ id: 1 }).select(t => t.code).union(things.where({ id: 2 }).select(t => t.code)).execute().then(r => r.length)`, `2`, ``},
	{`things.where({ id: 1 }).select(t => t.code).intersect(things.where({ id: 2 }).select(t => t.code)).execute().then(r => r.length)`, `0`, ``},
	{`things.where({ id: 1 }).select(t => t.code === "V" ? "same" : "other")`, `["same"]`, `["other"]`},
	{`things.where({ id: 1 }).select(t => t.code.nullIf("V"))`, `["M"]`, ``},
	{`things.where({ id: 1 }).select(t => ({ c: t.code })).where(r => r.c === "V").count()`, `1`, `0`},
	{`things.orderBy(t => t.id).limit(2).where(t => t.code === "V").count()`, `2`, `1`},
	{`things.where(t => things.some(x => x.code === t.code && x.id === 2)).count()`, `3`, `1`},
	{`(async () => { const q = things.orderBy(t => t.code), out = []; let p = await q.page(1); for (;;) { out.push(...p.rows.map(r => r.id)); if (!p.next) return out.sort((a, b) => a - b); p = await q.page(1, p.next) } })()`, `[1,2,3,4,5]`, ``},
	{`(async () => { const q = things.groupBy(t => t.code), out = []; let p = await q.page(1); for (;;) { out.push(...p.rows.map(r => r.code)); if (!p.next) return out; p = await q.page(1, p.next) } })()`, `GROUPS`, `TEXTS`},
	{`things.ifUnchanged({ id: 1, code: "V" }).update({ plain: "new" }).catch(e => e.kind)`, `"conflict"`, ``},
	{`things.ifUnchanged({ id: 1, code: "M" }).update({ plain: "acme" })`, `1`, ``},
}

type eqOwned struct {
	ID                int64
	Org, Owner, Email string
}

// TestLooseStaysInScope: a condition by the column's own equality finds rows in scope alone, also where the column is the scope's, is
// looked up by an index, is a link's, is labelled, or says who may read a value. The twin is the database's own equality.
func TestLooseStaysInScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				db, look, _ := kit.ExactFile(t, e, c.Before+eqFill(kit.BreaksDDL(e, "CREATE TABLE things (id {int} PRIMARY KEY, org "+c.Typ+" NOT NULL, owner "+c.Typ+" NOT NULL, email TEXT NOT NULL); CREATE INDEX t_by_org ON things (org); CREATE INDEX t_by_owner ON things (owner);")+
					"INSERT INTO things VALUES (1, $M, $M, 'one'), (2, $V, $M, 'two'), (3, $M, $V, 'three')", c.Mine, c.Theirs))
				if got := look(eqFill("SELECT count(*) FROM things WHERE org = $M", c.Mine, c.Theirs)); got != "3" {
					t.Fatalf("the twin finds %s rows", got)
				}
				things := exosql.NewTable[eqOwned]("things")
				id := exosql.NewKey(things, "id", func(r *eqOwned) *int64 { return &r.ID })
				org := exosql.NewColumn(things, "org", func(r *eqOwned) *string { return &r.Org }).AllowUnscopedLookup()
				owner := exosql.NewColumn(things, "owner", func(r *eqOwned) *string { return &r.Owner }).AllowUnscopedLookup()
				email := exosql.NewColumn(things, "email", func(r *eqOwned) *string { return &r.Email }).WithLabel("pii").ReadBy("person", owner)
				facet := exosql.NewFacet(things, "thing", id, org, owner, email)
				facet.Add(exosql.Via(exosql.Many("peers", owner, owner), facet))
				var sent []string
				type mail struct {
					To   []string `json:"to"`
					Text string   `json:"text"`
				}
				post, err := service.New("post", "posts", service.AdmitsFor(service.Method("send", "sends a text", func(_ context.Context, m mail) (service.None, error) {
					sent = append(sent, m.Text)
					return service.None{}, nil
				}).Admits(value.NewLabel("pii")), func(m struct {
					To []string `json:"to"`
				}) value.Label {
					tag, err := value.ReaderTag("pii", "person", m.To...)
					if err != nil {
						return value.Label{}
					}
					return value.NewLabel(tag)
				}))
				if err != nil {
					t.Fatal(err)
				}
				tool := kit.BreaksTool(t, codemode.Grants{"things": facet.Of(exosql.Grant(db, things, org.Eq(c.Mine))), "post": post})
				for _, x := range []struct{ program, want string }{
					{`things.where(t => t.org === "V").orderBy(t => t.id).select(t => t.id)`, `[1,3]`},
					{`things.where(t => t.owner === "V").orderBy(t => t.id).select(t => t.id)`, `[1,3]`},
					{`things.where(t => t.org.in(["V"])).count()`, `2`},
					{`things.where(t => t.org === t.owner).count()`, `2`},
					{`things.groupBy(t => t.org).select(g => ({ org: g.org, n: g.count() }))`, `[{"org":"M","n":2}]`},
					{`things.select(t => t.org).distinct()`, `["M"]`},
					{`things.where(t => things.some(x => x.org === t.owner && x.id === 2)).count()`, `0`},
					{`things.where(t => t.org.in(things.where(x => x.id === 2).select(x => x.org))).count()`, `0`},
					{`things.where({ id: 1 }).peers().count()`, `1`},
					{`things.where(t => t.peers().orderBy(p => p.id).first().owner === "V").count()`, `2`},
					{`things.groupBy(t => t.peers().orderBy(p => p.id).first().owner).select(g => ({ owner: g.owner, n: g.count() })).execute().then(r => r.length)`, `1`},
					{`things.where(t => t.id === 3 && t.peers().some(p => p.owner === "M")).count()`, `1`},
					{`(async () => { const q = things.where(t => t.org === "V").orderBy(t => t.owner), out = []; let p = await q.page(1); for (;;) { out.push(...p.rows.map(r => r.id)); if (!p.next) return out.sort(); p = await q.page(1, p.next) } })()`, `[1,3]`},
					{`(async () => { const m = await things.where(t => t.owner === "V" && t.id === 1).first(); await post.send({ to: ["V"], text: m.email }) })().catch(e => e.kind)`, `"denied"`},
					{`(async () => { const m = await things.where(t => t.owner === "V" && t.id === 1).first(); await post.send({ to: ["M"], text: m.email }); return 1 })()`, `1`},
				} {
					r := tool.Run(t.Context(), eqFill("return "+x.program, c.Mine, c.Theirs))
					if got, want := string(r.JSON), eqFill(x.want, c.Mine, c.Theirs); r.Err != nil || got != want {
						t.Errorf("%s: %s %v, want %s", x.program, got, r.Err, want)
					}
				}
				if fmt.Sprint(sent) != "[one]" {
					t.Errorf("sent %q", sent)
				}
			})
		}
	})
}

// TestEqualityIsShown: the description of a table says which texts of a column are equal, in a file always, and for declarations in Go once
// Check has read the catalogue. A column of exact texts has no such words.
func TestEqualityIsShown(t *testing.T) {
	words := map[string]string{
		"TEXT COLLATE NOCASE": "[=== ignores the case of A to Z]", "TEXT COLLATE RTRIM": "[=== ignores spaces at the end]",
		"text COLLATE lax": "[=== follows its collation: different texts can be equal]", "tenant": "[=== follows its collation: different texts can be equal]", "public.citext": "[=== ignores case]",
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				db, _, _ := kit.ExactFile(t, e, c.Before+eqFill(eqDDL(e, c.Typ), c.Mine, c.Theirs))
				d := eqDeclare()
				o := exosql.NewFacet(d.table, "thing", d.id, d.code, d.plain).Of(exosql.Grant(db, d.table, d.id.Gt(0)))
				if text := kit.BreaksTool(t, codemode.Grants{"things": o}).Description(); strings.Contains(text, "[===") {
					t.Errorf("before a check:\n%s", text)
				}
				if _, err := exosql.Findings(t.Context(), db, exosql.Granted(o)); err != nil {
					t.Fatal(err)
				}
				d = eqDeclare()
				o = exosql.NewFacet(d.table, "thing", d.id, d.code, d.plain).Of(exosql.Grant(db, d.table, d.id.Gt(0)))
				if _, err := exosql.Findings(t.Context(), db, exosql.Granted(o)); err != nil {
					t.Fatal(err)
				}
				live, err := db.Catalog(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				table, err := dynamic.New(live).Table("things")
				if err != nil {
					t.Fatal(err)
				}
				f, err := table.Facet("thing", "id", "code", "plain")
				if err != nil {
					t.Fatal(err)
				}
				file, err := f.Of(db, table.Rows(dynamic.Eq("id", 1)))
				if err != nil {
					t.Fatal(err)
				}
				for what, o := range map[string]exo.Object{"after a check": o, "from a catalogue": file} {
					text := kit.BreaksTool(t, codemode.Grants{"things": o}).Description()
					if _, line, _ := strings.Cut(text, "code Text"); strings.Count(text, "[===") != 1 || !strings.Contains(strings.SplitN(line, ", ", 2)[0], words[c.Typ]) {
						t.Errorf("%s:\n%s", what, text)
					}
				}
			})
		}
	})
}

// TestTwoCollations: two columns whose collations differ, be it by their schemas alone, are compared by their characters. PostgreSQL would
// refuse to choose between the two.
func TestTwoCollations(t *testing.T) {
	db, look, _ := kit.ExactFile(t, tu.Postgres, "DROP SCHEMA IF EXISTS eq_one CASCADE; CREATE SCHEMA eq_one; CREATE COLLATION eq_one.lax (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"+kit.Lax+
		"CREATE TABLE things (id int PRIMARY KEY, code text COLLATE lax, alt text COLLATE eq_one.lax, plain text NOT NULL); INSERT INTO things VALUES (1, 'a', 'A', 'a'), (2, 'b', 'b', 'b')")
	t.Cleanup(func() { look("DROP SCHEMA eq_one CASCADE") })
	d := eqDeclare()
	tool := kit.BreaksTool(t, codemode.Grants{"things": exosql.NewFacet(d.table, "thing", d.id, d.code, d.alt).Of(exosql.Grant(db, d.table, d.id.Gt(0)))})
	for program, want := range map[string]string{
		`things.where(t => t.code === t.alt).select(t => t.id)`: "[2]", `things.where(t => t.alt === "A").select(t => t.id)`: "[1]", `things.where(t => t.alt.in(things.select(x => x.code))).select(t => t.id)`: "[2]",
	} {
		if r := tool.Run(t.Context(), "return "+program); r.Err != nil || string(r.JSON) != want {
			t.Errorf("%s: %s %v, want %s", program, r.JSON, r.Err, want)
		}
	}
}
