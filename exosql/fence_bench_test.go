package exosql_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkFence is what a fence costs: the same condition on a column that is declared
// Indexed and on one that is not, where 5,000 rows are in scope and 50,000 are there.
func BenchmarkFence(b *testing.B) {
	type item struct {
		ID, Owner  int64
		Name, Free string
	}
	items := exosql.NewTable[item]("items")
	id := exosql.NewKey(items, "id", func(i *item) *int64 { return &i.ID })
	owner := exosql.NewColumn(items, "owner", func(i *item) *int64 { return &i.Owner })
	fenced := exosql.NewColumn(items, "fenced", func(i *item) *string { return &i.Name })
	free := exosql.NewColumn(items, "free", func(i *item) *string { return &i.Free }).Indexed()
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		db := e.OpenWith(b, &exosql.Options{Setup: func(ctx context.Context, db *sql.DB) error {
			if err := e.Exec("CREATE TABLE items (id {int} PRIMARY KEY, owner {int} NOT NULL, fenced TEXT NOT NULL, free TEXT NOT NULL)")(ctx, db); err != nil {
				return err
			}
			numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50000) SELECT n FROM s) AS s", "generate_series(1, 50000) AS s (n)")
			return e.Exec("INSERT INTO items SELECT n, n % 10, 'text ' || n, 'text ' || n FROM "+numbers,
				"CREATE INDEX items_fenced ON items (owner, fenced)", "CREATE INDEX items_free ON items (owner, free)", "ANALYZE items")(ctx, db)
		}})
		facet := exosql.NewFacet(items, "item", id, owner, fenced, free)
		r := tu.NewRunner(b, map[string]exo.Object{"items": facet.Of(exosql.Grant(db, items, owner.Eq(1)))}, exo.Limits{})
		for _, c := range []struct{ name, cond string }{
			{"by key", "i.id === 41"}, {"indexed", "i.free === 'text 41'"}, {"fenced", "i.fenced === 'text 41'"}, {"includes", "i.fenced.includes('49991')"},
		} {
			b.Run(e.Name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					if o := r.Run(b, "return await items.where(i => "+c.cond+").count()"); o.JSON != "1" {
						b.Fatal(o)
					}
				}
			})
		}
	}
}
