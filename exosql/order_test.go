package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type shelf struct{ ID, Org int64 }

type paper struct {
	ID, Org, Shelf int64
	Title, Body    string
}

var (
	shelves    = exosql.NewTable[shelf]("shelves")
	shelfID    = exosql.NewKey(shelves, "id", func(s *shelf) *int64 { return &s.ID })
	shelfOrg   = exosql.NewColumn(shelves, "org_id", func(s *shelf) *int64 { return &s.Org })
	papers     = exosql.NewTable[paper]("papers")
	paperID    = exosql.NewKey(papers, "id", func(p *paper) *int64 { return &p.ID })
	paperOrg   = exosql.NewColumn(papers, "org_id", func(p *paper) *int64 { return &p.Org })
	paperShelf = exosql.NewColumn(papers, "shelf_id", func(p *paper) *int64 { return &p.Shelf })
	paperTitle = exosql.NewColumn(papers, "title", func(p *paper) *string { return &p.Title })
	paperBody  = exosql.NewColumn(papers, "body", func(p *paper) *string { return &p.Body })
	shelfOf    = exosql.Many("papers", shelfID, paperShelf)
)

// papersSQL has the indexes of a host that thought of its tenants, not of orders.
var papersSQL = []string{
	"CREATE TABLE shelves (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	"CREATE TABLE papers (id {int} PRIMARY KEY, org_id {int} NOT NULL, shelf_id {int} NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL)",
	"CREATE INDEX shelves_org ON shelves (org_id)", "CREATE INDEX papers_org ON papers (org_id)", "CREATE INDEX papers_shelf ON papers (shelf_id)",
}

// numbers is a source of n from 0 to below count.
func numbers(e tu.Engine, count int) string {
	return fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", "generate_series(0, %d) AS s (n)"), count-1)
}

// TestUnorderedRows: the order of rows that nobody ordered, and of rows that an order
// leaves equal, tells what is in rows out of scope; an order that ends with the key tells
// nothing, and a limit ends every order with the key. The two databases differ in other tenants' rows
// alone, of which only the planner knows. Were nothing told any more, what the model's
// rules and RATIONALE's residues say of it would have to go.
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
		for i, others := range []string{"", "INSERT INTO shelves SELECT 100 + n, 2 + n FROM " + numbers(e, 3000) + "; INSERT INTO papers SELECT 1000 + n, 2 + n % 3000, 100 + n % 3000, '', '' FROM " + numbers(e, 30_000)} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
				if err := e.Exec(papersSQL...)(ctx, db); err != nil {
					return err
				}
				return e.Exec("INSERT INTO shelves SELECT n, 1 FROM "+numbers(e, 20), "INSERT INTO papers SELECT n, 1, (n * 7 + 3) % 20, 'same', '' FROM "+numbers(e, 200), others, "ANALYZE")(ctx, db)
			}})
			onPapers := exosql.NewFacet(papers, "paper", paperID, paperTitle)
			onShelves := exosql.NewFacet(shelves, "shelf", shelfID, exosql.Via(shelfOf, onPapers))
			r := tu.NewRunner(t, map[string]exo.Object{"shelves": onShelves.Of(exosql.Grant(db, shelves, shelfOrg.Eq(1), exosql.ScopeVia(shelfOf)))}, exo.Limits{})
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
