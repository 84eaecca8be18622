package sqlname_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/sqlname"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// sqliteWords are https://www.sqlite.org/lang_keywords.html.
const sqliteWords = `abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade case cast check collate column commit
	conflict constraint create cross current current_date current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape
	except exclude exclusive exists explain fail filter first following for foreign from full generated glob group groups having if ignore immediate in index indexed initially inner
	insert instead intersect into is isnull join key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others outer over
	partition plan pragma preceding primary query raise range recursive references regexp reindex release rename replace restrict returning right rollback row rows savepoint select
	set table temp temporary then ties to transaction trigger unbounded union unique update using vacuum values view virtual when where window with without`

// TestPlain: a name that is written for a person is read as that name by both engines, whatever word it is.
func TestPlain(t *testing.T) {
	for _, n := range []string{"order", "a b", "A", "ä", `q"q`, "7up", "a?b", "a.b", "", "_x1"} {
		if want := n == "_x1"; want != (sqlname.Plain(n) == n) {
			t.Errorf("%q is written %s", n, sqlname.Plain(n))
		}
	}
	if got := sqlname.Quote(`a"b`); got != `"a""b"` {
		t.Error(got)
	}
	if got := sqlname.Path("my schema", "order") + sqlname.Path("", "x") + sqlname.List([]string{"a", "group"}); got != `"my schema"."order"x`+`a, "group"` {
		t.Error(got)
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.SQLDB(t, e.URL(t))
		all := strings.Fields(sqliteWords)
		if e == tu.Postgres {
			rows, err := db.Query("SELECT word::text FROM pg_get_keywords()")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var w string
				if err := rows.Scan(&w); err != nil {
					t.Fatal(err)
				}
				all = append(all, w)
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(all)
		for _, w := range slices.Compact(all) {
			n := sqlname.Plain(w)
			for _, s := range []string{"CREATE TABLE " + n + " (" + n + " int)", "CREATE INDEX " + sqlname.Plain(w+"_by_"+w) + " ON " + n + " (" + n + ")", "SELECT " + n + " FROM " + n, "DROP TABLE " + n} {
				if _, err := db.Exec(s); err != nil {
					t.Errorf("%s: %v", s, err)
				}
			}
		}
	})
}
