package writes_test

// This file writes decimals with more digits than a floating-point number has.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type edItem struct {
	ID, Org int64
	Price   exosql.Decimal
}

// TestDecimalsAreKept: what is written into a column of decimals is read as the same number, or the write is an error. A column of SQLite
// whose type is no text would keep the nearest floating-point number.
func TestDecimalsAreKept(t *testing.T) {
	const digits, exact, whole, many = "12345678901234567.89", "12345678901234.56", "9007199254740993", "99999999999999999999999999"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		seen := map[string]bool{}
		for typ, lost := range map[string]string{"NUMERIC": digits + many, "DECIMAL(30, 4)": digits + many, "TEXT": "", "REAL": digits + many + whole, "INTEGER": digits + many} {
			if e.Name == tu.Postgres.Name {
				if typ, lost = "numeric", ""; seen[typ] {
					continue
				}
				seen[typ] = true
			}
			for _, price := range []string{digits, exact, whole, many, "-0.10", "0", "1234567890.123456"} {
				held := !strings.Contains(lost, price) || price == "0"
				db, raw := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE items (id {serial}, org_id {int} NOT NULL, price "+typ+" NOT NULL); CREATE INDEX items_by_org ON items (org_id); INSERT INTO items (org_id, price) VALUES (1, '7.5'), (1, '7.5')"))
				items := exosql.NewTable[edItem]("items")
				id, org := exosql.NewKey(items, "id", func(o *edItem) *int64 { return &o.ID }), exosql.NewColumn(items, "org_id", func(o *edItem) *int64 { return &o.Org })
				cost := exosql.NewColumn(items, "price", func(o *edItem) *exosql.Decimal { return &o.Price })
				mine := exosql.Grant(db, items, org.Eq(1))
				tool := kit.BreaksTool(t, codemode.Grants{"items": exosql.NewFacet(items, "item", id, cost).AllowInsert(cost).AllowUpdate(cost).Of(mine)})
				for kind, program := range map[string]string{
					"update":     `await items.where({ id: 1 }).update({ price: P }); return items.where({ id: 1, price: P }).count()`,
					"calculated": `await items.where({ id: 1 }).update(i => ({ price: i.price.sub(i.price).add(P) })); return items.where({ id: 1, price: P }).count()`,
					"insert":     `const made = await items.insert({ price: P }); return items.where({ id: made.id, price: P }).count()`,
					"insertMany": `const made = await items.insertMany([{ price: "1" }, { price: P }]); return Math.min(1, await items.where({ price: P }).count()) * made`,
				} {
					before := kit.Cells(t, raw, "SELECT count(*), min(price) FROM items")
					res := tool.Run(t.Context(), strings.ReplaceAll(program, "P", `"`+price+`"`))
					if held && (res.Err != nil || string(res.JSON) != map[bool]string{true: "2", false: "1"}[kind == "insertMany"]) || !held && (res.Err == nil || !strings.Contains(res.Err.Error(), "can't store") || kit.Cells(t, raw, "SELECT count(*), min(price) FROM items") != before) {
						t.Errorf("%s: %s %s: %s %v", typ, kind, price, res.JSON, res.Err)
					}
				}
				n, err := mine.Where(id.Eq(2)).Update(t.Context(), cost.Set(exosql.Decimal(price)))
				same, _ := mine.Where(exosql.And(cost.Eq(exosql.Decimal(price)), id.Eq(2))).Count(t.Context())
				if held != (err == nil && n == 1 && same == 1) {
					t.Errorf("%s, in Go: %s: %d %d %v", typ, price, n, same, err)
				}
			}
		}
	})
}

// TestTextsAreKept: a column of SQLite whose type is no text, like STRING, makes numbers of texts. A text that would be read as another
// one is refused; a column of texts takes all.
func TestTextsAreKept(t *testing.T) {
	type row struct {
		ID, Org int64
		Code    string
	}
	for _, typ := range []string{"STRING", "BOOLEAN", "TEXT"} {
		for code, kept := range map[string]bool{"007": false, "12": true, "-3": true, "1e3": false, "1.50": false, "1.5": true, " 5": false, "12345678901234567890": false, "yes": true, "": true, "1-2": true, "e": true, "+5": false} {
			db, _ := kit.File(t, tu.SQLite, "CREATE TABLE items (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, code "+typ+" NOT NULL); CREATE INDEX items_by_org ON items (org_id); INSERT INTO items (org_id, code) VALUES (1, 'x')")
			items := exosql.NewTable[row]("items")
			id, org := exosql.NewKey(items, "id", func(o *row) *int64 { return &o.ID }), exosql.NewColumn(items, "org_id", func(o *row) *int64 { return &o.Org })
			text := exosql.NewColumn(items, "code", func(o *row) *string { return &o.Code })
			tool := kit.BreaksTool(t, codemode.Grants{"items": exosql.NewFacet(items, "item", id, text).AllowUpdate(text).Of(exosql.Grant(db, items, org.Eq(1)))})
			res := tool.Run(t.Context(), `await items.all().update({ code: "`+code+`" }); return (await items.first()).code === "`+code+`"`)
			if want := kept || typ == "TEXT"; want != (res.Err == nil && string(res.JSON) == "true") || !want && (res.Err == nil || !strings.Contains(res.Err.Error(), "can't store")) {
				t.Errorf("%s %q: %s %v", typ, code, res.JSON, res.Err)
			}
		}
	}
}
