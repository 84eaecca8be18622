package labels_test

import (
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

// rulesCase is a rule of the database, and a program that learns of a labelled value by it where nothing is labelled: pays are those of
// ann and bob, and the person that a note is of.
type rulesCase struct {
	what    string
	pays    [2]string
	program string
	link    bool // the column boss leads to a pay
	rules   []string
	allow   func(*exosql.Facet[kit.BesidePerson])
}

func (c *rulesCase) grants(t *testing.T, e tu.Engine, labelled, allowed bool, pays string) codemode.Grants {
	t.Helper()
	p, unique, notes := strings.Split(pays, ","), "", "CREATE TABLE notes (id {int} PRIMARY KEY, person {int} NOT NULL)"
	if c.link {
		unique = " UNIQUE"
	}
	ddl := []string{"CREATE TABLE people (id {int} PRIMARY KEY, boss {int}, rank {int} NOT NULL, name TEXT NOT NULL, pay {int} NOT NULL" + unique + ")"}
	for _, r := range c.rules {
		if strings.HasPrefix(r, "CREATE TABLE notes") {
			notes = r
		} else if strings.HasPrefix(r, "CHECK") {
			ddl[0] = strings.TrimSuffix(ddl[0], ")") + ", " + r + ")"
		}
	}
	ddl = append(ddl, notes)
	for _, r := range c.rules {
		if !strings.HasPrefix(r, "C") || strings.HasPrefix(r, "CREATE UNIQUE") || strings.HasPrefix(r, "CREATE INDEX") {
			ddl = append(ddl, r)
		}
	}
	ddl = append(ddl, "INSERT INTO people (id, boss, rank, name, pay) VALUES (1, NULL, 1, 'ann', "+p[0]+"), (2, NULL, 2, 'bob', "+p[1]+")", "INSERT INTO notes VALUES (1, "+p[2]+")")
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl...)})
	d := kit.DeclareStaff(labelled)
	f := exosql.NewFacet(d.People, "person", d.ID, d.Boss, d.Rank, d.Name, d.Pay).AllowUpdate(d.Boss, d.Rank, d.Name).AllowDelete()
	f.Add(exosql.Via(exosql.Many("notes", d.ID, d.Person), exosql.NewFacet(d.Notes, "note", d.Note, d.Person)))
	if c.link {
		f.Add(exosql.Via(exosql.One("equal", d.Boss, d.Pay), exosql.NewFacet(d.People, "equal", d.ID, d.Name)))
	}
	if allowed {
		c.allow(f)
	}
	return codemode.Grants{"people": f.Of(exosql.Grant(db, d.People, exosql.AllRows[kit.BesidePerson](), exosql.ScopeRows(d.Notes, exosql.AllRows[kit.BesideNote]())))}
}

// TestSealedRules: rules of the database by which a write tells of a labelled column, that nothing in the program names. Such a write is
// refused whatever is there, unless the host allows what it tells; where nothing is labelled the program learns it.
func TestSealedRules(t *testing.T) {
	tu.NotQuick(t)
	const taken = "return people.where({ id: 2 }).update({ name: 'ann' }).catch(e => e.message)"
	const move = "return people.all().update(p => ({ rank: p.rank + 1 })).catch(e => e.message)"
	deletes := "return people.where({ id: 1 }).delete().catch(e => e.message)"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		share := tu.OneIn(t, 2)
		rows := e.Pick("CREATE INDEX by_pay ON people (pay, rank)", "CREATE INDEX by_pay ON people (pay, rank)")
		for _, c := range []rulesCase{
			{"a key over both", [2]string{"70,70,9", "70,80,9"}, taken, false, []string{"CREATE UNIQUE INDEX u ON people (name, pay)"}, func(f *exosql.Facet[kit.BesidePerson]) { f.Permit(exosql.AllowRevealing("unique(name, pay)")) }},
			{"an index of some rows", [2]string{"80,80,9", "80,70,9"}, taken, false, []string{"CREATE UNIQUE INDEX u ON people (name) WHERE pay > 75"}, nil},
			{"an expression", [2]string{"70,70,9", "70,80,9"}, taken, false, []string{"CREATE UNIQUE INDEX u ON people (name, (pay + 1))"}, nil},
			{"a condition over both", [2]string{"70,70,9", "70,80,9"}, "return people.where({ id: 2 }).update({ rank: 75 }).catch(e => e.message)", false, []string{"CHECK (rank < pay)"}, nil},
			{"a reference", [2]string{"70,80,1", "70,80,2"}, deletes, false, []string{"CREATE TABLE notes (id {int} PRIMARY KEY, person {int} NOT NULL REFERENCES people (id))"}, func(f *exosql.Facet[kit.BesidePerson]) { f.Permit(exosql.AllowRevealing("notes(person)")) }},
			{"a link to it", [2]string{"70,80,9", "71,80,9"}, "return people.where({ id: 2 }).update({ boss: 70 }).catch(e => e.message)", true, nil, nil},
			{"the order of an update", [2]string{"70,80,9", "90,80,9"}, move, false, []string{rows, "CREATE UNIQUE INDEX u ON people (rank)"}, func(f *exosql.Facet[kit.BesidePerson]) { f.Permit(exosql.AllowRevealing("unique(rank)")) }},
			{"an entry that is calculated", [2]string{"70,80,9", "70,5,9"}, "return people.where({ id: 2 }).update({ rank: 5 }).catch(e => e.message)", false, []string{"PG CREATE INDEX u ON people ((10 / (rank - pay)))"}, func(f *exosql.Facet[kit.BesidePerson]) {
				f.Permit(exosql.AllowRevealing("index(((10 / (rank - pay))))"))
			}},
			{"a column that is calculated", [2]string{"70,80,9", "70,5,9"}, "return people.where({ id: 2 }).update({ rank: 5 }).catch(e => e.message)", false, []string{"PG ALTER TABLE people ADD x bigint GENERATED ALWAYS AS (10 / (rank - pay)) STORED"}, func(f *exosql.Facet[kit.BesidePerson]) { f.Permit(exosql.AllowRevealing("generated(x)")) }},
			{"an entry that is too long", [2]string{"70,80,9", "70,999999999999999,9"}, "const c = 'abcdefghijklmnopqrstuvwxyz0123456789'; let s = '', x = 7; while (s.length < 2690) { x = (x * 1103515245 + 12345) % 2147483648; s += c[Math.floor(x / 65536) % 36] }\nreturn people.where({ id: 2 }).update({ name: s }).catch(e => e.message.slice(0, 150))", false, []string{"PG CREATE INDEX u ON people (name, (repeat(md5(pay::text), (pay > 1000)::int)))"}, nil},
		} {
			only := strings.HasPrefix(strings.Join(c.rules, ""), "PG ")
			if e.Name != tu.Postgres.Name && only {
				continue // SQLite has NULL for a division by zero, and no limit
			}
			if e.Name == tu.Postgres.Name && !only && !share.Next() {
				continue // there each world is a schema that is made
			}
			for i := range c.rules {
				c.rules[i] = strings.TrimPrefix(c.rules[i], "PG ")
			}
			run := func(labelled, allowed bool) (out [2]string) {
				for i, pays := range c.pays {
					tool, err := codemode.New(c.grants(t, e, labelled, allowed, pays), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
					if err != nil {
						t.Fatal(err)
					}
					r := tool.Run(t.Context(), c.program)
					out[i] = string(r.JSON) + fail.GuestText(r.Err)
				}
				return out
			}
			got := run(true, false)
			if got[0] != got[1] || !strings.Contains(got[0], "has to change or permit something first") && !strings.Contains(got[0], "may not leave this way") {
				t.Errorf("%s: %q", c.what, got)
			}
			order := strings.Contains(c.what, "order") // an engine takes the index where it likes
			if got := run(false, false); got[0] == got[1] && !order || strings.Contains(got[0], "change or permit something first") {
				t.Errorf("%s: where nothing is labelled it tells nothing, so it shows nothing: %q", c.what, got)
			}
			if c.allow != nil {
				if got := run(true, true); strings.Contains(got[0], "change or permit something first") || got[0] == got[1] && !order {
					t.Errorf("%s: allowed, %q", c.what, got)
				}
			}
		}
	})
}

// TestRulesBesides: rules that have nothing to do with a labelled column leave writes as they are.
func TestRulesBesides(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := rulesCase{rules: []string{"CREATE UNIQUE INDEX u ON people (name)", "CREATE UNIQUE INDEX v ON people (pay)", "CHECK (rank > 0)"}}
		tool, err := codemode.New(c.grants(t, e, true, false, "70,80,9"), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		if r := tool.Run(t.Context(), "return [await people.where({ id: 2 }).update({ rank: 5 }), await people.where({ id: 1 }).delete()]"); r.Err == nil {
			t.Error("names are unique and rows are visited by an index over pay: it may tell", string(r.JSON))
		}
		c.rules = []string{"CREATE UNIQUE INDEX u ON people (name)", "CHECK (rank > 0)"}
		if tool, err = codemode.New(c.grants(t, e, true, false, "70,80,9"), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}}); err != nil {
			t.Fatal(err)
		}
		if r := tool.Run(t.Context(), "return [await people.where({ id: 2 }).update({ rank: 5, name: 'zoe' }), await people.where({ id: 1 }).delete()]"); r.Err != nil || string(r.JSON) != "[1,1]" {
			t.Error(string(r.JSON), r.Err)
		}
	})
}

// TestPolicyLabels: a policy can't label a column that its declaration doesn't: the order of its rows would show, and its size. Who
// wrote it decides nothing of either.
func TestPolicyLabels(t *testing.T) {
	wrap := func(tag string) error {
		c := rulesCase{}
		o := exo.Wrap(c.grants(t, tu.SQLite, false, false, "1,2,3")["people"], exo.Policy{Narrow: func(d *message.Description) error {
			for _, i := range d.Interfaces {
				if f := i.Fields["pay"]; f != nil {
					f.Label = f.Label.Join(value.NewLabel(tag))
				}
			}
			return nil
		}})
		_, err := codemode.New(codemode.Grants{"people": o}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		return err
	}
	if err := wrap("pay"); err == nil || !strings.Contains(err.Error(), "a policy can't give the field Person.pay of this object the label {pay}") {
		t.Error(err)
	}
	if err := wrap(value.Untrusted); err != nil {
		t.Error(err)
	}
}
