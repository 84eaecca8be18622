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
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// slLetter is a letter to a person, at a desk.
type slLetter struct{ ID, Person, Desk int64 }

type slDesk struct{ ID int64 }

// slCase is a hospital whose people programs may see by way of their visits, which are labelled.
type slCase struct {
	tag            string // of what the scope goes by; "": nothing is labelled
	by             string // what is labelled: "rows" of visits, their "day", or their "person", the key of the link
	scope          string // how people come into scope
	visits         int
	allowed, alike bool // the facets allow what the rows reveal; people and letters have the same label
}

func (c slCase) grants(t *testing.T, e tu.Engine) (codemode.Grants, *exosql.DB) {
	t.Helper()
	setup := []string{"CREATE TABLE desks (id {int} PRIMARY KEY)", "CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL)", "CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL, day {int} NOT NULL)",
		"CREATE TABLE letters (id {int} PRIMARY KEY, person {int} NOT NULL, desk {int} NOT NULL)", "INSERT INTO desks VALUES (1)", "INSERT INTO people VALUES (1, 'ada'), (2, 'ben')", "INSERT INTO letters VALUES (1, 1, 1), (2, 2, 1)"}
	// The same rows are there in both worlds: what differs is the labelled cell, or the labelled rows.
	person, day := 1, 1
	if c.visits == 0 && c.by == "person" {
		person = 9
	}
	if c.visits == 0 && c.by == "day" {
		day = 0
	}
	if c.visits > 0 || c.by != "rows" {
		setup = append(setup, fmt.Sprintf("INSERT INTO visits VALUES (1, %d, %d)", person, day))
	}
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
	desks, people, visits, letters := exosql.NewTable[slDesk]("desks"), exosql.NewTable[rlPerson]("people"), exosql.NewTable[rlVisit]("visits"), exosql.NewTable[slLetter]("letters")
	deskID := exosql.NewKey(desks, "id", func(d *slDesk) *int64 { return &d.ID })
	id, name := exosql.NewKey(people, "id", func(p *rlPerson) *int64 { return &p.ID }), exosql.NewColumn(people, "name", func(p *rlPerson) *string { return &p.Name })
	visit, of, on := exosql.NewKey(visits, "id", func(v *rlVisit) *int64 { return &v.ID }), exosql.NewColumn(visits, "person", func(v *rlVisit) *int64 { return &v.Person }), exosql.NewColumn(visits, "day", func(v *rlVisit) *int64 { return &v.Day })
	letter, to, at := exosql.NewKey(letters, "id", func(l *slLetter) *int64 { return &l.ID }), exosql.NewColumn(letters, "person", func(l *slLetter) *int64 { return &l.Person }), exosql.NewColumn(letters, "desk", func(l *slLetter) *int64 { return &l.Desk })
	if c.tag != "" {
		switch c.by {
		case "rows":
			visits.WithLabel(c.tag)
		case "person":
			of.WithLabel(c.tag)
		case "day":
			on.WithLabel(c.tag)
		}
		if c.alike {
			people.WithLabel(c.tag)
			letters.WithLabel(c.tag)
		}
	}
	who, mail, back := exosql.One("who", of, id), exosql.Many("letters", id, to), exosql.One("to", to, id)
	df, pf, lf := exosql.NewFacet(desks, "desk", deskID), exosql.NewFacet(people, "person", id, name), exosql.NewFacet(letters, "letter", letter, to, at)
	pf.AllowInsert(id, name).AllowUpdate(name).AllowDelete().Permit(exosql.AllowUnique("id"))
	lf.AllowInsert(letter, to, at).AllowUpdate(at).AllowDelete().Permit(exosql.AllowUnique("id"))
	pf.Add(exosql.Via(mail, lf))
	lf.Add(exosql.Via(back, pf))
	if c.allowed {
		pf.Permit(exosql.AllowRevealing("visits.who"))
	}
	seen := on.Eq(1)
	all := exosql.ScopeRows(letters, exosql.AllRows[slLetter]())
	g := codemode.Grants{}
	switch c.scope {
	case "follow": // by the host's own step
		g["people"] = pf.Of(exosql.Follow(exosql.Grant(db, visits, seen, all), who))
	case "where":
		g["people"] = pf.Of(exosql.Follow(exosql.Grant(db, visits, exosql.AllRows[rlVisit](), all).Where(seen), who))
	case "limit": // of rows that a limit leaves
		g["people"] = pf.Of(exosql.Follow(exosql.Grant(db, visits, seen, all), who).Limit(5))
	case "via": // of another grant, by a declared scope
		df.Add(exosql.Via(exosql.Many("letters", deskID, at), lf))
		g["desks"] = df.Of(exosql.Grant(db, desks, exosql.AllRows[slDesk](), all, exosql.ScopeVia(who), exosql.ScopeRows(visits, seen)))
	case "deep": // a table whose scope goes through people
		g["letters"] = lf.Of(exosql.Follow(exosql.Follow(exosql.Grant(db, visits, seen, exosql.ScopeVia(who)), who), mail))
	case "own": // by a column of the table itself
		vf := exosql.NewFacet(visits, "visit", visit).AllowDelete()
		g["visits"] = vf.Of(exosql.Grant(db, visits, seen))
	}
	return g, db
}

var slAsk = map[string][]string{
	"people": {"people.count()", "people", "people.first()", "people.select(p => p.name)", "people.where({ id: 1 })", "people.where(p => p.name === 'x').count()", "people.max(p => p.id)", "people.groupBy(p => p.name).count()", "people.page(1).then(p => p.rows)",
		"people.letters()", "people.letters().count()", "people.where(p => p.letters().exists()).count()", "people.letters().to()", "people.join(({ person }) => person.letters()).count()", "people.select(p => p.id).union(people.select(p => p.id))",
		"people.where({ id: 1 }).update({ name: 'x' })", "people.where({ id: 1 }).delete()", "people.where({ id: 1 }).letters().delete()", "people.insert({ id: 1, name: 'x' })", "people.where({ id: 1 }).letters().insert({ id: 7, desk: 1 })"},
	"desks": {"desks.letters().to()", "desks.letters().to().count()", "desks.letters().where(l => l.to().exists()).count()", "desks.letters().where(l => !l.to()).count()", "desks.letters().select(l => l.to().name)", "desks.where(d => d.letters().some(l => l.to().name === 'ada')).count()",
		"desks.letters().to().update({ name: 'x' })", "desks.where({ id: 1 }).letters().insert({ id: 7, person: 1 })", "desks.letters().leftJoin(({ letter }) => letter.to()).select(({ person }) => person.name)"},
	"letters": {"letters", "letters.count()", "letters.to()", "letters.where({ id: 1 }).update({ desk: 2 })", "letters.where({ id: 1 }).delete()", "letters.where(l => l.to().name === 'ada').count()"},
	"visits":  {"visits", "visits.count()", "visits.where({ id: 1 }).first()", "visits.where({ id: 1 }).delete()", "visits.max(v => v.id)"},
}

// TestScopeReveals: rows that are in scope by what is labelled are asked for with the label alone, by whatever way the scope reads it: two
// databases that differ in what is labelled answer alike, and every message has the label. Where nothing is labelled the programs tell
// the two apart.
func TestScopeReveals(t *testing.T) {
	tu.NotQuick(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for i, c := range []slCase{
			{by: "rows", scope: "follow"}, {by: "person", scope: "follow"}, {by: "day", scope: "where"}, {by: "day", scope: "limit"}, {by: "rows", scope: "via"}, {by: "person", scope: "via"}, {by: "rows", scope: "deep"}, {by: "day", scope: "deep"}, {by: "day", scope: "own"},
		} {
			if i%2 == 1 && e.Name == tu.Postgres.Name && i < 8 { // half of them, which are the same code
				continue
			}
			told, asked := 0, 0
			pair := func(tag, admits string) (tools [2]*codemode.Tool) {
				for k := range tools {
					c.tag, c.visits = tag, k
					g, _ := c.grants(t, e)
					tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel(strings.Fields(admits)...), Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(c, err)
					}
					tools[k] = tool
				}
				return tools
			}
			labelled, bare := pair("medical", ""), pair("", "")
			asks := slAsk[map[string]string{"follow": "people", "where": "people", "limit": "people", "via": "desks", "deep": "letters", "own": "visits"}[c.scope]]
			{
				for _, ask := range asks {
					for _, form := range []string{"return %s", "try { await (%s) } catch (e) { return e.message } return 1"} {
						program := fmt.Sprintf(form, ask)
						var got [2]string
						for k, tool := range labelled {
							r := tool.Run(t.Context(), program)
							got[k] = string(r.JSON) + fail.GuestText(r.Err)
							if !r.Label.HasExactly("medical") || fail.KindOf(r.Err) != fail.Denied {
								t.Errorf("%v: %s: %s, label %v", c, program, got[k], r.Label)
							}
						}
						if got[0] != got[1] {
							t.Errorf("%v: %s: %q", c, program, got)
						}
					}
				}
				for _, ask := range asks {
					var got [2]string
					for k, tool := range bare {
						r := tool.Run(t.Context(), "return "+ask)
						got[k] = string(r.JSON) + fail.GuestText(r.Err)
					}
					if asked++; got[0] != got[1] {
						told++
					}
				}
			}
			if told < asked/2 || asked == 0 {
				t.Errorf("%v: where nothing is labelled only %d of %d programs tell anything", c, told, asked)
			}
		}
	})
}

// TestScopeRevealsTo: a host has three ways on: results that admit the label read all; rows that have the label themselves are written;
// and what a facet allows by name carries no label.
func TestScopeRevealsTo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := slCase{tag: "medical", by: "rows", scope: "follow", visits: 1}
		for _, x := range []struct {
			alike, allowed bool
			admits         string
			program, want  string
			label          string
		}{
			{false, false, "medical", "return people.count()", "1", "{medical}"},
			{false, false, "medical", "return people.where({ id: 1 }).update({ name: 'x' })", "!", "{medical}"},
			{true, false, "medical", "return people.where({ id: 1 }).update({ name: 'x' })", "1", "{medical}"},
			{true, false, "medical", "return people.where({ id: 1 }).letters().update({ desk: 3 })", "1", "{medical}"},
			{false, true, "", "return people.count()", "1", "{}"},
			{false, true, "", "return people.where({ id: 1 }).update({ name: 'x' })", "1", "{}"},
			{false, true, "", "return people.letters().count()", "1", "{}"},
		} {
			c.alike, c.allowed = x.alike, x.allowed
			g, _ := c.grants(t, e)
			tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel(strings.Fields(x.admits)...), Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), x.program)
			got := string(r.JSON)
			if fail.KindOf(r.Err) == fail.Denied && strings.Contains(fail.GuestText(r.Err), "medical") {
				got = "!"
			}
			if got != x.want || r.Label.String() != x.label {
				t.Errorf("%+v: %s %v, label %v", x, got, r.Err, r.Label)
			}
		}
		// Check says so before a program is refused, and what it names is a way on.
		c.alike, c.allowed = false, false
		g, db := c.grants(t, e)
		err := exosql.Check(t.Context(), db, exosql.Granted(g["people"]))
		for _, want := range []string{"depends on visits.who, which is labelled {medical}", `Permit(exosql.AllowRevealing("visits.who"))`, "WithLabel"} {
			if !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("Check does not say %q: %v", want, err)
			}
		}
		for _, c.alike = range []bool{true, false} {
			c.allowed = !c.alike
			g, db := c.grants(t, e)
			if err := exosql.Check(t.Context(), db, exosql.Granted(g["people"])); strings.Contains(fmt.Sprint(err), "which of its rows are in scope") {
				t.Errorf("%+v: %v", c, err)
			}
		}
		// A flow names where the label comes from.
		c.alike, c.allowed = false, false
		g, _ = c.grants(t, e)
		gate, err := exo.NewGate(exo.Config{Grants: g, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		if f := gate.Flows(); len(f) == 0 || !strings.Contains(strings.Join(f[0].From, "; "), "PersonQuery by visits.who") {
			t.Errorf("%+v", f)
		}
	})
}
