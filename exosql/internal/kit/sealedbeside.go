package kit

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type BesidePerson struct {
	ID, Rank int64
	Boss     *int64
	Name     string
	Pay      int64
	Email    string
}

type BesideNote struct {
	ID, Person int64
	Kind       *int64
}

type BesideCase struct {
	What    string
	Only    string // Only is the one engine to run on, or "" for both
	DDL     string // DDL has statements with ; between them; A or B replaces the "?", or follows at the end
	A, B    string // A and B are variants that a program must not be able to distinguish
	Program string
	Delete  bool // Delete: the facet may delete
	Apart   bool // Apart: notes are another grant, which no link reaches
	Replace bool // Replace adds Permit(exosql.AllowConflict("REPLACE"))
}

const (
	BesidePeople = "CREATE TABLE people (id {int} PRIMARY KEY, boss {int}, rank {int} NOT NULL, name TEXT NOT NULL, pay {int} NOT NULL, email TEXT NOT NULL DEFAULT 'x'%s)"
	BesideNotes  = "CREATE TABLE notes (id {int} PRIMARY KEY, person {int} NOT NULL%s, kind {int}%s)"
	BesideDelete = "return people.where({ id: 1 }).delete().catch(e => e.message)"
	BesideLong   = "const c = 'abcdefghijklmnopqrstuvwxyz0123456789'; let s = '', x = 7; while (s.length < %d) { x = (x * 1103515245 + 12345) %% 2147483648; s += c[Math.floor(x / 65536) %% 36] }\n" +
		"return people.where({ id: 2 }).update({ name: s }).catch(e => e.message.slice(0, 150))"
)

func BesideRows(pay1, pay2 string) string {
	return "INSERT INTO people (id, boss, rank, name, pay) VALUES (1, NULL, 1, 'ann', " + pay1 + "), (2, NULL, 2, 'bob', " + pay2 + ")"
}

// staffTables declares people and notes about them. Pay, email and person are labelled.
type staffTables struct {
	People       *exosql.Table[BesidePerson]
	Notes        *exosql.Table[BesideNote]
	ID           *exosql.Column[BesidePerson, int64]
	Rank, Pay    *exosql.Column[BesidePerson, int64]
	Boss         *exosql.Column[BesidePerson, int64]
	Name, email  *exosql.Column[BesidePerson, string]
	Note, Person *exosql.Column[BesideNote, int64]
	kind         *exosql.Column[BesideNote, int64]
}

func DeclareStaff(labelled bool) (d staffTables) {
	d.People, d.Notes = exosql.NewTable[BesidePerson]("people"), exosql.NewTable[BesideNote]("notes")
	d.ID = exosql.NewKey(d.People, "id", func(p *BesidePerson) *int64 { return &p.ID })
	d.Boss = exosql.NewNullable(d.People, "boss", func(p *BesidePerson) **int64 { return &p.Boss })
	d.Rank = exosql.NewColumn(d.People, "rank", func(p *BesidePerson) *int64 { return &p.Rank })
	d.Name = exosql.NewColumn(d.People, "name", func(p *BesidePerson) *string { return &p.Name })
	d.Pay = exosql.NewColumn(d.People, "pay", func(p *BesidePerson) *int64 { return &p.Pay })
	d.email = exosql.NewColumn(d.People, "email", func(p *BesidePerson) *string { return &p.Email })
	d.Note = exosql.NewKey(d.Notes, "id", func(n *BesideNote) *int64 { return &n.ID })
	d.Person = exosql.NewColumn(d.Notes, "person", func(n *BesideNote) *int64 { return &n.Person })
	d.kind = exosql.NewNullable(d.Notes, "kind", func(n *BesideNote) **int64 { return &n.Kind })
	if labelled {
		d.Pay.WithLabel("pii")
		d.email.WithLabel("pii")
		d.Person.WithLabel("pii")
	}
	return d
}

func (c *BesideCase) Grants(db *exosql.DB, labelled bool) codemode.Grants {
	d := DeclareStaff(labelled)
	f := exosql.NewFacet(d.People, "person", d.ID, d.Boss, d.Rank, d.Name, d.Pay, d.email).AllowUpdate(d.Boss, d.Rank, d.Name)
	nf := exosql.NewFacet(d.Notes, "note", d.Note, d.Person, d.kind)
	if c.Delete {
		f.AllowDelete()
	}
	if c.Replace {
		f.Permit(exosql.AllowConflict("REPLACE"))
	}
	if c.Apart {
		return codemode.Grants{"people": f.Of(exosql.Grant(db, d.People, exosql.AllRows[BesidePerson]())), "notes": nf.Of(exosql.Grant(db, d.Notes, exosql.AllRows[BesideNote]()))}
	}
	f.Add(exosql.Via(exosql.Many("notes", d.ID, d.Person), nf))
	return codemode.Grants{"people": f.Of(exosql.Grant(db, d.People, exosql.AllRows[BesidePerson](), exosql.ScopeRows(d.Notes, exosql.AllRows[BesideNote]())))}
}

func (c *BesideCase) Run(t *testing.T, e tu.Engine, differs string, labelled bool) string {
	t.Helper()
	ddl := c.DDL + "; ?"
	if strings.Contains(c.DDL, "?") {
		ddl = c.DDL
	}
	ddl = strings.Replace(ddl, "?", strings.ReplaceAll(differs, "%", "%%"), 1)
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl)})
	tool, err := codemode.New(c.Grants(db, labelled), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(c.What, err)
	}
	r := tool.Run(t.Context(), c.Program)
	return string(r.JSON) + fail.GuestText(r.Err)
}
