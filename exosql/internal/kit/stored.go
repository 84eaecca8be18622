package kit

import (
	"fmt"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type HeldRow struct {
	ID, Org       int64
	At, Same, Iso *time.Time
	Day, Other    *exosql.Date
	Done          *bool
}

// CellForm is one stored form for each kind of column. The test writes the cells itself.
type CellForm struct {
	Name      string
	Time, Day exosql.StoredForm
	flag      exosql.StoredForm
	types     [3]string // types are SQLite's column types for times, days and flags
	at        func(time.Time) string
	dayAt     func(string) string
	flags     [2]string
	millis    bool // millis: the form stores fractions of a second
}

func quotedAs(layout string) func(time.Time) string {
	return func(t time.Time) string { return "'" + t.Format(layout) + "'" }
}

func midnight(after string) func(string) string {
	return func(day string) string { return "'" + day + after + "'" }
}

func numberOf(f func(time.Time) int64) func(time.Time) string {
	return func(t time.Time) string { return strconv.FormatInt(f(t), 10) }
}

var CellForms = []CellForm{
	{"undeclared", "", "", "", [3]string{"TEXT", "DATE", "BOOLEAN"}, quotedAs("2006-01-02T15:04:05.000Z"), midnight(""), [2]string{"0", "1"}, true},
	{"undeclared, of Go", "", "", "", [3]string{"DATETIME", "DATE", "BOOLEAN"}, func(t time.Time) string { return "'" + t.In(time.FixedZone("CET", 3600)).String() + "'" }, midnight(""), [2]string{"0", "1"}, true},
	{"undeclared, offset of hours", "", "", "", [3]string{"TEXT", "DATE", "BOOLEAN"}, func(t time.Time) string { return "'" + t.Add(2*time.Hour).Format("2006-01-02 15:04:05.999") + "+02'" }, midnight(""), [2]string{"0", "1"}, true},
	{"iso", "iso", exosql.StoredSQL, exosql.StoredLetters, [3]string{"TEXT", "DATE", "BOOLEAN"}, quotedAs("2006-01-02T15:04:05.000Z"), midnight(" 00:00:00"), [2]string{"'f'", "'t'"}, true},
	{"sql", exosql.StoredSQL, exosql.StoredSQL, exosql.StoredWords, [3]string{"DATETIME", "DATETIME", "TEXT"}, quotedAs(time.DateTime), midnight(" 00:00:00"), [2]string{"'false'", "'true'"}, false},
	{"sql-fraction", exosql.StoredSQLFraction, exosql.StoredOffset, exosql.StoredWords, [3]string{"DATETIME", "TEXT", "BOOLEAN"}, quotedAs("2006-01-02 15:04:05.999999"), midnight(" 00:00:00+00:00"), [2]string{"'false'", "'true'"}, true},
	{"go", exosql.StoredGo, exosql.StoredGo, exosql.StoredLetters, [3]string{"TIMESTAMP", "DATE", "TEXT"}, func(t time.Time) string { return "'" + t.String() + "'" }, midnight(" 00:00:00 +0000 UTC"), [2]string{"'f'", "'t'"}, true},
	{"offset", exosql.StoredOffset, exosql.StoredOffset, exosql.StoredLetters, [3]string{"TEXT", "DATE", "TEXT"}, quotedAs("2006-01-02 15:04:05.999999999+00:00"), midnight(" 00:00:00+00:00"), [2]string{"'f'", "'t'"}, true},
	{"unix", exosql.StoredUnix, exosql.StoredUnix, exosql.StoredLetters, [3]string{"INTEGER", "INTEGER", "BOOLEAN"}, numberOf(time.Time.Unix), unixDay(1), [2]string{"'f'", "'t'"}, false},
	{"unix-ms", exosql.StoredUnixMillis, exosql.StoredUnixMillis, exosql.StoredWords, [3]string{"DATETIME", "DATE", "BOOLEAN"}, numberOf(time.Time.UnixMilli), unixDay(1000), [2]string{"'false'", "'true'"}, true},
}

func unixDay(times int64) func(string) string {
	return func(day string) string {
		t, _ := time.Parse(time.DateOnly, day)
		return strconv.FormatInt(t.Unix()*times, 10)
	}
}

// heldTimes are the times of rows 1 to 6; the fourth is NULL.
var heldTimes = []string{"2024-01-02T03:04:05Z", "2024-01-02T03:04:06Z", "2023-12-31T23:59:59Z", "", "1969-07-20T20:17:40Z", "2024-01-02T03:04:05Z"}

var heldDays = []string{"2024-01-02", "2024-02-29", "2023-12-31", "", "1969-07-20", "2024-01-02"}

func (f *CellForm) Schema(e tu.Engine) []string {
	types := f.types
	if e.Name != tu.SQLite.Name {
		types = [3]string{"timestamptz", "date", "boolean"}
	}
	out := []string{fmt.Sprintf("CREATE TABLE held (id {int} PRIMARY KEY, org {int} NOT NULL, at %[1]s, same %[1]s, iso {time}, day %[2]s, other {date}, done %[3]s)", types[0], types[1], types[2]),
		"CREATE INDEX held_at ON held (org, at)", "CREATE INDEX held_day ON held (org, day)"}
	for i := range heldTimes {
		at, same, iso, day, other, done := "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"
		if t, err := time.Parse(time.RFC3339, heldTimes[i]); err == nil {
			at, iso, day, other = f.at(t), "'"+t.Format("2006-01-02T15:04:05.000Z")+"'", f.dayAt(heldDays[i]), "'"+heldDays[i]+"'"
			same, done = f.at(t.Add(time.Duration(i%2)*time.Hour)), f.flags[i%2]
			if e.Name != tu.SQLite.Name {
				at, same, day, done = iso, "'"+t.Add(time.Duration(i%2)*time.Hour).Format(time.RFC3339)+"'", other, []string{"false", "true"}[i%2]
			}
		}
		out = append(out, fmt.Sprintf("INSERT INTO held VALUES (%d, 1, %s, %s, %s, %s, %s, %s)", i+1, at, same, iso, day, other, done))
	}
	return out
}

// Facet declares the table, and returns its facet and scope.
func (f *CellForm) Facet() (*exosql.Facet[HeldRow], exosql.Predicate[HeldRow], *exosql.Table[HeldRow]) {
	facet, scope, held, _ := f.Declared()
	return facet, scope, held
}

func (f *CellForm) Declared() (*exosql.Facet[HeldRow], exosql.Predicate[HeldRow], *exosql.Table[HeldRow], *exosql.Column[HeldRow, time.Time]) {
	held := exosql.NewTable[HeldRow]("held")
	id := exosql.NewKey(held, "id", func(r *HeldRow) *int64 { return &r.ID })
	org := exosql.NewColumn(held, "org", func(r *HeldRow) *int64 { return &r.Org })
	at := exosql.NewNullable(held, "at", func(r *HeldRow) **time.Time { return &r.At })
	same := exosql.NewNullable(held, "same", func(r *HeldRow) **time.Time { return &r.Same })
	iso := exosql.NewNullable(held, "iso", func(r *HeldRow) **time.Time { return &r.Iso })
	day := exosql.NewNullable(held, "day", func(r *HeldRow) **exosql.Date { return &r.Day })
	other := exosql.NewNullable(held, "other", func(r *HeldRow) **exosql.Date { return &r.Other })
	done := exosql.NewNullable(held, "done", func(r *HeldRow) **bool { return &r.Done })
	if f.Time != "" {
		at.Stored(f.Time)
		same.Stored(f.Time)
	}
	if f.Day != "" {
		day.Stored(f.Day)
	}
	if f.flag != "" {
		done.Stored(f.flag)
	}
	facet := exosql.NewFacet(held, "held", id, at, same, iso, day, other, done).AllowInsert(id, at, same, iso, day, other, done).AllowUpdate(at, same, iso, day, other, done).AllowDelete().Permit(exosql.AllowUnique("id"))
	return facet, org.Eq(1), held, at
}

const HeldIDs = `const ids = q => q.select(t => t.id).limit(100).execute();
const at = new Date('2024-01-02T03:04:05Z');
`
