package labels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type rlPerson struct {
	ID   int64
	Name string
}

type rlVisit struct{ ID, Person, Day int64 }

type rlNote struct {
	ID    int64
	Visit *int64
	Text  string
}

// rlCase is a hospital: that somebody has visited it is labelled, or not, as its twin.
type rlCase struct {
	labelled string                        // the tag of the rows of visits; "": they have none
	link     bool                          // a note leads to its visit
	allow    func(*exosql.Facet[rlPerson]) // on people
	sends    func(text string)             // a service that takes no label
	visits   int                           // there are so many
	cascade  string                        // of notes.visit
}

func (c *rlCase) tool(t *testing.T, e tu.Engine, admits value.Label) *codemode.Tool {
	t.Helper()
	rows := []string{"DELETE FROM notes"}
	for i := range c.visits {
		rows = append(rows, fmt.Sprintf("INSERT INTO visits VALUES (%d, %d, %d)", i+1, i%2+1, 7*i))
	}
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append([]string{`CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL)`,
		`CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL REFERENCES people (id), day {int} NOT NULL)`,
		`CREATE TABLE notes (id {int} PRIMARY KEY, visit {int} REFERENCES visits (id)` + c.cascade + `, text TEXT NOT NULL)`,
		`INSERT INTO people VALUES (1, 'ada'), (2, 'ben'), (3, 'cy')`}, rows...)...)})
	people, visits, notes := exosql.NewTable[rlPerson]("people"), exosql.NewTable[rlVisit]("visits"), exosql.NewTable[rlNote]("notes")
	if c.labelled != "" {
		visits.WithLabel(c.labelled)
	}
	id, name := exosql.NewKey(people, "id", func(p *rlPerson) *int64 { return &p.ID }), exosql.NewColumn(people, "name", func(p *rlPerson) *string { return &p.Name })
	visit, person, day := exosql.NewKey(visits, "id", func(v *rlVisit) *int64 { return &v.ID }), exosql.NewColumn(visits, "person", func(v *rlVisit) *int64 { return &v.Person }), exosql.NewColumn(visits, "day", func(v *rlVisit) *int64 { return &v.Day })
	note, of, text := exosql.NewKey(notes, "id", func(n *rlNote) *int64 { return &n.ID }), exosql.NewNullable(notes, "visit", func(n *rlNote) **int64 { return &n.Visit }), exosql.NewColumn(notes, "text", func(n *rlNote) *string { return &n.Text })
	pf := exosql.NewFacet(people, "person", id, name).AllowUpdate(name)
	vf := exosql.NewFacet(visits, "visit", visit, person, day).AllowInsert(visit, person, day).AllowUpdate(day).AllowDelete()
	nf := exosql.NewFacet(notes, "note", note, of, text).AllowInsert(note, of, text).AllowUpdate(text).AllowDelete()
	pf.Add(exosql.Via(exosql.Many("visits", id, person), vf))
	vf.Add(exosql.Via(exosql.One("who", person, id), pf))
	if c.cascade != "" {
		vf.Permit(exosql.AllowCascade("notes", "visit"))
	}
	if c.link {
		nf.Add(exosql.Via(exosql.One("of", of, visit), vf))
	}
	if c.allow != nil {
		c.allow(pf)
	}
	scopes := []exosql.Scope{exosql.ScopeRows(visits, exosql.AllRows[rlVisit]()), exosql.ScopeRows(notes, exosql.AllRows[rlNote]()), exosql.ScopeRows(people, exosql.AllRows[rlPerson]())}
	g := codemode.Grants{
		"people": pf.Of(exosql.Grant(db, people, exosql.AllRows[rlPerson](), scopes[0], scopes[1])),
		"visits": vf.Of(exosql.Grant(db, visits, exosql.AllRows[rlVisit](), scopes[1], scopes[2])),
		"notes":  nf.Of(exosql.Grant(db, notes, exosql.AllRows[rlNote](), scopes[0], scopes[2])),
	}
	if c.sends != nil {
		g["chat"] = tu.Room(t, "chat", c.sends)
	}
	tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Admits: admits, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// rlAsk are the ways to ask something of visits: each tells whether there are any.
var rlAsk = []string{
	"visits", "visits.first()", "visits.count()", "visits.select(v => v.day)", "visits.where({ id: 9 })", "visits.where({ id: 9 }).first()",
	"visits.sum(v => v.day)", "visits.max(v => v.day)", "visits.countDistinct(v => v.day)", "visits.groupBy(v => v.person).count()", "visits.groupBy(v => v.person).select(g => ({ p: g.person, n: g.count() }))",
	"visits.partitionBy(v => v.person).select(({ visit, window }) => ({ d: visit.day, n: window.count() }))",
	"visits.limit(1)", "visits.orderBy(v => v.day).limit(1).offset(1)", "visits.distinct().count()", "visits.page(2).then(p => p.rows)",
	"people.visits()", "people.visits().count()", "people.where({ id: 1 }).visits().first()", "people.visits().who()",
	"people.where(p => p.visits().exists())", "people.where(p => !p.visits().exists()).count()", "people.where(p => p.visits().some(v => v.day > 3)).count()",
	"people.where(p => p.visits().none(v => v.day > 300)).count()", "people.where(p => p.visits().every(v => v.day > 300)).count()",
	"people.orderBy(p => p.visits().count())", "people.select(p => ({ n: p.name, v: p.visits() }))", "people.select(p => p.visits().count())", "people.select(p => ({ d: p.visits().max(v => v.day) }))",
	"people.select(p => ({ f: p.visits().first().day }))", "people.select(p => ({ l: p.visits().select(v => v.day) }))", "people.groupBy(p => p.name).select(g => ({ n: g.name, s: g.sum(p => p.visits().count()) }))",
	"people.join(({ person }) => person.visits()).count()", "people.join(visits, ({ person, visit }) => person.id === visit.person).select(({ person }) => person.name)", "people.leftJoin(({ person }) => person.visits()).select(({ person }) => person.name)",
	"people.where(p => p.id.in(visits.select(v => v.person)))", "people.where(p => p.id.notIn(visits.select(v => v.person))).count()", "people.where(p => p.id > visits.count()).count()", "people.select(p => ({ n: visits.where(v => v.person === p.id).count() }))",
	"people.select(p => p.id).union(visits.select(v => v.id)).count()", "people.select(p => p.id).except(visits.select(v => v.person))", "people.select(p => p.id).intersect(visits.select(v => v.person)).count()",
	"notes.of()", "notes.where(n => n.of().day > 1).count()", "notes.where(n => !n.of()).count()", "notes.select(n => n.of().day)",
	"visits.where({ id: 9 }).update({ day: 1 })", "visits.all().update(v => ({ day: v.day + 1 }))", "visits.where({ id: 1 }).delete()", "people.where({ id: 1 }).visits().update({ day: 3 })", "people.where({ id: 1 }).visits().delete()",
	"visits.insert({ id: 1, person: 1, day: 3 })", "visits.insertMany([{ id: 1, person: 1, day: 3 }])", "people.where({ id: 1 }).visits().insert({ id: 1, day: 3 })", "visits.ifUnchanged({ id: 1, day: 0 }).update({ day: 3 })",
	"notes.insert({ id: 1, visit: 1, text: 'x' })", "notes.insertMany([{ id: 2, text: 'y' }, { id: 1, visit: 1, text: 'x' }])",
}

// TestRowsAreLabelled: of a table whose rows are labelled nothing is told by any way to ask, by what it is refused, or by what it may
// write elsewhere; whoever may know is told all. Where the rows have no label, the same programs tell.
func TestRowsAreLabelled(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		told := 0
		visits := [2]int{0, 3}
		tools := map[string][2]*codemode.Tool{}
		for _, tag := range []string{"medical", ""} {
			for _, admits := range []string{"", "medical"} {
				var pair [2]*codemode.Tool
				for i, n := range visits {
					pair[i] = (&rlCase{labelled: tag, link: true, visits: n}).tool(t, e, value.NewLabel(strings.Fields(admits)...))
				}
				tools[tag+"/"+admits] = pair
			}
		}
		run := func(of, program string) (got [2]string, rs [2]*codemode.Result) {
			for i, tool := range tools[of] {
				rs[i] = tool.Run(t.Context(), program)
				got[i] = string(rs[i].JSON) + fail.GuestText(rs[i].Err)
			}
			return got, rs
		}
		share := tu.OneIn(t, 3)
		for _, ask := range rlAsk {
			for _, form := range []string{"return %s", "try { return await (%s) } catch (e) { return e.message }", "const x = %s; await x; return 1", "let n = 0; try { await (%s); n = 1 } catch { n = 2 } return n"} {
				if !share.Next(ask) {
					continue
				}
				program := fmt.Sprintf(form, ask)
				got, rs := run("medical/", program)
				for i, r := range rs {
					if !r.Label.HasExactly("medical") || fail.KindOf(r.Err) != fail.Denied {
						t.Errorf("%s: %s, label %v", program, got[i], r.Label)
					}
				}
				if got[0] != got[1] {
					t.Errorf("%s: %q", program, got)
				}
			}
			program := "return " + ask
			open, _ := run("medical/medical", program)
			bare, _ := run("/", program)
			if bare[0] != bare[1] {
				told++
			}
			if open != bare && !strings.HasPrefix(ask, "notes.insert") { // a note with a visit would tell all who read notes
				t.Errorf("%s: whoever may know it is told %q, and where there is no label %q", program, open, bare)
			}
		}
		// What asks nothing of them leaves.
		for _, program := range []string{"return people.count()", "return people.where({ id: 1 }).update({ name: 'x' })", "return notes.insert({ id: 5, text: 'x' }).then(n => n.id)", "return notes.where({ id: 5 }).update({ text: 'y' })", "visits; people.visits(); return 1"} {
			if _, rs := run("medical/", program); rs[1].Err != nil || !rs[1].Label.Empty() {
				t.Errorf("%s: %v, label %v", program, rs[1].Err, rs[1].Label)
			}
		}
		if told < len(rlAsk)/2 {
			t.Errorf("where nothing is labelled only %d of %d programs tell anything", told, len(rlAsk))
		}
	})
}

// TestRowsAreWritten: what has read rows that are labelled is written where they are, and nowhere else.
func TestRowsAreWritten(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var sent []string
		c := rlCase{labelled: "medical", link: true, visits: 2, sends: func(s string) { sent = append(sent, s) }}
		tool := c.tool(t, e, value.NewLabel("medical"))
		for _, p := range []struct{ write, want string }{
			{"visits.insert({ id: 10, person: 1, day: 3 }).then(v => v.id)", "10"}, {"visits.insertMany([{ id: 11, person: 1, day: 3 }, { id: 12, person: 2, day: 4 }])", "2"},
			{"visits.where({ id: 10 }).update({ day: 5 })", "1"}, {"visits.where({ id: 10 }).delete()", "1"}, {"people.where({ id: 2 }).visits().insert({ id: 13, day: 1 }).then(v => v.person)", "2"},
			{"people.where({ id: 1 }).update({ name: 'sick' })", "!"}, {"notes.insert({ id: 1, text: 'sick' })", "!"}, {"notes.insertMany([])", "!"}, {"notes.where({ id: 1 }).delete()", "!"}, {"chat.post({ text: 'sick' })", "!"},
		} {
			r := tool.Run(t.Context(), "const n = await visits.count(); return n > 0 ? "+p.write+" : 0")
			got := string(r.JSON)
			if fail.KindOf(r.Err) == fail.Denied && strings.Contains(fail.GuestText(r.Err), "medical") {
				got = "!"
			}
			if got != p.want {
				t.Errorf("%s: %s %v, want %s", p.write, got, r.Err, p.want)
			}
		}
		if len(sent) > 0 {
			t.Errorf("it was sent: %q", sent)
		}
		c.labelled = ""
		if r := c.tool(t, e, value.Label{}).Run(t.Context(), "if (await visits.count()) { await notes.insert({ id: 1, text: 'sick' }); await chat.post({ text: 'sick' }) }"); r.Err != nil || !slices.Equal(sent, []string{"sick"}) {
			t.Errorf("the twin: %v %q", r.Err, sent)
		}
	})
}

// TestRowsAreReferredTo: rules of the database by which a write elsewhere tells which rows are there are refused, unless the host allows
// what they tell.
func TestRowsAreReferredTo(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, x := range []struct {
			what    string
			c       rlCase
			program string
			tells   string
		}{
			{"a person who can't be deleted", rlCase{link: true, allow: func(f *exosql.Facet[rlPerson]) { f.AllowDelete() }}, "return people.where({ id: 1 }).delete()", `AllowRevealing("visits(person)")`},
			{"notes that go with their visit", rlCase{link: true, cascade: " ON DELETE CASCADE"}, "return visits.where({ id: 1 }).delete()", `AllowRevealing("notes(visit)")`},
			{"notes that lose their visit", rlCase{link: true, cascade: " ON DELETE SET NULL"}, "return visits.where({ id: 1 }).delete()", `AllowRevealing("notes(visit)")`},
		} {
			run := func(tag string) (out [2]string) {
				for i := range out {
					x.c.labelled, x.c.visits = tag, i
					r := x.c.tool(t, e, value.NewLabel("medical")).Run(t.Context(), x.program)
					out[i] = string(r.JSON) + fail.GuestText(r.Err)
					if tag != "" && (r.Err == nil || !strings.Contains(fmt.Sprint(r.Err), x.tells)) {
						t.Errorf("%s: %v, want it to name %q", x.what, r.Err, x.tells)
					}
				}
				return out
			}
			if got := run("medical"); got[0] != got[1] {
				t.Errorf("%s: %q", x.what, got)
			}
			if got := run(""); got[0] == got[1] {
				t.Errorf("%s: where nothing is labelled it tells nothing: %q", x.what, got)
			}
		}
		x := rlCase{labelled: "medical", link: true, visits: 1, allow: func(f *exosql.Facet[rlPerson]) { f.AllowDelete().Permit(exosql.AllowRevealing("visits(person)")) }}
		if r := x.tool(t, e, value.Label{}).Run(t.Context(), "return people.where({ id: 3 }).delete()"); r.Err != nil || string(r.JSON) != "1" {
			t.Errorf("allowed: %s %v", r.JSON, r.Err)
		}
	})
}

// TestRowsOfOutsiders: a program that asked a table which outsiders write acts outside no more.
func TestRowsOfOutsiders(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var sent []string
		c := rlCase{labelled: value.Untrusted + ":desk", link: true, visits: 1, sends: func(s string) { sent = append(sent, s) }}
		tool := c.tool(t, e, value.Label{})
		if r := tool.Run(t.Context(), "const n = await people.where(p => p.visits().exists()).count(); await chat.post({ text: 'n' + n })"); fail.KindOf(r.Err) != fail.Denied || len(sent) > 0 {
			t.Errorf("%v, sent %q", r.Err, sent)
		}
		if r := tool.Run(t.Context(), "return visits.count()"); r.Err != nil || string(r.JSON) != "1" { // it withholds nothing
			t.Errorf("%s %v", r.JSON, r.Err)
		}
		if r := tool.Run(t.Context(), "await chat.post({ text: 'n' + await people.count() })"); r.Err != nil || !slices.Equal(sent, []string{"n3"}) {
			t.Errorf("the twin: %v %q", r.Err, sent)
		}
	})
}

// TestPolicyRowLabel: a policy neither takes the label off the rows of a table nor gives it one that its object's rules don't know; who
// wrote them it may say.
func TestPolicyRowLabel(t *testing.T) {
	wrap := func(tag string, to ...string) error {
		db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec("CREATE TABLE visits (id INTEGER PRIMARY KEY)")})
		visits := exosql.NewTable[rlVisit]("visits")
		if tag != "" {
			visits.WithLabel(tag)
		}
		id := exosql.NewKey(visits, "id", func(v *rlVisit) *int64 { return &v.ID })
		_, err := exo.Wrap(exosql.NewFacet(visits, "visit", id).Of(exosql.Grant(db, visits, exosql.AllRows[rlVisit]())), exo.Policy{Narrow: func(d *message.Description) error {
			d.Interface("VisitQuery").Label = value.NewLabel(to...)
			return nil
		}}).Describe()
		return err
	}
	for _, c := range []struct {
		tag  string
		to   []string
		want string
	}{{"medical", nil, "the policy removed {medical}"}, {"", []string{"medical"}, "label it where the object is declared"}, {"", []string{value.Untrusted}, ""}, {"medical", []string{"medical", value.Untrusted}, ""}} {
		if err := wrap(c.tag, c.to...); (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q to %q: %v", c.tag, c.to, err)
		}
	}
}

// TestRowLabelsAlike: Check finds a table of which one declaration labels the rows and another one does not, and parts of it.
func TestRowLabelsAlike(t *testing.T) {
	e := tu.Postgres
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE visits (id bigint PRIMARY KEY, day bigint NOT NULL) PARTITION BY RANGE (id)", "CREATE TABLE old_visits PARTITION OF visits FOR VALUES FROM (0) TO (10)", "CREATE TABLE others (id bigint PRIMARY KEY, day bigint NOT NULL)")})
	grant := func(t *exosql.Table[rlVisit], tags string, secret bool) exosql.Declared {
		if tags != "" {
			t.WithLabel(tags)
		}
		id, day := exosql.NewKey(t, "id", func(v *rlVisit) *int64 { return &v.ID }), exosql.NewColumn(t, "day", func(v *rlVisit) *int64 { return &v.Day })
		if secret {
			day.WithLabel("pii")
		}
		return exosql.Granted(exosql.NewFacet(t, "visit", id, day).Of(exosql.Grant(db, t, exosql.AllRows[rlVisit]())))
	}
	for _, c := range []struct {
		other  *exosql.Table[rlVisit]
		tag    string
		secret bool
		want   string
	}{
		{exosql.NewTable[rlVisit]("visits"), "", true, "the rows are labelled {medical} in one declaration, and public in the other"},
		{exosql.NewTable[rlVisit]("old_visits"), "", true, "the tables visits and old_visits have rows in common: the rows are labelled {medical}"},
		{exosql.NewTable[rlVisit]("old_visits"), "medical", false, "the column is labelled {pii} in one declaration, and public"},
		{exosql.NewTable[rlVisit]("old_visits"), "medical", true, ""},
		{exosql.NewTable[rlVisit]("others"), "", false, ""},
	} {
		err := exosql.Check(t.Context(), db, grant(exosql.NewTable[rlVisit]("visits"), "medical", true), grant(c.other, c.tag, c.secret))
		if got := fmt.Sprint(err); (c.want == "") == strings.Contains(got, "public") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q %v: %v", c.other.Name(), c.tag, c.secret, err)
		}
	}
	for _, bad := range []func(){func() { exosql.NewTable[rlVisit]("visits").WithLabel() }, func() { exosql.NewTable[rlVisit]("visits").WithLabel("a", "") }, func() { (*exosql.Table[rlVisit])(nil).WithLabel("a") }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}

// TestRowsOfTheScope: where the scope finds rows by way of labelled ones, a write that gives the key of one has their label, whether the
// facet has the link or not, unless the host allows what it reveals.
func TestRowsOfTheScope(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		run := func(tag string, visits int, shown, allowed bool) (string, *codemode.Result) {
			rows := []string{"CREATE TABLE visits (id {int} PRIMARY KEY, person {int} NOT NULL, day {int} NOT NULL)", "CREATE TABLE notes (id {int} PRIMARY KEY, visit {int} NOT NULL, text TEXT NOT NULL)"}
			for i := range visits {
				rows = append(rows, fmt.Sprintf("INSERT INTO visits VALUES (%d, 1, 1)", i+1))
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(rows...)})
			table, notes := exosql.NewTable[rlVisit]("visits"), exosql.NewTable[rlNote]("notes")
			if tag != "" {
				table.WithLabel(tag)
			}
			visit, person := exosql.NewKey(table, "id", func(v *rlVisit) *int64 { return &v.ID }), exosql.NewColumn(table, "person", func(v *rlVisit) *int64 { return &v.Person })
			note, text := exosql.NewKey(notes, "id", func(n *rlNote) *int64 { return &n.ID }), exosql.NewColumn(notes, "text", func(n *rlNote) *string { return &n.Text })
			of := exosql.NewNullable(notes, "visit", func(n *rlNote) **int64 { return &n.Visit })
			many := exosql.Many("notes", visit, of)
			nf := exosql.NewFacet(notes, "note", note, of, text).AllowInsert(note, of, text).AllowUpdate(text).Permit(exosql.AllowUnique("id"))
			vf := exosql.NewFacet(table, "visit", visit, exosql.Via(many, nf))
			if shown {
				nf.Add(exosql.Via(exosql.One("of", of, visit), vf))
			}
			if allowed {
				nf.Permit(exosql.AllowRevealing("visits.notes"))
			}
			g := codemode.Grants{"notes": nf.Of(exosql.Follow(exosql.Grant(db, table, person.Eq(1), exosql.ScopeVia(many)), many))}
			r := kit.BreaksTool(t, g).Run(t.Context(), `return notes.insert({ id: 1, visit: 1, text: "x" }).then(n => n.id)`)
			return string(r.JSON) + fail.GuestText(r.Err), r
		}
		for _, c := range []struct {
			tag            string
			shown, allowed bool
			same           bool
			why            string
		}{
			{"medical", false, false, true, "medical"}, {"medical", true, false, true, "medical"}, {"medical", false, true, false, ""}, {"", false, false, false, ""},
		} {
			none, _ := run(c.tag, 0, c.shown, c.allowed)
			one, r := run(c.tag, 1, c.shown, c.allowed)
			if (none == one) != c.same || c.why != "" && !strings.Contains(fmt.Sprint(r.Err), c.why) || c.why == "" && one != "1" {
				t.Errorf("%+v: %q, %q: %v", c, none, one, r.Err)
			}
		}
	})
}
