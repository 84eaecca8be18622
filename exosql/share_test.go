package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestScan: SQLite reads a table as a whole for the owner who has most of it, and searches it for
// each other one, by two statements of one message. The choice follows the statistics, and
// knows no value of a program: that would tell how frequent it is among the rows of all tenants.
func TestScan(t *testing.T) {
	e := tu.SQLite
	fill := append(kit.NotesSQL(e, 4000, "CREATE INDEX notes_owner ON notes (owner)", "CREATE INDEX notes_any_due ON notes (due)"),
		"UPDATE notes SET owner = CASE WHEN id % 10 = 3 THEN 100 + id % 97 ELSE 1 END", "UPDATE notes SET text = replace(text, 'BOLT', 'fair') WHERE owner = 1", "ANALYZE")
	open := func() (db *exosql.DB, exec func(string), sprung func(tu.Outcome) bool) {
		db, hand, sprung := trapped(t, e, nil, fill)
		return db, func(s string) {
			t.Helper()
			if _, err := hand.Exec(s); err != nil {
				t.Fatal(err)
			}
		}, sprung
	}
	db, exec, sprung := open()
	of := map[int64]*tu.Runner{}
	run := func(owner int64, program string) tu.Outcome {
		t.Helper()
		if of[owner] == nil {
			of[owner] = tu.NewRunner(t, kit.NotesOf(db, owner, false), exo.Limits{})
		}
		o := of[owner].Run(t, "return await "+program)
		if s := sprung(o); o.Kind != 0 || owner == 1 && s || len(o.SQL) != 1 {
			t.Fatalf("%s: trap sprung: %t %v %v", program, s, o, o.SQL)
		}
		return o
	}
	const program = "notes.where(n => n.text.includes('9') || n.id === 13).count()"
	const scans = ` AND ((+ "t0"."owner") = ?)`
	for range 3 {
		if o := run(1, program); exosql.Tier(o.SQL[0]) != "guarded" || !strings.Contains(o.SQL[0].SQL, scans) || !strings.Contains(o.SQL[0].SQL, `(CASE WHEN ("t0"."owner" = ?) THEN `) {
			t.Errorf("the owner of most: %v", o.SQL)
		}
		if o := run(113, program); exosql.Tier(o.SQL[0]) != "open" || strings.Contains(o.SQL[0].SQL, "(+") || o.JSON == "0" {
			t.Errorf("the owner of few: %v %v", o, o.SQL)
		}
	}
	// What the scope's index serves is read by that, in a tenant of any size.
	exec("CREATE INDEX notes_due ON notes (owner, due)")
	for _, p := range []string{"notes.orderBy(n => n.due).limit(3).count()", "notes.where(n => n.due === 7).count()", "notes.where(n => n.due === null).count()"} {
		if o := run(1, p); exosql.Tier(o.SQL[0]) != "open" {
			t.Errorf("%s: %v", p, o.SQL)
		}
	}
	// The owner of most has few, once the statistics say so.
	for _, s := range []string{"DROP INDEX notes_due", "UPDATE notes SET owner = 100 + id % 97 WHERE id % 40 <> 1", "ANALYZE"} {
		exec(s)
	}
	run(1, program)
	if o := run(1, program); exosql.Tier(o.SQL[0]) != "open" {
		t.Errorf("after the table has changed: %v", o.SQL)
	}
	for _, due := range []string{"> -1", "> 999"} { // everything, and nothing
		db, _, sprung = open()
		clear(of)
		if o := run(1, "notes.where(n => n.due "+due+" && n.text.includes('9')).count()"); !strings.Contains(o.SQL[0].SQL, scans) {
			t.Errorf("due %s: %v", due, o.SQL)
		}
	}
}
