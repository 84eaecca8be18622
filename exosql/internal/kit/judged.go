package kit

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Memo and Folder are rows of tables with a scope that fixes one column. That column and others
// have indexes, so the planner can read the tables in every way.
type Memo struct {
	ID, Owner, Folder int64
	Text, Code        string
	Due               *int64
}

// person is an owner, by whom the other tables may be in scope.
type person struct{ ID int64 }

type Folder struct {
	ID, Owner int64
	Name      string
}

var (
	Folders     = exosql.NewTable[Folder]("folders")
	FolderID    = exosql.NewKey(Folders, "id", func(f *Folder) *int64 { return &f.ID })
	FolderOwner = exosql.NewColumn(Folders, "owner", func(f *Folder) *int64 { return &f.Owner })
	FolderName  = exosql.NewColumn(Folders, "name", func(f *Folder) *string { return &f.Name })

	Memos      = exosql.NewTable[Memo]("notes")
	MemoID     = exosql.NewKey(Memos, "id", func(n *Memo) *int64 { return &n.ID })
	MemoOwner  = exosql.NewColumn(Memos, "owner", func(n *Memo) *int64 { return &n.Owner })
	MemoFolder = exosql.NewColumn(Memos, "folder_id", func(n *Memo) *int64 { return &n.Folder })
	MemoText   = exosql.NewColumn(Memos, "text", func(n *Memo) *string { return &n.Text })
	MemoCode   = exosql.NewColumn(Memos, "code", func(n *Memo) *string { return &n.Code })
	MemoDue    = exosql.NewNullable(Memos, "due", func(n *Memo) **int64 { return &n.Due })

	People   = exosql.NewTable[person]("people")
	PersonID = exosql.NewKey(People, "id", func(p *person) *int64 { return &p.ID })

	PersonNotes   = exosql.Many("notes", PersonID, MemoOwner)
	PersonFolders = exosql.Many("folders", PersonID, FolderOwner)
	OwnersNotes   = exosql.Many("notesOfOwner", FolderOwner, MemoOwner)

	FolderNotes = exosql.Many("notes", FolderID, MemoFolder)
	MemoIn      = exosql.One("folder", MemoFolder, FolderID)
)

// NotesSQL makes notes of ten owners. Every text of an owner other than 1 contains BOLT, which
// triggers a trap. rows is the number of notes.
func NotesSQL(e tu.Engine, rows int, indexes ...string) []string {
	number := fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) AS s", "generate_series(0, %d) AS s (n)"), rows-1)
	bolt := "CASE WHEN n % 10 = 1 THEN 'fair ' ELSE 'BOLT ' END || (n % 97)"
	return append(append([]string{
		"CREATE TABLE people (id {int} PRIMARY KEY)",
		"INSERT INTO people SELECT n FROM " + number + " WHERE n < 10 AND n <> 2", // owner 2 has notes but no row
		"CREATE TABLE folders (id {int} PRIMARY KEY, owner {int} NOT NULL, name TEXT NOT NULL) {strict}",
		"CREATE TABLE notes (id {int} PRIMARY KEY, owner {int} NOT NULL, folder_id {int} NOT NULL, text TEXT NOT NULL, code TEXT NOT NULL, due {int}) {strict}", // the columns are clean, so statements need no guards against misfits
		"INSERT INTO folders SELECT n, n % 10, " + bolt + " FROM " + number + " WHERE n < 40",
		"INSERT INTO notes SELECT n, n % 10, (n / 10) % 4 * 10 + n % 10, " + bolt + ", 'c' || (n % 50), CASE WHEN n % 5 = 0 THEN NULL ELSE n * 7 % 1000 END FROM " + number,
	}, indexes...), e.Pick("ANALYZE", "ALTER TABLE notes SET (autovacuum_enabled = off); ALTER TABLE folders SET (autovacuum_enabled = off); ANALYZE"))
}

// NotesOf grants the notes of an owner. With ranged the scope also has a range, so that statements are always fenced.
func NotesOf(db *exosql.DB, owner int64, ranged bool) map[string]exo.Object {
	ofNote, ofFolder := MemoOwner.Eq(owner), FolderOwner.Eq(owner)
	if ranged {
		ofNote, ofFolder = exosql.And(ofNote, MemoOwner.Ge(owner)), exosql.And(ofFolder, FolderOwner.Ge(owner))
	}
	return NotesIn(db, ofNote, ofFolder)
}

// NotesIn grants the notes and folders of a scope.
func NotesIn(db *exosql.DB, ofNote exosql.Predicate[Memo], ofFolder exosql.Predicate[Folder]) map[string]exo.Object {
	n := exosql.NewFacet(Memos, "note", MemoID, MemoOwner, MemoFolder, MemoText, MemoCode, MemoDue)
	f := exosql.NewFacet(Folders, "folder", FolderID, FolderOwner, FolderName, exosql.Via(FolderNotes, n))
	n.Add(exosql.Via(MemoIn, f))
	return map[string]exo.Object{
		"notes":   n.Of(exosql.Grant(db, Memos, ofNote, exosql.ScopeRows(Folders, ofFolder))),
		"folders": f.Of(exosql.Grant(db, Folders, ofFolder, exosql.ScopeRows(Memos, ofNote))),
	}
}
