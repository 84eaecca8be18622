package sqlast

import (
	"strings"
	"testing"
)

// TestStoredOnPostgres: there the sum and the mean of a column of decimals are taken as it is stored, of nothing else, and each with
// the bounds of its numbers.
func TestStoredOnPostgres(t *testing.T) {
	of := func(f Func, x Expr) *Select {
		return with(todos(), func(s *Select) { s.Columns = []Output{{Aggregate{Func: f, X: x, Stored: true}, "n"}} })
	}
	const bounds = `FILTER (WHERE abs("t0"."prio") < 1e1000 AND min_scale("t0"."prio") <= 1000)`
	if text, _, err := Render(of(Sum, col("t0", "prio")), Postgres); err != nil || text != `SELECT SUM("t0"."prio") `+bounds+` AS "n" FROM "todos" AS "t0"` {
		t.Error(text, err)
	}
	text, _, err := Render(of(Mean, col("t0", "prio")), Postgres)
	if want := `SELECT (div(SUM("t0"."prio") B * 100000000000000000000, CASE WHEN abs(AVG("t0"."prio") B) < 1e-40 THEN 1 ELSE round(SUM("t0"."prio") B / AVG("t0"."prio") B) END) * 0.00000000000000000001) AS "n" FROM "todos" AS "t0"`; err != nil || text != strings.ReplaceAll(want, "B", bounds) {
		t.Error(text, err)
	}
	for _, s := range []*Select{of(Sum, call(Plus, col("t0", "prio"), One)), of(MaxNumber, col("t0", "prio")), of(Sum, arg(0)), of(Sum, nil)} {
		if text, _, err := Render(s, Postgres); err == nil {
			t.Error(text)
		}
	}
	if text, _, err := Render(with(of(Mean, col("t0", "prio")), func(s *Select) { s.Columns[0].Expr = Aggregate{Func: Mean, X: col("t0", "prio")} }), Postgres); err == nil {
		t.Error(text)
	}
}
