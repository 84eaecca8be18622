package exosql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type asksKid struct {
	ID, Item int64
	Other    *int64
	At       time.Time
}

// asksDDL is a schema as applications have it: defaults, stored columns, a trigger and a cascade that call functions
// and read tables that no statement of ours names.
func asksDDL(e tu.Engine) []string {
	ddl := strings.NewReplacer("{now}", e.Pick("DATETIME DEFAULT CURRENT_TIMESTAMP", "timestamptz DEFAULT now()"), "{random}", e.Pick("TEXT DEFAULT (lower(hex(randomblob(16))))", "text DEFAULT md5(random()::text)"),
		"{epoch}", e.Pick("INT DEFAULT (unixepoch('now', '+' || abs(-1) || ' days'))", "bigint DEFAULT extract(epoch from now())::bigint"), "{meta}", e.Pick("TEXT DEFAULT (json('[]'))", "text DEFAULT json_build_array()::text")).Replace(`
		CREATE TABLE items (id {serial}, org_id {int} NOT NULL, code {random} NOT NULL, at {now}, n {epoch}, up TEXT GENERATED ALWAYS AS (upper(code)) STORED, meta {meta}, CHECK (length(code) < 99));
		CREATE TABLE others (id {serial}, at {now});
		CREATE TABLE kids (id {serial}, item_id {int} NOT NULL REFERENCES items ON DELETE CASCADE, other_id {int} DEFAULT (abs(-1)) REFERENCES others, at {now});
		CREATE TABLE log (id {serial}, what TEXT, at {now});
		CREATE INDEX kids_by_item ON kids (item_id); CREATE INDEX kids_by_other ON kids (other_id); CREATE INDEX items_by_org ON items (org_id);
		INSERT INTO others DEFAULT VALUES; INSERT INTO items (org_id) VALUES (1), (2); INSERT INTO kids (item_id) VALUES (1), (2);
		CREATE VIEW busy AS SELECT i.id, i.org_id, upper(i.code) AS code, i.at, o.n FROM items i JOIN counted o ON o.item_id = i.id;`)
	ddl = strings.Replace(ddl, "CREATE VIEW busy", "CREATE VIEW counted AS SELECT item_id, count(*) AS n FROM kids GROUP BY item_id; CREATE VIEW busy", 1)
	trigger := e.Pick(`CREATE TRIGGER logged AFTER UPDATE ON items BEGIN
			SELECT RAISE(ABORT, 'not so') WHERE instr(new.code, 'bad');
			INSERT INTO log (what) SELECT upper(new.code) || (SELECT count(*) FROM kids); END`,
		`CREATE FUNCTION logged() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF strpos(new.code, 'bad') > 0 THEN RAISE EXCEPTION 'not so'; END IF;
			INSERT INTO log (what) SELECT upper(new.code) || (SELECT count(*) FROM kids); RETURN NULL; END $$;
		 CREATE TRIGGER logged AFTER UPDATE ON items FOR EACH ROW EXECUTE FUNCTION logged()`)
	return []string{kit.BreaksDDL(e, ddl), trigger}
}

func asksGrants(db *exosql.DB) codemode.Grants {
	items, kids := exosql.NewTable[kit.AsksItem]("items"), exosql.NewTable[asksKid]("kids")
	id, org := exosql.NewKey(items, "id", func(o *kit.AsksItem) *int64 { return &o.ID }), exosql.NewColumn(items, "org_id", func(o *kit.AsksItem) *int64 { return &o.Org })
	code, at := exosql.NewColumn(items, "code", func(o *kit.AsksItem) *string { return &o.Code }), exosql.NewColumn(items, "at", func(o *kit.AsksItem) *time.Time { return &o.At })
	n, up := exosql.NewColumn(items, "n", func(o *kit.AsksItem) *int64 { return &o.N }), exosql.NewNullable(items, "up", func(o *kit.AsksItem) **string { return &o.Up })
	meta := exosql.NewColumn(items, "meta", func(o *kit.AsksItem) *string { return &o.Meta })
	kid, kidItem := exosql.NewKey(kids, "id", func(o *asksKid) *int64 { return &o.ID }), exosql.NewColumn(kids, "item_id", func(o *asksKid) *int64 { return &o.Item })
	kidAt := exosql.NewColumn(kids, "at", func(o *asksKid) *time.Time { return &o.At })
	link := exosql.Many("kids", id, kidItem)
	item := exosql.NewFacet(items, "item", id, code, at, n, up, meta).AllowInsert(code, n).AllowUpdate(code, n).AllowDelete().Permit(exosql.AllowTrigger("logged"), exosql.AllowCascade("kids", "item_id"))
	item.Add(exosql.Via(link, exosql.NewFacet(kids, "kid", kid, kidItem, kidAt).AllowInsert(kidItem).AllowDelete().Permit(exosql.AllowDefault("other_id"))))
	return codemode.Grants{"items": item.Of(exosql.Grant(db, items, org.Eq(1), exosql.ScopeVia(link)))}
}

// TestSchemaAsks: what the schema itself calls and reads is admitted by the second wall with the tables that ask for it, and with no others.
func TestSchemaAsks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct{ program, want string }{
			{`return (await items).map(i => new Date(i.at) > 1e12 && i.up.length === 32 && i.meta === "[]" && i.n > 1e9)`, `[true]`},
			{`return items.count()`, `1`},
			{`return items.where(i => i.at < "2999-01-01").orderBy(i => i.n).first().then(i => i.id)`, `1`},
			{`return items.groupBy(i => i.meta).select(g => ({ m: g.meta, n: g.count() }))`, `[{"m":"[]","n":1}]`},
			{`return items.join(({ item }) => item.kids()).select(({ kid }) => ({ has: kid.at > "2000-01-01" }))`, `[{"has":true}]`},
			{`const made = await items.insert({ n: 5 }); return [made.n, made.code.length, made.at > "2020"]`, `[5,32,true]`},
			{`return items.insertMany([{ code: "a" }, { code: "b" }]).then(rows => items.count())`, `3`},
			{`await items.where({ id: 1 }).update({ code: "new" }); return (await items.where({ id: 1 }).first()).up`, `"NEW"`},
			{`return items.where({ id: 1 }).update({ code: "bad" }).then(() => "kept", e => e.message)`, `"items.where(…).update: the row is refused by a trigger of the database: ask the host what the trigger accepts"`},
			{`return items.where({ id: 1 }).kids().insertMany([{}]).then(() => items.where({ id: 1 }).kids().count())`, `2`},
			{`await items.where({ id: 1 }).delete(); return items.count()`, `0`},
		} {
			db, raw := kit.File(t, e, asksDDL(e)...)
			res := kit.BreaksTool(t, asksGrants(db)).Run(t.Context(), c.program)
			if res.Err != nil || string(res.JSON) != c.want {
				t.Errorf("%s: %s %v, want %s", c.program, res.JSON, res.Err, c.want)
			}
			if got := kit.Cells(t, raw, "SELECT count(*) FROM items WHERE org_id = 2"); got != "1" {
				t.Errorf("%s: the rows of another tenant are %s", c.program, got)
			}
		}
	})
}

type asksBusy struct {
	ID, Org, N int64
	Code       string
}

// TestViewsAreRead: a view reads what its text names, a view within it too, and shows the rows in scope.
func TestViewsAreRead(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, asksDDL(e)...)
		busy := exosql.NewTable[asksBusy]("busy")
		id, org := exosql.NewKey(busy, "id", func(o *asksBusy) *int64 { return &o.ID }), exosql.NewColumn(busy, "org_id", func(o *asksBusy) *int64 { return &o.Org })
		code, n := exosql.NewColumn(busy, "code", func(o *asksBusy) *string { return &o.Code }), exosql.NewColumn(busy, "n", func(o *asksBusy) *int64 { return &o.N })
		tool := kit.BreaksTool(t, codemode.Grants{"busy": exosql.NewFacet(busy, "busy", id, code, n).Of(exosql.Grant(db, busy, org.Eq(2)))})
		for program, want := range map[string]string{
			`return (await busy).map(b => [b.id, b.n, b.code.length])`: `[[2,1,32]]`,
			`return busy.count()`: `1`,
			`return busy.where(b => b.n > 0).select(b => ({ id: b.id }))`: `[{"id":2}]`,
			`return busy.orderBy(b => b.code).first().then(b => b.id)`:    `2`,
			`return busy.sum(b => b.n)`:                                   `1`,
		} {
			if res := tool.Run(t.Context(), program); res.Err != nil || string(res.JSON) != want {
				t.Errorf("%s: %s %v, want %s", program, res.JSON, res.Err, want)
			}
		}
	})
}

// TestViewLabels: a view that reads what another declaration labels is refused until it has the label itself, on a column or on its rows.
func TestViewLabels(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, asksDDL(e)...)
		for name, refused := range map[string]bool{"no label": false, "without it": true, "on a column": false, "on the rows": false} {
			items, busy := exosql.NewTable[kit.AsksItem]("items"), exosql.NewTable[asksBusy]("busy").Keyless()
			id, code := exosql.NewKey(items, "id", func(o *kit.AsksItem) *int64 { return &o.ID }), exosql.NewColumn(items, "code", func(o *kit.AsksItem) *string { return &o.Code })
			n, seen := exosql.NewColumn(busy, "n", func(o *asksBusy) *int64 { return &o.N }), exosql.NewColumn(busy, "code", func(o *asksBusy) *string { return &o.Code })
			if name != "no label" {
				code = code.WithLabel("code")
			}
			switch name {
			case "on a column":
				seen = seen.WithLabel("code")
			case "on the rows":
				busy.WithLabel("code")
			}
			err := exosql.Check(t.Context(), db, exosql.Granted(exosql.NewFacet(items, "item", id, code).Of(exosql.Grant(db, items, exosql.AllRows[kit.AsksItem]()))),
				exosql.Granted(exosql.NewFacet(busy, "busy", n, seen).Of(exosql.Grant(db, busy, exosql.AllRows[asksBusy]()))))
			if is := err != nil && strings.Contains(err.Error(), "is a view that reads items"); is != refused {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestSchemaAsksForItself: what one table or view asks for is admitted to no statement that does not name it.
func TestSchemaAsksForItself(t *testing.T) {
	e := tu.SQLite
	db, _ := kit.File(t, e, asksDDL(e)...)
	for _, c := range []struct {
		query string
		reads []string
		ok    bool
	}{
		{"SELECT code FROM items", []string{"items.code"}, true},
		{"SELECT code, hex(code) FROM items", []string{"items.code"}, true}, // a function of its default is admitted with it
		{"SELECT org_id FROM items", []string{"items.code"}, false},
		{"SELECT hex(item_id) FROM kids", []string{"kids.item_id"}, false},
		{"SELECT zeroblob(5) FROM items", []string{"items.code"}, false},
		{"SELECT n FROM busy", []string{"busy.n"}, true},
		{"SELECT code FROM busy", []string{"busy.n"}, false},
		{"SELECT item_id FROM kids", []string{"busy.n"}, false}, // which busy reads, within its text
		{"SELECT n FROM counted", []string{"busy.n"}, false},
		{"SELECT n FROM busy", []string{"items.id", "kids.item_id"}, false},
	} {
		if err := exosql.Guarded(t.Context(), db, c.query, c.reads...); (err == nil) != c.ok {
			t.Errorf("%s with %v: %v", c.query, c.reads, err)
		}
	}
}
