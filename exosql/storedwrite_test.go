package exosql_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestOtherForms: a cell of another form than the declared one is null, in comparisons and where it is shown: never another
// time. Without a declaration a number is no time, which SQLite would count in days of another calendar. Of texts beside texts, and of
// numbers beside numbers, an index can't tell which is in another form: such cells Check finds, and showing them.
func TestOtherForms(t *testing.T) {
	known := map[string]string{
		`return ids(held.where(t => t.at.eq(at)))`:                                `[1]`,
		`return ids(held.where(t => t.at.in([at])))`:                              `[1]`,
		`return held.max(t => t.at)`:                                              `"2024-01-02T03:04:05.000Z"`,
		`return held.where({ id: 2 }).select(t => t.at.getUTCFullYear()).first()`: `null`,
		`return held.where({ id: 2 }).select(t => t.at).first()`:                  `null`,
	}
	ranges := map[string]string{
		`return ids(held.where(t => t.at >= new Date(0)))`:                                          `[1]`,
		`return ids(held.where(t => t.at <= new Date('2100-01-01')))`:                               `[1]`,
		`return ids(held.where(t => t.at.between(new Date('1000-01-01'), new Date('2100-01-01'))))`: `[1]`,
		`return held.where(t => t.at.gt(new Date('2024-01-01'))).count()`:                           `1`,
		`return held.where(t => t.at.lt(new Date('2025-01-01'))).count()`:                           `1`,
	}
	for _, c := range []struct {
		form  exosql.StoredForm
		right string   // a cell of the form, of 2024-01-02T03:04:05Z
		wrong []string // cells of others
		alike []string // the same, which are of one kind with those of the form
	}{
		{"", "'2024-01-02 03:04:05'", []string{"5", "1704164645", "1704164645000", "2460311.6", "'now'", "'2460311.6'", "x'32303234'", "''", "'12:00'"}, nil},
		{exosql.StoredUnixMillis, "1704164645000", []string{"'2024-01-02 03:04:05'", "'2024-01-02T03:04:05.000Z'", "x'00'"}, []string{"1704164645000.5", "1e300"}},
		{exosql.StoredUnix, "1704164645", []string{"'2024-01-02 03:04:05'", "'1704164645 '"}, []string{"1704164645000", "0.5"}},
		{exosql.StoredSQL, "'2024-01-02 03:04:05'", []string{"1704164645", "5"}, []string{"'2024-01-02'", "''", "'x'"}},
		{exosql.StoredGo, "'2024-01-02 03:04:05 +0000 UTC'", []string{"1704164645"}, []string{"'2024-01-02 04:04:05 +0100 CET'", "''"}},
	} {
		for i, wrong := range append(c.wrong, c.alike...) {
			db, _ := kit.File(t, tu.SQLite, "CREATE TABLE held (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, at, same, iso, day, other, done)",
				"INSERT INTO held (id, org, at) VALUES (1, 1, "+c.right+"), (2, 1, "+wrong+")")
			facet, scope, held, at := (&kit.CellForm{Time: c.form}).Declared()
			tool, err := codemode.New(codemode.Grants{"held": facet.Of(exosql.Grant(db, held, scope))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			asked := maps.Clone(known)
			if i < len(c.wrong) {
				maps.Copy(asked, ranges)
				for name, p := range map[string]exosql.Predicate[kit.HeldRow]{"after": at.Ge(time.Unix(0, 0)), "before": at.Lt(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))} { // as Go code asks
					if n, err := exosql.Grant(db, held, scope).Where(p).Count(t.Context()); err != nil || n != 1 {
						t.Errorf("%q: %s: %s: %d %v", c.form, wrong, name, n, err)
					}
				}
			}
			for program, want := range asked {
				r := tool.Run(t.Context(), kit.HeldIDs+program)
				if r.Err != nil || string(r.JSON) != want {
					t.Errorf("%q: %s: %s: %s %v, want %s", c.form, wrong, program, r.JSON, r.Err, want)
				}
			}
		}
	}
}

// TestFormsFound: Check says where cells are not in the form of their column, and which they have; where no cell can be read it is no warning.
func TestFormsFound(t *testing.T) {
	for _, c := range []struct {
		form    exosql.StoredForm
		cells   string
		found   string // "": nothing
		warning bool
	}{
		{"", "('2024-01-02 03:04:05'), ('2024-01-02T03:04:05Z'), (NULL)", "", false},
		{"", "(1704164645000), (NULL), (1704164645001)", "2 of the 2 cells that were looked at need Stored in the declaration: programs read null there, and can't find these rows by the column. This finds the cells: SELECT * FROM held WHERE at IS NOT NULL AND (typeof(at) <> 'text' OR datetime(at) IS NULL OR date(substr(at, 1, 10)) IS NOT substr(at, 1, 10)). Right would be: Stored(\"unix-ms\"), which 2 of them have", false},
		{"", "(1704164645), (1704164646), ('2024-01-02 03:04:05')", "2 of the 3 cells that were looked at need Stored", true},
		{exosql.StoredUnixMillis, "(1704164645000), (-1)", "", false},
		{exosql.StoredUnixMillis, "(1704164645000), ('2024-01-02 03:04:05')", "1 of the 2 cells that were looked at do not have the form that Stored(\"unix-ms\") declares, like 1704164645000", true},
		{exosql.StoredSQL, "('2024-01-02 03:04:05.5'), ('2024-01-02 03:04:06'), (NULL)", "Right would be: Stored(\"sql-fraction\"), which 2 of them have", true},
		{"", "(5), ('x')", "2 of the 2 cells", false},
		{exosql.StoredUnixMillis, "(1704164645000) -- DEFAULT CURRENT_TIMESTAMP", "has the default CURRENT_TIMESTAMP, which is a text", true},
	} {
		_, def, _ := strings.Cut(c.cells, "-- ")
		db, _ := kit.File(t, tu.SQLite, "CREATE TABLE held (at DATETIME "+def+", id INTEGER PRIMARY KEY, org INTEGER NOT NULL DEFAULT 1, same, iso, day, other, done)", "CREATE INDEX by_org ON held (org)", "INSERT INTO held (at) VALUES "+c.cells)
		facet, scope, held := (&kit.CellForm{Time: c.form}).Facet()
		found, err := exosql.Findings(t.Context(), db, exosql.Granted(facet.Of(exosql.Grant(db, held, scope))))
		found = slices.DeleteFunc(found, func(f exosql.Finding) bool { return f.Kind != exosql.OtherForm })
		if err != nil || (c.found == "") != (len(found) == 0) || len(found) > 0 && (!strings.Contains(found[0].String(), c.found) || found[0].Warning != c.warning) {
			t.Errorf("%q: %s: %v %v", c.form, c.cells, found, err)
		}
	}
}

// TestFormsUseIndexes: a column of a declared form is compared with a value as it lies in the database, so that its index finds the rows.
func TestFormsUseIndexes(t *testing.T) {
	for i := range kit.CellForms {
		f := &kit.CellForms[i]
		if f.Time == "" {
			continue
		}
		db, raw := kit.File(t, tu.SQLite, f.Schema(tu.SQLite)...)
		held := exosql.NewTable[kit.HeldRow]("held")
		exosql.NewKey(held, "id", func(r *kit.HeldRow) *int64 { return &r.ID })
		org := exosql.NewColumn(held, "org", func(r *kit.HeldRow) *int64 { return &r.Org })
		at := exosql.NewNullable(held, "at", func(r *kit.HeldRow) **time.Time { return &r.At }).Stored(f.Time)
		day := exosql.NewNullable(held, "day", func(r *kit.HeldRow) **exosql.Date { return &r.Day }).Stored(f.Day)
		v, d := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), exosql.Date{Year: 2024, Month: 1, Day: 2}
		for _, c := range []struct {
			by   exosql.Predicate[kit.HeldRow]
			rows int64
			plan string
		}{
			{at.Eq(v), 2, "held_at (org=? AND at"}, {at.Gt(v), 1, "held_at (org=? AND at>?"}, {at.Ge(v), 3, "held_at (org=? AND at>?"}, {at.Lt(v), 2, "held_at (org=? AND at"}, {at.Le(v), 4, "held_at (org=? AND at"},
			{day.Eq(d), 2, "held_day (org=? AND day=?"}, {day.Lt(d), 2, "held_day (org=? AND day"}, {day.In(d), 2, "held_day (org=? AND day=?"},
		} {
			before := exosql.PlanTexts(db)
			if n, err := exosql.Grant(db, held, exosql.And(org.Eq(1), c.by)).Count(t.Context()); n != c.rows || err != nil {
				t.Errorf("%s: %s: %d rows, %v", f.Name, c.plan, n, err)
			}
			for _, text := range exosql.PlanTexts(db) {
				if slices.Contains(before, text) {
					continue
				}
				var a, b, n int
				var plan string
				if err := raw.QueryRow("EXPLAIN QUERY PLAN "+strings.ReplaceAll(text, "?", "1")).Scan(&a, &b, &n, &plan); err != nil || !strings.Contains(plan, c.plan) {
					t.Errorf("%s: %s: %s %v", f.Name, text, plan, err)
				}
			}
			if len(exosql.PlanTexts(db)) == len(before) {
				t.Errorf("%s: %s: no statement", f.Name, c.plan)
			}
		}
	}
}

// TestHeldPages: rows of one millisecond that differ below it are read in pages, each once.
func TestHeldPages(t *testing.T) {
	for _, form := range []exosql.StoredForm{exosql.StoredSQLFraction, exosql.StoredOffset} {
		setup := []string{"CREATE TABLE held (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, at TEXT, same, iso, day, other, done)"}
		for i := range 9 {
			cell := fmt.Sprintf("2024-01-02 03:04:05.00%d%d1", i/6, 8-i)
			if form == exosql.StoredOffset {
				cell += "+00:00"
			}
			setup = append(setup, fmt.Sprintf("INSERT INTO held (id, org, at) VALUES (%d, 1, '%s')", i+1, cell))
		}
		db, _ := kit.File(t, tu.SQLite, setup...)
		facet, scope, held := (&kit.CellForm{Time: form}).Facet()
		tool, err := codemode.New(codemode.Grants{"held": facet.Of(exosql.Grant(db, held, scope))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		for order, want := range map[string]string{"t.at": "[1,2,3,4,5,6,7,8,9]", "t.at.desc()": "[9,8,7,6,5,4,3,2,1]"} {
			if r := tool.Run(t.Context(), kit.InPages+"return inPages(held.orderBy(t => "+order+").select(t => t.id), 2)"); r.Err != nil || string(r.JSON) != want {
				t.Errorf("%q: %s: %s %v", form, order, r.JSON, r.Err)
			}
		}
		for cond, want := range map[string]string{"t.at.eq(new Date('2024-01-02T03:04:05.000Z'))": "6", "t.at > new Date('2024-01-02T03:04:05.000Z')": "3", "t.at.in([new Date('2024-01-02T03:04:05.001Z')])": "3", "t.at === new Date('2024-01-02T03:04:05.001Z')": "3"} {
			if r := tool.Run(t.Context(), "return held.where(t => "+cond+").count()"); r.Err != nil || string(r.JSON) != want {
				t.Errorf("%q: %s: %s %v", form, cond, r.JSON, r.Err)
			}
		}
	}
}
