package values_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// edgy are zones with rules that a short one gets wrong: a month without summer time within it, by half an hour, a winter that is the
// exception, a day that was left out, two hours, local mean time to the second, and changes at midnight.
var edgy = []string{"Africa/Casablanca", "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia", "Pacific/Kwajalein", "Antarctica/Troll", "Africa/Monrovia", "Europe/Amsterdam", "America/Havana", "Asia/Gaza", "America/Nuuk", "Europe/Moscow"}

// edges are all instants at which clocks of a zone were changed or will be, to 2100, one millisecond before and one
// second behind, and some of the first and the last years.
func edges(loc *time.Location) (out []time.Time) {
	at := time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() < 2100 {
		_, end := at.In(loc).ZoneBounds()
		if end.IsZero() {
			break
		}
		if at = end; !end.After(at) {
			at = at.AddDate(0, 0, 1) // the last day of a leap year
		}
		out = append(out, at.Add(-time.Millisecond), at, at.Add(time.Second))
	}
	for y := 2; y < 9999; y += 311 {
		for _, month := range []time.Month{1, 7} {
			out = append(out, time.Date(y, month, 1, 0, 0, 0, 0, time.UTC))
		}
	}
	return slices.CompactFunc(out, time.Time.Equal)
}

// TestZoneEdges: where clocks change, and in the first and last years, both engines show what this process does. A server has its own
// rules for years to come and, of times before 1970, other sources; those of Go's copy are required of it in between.
func TestZoneEdges(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, name := range edgy {
			loc, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			instants, rows := edges(loc), []string{}
			for i, at := range instants {
				rows = append(rows, fmt.Sprintf("(%d, '%s')", i, at.UTC().Format("2006-01-02T15:04:05.000Z")))
			}
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
				return e.Exec(strings.Split(kit.ThingsSQL(e), ";")[0], "INSERT INTO things (id, at) VALUES "+strings.Join(rows, ", "))(ctx, db)
			}})
			got, err := kit.InZone(t, db, name, `return await things.orderBy(t => t.id).select(t => ({ day: t.at.truncate('day'), h: t.at.hour(), i: t.at.minute(), s: t.at.second(), week: t.at.truncate('week') }))`)
			if err != nil {
				t.Fatal(name, err)
			}
			type shown struct {
				Day     string
				H, I, S int
				Week    string
			}
			var all []shown
			if err := json.Unmarshal([]byte(got), &all); err != nil || len(all) != len(instants) {
				t.Fatal(name, len(all), err)
			}
			differ := 0
			for i, got := range all {
				at := instants[i].In(loc)
				monday := time.Date(at.Year(), at.Month(), at.Day()-(int(at.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
				want := shown{at.Format(time.DateOnly), at.Hour(), at.Minute(), at.Second(), monday.Format(time.DateOnly)}
				if got != want {
					differ++
					if e.Name == tu.SQLite.Name || at.Year() >= 1970 && at.Year() < 2025 {
						t.Errorf("%s at %v: got %+v, want %+v", name, instants[i].UTC(), got, want)
					}
				}
			}
			t.Logf("%s: %d of %d differ", name, differ, len(all))
		}
	})
}

// TestZoneAbbreviations: a name that PostgreSQL takes for an abbreviation, which has one shift in all years, is no time zone of
// a program, though this process has rules of that name.
func TestZoneAbbreviations(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		if e.Name != tu.Postgres.Name {
			return // has no zones of its own
		}
		rows, err := e.SQLDB(t, e.URL(t)).Query("SELECT a.abbrev FROM pg_timezone_abbrevs AS a JOIN pg_timezone_names AS n ON lower(n.name) = lower(a.abbrev) WHERE a.utc_offset <> '0'")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if _, err := exo.NewGate(exo.Config{Zone: name}); err == nil || !strings.Contains(err.Error(), "name a place") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if rows.Err() != nil || n == 0 {
			t.Error(n, rows.Err())
		}
	})
}
