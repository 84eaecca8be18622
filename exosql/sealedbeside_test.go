package exosql_test

import (
	"context"
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

type besidePerson struct {
	ID, Rank int64
	Boss     *int64
	Name     string
	Pay      int64
	Email    string
}

type besideNote struct {
	ID, Person int64
	Kind       *int64
}

type besideCase struct {
	what    string
	only    string // engine, "" for both
	ddl     string // ; between statements, "?" stands for what differs (else it is last)
	a, b    string // what differs
	program string
	delete  bool // the facet may delete
	apart   bool // notes are another grant, and not reached by a link
	replace bool // Permit(exosql.AllowConflict("REPLACE"))
}

const (
	besidePeople = "CREATE TABLE people (id {int} PRIMARY KEY, boss {int}, rank {int} NOT NULL, name TEXT NOT NULL, pay {int} NOT NULL, email TEXT NOT NULL DEFAULT 'x'%s)"
	besideNotes  = "CREATE TABLE notes (id {int} PRIMARY KEY, person {int} NOT NULL%s, kind {int}%s)"
	besideDelete = "return people.where({ id: 1 }).delete().catch(e => e.message)"
	besideLong   = "const c = 'abcdefghijklmnopqrstuvwxyz0123456789'; let s = '', x = 7; while (s.length < %d) { x = (x * 1103515245 + 12345) %% 2147483648; s += c[Math.floor(x / 65536) %% 36] }\n" +
		"return people.where({ id: 2 }).update({ name: s }).catch(e => e.message.slice(0, 150))"
)

func besideRows(pay1, pay2 string) string {
	return "INSERT INTO people (id, boss, rank, name, pay) VALUES (1, NULL, 1, 'ann', " + pay1 + "), (2, NULL, 2, 'bob', " + pay2 + ")"
}
func besideRank(n int) string {
	return fmt.Sprintf("return people.where({ id: 2 }).update({ rank: %d }).catch(e => e.message)", n)
}

// staffTables declares people and the notes about them, whose pay, email and person are labelled.
type staffTables struct {
	people       *exosql.Table[besidePerson]
	notes        *exosql.Table[besideNote]
	id           *exosql.Column[besidePerson, int64]
	rank, pay    *exosql.Column[besidePerson, int64]
	boss         *exosql.Column[besidePerson, int64]
	name, email  *exosql.Column[besidePerson, string]
	note, person *exosql.Column[besideNote, int64]
	kind         *exosql.Column[besideNote, int64]
}

func declareStaff(labelled bool) (d staffTables) {
	d.people, d.notes = exosql.NewTable[besidePerson]("people"), exosql.NewTable[besideNote]("notes")
	d.id = exosql.NewKey(d.people, "id", func(p *besidePerson) *int64 { return &p.ID })
	d.boss = exosql.NewNullable(d.people, "boss", func(p *besidePerson) **int64 { return &p.Boss })
	d.rank = exosql.NewColumn(d.people, "rank", func(p *besidePerson) *int64 { return &p.Rank })
	d.name = exosql.NewColumn(d.people, "name", func(p *besidePerson) *string { return &p.Name })
	d.pay = exosql.NewColumn(d.people, "pay", func(p *besidePerson) *int64 { return &p.Pay })
	d.email = exosql.NewColumn(d.people, "email", func(p *besidePerson) *string { return &p.Email })
	d.note = exosql.NewKey(d.notes, "id", func(n *besideNote) *int64 { return &n.ID })
	d.person = exosql.NewColumn(d.notes, "person", func(n *besideNote) *int64 { return &n.Person })
	d.kind = exosql.NewNullable(d.notes, "kind", func(n *besideNote) **int64 { return &n.Kind })
	if labelled {
		d.pay.WithLabel("pii")
		d.email.WithLabel("pii")
		d.person.WithLabel("pii")
	}
	return d
}

func (c *besideCase) grants(db *exosql.DB, labelled bool) codemode.Grants {
	d := declareStaff(labelled)
	f := exosql.NewFacet(d.people, "person", d.id, d.boss, d.rank, d.name, d.pay, d.email).AllowUpdate(d.boss, d.rank, d.name)
	nf := exosql.NewFacet(d.notes, "note", d.note, d.person, d.kind)
	if c.delete {
		f.AllowDelete()
	}
	if c.replace {
		f.Permit(exosql.AllowConflict("REPLACE"))
	}
	if c.apart {
		return codemode.Grants{"people": f.Of(exosql.Grant(db, d.people, exosql.AllRows[besidePerson]())), "notes": nf.Of(exosql.Grant(db, d.notes, exosql.AllRows[besideNote]()))}
	}
	f.Add(exosql.Via(exosql.Many("notes", d.id, d.person), nf))
	return codemode.Grants{"people": f.Of(exosql.Grant(db, d.people, exosql.AllRows[besidePerson](), exosql.ScopeRows(d.notes, exosql.AllRows[besideNote]())))}
}

func (c *besideCase) run(t *testing.T, e tu.Engine, differs string, labelled bool) string {
	t.Helper()
	ddl := c.ddl + "; ?"
	if strings.Contains(c.ddl, "?") {
		ddl = c.ddl
	}
	ddl = strings.Replace(ddl, "?", strings.ReplaceAll(differs, "%", "%%"), 1)
	db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(ddl)})
	tool, err := codemode.New(c.grants(db, labelled), &codemode.Options{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(c.what, err)
	}
	r := tool.Run(t.Context(), c.program)
	return string(r.JSON) + fail.GuestText(r.Err)
}

// TestLabelledBeside: rules by which a write tells of a labelled column that stand elsewhere: in another grant, in a partition or an heir, in a generated
// column, in what PostgreSQL writes in brackets. Each is a pair of databases that differ in labelled cells alone, for a program that names none; where
// nothing is labelled it tells them apart.
func TestLabelledBeside(t *testing.T) {
	tu.NotQuick(t)
	people, notes := fmt.Sprintf(besidePeople, ""), fmt.Sprintf(besideNotes, "", "")
	with := func(more string) string { return fmt.Sprintf(besidePeople, more) }
	n1, n2 := "INSERT INTO notes VALUES (1, 1, 0)", "INSERT INTO notes VALUES (1, 2, 0)"
	rows := besideRows("70", "80")
	fk := fmt.Sprintf(besideNotes, " REFERENCES people (id)", "")
	parted := "CREATE TABLE %s (id bigint%s, boss bigint, rank bigint NOT NULL, name TEXT NOT NULL, pay bigint NOT NULL, email TEXT NOT NULL DEFAULT 'x'%s) PARTITION BY %s"
	byID := fmt.Sprintf(parted, "people", "", ", PRIMARY KEY (id)", "RANGE (id)")
	long := "; UPDATE people SET email = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 30) AS i) WHERE id = 2"
	for _, c := range []besideCase{
		{what: "the reference is in another grant", ddl: people + "; " + fk + "; " + rows, a: n1, b: n2, program: besideDelete, delete: true, apart: true},

		{what: "CHECK with ARRAY[...]", only: "postgres", ddl: with(", CHECK (rank < ALL (ARRAY[100, pay]))") + "; " + notes, a: besideRows("70", "80"), b: besideRows("70", "70"), program: besideRank(75)},
		{what: "CHECK with a subscript", only: "postgres", ddl: with(", CHECK (rank < (ARRAY[10,20,30])[pay - 70])") + "; " + notes, a: besideRows("71", "71"), b: besideRows("71", "72"), program: besideRank(15)},
		{what: "unique expression with ARRAY", only: "postgres", ddl: people + "; " + notes + "; CREATE UNIQUE INDEX u ON people ((ARRAY[rank, pay]))", a: rows, b: besideRows("70", "70"), program: besideRank(1)},

		{what: "a generated column refers", ddl: people + "; " + fmt.Sprintf(besideNotes, "", ", p2 {int} GENERATED ALWAYS AS (person + 0) STORED REFERENCES people (id)") + "; " + rows,
			a: "INSERT INTO notes (id, person) VALUES (1, 1)", b: "INSERT INTO notes (id, person) VALUES (1, 2)", program: besideDelete, delete: true},
		{what: "a generated column is referred to", ddl: with(", g {int} GENERATED ALWAYS AS (rank + 100) STORED UNIQUE") + "; " + fmt.Sprintf(besideNotes, " REFERENCES people (g)", "") + "; " + rows,
			a: "INSERT INTO notes VALUES (1, 101, 0)", b: "INSERT INTO notes VALUES (1, 102, 0)", program: besideRank(7)},

		{what: "CHECK of a partition", only: "postgres", ddl: byID + "; CREATE TABLE p1 PARTITION OF people FOR VALUES FROM (0) TO (1000); ALTER TABLE p1 ADD CHECK (rank < pay); " + notes, a: rows, b: besideRows("70", "70"), program: besideRank(75)},
		{what: "a reference to a partition", only: "postgres", ddl: byID + "; CREATE TABLE p1 PARTITION OF people FOR VALUES FROM (0) TO (1000); " + fmt.Sprintf(besideNotes, " REFERENCES p1 (id)", "") + "; " + rows, a: n1, b: n2, program: besideDelete, delete: true},
		{what: "a reference to the whole of a partition that is written", only: "postgres", ddl: fmt.Sprintf(parted, "folk", "", ", PRIMARY KEY (id)", "RANGE (id)") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0) TO (1000); CREATE UNIQUE INDEX pk ON people (id); " + fmt.Sprintf(besideNotes, " REFERENCES folk (id)", "") + "; " + rows, a: n1, b: n2, program: besideDelete, delete: true},
		{what: "a partition of the labelled table refers", only: "postgres", ddl: people + "; CREATE TABLE notes (id bigint PRIMARY KEY, person bigint NOT NULL, kind bigint) PARTITION BY RANGE (id); CREATE TABLE n1 PARTITION OF notes FOR VALUES FROM (0) TO (1000); ALTER TABLE n1 ADD FOREIGN KEY (person) REFERENCES people (id); " + rows, a: n1, b: n2, program: besideDelete, delete: true},
		{what: "an heir of the labelled table refers", only: "postgres", ddl: people + "; " + notes + "; CREATE TABLE n1 (FOREIGN KEY (person) REFERENCES people (id)) INHERITS (notes); " + rows, a: "INSERT INTO n1 VALUES (1, 1, 0)", b: "INSERT INTO n1 VALUES (1, 2, 0)", program: besideDelete, delete: true},
		{what: "CHECK that is inherited", only: "postgres", ddl: strings.Replace(with(", CHECK (rank < pay)"), "TABLE people", "TABLE folk", 1) + "; CREATE TABLE people (PRIMARY KEY (id)) INHERITS (folk); " + notes, a: rows, b: besideRows("70", "70"), program: besideRank(75)},
		{what: "bounds of the partition that is written", only: "postgres", ddl: fmt.Sprintf(parted, "folk", " NOT NULL", "", "RANGE (rank, pay)") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0, 0) TO (10, 75); CREATE UNIQUE INDEX ON people (id); " + notes, a: besideRows("70", "74"), b: besideRows("70", "80"), program: besideRank(10)},
		{what: "bounds by an expression", only: "postgres", ddl: fmt.Sprintf(parted, "folk", " NOT NULL", "", "RANGE ((rank + pay))") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0) TO (100); CREATE UNIQUE INDEX ON people (id); " + notes, a: rows, b: besideRows("70", "70"), program: besideRank(25)},

		{what: "unique index INCLUDE", only: "postgres", ddl: people + "; " + notes + "; CREATE UNIQUE INDEX u ON people (name) INCLUDE (email)", a: rows, b: rows + long, program: fmt.Sprintf(besideLong, 2500)},
		{what: "UNIQUE (...) INCLUDE", only: "postgres", ddl: people + "; " + notes + "; ALTER TABLE people ADD UNIQUE (name) INCLUDE (email)", a: rows, b: rows + long, program: fmt.Sprintf(besideLong, 2500)},
		{what: "CHECK on the labelled column alone, NOT VALID", only: "postgres", ddl: people + "; " + notes + "; ?; ALTER TABLE people ADD CHECK (pay > 75) NOT VALID", a: rows, b: besideRows("70", "70"), program: besideRank(7)},

		{what: "an index of some rows, whose entry fails", only: "sqlite", ddl: people + "; " + notes + "; CREATE INDEX u ON people (json_extract(name, '$.a')) WHERE pay > 75; ?", program: "return people.where({ id: 2 }).update({ name: 'zz' }).catch(e => e.message)",
			a: "INSERT INTO people (id, boss, rank, name, pay) VALUES (2, NULL, 2, '{}', 70)", b: "INSERT INTO people (id, boss, rank, name, pay) VALUES (2, NULL, 2, '{}', 80)"},
		{what: "an entry of the labelled one, in an index of some rows", only: "sqlite", ddl: people + "; " + notes + "; CREATE INDEX u ON people (json_extract(email, '$.a')) WHERE rank > 5", a: rows, b: rows + "; UPDATE people SET email = '{}'", program: besideRank(6)},

		{what: "ON CONFLICT REPLACE deletes what is referred to", only: "sqlite", ddl: strings.Replace(people, "name TEXT NOT NULL", "name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE", 1) + "; " + fk + "; " + rows, a: n1, b: n2, replace: true,
			program: "return people.where({ id: 2 }).update({ name: 'ann' }).catch(e => e.message)"},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			if c.only != "" && c.only != e.Name {
				return
			}
			t.Run(c.what, func(t *testing.T) {
				if a, b := c.run(t, e, c.a, true), c.run(t, e, c.b, true); a != b {
					t.Errorf("%s\n  a: %.120s\n  b: %.120s", c.program[max(0, len(c.program)-110):], a, b)
				}
				if a, b := c.run(t, e, c.a, false), c.run(t, e, c.b, false); a == b {
					t.Errorf("where nothing is labelled it tells nothing, so it shows nothing: %.160s", a)
				}
			})
		})
	}
}

// TestHarmlessElsewhere: that one tool may write a table is not remembered for another tool, to which a column is granted that it would tell of.
func TestHarmlessElsewhere(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := besideCase{delete: true, apart: true}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(besidePeople, ""), fmt.Sprintf(besideNotes, " REFERENCES people (id)", ""), besideRows("70", "80"), "INSERT INTO notes VALUES (1, 1, 0)")})
		both := c.grants(db, true)
		run := func(grants codemode.Grants) string {
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), "return people.where({ id: 1000 }).delete().catch(e => e.message)")
			return string(r.JSON) + fail.GuestText(r.Err)
		}
		for range 2 {
			if got := run(codemode.Grants{"people": both["people"]}); got != "0" {
				t.Error("alone:", got)
			}
			if got := run(both); !strings.Contains(got, "has to look at it first") {
				t.Error("beside the labelled reference:", got)
			}
		}
	})
}

// TestViewBeside: the labelled column is declared of a view; the table under it, which is written, has a rule over it.
func TestViewBeside(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		type salary struct{ ID, Pay int64 }
		var got []string
		for _, pay := range []string{"80", "70"} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(besidePeople, ", CHECK (rank < pay)"), "CREATE VIEW salaries AS SELECT id, pay FROM people", besideRows("70", pay))})
			p, v := exosql.NewTable[besidePerson]("people"), exosql.NewTable[salary]("salaries")
			id := exosql.NewKey(p, "id", func(p *besidePerson) *int64 { return &p.ID })
			rank := exosql.NewColumn(p, "rank", func(p *besidePerson) *int64 { return &p.Rank })
			vid := exosql.NewKey(v, "id", func(p *salary) *int64 { return &p.ID })
			vpay := exosql.NewColumn(v, "pay", func(p *salary) *int64 { return &p.Pay }).WithLabel("pii")
			f := exosql.NewFacet(p, "person", id, rank).AllowUpdate(rank)
			f.Add(exosql.Via(exosql.One("salary", id, vid), exosql.NewFacet(v, "salary", vid, vpay)))
			tool, err := codemode.New(codemode.Grants{"people": f.Of(exosql.Grant(db, p, exosql.AllRows[besidePerson](), exosql.ScopeRows(v, exosql.AllRows[salary]())))}, &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), besideRank(75))
			got = append(got, string(r.JSON)+fail.GuestText(r.Err))
		}
		if got[0] != got[1] {
			t.Errorf("%q", got)
		}
	})
}

// TestPolicyBeside: a policy of the server (row-level security) says WITH CHECK over the labelled column and one that is written.
func TestPolicyBeside(t *testing.T) {
	e, role := tu.Postgres, newRole(t)
	var got []string
	for _, pay := range []string{"80", "70"} {
		url := e.URL(t)
		schema := tu.Param(t, url, "search_path")
		change(t, url, fmt.Sprintf(besidePeople, ""), fmt.Sprintf(besideNotes, "", ""), besideRows("70", pay), "ALTER TABLE people ENABLE ROW LEVEL SECURITY", "CREATE POLICY r ON people FOR SELECT USING (true)", "CREATE POLICY w ON people FOR UPDATE USING (true) WITH CHECK (rank < pay)",
			"GRANT USAGE ON SCHEMA "+schema+" TO "+role, "GRANT SELECT, INSERT, UPDATE, DELETE ON people, notes TO "+role)
		db := e.OpenURL(t, tu.AsUser(t, url, role), nil)
		tool, err := codemode.New((&besideCase{}).grants(db, true), &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), besideRank(75))
		got = append(got, string(r.JSON)+fail.GuestText(r.Err))
	}
	if got[0] != got[1] {
		t.Errorf("%q", got)
	}
}

// TestHookBeside: what a run has read of a label it writes into an unlabelled column, by a hook that fills one in the rows that it found:
// the first program's result admits pii, and the second, which admits nothing, reads what is left.
func TestHookBeside(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var got []string
		for _, pay := range []string{"80", "70"} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(besidePeople, ""), besideRows("70", pay))})
			p := exosql.NewTable[besidePerson]("people")
			id := exosql.NewKey(p, "id", func(p *besidePerson) *int64 { return &p.ID })
			rank := exosql.NewColumn(p, "rank", func(p *besidePerson) *int64 { return &p.Rank })
			pay := exosql.NewColumn(p, "pay", func(p *besidePerson) *int64 { return &p.Pay }).WithLabel("pii")
			email := exosql.NewColumn(p, "email", func(p *besidePerson) *string { return &p.Email }).WithLabel("pii")
			p.BeforeWrite(func(_ context.Context, w *exosql.Write[besidePerson]) error { w.Fill(rank.Set(99)); return nil }, rank) // as of a version, or who changed it last
			f := exosql.NewFacet(p, "person", id, rank, pay, email).AllowUpdate(email)
			grants := codemode.Grants{"people": f.Of(exosql.Grant(db, p, exosql.AllRows[besidePerson]()))}
			first, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii")})
			if err != nil {
				t.Fatal(err)
			}
			first.Run(t.Context(), "return people.where(p => p.pay > 75).update({ email: 'x' })")
			second, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded})
			if err != nil {
				t.Fatal(err)
			}
			r := second.Run(t.Context(), "return people.select(p => ({ id: p.id, rank: p.rank }))")
			got = append(got, string(r.JSON)+fail.GuestText(r.Err))
		}
		if got[0] != got[1] {
			t.Errorf("%q", got)
		}
	})
}
