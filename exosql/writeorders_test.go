package exosql_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
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
		"FAIL":     {unique("ON CONFLICT FAIL"), "ON CONFLICT FAIL", func(f *exosql.Facet[wbItem]) { f.AllowEffects("ON CONFLICT FAIL") }, false},
		"ABORT":    {unique("ON CONFLICT ABORT"), "", nil, false},
		"ROLLBACK": {unique("ON CONFLICT ROLLBACK"), "", nil, true},
		"RAISE(FAIL)": {strings.Replace(unique(""), ", UNIQUE (org_id, code)", "", 1) + "CREATE TRIGGER no AFTER INSERT ON items WHEN NEW.code = 'm20' AND NEW.id > 3 BEGIN SELECT RAISE(FAIL, 'no'); END; CREATE TRIGGER same AFTER UPDATE OF code ON items WHEN NEW.code = 'same' AND NEW.id > 1 BEGIN SELECT RAISE(FAIL, 'no'); END",
			"the trigger no", func(f *exosql.Facet[wbItem]) { f.AllowEffects("no", "same") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			const rows, look = "INSERT INTO items (org_id, code) VALUES (1, 'x'), (1, 'm20'), (2, 'theirs')", "SELECT id, code, n FROM items ORDER BY 1"
			for what, program := range map[string]string{
				"insertMany": `await items.insertMany(Array.from({ length: 40 }, (_, i) => ({ code: "m" + i })))`,
				"insert":     `await items.insert({ code: "m20" })`,
				"update":     `await items.all().update({ code: "same" })`,
			} {
				db, raw := wrFile(t, e, wbDDL(e, c.ddl), rows)
				g := woGrants(db, nil)
				if c.allow != nil {
					wbRefused(t, db, g, raw, look, program, c.effect)
					g = woGrants(db, nil, c.allow)
				}
				res := wbTool(t, g).Run(t.Context(), `await items.where({ code: "x" }).update({ n: 5 }); try { `+program+` } catch { return "caught" }`)
				want := "1|x|5 2|m20|0 3|theirs|0"
				if c.over {
					want = "1|x|0 2|m20|0 3|theirs|0"
				}
				if got := cells(t, raw, look); got != want || (res.Err != nil) != c.over || !c.over && string(res.JSON) != `"caught"` {
					t.Errorf("%s: %s %v leaves %s", what, res.JSON, res.Err, got)
				}
			}
		})
	}
}
