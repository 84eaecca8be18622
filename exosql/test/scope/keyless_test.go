package scope_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type keylessRow struct {
	Org, Hidden int64
	Pay         int64
	Role        string
}

// TestKeyless: rows of which no two need differ come in an order of what the program is shown plain: neither a hidden column nor a
// labelled one shows in it. Where rows are told apart by their key, equal ones are not taken for one.
func TestKeyless(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, tag := range []string{"pay", "untrusted"} {
			for _, hidden := range []string{"(1, 9, 1, 'a'), (1, 1, 9, 'b')", "(1, 1, 9, 'a'), (1, 9, 1, 'b')"} {
				db, _ := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE pivots (org_id {int} NOT NULL, hidden {int} NOT NULL, pay {int} NOT NULL, role TEXT NOT NULL); CREATE TABLE items (id {serial}, code TEXT);"+
					"INSERT INTO pivots (org_id, hidden, pay, role) VALUES "+hidden+"; INSERT INTO pivots SELECT 2, hidden, pay, role FROM pivots; INSERT INTO pivots SELECT * FROM pivots WHERE org_id = 2; INSERT INTO items (code) VALUES ('a'), ('a'), ('b')"))
				pivots := exosql.NewTable[keylessRow]("pivots").Keyless()
				org, role := exosql.NewColumn(pivots, "org_id", func(o *keylessRow) *int64 { return &o.Org }), exosql.NewColumn(pivots, "role", func(o *keylessRow) *string { return &o.Role })
				exosql.NewColumn(pivots, "hidden", func(o *keylessRow) *int64 { return &o.Hidden })
				pay := exosql.NewColumn(pivots, "pay", func(o *keylessRow) *int64 { return &o.Pay }).WithLabel(tag)
				items := exosql.NewTable[kit.AsksItem]("items")
				id, code := exosql.NewKey(items, "id", func(o *kit.AsksItem) *int64 { return &o.ID }), exosql.NewColumn(items, "code", func(o *kit.AsksItem) *string { return &o.Code })
				link, item := exosql.Many("items", role, code), exosql.NewFacet(items, "item", id, code)
				of := func(n int64) codemode.Grants {
					return codemode.Grants{"pivots": exosql.NewFacet(pivots, "pivot", pay, role, exosql.Via(link, item)).Of(exosql.Grant(db, pivots, org.Eq(n), exosql.ScopeVia(link))),
						"items": item.Of(exosql.Grant(db, items, exosql.AllRows[kit.AsksItem]()))}
				}
				for _, c := range []struct {
					org           int64
					program, want string
				}{
					{1, "return (await pivots.limit(1)).map(p => p.role)", `["a"]`},
					{1, "return pivots.first().then(p => p.role)", `"a"`},
					{1, "return (await pivots.offset(1)).map(p => p.role)", `["b"]`},
					{1, "return (await pivots.page(1)).rows", "this table has none"},
					{1, "return (await pivots.select(p => ({ r: p.role })).distinct().page(1)).rows", "Different values can be read in pages: .groupBy(pivot => pivot.role).page(50)"},
					{1, "return (await pivots.groupBy(pivot => pivot.role).page(50)).rows.length", "2"},
					{2, "return pivots.count()", "4"},
					{2, "return pivots.join(({ pivot }) => pivot.items().limit(1)).select(({ pivot, item }) => ({ r: pivot.role, c: item.code })).execute()", "this table has none"},
					{2, "return pivots.join(({ pivot }) => pivot.items()).count()", "6"},
					{2, "return items.join(() => pivots.limit(3), ({ pivot }) => pivot.role.ne('z')).count()", "9"},
				} {
					r := kit.BreaksTool(t, of(c.org)).Run(t.Context(), c.program)
					if r.Err == nil && string(r.JSON) != c.want || r.Err != nil && !strings.Contains(r.Err.Error(), c.want) {
						t.Errorf("%s: %s %v, want %s", c.program, r.JSON, r.Err, c.want)
					}
				}
			}
		}
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a table with a key is Keyless")
			}
		}()
		items := exosql.NewTable[kit.AsksItem]("items")
		exosql.NewKey(items, "id", func(o *kit.AsksItem) *int64 { return &o.ID })
		items.Keyless()
	}()
}
