package exosql_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// What a column can't hold is null to a program, with a notice, and an error for Go code. What contradicts the declaration otherwise is an
// error for the host; the program reads one word, and never the value.
func TestWrongDeclarations(t *testing.T) {
	for name, change := range map[string]string{
		"text in an int":     "UPDATE tasks SET priority = 'SECRET' WHERE id = 1001",
		"float in an int":    "UPDATE tasks SET priority = 12345.678 WHERE id = 1001",
		"blob in a text":     "UPDATE tasks SET title = x'534543524554' WHERE id = 1001",
		"int in a text":      "ALTER TABLE tasks DROP COLUMN title; ALTER TABLE tasks ADD COLUMN title; UPDATE tasks SET title = 12345678",
		"text in a bool":     "UPDATE tasks SET done = 'SECRET' WHERE id = 1001",
		"2 in a bool":        "UPDATE tasks SET done = 2 WHERE id = 1001",
		"text in a time":     "UPDATE tasks SET due_at = 'SECRET' WHERE id = 1001",
		"number in a time":   "UPDATE tasks SET due_at = x'00' WHERE id = 1001",
		"NULL in a not null": "ALTER TABLE tasks DROP COLUMN title; ALTER TABLE tasks ADD COLUMN title TEXT",
		"NUL in a text":      "UPDATE tasks SET title = 'SECRET' || char(0) || 'x' WHERE id = 1001",
		"no UTF-8 in a text": "UPDATE tasks SET title = CAST(x'ff534543524554' AS TEXT) WHERE id = 1001",
		"no such column":     "ALTER TABLE tasks DROP COLUMN title",
		"no such table":      "ALTER TABLE tasks RENAME TO SECRET",
	} {
		t.Run(name, func(t *testing.T) {
			db := tu.OpenWith(t, change)
			r := tu.As(t, db, tu.Acme, exo.Limits{})
			o := r.Run(t, "return await tasks.execute()")
			row := strings.Contains(name, " in a")
			noticed := regexp.MustCompile("^tasks.execute: `(priority|title|done|dueAt)` has [15] values in this answer that are not of the type (int|text|bool|time) in the database; they are null here$").MatchString(strings.Join(o.Result.Notices, "; "))
			if row && (o.Result.Err != nil || !noticed || !strings.Contains(o.JSON, "null")) || !row && (o.Kind != fail.Internal || o.Message != "tasks.execute: internal error") {
				t.Errorf("got %s, %q", o, o.Result.Notices)
			}
			if s := o.Visible(); strings.Contains(s, "SECRET") || strings.Contains(s, "12345") || strings.Contains(s, "declared") || strings.Contains(s, "SQL") {
				t.Errorf("the program reads %q", s)
			}
			if !row && errors.Unwrap(o.Result.Err) == nil {
				t.Error("the host learns nothing")
			}
			_, err := exosql.Follow(exosql.Follow(tu.OrgOf(db, tu.Acme), tu.OrgProjects), tu.ProjectTasks).All(t.Context())
			if fail.KindOf(err) != fail.Internal {
				t.Errorf("typed: %v", err)
			}
			// The connection goes on.
			if o := r.Run(t, "return await people.count()"); o.JSON != "2" {
				t.Errorf("the next query: %s", o)
			}
		})
	}
	if o := tu.As(t, tu.Open(t), tu.Acme, exo.Limits{}).Run(t, "return (await tasks.execute()).length"); o.JSON != "5" {
		t.Errorf("the twin: %s", o)
	}
}

type event struct {
	ID int64
	At time.Time
}

// Times compare and sort as instants in whatever form SQLite holds them.
func TestTimeForms(t *testing.T) {
	forms := []string{ // of one instant, in the order of their ids
		"'2026-01-02T03:04:05.000Z'", "'2026-01-02 03:04:05'", "'2026-01-02 03:04:05.000'", "'2026-01-02T03:04:05Z'", "'2026-01-02T04:04:05+01:00'", "'2026-01-01 23:04:05-04:00'",
	}
	for _, typ := range []string{"TEXT", "DATETIME", "TIMESTAMP", ""} {
		t.Run(typ, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("CREATE TABLE events (id INTEGER PRIMARY KEY, at " + typ + ");")
			for i, f := range forms {
				b.WriteString("INSERT INTO events VALUES (" + string(rune('1'+i)) + ", " + f + ");")
			}
			b.WriteString("INSERT INTO events VALUES (8, '2026-01-02T03:04:04.999Z'), (9, '2026-01-02 03:04:05.001');")
			events := exosql.NewTable[event]("events")
			id := exosql.NewKey(events, "id", func(e *event) *int64 { return &e.ID })
			at := exosql.NewColumn(events, "at", func(e *event) *time.Time { return &e.At })
			db := tu.OpenWith(t, b.String())
			all := exosql.Grant(db, events, exosql.AllRows[event]())
			want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			rows, err := all.Where(at.Eq(want)).All(t.Context())
			if err != nil || len(rows) != len(forms) {
				t.Fatalf("%d rows equal, want %d: %v", len(rows), len(forms), err)
			}
			for _, r := range rows {
				if !r.At.Equal(want) {
					t.Errorf("%s reads as %v", forms[r.ID-1], r.At)
				}
			}
			first, _, err1 := all.OrderBy(at.Asc()).First(t.Context())
			last, _, err2 := all.OrderBy(at.Desc()).First(t.Context())
			if first.ID != 8 || last.ID != 9 || err1 != nil || err2 != nil {
				t.Errorf("first %v last %v %v %v", first, last, err1, err2)
			}
			local := time.FixedZone("x", 3600)
			if n, err := all.Where(exosql.And(at.Le(want.In(local)), at.Ge(want.In(local)))).Count(t.Context()); n != int64(len(forms)) || err != nil {
				t.Error(n, err)
			}
			if n, err := all.Where(at.In(want, want.Add(time.Millisecond))).Count(t.Context()); n != int64(len(forms)+1) || err != nil {
				t.Error(n, err)
			}
			_ = id
		})
	}
}

// StoredISO compares the text as it is, so that an index serves; without it the
// query normalises.
func TestStoredISO(t *testing.T) {
	db := tu.OpenWith(t, "CREATE TABLE events (id INTEGER PRIMARY KEY, at TEXT NOT NULL); INSERT INTO events VALUES (1, '2026-01-02T03:04:05.000Z'), (2, '2026-01-02 03:04:05')")
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, iso := range []bool{false, true} {
		events := exosql.NewTable[event]("events")
		exosql.NewKey(events, "id", func(e *event) *int64 { return &e.ID })
		at := exosql.NewColumn(events, "at", func(e *event) *time.Time { return &e.At })
		if iso {
			at = at.StoredISO()
		}
		n, err := exosql.Grant(db, events, exosql.AllRows[event]()).Where(at.Eq(want)).OrderBy(at.Asc()).Count(t.Context())
		if err != nil || n != map[bool]int64{false: 2, true: 1}[iso] {
			t.Errorf("iso %t: %d %v", iso, n, err)
		}
	}
	var normalised, plain int
	for _, s := range exosql.PlanTexts(db) {
		if strings.Contains(s, "strftime") {
			normalised++
		} else {
			plain++
		}
	}
	if normalised != 1 || plain != 1 {
		t.Errorf("%q", exosql.PlanTexts(db))
	}
}

// Integers beyond what JavaScript holds exactly are shown as text, and the same
// text finds the row again.
func TestLargeIntegers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, "INSERT INTO tags VALUES (9007199254740993, 'big'), (-9223372036854775808, 'least'), (9223372036854775807, 'most')")
		f := exosql.NewFacet(tu.Tags, "tag", tu.TagID, tu.TagName)
		r := tu.NewRunner(t, map[string]exo.Object{"tags": f.Of(exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()))}, exo.Limits{})
		o := r.Run(t, "const ids = (await tags.where((t) => t.name.in(['big', 'least', 'most'])).orderBy((t) => t.name).execute()).map((t) => t.id); return [ids, await Promise.all(ids.map((id) => tags.where({ id }).first().then((t) => t.name)))]")
		if o.JSON != `[["9007199254740993","-9223372036854775808","9223372036854775807"],["big","least","most"]]` {
			t.Error(o)
		}
		rows, err := exosql.Grant(db, tu.Tags, tu.TagID.Eq(9007199254740993)).All(t.Context())
		if err != nil || len(rows) != 1 || rows[0].ID != 9007199254740993 {
			t.Error(rows, err)
		}
	})
}
