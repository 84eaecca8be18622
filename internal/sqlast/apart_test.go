package sqlast

import (
	"strings"
	"testing"
)

// TestApart: SQLite gets no value from which it could conclude what a column of a derived table is. Without such a table an index is searched by the
// value itself.
func TestApart(t *testing.T) {
	inner, id, arg := Column{Alias: "t0", Name: "id"}, Column{Alias: "t1", Name: "id"}, Arg{Slot: 1}
	derived := Source{Alias: "t1", Sub: &Select{Columns: []Output{{inner, "id"}}, From: []Source{{Table: "users", Alias: "t0"}}, Where: []Expr{Call{Eq, []Expr{inner, arg}}}}}
	exists := Exists{Sub: &Select{Columns: []Output{{One, "k"}}, From: []Source{{Table: "todos", Alias: "t3"}}, Where: []Expr{Call{Eq, []Expr{Column{Alias: "t3", Name: "user_id"}, id}}}}}
	for want, where := range map[string]Expr{
		`("t1"."id" = (SELECT ?))`:             Call{Eq, []Expr{id, arg}},
		`((SELECT ?) = "t1"."id")`:             Call{Eq, []Expr{arg, id}},
		`("t1"."id" = (SELECT  ?))`:            In{X: id, List: []Expr{arg}},
		`("t1"."id" = (SELECT (? + ?)))`:       Call{Eq, []Expr{id, Call{Add, []Expr{arg, arg}}}},
		`AND ("t1"."id" = (SELECT ?)))`:        Call{And, []Expr{Call{IsNotNull, []Expr{id}}, Call{Eq, []Expr{id, arg}}}},
		`("t1"."id" IN (?, ?))`:                In{X: id, List: []Expr{arg, arg}},
		`(NOT ("t1"."id" = ?))`:                Call{Not, []Expr{Call{Eq, []Expr{id, arg}}}},
		`("t1"."id" = "t1"."id")`:              Call{Eq, []Expr{id, id}},
		`(("t1"."id" = ?) OR ("t1"."id" > ?))`: Call{Or, []Expr{Call{Eq, []Expr{id, arg}}, Call{Gt, []Expr{id, arg}}}},
	} {
		want = strings.Replace(want, "  ", " ", 1)
		for _, s := range []*Select{{From: []Source{derived}, Where: []Expr{exists, where}}, {From: []Source{{Table: "todos", Alias: "t2"}, {Alias: "t1", Sub: derived.Sub, On: []Expr{exists, where}}}}} {
			s.Columns = []Output{{id, "id"}}
			if text, _, err := Render(s, SQLite); err != nil || !strings.HasSuffix(text, want) || !strings.Contains(text, `("t0"."id" = ?)`) {
				t.Errorf("%v %s\nwant …%s", err, text, want)
			}
		}
	}
}
