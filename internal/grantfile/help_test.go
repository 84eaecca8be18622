package grantfile_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// shop is the database of the tests.
var shop = []string{
	"CREATE TABLE orgs (id {int} PRIMARY KEY, name VARCHAR(40) NOT NULL)",
	"CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL REFERENCES orgs (id), boss_id {int} REFERENCES people (id), name VARCHAR(40) NOT NULL, email VARCHAR(40), active BOOLEAN NOT NULL)",
	`CREATE TABLE tickets (id {int} PRIMARY KEY, org_id {int} NOT NULL REFERENCES orgs (id), asked_by {int} NOT NULL REFERENCES people (id), done_by {int} REFERENCES people (id), title VARCHAR(40) NOT NULL, state VARCHAR(40) NOT NULL, "or" {int})`,
	"INSERT INTO orgs VALUES (1, 'one'), (2, 'two')",
	"INSERT INTO people VALUES (1, 1, NULL, 'Ann', 'ann@one', TRUE), (2, 1, 1, 'Bob', 'bob@one', FALSE), (3, 2, NULL, 'Eve', 'eve@two', TRUE)",
	"INSERT INTO tickets VALUES (1, 1, 1, 2, 'Door', 'open', 1), (2, 1, 2, NULL, 'Roof', 'done', 2), (3, 2, 3, 3, 'Vault', 'open', 3)",
}

func open(t *testing.T, e tu.Engine) *exosql.DB {
	t.Helper()
	return e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(shop...)})
}

// whole is a file that says everything.
const whole = `exo: 1
reviewed: true
preset: support@1
databases:
  shop: {url: env:SHOP_URL}
principal:
  org: int
  user: int
  states: [text]
grants:
  tickets: ticket
  open: {facet: ticket, where: state = 'open'}
  me: {facet: person, where: id = $principal.user}
facets:
  ticket:
    table: tickets
    scope: org_id = $principal.org and state in $principal.states
    columns:
      - id
      - title: {doc: what is broken}
      - state: {one_of: [open, done]}
      - or: {as: weight}
    insert: [title, state]
    update: [state]
    delete: true
    search: [title]
    links:
      asker: {to: person, columns: [asked_by], references: [id], one: true}
      solver: {to: person, columns: [done_by], references: [id], one: true, doc: none while it is open}
  person:
    table: people
    scope: org_id = $principal.org
    columns: [id, name, {email: {label: [pii]}}]
    links:
      asked: {to: ticket, columns: [id], references: [asked_by], one: false}
      org: org
      boss: person
  org:
    table: orgs
    scope: id = $principal.org
    columns: {id: , name: }
limits: {rows: 100, time: 2s, memory: 32MiB}
zone: Europe/Berlin
admits: [pii]
labels: {pii: secret, deal: secret, x: secret}
`

func parse(t testing.TB, text string) *grantfile.File {
	t.Helper()
	f, err := grantfile.Parse("exo.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func declare(t *testing.T, e tu.Engine, text string) *grantfile.Declared {
	t.Helper()
	d, err := parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": open(t, e)}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// with is the whole file with some lines instead of others.
func with(t testing.TB, pairs ...string) string {
	t.Helper()
	text := whole
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the file has no %q", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}
