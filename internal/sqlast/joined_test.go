package sqlast

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestJoined: on SQLite a row whose key is among those of one table is joined with it. Whatever else the select has, a fence above all, stays in it.
func TestJoined(t *testing.T) {
	among := func(column, table, alias string, where ...Expr) InSelect {
		return InSelect{X: Column{column[:1], column[2:]}, Sub: &Select{Key: true, Columns: []Output{{Column{alias, "id"}, "k"}}, From: []Source{{Table: table, Alias: alias}}, Where: where}}
	}
	scope := func() InSelect {
		return among("t.project", "projects", "p", Call{Eq, []Expr{Column{"p", "kind"}, Arg{Slot: 1}}}, among("p.org", "orgs", "o", Call{Eq, []Expr{Column{"o", "id"}, Arg{Slot: 2}}}))
	}
	render := func(d Dialect, where ...Expr) (string, []int) {
		text, slots, err := Render(&Select{Columns: []Output{{Column{"t", "id"}, "c0"}}, From: []Source{{Table: "tasks", Alias: "t"}}, Where: where}, d)
		if err != nil {
			t.Fatal(err)
		}
		return text, slots
	}
	before, after := Call{Eq, []Expr{Column{"t", "a"}, Arg{Slot: 0}}}, Call{Eq, []Expr{Column{"t", "b"}, Arg{Slot: 3}}}
	text, slots := render(SQLite, before, scope(), after)
	if want := `SELECT "t"."id" AS "c0" FROM "tasks" AS "t" JOIN "projects" AS "p" ON ("t"."project" = "p"."id") JOIN "orgs" AS "o" ON ("p"."org" = "o"."id") ` +
		`WHERE ("t"."a" = ?) AND ("p"."kind" = ?) AND ("o"."id" = ?) AND ("t"."b" = ?)`; text != want || fmt.Sprint(slots) != "[0 1 2 3]" {
		t.Errorf("%s %v, want\n%s", text, slots, want)
	}
	if text, _ := render(Postgres, scope()); strings.Contains(text, "JOIN") {
		t.Errorf("on Postgres: %s", text)
	}
	if text, _ := render(SQLite, Call{Or, []Expr{scope(), after}}); strings.Contains(text, `FROM "tasks" AS "t" JOIN`) {
		t.Errorf("a part of an OR: %s", text)
	}
	for name, spoil := range map[string]func(*InSelect){
		"no key": func(e *InSelect) { e.Sub.Key = false },
		"two columns": func(e *InSelect) {
			e.And, e.Sub.Columns = []Expr{Column{"t", "x"}}, append(e.Sub.Columns, Output{Column{"p", "x"}, "kx"})
		},
		"two tables": func(e *InSelect) { e.Sub.From = append(e.Sub.From, Source{Table: "orgs", Alias: "z"}) },
		"a fence":    func(e *InSelect) { e.Sub.Offset = []Expr{Zero} },
		"a limit":    func(e *InSelect) { e.Sub.Limit = []Expr{One} },
		"a group":    func(e *InSelect) { e.Sub.Group = 1 },
		"inner select": func(e *InSelect) {
			e.Sub.From = []Source{{Sub: &Select{Columns: []Output{{Column{"q", "id"}, "id"}, {Column{"q", "kind"}, "kind"}, {Column{"q", "org"}, "org"}}, From: []Source{{Table: "projects", Alias: "q"}}}, Alias: "p"}}
		},
	} {
		e := scope()
		spoil(&e)
		if text, _ := render(SQLite, e); !strings.Contains(text, `WHERE (`) || !strings.Contains(text, `FROM "tasks" AS "t" WHERE (`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	var many []Expr
	for i := range 2 * maxJoined {
		many = append(many, among("t.project", "projects", "p"+strings.Repeat("x", i)))
	}
	if text, _ := render(SQLite, many...); strings.Count(text, " JOIN ") != maxJoined-1 || strings.Count(text, " IN ") != maxJoined+1 {
		t.Errorf("many: %s", text)
	}
	s := &Select{Columns: []Output{{Column{"t", "id"}, "c0"}}, From: slices.Grow([]Source{{Table: "tasks", Alias: "t"}}, 4), Where: []Expr{scope()}}
	if joined(s); len(s.From) != 1 || s.From[:2][1].Table != "" || len(s.Where) != 1 {
		t.Error("the select itself was changed")
	}
}
