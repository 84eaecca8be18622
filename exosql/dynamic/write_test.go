package dynamic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

type shopRow struct {
	ID   int64
	Name string
}

type itemRow struct {
	ID, Shop int64
	State    string
	Price    *exosql.Decimal
}

// typed declares by Go types what written declares by names.
func typed(db *exosql.DB) exo.Object {
	shops, items := exosql.NewTable[shopRow]("shops"), exosql.NewTable[itemRow]("items")
	shopID := exosql.NewKey(shops, "id", func(s *shopRow) *int64 { return &s.ID })
	name := exosql.NewColumn(shops, "name", func(s *shopRow) *string { return &s.Name })
	id := exosql.NewKey(items, "id", func(i *itemRow) *int64 { return &i.ID })
	shop := exosql.NewColumn(items, "shop_id", func(i *itemRow) *int64 { return &i.Shop })
	state := exosql.NewColumn(items, "state", func(i *itemRow) *string { return &i.State }).OneOf("new", "old")
	price := exosql.NewNullable(items, "price", func(i *itemRow) **exosql.Decimal { return &i.Price })
	item := exosql.NewFacet(items, "item", id, state, price).AllowInsert(id, state, price).AllowUpdate(price).AllowDelete().Permit(exosql.AllowUnique("id"))
	facet := exosql.NewFacet(shops, "shop", shopID, name, exosql.Via(exosql.Many("items", shopID, shop), item))
	return facet.Of(exosql.Grant(db, shops, shopID.Eq(1)))
}

func written(t *testing.T, db *exosql.DB, live *schema.Database) exo.Object {
	w := newWorld(t, live)
	item := get(w.items.Facet("item", "id", "state", "price"))(t)
	shop := get(w.shops.Facet("shop", "id", "name"))(t)
	must(t, shop.Add(w.own, item))
	must(t, item.AllowInsert("id", "state", "price"))
	must(t, item.AllowUpdate("price"))
	must(t, item.AllowDelete())
	must(t, item.Permit("unique(id)"))
	return get(shop.Grant(db, dynamic.Eq("id", 1)))(t)
}

// TestDynamicWrites: rights given by names are those given by types: the same statements, values and answers.
func TestDynamicWrites(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		open := func() (*exosql.DB, *schema.Database) {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(e.SQL(shop), "\n")...)})
			return db, get(db.Catalog(t.Context()))(t)
		}
		runner := func(o exo.Object) *tu.Runner {
			return tu.NewRunner(t, map[string]exo.Object{"shop": o}, exo.Limits{})
		}
		db, live := open()
		byName := runner(written(t, db, live))
		db, _ = open()
		byType := runner(typed(db))
		for program, want := range map[string]string{
			`return shop.items().insert({ id: 9, state: "old", price: "2.5" })`:                        `{"id":9,"state":"old","price":"2.5"}`,
			`return shop.items().insertMany([{ id: 10, state: "new" }, { id: 11, state: "old" }])`:     `2`,
			`return shop.items().where(i => i.id === 1).update({ price: "3" })`:                        `1`,
			`return shop.items().where(i => i.id < 3).update(i => ({ price: i.price }))`:               `2`,
			`return shop.items().where(i => i.id === 3).delete()`:                                      `0`,
			`return shop.items().where(i => i.id === 1).update({ state: "old" })`:                      "there is no field `state`",
			`return shop.items().delete()`:                                                             "this call would delete every row",
			`return shop.insert({ id: 5 })`:                                                            "has no member `insert`",
			`return shop.items().insert({ id: 12, shopId: 2 })`:                                        "there is no field `shopId`",
			`return shop.items().insert({ id: 1, state: "new" })`:                                      "`id` is taken",
			`await shop.items().where(i => i.id === 2).delete(); throw new Error("so it is put back")`: "so it is put back",
		} {
			a, b := byName.Run(t, program), byType.Run(t, program)
			if a.JSON+a.Message != b.JSON+b.Message || a.Kind != b.Kind || !strings.Contains(a.JSON+a.Message, want) {
				t.Errorf("%s\n by name %s\n by type %s\n want %s", program, a, b, want)
			}
			statements := func(o tu.Outcome) (out []string) {
				for _, q := range o.SQL {
					out = append(out, fmt.Sprint(q.SQL, q.Args))
				}
				return out
			}
			if !slices.Equal(statements(a), statements(b)) || want[0] < 'A' && len(a.SQL) == 0 {
				t.Errorf("%s\n by name %q\n by type %q", program, statements(a), statements(b))
			}
		}
	})
}
