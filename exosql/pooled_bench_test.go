package exosql_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkPooled runs the same plans directly, by a PgBouncer in session mode and by one in transaction mode, in turn. It reports the median of each
// as a multiple of the first.
func BenchmarkPooled(b *testing.B) {
	e := tu.Postgres
	url := e.URL(b)
	direct := e.OpenURL(b, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 100_000, "CREATE INDEX notes_owner ON notes (owner, code)", "CREATE TABLE added (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)")...)})
	conf, err := pgxpool.ParseConfig(tu.PgBouncer(b, url, "session", 5))
	if err != nil {
		b.Fatal(err)
	}
	conf.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SET search_path = "+tu.Param(b, url, "search_path"))
		return err
	}
	session, err := exosql.OpenPostgres(b.Context(), conf, &exosql.OpenOptions{Conns: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	ways := []*exosql.DB{direct, session, e.OpenURL(b, tu.Pooled(b, url, 5), &exosql.OpenOptions{Conns: 1})}
	notes := func(db *exosql.DB) exosql.Relation[kit.Memo] { return exosql.Grant(db, kit.Memos, kit.MemoOwner.Eq(1)) }
	for _, c := range []struct {
		name string
		run  func(context.Context, *exosql.DB) error
	}{
		{"Point", func(ctx context.Context, db *exosql.DB) error {
			_, err := notes(db).Where(kit.MemoID.Eq(501)).All(ctx)
			return err
		}},
		{"Page", func(ctx context.Context, db *exosql.DB) error {
			_, err := notes(db).Where(kit.MemoDue.Gt(100)).OrderBy(kit.MemoCode.Asc()).Limit(50).All(ctx)
			return err
		}},
		{"Write", func(ctx context.Context, db *exosql.DB) error {
			return exosql.RunRawWrite(ctx, db, exosql.RawWrite{Text: "INSERT INTO added (text) VALUES ('x')", Table: "added", Update: []string{"text"}})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			took := make([][]time.Duration, len(ways))
			for b.Loop() {
				for i, db := range ways {
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
			b.ReportMetric(mid(0)/1e3, "direct-µs")
			b.ReportMetric(mid(1)/mid(0), "session-mode")
			b.ReportMetric(mid(2)/mid(0), "transaction-mode")
		})
	}
}
