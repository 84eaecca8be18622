package sqlast

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// rowsOf1 are the todos of user 1, by their keys, with a value made of each.
func rowsOf1() *Select {
	return &Select{
		Columns: []Output{{col("t0", "id"), "c0"}, {call(Add, col("t0", "prio"), One), "c1"}},
		From:    []Source{{Table: "todos", Alias: "t0"}},
		Where:   []Expr{call(Eq, col("t0", "user_id"), arg(0))},
	}
}

func changed(kind WriteKind, columns []string, values ...Expr) *Write {
	return &Write{Kind: kind, Table: "todos", Alias: "w", From: rowsOf1(), As: "s", Keys: []KeyOutput{{"id", "c0"}}, Columns: columns, Values: values}
}

func direct(kind WriteKind, columns []string, values ...Expr) *Write {
	return &Write{Kind: kind, Table: "todos", Alias: "w", Columns: columns, Values: values, Where: []Expr{call(Eq, col("w", "user_id"), arg(0)), call(IsNotNull, col("w", "prio"))}}
}

var writeCases = []struct {
	name             string
	w                *Write
	sqlite, postgres string
	values           []any
	rows             string // of todos afterwards
}{
	{"insert", &Write{Kind: Insert, Table: "todos", Columns: []string{"id", "title"}, Rows: [][]Expr{{arg(0), Arg{Slot: 1, Cast: CastText}}, {arg(2), Null}}, Returning: []string{"id"}},
		`INSERT INTO "todos" ("id", "title") VALUES (?, ?), (?, NULL) RETURNING "id"`,
		`INSERT INTO "todos" ("id", "title") VALUES (CAST($1 AS bigint), CAST($2 AS text)), (CAST($3 AS bigint), NULL) RETURNING "id"`,
		[]any{8, "x", 9}, "1|3|a; 2|NULL|b; 3|1|c; 4|2|d; 5|1|e; 8|NULL|x; 9|NULL|NULL"},
	{"update", changed(Update, []string{"prio", "title"}, col("s", "c1"), Arg{Slot: 1, Cast: CastText}),
		`UPDATE "todos" AS "w" SET "prio" = "s"."c1", "title" = ? FROM (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = ?)) AS "s" WHERE ("w"."id" = "s"."c0")`,
		`UPDATE "todos" AS "w" SET "prio" = "s"."c1", "title" = CAST($1 AS text) FROM (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = CAST($2 AS bigint))) AS "s" WHERE ("w"."id" = "s"."c0")`,
		[]any{1, "new"}, "1|4|new; 2|NULL|new; 3|1|c; 4|2|d; 5|1|e"},
	{"update to null where", func() *Write {
		w := changed(Update, []string{"title"}, Null)
		w.Where = []Expr{call(Eq, col("w", "prio"), arg(1))}
		return w
	}(),
		`UPDATE "todos" AS "w" SET "title" = NULL FROM (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = ?)) AS "s" WHERE ("w"."id" = "s"."c0") AND ("w"."prio" = ?)`,
		`UPDATE "todos" AS "w" SET "title" = NULL FROM (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = CAST($1 AS bigint))) AS "s" WHERE ("w"."id" = "s"."c0") AND ("w"."prio" = CAST($2 AS bigint))`,
		[]any{1, 3}, "1|3|NULL; 2|NULL|b; 3|1|c; 4|2|d; 5|1|e"},
	{"delete", changed(Delete, nil),
		`DELETE FROM "todos" AS "w" WHERE ("w"."id") IN (SELECT "s"."c0" FROM (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = ?)) AS "s")`,
		`DELETE FROM "todos" AS "w" USING (SELECT "t0"."id" AS "c0", ("t0"."prio" + 1) AS "c1" FROM "todos" AS "t0" WHERE ("t0"."user_id" = CAST($1 AS bigint))) AS "s" WHERE ("w"."id" = "s"."c0")`,
		[]any{1}, "3|1|c; 4|2|d; 5|1|e"},
	{"update of what meets a condition", direct(Update, []string{"prio"}, call(Add, col("w", "prio"), One)),
		`UPDATE "todos" AS "w" SET "prio" = ("w"."prio" + 1) WHERE ("w"."user_id" = ?) AND ("w"."prio" IS NOT NULL)`,
		`UPDATE "todos" AS "w" SET "prio" = ("w"."prio" + 1) WHERE ("w"."user_id" = CAST($1 AS bigint)) AND ("w"."prio" IS NOT NULL)`,
		[]any{1}, "1|4|a; 2|NULL|b; 3|1|c; 4|2|d; 5|1|e"},
	{"delete of what meets a condition", direct(Delete, nil),
		`DELETE FROM "todos" AS "w" WHERE ("w"."user_id" = ?) AND ("w"."prio" IS NOT NULL)`,
		`DELETE FROM "todos" AS "w" WHERE ("w"."user_id" = CAST($1 AS bigint)) AND ("w"."prio" IS NOT NULL)`,
		[]any{1}, "2|NULL|b; 3|1|c; 4|2|d; 5|1|e"},
}

const after = "SELECT id, prio, title FROM todos ORDER BY id"

// TestWrites renders each write for both engines, and runs it.
func TestWrites(t *testing.T) {
	for _, c := range writeCases {
		t.Run(c.name, func(t *testing.T) {
			for d, want := range map[Dialect]string{SQLite: c.sqlite, Postgres: c.postgres} {
				text, _, reads, err := RenderWrite(c.w, d)
				if err != nil || text != want {
					t.Fatalf("%v\n%s\nwant\n%s", err, text, want)
				}
				key := "id"
				if c.w.Kind != Insert && c.w.From == nil {
					key = "user_id"
				}
				if !reads["todos"][key] && (c.w.Kind != Insert || len(c.w.Returning) > 0) {
					t.Errorf("it reads %v", reads)
				}
			}
			text, slots, _, _ := RenderWrite(c.w, SQLite)
			db := open(t, fixture)
			if _, err := query(db, text, bind(slots, c.values)...); err != nil {
				t.Fatal(err)
			}
			if rows, err := query(db, after); err != nil || rows != c.rows {
				t.Errorf("%v\n%s\nwant\n%s", err, rows, c.rows)
			}
		})
	}
}

// TestPostgresWrites runs the same in the database at TEST_POSTGRES_URL.
func TestPostgresWrites(t *testing.T) {
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" {
		t.Skip("TEST_POSTGRES_URL is not set: run ./test.sh, which starts a PostgreSQL for the tests")
	}
	for _, c := range writeCases {
		text, slots, _, err := RenderWrite(c.w, Postgres)
		if err != nil {
			t.Fatal(err)
		}
		var lits []string
		for _, v := range bind(slots, c.values) {
			lits = append(lits, literal(v))
		}
		script := "\\set ON_ERROR_STOP 1\nSET client_min_messages = error; BEGIN; CREATE SCHEMA sqlast_writes; SET search_path = sqlast_writes;\n" + fixture +
			fmt.Sprintf("PREPARE stmt AS %s; \\o /dev/null\nEXECUTE stmt(%s); \\o\n%s;\nROLLBACK;\n", text, strings.Join(lits, ", "), after)
		cmd := exec.Command("psql", "-XqAt", "-P", "null=NULL", url)
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		if got := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "; "); err != nil || got != c.rows {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.rows)
		}
	}
}

// TestNoSuchWrite: what is not well formed is an error that says where.
func TestNoSuchWrite(t *testing.T) {
	insert := func(change func(*Write)) *Write {
		w := &Write{Kind: Insert, Table: "todos", Columns: []string{"id"}, Rows: [][]Expr{{arg(0)}}}
		change(w)
		return w
	}
	update := func(change func(*Write)) *Write {
		w := changed(Update, []string{"prio"}, col("s", "c1"))
		change(w)
		return w
	}
	for want, w := range map[string]*Write{
		"its Kind is not Insert":                              {},
		"table: a name in the statement is empty":             insert(func(w *Write) { w.Table = "" }),
		"an insert needs Columns and Rows":                    insert(func(w *Write) { w.Rows = nil }),
		"has 1 values for 2":                                  insert(func(w *Write) { w.Columns = append(w.Columns, "prio") }),
		`"ID" occurs twice`:                                   insert(func(w *Write) { w.Columns = append(w.Columns, "ID") }),
		"rows[0]: a value has to be":                          insert(func(w *Write) { w.Rows[0][0] = call(Add, arg(0), One) }),
		"an insert can't have From":                           insert(func(w *Write) { w.From = rowsOf1() }),
		"delete with From needs Keys":                         update(func(w *Write) { w.Keys = nil }),
		`no output "c9"`:                                      update(func(w *Write) { w.Keys[0].Output = "c9" }),
		"Values one value for each":                           update(func(w *Write) { w.Values = nil }),
		"values[0]: a value has":                              update(func(w *Write) { w.Values[0] = col("w", "prio") }),
		`values[0]: derived table`:                            update(func(w *Write) { w.Values[0] = col("s", "prio") }),
		`alias "t0" is used twice`:                            update(func(w *Write) { w.Alias = "t0" }),
		`where[0]: is-null[0]: no source with the alias "t0"`: update(func(w *Write) { w.Where = []Expr{call(IsNull, col("t0", "prio"))} }),
		"can't have Keys or As":                               update(func(w *Write) { w.From = nil }),
		"only an insert may have Rows":                        update(func(w *Write) { w.Returning = []string{"id"} }),
		"a delete can't have Columns":                         update(func(w *Write) { w.Kind = Delete }),
		"only an update may have Outputs": update(func(w *Write) {
			w.Kind, w.Columns, w.Values, w.Outputs = Delete, nil, nil, []Output{{Expr: col("w", "id")}}
		}),
		`outputs[0]: no source with the alias "s"`: update(func(w *Write) { w.Outputs = []Output{{Expr: col("s", "c1")}} }),
		"Values, Where or Outputs":                 insert(func(w *Write) { w.Outputs = []Output{{Expr: col("w", "id")}} }),
		"NUL or the sign \u2426":                   update(func(w *Write) { w.Columns[0] = "a\u2426" }),
	} {
		if _, _, _, err := RenderWrite(w, SQLite); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, change := range map[string]func(*Write){
		"without From needs Where":                            func(w *Write) { w.Where = nil },
		`values[0]: no source with the alias "s"`:             func(w *Write) { w.Values[0] = col("s", "prio") },
		`where[0]: is-null[0]: no source with the alias "t0"`: func(w *Write) { w.Where = []Expr{call(IsNull, col("t0", "prio"))} },
	} {
		w := direct(Update, []string{"prio"}, Null)
		change(w)
		if _, _, _, err := RenderWrite(w, SQLite); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, _, _, err := RenderWrite(changed(Delete, nil), NoDialect); err == nil {
		t.Error("it was rendered for no database")
	}
}
