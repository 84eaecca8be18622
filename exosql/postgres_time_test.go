package exosql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Times compare, sort and read in milliseconds, whatever finer parts the column
// holds, with a zone and without.
func TestPostgresTimes(t *testing.T) {
	for _, typ := range []string{"timestamptz", "timestamp", "timestamptz(3)"} {
		t.Run(typ, func(t *testing.T) {
			db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE events (id bigint PRIMARY KEY, at "+typ+" NOT NULL)", `INSERT INTO events VALUES
				(1, '2026-01-02 03:04:05.001'), (2, '2026-01-02 03:04:05.000999'), (3, '2026-01-02 03:04:05'), (4, '2026-01-02 03:04:05.0001'), (5, '2026-01-02 03:04:04.999999')`)})
			events := exosql.NewTable[event]("events")
			exosql.NewKey(events, "id", func(e *event) *int64 { return &e.ID })
			at := exosql.NewColumn(events, "at", func(e *event) *time.Time { return &e.At })
			if strings.HasSuffix(typ, "(3)") {
				at = at.StoredISO()
			}
			all := exosql.Grant(db, events, exosql.AllRows[event]())
			v := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			ms := time.Millisecond
			id := func(e event) int64 { return e.ID }
			rows, err := all.OrderBy(at.Asc()).Limit(5).All(t.Context()) // the limit breaks ties by key
			if err != nil {
				t.Fatal(err)
			}
			order, cut := []int64{5, 2, 3, 4, 1}, map[int64]time.Time{1: v.Add(ms), 2: v, 3: v, 4: v, 5: v.Add(-ms)}
			if strings.HasSuffix(typ, "(3)") { // the server rounded what it was given
				order, cut = []int64{3, 4, 5, 1, 2}, map[int64]time.Time{1: v.Add(ms), 2: v.Add(ms), 3: v, 4: v, 5: v}
			}
			var got []int64
			for _, r := range rows {
				got = append(got, r.ID)
				if !r.At.Equal(cut[r.ID]) {
					t.Errorf("row %d reads as %v", r.ID, r.At)
				}
				// What was read finds its row again.
				if found := kit.IDs(t, all.Where(at.Eq(r.At)), id); !slices.Contains(found, r.ID) {
					t.Errorf("row %d is not among %v of its own time", r.ID, found)
				}
			}
			if !slices.Equal(got, order) {
				t.Errorf("sorted %v, want %v", got, order)
			}
			for name, c := range map[string]struct {
				p    exosql.Predicate[event]
				want func(time.Time) bool
			}{
				"eq": {at.Eq(v), func(x time.Time) bool { return x.Equal(v) }}, "ne": {at.Ne(v), func(x time.Time) bool { return !x.Equal(v) }},
				"lt": {at.Lt(v), func(x time.Time) bool { return x.Before(v) }}, "le": {at.Le(v), func(x time.Time) bool { return !x.After(v) }},
				"gt": {at.Gt(v), func(x time.Time) bool { return x.After(v) }}, "ge": {at.Ge(v), func(x time.Time) bool { return !x.Before(v) }},
				"not eq": {exosql.Not(at.Eq(v)), func(x time.Time) bool { return !x.Equal(v) }}, "in": {at.In(v, v.Add(ms)), func(x time.Time) bool { return x.Equal(v) || x.Equal(v.Add(ms)) }},
				"le last": {at.Le(time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)), func(time.Time) bool { return true }},
			} {
				var want []int64
				for i := int64(1); i <= 5; i++ {
					if c.want(cut[i]) {
						want = append(want, i)
					}
				}
				found := kit.IDs(t, all.Where(c.p), id)
				slices.Sort(found)
				if !slices.Equal(found, want) {
					t.Errorf("%s: %v, want %v", name, found, want)
				}
			}
		})
	}
}

type indexed struct {
	ID       int64
	Name     string
	Tag, Kin string
	At       time.Time
}

// What the rules of two engines cost: an index serves equality of texts, the
// keys of any integer type, and ranges of times.
func TestPostgresIndexesServe(t *testing.T) {
	e := tu.Postgres
	url := e.URL(t)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("CREATE TYPE kin AS ENUM ('x', 'y')", "CREATE TABLE ix (id int PRIMARY KEY, name text NOT NULL, tag varchar(20) NOT NULL, kin kin NOT NULL, at timestamptz NOT NULL)",
		"INSERT INTO ix SELECT i, i::text, i::text, 'x', timestamptz '2026-01-01' + i * interval '1 hour' FROM generate_series(1, 5000) AS i",
		`CREATE INDEX ix_name ON ix (name); CREATE INDEX ix_tag ON ix (tag); CREATE INDEX ix_kin ON ix (kin); CREATE INDEX ix_at ON ix (at); CREATE INDEX ix_code ON ix (name COLLATE "C")`, "ANALYZE ix")})
	x := exosql.NewTable[indexed]("ix")
	id := exosql.NewKey(x, "id", func(r *indexed) *int64 { return &r.ID })
	name := exosql.NewColumn(x, "name", func(r *indexed) *string { return &r.Name })
	tag := exosql.NewColumn(x, "tag", func(r *indexed) *string { return &r.Tag })
	kin := exosql.NewColumn(x, "kin", func(r *indexed) *string { return &r.Kin }).OneOf("x", "y")
	at := exosql.NewColumn(x, "at", func(r *indexed) *time.Time { return &r.At })
	all := exosql.Grant(db, x, exosql.AllRows[indexed]())
	v := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	plain := tu.Admin(t, url)
	defer plain.Close()
	plain.SetMaxOpenConns(1)
	if _, err := plain.Exec("SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for what, c := range map[string]struct {
		r           exosql.Relation[indexed]
		types, args string
		index       string
	}{
		"id":      {all.Where(id.Eq(7)), "bigint", "7", "ix_pkey"},
		"ids":     {all.Where(id.In(7, 8)), "bigint, bigint", "7, 8", "ix_pkey"},
		"text":    {all.Where(name.Eq("7")), "unknown", "'7'", "ix_name"},
		"varchar": {all.Where(tag.Eq("7")), "unknown", "'7'", "ix_tag"},
		"enum":    {all.Where(kin.Eq("y")), "unknown", "'y'", "ix_kin"},
		"time eq": {all.Where(at.Eq(v)), "timestamptz, timestamptz", "now(), now()", "ix_at"},
		"time lt": {all.Where(at.Lt(v)), "timestamptz", "now()", "ix_at"},
		"time le": {all.Where(at.Le(v)), "timestamptz", "now()", "ix_at"},
		"time gt": {all.Where(at.Gt(v)), "timestamptz", "now()", "ix_at"},
		"time ge": {all.Where(at.Ge(v)), "timestamptz", "now()", "ix_at"},
		"order":   {all.Where(name.Lt("7")), "unknown", "'7'", "ix_code"},
	} {
		if _, err := c.r.All(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		var text string
		for _, s := range exosql.PlanTexts(db) {
			if !seen[s] {
				seen[s], text = true, s
			}
		}
		if _, err := plain.Exec(fmt.Sprintf("PREPARE p (%s) AS %s", c.types, text)); err != nil {
			t.Fatal(err)
		}
		rows, err := plain.Query(fmt.Sprintf("EXPLAIN EXECUTE p(%s)", c.args))
		if err != nil {
			t.Fatal(err)
		}
		var explained []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			explained = append(explained, line)
		}
		rows.Close()
		if got := strings.Join(explained, "\n"); !strings.Contains(got, "using "+c.index) || !strings.Contains(got, "Index Cond") {
			t.Errorf("%s: no index serves\n%s\n%s", what, text, got)
		}
		if _, err := plain.Exec("DEALLOCATE p"); err != nil {
			t.Fatal(err)
		}
	}
}
