package grantfile_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// keysDDL has the tables of applications that have no primary key, or one that may be NULL, and views.
var keysDDL = []string{
	"CREATE TABLE orgs (id {int} PRIMARY KEY, name TEXT NOT NULL)",
	"CREATE TABLE pivots (org_id {int} NOT NULL, role TEXT NOT NULL, note TEXT, secret {int} NOT NULL)",
	"CREATE TABLE codes (org_id {int} NOT NULL, code TEXT NOT NULL UNIQUE, n {int} UNIQUE)",
	"CREATE TABLE users (id TEXT {nullable}, org_id {int} NOT NULL, name TEXT)",
	"CREATE TABLE numbers (id BIGINT PRIMARY KEY, org_id {int} NOT NULL, name TEXT)",
	"CREATE VIEW busy AS SELECT p.org_id, p.role, p.secret, o.name FROM pivots p JOIN orgs o ON o.id = p.org_id",
	"CREATE TABLE letters (id {int} PRIMARY KEY, org_id {int} NOT NULL, rank {int} NOT NULL, body TEXT NOT NULL)",
	"INSERT INTO letters VALUES (1, 1, 7, 'to whom it concerns')",
	"INSERT INTO orgs VALUES (1, 'a'), (2, 'b')",
	"INSERT INTO pivots VALUES (1, 'x', NULL, 9), (1, 'y', 'n', 1), (1, 'y', 'n', 1), (2, 'z', 'no', 5)",
	"INSERT INTO codes VALUES (1, 'a', 1), (1, 'b', NULL), (2, 'c', NULL)",
	"INSERT INTO users VALUES ('u1', 1, 'ann'), ('u2', 1, 'bob'), ('u3', 2, 'eve')",
}

const keysFile = `exo: 1
reviewed: true
preset: read-only@1
databases:
  shop: {url: env:SHOP_URL}
principal:
  org: int
grants: {orgs: org, pivots: pivot, codes: code, users: user, numbers: number, busy: busyRow, letters: letter}
facets:
  org: {table: orgs, scope: id = $principal.org, columns: [id, name], links: {pivots: {to: pivot, columns: [id], references: [org_id], one: false}}}
  pivot: {table: pivots, scope: org_id = $principal.org, columns: [role, note]RIGHTS}
  code: {table: codes, scope: org_id = $principal.org, columns: [code, n]RIGHTS}
  user: {table: users, scope: org_id = $principal.org, columns: [id, name]RIGHTS}
  number: {table: numbers, scope: org_id = $principal.org, columns: [id, name]RIGHTS}
  letter: {table: letters, scope: org_id = $principal.org, columns: [id, rank, body], search: [body]}
  busyRow: {table: busy, scope: org_id = $principal.org, columns: [role, name]KEY}
`

// TestKeys: a table is read whatever tells its rows apart, and what needs a key says so.
func TestKeys(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var ddl []string
		for _, s := range keysDDL {
			ddl = append(ddl, strings.NewReplacer("{nullable}", e.Pick("PRIMARY KEY", "UNIQUE")).Replace(s))
		}
		sqlite := e.Name == tu.SQLite.Name
		// An error stands for a part of its text.
		const keyless = "their rows have no key: they can't be read in pages|this table has none|has no key"
		paged := func(pages, has string) string {
			if sqlite {
				return pages
			}
			return has
		}
		for _, c := range []struct{ file, program, want string }{
			{"", "return pivots.count()", "3"},
			{"", "return pivots", `[{"role":"x","note":null},{"role":"y","note":"n"},{"role":"y","note":"n"}]`},
			{"", "return pivots.where(p => p.role === 'y').count()", "2"},
			{"", "return pivots.limit(2).execute()", `[{"role":"x","note":null},{"role":"y","note":"n"}]`},
			{"", "return pivots.orderBy(p => p.role.desc()).first()", `{"role":"y","note":"n"}`},
			{"", "return pivots.offset(1).where({ role: 'y' }).count()", "2"},
			{"", "return pivots.groupBy(p => p.role).select(g => ({ role: g.role, n: g.count() }))", `[{"role":"x","n":1},{"role":"y","n":2}]`},
			{"", "return pivots.select(p => ({ r: p.role })).distinct().execute()", `[{"r":"x"},{"r":"y"}]`},
			{"", "return orgs.select(o => ({ n: o.pivots().count() }))", `[{"n":3}]`},
			{"", "return orgs.pivots().limit(2).count()", "2"},
			{"", "return (await pivots.page(2)).rows.length", paged("2", keyless)},
			{"", "return (await codes.page(1)).rows", `[{"code":"a","n":1}]`},
			{"", "return (await users.page(1)).rows", paged(`[{"id":"u1","name":"ann"}]`, keyless)},
			{"", "return users.where({ id: 'u2' }).first()", `{"id":"u2","name":"bob"}`},
			{"", "return letters.search('whom').select(l => ({ r: l.rank }))", `[{"r":7}]`}, // a column that is called like a method
			{"", "return busy.count()", "3"},
			{"", "return busy.orderBy(b => b.role).limit(1).execute()", `[{"role":"x","name":"a"}]`},
			{"", "return (await busy.page(1)).rows", keyless},
			{"key", "return (await busy.page(1)).rows", `[{"role":"x","name":"a"}]`},
			{"rights", "return users.insert({ name: 'new' })", paged("`id` is needed", "can't be written|needs a key|has no key")}, // SQLite would take NULL
			{"rights", "return users.insert({ id: null, name: 'new' })", paged("`id` is needed", "can't be written|needs a key|has no key")},
			{"rights", "return users.insertMany([{ id: 'u4', name: 'new' }, { id: null, name: 'new' }])", paged("`[1].id` is needed", "can't be written|needs a key|has no key")},
			{"rights", "return users.insertMany([{ id: 'u4', name: 'new' }, { name: 'new' }])", paged("`[1].id` is needed", "can't be written|needs a key|has no key")},
			{"rights", "return users.insert({ id: 'u4', name: 'new' })", paged(`{"id":"u4","name":"new"}`, "can't be written|needs a key|has no key")},
			{"rights", "return numbers.insert({ name: 'new' })", "`id` is needed"},
			{"rights", "return numbers.insert({ id: 7, name: 'new' })", `{"id":7,"name":"new"}`},
			{"rights", "return users.where({ id: 'u1' }).update({ name: 'ann b' })", paged("1", "can't be written|needs a key|has no key")},
			{"rights", "return pivots.where({ role: 'y' }).update({ note: 'm' })", paged("2", "can't be written|needs a key|has no key")},
			{"rights", "return codes.where({ code: 'a' }).delete()", "1"},
		} {
			text := strings.NewReplacer("RIGHTS", map[bool]string{true: ", delete: true, insert: [INS], update: [UPD]"}[c.file == "rights"], "KEY", map[bool]string{true: ", key: [role, name]"}[c.file == "key"]).Replace(keysFile)
			for _, r := range [][2]string{{"role, note", "note"}, {"code, n", "n"}, {"id, name], effects: [unique(id)", "name"}, {"id, name], effects: [unique(id)", "name"}} {
				text = strings.Replace(strings.Replace(text, "INS", r[0], 1), "UPD", r[1], 1)
			}
			text = strings.ReplaceAll(text, "preset: read-only@1", map[bool]string{true: "preset: support@1", false: "preset: read-only@1"}[c.file == "rights"])
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
			d, err := parse(t, text).Declare(t.Context(), &grantfile.Options{Databases: map[string]*exosql.DB{"shop": db}})
			if err != nil {
				if c.file == "rights" && !sqlite {
					continue // a right to write where there is no key is refused before
				}
				t.Fatalf("%s: %v", c.program, err)
			}
			p, err := d.File.ParseClaims("org=1")
			if err != nil {
				t.Fatal(err)
			}
			grants, err := d.Grants(p)
			if err != nil {
				t.Fatal(err)
			}
			tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			ok := r.Err == nil && string(r.JSON) == c.want
			if r.Err != nil {
				for _, part := range strings.Split(c.want, "|") {
					ok = ok || strings.Contains(r.Err.Error(), part)
				}
			}
			if !ok {
				t.Errorf("%s: %s %v, want %s", c.program, r.JSON, r.Err, c.want)
			}
		}
	})
}
