package sqlast

import (
	"slices"
	"strings"
	"testing"

	sq "github.com/Masterminds/squirrel"
)

// tenants has a row of each of two tenants. x is 1 in tenant 2 only.
const tenants = `CREATE TABLE t (tenant INTEGER, x INTEGER, "true" INTEGER, k INTEGER);
INSERT INTO t VALUES (1, 0, 0, 7), (2, 1, 0, 8);`

func tenant(e ...Expr) *Select {
	return &Select{
		Columns: []Output{{col("a", "tenant"), "tenant"}},
		From:    []Source{{Table: "t", Alias: "a"}},
		Where:   append([]Expr{call(Eq, col("a", "tenant"), Arg{Slot: 0})}, e...),
	}
}

// TestHazards has, for each way in which squirrel or an engine makes wrong SQL
// without an error, the plain use that does and the rows that it then gives, and
// what this package makes of the same. Our rows are those of tenant 1 or none.
func TestHazards(t *testing.T) {
	base := sq.Select("tenant").From("t")
	scope := sq.Eq{"tenant": 1}
	open2 := call(Or, call(Eq, col("a", "x"), One), call(Eq, One, One))
	for _, c := range []struct {
		name    string
		plain   sq.Sqlizer
		text    string // what squirrel makes of it
		leak    string // and the rows that come of that
		guarded *Select
		want    string // rows, or the start of an error
	}{
		{"or escapes And", base.Where(sq.And{scope, sq.Expr("x = 1 OR 1 = 1")}),
			"SELECT tenant FROM t WHERE (tenant = ? AND x = 1 OR 1 = 1)", "1; 2", tenant(open2), "1"},
		{"or escapes Where", base.Where(scope).Where("x = 1 OR 1 = 1"),
			"SELECT tenant FROM t WHERE tenant = ? AND x = 1 OR 1 = 1", "1; 2", tenant(open2), "1"},
		{"not takes less", base.Where(scope).Where(sq.ConcatExpr("NOT ", sq.Expr("x = 0 OR x IS NULL OR x = 1"))),
			"SELECT tenant FROM t WHERE tenant = ? AND NOT x = 0 OR x IS NULL OR x = 1", "2",
			tenant(call(Not, call(Or, call(Eq, col("a", "x"), Zero), call(IsNull, col("a", "x")), call(Eq, col("a", "x"), One)))), ""},
		{"empty Eq", base.Where(sq.Eq{}),
			"SELECT tenant FROM t WHERE (1=1)", "1; 2", tenant(Call{Op: Eq}), "!sqlast: where[1]"},
		{"empty And", base.Where(sq.And{}),
			"SELECT tenant FROM t WHERE (1=1)", "1; 2", tenant(Call{Op: And}), "!sqlast: where[1]"},
		{"nil condition", base.Where(nil),
			"SELECT tenant FROM t", "1; 2", tenant(nil), "!sqlast: where[1]"},
		{"empty condition", base.Where(sq.Expr("")).Suffix("LIMIT 9"),
			"SELECT tenant FROM t WHERE  LIMIT 9", "!", tenant(Call{Op: Or}), "!sqlast: where[1]"},
		{"key is text", base.Where(sq.Eq{"1 = 1 OR tenant": 1}),
			"SELECT tenant FROM t WHERE 1 = 1 OR tenant = ?", "1; 2", tenant(call(Eq, col("a", "1 = 1 OR tenant"), Arg{Slot: 0})), "!SQL logic error"},
		{"order is text", base.OrderBy("1 LIMIT 1 OFFSET 1 --"),
			"SELECT tenant FROM t ORDER BY 1 LIMIT 1 OFFSET 1 --", "2",
			with(tenant(), func(s *Select) { s.OrderBy = []Order{{Expr: col("a", "1 LIMIT 1 OFFSET 1 --")}} }), "!SQL logic error"},
		{"table is text", sq.Select("tenant").From("t WHERE tenant = 2 --"),
			"SELECT tenant FROM t WHERE tenant = 2 --", "2",
			with(tenant(), func(s *Select) { s.From[0].Table = "t WHERE tenant = 2 --" }), "!SQL logic error"},
		{"negative limit", sq.Select("tenant").From("t").Suffix("LIMIT ?", -1),
			"SELECT tenant FROM t LIMIT ?", "1; 2", with(tenant(), func(s *Select) { s.Limit = []Expr{Arg{Slot: 1}} }), ""},
		{"TRUE is a name", base.Where("x = 1 OR TRUE").Where(scope),
			"SELECT tenant FROM t WHERE x = 1 OR TRUE AND tenant = ?", "2", tenant(True), "1"},
		{"order by number", base.OrderBy("1"),
			"SELECT tenant FROM t ORDER BY 1", "1; 2", with(tenant(), func(s *Select) { s.OrderBy = []Order{{Expr: One}} }), "!sqlast: order[0]"},
		{"inner name captures outer", base.Where("EXISTS (SELECT 1 FROM t AS u WHERE u.tenant = tenant AND u.x = 1)"),
			"SELECT tenant FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.tenant = tenant AND u.x = 1)", "1; 2",
			tenant(Exists{Sub: &Select{
				Columns: []Output{{One, "one"}},
				From:    []Source{{Table: "t", Alias: "u"}},
				Where:   []Expr{call(Eq, col("u", "tenant"), col("a", "tenant")), call(Eq, col("u", "x"), One)},
			}}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := open(t, tenants)
			text, args, err := c.plain.ToSql()
			if err != nil || text != c.text {
				t.Errorf("squirrel: %s, %v", text, err)
			}
			if rows, err := query(db, text, args...); rows != strings.TrimPrefix(c.leak, "!") || (err != nil) != (c.leak == "!") {
				t.Errorf("squirrel: rows %s, %v", rows, err)
			}
			rows, err := renderAndQuery(t, c.guarded, 1, -1)
			if want, fails := strings.CutPrefix(c.want, "!"); fails {
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("rows %s, error %v", rows, err)
				}
			} else if err != nil || rows != want {
				t.Errorf("rows %s, error %v", rows, err)
			}
		})
	}
}

func renderAndQuery(t *testing.T, s *Select, values ...any) (string, error) {
	text, slots, err := Render(s, SQLite)
	if err != nil {
		return "", err
	}
	return query(open(t, tenants), text, bind(slots, values)...)
}

// TestNestedDollar is issues 285 and 286 of squirrel: an inner builder that
// writes $1 makes the outer one bind the wrong value, without an error.
func TestNestedDollar(t *testing.T) {
	inner := sq.Select("id").From("u").Where("k = ?", 1).PlaceholderFormat(sq.Dollar)
	text, args, err := sq.Select("id").From("t").Where(sq.Expr("id IN (?)", inner)).Where("z = ?", 2).
		PlaceholderFormat(sq.Dollar).ToSql()
	if err != nil || text != "SELECT id FROM t WHERE id IN (SELECT id FROM u WHERE k = $1) AND z = $1" || len(args) != 2 {
		t.Errorf("squirrel: %s %v %v", text, args, err)
	}
	s := with(todos("id"), func(s *Select) {
		s.Where = []Expr{InSelect{col("t0", "user_id"), nil, owners(1)}, call(Eq, col("t0", "id"), Arg{Slot: 0})}
	})
	text, slots := mustRender(t, s, Postgres)
	if !strings.Contains(text, "= $1)") || !strings.Contains(text, "= $2)") || !slices.Equal(slots, []int{1, 0}) {
		t.Errorf("%s %v", text, slots)
	}
}

// TestGlobalBuilder changes what squirrel.Select starts from, as any package of
// the program may.
func TestGlobalBuilder(t *testing.T) {
	before := sq.StatementBuilder
	defer func() { sq.StatementBuilder = before }()
	s := with(todos("id"), func(s *Select) { s.Where = []Expr{InSelect{col("t0", "user_id"), nil, owners(0)}} })
	want, _ := mustRender(t, s, Postgres)

	sq.StatementBuilder = sq.StatementBuilder.PlaceholderFormat(sq.Dollar).Where("1 = 1 OR 1 = 1")
	if text, _, _ := sq.Select("a").From("t").Where("b = ?", 1).ToSql(); text != "SELECT a FROM t WHERE 1 = 1 OR 1 = 1 AND b = $1" {
		t.Errorf("squirrel: %s", text)
	}
	if got, _ := mustRender(t, s, Postgres); got != want {
		t.Errorf("got %s", got)
	}
}

// TestQuestionMarkInName: squirrel counts one between quotes too, so it is a mark until the statement is whole, and no name has the mark.
func TestQuestionMarkInName(t *testing.T) {
	text, _, _ := sq.Select(`"a?"`).From("t").Where("b = ?", 1).PlaceholderFormat(sq.Dollar).ToSql()
	if text != `SELECT "a$1" FROM t WHERE b = $2` {
		t.Errorf("squirrel: %s", text)
	}
	text, _, _ = sq.Select(`"a??"`).From("t").PlaceholderFormat(sq.Dollar).ToSql()
	if text != `SELECT "a?" FROM t` {
		t.Errorf("squirrel: %s", text)
	}
	for _, name := range []string{"?", "a?", "??"} {
		for _, d := range []Dialect{SQLite, Postgres} {
			s := todos(name)
			s.Where = []Expr{call(Eq, col("t0", name), Arg{Slot: 3})}
			want := `SELECT "t0"."N" AS "N" FROM "todos" AS "t0" WHERE ("t0"."N" = ` + map[Dialect]string{SQLite: "?)", Postgres: "$1)"}[d]
			if text, slots, err := Render(s, d); err != nil || text != strings.ReplaceAll(want, "N", name) || len(slots) != 1 {
				t.Errorf("%s %v %v", text, slots, err)
			}
		}
		if text, _, err := Render(todos(name+mark), Postgres); err == nil {
			t.Errorf("%s", text)
		}
	}
}

// TestLayers is why size counts what a derived table's column is made of: to
// SQLite twelve layers are thousands of sums, and 22 took 12 seconds.
func TestLayers(t *testing.T) {
	if _, _, err := Render(nests["sums"](22), SQLite); err == nil {
		t.Error("22 layers let through")
	}
}

// TestSpellings reads the operator table: each spelling is closed in itself, so
// that neighbours can't change what it means, and none has a question mark.
func TestSpellings(t *testing.T) {
	for op := NoOp + 1; op < numOps; op++ {
		info := ops[op]
		if info.name == "" || info.min < 1 || info.sqlite.close == "" && info.postgres.close == "" {
			t.Errorf("operator %d has no row", op)
		}
		for _, s := range []spelling{info.sqlite, info.postgres} {
			if s.close == "" {
				continue
			}
			if info.max != 1 && len(s.seps) == 0 {
				t.Errorf("%s: no separator", info.name)
				continue
			}
			text := string(s.open)
			n := 3
			if info.max > 0 {
				n = info.max
			}
			for i := range n {
				if i > 0 && len(s.seps) > 0 {
					text += string(s.sep(i - 1))
				}
				text += "x"
			}
			text += string(s.close)
			head, _, ok := strings.Cut(text, "(")
			if !ok || strings.Trim(head, "abcdefghijklmnopqrstuvwxyzCASTEXR_.") != "" || closes(text[len(head):]) != len(text)-len(head) {
				t.Errorf("%s is not closed: %s", info.name, text)
			}
			if strings.Contains(text, "?") {
				t.Errorf("%s has a question mark: %s", info.name, text)
			}
		}
	}
}

// closes returns where the parenthesis that opens text is closed.
func closes(text string) int {
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// TestEmptyFragment: squirrel leaves out what is empty without a word, and a condition
// that came out empty would be one that holds.
func TestEmptyFragment(t *testing.T) {
	if text, _, err := newFragment(SQLite).ToSql(); err == nil {
		t.Errorf("%q", text)
	}
	if text, _, err := newFragment(SQLite).add(True).ToSql(); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
}
