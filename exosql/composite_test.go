package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// ofFolder is a scope of two columns, and the twin that a range keeps behind the fence. The notes of the
// same owner in other folders are out of scope, and so are those of other owners in the folder.
func ofFolder(db *exosql.DB, ranged bool) map[string]exo.Object {
	note := exosql.And(kit.MemoOwner.Eq(1), kit.MemoFolder.Eq(11))
	if ranged {
		note = exosql.And(note, kit.MemoOwner.Ge(1))
	}
	return kit.NotesIn(db, note, kit.FolderOwner.Eq(1))
}

const notMine = "(owner <> 1 OR folder_id <> 11)"

// otherNotes have the word that springs a trap, also those of the owner in other folders and of others in
// the folder.
func otherNotes(e tu.Engine, indexes ...string) []string {
	sql := kit.NotesSQL(e, 2000, indexes...)
	return append(sql[:len(sql)-1:len(sql)-1], "UPDATE notes SET folder_id = 11 WHERE owner = 3", "UPDATE notes SET text = replace(text, 'fair', 'BOLT') WHERE "+notMine, sql[len(sql)-1])
}

// TestOpenComposite is TestOpenStatement for a scope that is one value of each of two
// columns: statements are open where an index begins with both, in either order, and in no
// case where it begins with one.
func TestOpenComposite(t *testing.T) {
	tu.NotRaced(t)
	both := []string{"CREATE INDEX notes_scope ON notes (owner, folder_id)", "CREATE INDEX notes_code ON notes (folder_id, owner, code)", "CREATE INDEX notes_due ON notes (owner, folder_id, due)", "CREATE INDEX folders_owner ON folders (owner)"}
	for name, c := range map[string]struct {
		indexes             []string
		open, guarded, most int // of 128 statements
	}{
		"both":          {both, 40, 0, 128},
		"both and more": {append(append([]string{}, both[:1]...), notesIndexes...), 40, 0, 128},
		"one":           {[]string{"CREATE INDEX notes_owner ON notes (owner)", "CREATE INDEX notes_folder ON notes (folder_id)"}, 0, 40, 0},
		"between":       {[]string{"CREATE INDEX notes_code ON notes (owner, code, folder_id)", "CREATE INDEX notes_due ON notes (due, owner, folder_id)"}, 0, 40, 0},
		"part":          {[]string{"CREATE INDEX notes_part ON notes (folder_id, code) WHERE owner = 1"}, 0, 40, 0},
		"none":          {nil, 0, 40, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				db, _, sprung := trapped(t, e, nil, otherNotes(e, c.indexes...))
				share := tu.OneIn(t, 6)
				ran := runOpen(t, share, tu.NewRunner(t, ofFolder(db, false), exo.Limits{}), tu.NewRunner(t, ofFolder(db, true), exo.Limits{}), sprung)
				if ran["open"] < share.Of(c.open) || ran["open"] > c.most || ran["guarded"] < share.Of(c.guarded) {
					t.Errorf("of 128 statements %v, want at least %d open and %d guarded", ran, c.open, c.guarded)
				}
			})
		})
	}
}

// TestOpenCompositeReads: what such a statement reads is the same whatever the owner has in other folders,
// and others in the folder.
func TestOpenCompositeReads(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		reads := map[string][]int{}
		for _, others := range []string{
			"UPDATE notes SET due = -id, code = 'c1', text = '9' WHERE " + notMine,
			"INSERT INTO notes SELECT id + 10000, owner, folder_id, 'x', 'y', 5000 + id FROM notes WHERE " + notMine,
		} {
			url := e.URL(t)
			db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(append(otherNotes(e, "CREATE INDEX notes_code ON notes (owner, folder_id, code)", "CREATE INDEX notes_due ON notes (folder_id, owner, due)", "CREATE INDEX notes_any_due ON notes (due)", "CREATE INDEX notes_owner_due ON notes (owner, due)", "CREATE INDEX notes_any_code ON notes (folder_id, code)"), others)...)})
			r := tu.NewRunner(t, ofFolder(db, false), exo.Limits{})
			hand := e.SQLDB(t, url)
			for _, p := range []string{
				"notes.where(n => n.code === 'c1').count()", "notes.orderBy(n => n.due.desc()).limit(5).execute()", "notes.max(n => n.due)", "notes.where(n => n.text.includes('9')).count()",
				"notes.where(n => n.due > 300).orderBy(n => n.due).limit(5).execute()", "notes.countBy(n => n.code)", "notes.where(n => n.owner === 1 && n.code === 'c1').count()", "notes.distinctBy(n => n.code).count()",
			} {
				if e.Name == tu.Postgres.Name && strings.Contains(p, "owner") {
					continue // PostgreSQL compares the owner that the program names beside the scope, and is refused
				}
				o := r.Run(t, "return await "+p)
				if len(o.SQL) != 1 || exosql.Tier(o.SQL[0]) != "open" {
					t.Fatalf("%s is not open: %v %v", p, o, o.SQL)
				}
				if e.Name == tu.Postgres.Name {
					reads[p] = append(reads[p], rowsRead(t, hand, o.SQL[0].SQL, o.SQL[0].Args))
					continue
				}
				exosql.SQLiteSteps(t.Context(), db)
				r.Run(t, "return await "+p)
				reads[p] = append(reads[p], exosql.SQLiteSteps(t.Context(), db))
			}
		}
		for p, n := range reads {
			if n[0] != n[1] || n[0] == 0 {
				t.Errorf("%s: %d where others have one thing, %d where they have another", p, n[0], n[1])
			}
		}
	})
}
