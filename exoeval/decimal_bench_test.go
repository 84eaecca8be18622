package exoeval_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/testutil"
)

// BenchmarkDecimals: what decimals cost a program that reads 10,000 rows, beside floats; and what the possibility of one costs loops of
// a program that reads none.
func BenchmarkDecimals(b *testing.B) {
	rows := exosql.NewTable[amount]("amounts")
	id := exosql.NewKey(rows, "id", func(r *amount) *int64 { return &r.ID })
	f, d := exosql.NewColumn(rows, "f", func(r *amount) *float64 { return &r.F }), exosql.NewColumn(rows, "d", func(r *amount) *exosql.Decimal { return &r.D })
	setup := func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE amounts (id INTEGER PRIMARY KEY, d DECIMAL NOT NULL, f REAL NOT NULL);
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO amounts SELECT i, i || '.25', i + 0.25 FROM n`)
		return err
	}
	db := testutil.SQLite.OpenWith(b, &exosql.OpenOptions{Setup: setup})
	facet := exosql.NewFacet(rows, "amount", id).Add(f, d)
	r := testutil.NewRunner(b, map[string]exo.Object{"amounts": facet.Of(exosql.Grant(db, rows, exosql.AllRows[amount]()))}, exo.Limits{Rows: 20_000})
	const fib = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(16)"
	for _, c := range []struct{ name, program string }{
		{"read floats", "return (await amounts.select(a => ({ id: a.id, f: a.f }))).length"},
		{"read decimals", "return (await amounts.select(a => ({ id: a.id, d: a.d }))).length"},
		{"sum floats", "let n = 0; for (const a of await amounts.select(a => ({ f: a.f }))) n += a.f; return n"},
		{"sum decimals", "let n = 0; for (const a of await amounts.select(a => ({ d: a.d }))) n += a.d; return n"},
		{"sum decimals by Number", "let n = 0; for (const a of await amounts.select(a => ({ d: a.d }))) n += Number(a.d); return n"},
		{"sum in the database", "return amounts.sum('d')"},
		{"counter", "let n = 0; for (let i = 0; i < 100000; i++) n += i * 2; return n"},
		{"counter after a decimal", "await amounts.first(); let n = 0; for (let i = 0; i < 100000; i++) n += i * 2; return n"},
		{"parameters", fib},
		{"parameters after a decimal", "await amounts.first(); " + fib},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if o := r.Run(b, c.program); o.Kind != 0 {
					b.Fatal(o)
				}
			}
		})
	}
}
