package sqlast

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"modernc.org/sqlite"
)

type reads = map[string]map[string]bool

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *Select
		want reads
	}{
		{"columns", with(todos("id"), func(s *Select) { s.Where = []Expr{col("t0", "done")} }), reads{"todos": set("id", "done")}},
		{"rows only", with(todos(), func(s *Select) { s.Columns = []Output{{Aggregate{Func: Count}, "n"}} }), reads{"todos": set()}},
		{"sub select", with(todos("id"), func(s *Select) { s.Where = []Expr{InSelect{col("t0", "user_id"), nil, owners(0)}} }),
			reads{"todos": set("id", "user_id"), "users": set("id", "name")}},
		{"outer column", with(todos("title"), func(s *Select) { s.Where = []Expr{Exists{Sub: children}} }),
			reads{"todos": set("title", "user_id"), "users": set("id")}},
		{"derived", &Select{
			Columns: []Output{{col("d", "made_up"), "x"}},
			From: []Source{{Alias: "d", Sub: with(todos(), func(s *Select) {
				s.Columns = []Output{{call(Add, col("t0", "id"), col("t0", "prio")), "made_up"}}
			})}},
		}, reads{"todos": set("id", "prio")}},
		{"order, window, join", with(todos("id"), func(s *Select) {
			s.Columns = append(s.Columns, Output{RowNumber{[]Expr{col("t0", "done")}, []Order{{Expr: col("t0", "prio")}}}, "n"})
			s.From = append(s.From, Source{Table: "users", Alias: "t1", On: []Expr{call(Is, col("t1", "name"), Null)}})
			s.OrderBy = []Order{{Expr: call(Not, col("t0", "title"))}}
		}), reads{"todos": set("id", "done", "prio", "title"), "users": set("name")}},
		{"wrong", where(nil), nil},
		{"nil", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Tables(c.s); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestTablesAsSQLiteSees asks SQLite's authorizer what each statement of the
// golden tests reads. It may be less (an empty In is not evaluated), never more.
func TestTablesAsSQLiteSees(t *testing.T) {
	db := open(t, fixture)
	seen := reads{}
	watch(t, db, func(table, column string) {
		if seen[table] == nil {
			seen[table] = map[string]bool{}
		}
		if column != "" {
			seen[table][column] = true
		}
	})
	var all []*Select
	for _, c := range exprCases {
		if !strings.HasSuffix(c.name, "in nothing") {
			all = append(all, valueOf(c.e))
		}
	}
	for _, c := range selectCases {
		all = append(all, c.s)
	}
	for _, s := range all {
		clear(seen)
		text, _ := mustRender(t, s, SQLite)
		stmt, err := db.Prepare(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		stmt.Close()
		if want := Tables(s); len(seen) == 0 || fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%s\nSQLite reads %v, Tables has %v", text, seen, want)
		}
	}
	if t.Failed() {
		t.Log(slices.Sorted(maps.Keys(seen)))
	}
}

func watch(t *testing.T, db *sql.DB, read func(table, column string)) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		return c.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(
			func(action sqlite.AuthorizerActionCode, table, column, _, _ string) sqlite.AuthorizerReturnCode {
				if action == sqlite.AuthRead {
					read(table, column)
				}
				return sqlite.AuthorizerOK
			})
	})
	if err != nil {
		t.Fatal(err)
	}
}
