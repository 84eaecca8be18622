package values_test

// This file checks what databases of ordinary applications showed: times of microseconds, tables without a key, and rules that a write of
// the same table breaks.

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema"
)

// TestFinerTimes: a column of PostgreSQL that is declared to hold milliseconds is looked at. The twin holds them.
func TestFinerTimes(t *testing.T) {
	type row struct {
		ID int64
		At time.Time
	}
	for at, finer := range map[string]bool{"2024-01-02 03:04:05.123456": true, "2024-01-02 03:04:05.123": false, "infinity": false} {
		db, _ := kit.File(t, tu.Postgres, "CREATE TABLE seen (id bigint PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE other (id bigint, at timestamp); INSERT INTO seen VALUES (1, '"+at+"'); INSERT INTO other VALUES (1, '2024-01-02 03:04:05.123456')")
		for _, iso := range []bool{true, false} {
			seen := exosql.NewTable[row]("seen")
			id, time := exosql.NewKey(seen, "id", func(o *row) *int64 { return &o.ID }), exosql.NewColumn(seen, "at", func(o *row) *time.Time { return &o.At })
			if iso {
				time = time.StoredISO()
			}
			found, err := exosql.Findings(t.Context(), db, exosql.Granted(exosql.NewFacet(seen, "seen", id, time).Of(exosql.Grant(db, seen, exosql.AllRows[row]()))))
			if err != nil {
				t.Fatal(err)
			}
			if is := slices.ContainsFunc(found, func(f exosql.Finding) bool {
				return f.Column == "at" && strings.Contains(f.Problem, "finer than a millisecond")
			}); is != (finer && iso) {
				t.Errorf("%s, StoredISO %v: %v", at, iso, found)
			}
		}
	}
}

// TestFinerTimesOfARole: the look finds them with the rights of the role that exo validate proposes, which are of columns.
func TestFinerTimesOfARole(t *testing.T) {
	type row struct {
		ID int64
		At time.Time
	}
	url, role := tu.Postgres.URL(t), kit.NewRole(t)
	kit.Change(t, url, "CREATE TABLE seen (id bigint PRIMARY KEY, at timestamptz NOT NULL, secret text)", "CREATE TABLE hidden (id bigint PRIMARY KEY, at timestamptz)",
		"INSERT INTO seen VALUES (1, '2024-01-02 03:04:05.123456')", "GRANT USAGE ON SCHEMA "+tu.Param(t, url, "search_path")+" TO "+role, "GRANT SELECT (id, at) ON seen TO "+role)
	db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, role), nil)
	seen := exosql.NewTable[row]("seen")
	id, at := exosql.NewKey(seen, "id", func(o *row) *int64 { return &o.ID }), exosql.NewColumn(seen, "at", func(o *row) *time.Time { return &o.At }).StoredISO()
	found, err := exosql.Findings(t.Context(), db, exosql.Granted(exosql.NewFacet(seen, "seen", id, at).Of(exosql.Grant(db, seen, exosql.AllRows[row]()))))
	if err != nil || !slices.ContainsFunc(found, func(f exosql.Finding) bool { return strings.Contains(f.Problem, "finer than a millisecond") }) {
		t.Errorf("%v %v", found, err)
	}
}

// TestFinerTimesBesideOneThatFails: where one table can't be read, the others are looked at all the same, and it is named. The twin: nothing locks it.
func TestFinerTimesBesideOneThatFails(t *testing.T) {
	type row struct {
		ID int64
		At time.Time
	}
	url := tu.Postgres.URL(t)
	kit.Change(t, url, "CREATE TABLE held (id bigint PRIMARY KEY, at timestamptz NOT NULL)", "CREATE TABLE seen (id bigint PRIMARY KEY, at timestamptz NOT NULL)", "INSERT INTO seen VALUES (1, '2024-01-02 03:04:05.123456')")
	db, opened := tu.Postgres.SQLDB(t, tu.WithParam(t, url, "lock_timeout", "100")), tu.Postgres.OpenURL(t, url, nil)
	for _, held := range []bool{true, false} {
		lock, err := tu.Postgres.SQLDB(t, url).BeginTx(t.Context(), nil)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(err)
		if held {
			_, err = lock.ExecContext(t.Context(), "LOCK TABLE held")
			must(err)
		}
		tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
		must(err)
		live, err := schema.ReadPostgres(t.Context(), tx, tu.Param(t, url, "search_path"))
		must(err)
		must(live.LookAtTimes(t.Context(), tx))
		must(tx.Rollback())
		must(lock.Rollback())
		var got []string
		for _, rows := range []*exosql.Table[row]{exosql.NewTable[row]("held"), exosql.NewTable[row]("seen")} {
			exosql.NewKey(rows, "id", func(o *row) *int64 { return &o.ID })
			exosql.NewColumn(rows, "at", func(o *row) *time.Time { return &o.At }).StoredISO()
			found, err := exosql.CatalogFindings(opened, live, rows)
			must(err)
			for _, f := range found {
				got = append(got, f.Table+"."+f.Column+" "+f.Problem)
			}
		}
		all := strings.Join(got, "\n")
		if strings.Contains(all, "held.at the table could not be read") != held || !strings.Contains(all, "seen.at 1 of the cells") || len(got) != map[bool]int{true: 2, false: 1}[held] {
			t.Errorf("held %v: %q", held, got)
		}
	}
}

// TestViewsOfAnyName: a view is read whatever its name is, and one that is made of it, alone, sorted, counted and through the program's own condition.
func TestViewsOfAnyName(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, `CREATE TABLE "Base Rows" ("Row ID" {int} PRIMARY KEY, "Name" TEXT, n {int} DEFAULT (abs(5)), "order" {int})`,
			`CREATE VIEW "Some Rows" AS SELECT "Row ID", "Name", coalesce("order", 0) AS "order" FROM "Base Rows" WHERE n > 1`, `CREATE VIEW "Fewer" AS SELECT "Row ID", "Name" FROM "Some Rows" WHERE "order" > 1`,
			`INSERT INTO "Base Rows" VALUES (1, 'a', 5, 1), (2, 'b', 1, 2), (3, 'c', 5, 3)`)
		live, err := db.Catalog(t.Context())
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(err)
		d, grants := dynamic.New(live), codemode.Grants{}
		for grant, name := range map[string]string{"some": "Some Rows", "fewer": "Fewer"} {
			view, err := d.Table(name, dynamic.ColumnSpec{Name: "Row ID", As: "rowId", Key: true})
			must(err)
			f, err := view.Facet(grant+"Row", "Row ID", "Name")
			must(err)
			grants[grant], err = f.Grant(db, dynamic.AllRows())
			must(err)
		}
		tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		must(err)
		for program, want := range map[string]string{"some": `[{"rowId":1,"Name":"a"},{"rowId":3,"Name":"c"}]`, "fewer": `[{"rowId":3,"Name":"c"}]`, "[await some.count(), await fewer.count()]": `[2,1]`,
			"some.where(r => r.Name > 'a').orderBy(r => r.Name).select(r => r.rowId)": `[3]`, "fewer.max(r => r.Name)": `"c"`, "some.groupBy(r => r.Name).select(g => g.count())": `[1,1]`} {
			if r := tool.Run(t.Context(), "return "+program); r.Err != nil || string(r.JSON) != want {
				t.Errorf("%s: %s %v", program, r.JSON, r.Err)
			}
		}
	})
}

// TestIndexIsAskedForOnce: once the index is there that a report asks for, it asks for no other with the same columns.
func TestIndexIsAskedForOnce(t *testing.T) {
	type row struct {
		ID, Org int64
		Path    string
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		ddl := "CREATE TABLE views (org_id {int} NOT NULL, path TEXT NOT NULL); INSERT INTO views (org_id, path) VALUES (1, 'a'), (2, 'b');"
		for n := 0; ; n++ {
			db, _ := kit.File(t, e, kit.BreaksDDL(e, ddl))
			views := exosql.NewTable[row]("views")
			if e.Name == tu.SQLite.Name {
				exosql.NewKey(views, "rowid", func(o *row) *int64 { return &o.ID }) // as a grant file declares it
			} else {
				views.Keyless()
			}
			org, path := exosql.NewColumn(views, "org_id", func(o *row) *int64 { return &o.Org }), exosql.NewColumn(views, "path", func(o *row) *string { return &o.Path })
			paths, err := exosql.AccessPaths(t.Context(), exosql.NewFacet(views, "view", path).Of(exosql.Grant(db, views, org.Eq(1))))
			if err != nil {
				t.Fatal(err)
			}
			asked := ""
			for _, p := range paths {
				if p.Fix != nil && p.Fix.Index != nil {
					asked += p.Fix.SQL() + ";"
				}
			}
			if asked == "" {
				break
			}
			if ddl += asked; n > 2 {
				t.Fatalf("asked for again: %s", ddl)
			}
		}
		if strings.Contains(ddl, "_2") {
			t.Errorf("asked for twice: %s", ddl)
		}
	})
}

// TestRowidServesRanges: a key that is SQLite's rowid is searched by it in a range, and no index is asked for. The twin: another column wants one.
func TestRowidServesRanges(t *testing.T) {
	type row struct{ ID, N int64 }
	db, _ := kit.File(t, tu.SQLite, "CREATE TABLE things (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
	things := exosql.NewTable[row]("things")
	id, n := exosql.NewKey(things, "id", func(o *row) *int64 { return &o.ID }), exosql.NewColumn(things, "n", func(o *row) *int64 { return &o.N })
	paths, err := exosql.AccessPaths(t.Context(), exosql.NewFacet(things, "thing", id, n).Of(exosql.Grant(db, things, exosql.AllRows[row]())))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, p := range paths {
		if p.Fix != nil {
			asked[p.Column] = true
		}
	}
	if asked["id"] || !asked["n"] {
		t.Errorf("%v", paths)
	}
}

// TestBrokenOfOwnTable: a deleted row that another row of its table refers to is named by what that refers to, and an exclusion by the
// columns that may not overlap.
func TestBrokenOfOwnTable(t *testing.T) {
	type row struct {
		ID, Org int64
		Boss    *int64
		Room    string
	}
	e := tu.Postgres
	db, _ := kit.File(t, e, kit.BreaksDDL(e, "CREATE TABLE people (id {serial}, org_id {int} NOT NULL, boss_id {int} REFERENCES people, room TEXT NOT NULL, CONSTRAINT rooms EXCLUDE USING btree (org_id WITH =, lower(room) WITH =)); CREATE INDEX ON people (org_id); INSERT INTO people (id, org_id, boss_id, room) VALUES (1, 1, NULL, 'a'), (2, 1, 1, 'b')"))
	people := exosql.NewTable[row]("people")
	id, org := exosql.NewKey(people, "id", func(o *row) *int64 { return &o.ID }), exosql.NewColumn(people, "org_id", func(o *row) *int64 { return &o.Org })
	boss, room := exosql.NewNullable(people, "boss_id", func(o *row) **int64 { return &o.Boss }), exosql.NewColumn(people, "room", func(o *row) *string { return &o.Room })
	tool := kit.BreaksTool(t, codemode.Grants{"people": exosql.NewFacet(people, "person", id, boss, room).AllowUpdate(room).AllowDelete().Of(exosql.Grant(db, people, org.Eq(1)))})
	for _, c := range [][2]string{
		{`people.where({ id: 1 }).delete()`, "`id` is referred to by other rows"},
		{`people.where({ id: 1 }).update({ room: "B" })`, "`room` is taken: this row may not overlap another row"},
		{`people.where({ id: 2 }).delete()`, ""},
	} {
		program, want := c[0], c[1]
		res := tool.Run(t.Context(), "return "+program)
		if got := fmt.Sprint(res.Err); want == "" && res.Err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", program, got, want)
		}
	}
}

// TestUnreadColumns: cells in no form are a fault of a column that programs read, and of a table that is checked without a grant.
func TestUnreadColumns(t *testing.T) {
	type row struct {
		ID   int64
		Done *bool
	}
	db, _ := kit.File(t, tu.SQLite, "CREATE TABLE u (id INTEGER PRIMARY KEY, done BOOLEAN); INSERT INTO u VALUES (1, 'yes'), (2, 'no')")
	u := exosql.NewTable[row]("u")
	id, done := exosql.NewKey(u, "id", func(o *row) *int64 { return &o.ID }), exosql.NewNullable(u, "done", func(o *row) **bool { return &o.Done })
	object := func(f *exosql.Facet[row]) exosql.Declared {
		return exosql.Granted(f.Of(exosql.Grant(db, u, exosql.AllRows[row]())))
	}
	for what, c := range map[string]struct {
		of    exosql.Declared
		fault bool
	}{"not read": {object(exosql.NewFacet(u, "u", id)), false}, "read": {object(exosql.NewFacet(u, "u", id, done)), true}, "without a grant": {u, true}} {
		found, err := exosql.Findings(t.Context(), db, c.of)
		if err != nil || c.fault != slices.ContainsFunc(found, func(f exosql.Finding) bool { return f.Kind == exosql.OtherForm && !f.Warning }) {
			t.Errorf("%s: %v %v", what, found, err)
		}
	}
}
