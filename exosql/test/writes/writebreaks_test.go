package writes_test

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What hostile readers broke the promise of writes by, where rules lie that a table's own definition does not show, and what programs
// go by that no read says. Each has a twin: the same without what broke it is written.

type wbItem struct {
	ID, Org int64
	Tenant  string
	Code    string
	N       int64
}

type wbKid struct {
	ID, Item int64
	Body     string
}

// wbGrants are items of tenant 1, with their kids. pause is called before a row is written.
func wbGrants(db *exosql.DB, tenant bool, pause func(n int64)) codemode.Grants {
	items, kids := exosql.NewTable[wbItem]("items"), exosql.NewTable[wbKid]("kids")
	id := exosql.NewKey(items, "id", func(o *wbItem) *int64 { return &o.ID })
	code := exosql.NewColumn(items, "code", func(o *wbItem) *string { return &o.Code })
	n := exosql.NewColumn(items, "n", func(o *wbItem) *int64 { return &o.N })
	if tenant {
		org := exosql.NewColumn(items, "org", func(o *wbItem) *string { return &o.Tenant })
		item := exosql.NewFacet(items, "item", id, code, n).AllowInsert(code, n).AllowUpdate(code, n).AllowDelete()
		return codemode.Grants{"items": item.Of(exosql.Grant(db, items, org.Eq("acme")))}
	}
	org := exosql.NewColumn(items, "org_id", func(o *wbItem) *int64 { return &o.Org })
	if pause != nil {
		items.BeforeWrite(func(_ context.Context, w *exosql.Write[wbItem]) error { pause(w.Row.N); return nil })
	}
	item := exosql.NewFacet(items, "item", id, code, n).AllowInsert(code, n).AllowUpdate(code, n).AllowDelete()
	kidID := exosql.NewKey(kids, "id", func(o *wbKid) *int64 { return &o.ID })
	kidItem := exosql.NewColumn(kids, "item_id", func(o *wbKid) *int64 { return &o.Item })
	body := exosql.NewColumn(kids, "body", func(o *wbKid) *string { return &o.Body })
	itemKids := exosql.Many("kids", id, kidItem)
	item.Add(exosql.Via(itemKids, exosql.NewFacet(kids, "kid", kidID, kidItem, body).AllowInsert(body).AllowUpdate(body).AllowDelete()))
	return codemode.Grants{"items": item.Of(exosql.Grant(db, items, org.Eq(1), exosql.ScopeVia(itemKids)))}
}

// wbRefused runs a program that must be refused, for why, and leave everything as it was.
func wbRefused(t *testing.T, db *exosql.DB, g codemode.Grants, raw *sql.DB, look, program, why string) {
	t.Helper()
	before := kit.Cells(t, raw, look)
	res := kit.BreaksTool(t, g).Run(t.Context(), program)
	if res.Err == nil || !strings.Contains(res.Err.Error(), why) || kit.Cells(t, raw, look) != before {
		t.Errorf("%s: %s %v; it was\n%s\nand is\n%s", program, res.JSON, res.Err, before, kit.Cells(t, raw, look))
	}
	if err := exosql.Check(t.Context(), db, exosql.Granted(g["items"])); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("Check says of it: %v", err)
	}
}

const (
	wbItems = "CREATE TABLE items (id {serial}, org_id {int} NOT NULL, code TEXT NOT NULL, n {int} NOT NULL DEFAULT 0, UNIQUE (org_id, code));"
	wbKids  = "CREATE TABLE kids (id {serial}, item_id {int} NOT NULL REFERENCES items, body TEXT NOT NULL); CREATE INDEX kids_by_item ON kids (item_id);"
)

// TestRulesElsewhere: what lies in schemas that no name is looked up in holds for a table's rows all the same, and a name
// means what the database takes it for.
func TestRulesElsewhere(t *testing.T) {
	e := tu.Postgres
	for name, c := range map[string]struct{ path, ddl, program, why string }{
		"a part with a rule of its own": {"own", `CREATE SEQUENCE own.ids; CREATE TABLE own.items (id bigint NOT NULL DEFAULT nextval('own.ids'), org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, PRIMARY KEY (id)) PARTITION BY RANGE (id);
			CREATE TABLE oth.part PARTITION OF own.items FOR VALUES FROM (0) TO (1000); CREATE UNIQUE INDEX ON oth.part (code); CREATE TABLE own.kids (id bigint PRIMARY KEY, item_id bigint, body text);
			INSERT INTO own.items (org_id, code) VALUES (1, 'mine'), (2, 'theirs')`, `return items.insert({ code: "theirs" })`, "(code) is unique among the rows of all tenants"},
		"a part with a trigger": {"own", `CREATE SEQUENCE own.ids; CREATE TABLE own.items (id bigint NOT NULL DEFAULT nextval('own.ids'), org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, PRIMARY KEY (id)) PARTITION BY RANGE (id);
			CREATE TABLE oth.part PARTITION OF own.items FOR VALUES FROM (0) TO (1000); CREATE TABLE own.kids (id bigint PRIMARY KEY, item_id bigint, body text);
			CREATE FUNCTION oth.up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE own.items SET n = 99 WHERE org_id <> NEW.org_id; RETURN NEW; END $$;
			CREATE TRIGGER up BEFORE INSERT ON oth.part FOR EACH ROW EXECUTE FUNCTION oth.up(); INSERT INTO own.items (org_id, code) VALUES (2, 'theirs'); UPDATE own.items SET n = 0`, `return items.insert({ code: "new" })`, "up"},
		"a whole with a rule": {"own", `CREATE SEQUENCE own.ids; CREATE TABLE oth.whole (id bigint NOT NULL DEFAULT nextval('own.ids'), org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, kind int NOT NULL DEFAULT 1, UNIQUE (kind, code)) PARTITION BY LIST (kind);
			CREATE TABLE own.items PARTITION OF oth.whole (PRIMARY KEY (id)) FOR VALUES IN (1); CREATE TABLE own.kids (id bigint PRIMARY KEY, item_id bigint, body text);
			INSERT INTO own.items (org_id, code) VALUES (1, 'mine'), (2, 'theirs')`, `return items.insert({ code: "theirs" })`, "(kind, code) is unique among the rows of all tenants"},
		"a view that hides the table": {"oth,own", `CREATE TABLE own.items (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, UNIQUE (org_id, code));
			CREATE TABLE own.kids (id bigint PRIMARY KEY, item_id bigint, body text); INSERT INTO own.items (org_id, code) VALUES (1, 'mine'), (2, 'theirs'); CREATE VIEW oth.items AS SELECT * FROM own.items;
			CREATE FUNCTION oth.up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE own.items SET n = NEW.n; RETURN NEW; END $$;
			CREATE TRIGGER up INSTEAD OF UPDATE ON oth.items FOR EACH ROW EXECUTE FUNCTION oth.up()`, `return items.where({ code: "mine" }).update({ n: 7 })`, "is a view, or no table of the database, so programs can't write it"},
		"a key to a table of the same name": {"own,oth", `CREATE TABLE own.items (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, UNIQUE (org_id, code));
			CREATE TABLE oth.items (id bigint PRIMARY KEY); CREATE TABLE own.kids (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, item_id bigint NOT NULL REFERENCES oth.items, body text NOT NULL); CREATE INDEX ON own.kids (item_id);
			INSERT INTO own.items (org_id, code) VALUES (1, 'mine'); INSERT INTO oth.items VALUES (1)`, `return items.where({ code: "mine" }).kids().insert({ body: "x" })`, "whether another tenant's row exists"},
		"a key that is not valid": {"own", `CREATE TABLE own.items (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, org_id bigint NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0, UNIQUE (org_id, code));
			CREATE TABLE own.kids (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, item_id bigint NOT NULL, body text NOT NULL); CREATE INDEX ON own.kids (item_id);
			INSERT INTO own.items (org_id, code) VALUES (1, 'mine'); INSERT INTO own.kids (item_id, body) VALUES (2, 'of org 2'); ALTER TABLE own.kids ADD FOREIGN KEY (item_id) REFERENCES own.items NOT VALID`,
			`await items.insert({ code: "new" }); return items.kids()`, "would come into scope with a new row"},
	} {
		t.Run(name, func(t *testing.T) {
			at := e.URL(t)
			raw, err := sql.Open("pgx", at)
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			var own string
			if err := raw.QueryRow("SELECT current_schema()").Scan(&own); err != nil {
				t.Fatal(err)
			}
			oth := own + "_oth"
			defer raw.Exec("DROP SCHEMA " + oth + " CASCADE")
			in := strings.NewReplacer("own", own, "oth", oth).Replace
			if _, err := raw.Exec("CREATE SCHEMA " + oth + ";" + in(c.ddl)); err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			q.Set("search_path", in(c.path))
			u.RawQuery = q.Encode()
			db := e.OpenURL(t, u.String(), nil)
			wbRefused(t, db, wbGrants(db, false, nil), raw, in("SELECT org_id, code, n FROM own.items ORDER BY 1, 2"), c.program, c.why)
		})
	}
}

// TestWiderRules: a rule that takes more for equal than the scope's condition does tells of other tenants.
func TestWiderRules(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // options= is refused behind a pooler
	e := tu.Postgres
	table := func(org, rule string) string {
		return "CREATE TABLE items (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, org " + org + " NOT NULL, code text NOT NULL, n bigint NOT NULL DEFAULT 0" + rule + "; CREATE INDEX ON items (org); CREATE INDEX ON items ((org::text));"
	}
	for name, c := range map[string]struct{ ddl, theirs, why string }{
		"citext":                   {table("public.citext", ", UNIQUE (org, code))"), "ACME", "unique among the rows of all tenants"},
		"a domain over citext":     {"CREATE DOMAIN tenant AS public.citext;" + table("tenant", ", UNIQUE (org, code))"), "ACME", "unique among the rows of all tenants"},
		"char(n)":                  {table("text", "); CREATE UNIQUE INDEX ON items (org bpchar_ops, code)"), "acme ", "unique among the rows of all tenants"},
		"a collation of exclusion": {"CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);" + table("text", ", EXCLUDE USING btree (org COLLATE ci WITH =, code WITH =))"), "ACME", "unique among the rows of all tenants"},
		"the twin":                 {table("text", ", UNIQUE (org, code))"), "ACME", ""},
		"the twin, for patterns":   {table("text", "); CREATE UNIQUE INDEX ON items (org text_pattern_ops, code)"), "ACME", ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := tu.WithParam(t, e.URL(t), "options", "-c lc_messages=C")
			db := e.OpenURL(t, at, &exosql.OpenOptions{Setup: e.Exec("CREATE EXTENSION IF NOT EXISTS citext SCHEMA public", c.ddl, "INSERT INTO items (org, code) VALUES ('"+c.theirs+"', 'secret'), ('acme', 'mine')")})
			raw, err := sql.Open("pgx", at)
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			g := wbGrants(db, true, nil)
			if c.why == "" {
				if res := kit.BreaksTool(t, g).Run(t.Context(), `return items.insert({ code: "secret" }).then(i => i.code)`); string(res.JSON) != `"secret"` {
					t.Errorf("%s %v", res.JSON, res.Err)
				}
				return
			}
			wbRefused(t, db, g, raw, "SELECT org::text, code FROM items ORDER BY 1, 2", `return items.insert({ code: "other" })`, c.why)
		})
	}
}

// TestUnlikeKeys: through a link whose ends hold a value in two forms, or take two for one, nothing is written.
func TestUnlikeKeys(t *testing.T) {
	const why = "could belong to another tenant's row"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		type parent struct {
			ID, Org int64
			Text    string
			At      time.Time
			Sum     exosql.Decimal
			Size    float64
		}
		type child struct {
			ID   int64
			Text string
			At   time.Time
			Sum  exosql.Decimal
			Size float64
			Body string
		}
		grants := func(db *exosql.DB, kind string) codemode.Grants {
			ps, cs := exosql.NewTable[parent]("p"), exosql.NewTable[child]("c")
			id, org := exosql.NewKey(ps, "id", func(p *parent) *int64 { return &p.ID }), exosql.NewColumn(ps, "org_id", func(p *parent) *int64 { return &p.Org })
			cid, body := exosql.NewKey(cs, "id", func(c *child) *int64 { return &c.ID }), exosql.NewColumn(cs, "body", func(c *child) *string { return &c.Body })
			var link exosql.Link[parent, child]
			switch kind {
			case "text":
				link = exosql.Many("kids", exosql.NewColumn(ps, "k", func(p *parent) *string { return &p.Text }), exosql.NewColumn(cs, "k", func(c *child) *string { return &c.Text }))
			case "time":
				link = exosql.Many("kids", exosql.NewColumn(ps, "k", func(p *parent) *time.Time { return &p.At }), exosql.NewColumn(cs, "k", func(c *child) *time.Time { return &c.At }))
			case "decimal":
				link = exosql.Many("kids", exosql.NewColumn(ps, "k", func(p *parent) *exosql.Decimal { return &p.Sum }), exosql.NewColumn(cs, "k", func(c *child) *exosql.Decimal { return &c.Sum }))
			default:
				link = exosql.Many("kids", exosql.NewColumn(ps, "k", func(p *parent) *float64 { return &p.Size }), exosql.NewColumn(cs, "k", func(c *child) *float64 { return &c.Size }))
			}
			f := exosql.NewFacet(ps, "item", id, exosql.Via(link, exosql.NewFacet(cs, "kid", cid, body).AllowInsert(body).AllowUpdate(body)))
			return codemode.Grants{"items": f.Of(exosql.Grant(db, ps, org.Eq(1), exosql.ScopeVia(link)))}
		}
		cases := []struct{ engine, kind, parent, child, mine, theirs, stored, why string }{
			{"postgres", "text", "text", "varchar(2)", "'abc'", "'ab'", "'ab'", why},
			{"postgres", "text", "text", "char(5)", "'ab   '", "'ab'", "'ab'", why},
			{"postgres", "time", "timestamptz", "timestamptz(0)", "'2024-01-01 00:00:00.4+00'", "'2024-01-01 00:00:00+00'", "'2024-01-01 00:00:00+00'", why},
			{"postgres", "decimal", "numeric", "numeric(5,2)", "1.001", "1", "1", why},
			{"postgres", "float", "double precision", "real", "0.1", "0.10000000149011612", "0.1", why},
			{"postgres", "text", "text", "character varying", "'abc'", "'ab'", "'ab'", ""},
			{"postgres", "time", "timestamptz", "timestamptz", "'2024-01-01 00:00:00.000001+00'", "'2024-01-01 00:00:00+00'", "'2024-01-01 00:00:00+00'", why},
			{"sqlite", "text", "TEXT", "NUMERIC", "'1.0'", "'1'", "'1'", why},
			{"sqlite", "time", "TEXT", "TEXT", "'2024-01-01T00:00:00.000Z'", "'2024-01-01 00:00:00'", "'2024-01-01 00:00:00'", why},
			{"sqlite", "decimal", "TEXT", "TEXT", "'1.0'", "'1'", "'1'", why},
			{"sqlite", "text", "TEXT", "VARCHAR(2)", "'abc'", "'ab'", "'ab'", ""},
		}
		for _, c := range cases {
			if c.engine != e.Name {
				continue
			}
			t.Run(c.kind+" "+c.parent+" "+c.child, func(t *testing.T) {
				db, raw := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE p (id {serial}, org_id {int} NOT NULL, k "+c.parent+" NOT NULL UNIQUE); CREATE INDEX p_by_org ON p (org_id); CREATE TABLE c (id {serial}, k "+c.child+" NOT NULL, body TEXT NOT NULL); CREATE INDEX c_by_k ON c (k)"),
					"INSERT INTO p (org_id, k) VALUES (1, "+c.mine+"), (2, "+c.theirs+"); INSERT INTO c (k, body) VALUES ("+c.stored+", 'theirs')")
				g := grants(db, c.kind)
				for _, program := range []string{`return items.where({ id: 1 }).kids().insertMany([{ body: "new" }])`, `return items.kids().all().update({ body: "new" })`} {
					before := kit.Cells(t, raw, "SELECT body FROM c WHERE body = 'theirs'")
					res := kit.BreaksTool(t, g).Run(t.Context(), program)
					if (res.Err != nil) != (c.why != "") || res.Err != nil && !strings.Contains(res.Err.Error(), c.why) || kit.Cells(t, raw, "SELECT body FROM c WHERE body = 'theirs'") != before {
						t.Errorf("%s: %s %v", program, res.JSON, res.Err)
					}
				}
				if res := kit.BreaksTool(t, g).Run(t.Context(), "return items.kids().where(k => k.body === 'theirs').count()"); e.Name == tu.Postgres.Name && string(res.JSON) != "0" {
					t.Errorf("the kid of another tenant's row is shown: %s %v", res.JSON, res.Err)
				}
				want := map[bool]string{true: "", false: "1|new"}[c.why != ""]
				if got := kit.Cells(t, raw, "SELECT p.org_id, c.body FROM p JOIN c ON p.k = c.k WHERE c.body = 'new'"); c.why != "" && got != want || c.why == "" && !strings.Contains(got, want) {
					t.Errorf("written: %q", got)
				}
			})
		}
	})
}

// TestUnlikeViewKeys: the same where one end of the link is a view; and a host that names the link has looked at it.
func TestUnlikeViewKeys(t *testing.T) {
	e := tu.Postgres
	type parent struct {
		ID, Org int64
		K       string
	}
	type child struct {
		ID      int64
		K, Body string
	}
	for _, c := range []struct {
		typ   string
		named bool
		kept  bool
	}{{"varchar(2)", false, false}, {"varchar(2)", true, true}, {"text", false, true}} {
		db, raw := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE base (id {serial}, org_id {int} NOT NULL, k text NOT NULL UNIQUE); CREATE VIEW p AS SELECT * FROM base; CREATE TABLE c (id {serial}, k "+c.typ+" NOT NULL, body TEXT NOT NULL); CREATE INDEX c_by_k ON c (k)"),
			"INSERT INTO base (org_id, k) VALUES (1, 'ab '), (2, 'ab')")
		ps, cs := exosql.NewTable[parent]("p"), exosql.NewTable[child]("c")
		id, org := exosql.NewKey(ps, "id", func(p *parent) *int64 { return &p.ID }), exosql.NewColumn(ps, "org_id", func(p *parent) *int64 { return &p.Org })
		cid, body := exosql.NewKey(cs, "id", func(c *child) *int64 { return &c.ID }), exosql.NewColumn(cs, "body", func(c *child) *string { return &c.Body })
		link := exosql.Many("kids", exosql.NewColumn(ps, "k", func(p *parent) *string { return &p.K }), exosql.NewColumn(cs, "k", func(c *child) *string { return &c.K }))
		kid := exosql.NewFacet(cs, "kid", cid, body).AllowInsert(body)
		if c.named {
			kid.Permit(exosql.AllowTypes("p", "kids"))
		}
		f := exosql.NewFacet(ps, "item", id, exosql.Via(link, kid))
		res := kit.BreaksTool(t, codemode.Grants{"items": f.Of(exosql.Grant(db, ps, org.Eq(1), exosql.ScopeVia(link)))}).Run(t.Context(), `return items.where({ id: 1 }).kids().insertMany([{ body: "new" }])`)
		if (res.Err == nil) != c.kept || res.Err != nil && !strings.Contains(res.Err.Error(), "could belong to another tenant's row") || (kit.Cells(t, raw, "SELECT body FROM c") != "") != c.kept {
			t.Errorf("%+v: %s %v", c, res.JSON, res.Err)
		}
	}
}

// TestCaughtIsRead: what a program is told by an error that it catches it may go by, like by an answer. So a run in whose way others
// were is kept only if it is told the same again; and that a value was taken is a read, for PostgreSQL too.
func TestCaughtIsRead(t *testing.T) {
	tu.NotQuick(t)
	e := tu.Postgres
	for name, c := range map[string]struct{ a, b string }{
		"taken": {`let t = false; try { await items.insert({ code: "k" }) } catch { t = true } await items.where({ code: "x" }).update({ n: t ? 101 : 102 }); return t`,
			`await items.where({ code: "k" }).kids().all().delete(); await items.where({ code: "k" }).delete(); return items.where({ code: "x" }).update(x => ({ n: x.n + 10 }))`},
		"referred to": {`let t = false; try { await items.where({ code: "k" }).delete() } catch { t = true } await items.where({ code: "x" }).update({ n: t ? 101 : 102 }); return t`,
			`await items.where({ code: "k" }).kids().all().delete(); return items.where({ code: "x" }).update(x => ({ n: x.n + 10 }))`},
		"a value that the column can't store": {`let t = false; try { await items.where({ code: "k" }).update(i => ({ n: i.n * 2 })) } catch { t = true } await items.where({ code: "x" }).update({ n: t ? 101 : 102 }); return t`,
			`await items.where({ code: "k" }).update({ n: 1 }); return items.where({ code: "x" }).update(x => ({ n: x.n + 10 }))`},
		"taken, by a row that goes": {`let t = false; try { await items.insert({ code: "k" }) } catch { t = true } await items.where({ code: "x" }).update({ n: t ? 101 : 102 }); return t`,
			`const x = await items.where({ code: "x" }).first(); if (x.n === 0) { await items.where({ code: "k" }).kids().all().delete(); await items.where({ code: "k" }).delete() } return x.n`},
		"taken, by a row that came": {`const y = await items.where({ code: "y" }).first(); await items.insert({ code: "z", n: 100 }); let t = false; try { await items.insert({ code: "new" }) } catch { t = true } return [(await items.where({ code: "x" }).first()).n, t]`,
			`await items.insert({ code: "new" }); return items.where({ code: "x" }).update({ n: 5 })`},
	} {
		for _, within := range []string{"alone", "in a Tx"} {
			t.Run(name+" "+within, func(t *testing.T) {
				if !tu.OneIn(t, 2).Next() {
					return
				}
				rows := "INSERT INTO items (org_id, code, n) VALUES (1, 'x', 0), (1, 'y', 0), (1, 'k', 9223372036854775807); INSERT INTO kids (item_id, body) VALUES (3, 'kid')" // k is not what an index begins with
				look := "SELECT code, n FROM items ORDER BY 1"
				// The two orders, one after the other, each in a database of its own.
				serial := map[string]bool{}
				for _, order := range [][]string{{c.a, c.b}, {c.b, c.a}} {
					db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+wbKids), rows)
					for _, p := range order {
						_ = kit.BreaksTool(t, wbGrants(db, false, nil)).Run(t.Context(), p) // of one that fails nothing stays
					}
					serial[kit.Cells(t, raw, look)] = true
				}
				db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+wbKids), rows)
				other, done := kit.BreaksTool(t, wbGrants(db, false, nil)), false
				tool := kit.BreaksTool(t, wbGrants(db, false, func(n int64) {
					if n >= 100 && !done {
						done = true
						if res := other.Run(context.Background(), c.b); res.Err != nil {
							t.Logf("the other: %v", res.Err)
						}
					}
				}))
				in := t.Context()
				end := func(context.Context) error { return nil }
				if within == "in a Tx" {
					tx, err := db.Begin(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					in, end = tx.Context(t.Context()), tx.Commit
				}
				res := tool.Run(in, c.a)
				if err := end(t.Context()); err != nil {
					t.Logf("commit: %v", err)
				}
				if !done {
					t.Fatalf("the other did not run: %v", res.Err)
				}
				alone := map[string]bool{}
				if res.Err != nil { // then it is the other alone
					db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+wbKids), rows)
					if res := kit.BreaksTool(t, wbGrants(db, false, nil)).Run(t.Context(), c.b); res.Err != nil {
						t.Fatal(res.Err)
					}
					alone[kit.Cells(t, raw, look)] = true
				}
				if got := kit.Cells(t, raw, look); !serial[got] && !alone[got] {
					t.Errorf("%s %v leaves\n%s\nwhich no order does: %v", res.JSON, res.Err, got, serial)
				}
			})
		}
	}
}

// TestTakenIsRead: where a program was told that a value is taken, PostgreSQL remembers that it has read the whole table, also of few rows
// in many pages, where the planner would read an index in its place; and the settings by which it doesn't are gone with that read.
func TestTakenIsRead(t *testing.T) {
	e := tu.Postgres
	db, raw := kit.File(t, e, kit.BreaksDDL(e, wbItems+wbKids), "INSERT INTO items (org_id, code) VALUES (1, 'x'), (1, 'k'); INSERT INTO items (org_id, code) SELECT 2, repeat('x', 500) || n FROM generate_series(1, 5000) AS s (n); DELETE FROM items WHERE org_id = 2")
	if _, err := raw.Exec("VACUUM (TRUNCATE off, ANALYZE) items"); err != nil {
		t.Fatal(err)
	}
	const whole = "SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND locktype = 'relation' AND relation = 'items'::regclass"
	seen := map[int64]string{}
	tool := kit.BreaksTool(t, wbGrants(db, false, func(n int64) { seen[n] = kit.Cells(t, raw, whole) }))
	res := tool.Run(t.Context(), `await items.insert({ code: "k", n: 2 }).catch(() => 0); return items.insert({ code: "new", n: 3 }).then(i => i.n)`)
	if string(res.JSON) != "3" || seen[2] != "0" || seen[3] != "1" {
		t.Errorf("%s %v: read as a whole %v", res.JSON, res.Err, seen)
	}
}

// TestIdleAfterError: a program that has written and caught an error holds what others wait for no longer than one that has not.
func TestIdleAfterError(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{WriteIdle: 50 * time.Millisecond, Setup: e.Exec(kit.BreaksDDL(e, wbItems+wbKids), "INSERT INTO items (org_id, code) VALUES (1, 'k')")})
		res := kit.BreaksTool(t, wbGrants(db, false, nil)).Run(t.Context(), `await items.where({ code: "k" }).update({ n: 1 }); await items.insert({ code: "k" }).catch(() => 0); const until = Date.now() + 400; for (let i = 0; i < 3e6; i++) {} return items.count()`)
		if fail.KindOf(res.Err) != fail.Limit || !strings.Contains(res.Err.Error(), "after its first change") {
			t.Errorf("%s %v", res.JSON, res.Err)
		}
	})
}
