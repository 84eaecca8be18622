package labels_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func rankPrograms(n int) string {
	return fmt.Sprintf("return people.where({ id: 2 }).update({ rank: %d }).catch(e => e.message)", n)
}

// TestLabelledBeside: rules by which a write tells of a labelled column that stand elsewhere: in another grant, in a partition or an heir, in a generated
// column, in what PostgreSQL writes in brackets. Each is a pair of databases that differ in labelled cells alone, for a program that names none; where
// nothing is labelled it tells them apart.
func TestLabelledBeside(t *testing.T) {
	tu.NotQuick(t)
	people, notes := fmt.Sprintf(kit.BesidePeople, ""), fmt.Sprintf(kit.BesideNotes, "", "")
	with := func(more string) string { return fmt.Sprintf(kit.BesidePeople, more) }
	n1, n2 := "INSERT INTO notes VALUES (1, 1, 0)", "INSERT INTO notes VALUES (1, 2, 0)"
	rows := kit.BesideRows("70", "80")
	fk := fmt.Sprintf(kit.BesideNotes, " REFERENCES people (id)", "")
	parted := "CREATE TABLE %s (id bigint%s, boss bigint, rank bigint NOT NULL, name TEXT NOT NULL, pay bigint NOT NULL, email TEXT NOT NULL DEFAULT 'x'%s) PARTITION BY %s"
	byID := fmt.Sprintf(parted, "people", "", ", PRIMARY KEY (id)", "RANGE (id)")
	long := "; UPDATE people SET email = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 30) AS i) WHERE id = 2"
	for _, c := range []kit.BesideCase{
		{What: "the reference is in another grant", DDL: people + "; " + fk + "; " + rows, A: n1, B: n2, Program: kit.BesideDelete, Delete: true, Apart: true},

		{What: "CHECK with ARRAY[...]", Only: "postgres", DDL: with(", CHECK (rank < ALL (ARRAY[100, pay]))") + "; " + notes, A: kit.BesideRows("70", "80"), B: kit.BesideRows("70", "70"), Program: rankPrograms(75)},
		{What: "CHECK with a subscript", Only: "postgres", DDL: with(", CHECK (rank < (ARRAY[10,20,30])[pay - 70])") + "; " + notes, A: kit.BesideRows("71", "71"), B: kit.BesideRows("71", "72"), Program: rankPrograms(15)},
		{What: "unique expression with ARRAY", Only: "postgres", DDL: people + "; " + notes + "; CREATE UNIQUE INDEX u ON people ((ARRAY[rank, pay]))", A: rows, B: kit.BesideRows("70", "70"), Program: rankPrograms(1)},

		{What: "a generated column refers", DDL: people + "; " + fmt.Sprintf(kit.BesideNotes, "", ", p2 {int} GENERATED ALWAYS AS (person + 0) STORED REFERENCES people (id)") + "; " + rows,
			A: "INSERT INTO notes (id, person) VALUES (1, 1)", B: "INSERT INTO notes (id, person) VALUES (1, 2)", Program: kit.BesideDelete, Delete: true},
		{What: "a generated column is referred to", DDL: with(", g {int} GENERATED ALWAYS AS (rank + 100) STORED UNIQUE") + "; " + fmt.Sprintf(kit.BesideNotes, " REFERENCES people (g)", "") + "; " + rows,
			A: "INSERT INTO notes VALUES (1, 101, 0)", B: "INSERT INTO notes VALUES (1, 102, 0)", Program: rankPrograms(7)},

		{What: "CHECK of a partition", Only: "postgres", DDL: byID + "; CREATE TABLE p1 PARTITION OF people FOR VALUES FROM (0) TO (1000); ALTER TABLE p1 ADD CHECK (rank < pay); " + notes, A: rows, B: kit.BesideRows("70", "70"), Program: rankPrograms(75)},
		{What: "a reference to a partition", Only: "postgres", DDL: byID + "; CREATE TABLE p1 PARTITION OF people FOR VALUES FROM (0) TO (1000); " + fmt.Sprintf(kit.BesideNotes, " REFERENCES p1 (id)", "") + "; " + rows, A: n1, B: n2, Program: kit.BesideDelete, Delete: true},
		{What: "a reference to the whole of a partition that is written", Only: "postgres", DDL: fmt.Sprintf(parted, "folk", "", ", PRIMARY KEY (id)", "RANGE (id)") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0) TO (1000); CREATE UNIQUE INDEX pk ON people (id); " + fmt.Sprintf(kit.BesideNotes, " REFERENCES folk (id)", "") + "; " + rows, A: n1, B: n2, Program: kit.BesideDelete, Delete: true},
		{What: "a partition of the labelled table refers", Only: "postgres", DDL: people + "; CREATE TABLE notes (id bigint PRIMARY KEY, person bigint NOT NULL, kind bigint) PARTITION BY RANGE (id); CREATE TABLE n1 PARTITION OF notes FOR VALUES FROM (0) TO (1000); ALTER TABLE n1 ADD FOREIGN KEY (person) REFERENCES people (id); " + rows, A: n1, B: n2, Program: kit.BesideDelete, Delete: true},
		{What: "an heir of the labelled table refers", Only: "postgres", DDL: people + "; " + notes + "; CREATE TABLE n1 (FOREIGN KEY (person) REFERENCES people (id)) INHERITS (notes); " + rows, A: "INSERT INTO n1 VALUES (1, 1, 0)", B: "INSERT INTO n1 VALUES (1, 2, 0)", Program: kit.BesideDelete, Delete: true},
		{What: "CHECK that is inherited", Only: "postgres", DDL: strings.Replace(with(", CHECK (rank < pay)"), "TABLE people", "TABLE folk", 1) + "; CREATE TABLE people (PRIMARY KEY (id)) INHERITS (folk); " + notes, A: rows, B: kit.BesideRows("70", "70"), Program: rankPrograms(75)},
		{What: "bounds of the partition that is written", Only: "postgres", DDL: fmt.Sprintf(parted, "folk", " NOT NULL", "", "RANGE (rank, pay)") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0, 0) TO (10, 75); CREATE UNIQUE INDEX ON people (id); " + notes, A: kit.BesideRows("70", "74"), B: kit.BesideRows("70", "80"), Program: rankPrograms(10)},
		{What: "bounds by an expression", Only: "postgres", DDL: fmt.Sprintf(parted, "folk", " NOT NULL", "", "RANGE ((rank + pay))") + "; CREATE TABLE people PARTITION OF folk FOR VALUES FROM (0) TO (100); CREATE UNIQUE INDEX ON people (id); " + notes, A: rows, B: kit.BesideRows("70", "70"), Program: rankPrograms(25)},

		{What: "unique index INCLUDE", Only: "postgres", DDL: people + "; " + notes + "; CREATE UNIQUE INDEX u ON people (name) INCLUDE (email)", A: rows, B: rows + long, Program: fmt.Sprintf(kit.BesideLong, 2500)},
		{What: "UNIQUE (...) INCLUDE", Only: "postgres", DDL: people + "; " + notes + "; ALTER TABLE people ADD UNIQUE (name) INCLUDE (email)", A: rows, B: rows + long, Program: fmt.Sprintf(kit.BesideLong, 2500)},
		{What: "CHECK on the labelled column alone, NOT VALID", Only: "postgres", DDL: people + "; " + notes + "; ?; ALTER TABLE people ADD CHECK (pay > 75) NOT VALID", A: rows, B: kit.BesideRows("70", "70"), Program: rankPrograms(7)},

		{What: "an index of some rows, whose entry fails", Only: "sqlite", DDL: people + "; " + notes + "; CREATE INDEX u ON people (json_extract(name, '$.a')) WHERE pay > 75; ?", Program: "return people.where({ id: 2 }).update({ name: 'zz' }).catch(e => e.message)",
			A: "INSERT INTO people (id, boss, rank, name, pay) VALUES (2, NULL, 2, '{}', 70)", B: "INSERT INTO people (id, boss, rank, name, pay) VALUES (2, NULL, 2, '{}', 80)"},
		{What: "an entry of the labelled one, in an index of some rows", Only: "sqlite", DDL: people + "; " + notes + "; CREATE INDEX u ON people (json_extract(email, '$.a')) WHERE rank > 5", A: rows, B: rows + "; UPDATE people SET email = '{}'", Program: rankPrograms(6)},

		{What: "ON CONFLICT REPLACE deletes what is referred to", Only: "sqlite", DDL: strings.Replace(people, "name TEXT NOT NULL", "name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE", 1) + "; " + fk + "; " + rows, A: n1, B: n2, Replace: true,
			Program: "return people.where({ id: 2 }).update({ name: 'ann' }).catch(e => e.message)"},
	} {
		tu.Engines(t, func(t *testing.T, e tu.Engine) {
			if c.Only != "" && c.Only != e.Name {
				return
			}
			t.Run(c.What, func(t *testing.T) {
				if e.Name == tu.Postgres.Name && !tu.OneIn(t, 2).Next() {
					return // there each world is a schema that is made
				}
				if a, b := c.Run(t, e, c.A, true), c.Run(t, e, c.B, true); a != b {
					t.Errorf("%s\n  a: %.120s\n  b: %.120s", c.Program[max(0, len(c.Program)-110):], a, b)
				}
				if a, b := c.Run(t, e, c.A, false), c.Run(t, e, c.B, false); a == b {
					t.Errorf("where nothing is labelled it tells nothing, so it shows nothing: %.160s", a)
				}
			})
		})
	}
}

// TestHarmlessElsewhere: that one tool may write a table is not remembered for another tool, to which a column is granted that it would tell of.
func TestHarmlessElsewhere(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := kit.BesideCase{Delete: true, Apart: true}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(kit.BesidePeople, ""), fmt.Sprintf(kit.BesideNotes, " REFERENCES people (id)", ""), kit.BesideRows("70", "80"), "INSERT INTO notes VALUES (1, 1, 0)")})
		both := c.Grants(db, true)
		run := func(grants codemode.Grants) string {
			tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
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
			if got := run(both); !strings.Contains(got, "has to change or permit something first") {
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
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(kit.BesidePeople, ", CHECK (rank < pay)"), "CREATE VIEW salaries AS SELECT id, pay FROM people", kit.BesideRows("70", pay))})
			p, v := exosql.NewTable[kit.BesidePerson]("people"), exosql.NewTable[salary]("salaries")
			id := exosql.NewKey(p, "id", func(p *kit.BesidePerson) *int64 { return &p.ID })
			rank := exosql.NewColumn(p, "rank", func(p *kit.BesidePerson) *int64 { return &p.Rank })
			vid := exosql.NewKey(v, "id", func(p *salary) *int64 { return &p.ID })
			vpay := exosql.NewColumn(v, "pay", func(p *salary) *int64 { return &p.Pay }).WithLabel("pii")
			f := exosql.NewFacet(p, "person", id, rank).AllowUpdate(rank)
			f.Add(exosql.Via(exosql.One("salary", id, vid), exosql.NewFacet(v, "salary", vid, vpay)))
			tool, err := codemode.New(codemode.Grants{"people": f.Of(exosql.Grant(db, p, exosql.AllRows[kit.BesidePerson](), exosql.ScopeRows(v, exosql.AllRows[salary]())))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), rankPrograms(75))
			got = append(got, string(r.JSON)+fail.GuestText(r.Err))
		}
		if got[0] != got[1] {
			t.Errorf("%q", got)
		}
	})
}

// TestPolicyBeside: a policy of the server (row-level security) says WITH CHECK over the labelled column and one that is written.
func TestPolicyBeside(t *testing.T) {
	e, role := tu.Postgres, kit.NewRole(t)
	var got []string
	for _, pay := range []string{"80", "70"} {
		url := e.URL(t)
		schema := tu.Param(t, url, "search_path")
		kit.Change(t, url, fmt.Sprintf(kit.BesidePeople, ""), fmt.Sprintf(kit.BesideNotes, "", ""), kit.BesideRows("70", pay), "ALTER TABLE people ENABLE ROW LEVEL SECURITY", "CREATE POLICY r ON people FOR SELECT USING (true)", "CREATE POLICY w ON people FOR UPDATE USING (true) WITH CHECK (rank < pay)",
			"GRANT USAGE ON SCHEMA "+schema+" TO "+role, "GRANT SELECT, INSERT, UPDATE, DELETE ON people, notes TO "+role)
		db := e.OpenURL(t, tu.AsUser(t, url, role), nil)
		tool, err := codemode.New((&kit.BesideCase{}).Grants(db, true), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), rankPrograms(75))
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
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(fmt.Sprintf(kit.BesidePeople, ""), kit.BesideRows("70", pay))})
			p := exosql.NewTable[kit.BesidePerson]("people")
			id := exosql.NewKey(p, "id", func(p *kit.BesidePerson) *int64 { return &p.ID })
			rank := exosql.NewColumn(p, "rank", func(p *kit.BesidePerson) *int64 { return &p.Rank })
			pay := exosql.NewColumn(p, "pay", func(p *kit.BesidePerson) *int64 { return &p.Pay }).WithLabel("pii")
			email := exosql.NewColumn(p, "email", func(p *kit.BesidePerson) *string { return &p.Email }).WithLabel("pii")
			p.BeforeWrite(func(_ context.Context, w *exosql.Write[kit.BesidePerson]) error { w.Fill(rank.Set(99)); return nil }, rank) // as of a version, or who changed it last
			f := exosql.NewFacet(p, "person", id, rank, pay, email).AllowUpdate(email)
			grants := codemode.Grants{"people": f.Of(exosql.Grant(db, p, exosql.AllRows[kit.BesidePerson]()))}
			first, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel("pii"), Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			first.Run(t.Context(), "return people.where(p => p.pay > 75).update({ email: 'x' })")
			second, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
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
