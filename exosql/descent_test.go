package exosql_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDescent: no text of another owner is compared with one of a program, not even on the way down an
// index that has the text before the scope: how long that takes told a text letter by letter, where a
// row of the attacker's with two megabytes stood beside it.
func TestDescent(t *testing.T) {
	var mu sync.Mutex
	foreign := map[string]bool{}
	t.Cleanup(exosql.TrapCollation(func(a, b string) {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range []string{a, b} {
			if strings.HasPrefix(s, "BOLT") {
				foreign[s] = true
			}
		}
	}))
	e, open := tu.SQLite, 0
	for _, index := range []string{
		"CREATE INDEX notes_x ON notes (text, owner)", "CREATE UNIQUE INDEX notes_x ON notes (text, owner)", "CREATE INDEX notes_x ON notes (owner, text)",
		"CREATE INDEX notes_x ON notes (code, text, owner)", "CREATE INDEX notes_x ON notes (text DESC, owner, due)", "CREATE INDEX notes_x ON notes (owner, due, text)",
	} {
		db := e.OpenURL(t, e.URL(t), &exosql.OpenOptions{Conns: 1, Setup: e.Exec(
			"CREATE TABLE folders (id INTEGER PRIMARY KEY, owner INT NOT NULL, name TEXT NOT NULL)",
			"CREATE TABLE notes (id INTEGER PRIMARY KEY, owner INT NOT NULL, folder_id INT NOT NULL, text TEXT NOT NULL COLLATE TRAP, code TEXT NOT NULL, due INT) STRICT",
			"INSERT INTO notes WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 5000) SELECT n, n % 10, 1, CASE WHEN n % 10 = 1 THEN 'fair ' ELSE 'BOLT ' END || n, 'c', 1 FROM s",
			index, "ANALYZE")})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for program, want := range map[string]string{
			"notes.where(n => n.text === 'fair 331').count()":                     "1",
			"notes.where(n => n.text.in(['fair 331', 'fair 1', 'x'])).count()":    "2",
			"notes.where(n => n.text === 'fair 331' && n.code === 'c').count()":   "1",
			"notes.where(n => n.due === 1 && n.text > 'fair 331').count()":        "",
			"notes.orderBy(n => n.text).limit(2).count()":                         "2",
			"notes.where(n => n.text >= 'fair 1' && n.text <= 'fair 11').count()": "13",
		} {
			mu.Lock()
			clear(foreign)
			mu.Unlock()
			o := r.Run(t, "return await "+program)
			if o.Kind != 0 || want != "" && o.JSON != want || len(foreign) > 0 {
				t.Errorf("%s: %s\n%v, and %d foreign texts were compared", index, program, o, len(foreign))
			}
			if exosql.Tier(o.SQL[0]) == "open" {
				open++
			}
		}
	}
	if open < 6 {
		t.Errorf("%d statements were open", open)
	}
}
