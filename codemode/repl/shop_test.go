package repl

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

type good struct {
	ID    int64
	Name  string
	Price exosql.Decimal
	Meta  exosql.JSON
	Made  exosql.Date
	At    time.Time
	Kind  string
}

var (
	goods    = exosql.NewTable[good]("goods")
	goodID   = exosql.NewKey(goods, "id", func(g *good) *int64 { return &g.ID })
	goodName = exosql.NewColumn(goods, "name", func(g *good) *string { return &g.Name })
	price    = exosql.NewColumn(goods, "price", func(g *good) *exosql.Decimal { return &g.Price })
	meta     = exosql.NewColumn(goods, "meta", func(g *good) *exosql.JSON { return &g.Meta })
	made     = exosql.NewColumn(goods, "made", func(g *good) *exosql.Date { return &g.Made })
	at       = exosql.NewColumn(goods, "at", func(g *good) *time.Time { return &g.At }).StoredISO()
	goodKind = exosql.NewColumn(goods, "kind", func(g *good) *string { return &g.Kind }).OneOf("tool", "toy", "it's", "\x1b[2J")
)

// shopApp has a column of each type that a value alone does not tell from a text.
func shopApp() App {
	a := testApp
	a.Setup += `CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price TEXT NOT NULL, meta TEXT NOT NULL, made TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL);`
	a.Setup += `INSERT INTO goods VALUES (1, 'saw', '12.5', '{"a":1}', '2024-01-31', '2026-03-15T17:00:00.000Z', 'tool'),
		(2, 'kite', '3', '[1,2]', '2024-02-29', '2026-03-16T08:30:00.000Z', 'toy'), (3, '007', '-100.25', '"x"', '2025-12-01', '2026-01-01T00:00:00.000Z', 'toy');`
	a.Grants = shopGrants
	return a
}

func shopGrants(db *exosql.DB, _ int64) codemode.Grants {
	return codemode.Grants{"goods": exosql.NewFacet(goods, "good", goodID, goodName, price, meta, made, at, goodKind).Of(exosql.Grant(db, goods, exosql.AllRows[good]()))}
}

const shopTable = ` id  name    price  meta     made        at                 kind
int  text  decimal  json     date        time               text
---  ----  -------  -------  ----------  -----------------  ----
  1  saw     12.5   {"a":1}  2024-01-31  2026-03-15T17:00Z  tool
  2  kite     3     [1,2]    2024-02-29  2026-03-16T08:30Z  toy
  3  007   -100.25  "x"      2025-12-01  2026-01-01T00:00Z  toy
3 rows, T ms, `

func shopNames(t *testing.T) *names.Names {
	t.Helper()
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: shopApp().setUp})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	g, err := exo.NewGate(exo.Config{Grants: shopGrants(db, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return &names.Names{Catalog: g.Catalog(), Granted: g.Granted()}
}
