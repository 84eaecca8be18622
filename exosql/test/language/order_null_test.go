package language_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestOrderWithoutNulls: where each row that is sorted has met a condition that no NULL meets, nothing is
// said of NULLs, so that a plain index of PostgreSQL serves the order. Where a NULL may come it comes first.
func TestOrderWithoutNulls(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(kit.NotesSQL(e, 200), "UPDATE notes SET due = NULL WHERE id IN (11, 41)")...)})
		r := tu.NewRunner(t, kit.NotesOf(db, 1, false), exo.Limits{})
		for _, c := range []struct {
			program, ids string
			nulls        bool
		}{
			{"notes.where(n => n.due > 5).orderBy(n => n.due).limit(2)", "[1,151]", false},
			{"notes.where(n => n.due.in([7, 77]) && n.text.includes('a')).orderBy(n => n.due).limit(2)", "[1]", false},
			{"notes.where(n => n.due !== null).orderBy(n => n.due).limit(2)", "[1,151]", false},
			{"notes.orderBy(n => n.due).where(n => n.due > 5).limit(2)", "[1,151]", false},
			{"notes.orderBy(n => n.due).limit(2)", "[11,41]", true},
			{"notes.where(n => n.due > 5 || n.id === 41).orderBy(n => n.due).limit(2)", "[41,1]", true},
			{"notes.where(n => !(n.due > 5)).orderBy(n => n.due).limit(2)", "[11,41]", true},
			{"notes.where(n => n.due !== 5).orderBy(n => n.due).limit(2)", "[11,41]", true},
			{"notes.where(n => n.due.notIn([5])).orderBy(n => n.due).limit(2)", "[1,151]", true},
			{"notes.leftJoin(folders, ({ note, folder }) => folder.id === note.folderId && note.due > 5).orderBy(({ note }) => note.due).select(({ note }) => ({ id: note.id })).limit(2)", "[11,41]", true},
			{"notes.orderBy(n => n.due).limit(2).where(n => n.due > 5)", "[]", true},
		} {
			o := r.Run(t, "return (await "+c.program+").map(n => n.id)")
			if o.JSON != c.ids || len(o.SQL) != 1 || e.Name == tu.Postgres.Name && strings.Contains(o.SQL[0].SQL, "NULLS FIRST") != c.nulls {
				t.Errorf("%s: want %s, NULLs %t: %v %v", c.program, c.ids, c.nulls, o, o.SQL)
			}
		}
	})
}
