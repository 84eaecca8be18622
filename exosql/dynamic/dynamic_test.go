package dynamic_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

const shop = `CREATE TABLE shops (id {int} PRIMARY KEY, name text NOT NULL);
CREATE TABLE items (id {int} PRIMARY KEY, shop_id {int} NOT NULL, state text NOT NULL, price {decimal}, "limit" {int}, note text);
CREATE TABLE marks (item_id {int} NOT NULL, shop_id {int} NOT NULL, at text, "a b" text);
INSERT INTO shops VALUES (1, 'a'), (2, 'b');
INSERT INTO items VALUES (1, 1, 'new', '1.50', 1, NULL), (2, 1, 'old', NULL, 2, 'x'), (3, 2, 'new', '2', 3, NULL);`

// world is a declared shop: what is right, for tests to take one thing from.
type world struct {
	t            *testing.T
	live         *schema.Database
	d            *dynamic.Declarations
	shops, items *dynamic.Table
	marks        *dynamic.Table
	own, back    *dynamic.Link
	shop, item   *dynamic.Facet
}

func newWorld(t *testing.T, live *schema.Database) *world {
	t.Helper()
	w := &world{t: t, live: live, d: dynamic.New(live)}
	w.shops = get(w.d.Table("shops"))(t)
	w.items = get(w.d.Table("items", dynamic.ColumnSpec{Name: "state", OneOf: []string{"new", "old"}}, dynamic.ColumnSpec{Name: "price", Type: value.TypeDecimal}, dynamic.ColumnSpec{Name: "limit", As: "most", Doc: "the most of it"}))(t)
	w.marks = get(w.d.Table("marks"))(t)
	w.own = get(w.shops.Link(dynamic.LinkSpec{Name: "items", Columns: []string{"id"}, To: w.items, References: []string{"shop_id"}}))(t)
	w.back = get(w.items.Link(dynamic.LinkSpec{Name: "shop", Columns: []string{"shop_id"}, To: w.shops, References: []string{"id"}, One: true}))(t)
	w.shop = get(w.shops.Facet("shop", "id", "name"))(t)
	w.item = get(w.items.Facet("item", "id", "state", "price", "limit"))(t)
	must(t, w.shop.Add(w.own, w.item))
	must(t, w.item.Add(w.back, w.shop))
	return w
}

func get[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T { t.Helper(); must(t, err); return x }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func engines(t *testing.T, test func(t *testing.T, db *exosql.DB, live *schema.Database)) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(strings.Split(e.SQL(shop), "\n")...)})
		live, err := db.Catalog(t.Context())
		must(t, err)
		test(t, db, live)
	})
}

// TestPredicates: each predicate means what it says, and values are bound.
func TestPredicates(t *testing.T) {
	engines(t, func(t *testing.T, db *exosql.DB, live *schema.Database) {
		w := newWorld(t, live)
		for want, conds := range map[string][]dynamic.Predicate{
			"[1,2]":   {dynamic.Eq("shop_id", 1), dynamic.Ne("shop_id", int64(2)), dynamic.In("id", 1, 2), dynamic.Le("id", 2), dynamic.Lt("id", 3), dynamic.Not(dynamic.Eq("id", 3)), dynamic.Or(dynamic.Eq("id", 1), dynamic.Eq("id", 2)), dynamic.And(dynamic.Ge("id", 1), dynamic.Lt("limit", 3))},
			"[1]":     {dynamic.Eq("price", "1.50"), dynamic.Eq("price", 1.5), dynamic.And(dynamic.Eq("state", "new"), dynamic.Eq("shop_id", 1)), dynamic.And(dynamic.IsNull("note"), dynamic.Lt("id", 2))},
			"[2]":     {dynamic.IsNotNull("note"), dynamic.Eq("note", "x"), dynamic.And(dynamic.Gt("id", 1), dynamic.Eq("shop_id", 1))},
			"[]":      {dynamic.In("id"), dynamic.Eq("note", "' OR '1'='1")},
			"[3]":     {dynamic.Eq("price", 2)},
			"[1,2,3]": {dynamic.AllRows()},
		} {
			for i, c := range conds {
				o, err := w.item.Grant(db, c, dynamic.ScopeShared(w.shops))
				must(t, err)
				r := tu.NewRunner(t, map[string]exo.Object{"items": o}, exo.Limits{}).Run(t, "const r = await items.orderBy(i => i.id); return r.map(i => i.id)")
				if r.JSON != want {
					t.Errorf("%s, %d: %s %s", want, i, r.JSON, r.Message)
				}
				for _, q := range r.SQL {
					if strings.Contains(q.SQL, "OR '1'") {
						t.Errorf("a value is in the text: %s", q.SQL)
					}
				}
			}
		}
	})
}

// TestRefusals: what package exosql does not compile, or panics about, is an error here that
// says where and what would be right.
func TestRefusals(t *testing.T) {
	engines(t, func(t *testing.T, db *exosql.DB, live *schema.Database) {
		grant := func(w *world, c dynamic.Predicate, others ...dynamic.Scope) error {
			_, err := w.shop.Grant(db, c, others...)
			return err
		}
		link := func(from *dynamic.Table, l dynamic.LinkSpec) error { _, err := from.Link(l); return err }
		table := func(w *world, name string, c ...dynamic.ColumnSpec) error {
			_, err := dynamic.New(w.live).Table(name, c...)
			return err
		}
		facet := func(t *dynamic.Table, alias string, columns ...string) error {
			_, err := t.Facet(alias, columns...)
			return err
		}
		if w := newWorld(t, live); grant(w, dynamic.Eq("id", 1)) != nil {
			t.Fatal("the twin of all these is refused")
		}
		for name, c := range map[string]struct {
			do       func(w *world) error
			op, says string
		}{
			"unknown table":    {func(w *world) error { return table(w, "shop") }, "shop", "there are items, marks, shops"},
			"table twice":      {func(w *world) error { _, err := w.d.Table("shops"); return err }, "shops", "twice"},
			"table spelt anew": {func(w *world) error { _, err := w.d.Table("SHOPS"); return err }, "SHOPS", "shops"},
			"unknown column":   {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "nam"}) }, "shops.nam", "there are id, name"},
			"column twice": {func(w *world) error {
				return table(w, "shops", dynamic.ColumnSpec{Name: "id"}, dynamic.ColumnSpec{Name: "id"})
			}, "shops.id", "twice"},
			"a type it is not":     {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "id", Type: value.TypeUUID}) }, "shops.id", "can't be declared uuid"},
			"name for programs":    {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "id", As: "then"}) }, "shops.id", "\"then\""},
			"OneOf of numbers":     {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "id", OneOf: []string{"1"}}) }, "shops.id", "text column"},
			"StoredISO of a text":  {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "name", StoredISO: true}) }, "shops.name", "time column"},
			"scope, column":        {func(w *world) error { return grant(w, dynamic.Eq("idd", 1)) }, "shops.idd", "there are id, name"},
			"scope, text for int":  {func(w *world) error { return grant(w, dynamic.Eq("id", "1")) }, "shops.id", "is int"},
			"scope, int for text":  {func(w *world) error { return grant(w, dynamic.Eq("name", 1)) }, "shops.name", "is text"},
			"scope, bool for int":  {func(w *world) error { return grant(w, dynamic.In("id", 1, true)) }, "shops.id", "is int"},
			"scope, time for text": {func(w *world) error { return grant(w, dynamic.Eq("name", time.Time{})) }, "shops.name", "is text"},
			"scope, fraction":      {func(w *world) error { return grant(w, dynamic.Eq("id", 1.5)) }, "shops.id", "is int"},
			"scope, NUL":           {func(w *world) error { return grant(w, dynamic.Eq("name", "a\x00")) }, "shops.name", "its value can't be"},
			"scope, nil":           {func(w *world) error { return grant(w, dynamic.Eq("id", nil)) }, "shops.id", "nil can't be its value"},
			"scope, enum": {func(w *world) error {
				return grant(w, dynamic.Eq("id", 1), dynamic.ScopeRows(w.items, dynamic.Eq("state", "sold")))
			}, "items.state", "want one of new, old"},
			"zero condition":       {func(w *world) error { return grant(w, dynamic.Predicate{}) }, "shops", "AllRows"},
			"zero inside":          {func(w *world) error { return grant(w, dynamic.Not(dynamic.Predicate{})) }, "shops", "AllRows"},
			"and of nothing":       {func(w *world) error { return grant(w, dynamic.And()) }, "shops", "no predicates"},
			"zero scope":           {func(w *world) error { return grant(w, dynamic.Eq("id", 1), dynamic.Scope{}) }, "", "nil or zero"},
			"scope of the granted": {func(w *world) error { return grant(w, dynamic.Eq("id", 1), dynamic.ScopeShared(w.shops)) }, "shops", "is the granted one"},
			"two scopes": {func(w *world) error {
				return grant(w, dynamic.Eq("id", 1), dynamic.ScopeShared(w.items), dynamic.ScopeVia(w.own))
			}, "shops", "two scopes"},
			"keys of two types": {func(w *world) error {
				return link(w.shops, dynamic.LinkSpec{Name: "x", Columns: []string{"id"}, To: w.items, References: []string{"note"}})
			}, "shops.x", "types of the keys differ: shops.id is int and items.note is text"},
			"too few keys": {func(w *world) error {
				return link(w.shops, dynamic.LinkSpec{Name: "x", Columns: []string{"id"}, To: w.items})
			}, "shops.x", "the same number of both"},
			"link, column": {func(w *world) error {
				return link(w.shops, dynamic.LinkSpec{Name: "x", Columns: []string{"id"}, To: w.items, References: []string{"shop"}})
			}, "items.shop", "there are id, limit"},
			"link, no table": {func(w *world) error {
				return link(w.shops, dynamic.LinkSpec{Name: "x", Columns: []string{"id"}, References: []string{"id"}})
			}, "shops.x", "no Table of the same"},
			"link, a method": {func(w *world) error {
				return link(w.shops, dynamic.LinkSpec{Name: "where", Columns: []string{"id"}, To: w.items, References: []string{"shop_id"}})
			}, "shops.where", "something else"},
			"reserved alias":      {func(w *world) error { return facet(w.shops, "then", "id") }, "shops", "alias"},
			"keyword alias":       {func(w *world) error { return facet(w.shops, "class", "id") }, "shops", `it is a word of JavaScript, and programs call rows by the alias: use another, like "classRow"`},
			"facet, column":       {func(w *world) error { return facet(w.shops, "s", "nam") }, "shops.nam", "there are id, name"},
			"facet, column twice": {func(w *world) error { return facet(w.shops, "s", "id", "id") }, "shops.id", "two members"},
			"facet, link twice":   {func(w *world) error { return w.shop.Add(w.own, w.item) }, "shops.items", "two members"},
			"facet, other link":   {func(w *world) error { return w.shop.Add(w.back, w.shop) }, "shops.shop", "from table items"},
			"facet, other target": {func(w *world) error { return w.shop.Add(w.own, w.shop) }, "shops.items", "the link leads to table items"},
			"in use":              {func(w *world) error { must(w.t, grant(w, dynamic.Eq("id", 1))); return w.shop.Add(w.own, w.item) }, "shops.items", "in use"},
			"alias twice": {func(w *world) error {
				f := get(w.items.Facet("shop", "id"))(w.t)
				s := get(w.shops.Facet("shop", "id"))(w.t)
				must(w.t, s.Add(w.own, f))
				_, err := s.Grant(db, dynamic.Eq("id", 1))
				return err
			}, "shops", "two facets have the alias"},
			"reached in two ways": {func(w *world) error {
				other := get(w.items.Link(dynamic.LinkSpec{Name: "siblings", Columns: []string{"shop_id"}, To: w.items, References: []string{"shop_id"}}))(w.t)
				must(w.t, w.item.Add(other, w.item))
				return grant(w, dynamic.Eq("id", 1))
			}, "shops", "table items can be reached by shops.items and by items.siblings, which may mean different rows; declare which are in scope, as a further argument of Grant: ScopeVia(the link shops.items)"},
			"OneOf of nothing": {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "name", OneOf: []string{}}) }, "shops.name", "leave OneOf out"},
			"OneOf, NUL": {func(w *world) error {
				return table(w, "shops", dynamic.ColumnSpec{Name: "name", OneOf: []string{"\x00"}})
			}, "shops.name", "OneOf"},
			"unknown type":        {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "id", Type: "serial"}) }, "shops.id", "no type \"serial\""},
			"array of nothing":    {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "name", Type: value.TypeList}) }, "shops.name", "Elem"},
			"Elem of no array":    {func(w *world) error { return table(w, "shops", dynamic.ColumnSpec{Name: "name", Elem: value.TypeInt}) }, "shops.name", "Elem"},
			"add a zero link":     {func(w *world) error { return w.shop.Add(&dynamic.Link{}, w.item) }, "dynamic.Link", "make one with Table.Link"},
			"add to a zero facet": {func(w *world) error { return w.shop.Add(w.own, &dynamic.Facet{}) }, "dynamic.Facet", "make one with Table.Facet"},
			"scope, zero link":    {func(w *world) error { return grant(w, dynamic.Eq("id", 1), dynamic.ScopeVia(&dynamic.Link{})) }, "dynamic.Link", "make one with Table.Link"},
			"scope, zero table":   {func(w *world) error { return grant(w, dynamic.Eq("id", 1), dynamic.ScopeShared(&dynamic.Table{})) }, "dynamic.Table", "make one with"},
			"scope, no table":     {func(w *world) error { return grant(w, dynamic.Eq("id", 1), dynamic.ScopeRows(nil, dynamic.AllRows())) }, "dynamic.Table", "make one with"},
			"zero database":       {func(w *world) error { _, err := w.shop.Grant(&exosql.DB{}, dynamic.Eq("id", 1)); return err }, "shops", "was not opened"},
			"search, column":      {func(w *world) error { return w.item.Search("nothing") }, "items.nothing", "there are id"},
			"search, no text":     {func(w *world) error { return w.item.Search("id") }, "items", "it is not a text"},
			"search of nothing":   {func(w *world) error { return w.item.Search() }, "items", "0 columns"},
			"search twice":        {func(w *world) error { must(w.t, w.item.Search("state")); return w.item.Search("state") }, "items", "two searches"},
			"search of a hidden":  {func(w *world) error { must(w.t, w.item.Search("note")); return grant(w, dynamic.Eq("id", 1)) }, "shops", "which the facet does not show"},
			"search, zero facet":  {func(w *world) error { return (&dynamic.Facet{}).Search("state") }, "dynamic.Facet", "make one with Table.Facet"},
			"insert, column":      {func(w *world) error { return w.item.AllowInsert("nothing") }, "items.nothing", "there are id"},
			"insert of nothing":   {func(w *world) error { return w.item.AllowInsert() }, "items", "name those that programs may write"},
			"insert of a hidden":  {func(w *world) error { return w.item.AllowInsert("id", "note") }, "items", "does not show the column note"},
			"update of a key":     {func(w *world) error { return w.item.AllowUpdate("id") }, "items", "can't be changed"},
			"update of a hidden":  {func(w *world) error { return w.item.AllowUpdate("note") }, "items", "does not show the column note"},
			"rights, zero facet":  {func(w *world) error { return (&dynamic.Facet{}).AllowUpdate("state") }, "dynamic.Facet", "make one with Table.Facet"},
			"delete, zero facet":  {func(w *world) error { return (&dynamic.Facet{}).AllowDelete() }, "dynamic.Facet", "make one with Table.Facet"},
			"rights, in use":      {func(w *world) error { must(w.t, grant(w, dynamic.Eq("id", 1))); return w.item.AllowDelete() }, "items", "in use"},
			"unusable name": {func(w *world) error {
				_, err := w.marks.Facet("mark", "a b")
				return err
			}, "marks.a b", "ColumnSpec.As"},
			"no database": {func(w *world) error { _, err := w.shop.Grant(nil, dynamic.Eq("id", 1)); return err }, "shops", "was not opened"},
		} {
			err := c.do(newWorld(t, live))
			if fail.KindOf(err) != fail.Invalid || strings.Count(err.Error(), c.says) != 1 || !strings.Contains(err.Error(), c.op) {
				t.Errorf("%s: %v\nwant %s: …%s", name, err, c.op, c.says)
			}
		}
	})
}

// TestSearch: what is searched is declared by names.
func TestSearch(t *testing.T) {
	engines(t, func(t *testing.T, db *exosql.DB, live *schema.Database) {
		w := newWorld(t, live)
		must(t, w.item.Search("state"))
		o := get(w.shop.Grant(db, dynamic.Eq("id", 1)))(t)
		out := tu.NewRunner(t, map[string]exo.Object{"shop": o}, exo.Limits{}).Run(t, "return await shop.items().search('NEW').select(i => ({ id: i.id, rank: i.rank() }))")
		if out.JSON != `[{"id":1,"rank":1}]` {
			t.Error(out)
		}
	})
}

// TestManyGrants: a server grants of one facet for many requests at once.
func TestManyGrants(t *testing.T) {
	engines(t, func(t *testing.T, db *exosql.DB, live *schema.Database) {
		w := newWorld(t, live)
		var all sync.WaitGroup
		for id := range 8 {
			all.Go(func() {
				o, err := w.shop.Grant(db, dynamic.Eq("id", id), dynamic.ScopeVia(w.own))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := o.Describe(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}
