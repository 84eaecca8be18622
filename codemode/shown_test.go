package codemode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type member struct {
	ID                  int64
	Email, City, Remark string
}

// TestShownTells: which labels a program asks for once it has read a secret that the result doesn't admit is a bit of the secret. What
// the next program begins with, and so what it is refused, doesn't have it; what was asked before does count.
func TestShownTells(t *testing.T) {
	next := func(secret, admits, program string) string {
		db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT NOT NULL, city TEXT NOT NULL, remark TEXT NOT NULL)", "INSERT INTO people VALUES (1, '"+secret+"', 'c', 'r')")})
		p := exosql.NewTable[member]("people")
		id := exosql.NewKey(p, "id", func(p *member) *int64 { return &p.ID })
		email := exosql.NewColumn(p, "email", func(p *member) *string { return &p.Email }).WithLabel("pii")
		city := exosql.NewColumn(p, "city", func(p *member) *string { return &p.City }).WithLabel("geo")
		remark := exosql.NewColumn(p, "remark", func(p *member) *string { return &p.Remark }).WithLabel(value.Untrusted)
		posted := 0
		chat := tu.Room(t, "chat", func(string) { posted++ })
		tool, err := codemode.New(codemode.Grants{"people": exosql.NewFacet(p, "person", id, email, city, remark).Of(exosql.Grant(db, p, exosql.AllRows[member]())), "chat": chat}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel(strings.Fields(admits)...)})
		if err != nil {
			t.Fatal(err)
		}
		shown := tool.Shown(tool.Run(t.Context(), program))
		r := tool.RunJob(t.Context(), codemode.Job{Program: "await chat.post({ text: 'hello' }); return 'posted'", Label: shown})
		return fmt.Sprint(shown, string(r.JSON), fail.GuestText(r.Err), posted)
	}
	const secret = "await people.where(p => p.email === 'yes').count()"
	for _, c := range []struct{ admits, program, want string }{
		{"geo", "if (" + secret + " > 0) await people.where(p => p.city === 'x').count(); return 1", "{}"},
		{"", "if (" + secret + " > 0) await people.where(p => p.remark === 'x').count(); return 1", "{}"},
		{"geo", "if (" + secret + " > 0) await people.where(p => p.city === p.email).count(); return 1", "{}"},
		{"geo", "await people.where(p => p.city === 'x').count(); " + secret, "{geo}"},
		{"geo", "await people.where(p => p.city === p.email).count()", "{geo}"},
		{"", "console.log(await people.select(p => p.remark)); " + secret, "{untrusted}"},
		{"geo pii", "if (" + secret + " > 0) await people.where(p => p.city === 'x').count(); return 1", ""}, // who may know it may be told
	} {
		yes, no := next("yes", c.admits, c.program), next("no", c.admits, c.program)
		if (yes == no) != (c.want != "") || !strings.HasPrefix(yes, c.want) {
			t.Errorf("%s: %q, or %q", c.program, yes, no)
		}
	}
}

// TestShownOfReaders: what was shown of one reader counts for the next program also where the run read of others afterwards, of which nothing was
// shown: in its label one tag stands for both then.
func TestShownOfReaders(t *testing.T) {
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT NOT NULL)", "INSERT INTO people VALUES (1, 'own'), (2, 'foreign')")})
	p := exosql.NewTable[member]("people")
	id := exosql.NewKey(p, "id", func(p *member) *int64 { return &p.ID })
	email := exosql.NewColumn(p, "email", func(p *member) *string { return &p.Email }).WithLabel("pii").ReadBy("person", id)
	tool, err := codemode.New(codemode.Grants{"people": exosql.NewFacet(p, "person", id, email).Of(exosql.Grant(db, p, exosql.AllRows[member]()))}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii@person:1")})
	if err != nil {
		t.Fatal(err)
	}
	const own = "const [a, b] = await people.orderBy(p => p.id); console.log(await reveal(a.email)); "
	for program, want := range map[string]string{
		own + "return 1":                        "{pii@person:1}",
		own + "await reveal(b.email); return 1": "{pii@person:1}",
		"const [a, b] = await people.orderBy(p => p.id); await reveal(b.email); return 1": "{}",
	} {
		if got := tool.Shown(tool.Run(t.Context(), program)).String(); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}
