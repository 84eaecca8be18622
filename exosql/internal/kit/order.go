package kit

import (
	"fmt"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type shelf struct{ ID, Org int64 }

type paper struct {
	ID, Org, Shelf int64
	Title, Body    string
}

var (
	Shelves    = exosql.NewTable[shelf]("shelves")
	ShelfID    = exosql.NewKey(Shelves, "id", func(s *shelf) *int64 { return &s.ID })
	ShelfOrg   = exosql.NewColumn(Shelves, "org_id", func(s *shelf) *int64 { return &s.Org })
	Papers     = exosql.NewTable[paper]("papers")
	PaperID    = exosql.NewKey(Papers, "id", func(p *paper) *int64 { return &p.ID })
	PaperOrg   = exosql.NewColumn(Papers, "org_id", func(p *paper) *int64 { return &p.Org })
	PaperShelf = exosql.NewColumn(Papers, "shelf_id", func(p *paper) *int64 { return &p.Shelf })
	PaperTitle = exosql.NewColumn(Papers, "title", func(p *paper) *string { return &p.Title })
	PaperBody  = exosql.NewColumn(Papers, "body", func(p *paper) *string { return &p.Body })
	ShelfOf    = exosql.Many("papers", ShelfID, PaperShelf)
)

// PapersSQL has the indexes of a host that considered its tenants but no orders.
var PapersSQL = []string{
	"CREATE TABLE shelves (id {int} PRIMARY KEY, org_id {int} NOT NULL)",
	"CREATE TABLE papers (id {int} PRIMARY KEY, org_id {int} NOT NULL, shelf_id {int} NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL)",
	"CREATE INDEX shelves_org ON shelves (org_id)", "CREATE INDEX papers_org ON papers (org_id)", "CREATE INDEX papers_shelf ON papers (shelf_id)",
}

// Numbers returns a FROM item with the numbers n from 0 to count-1.
func Numbers(e tu.Engine, count int) string {
	return fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", "generate_series(0, %d) AS s (n)"), count-1)
}
