package exosql_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// notesChanged are notes that programs may change. Through others than the scope, which a range makes fenced, they are
// found in the same way.
func notesChanged(db *exosql.DB, owner int64, ranged bool) map[string]exo.Object {
	of := kit.MemoOwner.Eq(owner)
	if ranged {
		of = exosql.And(of, kit.MemoOwner.Ge(owner))
	}
	f := exosql.NewFacet(kit.Folders, "folder", kit.FolderID, kit.FolderOwner, kit.FolderName)
	n := exosql.NewFacet(kit.Memos, "note", kit.MemoID, kit.MemoOwner, kit.MemoFolder, kit.MemoText, kit.MemoCode, kit.MemoDue, exosql.Via(kit.MemoIn, f)).
		AllowUpdate(kit.MemoText, kit.MemoCode, kit.MemoDue).AllowDelete()
	f.Add(exosql.Via(kit.FolderNotes, n))
	ofFolder := exosql.ScopeRows(kit.Folders, kit.FolderOwner.Eq(owner))
	return map[string]exo.Object{"notes": n.Of(exosql.Grant(db, kit.Memos, of, ofFolder)), "folders": f.Of(exosql.Grant(db, kit.Folders, kit.FolderOwner.Eq(owner), exosql.ScopeRows(kit.Memos, of)))}
}

// TestOpenWrites: what is changed is found as it would be to be read: where an index begins with the scope by the statement
// that a person would write, and no trap springs; else it is guarded or fenced, and the same rows are changed.
func TestOpenWrites(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, least := range map[string]map[string]int{"scope": {"open": 15}, "none": {"guarded": 20}, "other": {"guarded": 20}, "links": {"open": 5, "guarded": 5}} {
			t.Run(name, func(t *testing.T) {
				db, _, sprung := trapDB(t, e, notesIndexSets[name]...)
				r, bare := tu.NewRunner(t, notesChanged(db, 1, false), exo.Limits{}), tu.NewRunner(t, notesChanged(db, 1, true), exo.Limits{})
				ran, share := map[string]int{}, tu.OneIn(t, 6)
				for _, program := range openPrograms {
					for _, call := range []string{".update({ due: 3 })", ".update(n => ({ due: n.id, text: n.text.slice(0, 2).concat(n.code) }))", ".delete()"} {
						if !share.Next() {
							continue
						}
						if !strings.Contains(program, "where(") {
							program += ".where(n => n.text.includes('9'))"
						}
						whole := "const n = await " + program + call + "; const left = await notes.count(); const sum = await notes.sum(n => n.due); throw new Error([n, left, sum, await notes.where(n => n.text.includes('c')).count()].join())"
						o, want := r.Run(t, whole), bare.Run(t, whole)
						if sprung(o) || o.Message != want.Message {
							t.Errorf("%s%s\n%v\nwant\n%v\n%v", program, call, o, want, o.SQL)
						}
						if len(o.SQL) > 0 && !strings.HasPrefix(o.SQL[0].SQL, "SELECT") {
							ran[exosql.Tier(o.SQL[0])]++
						}
						if len(want.SQL) > 0 && exosql.Tier(want.SQL[0]) != "fenced" {
							t.Errorf("%s%s is not fenced: %s", program, call, want.SQL[0].SQL)
						}
					}
				}
				for tier, n := range least {
					if ran[tier] < share.Of(n) {
						t.Errorf("%v, want at least %d %s", ran, n, tier)
					}
				}
			})
		}
	})
}

// TestWriteReplanned: a write that PostgreSQL has run in another way than the one that was judged is taken back, and done again.
func TestWriteReplanned(t *testing.T) {
	e := tu.Postgres
	plain := e.URL(t)
	url := tu.WithParam(t, tu.WithParam(t, plain, "enable_seqscan", "off"), "enable_bitmapscan", "off")
	db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Exec(kit.NotesSQL(e, 2000, "CREATE INDEX notes_owner ON notes (owner)", "CREATE INDEX notes_text ON notes (text)")...)})
	r := tu.NewRunner(t, notesChanged(db, 1, false), exo.Limits{})
	hand := e.SQLDB(t, plain)
	for i, open := range []bool{true, true, false} {
		if !open {
			for _, s := range []string{"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'notes_owner'::regclass", "ALTER TABLE notes ALTER owner SET STATISTICS 10"} {
				if _, err := hand.Exec(s); err != nil {
					t.Fatal(err)
				}
			}
		}
		o := r.Run(t, "return await notes.where(n => n.text.includes('9')).update(n => ({ due: n.due + 1 }))")
		if o.JSON != "32" || (exosql.Tier(o.SQL[0]) == "open") != open {
			t.Errorf("open should be %t: %v %v", open, o, o.SQL)
		}
		var n, least, most int
		if err := hand.QueryRow("SELECT count(*), coalesce(min(due - id * 7 % 1000), 0), coalesce(max(due - id * 7 % 1000), 0) FROM notes WHERE owner = 1 AND due IS NOT NULL AND text LIKE '%9%'").Scan(&n, &least, &most); err != nil {
			t.Fatal(err)
		}
		if least != i+1 || most != i+1 {
			t.Errorf("%d notes were raised by %d to %d, want %d", n, least, most, i+1)
		}
	}
}
