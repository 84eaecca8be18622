package exosql_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type heldRow struct {
	ID, Org       int64
	At, Same, Iso *time.Time
	Day, Other    *exosql.Date
	Done          *bool
}

// cellForm is a form of each kind of column, with cells that this test writes by itself.
type cellForm struct {
	name      string
	time, day exosql.StoredForm
	flag      exosql.StoredForm
	types     [3]string // of SQLite, of the times, the days and the flags
	at        func(time.Time) string
	dayAt     func(string) string
	flags     [2]string
	millis    bool // finer than a second
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

var cellForms = []cellForm{
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

// heldTimes are of the rows 1 to 6; the fourth has none.
var heldTimes = []string{"2024-01-02T03:04:05Z", "2024-01-02T03:04:06Z", "2023-12-31T23:59:59Z", "", "1969-07-20T20:17:40Z", "2024-01-02T03:04:05Z"}
var heldDays = []string{"2024-01-02", "2024-02-29", "2023-12-31", "", "1969-07-20", "2024-01-02"}

func (f *cellForm) schema(e tu.Engine) []string {
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

// facet declares the table.
func (f *cellForm) facet() (*exosql.Facet[heldRow], exosql.Predicate[heldRow], *exosql.Table[heldRow]) {
	facet, scope, held, _ := f.declared()
	return facet, scope, held
}

func (f *cellForm) declared() (*exosql.Facet[heldRow], exosql.Predicate[heldRow], *exosql.Table[heldRow], *exosql.Column[heldRow, time.Time]) {
	held := exosql.NewTable[heldRow]("held")
	id := exosql.NewKey(held, "id", func(r *heldRow) *int64 { return &r.ID })
	org := exosql.NewColumn(held, "org", func(r *heldRow) *int64 { return &r.Org })
	at := exosql.NewNullable(held, "at", func(r *heldRow) **time.Time { return &r.At })
	same := exosql.NewNullable(held, "same", func(r *heldRow) **time.Time { return &r.Same })
	iso := exosql.NewNullable(held, "iso", func(r *heldRow) **time.Time { return &r.Iso })
	day := exosql.NewNullable(held, "day", func(r *heldRow) **exosql.Date { return &r.Day })
	other := exosql.NewNullable(held, "other", func(r *heldRow) **exosql.Date { return &r.Other })
	done := exosql.NewNullable(held, "done", func(r *heldRow) **bool { return &r.Done })
	if f.time != "" {
		at.Stored(f.time)
		same.Stored(f.time)
	}
	if f.day != "" {
		day.Stored(f.day)
	}
	if f.flag != "" {
		done.Stored(f.flag)
	}
	facet := exosql.NewFacet(held, "held", id, at, same, iso, day, other, done).AllowInsert(id, at, same, iso, day, other, done).AllowUpdate(at, same, iso, day, other, done).AllowDelete().Permit(exosql.AllowUnique("id"))
	return facet, org.Eq(1), held, at
}

const heldIDs = `const ids = q => q.select(t => t.id).limit(100).execute();
const at = new Date('2024-01-02T03:04:05Z');
`

// heldAsked are programs that read, each with the answer for the times, days and flags above.
var heldAsked = []struct{ program, want string }{
	{`return held.where({ id: 1 }).select(t => ({ at: t.at, day: t.day, done: t.done })).first()`, `{"at":"2024-01-02T03:04:05.000Z","day":"2024-01-02","done":false}`},
	{`return held.orderBy(t => t.id).select(t => ({ a: t.at, d: t.day, f: t.done }))`, `[{"a":"2024-01-02T03:04:05.000Z","d":"2024-01-02","f":false},{"a":"2024-01-02T03:04:06.000Z","d":"2024-02-29","f":true},{"a":"2023-12-31T23:59:59.000Z","d":"2023-12-31","f":false},{"a":null,"d":null,"f":null},{"a":"1969-07-20T20:17:40.000Z","d":"1969-07-20","f":false},{"a":"2024-01-02T03:04:05.000Z","d":"2024-01-02","f":true}]`},
	{`return ids(held.where(t => t.at['='](at)).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at === at).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at.ne(at)).orderBy(t => t.id))`, `[2,3,5]`},
	{`return ids(held.where(t => t.at.in([at, new Date('1969-07-20T20:17:40Z')])).orderBy(t => t.id))`, `[1,5,6]`},
	{`return ids(held.where(t => t.at.notIn([at])).orderBy(t => t.id))`, `[2,3,5]`},
	{`return ids(held.where(t => t.at < at).orderBy(t => t.id))`, `[3,5]`},
	{`return ids(held.where(t => t.at <= at).orderBy(t => t.id))`, `[1,3,5,6]`},
	{`return ids(held.where(t => t.at > at).orderBy(t => t.id))`, `[2]`},
	{`return ids(held.where(t => t.at >= at).orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => at < t.at).orderBy(t => t.id))`, `[2]`},
	{`return ids(held.where(t => t.at > new Date(at.getTime() - 1)).orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => t.at < new Date(at.getTime() + 1)).orderBy(t => t.id))`, `[1,3,5,6]`},
	{`return ids(held.where(t => t.at.eq(new Date(at.getTime() + 1))).orderBy(t => t.id))`, `[]`},
	{`return ids(held.where(t => t.at.between(new Date('2023-12-31T23:59:59Z'), at)).orderBy(t => t.id))`, `[1,3,6]`},
	{`return ids(held.where({ at: '2024-01-02T03:04:05Z' }).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.at.isNull()).orderBy(t => t.id))`, `[4]`},
	{`return ids(held.where(t => t.at.isNotNull()).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.where(t => t.at.eq(t.same)).orderBy(t => t.id))`, `[1,3,5]`},
	{`return ids(held.where(t => t.at < t.same).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.at.eq(t.iso)).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.where(t => t.iso < t.same).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.orderBy(t => [t.at, t.id]))`, `[4,5,3,1,6,2]`},
	{`return ids(held.orderBy(t => [t.at.desc(), t.id]))`, `[2,1,6,3,5,4]`},
	{`return held.groupBy(t => t.at).orderBy(g => g.at).select(g => ({ at: g.at, n: g.count() }))`, `[{"at":null,"n":1},{"at":"1969-07-20T20:17:40.000Z","n":1},{"at":"2023-12-31T23:59:59.000Z","n":1},{"at":"2024-01-02T03:04:05.000Z","n":2},{"at":"2024-01-02T03:04:06.000Z","n":1}]`},
	{`return held.groupBy(t => t.at.year()).orderBy(g => g.year).select(g => ({ y: g.year, n: g.count() }))`, `[{"y":null,"n":1},{"y":1969,"n":1},{"y":2023,"n":1},{"y":2024,"n":3}]`},
	{`return held.where({ id: 3 }).select(t => ({ y: t.at.getUTCFullYear(), m: t.at.getUTCMonth(), d: t.at.getUTCDate(), h: t.at.getUTCHours(), i: t.at.getUTCMinutes(), ms: t.at.getTime(), tr: t.at.truncate('month') })).first()`, `{"y":2023,"m":11,"d":31,"h":23,"i":59,"ms":1704067199000,"tr":"2023-12-01"}`},
	{`return held.where({ id: 2 }).select(t => ({ d: t.same - t.at, e: t.at - t.iso })).first()`, `{"d":3600000,"e":0}`},
	{`return [await held.min(t => t.at), await held.max(t => t.at), await held.countDistinct(t => t.at), await held.min(t => t.day), await held.max(t => t.day)]`, `["1969-07-20T20:17:40.000Z","2024-01-02T03:04:06.000Z",4,"1969-07-20","2024-02-29"]`},
	{`return inPages(held.orderBy(t => t.at).select(t => t.id), 2)`, `[4,5,3,1,6,2]`},
	{`return inPages(held.orderBy(t => t.at.desc()).select(t => t.id), 2)`, `[2,6,1,3,5,4]`},
	{`return inPages(held.orderBy(t => [t.day, t.at]).select(t => t.id), 2)`, `[4,5,3,1,6,2]`},
	{`return inPages(held.orderBy(t => [t.done, t.id]).select(t => t.id), 2)`, `[4,1,3,5,2,6]`},
	{`return ids(held.where(t => t.day.eq('2024-01-02')).orderBy(t => t.id))`, `[1,6]`},
	{`return ids(held.where(t => t.day > '2023-12-31').orderBy(t => t.id))`, `[1,2,6]`},
	{`return ids(held.where(t => t.day <= '2023-12-31').orderBy(t => t.id))`, `[3,5]`},
	{`return ids(held.where(t => t.day.in(['2024-02-29', '1969-07-20'])).orderBy(t => t.id))`, `[2,5]`},
	{`return ids(held.where(t => t.day.eq(t.other)).orderBy(t => t.id))`, `[1,2,3,5,6]`},
	{`return ids(held.orderBy(t => [t.day.desc(), t.id]))`, `[2,1,6,3,5,4]`},
	{`return held.groupBy(t => t.day.month()).orderBy(g => g.month).select(g => ({ m: g.month, n: g.count() }))`, `[{"m":null,"n":1},{"m":1,"n":2},{"m":2,"n":1},{"m":7,"n":1},{"m":12,"n":1}]`},
	{`return ids(held.where(t => t.done).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.done.eq(false)).orderBy(t => t.id))`, `[1,3,5]`},
	{`return ids(held.where(t => t.done === true).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where({ done: true }).orderBy(t => t.id))`, `[2,6]`},
	{`return ids(held.where(t => t.done.isNull()).orderBy(t => t.id))`, `[4]`},
	{`return held.groupBy(t => t.done).orderBy(g => g.done).select(g => ({ f: g.done, n: g.count() }))`, `[{"f":null,"n":1},{"f":false,"n":3},{"f":true,"n":2}]`},
	{`return held.countBy(t => t.done).orderBy(g => g.done)`, `[{"done":null,"count":1},{"done":false,"count":3},{"done":true,"count":2}]`},
	{`return held.distinctBy(t => t.at).orderBy(t => t.id).select(t => t.id)`, `[1,2,3,4,5]`},
	{`return held.orderBy(t => t.id).partitionBy(t => t.done).select(({ held, window }) => ({ id: held.id, before: window.lag(t => t.at), first: window.first(t => t.at) })).where(r => r.id.in([3, 6])).orderBy(r => r.id)`, `[{"id":3,"before":"2024-01-02T03:04:05.000Z","first":"2024-01-02T03:04:05.000Z"},{"id":6,"before":"2024-01-02T03:04:06.000Z","first":"2024-01-02T03:04:06.000Z"}]`},
	{`return held.where(t => t.done).groupBy(t => t.done).select(g => ({ l: g.collect(t => t.at) }))`, ``},
}

// TestStoredForms: whatever form a column of SQLite has, a program reads, asks, sorts, groups and pages as if the column had the type, as it
// has on PostgreSQL.
func TestStoredForms(t *testing.T) {
	run := func(t *testing.T, e tu.Engine, f *cellForm) {
		db, raw := wrFile(t, e, f.schema(e)...)
		facet, scope, held := f.facet()
		tool, err := codemode.New(codemode.Grants{"held": facet.Of(exosql.Grant(db, held, scope))}, &codemode.Options{Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range heldAsked {
			if r := tool.Run(t.Context(), inPages+heldIDs+a.program); r.Err != nil || string(r.JSON) != a.want && a.want != "" {
				t.Errorf("%s\n%s %v, want\n%s", a.program, r.JSON, r.Err, a.want)
			}
		}
		heldWrites(t, e, f, tool, raw)
	}
	for i := range cellForms {
		t.Run(cellForms[i].name, func(t *testing.T) { run(t, tu.SQLite, &cellForms[i]) })
	}
	t.Run("postgres", func(t *testing.T) { run(t, tu.Postgres, &cellForms[0]) })
}
