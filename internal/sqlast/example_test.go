package sqlast_test

import (
	"fmt"

	"github.com/exoagent/exoagent/internal/sqlast"
)

// The open todos of the user in slot 0, at most as many as slot 1 says.
func ExampleRender() {
	col := func(name string) sqlast.Expr { return sqlast.Column{Alias: "t0", Name: name} }
	s := &sqlast.Select{
		Columns: []sqlast.Output{{Expr: col("title"), As: "title"}},
		From:    []sqlast.Source{{Table: "todos", Alias: "t0"}},
		Where: []sqlast.Expr{
			sqlast.Call{Op: sqlast.Eq, Args: []sqlast.Expr{col("user_id"), sqlast.Arg{Slot: 0}}},
			sqlast.Call{Op: sqlast.Not, Args: []sqlast.Expr{col("done")}},
		},
		Limit: []sqlast.Expr{sqlast.Arg{Slot: 1}},
	}
	text, slots, err := sqlast.Render(s, sqlast.SQLite)
	fmt.Println(text, slots, err)
	fmt.Println(sqlast.Tables(s))
	// Output:
	// SELECT "t0"."title" AS "title" FROM "todos" AS "t0" WHERE ("t0"."user_id" = ?) AND (NOT "t0"."done") LIMIT max(?, 0) [0 1] <nil>
	// map[todos:map[done:true title:true user_id:true]]
}
