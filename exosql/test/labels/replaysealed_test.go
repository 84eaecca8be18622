package labels_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type rsPerson struct {
	ID          int64
	Name, Email string
}

// TestReplayTellsNothing: a unit that was read in vain is run again where all answers are the same. Whether a sealed value is the same is
// not among what decides it: a second program of the same attacker would change it to what it guesses while the first one runs.
func TestReplayTellsNothing(t *testing.T) {
	tu.NotQuick(t)
	// On SQLite the two have a connection each, to a file.
	run := func(t *testing.T, e tu.Engine, label, admits, email string, images int, program string) string {
		t.Helper()
		url := e.URL(t)
		if e.Name == tu.SQLite.Name {
			url = "sqlite:" + t.TempDir() + "/x.db"
		}
		db := e.OpenURL(t, url, &exosql.OpenOptions{Images: images, Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)", fmt.Sprintf("INSERT INTO people VALUES (1, 'ann', '%s'), (2, 'bob', 'b')", email))})
		p := exosql.NewTable[rsPerson]("people")
		id := exosql.NewKey(p, "id", func(p *rsPerson) *int64 { return &p.ID })
		name := exosql.NewColumn(p, "name", func(p *rsPerson) *string { return &p.Name })
		em := exosql.NewColumn(p, "email", func(p *rsPerson) *string { return &p.Email })
		if label != "" {
			em.WithLabel(label)
		}
		people := exosql.NewFacet(p, "person", id, name, em).AllowUpdate(name, em).Of(exosql.Grant(db, p, exosql.AllRows[rsPerson]()))
		second := kit.BreaksTool(t, codemode.Grants{"people": people})
		clock, err := service.New("clock", "waits", service.Read("wait", "waits", func(context.Context, service.None) (service.None, error) {
			if r := second.Run(context.Background(), "return people.where({ id: 1 }).update({ email: 'guess' })"); r.Err != nil {
				t.Errorf("the second: %v", r.Err)
			}
			return service.None{}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		first, err := codemode.New(codemode.Grants{"people": people, "clock": clock}, &codemode.Options{Record: exo.Unrecorded, Admits: value.NewLabel(strings.Fields(admits)...), Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		r := first.Run(t.Context(), program)
		return string(r.JSON) + fail.KindOf(r.Err).String()
	}
	const shows = "const p = await people.orderBy(p => p.id); await clock.wait(); await people.where({ id: 1 }).update({ name: 'bo' }); return p.length"
	const names = "await people.select(p => p.name); await clock.wait(); await people.where({ id: 1 }).update({ name: 'bo' }); return 1"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, c := range []struct {
			what, label, admits, program string
			images                       int
			same                         bool
		}{
			{"a sealed cell", "pii", "", shows, 0, true},
			{"an image", "pii", "", names, 10, true},
			{"no label", "", "", shows, 0, false},
			{"who may be told it, and others not", "pii", "pii", shows, 0, true},
			{"a program that shows none of it", "pii", "", names, 0, true},
		} {
			guessed, other := run(t, e, c.label, c.admits, "guess", c.images, c.program), run(t, e, c.label, c.admits, "other", c.images, c.program)
			if (guessed == other) != c.same {
				t.Errorf("%s: %q where the guess was right, and %q where it was not", c.what, guessed, other)
			}
			if c.program == names && c.images == 0 && !strings.HasPrefix(guessed, "1") {
				t.Errorf("%s: it is not run again: %s", c.what, guessed)
			}
		}
	})
}

// TestImagesOfOddCells: with OpenOptions.Images, that a labelled cell holds what its column can't keeps no row from being written.
func TestImagesOfOddCells(t *testing.T) {
	tu.NotQuick(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		odd := map[string][]string{"float": {"'x'", "9e999"}, "TEXT": {"'a' || char(0) || 'b'"}, "DATETIME": {"'x'"}, "BOOLEAN": {"5"}}
		plain := map[string]string{"float": "1", "TEXT": "'a'", "DATETIME": "'2024-01-01 00:00:00'", "BOOLEAN": "1"}
		if e.Name == tu.Postgres.Name {
			odd = map[string][]string{"double precision": {"'NaN'", "'Infinity'"}, "timestamptz": {"'infinity'", "'0044-01-01 BC'"}, "int[]": {"'{{1,2},{3,4}}'"}, "json": {`'{"a":"\u0000"}'`}, "text": {"repeat('x', 2000000)"}}
			plain = map[string]string{"double precision": "1", "timestamptz": "'2024-01-01'", "int[]": "'{1}'", "json": "'{}'", "text": "'a'"}
		}
		run := func(typ, value string, label []string, program string) string {
			db := e.OpenWith(t, &exosql.OpenOptions{Images: 10, Setup: e.Exec("CREATE TABLE x (id {int} PRIMARY KEY, n {int} NOT NULL, s "+typ+")", "INSERT INTO x VALUES (1, 5, "+value+")")})
			live, err := db.Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			table, err := dynamic.New(live).Table("x", dynamic.ColumnSpec{Name: "s", Label: label})
			if err != nil {
				t.Fatal(err)
			}
			f, err := table.Facet("item", "id", "n", "s")
			if err == nil {
				err = f.AllowUpdate("n")
			}
			if err == nil {
				err = f.AllowDelete()
			}
			if err != nil {
				t.Fatal(err)
			}
			o, err := f.Grant(db, dynamic.AllRows())
			if err != nil {
				t.Fatal(err)
			}
			r := kit.BreaksTool(t, codemode.Grants{"items": o}).Run(t.Context(), program)
			return string(r.JSON) + fail.KindOf(r.Err).String()
		}
		told, share := 0, tu.OneIn(t, 3)
		for _, typ := range slices.Sorted(maps.Keys(odd)) {
			values := odd[typ]
			usual := map[string]string{}
			for _, v := range values {
				for _, program := range []string{"return items.where({ id: 1 }).update({ n: 9 })", "return items.where({ id: 1 }).delete()", "return items.all().update(i => ({ n: i.n + 1 }))"} {
					if !share.Next(typ) {
						continue
					}
					if usual[program] == "" {
						usual[program] = run(typ, plain[typ], []string{"pii"}, program)
					}
					if a, b := usual[program], run(typ, v, []string{"pii"}, program); a != b {
						t.Errorf("%s %.30s: %s: %s, and else %s", typ, v, program, b, a)
					}
				}
				if usual["unlabelled"] == "" {
					usual["unlabelled"] = run(typ, plain[typ], nil, "return items.where({ id: 1 }).update({ n: 9 })")
				}
				if usual["unlabelled"] != run(typ, v, nil, "return items.where({ id: 1 }).update({ n: 9 })") {
					told++
				}
			}
		}
		if told > 0 {
			t.Errorf("where nothing is labelled %d of them are refused", told)
		}
	})
}

// TestOddCellsOpen: also where a statement runs without fences, what a labelled cell holds doesn't show.
func TestOddCellsOpen(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		var got []string
		for _, v := range []string{"1", e.Pick("'x'", "'NaN'")} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE x (id {int} PRIMARY KEY, org_id {int} NOT NULL, n {int} NOT NULL, s "+e.Pick("REAL", "double precision")+" NOT NULL)", "CREATE INDEX x_org ON x (org_id)", "INSERT INTO x VALUES (1, 1, 5, "+v+"), (2, 2, 6, 1)")})
			live, err := db.Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			table, err := dynamic.New(live).Table("x", dynamic.ColumnSpec{Name: "s", Label: []string{"pii"}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := table.Facet("item", "id", "n", "s")
			if err != nil {
				t.Fatal(err)
			}
			o, err := f.Grant(db, dynamic.Eq("org_id", 1))
			if err != nil {
				t.Fatal(err)
			}
			r := kit.BreaksTool(t, codemode.Grants{"items": o}).Run(t.Context(), "return items.where(i => i.n > 1 && i.n + 1 < 100)")
			got = append(got, string(r.JSON)+fail.KindOf(r.Err).String()+fail.GuestText(r.Err))
		}
		if got[0] != got[1] {
			t.Error(fmt.Sprint(got))
		}
	})
}

// TestNumberedTells: a number that the database gives may be one that a row came with, so a key over it and a labelled column tells of it.
func TestNumberedTells(t *testing.T) {
	e := tu.Postgres
	run := func(label []string, band int) string {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE x (id bigint PRIMARY KEY, num bigint GENERATED BY DEFAULT AS IDENTITY, band bigint NOT NULL, UNIQUE (num, band))", fmt.Sprintf("INSERT INTO x VALUES (1, 1, %d)", band))})
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		table, err := dynamic.New(live).Table("x", dynamic.ColumnSpec{Name: "band", Label: label})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Facet("item", "id", "num", "band")
		if err == nil {
			err = f.AllowInsert("id", "band")
		}
		if err == nil {
			err = f.Permit("unique(id)")
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := f.Grant(db, dynamic.AllRows())
		if err != nil {
			t.Fatal(err)
		}
		r := kit.BreaksTool(t, codemode.Grants{"items": o}).Run(t.Context(), "return items.insert({ id: 100, band: 3 }).then(i => i.num)")
		return string(r.JSON) + fmt.Sprint(r.Err)
	}
	if a, b := run([]string{"pii"}, 3), run([]string{"pii"}, 7); a != b || !strings.Contains(a, `"reveals unique(num, band)"`) {
		t.Errorf("%s, %s", a, b)
	}
	if a, b := run(nil, 3), run(nil, 7); a == b {
		t.Errorf("where nothing is labelled: %s, %s", a, b)
	}
}

// TestFilledIsSealed: what a hook of the host fills in a labelled column comes back sealed, and counts as much as its column may take.
func TestFilledIsSealed(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		run := func(label bool, email string, bytes int) string {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE people (id {int} PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)")})
			p := exosql.NewTable[rsPerson]("people")
			id := exosql.NewKey(p, "id", func(p *rsPerson) *int64 { return &p.ID })
			name := exosql.NewColumn(p, "name", func(p *rsPerson) *string { return &p.Name })
			em := exosql.NewColumn(p, "email", func(p *rsPerson) *string { return &p.Email })
			if label {
				em.WithLabel("pii")
			}
			p.BeforeWrite(func(_ context.Context, w *exosql.Write[rsPerson]) error { w.Fill(em.Set(email)); return nil }, em)
			tool, err := codemode.New(codemode.Grants{"people": exosql.NewFacet(p, "person", id, name, em).AllowInsert(id, name).Permit(exosql.AllowUnique("id")).Of(exosql.Grant(db, p, exosql.AllRows[rsPerson]()))}, &codemode.Options{Record: exo.Unrecorded, Limits: exo.Limits{Bytes: bytes}, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), "return people.insert({ id: 1, name: 'x' })")
			return string(r.JSON) + fail.GuestText(r.Err)
		}
		for _, bytes := range []int{500, 1300, 5000} {
			if a, b := run(true, "a", bytes), run(true, strings.Repeat("a", 1000), bytes); a != b {
				t.Errorf("%d bytes: %s, and %s", bytes, a, b)
			}
		}
		if a, b := run(false, "a", 500), run(false, strings.Repeat("a", 1000), 500); a == b {
			t.Errorf("where nothing is labelled: %s, and %s", a, b)
		}
	})
}
