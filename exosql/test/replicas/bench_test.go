package replicas_test

// This file measures what a read through a replica costs, on one machine, so for the reader alone: the primary is spared all but one short question.

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil/pgtest"
)

// BenchmarkReplica runs the same plans on the primary and on its replica, in turn. It reports the median of each, the second as a multiple of the first.
func BenchmarkReplica(b *testing.B) {
	primary := pgtest.New(b)
	primary.Exec(b, ddl, "INSERT INTO notes (owner, text) SELECT 1 + n % 100, 'text ' || n FROM generate_series(1, 100000) AS n", "CREATE INDEX ON notes (owner, text)", "ANALYZE")
	replica := primary.Standby(b)
	ways := []*exosql.DB{open(b, primary), open(b, primary, replica.URL)}
	mine := func(db *exosql.DB) exosql.Relation[note] { return exosql.Grant(db, notes, owner.Eq(1)) }
	for _, c := range []struct {
		name string
		run  func(context.Context, *exosql.DB) error
	}{
		{"Point", func(ctx context.Context, db *exosql.DB) error {
			_, err := mine(db).Where(id.Eq(102)).All(ctx)
			return err
		}},
		{"Page", func(ctx context.Context, db *exosql.DB) error {
			_, err := mine(db).Where(text.Gt("text 5")).OrderBy(text.Asc()).Limit(50).All(ctx)
			return err
		}},
		{"Thousand", func(ctx context.Context, db *exosql.DB) error {
			_, err := mine(db).All(ctx)
			return err
		}},
		{"AfterCommit", func(ctx context.Context, db *exosql.DB) error { // the replica has to replay it first
			_, err := mine(db).Where(id.Eq(102)).All(ctx)
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took [2][]time.Duration
			for b.Loop() {
				for i, db := range ways {
					if c.name == "AfterCommit" {
						if _, err := mine(db).Where(id.Eq(1)).Update(b.Context(), text.Set("changed")); err != nil {
							b.Fatal(err)
						}
					}
					start := time.Now()
					if err := c.run(b.Context(), db); err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], time.Since(start))
				}
			}
			for i := range took {
				slices.Sort(took[i])
			}
			mid := func(i int) float64 { return float64(took[i][len(took[i])/2]) }
			b.ReportMetric(mid(0)/1e3, "primary-µs")
			b.ReportMetric(mid(1)/mid(0), "replica")
		})
	}
}
