package language_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUnorderedRows: the order of rows that nobody ordered, and of rows that an order
// leaves equal, tells what is in rows out of scope; an order that ends with the key tells
// nothing, and a limit ends every order with the key. The two databases differ in other tenants' rows
// alone, of which only the planner knows. Were nothing told any more, what the model's
// rules and the design of package compile say of it would have to go.
func TestUnorderedRows(t *testing.T) {
	programs := []struct {
		text  string
		tells bool
	}{
		{"return await shelves.papers()", true},
		{"return await shelves.papers().orderBy(p => p.title)", true},
		{"return await shelves.papers().orderBy(p => p.id)", false},
		{"return await shelves.papers().orderBy(p => p.title).orderBy(p => p.id)", false},
		{"return await shelves.papers().orderBy(p => p.title).limit(100)", false},
		{"return await shelves.papers().limit(100)", false},
		{"return await shelves.papers().offset(100)", false},
		{"return await shelves.papers().first()", false},
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var answers [2][]string
		shelves := 20
		if e.Name == tu.SQLite.Name { // it joins, and begins with the papers while there are fewer papers than shelves
			shelves = 400
		}
		for i, others := range []string{"", "INSERT INTO shelves SELECT 1000 + n, 2 + n FROM " + kit.Numbers(e, 3000) + "; INSERT INTO papers SELECT 1000 + n, 2 + n % 3000, 1000 + n % 3000, '', '' FROM " + kit.Numbers(e, 30_000)} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
				if err := e.Exec(kit.PapersSQL...)(ctx, db); err != nil {
					return err
				}
				return e.Exec("INSERT INTO shelves SELECT n, 1 FROM "+kit.Numbers(e, shelves), fmt.Sprintf("INSERT INTO papers SELECT n, 1, (n * 7 + 3) %% %d, 'same', '' FROM ", shelves)+kit.Numbers(e, 200), others, "ANALYZE")(ctx, db)
			}})
			onPapers := exosql.NewFacet(kit.Papers, "paper", kit.PaperID, kit.PaperTitle)
			onShelves := exosql.NewFacet(kit.Shelves, "shelf", kit.ShelfID, exosql.Via(kit.ShelfOf, onPapers))
			r := tu.NewRunner(t, map[string]exo.Object{"shelves": onShelves.Of(exosql.Grant(db, kit.Shelves, kit.ShelfOrg.Eq(1), exosql.ScopeVia(kit.ShelfOf)))}, exo.Limits{})
			for _, p := range programs {
				o := r.Run(t, p.text)
				if o.JSON == "" || o.JSON == "[]" || o.JSON == "null" {
					t.Fatal(p.text, o)
				}
				answers[i] = append(answers[i], o.JSON)
			}
		}
		for i, p := range programs {
			if a, b := answers[0][i], answers[1][i]; (a != b) != p.tells {
				t.Errorf("%s tells what other tenants have: %t\n%.200s\n%.200s", p.text, a != b, a, b)
			}
		}
	})
}
