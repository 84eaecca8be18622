package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestNeededIsFilledIn: a column that a new row needs and that programs can't give is named with the link that fills it in, and through that the row is
// added. The twin: where they can give it, or no link leads there, the error says no more than that it is needed.
func TestNeededIsFilledIn(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct{ given, linked bool }{{false, true}, {true, true}, {false, false}} {
			db, _ := kit.File(t, e, "CREATE TABLE orders (id {int} PRIMARY KEY)", "CREATE TABLE lines (id {int} PRIMARY KEY, order_id {int} NOT NULL REFERENCES orders (id), text TEXT)", "INSERT INTO orders VALUES (1)")
			live, err := db.Catalog(t.Context())
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(err)
			d := dynamic.New(live)
			orders, err := d.Table("orders")
			must(err)
			lines, err := d.Table("lines")
			must(err)
			of, err := orders.Facet("order", "id")
			must(err)
			lf, err := lines.Facet("line", "id", "order_id", "text")
			must(err)
			must(lf.AllowInsert("id", "text"))
			must(lf.Permit("unique(id)"))
			grants := codemode.Grants{}
			if c.given {
				must(lf.AllowInsert("order_id"))
			}
			back, err := lines.Link(dynamic.LinkSpec{Name: "order", One: true, Columns: []string{"order_id"}, To: orders, References: []string{"id"}})
			must(err)
			must(lf.Add(back, of))
			if c.linked {
				there, err := orders.Link(dynamic.LinkSpec{Name: "lines", Columns: []string{"id"}, To: lines, References: []string{"order_id"}})
				must(err)
				must(of.Add(there, lf))
			}
			grants["lines"], err = lf.Grant(db, dynamic.AllRows(), dynamic.ScopeRows(orders, dynamic.AllRows()))
			must(err)
			if c.linked {
				grants["orders"], err = of.Grant(db, dynamic.AllRows(), dynamic.ScopeRows(lines, dynamic.AllRows()))
				must(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			must(err)
			r := tool.Run(t.Context(), "return lines.insert({ id: 1, text: 'x' })")
			if r.Err == nil || !strings.Contains(r.Err.Error(), "`orderId` is needed") || strings.Contains(r.Err.Error(), "order.lines().insert(…) fills it in") != (c.linked && !c.given) {
				t.Errorf("%+v: %v", c, r.Err)
			}
			if c.linked {
				if r := tool.Run(t.Context(), "return (await orders.where({ id: 1 }).lines().insert({ id: 1, text: 'x' })).orderId"); string(r.JSON) != "1" {
					t.Errorf("%+v: %s %v", c, r.JSON, r.Err)
				}
			}
		}
	})
}
