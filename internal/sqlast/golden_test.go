package sqlast

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// exprCases has one row for each node: what it becomes in
// SELECT ... AS "v" FROM "todos" AS "t0" ORDER BY "t0"."id", and the values.
var exprCases = []struct {
	name             string
	e                Expr
	sqlite, postgres string
	values           []any
	rows             string
}{
	{"column", col("t0", "title"), `"t0"."title"`, ``, nil, "a; b; c; d; e"},
	{"arg", arg(0), `?`, `CAST($1 AS bigint)`, []any{7}, "7; 7; 7; 7; 7"},
	{"arg text", Arg{Slot: 0, Cast: CastText}, `?`, `CAST($1 AS text)`, []any{"x"}, "x; x; x; x; x"},
	{"arg double", call(Lt, Arg{Slot: 0, Cast: CastDouble}, One), `(? < 1)`, `(CAST($1 AS double precision) < 1)`, []any{0.5}, "1; 1; 1; 1; 1"},
	{"arg boolean", call(And, Arg{Slot: 0, Cast: CastBoolean}), `(?)`, `(CAST($1 AS boolean))`, []any{true}, "1; 1; 1; 1; 1"},
	{"arg timestamptz", call(IsNull, Arg{Slot: 0, Cast: CastTimestamptz}), `(? IS NULL)`, `(CAST($1 AS timestamptz) IS NULL)`, []any{nil}, "1; 1; 1; 1; 1"},
	{"true", True, `1`, `TRUE`, nil, "1; 1; 1; 1; 1"},
	{"false", False, `0`, `FALSE`, nil, "0; 0; 0; 0; 0"},
	{"null", Null, `NULL`, ``, nil, "NULL; NULL; NULL; NULL; NULL"},
	{"zero", Zero, `0`, ``, nil, "0; 0; 0; 0; 0"},
	{"one", One, `1`, ``, nil, "1; 1; 1; 1; 1"},
	{"eq", call(Eq, col("t0", "prio"), One), `("t0"."prio" = 1)`, ``, nil, "0; NULL; 1; 0; 1"},
	{"ne", call(Ne, col("t0", "prio"), One), `("t0"."prio" <> 1)`, ``, nil, "1; NULL; 0; 1; 0"},
	{"lt", call(Lt, col("t0", "prio"), arg(0)), `("t0"."prio" < ?)`, `("t0"."prio" < CAST($1 AS bigint))`, []any{2}, "0; NULL; 1; 0; 1"},
	{"le", call(Le, col("t0", "prio"), One), `("t0"."prio" <= 1)`, ``, nil, "0; NULL; 1; 0; 1"},
	{"gt", call(Gt, col("t0", "prio"), One), `("t0"."prio" > 1)`, ``, nil, "1; NULL; 0; 1; 0"},
	{"ge", call(Ge, col("t0", "prio"), arg(0)), `("t0"."prio" >= ?)`, `("t0"."prio" >= CAST($1 AS bigint))`, []any{2}, "1; NULL; 0; 1; 0"},
	{"is", call(Is, col("t0", "prio"), arg(0)), `("t0"."prio" IS ?)`, `("t0"."prio" IS NOT DISTINCT FROM CAST($1 AS bigint))`, []any{nil}, "0; 1; 0; 0; 0"},
	{"is not", call(IsNot, col("t0", "prio"), One), `("t0"."prio" IS NOT 1)`, `("t0"."prio" IS DISTINCT FROM 1)`, nil, "1; 1; 0; 1; 0"},
	{"is true", call(Is, col("t0", "done"), True), `("t0"."done" IS 1)`, `("t0"."done" IS NOT DISTINCT FROM TRUE)`, nil, "0; 1; 0; 0; 1"},
	{"and", call(And, col("t0", "done"), call(Eq, col("t0", "prio"), One), True), `("t0"."done" AND ("t0"."prio" = 1) AND 1)`,
		`("t0"."done" AND ("t0"."prio" = 1) AND TRUE)`, nil, "0; NULL; 0; 0; 1"},
	{"or", call(Or, col("t0", "done"), call(Eq, col("t0", "prio"), One)), `("t0"."done" OR ("t0"."prio" = 1))`, ``, nil, "0; 1; 1; NULL; 1"},
	{"not", call(Not, col("t0", "done")), `(NOT "t0"."done")`, ``, nil, "1; 0; 1; NULL; 0"},
	{"is null", call(IsNull, col("t0", "prio")), `("t0"."prio" IS NULL)`, ``, nil, "0; 1; 0; 0; 0"},
	{"is not null", call(IsNotNull, col("t0", "prio")), `("t0"."prio" IS NOT NULL)`, ``, nil, "1; 0; 1; 1; 1"},
	{"add", call(Add, col("t0", "id"), call(Add, arg(0), One)), `("t0"."id" + (? + 1))`, `("t0"."id" + (CAST($1 AS bigint) + 1))`, []any{5}, "7; 8; 9; 10; 11"},
	{"in", In{X: col("t0", "prio"), List: []Expr{One, arg(0)}}, `("t0"."prio" IN (1, ?))`, `("t0"."prio" IN (1, CAST($1 AS bigint)))`, []any{3}, "1; NULL; 1; 0; 1"},
	{"not in", In{X: col("t0", "prio"), List: []Expr{One}, Not: true}, `("t0"."prio" NOT IN (1))`, ``, nil, "1; NULL; 0; 1; 0"},
	{"not in of a scalar of no row", In{X: col("t0", "id"), List: []Expr{Scalar{with(owners(0), func(s *Select) { s.Limit = []Expr{One} })}}, Not: true},
		`("t0"."id" NOT IN ((+ (SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = ?) LIMIT 1))))`,
		`("t0"."id" <> ALL (ARRAY[(SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = $1) LIMIT 1)]))`, []any{"nobody"}, "NULL; NULL; NULL; NULL; NULL"},
	{"in nothing", In{X: col("t0", "prio")}, `0`, `FALSE`, nil, "0; 0; 0; 0; 0"},
	{"not in nothing", In{X: col("t0", "prio"), Not: true}, `1`, `TRUE`, nil, "1; 1; 1; 1; 1"},
	{"scalar", Scalar{with(owners(0), func(s *Select) { s.Limit = []Expr{One} })}, `(SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = ?) LIMIT 1)`, `(SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = $1) LIMIT 1)`, []any{"bob"}, "2; 2; 2; 2; 2"},
	{"in select", InSelect{col("t0", "user_id"), nil, owners(0)},
		`("t0"."user_id" IN (SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = ?)))`,
		`("t0"."user_id" IN (SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = $1)))`,
		[]any{"ada"}, "1; 1; 0; 0; NULL"},
	{"in select of two", InSelect{col("t0", "user_id"), []Expr{call(CodePointText, col("t0", "user_id"))}, with(owners(0), func(s *Select) {
		s.Columns = append(s.Columns, Output{call(CodePointText, col("t1", "id")), "exact"})
	})},
		`(("t0"."user_id", (CAST("t0"."user_id" AS TEXT) COLLATE BINARY)) IN (SELECT "t1"."id" AS "id", (CAST("t1"."id" AS TEXT) COLLATE BINARY) AS "exact" FROM "users" AS "t1" WHERE ("t1"."name" = ?)))`,
		`(("t0"."user_id", (cast("t0"."user_id" AS text) COLLATE "C")) IN (SELECT "t1"."id" AS "id", (cast("t1"."id" AS text) COLLATE "C") AS "exact" FROM "users" AS "t1" WHERE ("t1"."name" = $1)))`,
		[]any{"ada"}, "1; 1; 0; 0; NULL"},
	{"beyond", Beyond{Left: []Expr{col("t0", "prio"), col("t0", "id")}, Right: []Expr{Arg{Slot: 0}, One}}, `(("t0"."prio", "t0"."id") > (?, 1))`, `(("t0"."prio", "t0"."id") > ($1, 1))`, []any{1}, "1; NULL; 1; 1; 1"},
	{"beyond, down", Beyond{Left: []Expr{col("t0", "prio"), col("t0", "id")}, Right: []Expr{Arg{Slot: 0}, One}, Desc: true}, `(("t0"."prio", "t0"."id") < (?, 1))`, `(("t0"."prio", "t0"."id") < ($1, 1))`, []any{1}, "0; NULL; 0; 0; 0"},
	{"exists", Exists{Sub: children}, `(EXISTS (SELECT 1 AS "one" FROM "users" AS "t1" WHERE ("t1"."id" = "t0"."user_id")))`, ``, nil, "1; 1; 1; 1; 0"},
	{"not exists", Exists{Sub: children, Not: true}, `(NOT EXISTS (SELECT 1 AS "one" FROM "users" AS "t1" WHERE ("t1"."id" = "t0"."user_id")))`, ``, nil, "0; 0; 0; 0; 1"},
	{"row number", RowNumber{OrderBy: []Order{{Expr: col("t0", "prio")}, {Expr: col("t0", "id"), Desc: true}}},
		`ROW_NUMBER() OVER (ORDER BY "t0"."prio", "t0"."id" DESC)`,
		`ROW_NUMBER() OVER (ORDER BY "t0"."prio" NULLS FIRST, "t0"."id" DESC NULLS LAST)`, nil, "5; 1; 3; 4; 2"},
	{"row number by", RowNumber{PartitionBy: []Expr{col("t0", "user_id"), col("t0", "done")}, OrderBy: byID},
		`ROW_NUMBER() OVER (PARTITION BY "t0"."user_id", "t0"."done" ORDER BY "t0"."id")`,
		`ROW_NUMBER() OVER (PARTITION BY "t0"."user_id", "t0"."done" ORDER BY "t0"."id" NULLS FIRST)`, nil, "1; 1; 1; 1; 1"},
}

var children = &Select{
	Columns: []Output{{One, "one"}},
	From:    []Source{{Table: "users", Alias: "t1"}},
	Where:   []Expr{call(Eq, col("t1", "id"), col("t0", "user_id"))},
}

// selectCases has whole statements: each clause, and what they do together.
var selectCases = []struct {
	name             string
	s                *Select
	sqlite, postgres string
	values           []any
	slots            []int
	rows             string
}{
	{"where", with(todos("id"), func(s *Select) {
		s.Where = []Expr{call(Eq, col("t0", "user_id"), arg(1)), call(Or, call(Eq, col("t0", "id"), arg(0)), True)}
		s.OrderBy = byID
	}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" WHERE ("t0"."user_id" = ?) AND (("t0"."id" = ?) OR 1) ORDER BY "t0"."id"`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" WHERE ("t0"."user_id" = CAST($1 AS bigint)) AND (("t0"."id" = CAST($2 AS bigint)) OR TRUE) ORDER BY "t0"."id" NULLS FIRST`,
		[]any{9, 2}, []int{1, 0}, "3; 4"},
	{"order", with(todos("id"), func(s *Select) {
		s.OrderBy = []Order{{Expr: col("t0", "prio"), Desc: true}, {Expr: call(IsNull, col("t0", "done"))}, {col("t0", "id"), true, true}}
	}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."prio" DESC, ("t0"."done" IS NULL), "t0"."id" DESC`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."prio" DESC NULLS LAST, ("t0"."done" IS NULL) NULLS FIRST, "t0"."id" DESC`,
		nil, nil, "1; 4; 5; 3; 2"},
	{"null first", with(todos("id"), func(s *Select) {
		s.OrderBy = []Order{{Expr: col("t0", "prio")}, {Expr: col("t0", "id")}}
	}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."prio", "t0"."id"`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."prio" NULLS FIRST, "t0"."id" NULLS FIRST`,
		nil, nil, "2; 3; 5; 4; 1"},
	{"limit", bounded([]Expr{arg(0)}, nil),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT max(?, 0)`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT GREATEST(CAST($1 AS bigint), 0)`,
		[]any{2}, []int{0}, "1; 2"},
	{"limit one", bounded([]Expr{One}, nil),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT 1`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT 1`,
		nil, nil, "1"},
	{"least limit", bounded([]Expr{arg(0), arg(1), arg(0)}, nil),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT min(max(?, 0), max(?, 0), max(?, 0))`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT LEAST(GREATEST(CAST($1 AS bigint), 0), GREATEST(CAST($2 AS bigint), 0), GREATEST(CAST($3 AS bigint), 0))`,
		[]any{4, 2}, []int{0, 1, 0}, "1; 2"},
	{"negative limit", bounded([]Expr{arg(0)}, []Expr{arg(1)}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT max(?, 0) OFFSET max(?, 0)`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT GREATEST(CAST($1 AS bigint), 0) OFFSET GREATEST(CAST($2 AS bigint), 0)`,
		[]any{-1, -1}, []int{0, 1}, ""},
	{"offset alone", bounded(nil, []Expr{arg(0)}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT -1 OFFSET max(?, 0)`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST OFFSET GREATEST(CAST($1 AS bigint), 0)`,
		[]any{3}, []int{0}, "4; 5"},
	{"sum of offsets", bounded([]Expr{arg(2)}, []Expr{arg(0), arg(1), One}),
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT max(?, 0) OFFSET (max(?, 0) + max(?, 0) + 1)`,
		`SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT GREATEST(CAST($1 AS bigint), 0) OFFSET (GREATEST(CAST($2 AS bigint), 0) + GREATEST(CAST($3 AS bigint), 0) + 1)`,
		[]any{-5, 2, 1}, []int{2, 0, 1}, "4"},
	{"count", with(todos(), func(s *Select) {
		s.Columns = []Output{{Aggregate{Func: Count}, "n"}, {call(Gt, Aggregate{Func: Count}, One), "many"}}
	}),
		`SELECT COUNT(*) AS "n", (COUNT(*) > 1) AS "many" FROM "todos" AS "t0"`, ``, nil, nil, "5|1"},
	{"aggregates", with(todos(), func(s *Select) {
		s.Columns = []Output{{Aggregate{Func: Min, X: col("t0", "prio")}, "least"}, {Aggregate{Func: CountDistinct, X: col("t0", "user_id")}, "users"}, {Aggregate{Func: Count, X: col("t0", "user_id")}, "n"}}
	}),
		`SELECT MIN("t0"."prio") AS "least", COUNT(DISTINCT "t0"."user_id") AS "users", COUNT("t0"."user_id") AS "n" FROM "todos" AS "t0"`,
		`SELECT MIN("t0"."prio") AS "least", COUNT(DISTINCT "t0"."user_id") AS "users", COUNT("t0"."user_id") AS "n" FROM "todos" AS "t0"`, nil, nil, "1|2|4"},
	{"groups by an argument", with(todos(), func(s *Select) {
		s.Columns, s.Group = []Output{{call(Coalesce, col("t0", "prio"), arg(0)), "k"}, {Aggregate{Func: Count}, "n"}}, 1
		s.Where = []Expr{call(Eq, col("t0", "prio"), One)}
	}),
		`SELECT coalesce("t0"."prio", ?) AS "k", COUNT(*) AS "n" FROM "todos" AS "t0" WHERE ("t0"."prio" = 1) GROUP BY 1`,
		`SELECT coalesce("t0"."prio", CAST($1 AS bigint)) AS "k", COUNT(*) AS "n" FROM "todos" AS "t0" WHERE ("t0"."prio" = 1) GROUP BY 1`, []any{7}, []int{0}, "1|2"},
	{"joins", &Select{
		Columns: []Output{{col("t0", "name"), "name"}, {col("t1", "id"), "id"}, {col("t2", "n"), "n"}},
		From: []Source{
			{Table: "users", Alias: "t0"},
			{Table: "todos", Alias: "t1", Left: true, On: []Expr{call(Eq, col("t1", "user_id"), col("t0", "id")), call(Eq, col("t1", "prio"), arg(1))}},
			{Sub: with(todos(), func(s *Select) {
				s.Columns, s.From[0].Alias = []Output{{Aggregate{Func: Count}, "n"}}, "t3"
				s.Where = []Expr{call(Lt, col("t3", "id"), arg(0))}
			}), Alias: "t2"},
			{Table: "users", Alias: "t4", On: []Expr{call(Eq, col("t4", "id"), col("t0", "id"))}},
		},
		OrderBy: byID,
	},
		`SELECT "t0"."name" AS "name", "t1"."id" AS "id", "t2"."n" AS "n" FROM "users" AS "t0" LEFT JOIN "todos" AS "t1" ON ("t1"."user_id" = "t0"."id") AND ("t1"."prio" = ?) CROSS JOIN (SELECT COUNT(*) AS "n" FROM "todos" AS "t3" WHERE ("t3"."id" < ?)) AS "t2" JOIN "users" AS "t4" ON ("t4"."id" = "t0"."id") ORDER BY "t0"."id"`,
		`SELECT "t0"."name" AS "name", "t1"."id" AS "id", "t2"."n" AS "n" FROM "users" AS "t0" LEFT JOIN "todos" AS "t1" ON ("t1"."user_id" = "t0"."id") AND ("t1"."prio" = CAST($1 AS bigint)) CROSS JOIN (SELECT COUNT(*) AS "n" FROM "todos" AS "t3" WHERE ("t3"."id" < CAST($2 AS bigint))) AS "t2" JOIN "users" AS "t4" ON ("t4"."id" = "t0"."id") ORDER BY "t0"."id" NULLS FIRST`,
		[]any{3, 1}, []int{1, 0}, "ada|NULL|2; bob|3|2; cyd|NULL|2"},
	{"where after limit", &Select{
		Columns: []Output{{col("t1", "id"), "id"}},
		From:    []Source{{Sub: bounded([]Expr{arg(0)}, nil), Alias: "t1"}},
		Where:   []Expr{call(Gt, col("t1", "id"), arg(1))},
	},
		`SELECT "t1"."id" AS "id" FROM (SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" LIMIT max(?, 0)) AS "t1" WHERE ("t1"."id" > ?)`,
		`SELECT "t1"."id" AS "id" FROM (SELECT "t0"."id" AS "id" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST LIMIT GREATEST(CAST($1 AS bigint), 0)) AS "t1" WHERE ("t1"."id" > CAST($2 AS bigint))`,
		[]any{3, 2}, []int{0, 1}, "3"},
	{"first of each", &Select{
		Columns: []Output{{col("t1", "id"), "id"}},
		From: []Source{{Alias: "t1", Sub: with(todos("id"), func(s *Select) {
			s.Columns = append(s.Columns, Output{RowNumber{PartitionBy: []Expr{col("t0", "user_id")}, OrderBy: byID}, "n"})
		})}},
		Where:   []Expr{call(Le, col("t1", "n"), call(Add, arg(0), Zero))},
		OrderBy: []Order{{Expr: col("t1", "id")}},
	},
		`SELECT "t1"."id" AS "id" FROM (SELECT "t0"."id" AS "id", ROW_NUMBER() OVER (PARTITION BY "t0"."user_id" ORDER BY "t0"."id") AS "n" FROM "todos" AS "t0") AS "t1" WHERE ("t1"."n" <= (? + 0)) ORDER BY "t1"."id"`,
		`SELECT "t1"."id" AS "id" FROM (SELECT "t0"."id" AS "id", ROW_NUMBER() OVER (PARTITION BY "t0"."user_id" ORDER BY "t0"."id" NULLS FIRST) AS "n" FROM "todos" AS "t0") AS "t1" WHERE ("t1"."n" <= (CAST($1 AS bigint) + 0)) ORDER BY "t1"."id" NULLS FIRST`,
		[]any{1}, []int{0}, "1; 3; 5"},
	{"placeholder order", with(todos(), func(s *Select) {
		s.Columns = []Output{{arg(5), "v"}}
		s.From = append(s.From, Source{Table: "users", Alias: "t2", On: []Expr{call(Eq, col("t2", "id"), arg(4))}})
		s.Where = []Expr{InSelect{col("t0", "user_id"), nil, owners(3)}, call(Le, col("t0", "id"), arg(2))}
		s.OrderBy = []Order{{Expr: call(Add, col("t0", "id"), arg(1))}}
		s.Limit, s.Offset = []Expr{arg(0)}, []Expr{Zero}
	}),
		`SELECT ? AS "v" FROM "todos" AS "t0" JOIN "users" AS "t2" ON ("t2"."id" = ?) WHERE ("t0"."user_id" IN (SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = ?))) AND ("t0"."id" <= ?) ORDER BY ("t0"."id" + ?) LIMIT max(?, 0) OFFSET 0`,
		`SELECT CAST($1 AS bigint) AS "v" FROM "todos" AS "t0" JOIN "users" AS "t2" ON ("t2"."id" = CAST($2 AS bigint)) WHERE ("t0"."user_id" IN (SELECT "t1"."id" AS "id" FROM "users" AS "t1" WHERE ("t1"."name" = $3))) AND ("t0"."id" <= CAST($4 AS bigint)) ORDER BY ("t0"."id" + CAST($5 AS bigint)) NULLS FIRST LIMIT GREATEST(CAST($6 AS bigint), 0) OFFSET 0`,
		[]any{9, 8, 1, "ada", 2, 42}, []int{5, 4, 3, 2, 1, 0}, "42"},
}

func with(s *Select, change func(*Select)) *Select {
	change(s)
	return s
}

func bounded(limit, offset []Expr) *Select {
	s := todos("id")
	s.OrderBy, s.Limit, s.Offset = byID, limit, offset
	return s
}

// valueOf wraps an expression of exprCases.
func valueOf(e Expr) *Select {
	return with(todos(), func(s *Select) { s.Columns, s.OrderBy = []Output{{e, "v"}}, byID })
}

func TestExprs(t *testing.T) {
	db := open(t, fixture)
	for _, c := range exprCases {
		t.Run(c.name, func(t *testing.T) {
			if c.postgres == "" {
				c.postgres = c.sqlite
			}
			const sqlite, postgres = `SELECT %s AS "v" FROM "todos" AS "t0" ORDER BY "t0"."id"`, ` NULLS FIRST`
			if text, _ := mustRender(t, valueOf(c.e), SQLite); text != fmt.Sprintf(sqlite, c.sqlite) {
				t.Errorf("SQLite: %s", text)
			}
			if text, _ := mustRender(t, valueOf(c.e), Postgres); text != fmt.Sprintf(sqlite+postgres, c.postgres) {
				t.Errorf("Postgres: %s", text)
			}
			if got := run(t, db, valueOf(c.e), c.values...); got != c.rows {
				t.Errorf("rows %s, want %s", got, c.rows)
			}
		})
	}
}

func TestSelects(t *testing.T) {
	db := open(t, fixture)
	for _, c := range selectCases {
		t.Run(c.name, func(t *testing.T) {
			if c.postgres == "" {
				c.postgres = c.sqlite
			}
			for d, want := range map[Dialect]string{SQLite: c.sqlite, Postgres: c.postgres} {
				text, slots := mustRender(t, c.s, d)
				if text != want {
					t.Errorf("dialect %d:\n got %s\nwant %s", d, text, want)
				}
				if !slices.Equal(slots, c.slots) {
					t.Errorf("dialect %d: slots %v, want %v", d, slots, c.slots)
				}
			}
			if got := run(t, db, c.s, c.values...); got != c.rows {
				t.Errorf("rows %s, want %s", got, c.rows)
			}
		})
	}
}

// TestCells: how cells of SQLite that are in another form are read and written. PostgreSQL has none of it.
func TestCells(t *testing.T) {
	x := Expr(Arg{Slot: 0})
	for want, e := range map[string]Expr{
		`(CASE WHEN typeof(?) = 'text' AND substr(?, 8, 1) = '-' AND substr(?, 9, 2) < '29' THEN coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', ?), exo_read_time(?, 0)) ELSE exo_read_time(?, 0) END)`: call(AnyTime, x, x, x, x, x, x),
		`exo_read_time(?, ?)`: call(ReadTime, x, x), `exo_read_day(?, ?)`: call(ReadDay, x, x), `exo_read_flag(?, ?)`: call(ReadFlag, x, x),
		`exo_store_time(?, ?)`: call(StoreTime, x, x), `exo_store_day(?, ?)`: call(StoreDay, x, x), `exo_store_flag(?, ?)`: call(StoreFlag, x, x),
		`(? < '')`: call(IsNumber, x), `(? >= '')`: call(NoNumber, x), `nullif(typeof(?), 'null')`: call(TypeOf, x),
	} {
		s := todos()
		s.Columns, s.Limit = []Output{{e, "v"}}, []Expr{One}
		if text, _ := mustRender(t, s, SQLite); text != `SELECT `+want+` AS "v" FROM "todos" AS "t0" LIMIT 1` {
			t.Errorf("got %s", text)
		}
		if text, _, err := Render(s, Postgres); err == nil {
			t.Error(text)
		}
	}
}

func TestNullBoundNeverWidens(t *testing.T) {
	db := open(t, fixture)
	for _, list := range [][]Expr{{arg(0)}, {arg(0), One}, {One, arg(0)}} {
		text, slots := mustRender(t, bounded(list, nil), SQLite)
		if rows, err := query(db, text, bind(slots, []any{nil})...); err == nil {
			t.Errorf("%s gave %s", text, rows)
		}
	}
}

// What Postgres alone has is refused elsewhere; exosql's tests run it.
func TestPostgresOnly(t *testing.T) {
	for op, want := range map[Op]string{
		CastedText:  `cast($1 AS text)`,
		TruncMillis: `date_trunc('milliseconds', $1)`,
		NextMillis:  `($1 + INTERVAL '1 millisecond')`,
	} {
		s := valueOf(call(op, Arg{Slot: 0}))
		text, _ := mustRender(t, s, Postgres)
		if want = `SELECT ` + want + ` AS "v" FROM "todos" AS "t0" ORDER BY "t0"."id" NULLS FIRST`; text != want {
			t.Errorf("got %s, want %s", text, want)
		}
		if text, _, err := Render(s, SQLite); err == nil {
			t.Errorf("SQLite: %s", text)
		}
	}
}

// The argument of a median stands twice on PostgreSQL, with its placeholders.
func TestMedianText(t *testing.T) {
	s := with(todos(), func(s *Select) {
		s.Columns = []Output{{Aggregate{Func: Median, X: call(Coalesce, col("t0", "prio"), arg(3))}, "m"}}
	})
	for d, want := range map[Dialect]string{
		SQLite:   `SELECT exo_median(coalesce("t0"."prio", ?)) AS "m" FROM "todos" AS "t0"`,
		Postgres: `SELECT ((CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce("t0"."prio", CAST($1 AS bigint))) AS numeric) + CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce("t0"."prio", CAST($2 AS bigint)) DESC) AS numeric)) * 0.5) AS "m" FROM "todos" AS "t0"`,
	} {
		text, slots, err := Render(s, d)
		if err != nil || text != want || len(slots) != strings.Count(want, "coalesce") {
			t.Errorf("%s %v %v", text, slots, err)
		}
	}
}

// A list is made in an order, and on PostgreSQL within a bound that a window tells.
func TestCollectedText(t *testing.T) {
	lite := with(todos(), func(s *Select) {
		s.Columns = []Output{{Collected{X: col("t0", "title"), OrderBy: []Order{{Expr: col("t0", "prio"), Desc: true}, {Expr: col("t0", "id")}}}, "l"}}
	})
	post := &Select{Columns: []Output{{Collected{X: col("t1", "title"), Run: col("t1", "w0")}, "l"}},
		From: []Source{{Alias: "t1", Sub: with(todos(), func(s *Select) {
			s.Columns = []Output{{col("t0", "title"), "title"}, {Running{col("t0", "title"), []Expr{col("t0", "prio")}, []Order{{Expr: col("t0", "id"), NotNull: true}}}, "w0"}}
		})}}}
	for _, x := range []struct {
		sel  *Select
		d    Dialect
		want string
	}{
		{lite, SQLite, `SELECT exo_collect("t0"."title" ORDER BY "t0"."prio" DESC, "t0"."id") AS "l" FROM "todos" AS "t0"`},
		{lite, Postgres, ""},
		{post, SQLite, ""},
		{post, Postgres, `SELECT (CASE WHEN MAX("t1"."w0") > 1048576 THEN NULL ELSE coalesce(array_agg("t1"."title" ORDER BY "t1"."w0") FILTER (WHERE "t1"."title" IS NOT NULL AND "t1"."w0" <= 1048576), '{}') END) AS "l" FROM (SELECT "t0"."title" AS "title", SUM(octet_length("t0"."title") + 8) OVER (PARTITION BY "t0"."prio" ORDER BY "t0"."id" ROWS UNBOUNDED PRECEDING) AS "w0" FROM "todos" AS "t0") AS "t1"`},
		{with(todos(), func(s *Select) { s.Columns = []Output{{Collected{X: col("t0", "title")}, "l"}} }), SQLite, ""},
		{with(todos(), func(s *Select) {
			s.Where = []Expr{call(IsNull, Collected{X: col("t0", "title"), OrderBy: byID})}
		}), SQLite, ""},
		{with(todos(), func(s *Select) {
			s.Where = []Expr{call(IsNull, Running{col("t0", "title"), nil, byID})}
		}), Postgres, ""},
	} {
		if text, _, err := Render(x.sel, x.d); text != x.want || (err != nil) != (x.want == "") {
			t.Errorf("%s %v", text, err)
		}
	}
}

// A function of a window names it, and is refused where the window, its order or its frame is not one that it has.
func TestWindowText(t *testing.T) {
	w := []Window{{"w", []Expr{col("t0", "done")}, byID}, {"a", []Expr{col("t0", "done")}, nil}, {"e", nil, nil}}
	sel := func(x ...Expr) *Select {
		return with(todos(), func(s *Select) {
			s.Columns, s.Windows = nil, w
			for i, e := range x {
				s.Columns = append(s.Columns, Output{e, "x" + string(rune('0'+i))})
			}
		})
	}
	id := col("t0", "id")
	const windows = ` FROM "todos" AS "t0" WINDOW "w" AS (PARTITION BY "t0"."done" ORDER BY "t0"."id"), "a" AS (PARTITION BY "t0"."done"), "e" AS ()`
	nulls := strings.ReplaceAll(windows, `"t0"."id")`, `"t0"."id" NULLS FIRST)`)
	for _, x := range []struct {
		sel  *Select
		d    Dialect
		want string
	}{
		{sel(Windowed{Window: "w", Func: Number}, Windowed{Window: "w", Func: Lag, X: id, N: Arg{Slot: 3}}, Windowed{Window: "w", Func: LastValue, X: id, Frame: Whole}), SQLite,
			`SELECT ROW_NUMBER() OVER "w" AS "x0", LAG("t0"."id", ?) OVER "w" AS "x1", LAST_VALUE("t0"."id") OVER ("w" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "x2"` + windows},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: SumWhole, X: id}), SQLite, `SELECT exo_whole("t0"."id") OVER "a" AS "x0"` + windows},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: SumWhole, X: id, Frame: UpTo}, Windowed{Window: "e", Func: Aggregated, Agg: Count}), Postgres, `SELECT CAST(SUM("t0"."id") OVER ("w" ROWS UNBOUNDED PRECEDING) AS numeric) AS "x0", COUNT(*) OVER "e" AS "x1"` + nulls},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: UpTo, Stored: true}), SQLite, `SELECT exo_stored_sum("t0"."id") OVER ("w" ROWS UNBOUNDED PRECEDING) AS "x0"` + windows},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: UpTo, Stored: true}), Postgres, ""},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Max, X: id, Frame: UpTo, Stored: true}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Max, X: id, Frame: Moving, N: Arg{Slot: 3, Cast: CastInteger}}), Postgres, `SELECT MAX("t0"."id") OVER ("w" ROWS CAST($1 AS integer) PRECEDING) AS "x0"` + nulls},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: MaxNumber, X: id, Frame: Moving, N: Arg{Slot: 3}}), SQLite, `SELECT exo_moving_max("t0"."id") OVER ("w" ROWS ? PRECEDING) AS "x0"` + windows},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: MinNumber, X: id, Frame: Moving, N: Arg{Slot: 3}, Stored: true}), SQLite, `SELECT exo_stored_moving_min("t0"."id") OVER ("w" ROWS ? PRECEDING) AS "x0"` + windows},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: Moving}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: Moving, N: id}), SQLite, ""}, // an engine reads it once for all rows, or refuses it
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: UpTo, N: Arg{Slot: 3}}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Sum, X: id, Frame: Moving, N: Arg{Slot: 3}}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: FirstValue, X: id, Frame: Moving, N: Arg{Slot: 3}}), SQLite, ""},
		{sel(Windowed{Window: "x", Func: Number}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Number}), SQLite, ""},
		{sel(Windowed{Window: "w"}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Number, X: id}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Number, N: Arg{}}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Number, Frame: Whole}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Lag}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Lag, X: id, N: id}), SQLite, ""},
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id}), SQLite, ""}, // an engine would take it for the rows up to the peers
		{sel(Windowed{Window: "w", Func: Aggregated, Agg: Sum, X: id, Frame: Whole}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Sum, X: id, Frame: UpTo}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: CountDistinct, X: id}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Median, X: id}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Sum}), SQLite, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Mean, X: id}), Postgres, ""},
		{sel(Windowed{Window: "a", Func: Aggregated, Agg: Sum, X: Windowed{Window: "w", Func: Number}}), SQLite, ""},
		{with(sel(Windowed{Window: "w", Func: Number}), func(s *Select) { s.Windows = append(w, w[0]) }), SQLite, ""},
		{with(sel(Windowed{Window: "w", Func: Number}), func(s *Select) { s.Windows = []Window{{"w'", nil, byID}} }), SQLite, ""},
		{with(sel(Windowed{Window: "w", Func: Number}), func(s *Select) { s.Windows = []Window{{"w", nil, []Order{{Expr: One}}}} }), SQLite, ""},
		{with(sel(Windowed{Window: "w", Func: Number}), func(s *Select) { s.OrderBy = byID }), SQLite, ""},
		{with(sel(Windowed{Window: "w", Func: Number}), func(s *Select) { s.Where = []Expr{call(Eq, Windowed{Window: "w", Func: Number}, One)} }), SQLite, ""},
		{with(sel(id), func(s *Select) { s.Group = 1 }), SQLite, ""},
	} {
		if text, _, err := Render(x.sel, x.d); text != x.want || (err != nil) != (x.want == "") {
			t.Errorf("%s %v\nwant %s", text, err, x.want)
		}
	}
}
