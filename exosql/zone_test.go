package exosql_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// Each expression in a zone, over the four rows of openThings: 2024-02-29T23:59:59.999Z, 1999-12-31T00:00Z,
// 2026-01-02T03:04:05.678Z, and their days in UTC, which are days everywhere.
var local = []struct{ zone, expr, want string }{
	{"America/New_York", "t.at.hour()", `[18,19,22,null]`},
	{"America/New_York", "t.at.getDate()", `[29,30,1,null]`},
	{"America/New_York", "t.at.getUTCDate()", `[29,31,2,null]`},
	{"America/New_York", "t.at.getUTCHours() - t.at.getHours()", `[5,-19,-19,null]`},
	{"America/New_York", "t.at.weekday()", `[4,4,4,null]`},
	{"America/New_York", "t.at.truncate('day')", `["2024-02-29","1999-12-30","2026-01-01",null]`},
	{"America/New_York", "t.at.truncate('week')", `["2024-02-26","1999-12-27","2025-12-29",null]`},
	{"America/New_York", "t.at.coalesce('1990-06-01').truncate('day')", `["2024-02-29","1999-12-30","2026-01-01","1990-06-01"]`},
	{"America/New_York", "t.day.truncate('month')", `["2024-02-01","1999-12-01","2026-01-01",null]`},
	{"America/New_York", "t.day.day()", `[29,31,2,null]`},
	{"America/New_York", "t.at", `["2024-02-29T23:59:59.999Z","1999-12-31T00:00:00.000Z","2026-01-02T03:04:05.678Z",null]`},
	{"America/New_York", "t.at.toText()", `["2024-02-29T23:59:59.999Z","1999-12-31T00:00:00.000Z","2026-01-02T03:04:05.678Z",null]`},
	{"America/New_York", "t.at.getTime()", `[1709251199999,946598400000,1767323045678,null]`},
	{"America/New_York", "t.at.daysSince('2024-01-01')", `[59,-8768,731,null]`},
	{"America/New_York", "t.at.plus(1, 'month')", `["2024-03-29","2000-01-30","2026-02-01",null]`},
	{"America/New_York", "t.day.plus(1, 'month')", `["2024-03-29","2000-01-31","2026-02-02",null]`},
	{"America/New_York", "t.day.daysSince('2024-01-01')", `[59,-8767,732,null]`},
	{"Europe/Berlin", "t.at.year()", `[2024,1999,2026,null]`},
	{"Europe/Berlin", "t.at.month()", `[3,12,1,null]`},
	{"Europe/Berlin", "t.at.getMonth()", `[2,11,0,null]`},
	{"Europe/Berlin", "t.at.quarter()", `[1,4,1,null]`},
	{"Europe/Berlin", "t.at.week()", `[9,52,1,null]`},
	{"Europe/Berlin", "t.at.isoYear()", `[2024,1999,2026,null]`},
	{"Europe/Berlin", "t.at.truncate('month')", `["2024-03-01","1999-12-01","2026-01-01",null]`},
	{"Europe/Berlin", "t.at.truncate('day') === t.day", `[false,true,true,true]`},
	{"Asia/Kolkata", "t.at.minute()", `[29,30,34,null]`},
	{"Asia/Kolkata", "t.at.second()", `[59,0,5,null]`},

	// A text without a zone is local; a day is that of the zone.
	{"America/New_York", "t.at >= '2026-01-01T22:04'", `[false,false,true,false]`},
	{"America/New_York", "t.at >= '2026-01-01T22:05'", `[false,false,false,false]`},
	{"America/New_York", "t.at < '2024-03-01'", `[true,true,false,false]`},
	{"Europe/Berlin", "t.at < '2024-03-01'", `[false,true,false,false]`},
	{"Europe/Berlin", "t.at < '2024-03-01T00:00Z'", `[true,true,false,false]`},
	{"Europe/Berlin", "t.at < new Date(2024, 2, 1)", `[false,true,false,false]`},
	{"America/New_York", "t.day === new Date()", `[false,false,false,false]`}, // it is the first of January there
	{"America/New_York", "t.day > new Date()", `[false,false,true,false]`},
	{"Europe/Berlin", "t.day === new Date()", `[false,false,true,false]`},
	{"Europe/Berlin", "t.day === new Date(2024, 1, 29)", `[true,false,false,false]`},
	{"Pacific/Auckland", "t.day === '2024-02-28T12:00:00Z'", `[true,false,false,false]`},
	{"America/New_York", "t.day === '2024-02-29T23:30'", `[true,false,false,false]`},
	{"America/New_York", "t.at.truncate('day') === new Date(2026, 0, 1)", `[false,false,true,false]`},
}

func TestLocalTime(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		for _, c := range local {
			got, err := kit.InZone(t, db, c.zone, "return (await things.orderBy(t => t.id).select(t => ({ x: "+c.expr+" }))).map(r => r.x)")
			if got != c.want {
				t.Errorf("%s in %s\n got %s %v\nwant %s", c.expr, c.zone, got, err, c.want)
			}
		}
		// As keys, in conditions and orders, of aggregates, beside a program in UTC that has the same shape.
		for _, c := range []struct{ zone, want string }{
			{"", `[[{"m":null,"n":1},{"m":"1999-12-01","n":1},{"m":"2024-02-01","n":1},{"m":"2026-01-01","n":1}],[3],"2026-01-02",[4,1,2,3]]`},
			{"Europe/Berlin", `[[{"m":null,"n":1},{"m":"1999-12-01","n":1},{"m":"2024-03-01","n":1},{"m":"2026-01-01","n":1}],[3],"2026-01-02",[4,1,2,3]]`},
			{"America/New_York", `[[{"m":null,"n":1},{"m":"1999-12-01","n":1},{"m":"2024-02-01","n":1},{"m":"2026-01-01","n":1}],[],"2026-01-01",[4,3,1,2]]`},
		} {
			got, err := kit.InZone(t, db, c.zone, `return [
				await things.groupBy(t => ({ m: t.at.truncate('month') })).select(g => ({ m: g.m, n: g.count() })),
				(await things.where(t => t.at.day() === 2)).map(t => t.id),
				await things.max(t => t.at.truncate('day')),
				(await things.orderBy(t => [t.at.hour() > 21 ? 0 : t.at.hour(), t.id]).select(t => ({ id: t.id }))).map(t => t.id),
			]`)
			if got != c.want {
				t.Errorf("in %q\n got %s %v\nwant %s", c.zone, got, err, c.want)
			}
		}
	})
}

// TestMidnightOfUTC: a Date that begins a day in UTC is no day where the local day is the one before: it is most likely what
// new Date("2024-02-29") gave. Everywhere else, and of every other moment, the local day counts.
func TestMidnightOfUTC(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := kit.OpenThings(t, e)
		const midnight = "new Date('2024-02-29')"
		for _, form := range []string{"t => t.day === %s", "t => t.day >= %s && t.day < '2024-03-01'", "t => t.day.between(%s, '2024-02-29')", "t => [%s].includes(t.day)", "{ day: %s }", "{ day: [%s] }",
			"{ day: { gte: %s, lt: '2024-03-01' } }", "t => t.day.daysSince(%s) === 0"} {
			for _, zone := range []string{"", "Europe/Berlin", "America/New_York", "Pacific/Honolulu"} {
				for _, c := range []struct {
					date  string
					error bool
				}{{midnight, strings.Contains(zone, "New_York") || strings.Contains(zone, "Honolulu")}, {midnight + ".toISOString()", strings.Contains(zone, "New_York") || strings.Contains(zone, "Honolulu")}, {"new Date(2024, 1, 29)", false}, {"'2024-02-29'", false}} {
					program := fmt.Sprintf("return (await things.where("+form+")).map(t => t.id)", c.date)
					got, err := kit.InZone(t, db, zone, program)
					if c.error != (err != nil) || err == nil && got != "[1]" || err != nil && !strings.HasSuffix(got, "as local time it is the evening of the day before, so write the day that is meant, '2024-02-29'") {
						t.Errorf("%s in %q: %s %v", program, zone, got, err)
					}
				}
			}
		}
	})
}

// TestLocalTimeOfEachStatement: local time is the program's, whether the open statement runs, the guarded one or the
// one with fences.
func TestLocalTimeOfEachStatement(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		if e.Name == tu.Postgres.Name {
			url = tu.WithParam(t, url, "enable_seqscan", "off") // of four rows it would use no index
		}
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(kit.ThingsSQL(e))})
		listed := kit.ThingID.In(1, 2, 3, 4)
		for tier, scope := range map[string]exosql.Predicate[kit.Thing]{"open": listed, "fenced": exosql.And(listed, kit.ThingID.Gt(0))} {
			for program, want := range map[string]string{
				"things.where(t => t.at.hour() === 0).select(t => ({ id: t.id }))":                                                         `[{"id":1}]`,
				"things.where(t => t.at.truncate('day') === '2024-03-01').select(t => ({ id: t.id }))":                                     `[{"id":1}]`,
				"things.where(t => t.at.plus(1, 'month') === '2024-04-01').select(t => ({ id: t.id }))":                                    `[{"id":1}]`,
				"things.where(t => t.at.daysSince('2024-03-01') === 0).select(t => ({ id: t.id }))":                                        `[{"id":1}]`,
				"things.groupBy(t => ({ d: t.at.day() })).select(g => ({ d: g.d, n: g.count() }))":                                         `[{"d":null,"n":1},{"d":1,"n":1},{"d":2,"n":1},{"d":31,"n":1}]`,
				"things.orderBy(t => t.at.hour()).limit(2).select(t => ({ id: t.id }))":                                                    `[{"id":4},{"id":1}]`,
				"things.where(t => t.id > 0).countDistinct(t => t.at.hour() > 3)":                                                          `2`,
				"things.where(t => t.id > 0).orderBy(t => t.at.hour()).limit(4).where(t => t.at.hour() === 0).select(t => ({ id: t.id }))": `[{"id":1}]`,
			} {
				got, ran, err := kit.InZoneOf(t, db, scope, "Europe/Berlin", "return await "+program)
				if got != want || len(ran) != 1 || exosql.Tier(ran[0]) != tier {
					t.Errorf("%s, %s\n got %s %v\nwant %s\n%v", tier, program, got, err, want, ran)
				}
			}
		}
	})
}

// agreeing are zones that change their clocks in every way that there is.
var agreeing = []string{"America/New_York", "Europe/Berlin", "Europe/London", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana", "Africa/Casablanca", "Asia/Tehran", "Pacific/Apia", "Asia/Tokyo", "America/St_Johns"}

// TestZonesAgree: both engines show for random instants what this process does. They have rules of their own:
// PostgreSQL those of its server, where rules of the future, and of times before 1970, may be others.
func TestZonesAgree(t *testing.T) {
	tu.NotRaced(t)
	r := rand.New(rand.NewPCG(3, 4))
	var instants []time.Time
	for range 2000 {
		instants = append(instants, time.UnixMilli(-2208988800000+r.Int64N(6311433600000)).UTC())
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
			if err := e.Exec(strings.Split(kit.ThingsSQL(e), ";")[0])(ctx, db); err != nil {
				return err
			}
			for from := 0; from < len(instants); from += 500 {
				var rows []string
				for i, at := range instants[from : from+500] {
					rows = append(rows, fmt.Sprintf("(%d, '%s')", from+i, at.Format("2006-01-02T15:04:05.000Z")))
				}
				if _, err := db.ExecContext(ctx, "INSERT INTO things (id, at) VALUES "+strings.Join(rows, ", ")); err != nil {
					return err
				}
			}
			return nil
		}})
		for _, name := range agreeing {
			loc, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := kit.InZone(t, db, name, `return (await things.orderBy(t => t.id).select(t => ({ y: t.at.year(), q: t.at.quarter(), m: t.at.month(), d: t.at.day(), h: t.at.hour(), i: t.at.minute(), s: t.at.second(), w: t.at.week(), v: t.at.isoYear(), k: t.at.weekday(), monday: t.at.truncate('week'), quarter: t.at.truncate('quarter') })))`)
			if err != nil {
				t.Fatal(err)
			}
			var rows []struct {
				Y, Q, M, D, H, I, S, W, V, K int
				Monday, Quarter              string
			}
			if err := json.Unmarshal([]byte(got), &rows); err != nil || len(rows) != len(instants) {
				t.Fatal(len(rows), err)
			}
			differ := map[int]int{} // by decade
			for i, row := range rows {
				at := instants[i].In(loc)
				weekYear, week := at.ISOWeek()
				want := row
				want.Y, want.Q, want.M, want.D, want.H, want.I, want.S, want.W, want.V, want.K = at.Year(), (int(at.Month())+2)/3, int(at.Month()), at.Day(), at.Hour(), at.Minute(), at.Second(), week, weekYear, int(at.Weekday())
				want.Monday = at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format(time.DateOnly)
				want.Quarter = time.Date(at.Year(), at.Month()-(at.Month()-1)%3, 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
				if row != want {
					differ[at.Year()/10*10]++
					if e.Name == tu.SQLite.Name || at.Year() >= 1970 && at.Year() < 2025 {
						t.Errorf("%s at %v: got %+v, want %+v", name, instants[i], row, want)
					}
				}
			}
			t.Logf("%s: other rules, by decade: %v of %d", name, differ, len(rows))
		}
	})
}
