package exosql_test

// Where the database takes different texts for equal, what is read is compared exactly, and what the database judges is not written.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestScopesAreExact: a scope over a column that takes different texts for equal holds one tenant's rows, by every comparison that a
// scope can make, in a program's every way to read, and in Go. No host has called Check. The twin is the database's own =.
func TestScopesAreExact(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				db, look, _ := kit.ExactFile(t, e, c.Before+kit.BreaksDDL(e, "CREATE TABLE things (id {serial}, org "+c.Typ+" NOT NULL, code TEXT NOT NULL); CREATE INDEX things_by_org ON things (org, code);")+
					fmt.Sprintf("INSERT INTO things (id, org, code) VALUES (1, '%s', 'a'), (2, '%s', 'b'), (3, '%[1]s', 'c'), (4, 'zeta', 'd'); CREATE VIEW shown AS SELECT * FROM things", c.Mine, c.Theirs))
				if got := look(fmt.Sprintf("SELECT count(*) FROM things WHERE org = '%s'", c.Mine)); got != "3" {
					t.Fatalf("the twin finds %s rows", got)
				}
				tables := []*exosql.Table[kit.FilledRow]{exosql.NewTable[kit.FilledRow]("things")}
				if e.Name == tu.Postgres.Name { // SQLite's wall lets no query read a view's table
					tables = append(tables, exosql.NewTable[kit.FilledRow]("shown"))
				}
				for _, table := range tables {
					d := kit.DeclareFilled(table, "id org code")
					facet := exosql.NewFacet(d.Table, "thing", d.ID, d.Code)
					for name, x := range map[string]struct {
						scope exosql.Predicate[kit.FilledRow]
						want  string
					}{
						"=":       {d.Tenant.Eq(c.Mine), "1,3"},
						"in":      {d.Tenant.In(c.Mine, "nobody"), "1,3"},
						"<>":      {exosql.And(d.Tenant.Ne(c.Mine), d.ID.Le(3)), "2"},
						"not in":  {exosql.And(d.Tenant.NotIn(c.Mine, "zeta"), d.ID.Gt(0)), "2"},
						"not =":   {exosql.Not(exosql.Or(d.Tenant.Eq(c.Mine), d.Tenant.Eq("zeta"))), "2"},
						"between": {exosql.And(d.Tenant.Ge(c.Mine), d.Tenant.Le(c.Mine)), "1,3"},
					} {
						things := exosql.Grant(db, d.Table, x.scope)
						tool := kit.BreaksTool(t, codemode.Grants{"things": facet.Of(things)})
						for _, program := range []string{
							`things.orderBy(t => t.id).select(t => t.id).execute()`, `things.where(t => t.code !== "x").orderBy(t => t.id).select(t => t.id).execute()`,
							`things.page(1).then(async (p) => { const ids = []; for (;;) { ids.push(...p.rows.map(t => t.id)); if (!p.next) return ids; p = await things.page(1, p.next) } })`,
							`things.execute().then(all => all.map(t => t.id).sort())`,
						} {
							r := tool.Run(t.Context(), "return "+program)
							if got := string(r.JSON); r.Err != nil || got != "["+x.want+"]" {
								t.Errorf("%s: %s: %s %v, want %s", name, program, got, r.Err, x.want)
							}
						}
						if n, err := things.Count(t.Context()); err != nil || n != int64(len(strings.Split(x.want, ","))) {
							t.Errorf("%s, in Go: %d %v", name, n, err)
						}
					}
				}
			})
		}
	})
}

// TestWideIsNotWritten: nothing is written where the database judges by an equality that is wider than exact: by a program, by Go code,
// through a foreign key, or by a cascade. Check says it with the table, the column and the collation. The twin with an exact column is written.
func TestWideIsNotWritten(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				for _, typ := range []string{c.Typ, kit.Exactly} {
					db, look, _ := kit.ExactFile(t, e, c.Before+kit.BreaksDDL(e, "CREATE TABLE things (id {serial}, org "+typ+" NOT NULL, code TEXT NOT NULL); CREATE INDEX things_by_org ON things (org);")+
						fmt.Sprintf("INSERT INTO things (org, code) VALUES ('%s', 'a'), ('%s', 'b')", c.Mine, c.Theirs))
					d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("things"), "id org code")
					things := exosql.Grant(db, d.Table, d.Tenant.Eq(c.Mine))
					o := exosql.NewFacet(d.Table, "thing", d.ID, d.Code).AllowInsert(d.Code).AllowUpdate(d.Code).AllowDelete().Of(things)
					const all = "SELECT id, org, code FROM things ORDER BY id"
					before := look(all)
					err := exosql.Check(t.Context(), db, exosql.Granted(o))
					if typ == c.Typ != (err != nil && strings.Contains(err.Error(), "can't be written: things.org") && strings.Contains(err.Error(), "part of the scope")) {
						t.Errorf("%s: Check says %v", typ, err)
					}
					for _, program := range []string{`things.where({ id: 1 }).update({ code: "x" })`, `things.insertMany([{ code: "y" }])`, `things.where({ id: 1 }).delete()`} {
						r := kit.BreaksTool(t, codemode.Grants{"things": o}).Run(t.Context(), "return "+program)
						if (typ == c.Typ) != (r.Err != nil) || typ == c.Typ && (!strings.Contains(r.Err.Error(), "different texts are equal") || look(all) != before) {
							t.Errorf("%s: %s: %s %v", typ, program, r.JSON, r.Err)
						}
					}
					if _, err := things.Where(d.Code.Eq("b")).Delete(t.Context()); (typ == c.Typ) != (err != nil) {
						t.Errorf("%s, in Go: %v", typ, err)
					}
					if got := look("SELECT code FROM things WHERE id = 2"); got != "b" {
						t.Errorf("%s: another tenant's row is %q", typ, got)
					}
				}
			})
		}
	})
}

// TestWideCascades: a foreign key whose equality is wider than exact would delete another tenant's rows with a row of this one.
func TestWideCascades(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name || c.Typ == "tenant" {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				for _, typ := range []string{c.Typ, kit.Exactly} {
					ddl := c.Before + kit.BreaksDDL(e, "CREATE TABLE things (id {serial}, org_id {int} NOT NULL, code "+typ+" NOT NULL UNIQUE, UNIQUE (org_id, code)); CREATE INDEX things_by_org ON things (org_id);"+
						"CREATE TABLE kids (id {serial}, org_id {int} NOT NULL, code "+typ+" NOT NULL REFERENCES things (code) ON DELETE CASCADE);")
					rows := fmt.Sprintf("INSERT INTO things (id, org_id, code) VALUES (1, 1, '%s'); INSERT INTO kids (id, org_id, code) VALUES (1, 1, '%[1]s')", c.Mine)
					if typ == c.Typ {
						rows += fmt.Sprintf("; INSERT INTO kids (id, org_id, code) VALUES (2, 2, '%s')", c.Theirs)
					} else {
						rows += fmt.Sprintf("; INSERT INTO things (id, org_id, code) VALUES (2, 2, '%s'); INSERT INTO kids (id, org_id, code) VALUES (2, 2, '%[1]s')", c.Theirs)
					}
					db, look, exec := kit.ExactFile(t, e, ddl+rows)
					d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("things"), "id org_id")
					o := exosql.NewFacet(d.Table, "thing", d.ID).AllowDelete().Permit(exosql.AllowCascade("kids", "code")).Of(exosql.Grant(db, d.Table, d.Org.Eq(1)))
					err := exosql.Check(t.Context(), db, exosql.Granted(o))
					if (typ == c.Typ) != (err != nil && strings.Contains(err.Error(), "compared by the foreign key kids(code)")) {
						t.Errorf("%s: Check says %v", typ, err)
					}
					r := kit.BreaksTool(t, codemode.Grants{"things": o}).Run(t.Context(), `return things.where({ id: 1 }).delete()`)
					if got := look("SELECT org_id FROM kids ORDER BY id"); typ == c.Typ && (r.Err == nil || !strings.HasPrefix(got, "1")) || typ != c.Typ && (r.Err != nil || got != "2") {
						t.Errorf("%s: %s %v, and there are %q", typ, r.JSON, r.Err, got)
					}
					if typ == c.Typ { // the twin
						exec(e.Pick("PRAGMA foreign_keys = ON; ", "") + "DELETE FROM things WHERE id = 1")
						if got := look("SELECT count(*) FROM kids WHERE org_id = 2"); got != "0" {
							t.Errorf("the twin: another tenant's kid is there still: %s", got)
						}
					}
				}
			})
		}
	})
}

// TestUnchangedIsExact: a value that is spelt in another way by now is not the one that was read.
func TestUnchangedIsExact(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range kit.Wide {
			if c.Engine != e.Name {
				continue
			}
			t.Run(c.Typ, func(t *testing.T) {
				db, look, exec := kit.ExactFile(t, e, c.Before+kit.BreaksDDL(e, "CREATE TABLE things (id {serial}, org_id {int} NOT NULL, code "+c.Typ+" NOT NULL); CREATE INDEX things_by_org ON things (org_id);")+
					fmt.Sprintf("INSERT INTO things (id, org_id, code) VALUES (1, 1, '%s')", c.Mine))
				d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("things"), "id org_id code")
				tool := kit.BreaksTool(t, codemode.Grants{"things": exosql.NewFacet(d.Table, "thing", d.ID, d.Code).AllowUpdate(d.Code).Of(exosql.Grant(db, d.Table, d.Org.Eq(1)))})
				update := fmt.Sprintf(`return things.ifUnchanged({ id: 1, code: %q }).update({ code: "mine" })`, c.Mine)
				exec(fmt.Sprintf("UPDATE things SET code = '%s'", c.Theirs))
				if r := tool.Run(t.Context(), update); r.Err == nil || look("SELECT code FROM things") != c.Theirs {
					t.Errorf("it is %q: %s %v", look("SELECT code FROM things"), r.JSON, r.Err)
				}
				exec(fmt.Sprintf("UPDATE things SET code = '%s'", c.Mine))
				if r := tool.Run(t.Context(), update); r.Err != nil || look("SELECT code FROM things") != "mine" {
					t.Errorf("the twin: %s %v", r.JSON, r.Err)
				}
			})
		}
	})
}

// TestPagesOfWideKeys: rows whose keys the database's own collation takes for equal are two, for pages and for what a limit leaves.
func TestPagesOfWideKeys(t *testing.T) {
	type word struct{ Word, Lang string }
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(e.Pick("", kit.Lax), "CREATE TABLE words (word TEXT "+e.Pick("COLLATE NOCASE", "COLLATE lax")+" NOT NULL, lang TEXT NOT NULL)",
			e.Pick("CREATE UNIQUE INDEX u ON words (word COLLATE BINARY)", `CREATE UNIQUE INDEX u ON words (word COLLATE "C")`), "INSERT INTO words VALUES ('b', 'de'), ('A', 'de'), ('a', 'de'), ('B', 'de')")})
		words := exosql.NewTable[word]("words")
		key, lang := exosql.NewKey(words, "word", func(w *word) *string { return &w.Word }), exosql.NewColumn(words, "lang", func(w *word) *string { return &w.Lang })
		tool := kit.BreaksTool(t, codemode.Grants{"words": exosql.NewFacet(words, "word", key, lang).Of(exosql.Grant(db, words, lang.Eq("de")))})
		for _, query := range []string{"words", "words.orderBy(w => w.lang)"} {
			r := tool.Run(t.Context(), `const seen = []; let p = await `+query+`.page(1); for (;;) { seen.push(...p.rows.map(w => w.word)); if (!p.next) return seen.join(""); p = await `+query+`.page(1, p.next) }`)
			if string(r.JSON) != `"ABab"` {
				t.Errorf("%s: %s %v", query, r.JSON, r.Err)
			}
		}
	})
}

// TestOneComparisonWhereExact: a column of which nothing else is equal is compared once, so a scope costs what it did, and a column with a
// wider equality is found by its index and filtered. Nothing of a program stands in the statement beside it but behind a fence.
func TestOneComparisonWhereExact(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, typ := range []string{kit.Exactly, e.Pick("TEXT COLLATE NOCASE", "text COLLATE lax")} {
			db, _, _ := kit.ExactFile(t, e, e.Pick("", kit.Lax)+kit.BreaksDDL(e, "CREATE TABLE things (id {serial}, org "+typ+" NOT NULL, code TEXT NOT NULL); CREATE INDEX things_by_org ON things (org);"))
			d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("things"), "id org code")
			things := exosql.NewFacet(d.Table, "thing", d.ID, d.Code).Of(exosql.Grant(db, d.Table, d.Tenant.Eq("acme")))
			tool := kit.BreaksTool(t, codemode.Grants{"things": things})
			for _, program := range []string{`return things.count()`, `return things.where(t => t.code !== "x").count()`} {
				if r := tool.Run(t.Context(), program); r.Err != nil {
					t.Fatal(r.Err)
				}
			}
			for _, text := range exosql.PlanTexts(db) {
				twice := strings.Contains(text, e.Pick("COLLATE BINARY", `COLLATE "C"`))
				if twice != (typ != kit.Exactly) {
					t.Errorf("%s: compared twice: %t\n%s", typ, twice, text)
				}
			}
			paths, err := exosql.AccessPaths(t.Context(), things)
			if err != nil || len(paths) == 0 {
				t.Fatal(paths, err)
			}
			if fenced := paths[0].By == exosql.ByFence; fenced != (typ != kit.Exactly) {
				t.Errorf("%s: behind a fence: %t: %v", typ, fenced, paths)
			}
		}
	})
}
