package labels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestColumnAdmits: what a program has read of a label it writes into columns that admit it, and rows of a facet that does, where its result
// may carry it; into other columns, and beside them, it writes nothing, and the error names the declaration that lets it.
func TestColumnAdmits(t *testing.T) {
	const find, row = "people.where(p => p.email === 'bob@b.example')", "{ id: 9, boss: 1, name: 'x', pay: 1, email: 'free@a.example' }"
	const read = "await people.where(p => p.email === 'x').count(); return "
	hint := func(where string) string {
		return "labelled pii; the host can allow it with `admits: [pii]` at " + where
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, program      string
			column, facet, may bool // which of them admits the label
			want               string
		}{
			{"by what it holds", "return " + find + ".update({ name: 'x' })", true, false, true, "1 {pii} 2x"},
			{"the twin: nothing admits it", "return " + find + ".update({ name: 'x' })", false, false, true, hint("`name`")},
			{"beside one that doesn't", "return " + find + ".update({ name: 'x', pay: 1 })", true, false, true, hint("`pay`")},
			{"the value itself", "const b = await people.where({ id: 1 }).first(); return people.where({ id: 2 }).update({ name: b.email })", true, false, true, "1 {pii} 2ann@a.example"},
			{"the value, and the result admits nothing", "const b = await people.where({ id: 1 }).first(); return people.where({ id: 2 }).update({ name: b.email })", true, false, false, "2bob"},
			{"by what it holds, and the result admits nothing", "return " + find + ".update({ name: 'x' })", true, false, false, "2bob"},
			{"a row", read + "people.insert(" + row + ").then(() => 1)", true, false, true, hint("its facet")},
			{"a row of rows that do", read + "people.insert(" + row + ").then(() => 1)", false, true, true, "1 {pii} 2bob 9x"},
			{"rows", read + "people.insertMany([" + row + "])", false, true, true, "1 {pii} 2bob 9x"},
			{"gone", "return " + find + ".delete()", true, false, true, hint("its facet")},
			{"gone from rows that do", "return " + find + ".delete()", false, true, true, "1 {pii}"},
			{"any column of rows that do", "return " + find + ".update({ name: 'x', pay: 1 })", false, true, true, "1 {pii} 2x"},
			{"another label", "await people.where(p => p.pay > 5).count(); return people.where({ id: 2 }).update({ name: 'x' })", true, true, true, "labelled pay; the host can allow it with `admits: [pay]`"},
		} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, boss {int} NOT NULL, name TEXT NOT NULL, email TEXT, pay {int} NOT NULL)", "INSERT INTO people VALUES (1, 2, 'ann', 'ann@a.example', 70), (2, 1, 'bob', 'bob@b.example', 80)")})
			people := exosql.NewTable[human]("people")
			id := exosql.NewKey(people, "id", func(p *human) *int64 { return &p.ID })
			boss := exosql.NewColumn(people, "boss", func(p *human) *int64 { return &p.Boss })
			name := exosql.NewColumn(people, "name", func(p *human) *string { return &p.Name })
			email := exosql.NewNullable(people, "email", func(p *human) **string { return &p.Email }).WithLabel("pii")
			pay := exosql.NewColumn(people, "pay", func(p *human) *int64 { return &p.Pay })
			if c.what == "another label" {
				pay.WithLabel("pay")
			}
			if c.column {
				name.Admits("pii")
			}
			rows := exosql.Grant(db, people, exosql.AllRows[human]())
			f := exosql.NewFacet(people, "person", id, boss, name, email, pay).AllowInsert(id, boss, name, email, pay).AllowUpdate(name, email, pay).AllowDelete().Permit(exosql.AllowUnique("id"))
			if c.facet {
				f.Admits("pii")
			}
			w := &sealedWorld{grants: map[string]exo.Object{"people": f.Of(rows)}}
			var admits value.Label
			if c.may {
				admits = value.NewLabel("pii", "pay")
			}
			got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, admits, "return (async () => { "+c.program+" })()")
			all, err := rows.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range all {
				if p.ID > 1 {
					got += " " + string(rune('0'+p.ID)) + p.Name
				}
			}
			if !strings.Contains(got, c.want) || strings.Contains(c.want, "the host can allow it") && !strings.HasSuffix(got, " 2bob") {
				t.Errorf("%s: %s, want %s", c.what, got, c.want)
			}
		}
	})
}

// TestAdmitsDeclared: what a column can't admit is refused where it is declared: who wrote, what names readers, and its own label. One with
// readers never admits what it is labelled with, whatever the order, nor by its facet.
func TestAdmitsDeclared(t *testing.T) {
	people := exosql.NewTable[human]("people")
	id := exosql.NewKey(people, "id", func(p *human) *int64 { return &p.ID })
	name := exosql.NewColumn(people, "name", func(p *human) *string { return &p.Name })
	email := exosql.NewNullable(people, "email", func(p *human) **string { return &p.Email }).Admits("pii").WithLabel("pii").ReadBy("member", id)
	for tag, want := range map[string]string{value.Untrusted: "outsiders' words", "pii@member": "readers of its own", "pii@member:7": "readers of its own", "": "can't be a tag", "a,b": "can't be a tag"} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), want) {
					t.Errorf("%q: %v", tag, r)
				}
			}()
			name.Admits(tag)
		}()
	}
	func() {
		defer func() {
			if r := recover(); r == nil || !strings.Contains(r.(string), "the column's own label") {
				t.Error(r)
			}
		}()
		email.Admits("pii")
	}()
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL, email TEXT)", "INSERT INTO people VALUES (1, 'ann', 'ann@a.example'), (2, 'bob', 'bob@b.example')")})
		f := exosql.NewFacet(people, "person", id, name, email).AllowUpdate(name, email).Admits("pii")
		w := &sealedWorld{grants: map[string]exo.Object{"people": f.Of(exosql.Grant(db, people, exosql.AllRows[human]()))}}
		for program, want := range map[string]string{
			"people.where(p => p.email === 'ann@a.example').update({ email: 'x' })": "may not leave this way",
			"people.where(p => p.email === 'ann@a.example').update({ name: 'x' })":  "1 {pii@member}",
		} {
			if got, _ := w.run(t, exoeval.InProcess{}, exo.Limits{}, value.NewLabel("pii"), program); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", program, got, want)
			}
		}
	})
}

type admVisit struct{ ID, Person int64 }

// TestAdmitsReachNoFurther: what a facet admits does not leave it by rows that go with a row of its, nor by a column that a hook of the host
// fills. The twins, without the key, the cascade or the hook, write.
func TestAdmitsReachNoFurther(t *testing.T) {
	const find = "return people.where(p => p.email === 'ann@a.example')"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, program  string
			admits         bool
			cascade, fills bool
			permit         []exosql.Permission
			want           string
		}{
			{"visits that go with their person", find + ".delete()", true, true, false, nil, `AllowRevealing("visits(person)")`},
			{"the twin: the host allows it", find + ".delete()", true, true, false, []exosql.Permission{exosql.AllowRevealing("visits(person)")}, "1"},
			{"the twin: the facet admits nothing", "return people.where({ id: 1 }).delete()", false, true, false, nil, "1"},
			{"the cascade as a grant file has it", "return people.where({ id: 1 }).delete()", false, true, false, []exosql.Permission{exosql.AllowCascade("visits(person)")}, "1"},
			{"a hook fills another column of a row", "await people.where(p => p.email === 'x').count(); return people.insert({ id: 9, name: 'x' }).then(() => 1)", true, false, true, nil, "may not leave this way"},
			{"the twin: no hook", "await people.where(p => p.email === 'x').count(); return people.insert({ id: 9, name: 'x' }).then(() => 1)", true, false, false, nil, "1"},
			{"a hook fills another column that is changed", find + ".update({ name: 'x' })", true, false, true, nil, "may not leave this way"},
			{"the twin: no hook", find + ".update({ name: 'x' })", true, false, false, nil, "1"},
		} {
			on := ""
			if c.cascade {
				on = " ON DELETE CASCADE"
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL, slug TEXT, email TEXT)", "CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL REFERENCES people"+on+")",
				"CREATE INDEX by_person ON visits (person)", "INSERT INTO people VALUES (1, 'ann', 'a', 'ann@a.example'), (2, 'bob', 'b', 'bob@b.example')", "INSERT INTO visits VALUES (1, 2)")})
			people, visits := exosql.NewTable[admPerson]("people"), exosql.NewTable[admVisit]("visits")
			id := exosql.NewKey(people, "id", func(p *admPerson) *int64 { return &p.ID })
			name := exosql.NewColumn(people, "name", func(p *admPerson) *string { return &p.Name })
			slug := exosql.NewNullable(people, "slug", func(p *admPerson) **string { return &p.Slug })
			email := exosql.NewNullable(people, "email", func(p *admPerson) **string { return &p.Email }).WithLabel("pii")
			visit := exosql.NewKey(visits, "id", func(v *admVisit) *int64 { return &v.ID })
			person := exosql.NewColumn(visits, "person", func(v *admVisit) *int64 { return &v.Person })
			if c.fills {
				people.BeforeWrite(func(_ context.Context, w *exosql.Write[admPerson]) error { w.Fill(slug.Set("s")); return nil }, slug)
			}
			f := exosql.NewFacet(people, "person", id, name, slug, email).AllowInsert(id, name).AllowUpdate(name).AllowDelete().Permit(exosql.AllowUnique("id"))
			if c.cascade && (c.permit == nil || c.permit[0].String() != "cascade visits(person)") {
				f.Permit(exosql.AllowCascade("visits", "person"))
			}
			f.Permit(c.permit...)
			if c.admits {
				f.Admits("pii")
			}
			all := []exosql.Scope{exosql.ScopeRows(people, exosql.AllRows[admPerson]()), exosql.ScopeRows(visits, exosql.AllRows[admVisit]())}
			tool, err := codemode.New(codemode.Grants{"people": f.Of(exosql.Grant(db, people, exosql.AllRows[admPerson](), all[1])), "visits": exosql.NewFacet(visits, "visit", visit, person).Of(exosql.Grant(db, visits, exosql.AllRows[admVisit](), all[0]))},
				&codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii"), Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), c.program)
			if got := fmt.Sprint(string(r.JSON), r.Err); !strings.Contains(got, c.want) || c.want == "1" && r.Err != nil {
				t.Errorf("%s: %s, want %s", c.what, got, c.want)
			}
		}
	})
}

type admPerson struct {
	ID          int64
	Name        string
	Slug, Email *string
}
