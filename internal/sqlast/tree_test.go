package sqlast

import (
	"strings"
	"testing"
)

// TestRecursions: two selects make one derived table of rows and their depth, and the rows of one step are read by the next alone.
func TestRecursions(t *testing.T) {
	arm := func(alias string, depth Expr, from ...Source) *Select {
		return &Select{Columns: []Output{{Column{alias, "id"}, "c0"}, {Column{alias, "boss"}, "c1"}, {depth, "d"}}, From: append(from, Source{Table: "staff", Alias: alias})}
	}
	step := Source{Step: "r", Alias: "s"}
	next := func(change ...func(*Select)) *Select {
		s := arm("b", Call{Add, []Expr{Column{"s", "d"}, One}}, step)
		s.From[1].On = []Expr{Call{Eq, []Expr{Column{"b", "boss"}, Column{"s", "c0"}}}}
		s.Where = []Expr{Call{Lt, []Expr{Column{"s", "d"}, Arg{Slot: 4}}}}
		for _, f := range change {
			f(s)
		}
		return s
	}
	of := func(src Source) *Select {
		return &Select{Columns: []Output{{Column{"r", "c0"}, "x"}, {Column{"r", "d"}, "d"}}, From: []Source{src}}
	}
	good := func() Source {
		return Source{Recursion: &Recursion{arm("a", One), next(), 1}, Alias: "r"}
	}
	text, slots, err := Render(of(good()), Postgres)
	if want := `SELECT "r"."c0" AS "x", "r"."d" AS "d" FROM (WITH RECURSIVE "exo_tree_r" ("c0", "c1", "d") AS (SELECT "a"."id" AS "c0", "a"."boss" AS "c1", 1 AS "d" FROM "staff" AS "a" UNION ` +
		`SELECT "b"."id" AS "c0", "b"."boss" AS "c1", ("s"."d" + 1) AS "d" FROM "exo_tree_r" AS "s" JOIN "staff" AS "b" ON ("b"."boss" = "s"."c0") WHERE ("s"."d" < $1)) SELECT "c0", MIN("d") AS "d" FROM "exo_tree_r" GROUP BY 1) AS "r"`; err != nil || text != want || len(slots) != 1 || slots[0] != 4 {
		t.Errorf("%s %v %v", text, slots, err)
	}
	joined := &Select{Columns: []Output{{Column{"r", "d"}, "d"}}, From: []Source{{Table: "users", Alias: "u"}, good()}}
	if text, _, err := Render(joined, SQLite); err != nil || !strings.Contains(text, `CROSS JOIN (WITH RECURSIVE "exo_tree_r"`) {
		t.Errorf("%s %v", text, err)
	}
	if reads := Tables(joined); len(reads) != 2 || !reads["staff"]["id"] || !reads["staff"]["boss"] {
		t.Errorf("it reads %v", reads)
	}
	change := func(f func(*Source)) Source {
		s := good()
		f(&s)
		return s
	}
	for what, src := range map[string]Source{
		"needs First and Next":      change(func(s *Source) { s.Recursion.Next = nil }),
		"the same number of":        change(func(s *Source) { s.Recursion.First.Columns = s.Recursion.First.Columns[:2] }),
		"and a depth":               change(func(s *Source) { s.Recursion.Keys = 3 }),
		"at least one key":          change(func(s *Source) { s.Recursion.Keys = 0 }),
		"must have the name":        change(func(s *Source) { s.Recursion.Next.Columns[0].As = "k" }),
		"sorted, limited":           change(func(s *Source) { s.Recursion.Next.Limit = []Expr{One} }),
		"limited or":                change(func(s *Source) { s.Recursion.First.OrderBy = []Order{{Expr: Column{"a", "id"}}} }),
		"or grouped":                change(func(s *Source) { s.Recursion.First.Group = 1 }),
		"exactly once":              change(func(s *Source) { s.Recursion.Next = arm("b", One) }),
		"rows of the previous step": change(func(s *Source) { s.Recursion.Next.From = append(s.Recursion.Next.From, Source{Step: "r", Alias: "s2"}) }),
		"names no recursion":        change(func(s *Source) { s.Recursion.Next.From[0].Step = "q" }),
		"around its select":         {Step: "r", Alias: "r"},
		"more than one of Table":    change(func(s *Source) { s.Table = "staff" }),
		"reserved for recursions":   change(func(s *Source) { s.Recursion.First.From[0].Table = "EXO_tree_r" }),
		"no output":                 change(func(s *Source) { s.Recursion.Next.Columns[0].Expr = Column{"s", "c7"} }),
		"longer than 63":            change(func(s *Source) { s.Alias = strings.Repeat("r", 60) }),
		"is used twice":             change(func(s *Source) { s.Recursion.Next.From[1].Alias = "a" }),
	} {
		if _, _, err := Render(of(src), SQLite); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What is carried from step to step and not a key is no output.
	if _, _, err := Render(&Select{Columns: []Output{{Column{"r", "c1"}, "x"}}, From: []Source{good()}}, SQLite); err == nil {
		t.Error("what tells no rows apart is an output")
	}
}
