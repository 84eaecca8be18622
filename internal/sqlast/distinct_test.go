package sqlast

import (
	"strings"
	"testing"
)

// TestDistinctOn: the first of equal rows is written by the numbers of what tells them apart, before its order, for the one
// database that has it, and never without an order.
func TestDistinctOn(t *testing.T) {
	latest := func(change ...func(*Select)) *Select {
		s := with(todos("user_id", "id"), func(s *Select) {
			s.Columns[0].Expr = call(Coalesce, col("t0", "user_id"), arg(0))
			s.DistinctOn, s.OrderBy = 1, []Order{{Expr: call(Plus, col("t0", "prio"), arg(1)), Desc: true}, {Expr: col("t0", "id")}}
		})
		for _, f := range change {
			f(s)
		}
		return s
	}
	text, slots, err := Render(latest(), Postgres)
	if want := `SELECT DISTINCT ON (1) coalesce("t0"."user_id", CAST($1 AS bigint)) AS "user_id", "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY 1, ("t0"."prio" + CAST($2 AS bigint)) DESC NULLS LAST, "t0"."id" NULLS FIRST`; err != nil || text != want || len(slots) != 2 {
		t.Errorf("%s %v %v", text, slots, err)
	}
	if text, _, err := Render(latest(func(s *Select) { s.DistinctOn = 2 }), Postgres); err != nil || !strings.HasPrefix(text, "SELECT DISTINCT ON (1, 2) ") || !strings.Contains(text, " ORDER BY 1, 2, ") {
		t.Errorf("%s %v", text, err)
	}
	if _, _, err := Render(latest(), SQLite); err == nil || !strings.Contains(err.Error(), "no DISTINCT ON") {
		t.Error(err)
	}
	for what, change := range map[string]func(*Select){
		"needs OrderBy":         func(s *Select) { s.OrderBy = nil },
		"has more columns than": func(s *Select) { s.DistinctOn = 3 },
		"than the SELECT":       func(s *Select) { s.DistinctOn = -1 },
		"can't group rows":      func(s *Select) { s.Group = 1 },
	} {
		if _, _, err := Render(latest(change), Postgres); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
