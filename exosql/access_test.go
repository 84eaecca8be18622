package exosql_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// parcel has a column of each kind.
type parcel struct {
	ID, Org int64
	Code    string
	Title   *string
	Status  string
	Done    bool
	Due     *int64
	Weight  float64
	Price   exosql.Decimal
	Seen    time.Time
	Sent    *time.Time
	Day     exosql.Date
	Span    exosql.Interval
	UID     [16]byte
	Hash    []byte
	Extra   exosql.JSON
	Tags    []string
}

type org struct{ ID int64 }

// scan is a scan of a parcel: its scope is two links away from the org.
type scan struct{ ID, Parcel int64 }

var (
	parcels      = exosql.NewTable[parcel]("parcels")
	parcelID     = exosql.NewKey(parcels, "id", func(p *parcel) *int64 { return &p.ID })
	parcelOrg    = exosql.NewColumn(parcels, "org_id", func(p *parcel) *int64 { return &p.Org })
	parcelCode   = exosql.NewColumn(parcels, "code", func(p *parcel) *string { return &p.Code })
	parcelTitle  = exosql.NewNullable(parcels, "title", func(p *parcel) **string { return &p.Title })
	parcelStatus = exosql.NewColumn(parcels, "status", func(p *parcel) *string { return &p.Status }).OneOf("open", "sent")
	parcelDone   = exosql.NewColumn(parcels, "done", func(p *parcel) *bool { return &p.Done })
	parcelDue    = exosql.NewNullable(parcels, "due", func(p *parcel) **int64 { return &p.Due })
	parcelWeight = exosql.NewColumn(parcels, "weight", func(p *parcel) *float64 { return &p.Weight })
	parcelPrice  = exosql.NewColumn(parcels, "price", func(p *parcel) *exosql.Decimal { return &p.Price })
	parcelSeen   = exosql.NewColumn(parcels, "seen_at", func(p *parcel) *time.Time { return &p.Seen })
	parcelSent   = exosql.NewNullable(parcels, "sent_at", func(p *parcel) **time.Time { return &p.Sent }).StoredISO()
	parcelDay    = exosql.NewColumn(parcels, "day", func(p *parcel) *exosql.Date { return &p.Day })
	parcelSpan   = exosql.NewColumn(parcels, "span", func(p *parcel) *exosql.Interval { return &p.Span })
	parcelUID    = exosql.NewColumn(parcels, "uid", func(p *parcel) *[16]byte { return &p.UID })
	parcelHash   = exosql.NewColumn(parcels, "hash", func(p *parcel) *[]byte { return &p.Hash })
	parcelExtra  = exosql.NewColumn(parcels, "extra", func(p *parcel) *exosql.JSON { return &p.Extra })
	parcelTags   = exosql.NewColumn(parcels, "tags", func(p *parcel) *[]string { return &p.Tags })

	orgs       = exosql.NewTable[org]("orgs")
	orgID      = exosql.NewKey(orgs, "id", func(o *org) *int64 { return &o.ID })
	orgParcels = exosql.Many("parcels", orgID, parcelOrg)

	scans       = exosql.NewTable[scan]("scans")
	scanID      = exosql.NewKey(scans, "id", func(s *scan) *int64 { return &s.ID })
	scanParcel  = exosql.NewColumn(scans, "parcel_id", func(s *scan) *int64 { return &s.Parcel })
	parcelScans = exosql.Many("scans", parcelID, scanParcel)
)

// parcelsSQL makes parcels of ten orgs.
func parcelsSQL(e tu.Engine, rows int) []string {
	number := fmt.Sprintf(e.Pick("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s WHERE n <= %[1]d) AS s", "generate_series(1, %d) AS s (n)"), rows)
	tags := e.Pick("TEXT", "text[]")
	out := []string{
		"CREATE TABLE orgs (id {int} PRIMARY KEY)",
		"CREATE TABLE parcels (id {int} PRIMARY KEY, org_id {int} NOT NULL, code TEXT NOT NULL, title TEXT, status " + e.Pick("TEXT", "status") + " NOT NULL, done BOOLEAN NOT NULL, due {int}, weight {float} NOT NULL, price {decimal} NOT NULL, seen_at {time} NOT NULL, sent_at {time}, day {date} NOT NULL, span {interval} NOT NULL, uid {uuid} NOT NULL, hash {bytes} NOT NULL, extra {json} NOT NULL, tags " + tags + " NOT NULL)",
		"CREATE TABLE scans (id {int} PRIMARY KEY, parcel_id {int} NOT NULL)",
		"INSERT INTO orgs SELECT n FROM " + number + " WHERE n <= 10",
		"INSERT INTO parcels SELECT n, n % 10 + 1, 'c' || n, CASE WHEN n % 5 > 0 THEN 't' || n END, " + e.Pick("CASE WHEN n % 2 = 0 THEN 'open' ELSE 'sent' END", "CAST(CASE WHEN n % 2 = 0 THEN 'open' ELSE 'sent' END AS status)") + ", n % 3 = 0, CASE WHEN n % 5 > 1 THEN n END, n / 2.0, " +
			e.Pick("n / 4.0 || ''", "n / 4.0") + ", " + e.Pick("'2024-01-02T03:04:05.000Z'", "timestamptz '2024-01-02 03:04:05Z' + n * interval '1 hour'") + ", " +
			e.Pick("strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n, 'unixepoch')", "timestamptz '2024-01-02 03:04:05Z' + n * interval '1 hour'") + ", " + e.Pick("date(1700000000 + n * 86400, 'unixepoch')", "date '2024-01-02' + n") + ", " +
			e.Pick("'P' || n || 'D'", "n * interval '1 day'") + ", " + e.Pick("printf('00000000-0000-0000-0000-%012d', n)", "cast(lpad(n::text, 32, '0') AS uuid)") + ", " + e.Pick("cast(n AS BLOB)", "decode(lpad(n::text, 8, '0'), 'hex')") + ", '{}', " + e.Pick("'[]'", "'{}'") + " FROM " + number,
		"CREATE INDEX parcels_org ON parcels (org_id)", "CREATE INDEX parcels_any_due ON parcels (due)", "CREATE INDEX parcels_day_org ON parcels (day, org_id)", "CREATE INDEX scans_parcel ON scans (parcel_id)",
	}
	if e.Name == tu.Postgres.Name {
		out = append([]string{"CREATE TYPE status AS ENUM ('open', 'sent')"}, out...)
	}
	return append(out, "ANALYZE")
}

// parcelObject grants the parcels of an org, through a link of the org or by its column.
func parcelObject(db *exosql.DB, n int64, via bool) exo.Object {
	s := exosql.NewFacet(scans, "scan", scanID, scanParcel)
	p := exosql.NewFacet(parcels, "parcel", parcelID, parcelOrg, parcelCode, parcelTitle, parcelStatus, parcelDone, parcelDue, parcelWeight, parcelPrice, parcelSeen, parcelSent, parcelDay, parcelSpan, parcelUID, parcelHash, parcelExtra, parcelTags,
		exosql.Via(parcelScans, s))
	o := exosql.NewFacet(orgs, "org", orgID, exosql.Via(orgParcels, p))
	if via {
		return o.Of(exosql.Grant(db, orgs, orgID.Eq(n), exosql.ScopeVia(orgParcels), exosql.ScopeVia(parcelScans)))
	}
	return p.Of(exosql.Grant(db, parcels, parcelOrg.Eq(n), exosql.ScopeVia(parcelScans)))
}

// TestAccessPaths: the report names what serves and what would; with the index that it names, the
// report says so, and programs run the statement without a fence. On SQLite what it says does not depend on how
// many rows there are.
func TestAccessPaths(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, via := range []bool{false, true} {
			reports := map[string]int{}
			for _, rows := range []int{0, 3, 20_000} {
				if via && rows == 3 {
					continue
				}
				url := e.URL(t)
				db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(parcelsSQL(e, rows)...)})
				o := parcelObject(db, 1, via)
				before := kit.AccessPaths(t, o)
				made := map[string]int{}
				hand := e.SQLDB(t, url)
				for _, p := range before {
					if p.Fix.SQL() != "" && made[p.Fix.Index.Name] == 0 {
						made[p.Fix.Index.Name]++
						if _, err := hand.ExecContext(t.Context(), p.Fix.SQL()); err != nil {
							t.Fatalf("%s: %v", p, err)
						}
					}
				}
				if _, err := hand.ExecContext(t.Context(), "ANALYZE"); err != nil {
					t.Fatal(err)
				}
				after := kit.AccessPaths(t, o)
				report := "-- before --\n" + lines(before) + "-- with the indexes --\n" + lines(after)
				if reports[report] = rows; e.Name == tu.Postgres.Name {
					delete(reports, report) // with few rows it prefers other indexes
				}
				for _, p := range after {
					if p.Fix.SQL() != "" {
						t.Errorf("%d rows: the index that was to serve does not: %s", rows, p)
					}
					if p.Served() && made[p.Index] > 0 {
						made[p.Index]++
					}
				}
				for name, n := range made {
					if n < 2 && (rows > 1000 || e.Name == tu.SQLite.Name) { // with few rows PostgreSQL takes any
						t.Errorf("%d rows: %s was to serve, and nothing uses it:\n%s", rows, name, lines(after))
					}
				}
				if rows > 1000 {
					judgedOpen(t, o, via, after)
					golden(t, fmt.Sprintf("access/%s%s.txt", e.Name, map[bool]string{true: ".via"}[via]), report)
				}
			}
			if len(reports) > 1 {
				for r, rows := range reports {
					t.Errorf("with %d rows:\n%s", rows, r)
				}
			}
		}
	})
}

// judgedOpen runs the programs that the report calls served.
func judgedOpen(t *testing.T, o exo.Object, via bool, paths []exosql.AccessPath) {
	t.Helper()
	r := tu.NewRunner(t, map[string]exo.Object{"root": o}, exo.Limits{})
	start := "root"
	if via {
		start = "root.parcels()"
	}
	values := map[string]string{"code": "'c1'", "title": "'t1'", "status": "'open'", "done": "true", "sent_at": "new Date('2025-01-01')", "seen_at": "new Date('2025-01-01')", "day": "'2025-01-01'", "span": "'P5D'", "uid": "'00000000-0000-0000-0000-000000000001'", "hash": "'AAAA'"}
	names := map[string]string{"seen_at": "seenAt", "sent_at": "sentAt"}
	n := 0
	for _, p := range paths {
		if p.Facet != "parcel" || !p.Served() {
			continue
		}
		name, value := p.Column, values[p.Column]
		if names[name] != "" {
			name = names[name]
		}
		if value == "" {
			value = "7"
		}
		for _, use := range p.Uses {
			program := map[string]string{"=": ".where(p => p.%s.eq(%s))", "range": ".where(p => p.%s.ge(%s))", "order": ".orderBy(p => p.%s).limit(20)", "descending order": ".orderBy(p => p.%s.desc()).limit(20)"}[use]
			if strings.Count(program, "%s") == 1 {
				program = fmt.Sprintf(program, name)
			} else {
				program = fmt.Sprintf(program, name, value)
			}
			out := r.Run(t, "return (await "+start+program+".execute()).length")
			// A limit upwards also looks at the greatest row, where an index has what counts as null.
			greatest := use == "order" && len(out.SQL) == 2 && strings.HasSuffix(out.SQL[1].SQL, " DESC LIMIT 1") && !fenced(out.SQL[1])
			// A condition on a key needs no fence, so the statement has no other form. Orgs are few, and guarded.
			if len(out.SQL) != 1 && !greatest || out.Kind != 0 || exosql.Tier(out.SQL[0]) != "open" && name != "id" && !via || fenced(out.SQL[0]) {
				t.Errorf("%s is served, says the report, and ran so: %v %v", program, out, out.SQL)
			}
			n++
		}
	}
	if n < 20 {
		t.Errorf("%d programs were run", n)
	}
}

func lines(paths []exosql.AccessPath) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(tu.NoSchema(p.String()) + "\n")
	}
	return b.String()
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(tu.Root(), "testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
	}
}

// TestAccessPathForms: nothing begins with the scope; the order is of a shared table; the scope is a list;
// the object is of somebody else.
func TestAccessPathForms(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(append(slices.DeleteFunc(parcelsSQL(e, 100), func(s string) bool { return strings.Contains(s, "parcels_org ") }), "ANALYZE")...)})
		p := func() *exosql.Facet[parcel] { return exosql.NewFacet(parcels, "parcel", parcelCode, parcelDue) }
		for what, c := range map[string]struct {
			o    exo.Object
			want string
		}{
			"no index": {p().Of(exosql.Grant(db, parcels, parcelOrg.Eq(1))), `
parcel.code: =` + e.Pick(", range, order, descending order: rows out of scope are read", ": rows out of scope are read, by the index parcels_day_org") + `. Would serve: CREATE INDEX parcels_by_org_id_code ON parcels (org_id, code)
`},
			"shared": {exosql.NewFacet(orgs, "org", orgID, exosql.Via(orgParcels, p())).Of(exosql.Grant(db, orgs, orgID.Eq(1), exosql.ScopeShared(parcels))), `
parcel.code: =` + e.Pick(", range, order, descending order: every row in scope is read. Would serve: CREATE INDEX parcels_by_code ON parcels (code)", ": every row in scope is read. Would serve: CREATE INDEX parcels_by_code ON parcels (code)") + `
`},
			"one row": {p().Of(exosql.Grant(db, parcels, parcelID.Eq(1))), "\n"},
			"every row": {p().Of(exosql.Grant(db, parcels, exosql.AllRows[parcel]())), `
parcel.code: =` + e.Pick(", range, order, descending order", "") + `: every row in scope is read. Would serve: CREATE INDEX parcels_by_code ON parcels (code)
`},
			"a list": {p().Of(exosql.Grant(db, parcels, parcelOrg.In(1, 2))), `
parcel.code: =` + e.Pick(", range, order, descending order: rows out of scope are read", ", order, descending order: rows out of scope are read, by the index parcels_day_org") + `. Would serve: CREATE INDEX parcels_by_org_id_code ON parcels (org_id, code)
`},
			"a long list": {p().Of(exosql.Grant(db, parcels, parcelOrg.In(make([]int64, 33)...))), `
parcel: indexes serve no filters and orders but those by the key: the scope of parcels is not just one value, or a short list of values, of one column
`},
			"a limit": {p().Of(exosql.Grant(db, parcels, parcelOrg.Eq(1)).Limit(5)), `
parcel: indexes serve no filters and orders but those by the key: the scope of parcels is not just one value, or a short list of values, of one column
`},
		} {
			paths := kit.AccessPaths(t, c.o)
			if got := "\n" + lines(paths); !strings.HasPrefix(got, c.want) || c.want == "\n" && got != c.want {
				t.Errorf("%s:%s\nwant%s", what, got, c.want)
			}
			text, err := json.Marshal(paths)
			var back []exosql.AccessPath
			if err == nil {
				err = json.Unmarshal(text, &back)
			}
			if err != nil || lines(back) != lines(paths) {
				t.Errorf("%s: %s: %v", what, text, err)
			}
		}
		if _, err := exosql.AccessPaths(t.Context(), nil); fail.KindOf(err) != fail.Invalid {
			t.Error(err)
		}
		plain := p().Of(exosql.Grant(db, parcels, parcelOrg.Eq(1)))
		if got, want := lines(kit.AccessPaths(t, exo.Wrap(plain, exo.Policy{}))), lines(kit.AccessPaths(t, plain)); got != want || got == "" {
			t.Errorf("attenuated: %s\nwant %s", got, want)
		}
	})
}

// TestHalfServed: an index that serves a use in part is not said to serve it, and what would serve all of it is named.
func TestHalfServed(t *testing.T) {
	type sheet struct{ ID, Org, Code, State int64 }
	sheets := exosql.NewTable[sheet]("sheets")
	id, org := exosql.NewKey(sheets, "id", func(s *sheet) *int64 { return &s.ID }), exosql.NewColumn(sheets, "org", func(s *sheet) *int64 { return &s.Org })
	code, state := exosql.NewColumn(sheets, "code", func(s *sheet) *int64 { return &s.Code }), exosql.NewColumn(sheets, "state", func(s *sheet) *int64 { return &s.State })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for name, c := range map[string]struct{ index, want string }{
			"a column between": {"CREATE INDEX sheets_gap ON sheets (org, state, code)", "sheet.code: =, range, order, descending order: every row in scope is read. Would serve: CREATE INDEX sheets_by_org_code" + e.Pick("", "_id") + " ON sheets (org, code" + e.Pick("", ", id") + ")"},
			"ties":             {"CREATE INDEX sheets_state ON sheets (org, state" + e.Pick(" DESC", "") + ")", "sheet.state: order, descending order: by the index sheets_state, and all rows with the same value are read, to sort them by the key. Would serve: CREATE INDEX sheets_by_org_state" + e.Pick("", "_id") + " ON sheets (org, state" + e.Pick("", ", id") + ")"},
		} {
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE sheets (id {int} PRIMARY KEY, org {int} NOT NULL, code {int} NOT NULL, state {int} NOT NULL)", c.index)})
			got := lines(kit.AccessPaths(t, exosql.NewFacet(sheets, "sheet", id, code, state).Of(exosql.Grant(db, sheets, org.Eq(1)))))
			if !strings.Contains(got, c.want+"\n") {
				t.Errorf("%s:\n%swant %s", name, got, c.want)
			}
		}
	})
}

// TestTextCollation: whatever the collation of a text is, an index by code points serves its orders and ranges, is named, and
// gives the order that programs have; an index in the text's own collation serves =.
func TestTextCollation(t *testing.T) {
	type sheet struct {
		ID, Org int64
		Title   string
	}
	sheets := exosql.NewTable[sheet]("sheets")
	id, org := exosql.NewKey(sheets, "id", func(s *sheet) *int64 { return &s.ID }), exosql.NewColumn(sheets, "org", func(s *sheet) *int64 { return &s.Org })
	title := exosql.NewColumn(sheets, "title", func(s *sheet) *string { return &s.Title })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE sheets (id {int} PRIMARY KEY, org {int} NOT NULL, title TEXT "+e.Pick("", `COLLATE "en-US-x-icu"`)+" NOT NULL)",
			"INSERT INTO sheets VALUES (1, 1, 'b'), (2, 1, 'A'), (3, 1, 'a'), (4, 1, 'B'), (5, 1, 'ä'), (6, 2, 'c')", "CREATE INDEX sheets_own ON sheets (org, title"+e.Pick("", ", id")+")")})
		o := exosql.NewFacet(sheets, "sheet", id, title).Of(exosql.Grant(db, sheets, org.Eq(1)))
		got := lines(kit.AccessPaths(t, o))
		const fix = `CREATE INDEX sheets_by_org_title_id ON sheets (org, title COLLATE "C", id)`
		if !strings.Contains(got, "sheet.title: ="+e.Pick(", range, order, descending order", "")+": by the index sheets_own\n") || strings.Contains(got, fix) != (e.Name == tu.Postgres.Name) {
			t.Error(got)
		}
		if e.Name == tu.Postgres.Name {
			if _, err := e.SQLDB(t, url).ExecContext(t.Context(), fix); err != nil {
				t.Fatal(err)
			}
			if got := lines(kit.AccessPaths(t, o)); !strings.Contains(got, "sheet.title: range, order, descending order: by the index sheets_by_org_title_id\n") {
				t.Error(got)
			}
		}
		out := tu.NewRunner(t, map[string]exo.Object{"sheets": o}, exo.Limits{}).Run(t, "return (await sheets.where(s => s.title.ge('B')).orderBy(s => s.title).limit(20).execute()).map(s => s.title).join('')")
		if out.JSON != `"Babä"` || fenced(out.SQL[0]) {
			t.Errorf("%v %v", out, out.SQL)
		}
	})
}

// TestOtherCollation: an index whose scope column has another collation serves nothing, and does not keep the right one from
// being named.
func TestOtherCollation(t *testing.T) {
	type sheet struct {
		ID   int64
		Org  string
		Code int64
	}
	sheets := exosql.NewTable[sheet]("sheets")
	id, org := exosql.NewKey(sheets, "id", func(s *sheet) *int64 { return &s.ID }), exosql.NewColumn(sheets, "org", func(s *sheet) *string { return &s.Org })
	code := exosql.NewColumn(sheets, "code", func(s *sheet) *int64 { return &s.Code })
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE sheets (id {int} PRIMARY KEY, org TEXT NOT NULL, code {int} NOT NULL)",
			"CREATE INDEX sheets_other ON sheets (org COLLATE "+e.Pick("NOCASE", `"POSIX"`)+", code)")})
		got := lines(kit.AccessPaths(t, exosql.NewFacet(sheets, "sheet", id, code).Of(exosql.Grant(db, sheets, org.Eq("a")))))
		if strings.Contains(got, "dearer") || !strings.Contains(got, "CREATE INDEX sheets_by_org_code") {
			t.Error(got)
		}
	})
}
