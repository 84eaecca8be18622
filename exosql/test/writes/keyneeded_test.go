package writes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type knNote struct {
	Org  int64
	ID   string
	Part int64
	Body *string
}

// TestKeyNeeded: a row without a value in its key is refused before it is there, though the database takes NULL for it, and the error names
// the column. What the database gives a value needs none, and a key that a trigger was to give and did not ends the run.
func TestKeyNeeded(t *testing.T) {
	const needed, sealed = "`id` is needed", "so no program can write it before the host changes that"
	for name, c := range map[string]struct {
		sqlite, postgres string // what is behind "org NOT NULL, body text, "; "": the engine has none of it
		insert, many     string // the error of rows without id; "": they are there
		finding          bool
	}{
		"primary key":    {"id TEXT PRIMARY KEY, part INT)", "", needed, needed, true},
		"composite":      {"id TEXT, part INT NOT NULL DEFAULT 1, PRIMARY KEY (id, part))", "", needed, needed, true},
		"unique":         {"id TEXT UNIQUE, part INT)", "id text UNIQUE, part int)", needed, needed, true},
		"strict":         {"id TEXT PRIMARY KEY, part INT) STRICT", "", needed, needed, true},
		"without rowid":  {"id TEXT PRIMARY KEY, part INT) WITHOUT ROWID", "", needed, needed, true},
		"not null":       {"id TEXT NOT NULL PRIMARY KEY, part INT)", "id text PRIMARY KEY, part int)", needed, needed, true},
		"default":        {"id TEXT DEFAULT (lower(hex(randomblob(8)))) PRIMARY KEY, part INT)", "id text DEFAULT gen_random_uuid() PRIMARY KEY, part int)", "", "", false},
		"before trigger": {"", "id text UNIQUE, part int); CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := gen_random_uuid(); RETURN NEW; END $$; CREATE TRIGGER fill BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION fill()", "", "", false},
		"other trigger":  {"id TEXT PRIMARY KEY, part INT); CREATE TRIGGER fill AFTER INSERT ON notes BEGIN SELECT 1; END", "id text UNIQUE, part int); CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE TRIGGER fill BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION fill()", needed, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			tu.Engines(t, func(t *testing.T, e tu.Engine) {
				rest := e.Pick(c.sqlite, c.postgres)
				if rest == "" {
					return // the engine has no such key: there is nothing to try
				}
				db, raw := kit.File(t, e, strings.Split(strings.ReplaceAll("CREATE TABLE notes (org "+e.Pick("INTEGER", "bigint")+" NOT NULL, body text, "+rest, "; CREATE", ";;CREATE"), ";;")...)
				notes := exosql.NewTable[knNote]("notes").Permit(exosql.AllowTrigger("fill"))
				org := exosql.NewColumn(notes, "org", func(n *knNote) *int64 { return &n.Org })
				id := exosql.NewKey(notes, "id", func(n *knNote) *string { return &n.ID })
				body := exosql.NewNullable(notes, "body", func(n *knNote) **string { return &n.Body })
				if name == "composite" {
					exosql.NewKey(notes, "part", func(n *knNote) *int64 { return &n.Part })
				}
				mine := exosql.Grant(db, notes, org.Eq(1))
				tool := func(f *exosql.Facet[knNote]) *codemode.Tool {
					f.Permit(exosql.AllowUnique("id"), exosql.AllowUnique("id", "part"), exosql.AllowTrigger("fill"))
					tool, err := codemode.New(codemode.Grants{"notes": f.Of(mine)}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(err)
					}
					return tool
				}
				hiding := exosql.NewFacet(notes, "note", body).AllowInsert(body)
				showing, hidden := tool(exosql.NewFacet(notes, "note", id, body).AllowInsert(id, body)), tool(hiding)
				if found, err := exosql.Findings(t.Context(), db, exosql.Granted(hiding.Of(mine))); err != nil || strings.Contains(strings.Join(kindsOf(found), " "), string(exosql.NeededColumn)) != c.finding {
					t.Errorf("Findings: %v %v", found, err)
				}
				before := kit.Cells(t, raw, "SELECT body FROM notes")
				hides := func(want string) string { return strings.ReplaceAll(want, needed, sealed) }
				for program, want := range map[string]string{
					"return (await notes.insert({ body: 'x' })).body":                   c.insert,
					"return notes.insertMany([{ body: 'x' }])":                          c.many,
					"return notes.insertMany([{ id: 'a', body: 'x' }, { body: 'x' }])":  strings.ReplaceAll(c.many, "`id`", "`[1].id`"),
					"return (await notes.insert({ id: 'b', body: 'x' })).id + 'hidden'": "",
				} {
					for i, tool := range []*codemode.Tool{showing, hidden} {
						of := []string{want, hides(want)}[i]
						if tool == hidden && strings.Contains(program, "id:") {
							continue
						}
						r := tool.Run(t.Context(), program)
						if (r.Err == nil) != (of == "") || r.Err != nil && (fail.KindOf(r.Err) != fail.Invalid || !strings.Contains(r.Err.Error(), of)) {
							t.Errorf("%s: %v, want %q", program, r.Err, of)
						}
						if _, err := raw.Exec("DELETE FROM notes"); err != nil {
							t.Fatal(err)
						}
					}
				}
				_, err := mine.Insert(t.Context(), body.Set("z"))
				if no, ok := errors.AsType[*exosql.ConstraintError](err); (err == nil) != (c.insert == "") || err != nil && (!ok || no.Rule != exosql.RuleNotNull || no.Columns[0] != "id") {
					t.Errorf("Insert: %v", err)
				}
				if got := kit.Cells(t, raw, "SELECT body FROM notes"); c.insert != "" && got != before {
					t.Errorf("there is %s", got)
				}
			})
		})
	}
}

func kindsOf(found []exosql.Finding) (out []string) {
	for _, f := range found {
		out = append(out, string(f.Kind))
	}
	return out
}

type knRow struct {
	Row, Org int64
	ID, Note *string
}

// TestKeyNull: where the rowid is the declared key, a program may give the columns of the PRIMARY KEY, and change them, and not to
// null: nothing that refers to the row would find it.
func TestKeyNull(t *testing.T) {
	db, raw := kit.File(t, tu.SQLite, "CREATE TABLE notes (org INTEGER NOT NULL, id TEXT PRIMARY KEY, note TEXT)")
	notes := exosql.NewTable[knRow]("notes")
	exosql.NewKey(notes, "rowid", func(n *knRow) *int64 { return &n.Row })
	org := exosql.NewColumn(notes, "org", func(n *knRow) *int64 { return &n.Org })
	id := exosql.NewNullable(notes, "id", func(n *knRow) **string { return &n.ID })
	note := exosql.NewNullable(notes, "note", func(n *knRow) **string { return &n.Note })
	f := exosql.NewFacet(notes, "note", id, note).AllowInsert(id, note).AllowUpdate(id, note).Permit(exosql.AllowUnique("id"))
	tool, err := codemode.New(codemode.Grants{"notes": f.Of(exosql.Grant(db, notes, org.Eq(1)))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"return notes.insert({ id: null })", "`id` is needed"},
		{"return notes.insertMany([{ id: 'a' }, { id: null }])", "`[1].id` is needed"},
		{"return (await notes.insert({ id: 'b' })).id === 'b'", ""},
		{"return notes.insertMany([{ id: 'c' }, { id: 'd', note: 'x' }])", ""},
		{"return notes.where(n => n.id === 'b').update({ id: null })", "`id` is needed"},
		{"return notes.where(n => n.id === 'b').update({ id: null, note: 'y' })", "`id` is needed"},
		{"return notes.where(n => n.id === 'b').update(({ note }) => ({ id: null, note: note.note }))", "`id` is needed"},
		{"return notes.where(n => n.id === 'b').update(({ note }) => ({ id: note.note }))", "`id` is part of the key, and can't be calculated from columns: read the row first, and give a plain value"},
		{"const n = await notes.where(n => n.id === 'd').first(); return notes.where(n => n.id === 'd').update({ id: n.note })", ""},
		{"return notes.where(n => n.id === 'b').update(({ note }) => ({ id: 'e', note: note.note }))", ""},
		{"return notes.where(n => n.id === 'c').update({ id: 'f', note: null })", ""},
	} {
		if r := tool.Run(t.Context(), c[0]); (r.Err == nil) != (c[1] == "") || r.Err != nil && !strings.Contains(r.Err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", c[0], r.Err, c[1])
		}
	}
	if _, err := exosql.Grant(db, notes, org.Eq(1)).Where(id.Eq("e")).Update(t.Context(), id.SetNull()); fail.KindOf(err) != fail.Invalid {
		t.Errorf("Go code takes the key away: %v", err)
	}
	if got, want := kit.Cells(t, raw, "SELECT count(*), group_concat(id, '') FROM (SELECT id FROM notes ORDER BY id)"), kit.Cells(t, raw, "SELECT 3, 'efx'"); got != want {
		t.Errorf("there are %s", got)
	}
}
