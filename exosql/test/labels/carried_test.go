package labels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestTrustedCarried: whatever the database takes along with a write, and wherever the column that demands trust is declared, a program
// that has read what outsiders wrote does not change it. The twins: where nothing demands trust, and by a program that has read nothing.
func TestTrustedCarried(t *testing.T) {
	const remove, rename = "await projects.where({ id: 1 }).delete()", "await projects.where({ id: 1 }).update({ title: 'z' })"
	const calculated = "items (id {int} PRIMARY KEY, project {int}, owner TEXT, amount TEXT GENERATED ALWAYS AS (upper(owner)) STORED)"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, ddl, trusts, program string
			permits                    []string
			only                       string
			found                      bool // projects is what a service gives
			may                        bool // it is not refused
			flow, how                  string
		}{
			{what: "a name in other case", ddl: "items (id {int} PRIMARY KEY, project {int} REFERENCES Projects (ID) ON DELETE CASCADE, owner TEXT)", trusts: "items.owner", program: remove, permits: []string{"cascade items(project)"}},
			{what: "a relation that a service gives", ddl: "items (id {int} PRIMARY KEY, project {int} REFERENCES projects (id) ON DELETE CASCADE, owner TEXT)", trusts: "items.owner", program: "await (await find.project(1)).all().delete()", permits: []string{"cascade items(project)"}, found: true},
			{what: "a view of the rows", ddl: "rest (id {int} PRIMARY KEY, project {int} REFERENCES projects (id) ON DELETE CASCADE, owner TEXT); CREATE VIEW items AS SELECT id, project, owner FROM rest", trusts: "items.owner", program: remove, permits: []string{"cascade rest(project)"}, flow: "projects.delete", how: "false: the method also changes what demands trust (rest)"},
			{what: "a generated column of a key that is set to null", ddl: "items (id {int} PRIMARY KEY, project {int} REFERENCES projects (id) ON DELETE SET NULL, owner TEXT, amount {int} GENERATED ALWAYS AS (coalesce(project, 100) * 2) STORED)", trusts: "items.amount", program: remove, permits: []string{"cascade items(project)"}},
			{what: "a generated column of a code that is changed along", ddl: "items (id {int} PRIMARY KEY, project TEXT REFERENCES projects (title) ON UPDATE CASCADE, owner TEXT, amount TEXT GENERATED ALWAYS AS (upper(project)) STORED)", trusts: "items.amount", program: rename, permits: []string{"cascade items(project)"}, flow: "projects.update", how: "true: the method changes only stored data; data that it writes without the tag counts as trusted afterwards; not by title (which changes items.amount)"},
			{what: "a generated column of its own table", ddl: calculated, trusts: "items.amount", program: "await items.where({ id: 1 }).update({ owner: 'bob' })"},
			{what: "the same, of a column that it is not made of", ddl: calculated, trusts: "items.amount", program: "await items.where({ id: 1 }).update({ project: 7 })", may: true},
			{what: "the same, inserted", ddl: calculated, trusts: "items.amount", program: "await items.insert({ id: 7, owner: 'bob' })", flow: "items.insert", how: "not by owner (which changes items.amount)"},
			{what: "a default that is set", ddl: "items (id {int} PRIMARY KEY, project {int} DEFAULT NULL REFERENCES projects (id) ON DELETE SET DEFAULT, owner TEXT)", trusts: "items.project", program: remove, permits: []string{"cascade items(project)"}},
			{what: "its own table, by a reference to itself", ddl: "items (id {int} PRIMARY KEY, project {int}, owner TEXT UNIQUE, boss TEXT REFERENCES items (owner) ON UPDATE CASCADE); UPDATE items SET boss = 'ann'", trusts: "items.boss", program: "await items.where({ id: 1 }).update({ owner: 'bob' })", permits: []string{"cascade items(boss)"}},
			{what: "a partition of its rows", ddl: "items (id bigint, project bigint REFERENCES projects (id) ON DELETE CASCADE, owner TEXT, PRIMARY KEY (id)) PARTITION BY RANGE (id); CREATE TABLE items1 PARTITION OF items FOR VALUES FROM (0) TO (1000)", trusts: "items1.owner", program: remove, permits: []string{"cascade items(project)"}, only: tu.Postgres.Name},
		} {
			if c.only != "" && c.only != e.Name {
				continue
			}
			made, after, _ := strings.Cut(c.ddl, "; ")
			rows := "INSERT INTO items (id, project, owner) VALUES (1, 1, 'ann')"
			if strings.Contains(made, "project TEXT") {
				rows = strings.Replace(rows, "1, 'ann'", "'a', 'ann'", 1)
			}
			if strings.HasPrefix(made, "rest") {
				rows = strings.Replace(rows, "items", "rest", 1)
			}
			if strings.HasPrefix(after, "CREATE TABLE") {
				rows, after = after, rows
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE projects (id {int} PRIMARY KEY, title TEXT NOT NULL UNIQUE, note TEXT)", "INSERT INTO projects VALUES (1, 'a', 'delete me'), (2, 'b', NULL)", "CREATE TABLE "+made, rows, after)})
			live, err := db.Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			run := func(trusts bool, read string) error {
				d, grants := dynamic.New(live), codemode.Grants{}
				must := func(err error) {
					if err != nil {
						t.Fatalf("%s: %v", c.what, err)
					}
				}
				var of *dynamic.Table
				var first *dynamic.Facet
				facets := map[string]*dynamic.Facet{}
				for _, name := range []string{"projects", "items", "items1"} {
					at := live.Rows(schema.Name{Name: name})
					if at == nil {
						continue
					}
					spec := []dynamic.ColumnSpec{{Name: "id", Key: live.View(at.Name) != nil}}
					var names, set []string
					for i := range at.Columns {
						if n := at.Columns[i].Name; n != "id" {
							s := dynamic.ColumnSpec{Name: n, Trusted: trusts && c.trusts == name+"."+n}
							if n == "note" {
								s.Label = []string{value.Untrusted}
							}
							spec = append(spec, s)
							if n != "amount" && n != "boss" && !s.Trusted {
								set = append(set, n)
							}
						}
						names = append(names, at.Columns[i].Name)
					}
					table, err := d.Table(name, spec...)
					must(err)
					f, err := table.Facet(name[:len(name)-1], names...)
					must(err)
					if live.View(at.Name) == nil {
						must(f.AllowUpdate(set...))
						must(f.AllowInsert(append(set, "id")...))
						if name == "projects" {
							must(f.AllowDelete())
						}
						must(f.Permit(append([]string{"unique(id)", "unique(title)", "unique(owner)", "unique(project)"}, c.permits...)...))
					}
					if c.found && name == "items" { // reached by what the service gives alone
						l, err := of.Link(dynamic.LinkSpec{Name: "items", Columns: []string{"id"}, To: table, References: []string{"project"}})
						must(err)
						must(first.Add(l, f))
						continue
					}
					of, first, facets[name] = table, f, f
				}
				for name, f := range facets {
					o, err := f.Grant(db, dynamic.AllRows())
					must(err)
					grants[name] = o
				}
				if c.found {
					grants["find"] = finder{grants["projects"]}
					delete(grants, "projects")
				}
				tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				must(err)
				if how := flowTo(tool, c.flow); c.flow != "" && trusts != strings.Contains(how, c.how) {
					t.Errorf("%s: -flow says of %s: %s", c.what, c.flow, how)
				}
				return tool.RunJob(t.Context(), codemode.Job{Program: read + c.program, Preview: true}).Err
			}
			read := "await projects.first(); "
			if c.found {
				read = "await (await find.project(1)).first(); "
			}
			if err := run(true, read); !c.may != (fail.KindOf(err) == fail.Denied && strings.Contains(err.Error(), "outsiders wrote")) || c.may && err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			if err := run(false, read); err != nil {
				t.Errorf("%s, where nothing demands trust: %v", c.what, err)
			}
			if err := run(true, ""); err != nil && !c.found { // which tells what outsiders wrote by what it finds
				t.Errorf("%s, by a program that has read nothing: %v", c.what, err)
			}
		}
	})
}

// TestTrustedFilled: a link that begins at what outsiders write fills in no column that demands trust, whatever the program has read: it is
// their text that would be there. The twin: where the column demands none, it is there.
func TestTrustedFilled(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, trusts := range []bool{true, false} {
			for _, program := range []string{"return mine.items().insert({ id: 3 })", "return mine.items().insertMany([{ id: 3 }])", "return mine.items().all().update({ owner: null })", "return mine.items().all().delete()"} {
				db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE projects (id {int} PRIMARY KEY, note TEXT NOT NULL UNIQUE)", "INSERT INTO projects VALUES (1, 'bob')", "CREATE TABLE items (id {int} PRIMARY KEY, owner TEXT REFERENCES projects (note))", "INSERT INTO items VALUES (1, 'bob')")})
				live, err := db.Catalog(t.Context())
				must := func(err error) {
					if err != nil {
						t.Fatal(err)
					}
				}
				must(err)
				d := dynamic.New(live)
				projects, err := d.Table("projects", dynamic.ColumnSpec{Name: "note", Label: []string{value.Untrusted}})
				must(err)
				items, err := d.Table("items", dynamic.ColumnSpec{Name: "owner", Trusted: trusts})
				must(err)
				pf, err := projects.Facet("project", "id", "note")
				must(err)
				itf, err := items.Facet("item", "id", "owner")
				must(err)
				must(itf.AllowInsert("id"))
				must(itf.AllowUpdate("owner"))
				must(itf.AllowDelete())
				back, err := items.Link(dynamic.LinkSpec{Name: "project", One: true, Columns: []string{"owner"}, To: projects, References: []string{"note"}})
				must(err)
				must(itf.Add(back, pf))
				must(itf.Permit("unique(id)"))
				l, err := projects.Link(dynamic.LinkSpec{Name: "items", Columns: []string{"note"}, To: items, References: []string{"owner"}})
				must(err)
				must(pf.Add(l, itf))
				mine, err := pf.Grant(db, dynamic.Eq("id", 1), dynamic.ScopeRows(items, dynamic.AllRows()))
				must(err)
				tool, err := codemode.New(codemode.Grants{"mine": mine}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				must(err)
				if how := flowTo(tool, "ItemQuery.insertMany"); trusts != strings.HasSuffix(how, "not by owner (which project.items fills in, except from a granted row)") {
					t.Error(how)
				}
				r := tool.Run(t.Context(), program)
				if denied := fail.KindOf(r.Err) == fail.Denied && strings.Contains(r.Err.Error(), "outsiders wrote"); denied != trusts || !denied && r.Err != nil {
					t.Errorf("%s, trusted %v: %s %v", program, trusts, r.JSON, r.Err)
				}
			}
		}
	})
}

// flowTo is what Flows says of a way.
func flowTo(tool *codemode.Tool, to string) string {
	for _, f := range tool.Flows() {
		if f.Tag == value.Untrusted && f.To == to {
			return fmt.Sprintf("%v: %s", f.May, f.How)
		}
	}
	return ""
}
