package sqlast

import (
	"strings"
	"testing"
)

// TestSets: two selects make one derived table, first of a FROM or joined, and nothing is said of one that would be said of both.
func TestSets(t *testing.T) {
	arm := func(alias string, change ...func(*Select)) *Select {
		s := &Select{Columns: []Output{{Column{alias, "id"}, "c0"}}, From: []Source{{Table: "todos", Alias: alias}}, Where: []Expr{Call{Eq, []Expr{Column{alias, "id"}, Arg{Slot: 3}}}}}
		for _, f := range change {
			f(s)
		}
		return s
	}
	of := func(src Source) *Select {
		return &Select{Columns: []Output{{Column{"s", "c0"}, "x"}}, From: []Source{src}}
	}
	text, slots, err := Render(of(Source{Sub: arm("a"), Set: Except, With: arm("b"), Alias: "s"}), Postgres)
	if want := `SELECT "s"."c0" AS "x" FROM (SELECT "a"."id" AS "c0" FROM "todos" AS "a" WHERE ("a"."id" = $1) EXCEPT SELECT "b"."id" AS "c0" FROM "todos" AS "b" WHERE ("b"."id" = $2)) AS "s"`; err != nil || text != want || len(slots) != 2 {
		t.Errorf("%s %v %v", text, slots, err)
	}
	joined := &Select{Columns: []Output{{Column{"s", "c0"}, "x"}}, From: []Source{{Table: "users", Alias: "u"}, {Sub: arm("a"), Set: UnionAll, With: arm("b"), Alias: "s"}}}
	if text, _, err := Render(joined, SQLite); err != nil || !strings.Contains(text, `CROSS JOIN (SELECT "a"."id" AS "c0" FROM "todos" AS "a" WHERE ("a"."id" = ?) UNION ALL SELECT "b"."id" AS "c0"`) {
		t.Errorf("%s %v", text, err)
	}
	if reads := Tables(joined); len(reads) != 2 || !reads["todos"]["id"] {
		t.Errorf("it reads %v", reads)
	}
	for what, src := range map[string]Source{
		"a set needs Sub":                              {Sub: arm("a"), Set: Union, Alias: "s"},
		"one of the operators":                         {Sub: arm("a"), With: arm("b"), Alias: "s"},
		"and one of the":                               {Sub: arm("a"), With: arm("b"), Set: numSets, Alias: "s"},
		"Sub, With":                                    {With: arm("b"), Set: Union, Alias: "s"},
		"more than one of Table":                       {Table: "todos", Sub: arm("a"), With: arm("b"), Set: Union, Alias: "s"},
		"is used twice":                                {Sub: arm("a"), With: arm("a"), Set: Union, Alias: "s"},
		"an arm can't have":                            {Sub: arm("a"), With: arm("b", func(s *Select) { s.Limit = []Expr{One} }), Set: Union, Alias: "s"},
		"arm[0]: an arm can't":                         {Sub: arm("a", func(s *Select) { s.OrderBy = []Order{{Expr: Column{"a", "id"}}} }), With: arm("b"), Set: Union, Alias: "s"},
		"an order, a limit":                            {Sub: arm("a"), With: arm("b", func(s *Select) { s.Offset = []Expr{Zero} }), Set: Union, Alias: "s"},
		"different numbers":                            {Sub: arm("a"), With: arm("b", func(s *Select) { s.Columns = append(s.Columns, Output{Column{"b", "x"}, "c1"}) }), Set: Union, Alias: "s"},
		`"k" must have the name`:                       {Sub: arm("a"), With: arm("b", func(s *Select) { s.Columns[0].As = "k" }), Set: Union, Alias: "s"},
		`no source with the alias "a" is visible here`: {Sub: arm("a"), With: arm("b", func(s *Select) { s.Columns[0].Expr = Column{"a", "id"} }), Set: Union, Alias: "s"},
	} {
		if _, _, err := Render(of(src), SQLite); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
