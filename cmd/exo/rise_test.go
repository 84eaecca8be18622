package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/cli"
	bt "github.com/exoagent/exoagent/internal/testutil/browsertest"
)

// TestRiseOnThePage tells docs/approvals.md's story, as a user has it: a program gives everyone ten per cent more, twelve rows are shown, a person agrees in the browser, and
// then it is taken back. EXO_SCREENSHOTS=FOLDER makes the page's pictures.
func TestRiseOnThePage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "exo.yaml")
	write(t, path, `exo: 1
reviewed: true
wall: none
databases:
  firm: {url: "sqlite:firm.db", undo: 7d}
principal: {org: int}
approvals: {key: "file:approvals.key", store: approvals}
facets:
  person:
    table: staff
    scope: org = $principal.org
    columns: [id, name, salary]
    update: [salary]
    effects: [trigger touched]
    approve: {columns: [salary]}
grants: {staff: person}
`)
	db, err := sql.Open("sqlite", filepath.Join(dir, "firm.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	change := func(text string) {
		t.Helper()
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	change("CREATE TABLE staff (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, name TEXT NOT NULL, salary INTEGER NOT NULL, changed TEXT); CREATE INDEX staff_by_org ON staff (org)")
	for i, name := range strings.Fields("Ada Bruno Chen Dilnoza Emeka Farah Goran Hana Ines Jonas Kwame Lucia Zoe") {
		change(fmt.Sprintf("INSERT INTO staff VALUES (%d, %d, '%s', %d, '2026-01-01')", i+1, 1+i/12, name, 3000+100*i))
	}
	change("CREATE TRIGGER touched AFTER UPDATE OF salary ON staff BEGIN UPDATE staff SET changed = 'today' WHERE id = new.id; END")
	look := func() (all string) {
		t.Helper()
		if err := db.QueryRow("SELECT group_concat(id || ' ' || org || ' ' || name || ' ' || salary || ' ' || changed, char(10)) FROM (SELECT * FROM staff ORDER BY id)").Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := look()
	if r := exo(t, "", "gen", "undo", path); r.code != cli.ExitDone {
		t.Fatal(r)
	} else {
		change(r.out)
	}
	if r := exo(t, "", "approvals", "init", "-file", path); r.code != cli.ExitDone {
		t.Fatal(r)
	}
	v := prepare(t, path, `staff.all().update(p => ({ salary: Math.round(p.salary * 1.1) }))`)
	if look() != before || v.Number != 12 {
		t.Fatalf("%d rows wait, and there is\n%s", v.Number, look())
	}

	t.Setenv(tokenVariable, strings.Repeat("t0ken", 8))
	at := strings.TrimSuffix(overHTTP(t, path, "-as", "org=1"), "/mcp")
	link := exo(t, "", "approvals", "link", "-file", path, "-as", "olga", "-at", at+"/changes")
	if link.code != cli.ExitDone {
		t.Fatal(link)
	}
	b := bt.Open(t, strings.TrimSpace(link.out), 800, "light")
	b.Press("\t\r")
	b.Until("document.querySelector('.sets a')")
	b.Shot("approvals-list")
	b.Press("\t\r")
	b.Until("document.querySelector('.decide')")
	b.Shot("approvals-set")
	for range 10 {
		if bt.JS[bool](b, "document.activeElement.className === 'agree'") {
			break
		}
		b.Press("\t")
	}
	b.Press("\r")
	b.Until("document.querySelector('.state.applied')")
	risen := strings.ReplaceAll(look(), "today", "2026-01-01")
	for i, row := range strings.Split(before, "\n")[:12] {
		if want := strings.Replace(row, fmt.Sprint(3000+100*i), fmt.Sprint((3000+100*i)*11/10), 1); !strings.Contains(risen, want) {
			t.Errorf("no %s in\n%s", want, risen)
		}
	}
	if !strings.HasSuffix(risen, strings.Split(before, "\n")[12]) || strings.Count(look(), "today") != 12 {
		t.Errorf("another organization: %s", risen)
	}
	run := regexp.MustCompile(`by the run +(\w{32})`).FindStringSubmatch(exo(t, "", "approvals", "show", v.ID, "-file", path).out)
	if run == nil {
		t.Fatal("the change set does not say which run applied it")
	}
	if r := exo(t, "", "undo", run[1], "-file", path, "-apply"); r.code != cli.ExitDone || !strings.Contains(r.out, "undone: 12 rows") || look() != before {
		t.Errorf("%+v\n%s", r, look())
	}
}
