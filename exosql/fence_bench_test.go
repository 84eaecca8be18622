package exosql_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkFence is what a fence costs: the same condition on a column that is declared
// AllowUnscopedLookup and on one that is not, where 5,000 rows are in scope and 50,000 are there.
func BenchmarkFence(b *testing.B) {
	for _, e := range []tu.Engine{tu.SQLite, tu.Postgres} {
		db := e.OpenWith(b, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			if err := e.Exec(itemsSQL)(ctx, db); err != nil {
				return err
			}
			numbers := e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50000) SELECT n FROM s) AS s", "generate_series(1, 50000) AS s (n)")
			return e.Exec("INSERT INTO items SELECT n, n % 10, 'text ' || n, 'text ' || n FROM "+numbers,
				"CREATE INDEX items_name ON items (owner, name)", "CREATE INDEX items_day ON items (owner, day)", "ANALYZE items")(ctx, db)
		}})
		facet := exosql.NewFacet(kit.Items, "item", kit.ItemID, kit.ItemOwner, kit.ItemName, kit.ItemDay)
		r := tu.NewRunner(b, map[string]exo.Object{"items": facet.Of(exosql.Grant(db, kit.Items, kit.ItemOwner.Eq(1)))}, exo.Limits{})
		for _, c := range []struct{ name, cond string }{
			{"by key", "i.id === 41"}, {"indexed", "i.day === 'text 41'"}, {"fenced", "i.name === 'text 41'"}, {"includes", "i.name.includes('49991')"},
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
