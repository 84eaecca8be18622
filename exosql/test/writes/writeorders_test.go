package writes_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// woGrants are items of tenant 1, without their kids. pause is called before a row is written.
func woGrants(db *exosql.DB, pause func(n int64), allow ...func(*exosql.Facet[wbItem])) codemode.Grants {
	items := exosql.NewTable[wbItem]("items")
	id := exosql.NewKey(items, "id", func(o *wbItem) *int64 { return &o.ID })
	code := exosql.NewColumn(items, "code", func(o *wbItem) *string { return &o.Code })
	n := exosql.NewColumn(items, "n", func(o *wbItem) *int64 { return &o.N })
	org := exosql.NewColumn(items, "org_id", func(o *wbItem) *int64 { return &o.Org })
	if pause != nil {
		items.BeforeWrite(func(_ context.Context, w *exosql.Write[wbItem]) error { pause(w.Row.N); return nil })
	}
	item := exosql.NewFacet(items, "item", id, code, n).AllowInsert(code, n).AllowUpdate(code, n).AllowDelete()
	for _, f := range allow {
		f(item)
	}
	return codemode.Grants{"items": item.Of(exosql.Grant(db, items, org.Eq(1)))}
}

// TestFail: of a statement that fails nothing is kept where its program goes on, whatever SQLite would keep of it by itself: ON CONFLICT FAIL and
// RAISE(FAIL) leave the rows before, ON CONFLICT ROLLBACK ends the whole unit.
func TestFail(t *testing.T) {
	e := tu.SQLite
	const index = "CREATE INDEX items_by_org ON items (org_id); "
	unique := func(what string) string {
		return strings.Replace(wbItems, "(org_id, code))", "(org_id, code) "+what+")", 1) + index
	}
	for name, c := range map[string]struct {
		ddl, effect string
		allow       func(*exosql.Facet[wbItem])
		over        bool // SQLite ends the unit
	}{
		"FAIL":     {unique("ON CONFLICT FAIL"), "ON CONFLICT FAIL", func(f *exosql.Facet[wbItem]) { f.Permit(exosql.AllowConflict("FAIL")) }, false},
		"ABORT":    {unique("ON CONFLICT ABORT"), "", nil, false},
		"ROLLBACK": {unique("ON CONFLICT ROLLBACK"), "", nil, true},
		"RAISE(FAIL)": {strings.Replace(unique(""), ", UNIQUE (org_id, code)", "", 1) + "CREATE TRIGGER no AFTER INSERT ON items WHEN NEW.code = 'm20' AND NEW.id > 3 BEGIN SELECT RAISE(FAIL, 'no'); END; CREATE TRIGGER same AFTER UPDATE OF code ON items WHEN NEW.code = 'same' AND NEW.id > 1 BEGIN SELECT RAISE(FAIL, 'no'); END",
			"the trigger no", func(f *exosql.Facet[wbItem]) { f.Permit(exosql.AllowTrigger("no"), exosql.AllowTrigger("same")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			const rows, look = "INSERT INTO items (org_id, code) VALUES (1, 'x'), (1, 'm20'), (2, 'theirs')", "SELECT id, code, n FROM items ORDER BY 1"
			for what, program := range map[string]string{
				"insertMany": `await items.insertMany(Array.from({ length: 40 }, (_, i) => ({ code: "m" + i })))`,
				"insert":     `await items.insert({ code: "m20" })`,
				"update":     `await items.all().update({ code: "same" })`,
			} {
				db, raw := kit.File(t, e, kit.BreaksDDL(e, c.ddl), rows)
				g := woGrants(db, nil)
				if c.allow != nil {
					wbRefused(t, db, g, raw, look, program, c.effect)
					g = woGrants(db, nil, c.allow)
				}
				res := kit.BreaksTool(t, g).Run(t.Context(), `await items.where({ code: "x" }).update({ n: 5 }); try { `+program+` } catch { return "caught" }`)
				want := "1|x|5 2|m20|0 3|theirs|0"
				if c.over {
					want = "1|x|0 2|m20|0 3|theirs|0"
				}
				if got := kit.Cells(t, raw, look); got != want || (res.Err != nil) != c.over || !c.over && string(res.JSON) != `"caught"` {
					t.Errorf("%s: %s %v leaves %s", what, res.JSON, res.Err, got)
				}
			}
		})
	}
}

type woItem struct {
	ID, Org int64
	Code    string
}

type woKid struct {
	ID, Item, Org int64
	Body          string
}

// woFamily are items and their kids, each by a grant of its own. pause is called before a row of items is written.
func woFamily(db *exosql.DB, pause func(exosql.WriteKind)) codemode.Grants {
	is, ks := exosql.NewTable[woItem]("items"), exosql.NewTable[woKid]("kids")
	id, org := exosql.NewKey(is, "id", func(p *woItem) *int64 { return &p.ID }), exosql.NewColumn(is, "org_id", func(p *woItem) *int64 { return &p.Org })
	code := exosql.NewColumn(is, "code", func(p *woItem) *string { return &p.Code })
	kid, item, korg := exosql.NewKey(ks, "id", func(p *woKid) *int64 { return &p.ID }), exosql.NewColumn(ks, "item_id", func(p *woKid) *int64 { return &p.Item }), exosql.NewColumn(ks, "org_id", func(p *woKid) *int64 { return &p.Org })
	body := exosql.NewColumn(ks, "body", func(p *woKid) *string { return &p.Body })
	if pause != nil {
		is.BeforeWrite(func(_ context.Context, w *exosql.Write[woItem]) error { pause(w.Kind); return nil })
	}
	cascade := func(f *exosql.Facet[woItem]) *exosql.Facet[woItem] {
		return f.Permit(exosql.AllowCascade("kids", "item_id"))
	}
	return codemode.Grants{"items": cascade(exosql.NewFacet(is, "item", id, code).AllowUpdate(code).AllowDelete()).Of(exosql.Grant(db, is, org.Eq(1))),
		"kids": exosql.NewFacet(ks, "kid", kid, item, body, exosql.Via(exosql.One("item", item, id), exosql.NewFacet(is, "parent", id))).AllowUpdate(item).AllowDelete().Of(exosql.Grant(db, ks, korg.Eq(1), exosql.ScopeRows(is, org.Eq(1))))}
}

// TestWriteOrders: to tell whether a key holds PostgreSQL looks past the state that a unit reads. Two programs of which one runs in the midst of the
// other leave what some order of the two leaves all the same: also where one has counted what stood in the way of its write and another one has taken it
// away, or has been told of a row in its way that it doesn't see. The tables are large enough that the planner reads them by keys alone.
func TestWriteOrders(t *testing.T) {
	tu.NotQuick(t)
	e := tu.Postgres
	const items = "INSERT INTO items (org_id, code, n) SELECT 1, 'k' || i, 1 FROM generate_series(1, 5000) AS s (i)"
	const lookItems = "SELECT code, n FROM items WHERE code IN ('k5', 'k6', 'new', 'k4000') OR id IN (4, 5) ORDER BY 1"
	family := func(action string) string {
		return "CREATE TABLE items (id bigint PRIMARY KEY, org_id bigint NOT NULL, code text NOT NULL); CREATE INDEX ON items (org_id); CREATE TABLE kids (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES items " + action + ", org_id bigint NOT NULL, body text NOT NULL); CREATE INDEX ON kids (item_id); CREATE INDEX ON kids (org_id, id)"
	}
	const relatives = "INSERT INTO items SELECT i, 1, 'k' FROM generate_series(1, 5000) AS s (i); INSERT INTO kids SELECT i, i, 1, 'b' FROM generate_series(1, 5000) AS s (i) WHERE i <> 6"
	const lookFamily = "SELECT 'item', id, code FROM items WHERE id IN (5, 6, 7) OR code <> 'k' UNION ALL SELECT 'kid', id, item_id::text FROM kids WHERE id = 5 OR item_id IN (5, 6) ORDER BY 1, 2"
	for name, c := range map[string]struct {
		ddl, rows, look, a, b string
		when                  exosql.WriteKind // of a family: before which write of a the other runs; else before the one of n >= 100
		alike                 bool             // the twin: both are kept, in an order
	}{
		"not taken any more":                 {wbItems, items, lookItems, `const c = await items.where({ code: "k5" }).count(); return items.insert({ code: "k5", n: 100 + c })`, `return items.where({ id: 5 }).delete()`, 0, false},
		"not taken any more, by insertMany":  {wbItems, items, lookItems, `const c = await items.where({ code: "k5" }).count(); return items.insertMany([{ code: "else", n: 1 }, { code: "k5", n: 100 + c }])`, `return items.where({ id: 5 }).delete()`, 0, false},
		"not taken any more, by an update":   {wbItems, items, lookItems, `const c = await items.where({ code: "k5" }).count(); return items.where({ id: 4 }).update({ code: "k5", n: 100 + c })`, `return items.where({ id: 5 }).update({ code: "gone" })`, 0, false},
		"not taken any more, and read after": {wbItems, items, lookItems, `await items.insertMany([{ code: "else", n: 1 }]); await items.insertMany([{ code: "k5", n: 100 }]); const x = await items.where({ id: 4000 }).first(); return items.where({ id: 4 }).update({ n: x.n })`, `await items.where({ id: 5 }).delete(); return items.where({ id: 4000 }).update({ n: 77 })`, 0, false},
		"taken, by one that is not seen":     {wbItems, items, lookItems, `const c = await items.where({ code: "new" }).count(); let t = 0; try { await items.insertMany([{ code: "new", n: 100 }]) } catch { t = 1 } await items.where({ id: 4000 }).update({ n: c * 10 + t }); return [c, t]`, `return items.where({ id: 7 }).update({ code: "new" })`, 0, false},
		"taken, by one that is inserted":     {wbItems, items, lookItems, `const c = await items.where({ code: "new" }).count(); let t = 0; try { await items.insert({ code: "new", n: 100 }) } catch { t = 1 } await items.where({ id: 4000 }).update({ n: c * 10 + t }); return [c, t]`, `return items.insertMany([{ code: "new" }])`, 0, false},
		"an update is refused as taken":      {wbItems, items, lookItems, `const c = await items.where({ code: "new" }).count(); let t = 0; try { await items.where({ id: 4 }).update({ code: "new", n: 100 }) } catch { t = 1 } await items.where({ id: 4000 }).update({ n: c * 10 + t }); return [c, t]`, `return items.insertMany([{ code: "new" }])`, 0, false},
		"the twin, of a new value":           {wbItems, items, lookItems, `const c = await items.where({ code: "new" }).count(); return items.insertMany([{ code: "new", n: 100 + c }])`, `return items.where({ id: 5 }).delete()`, 0, true},
		"not referred to any more":           {family(""), relatives, lookFamily, `const c = await kids.where({ itemId: 5 }).count(); await items.where({ id: 4000 }).update({ code: "saw " + c }); return items.where({ id: 5 }).delete()`, `return kids.where({ id: 5 }).delete()`, exosql.Updates, false},
		"not carried along":                  {family("ON DELETE CASCADE"), relatives, lookFamily, `const c = await kids.where({ itemId: 5 }).count(); await items.where({ id: 4000 }).update({ code: "saw " + c }); return items.where({ id: 5 }).delete()`, `return kids.where({ id: 5 }).update({ itemId: 7 })`, exosql.Updates, false},
		"referred to, by one not seen":       {family(""), relatives, lookFamily, `const c = await kids.where({ itemId: 6 }).count(); let t = 0; try { await items.where({ id: 6 }).delete() } catch { t = 1 } await items.where({ id: 4000 }).update({ code: "saw " + c + ", told " + t }); return [c, t]`, `return kids.where({ id: 3000 }).update({ itemId: 6 })`, exosql.Deletes, false},
		"the twin, of a row without any":     {family(""), relatives, lookFamily, `const c = await kids.where({ itemId: 6 }).count(); await items.where({ id: 4000 }).update({ code: "saw " + c }); return items.where({ id: 6 }).delete()`, `return kids.where({ id: 5 }).delete()`, exosql.Updates, true},
	} {
		t.Run(name, func(t *testing.T) {
			if !tu.OneIn(t, 2).Next() {
				return
			}
			open := func() (*exosql.DB, func() string, func(func()) *codemode.Tool) {
				db, raw := kit.File(t, e, kit.BreaksDDL(e, c.ddl), c.rows)
				if _, err := raw.Exec("VACUUM ANALYZE items" + map[bool]string{false: ", kids"}[c.ddl == wbItems]); err != nil {
					t.Fatal(err)
				}
				return db, func() string { return kit.Cells(t, raw, c.look) }, func(pause func()) *codemode.Tool {
					if c.ddl == wbItems {
						return kit.BreaksTool(t, woGrants(db, func(n int64) {
							if n >= 100 && pause != nil {
								pause()
							}
						}))
					}
					return kit.BreaksTool(t, woFamily(db, func(k exosql.WriteKind) {
						if k == c.when && pause != nil {
							pause()
						}
					}))
				}
			}
			serial := map[string]bool{}
			for _, order := range [][]string{{c.a, c.b}, {c.b, c.a}} {
				_, look, tool := open()
				for _, p := range order {
					_ = tool(nil).Run(t.Context(), p) // of one that fails nothing stays
				}
				serial[look()] = true
			}
			_, look, tool := open()
			other, done := tool(nil), false
			res := tool(func() {
				if !done {
					done = true
					if res := other.Run(context.Background(), c.b); res.Err != nil {
						t.Errorf("the other: %v", res.Err)
					}
				}
			}).Run(t.Context(), c.a)
			got := look()
			if !done || c.alike && res.Err != nil {
				t.Fatalf("the other did not run, or the twin was not kept: %s %v", res.JSON, res.Err)
			}
			if res.Err != nil { // then it is the other alone
				_, look, tool := open()
				if res := tool(nil).Run(t.Context(), c.b); res.Err != nil {
					t.Fatal(res.Err)
				}
				serial[look()] = true
			}
			if !serial[got] {
				t.Errorf("%s %v leaves\n%s\nwhich no order does: %v", res.JSON, res.Err, got, serial)
			}
		})
	}
}

// TestConflictInTx: a run in a host's Tx that can't be put in an order is over, also where its program catches the error.
func TestConflictInTx(t *testing.T) {
	db, raw := kit.File(t, tu.Postgres, kit.BreaksDDL(tu.Postgres, wbItems), "INSERT INTO items (org_id, code, n) VALUES (1, 'k', 1), (1, 'x', 1)")
	other, done := kit.BreaksTool(t, woGrants(db, nil)), false
	tool := kit.BreaksTool(t, woGrants(db, func(n int64) {
		if n >= 100 && !done {
			done = true
			if res := other.Run(context.Background(), `return items.where({ code: "k" }).delete()`); res.Err != nil {
				t.Error(res.Err)
			}
		}
	}))
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res := tool.Run(tx.Context(t.Context()), `const c = await items.where({ code: "k" }).count(); let t = 0; try { await items.insertMany([{ code: "k", n: 100 + c }]) } catch { t = 1 } await items.where({ code: "x" }).update({ n: c * 10 + t }); return [c, t]`)
	if err := tx.Commit(t.Context()); err != nil {
		t.Logf("commit: %v", err)
	}
	if got := kit.Cells(t, raw, "SELECT code, n FROM items"); !done || res.Err == nil || got != "x|1" {
		t.Errorf("%s %v leaves %s", res.JSON, res.Err, got)
	}
}
