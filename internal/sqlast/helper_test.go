package sqlast

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// fixture is read by SQLite and Postgres alike.
const fixture = `
CREATE TABLE users (id BIGINT PRIMARY KEY, name TEXT);
CREATE TABLE todos (id BIGINT PRIMARY KEY, user_id BIGINT, title TEXT, done BOOLEAN, prio BIGINT);
INSERT INTO users VALUES (1, 'ada'), (2, 'bob'), (3, 'cyd');
INSERT INTO todos VALUES
	(1, 1, 'a', FALSE, 3), (2, 1, 'b', TRUE, NULL), (3, 2, 'c', FALSE, 1), (4, 2, 'd', NULL, 2), (5, NULL, 'e', TRUE, 1);
`

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// open returns a database in memory after running script.
func open(t testing.TB, script string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:?_dqs=0")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return db
}

// query runs text and returns the rows as "1|a; 2|NULL".
func query(db *sql.DB, text string, args ...any) (string, error) {
	rows, err := db.Query(text, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var all []string
	for rows.Next() {
		vals, dest := make([]any, len(names)), make([]any, len(names))
		for i := range vals {
			dest[i] = &vals[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return "", err
		}
		var cells []string
		for _, v := range vals {
			switch v := v.(type) {
			case nil:
				cells = append(cells, "NULL")
			case bool:
				cells = append(cells, map[bool]string{true: "1", false: "0"}[v])
			default:
				cells = append(cells, fmt.Sprint(v))
			}
		}
		all = append(all, strings.Join(cells, "|"))
	}
	return strings.Join(all, "; "), rows.Err()
}

// bind puts the values of the slots in the order of the placeholders.
func bind(slots []int, values []any) []any {
	var args []any
	for _, s := range slots {
		args = append(args, values[s])
	}
	return args
}

func mustRender(t fataler, s *Select, d Dialect) (string, []int) {
	t.Helper()
	text, slots, err := Render(s, d)
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	return text, slots
}

// run renders s for SQLite and returns its rows.
func run(t fataler, db *sql.DB, s *Select, values ...any) string {
	t.Helper()
	text, slots := mustRender(t, s, SQLite)
	rows, err := query(db, text, bind(slots, values)...)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return rows
}

func call(op Op, args ...Expr) Expr { return Call{op, args} }

func col(alias, name string) Expr { return Column{alias, name} }

func arg(slot int) Expr { return Arg{Slot: slot, Cast: CastBigint} }

// todos selects the named columns of the todos table, aliased t0.
func todos(names ...string) *Select {
	s := &Select{From: []Source{{Table: "todos", Alias: "t0"}}}
	for _, n := range names {
		s.Columns = append(s.Columns, Output{col("t0", n), n})
	}
	return s
}

// owners selects, aliased t1, the ids of users whose name is in slot.
func owners(slot int) *Select {
	return &Select{
		Columns: []Output{{col("t1", "id"), "id"}},
		From:    []Source{{Table: "users", Alias: "t1"}},
		Where:   []Expr{call(Eq, col("t1", "name"), Arg{Slot: slot})},
	}
}

var byID = []Order{{Expr: Column{"t0", "id"}}}

// hasAll reports whether text has the placeholders $1 to $n, in order, and no
// question mark.
func hasAll(text string, n int) bool {
	for i := range n {
		var ok bool
		if _, text, ok = strings.Cut(text, fmt.Sprintf("$%d", i+1)); !ok {
			return false
		}
	}
	return !strings.ContainsAny(text, "?$")
}
