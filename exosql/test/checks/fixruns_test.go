package checks_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type frRow struct{ ID, Tenant, Order, Name, New int64 }

type frKid struct{ ID, Of, Long1, Long2 int64 }

var frStatement = regexp.MustCompile(`^(CREATE|ALTER|DROP|GRANT|REVOKE) `)

// TestFixesRun: a statement that a finding or a report of indexes suggests runs as it is printed, for whoever runs it: with names of any
// signs, with names that are taken, and in a session whose search path lacks the schema. Afterwards nothing of it is found any more.
func TestFixesRun(t *testing.T) {
	tu.NotRaced(t)
	const taken = `CREATE TABLE "my table_by_order" (x {int}); CREATE INDEX "select_by_Of Row" ON "my table_by_order" (x);`
	long1, long2 := "a_long_name_of_a_column_that_is_one_of_two_like_it_1", "a_long_name_of_a_column_that_is_one_of_two_like_it_2"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		url := e.URL(t)
		setup := strings.Join([]string{`CREATE TABLE "my table" ("ID" {int} NOT NULL, tenant {int} ` + e.Pick("NOT NULL", "") + `, "order" {int} NOT NULL, "na""me" ` + e.Pick("TEXT", "tsvector") + ` NOT NULL);`,
			`CREATE TABLE "select" (id {int} PRIMARY KEY, "Of Row" {int} NOT NULL, ` + long1 + ` {int} NOT NULL, ` + long2 + ` {int} NOT NULL);`, taken,
			e.Pick("", `ALTER TABLE "my table" ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON "my table" USING (true); ALTER TABLE "my table" DISABLE ROW LEVEL SECURITY;`)}, "")
		db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(setup)})
		rows := exosql.NewTable[frRow]("my table")
		id := exosql.NewKey(rows, "ID", func(r *frRow) *int64 { return &r.ID })
		tenant := exosql.NewColumn(rows, "tenant", func(r *frRow) *int64 { return &r.Tenant })
		order := exosql.NewColumn(rows, "order", func(r *frRow) *int64 { return &r.Order }).Named("place")
		exosql.NewColumn(rows, `na"me`, func(r *frRow) *int64 { return &r.Name }).Named("name")
		exosql.NewColumn(rows, "new one", func(r *frRow) *int64 { return &r.New }).Named("newOne")
		kids := exosql.NewTable[frKid]("select")
		kid := exosql.NewKey(kids, "id", func(k *frKid) *int64 { return &k.ID })
		of := exosql.NewColumn(kids, "Of Row", func(k *frKid) *int64 { return &k.Of }).Named("row")
		one := exosql.NewColumn(kids, "a_long_name_of_a_column_that_is_one_of_two_like_it_1", func(k *frKid) *int64 { return &k.Long1 })
		two := exosql.NewColumn(kids, "a_long_name_of_a_column_that_is_one_of_two_like_it_2", func(k *frKid) *int64 { return &k.Long2 })
		gone := exosql.NewTable[frKid]("not there")
		exosql.NewKey(gone, "id", func(k *frKid) *int64 { return &k.ID })
		link := exosql.Many("kids", id, of)
		what := []exosql.Declared{exosql.Grant(db, rows, exosql.And(tenant.Eq(1)), exosql.ScopeVia(link)), exosql.Grant(db, rows, order.Eq(1), exosql.ScopeVia(link)), gone}
		facet := exosql.NewFacet(kids, "kid", kid, of, one, two).Of(exosql.Grant(db, kids, of.Eq(1)))
		hand := e.SQLDB(t, url)
		hand.SetMaxOpenConns(1)
		if e == tu.Postgres {
			if _, err := hand.Exec("SET search_path TO pg_catalog"); err != nil {
				t.Fatal(err)
			}
		}
		find := func() (out []string) {
			t.Helper()
			found, err := exosql.Findings(t.Context(), db, what...)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if frStatement.MatchString(f.Fix) {
					out = append(out, f.Fix)
				}
			}
			return out
		}
		run := func(statements []string) {
			t.Helper()
			for _, s := range statements {
				if _, err := hand.Exec(s); err != nil {
					t.Errorf("%s: %v", s, err)
				}
			}
		}
		fixes := find()
		if want := map[tu.Engine]int{tu.SQLite: 5, tu.Postgres: 8}[e]; len(fixes) < want {
			t.Errorf("%d statements, want %d: %q", len(fixes), want, fixes)
		}
		run(fixes)
		if again := find(); len(again) > 0 {
			t.Errorf("still found: %q", again)
		}
		var indexes []string
		for _, p := range kit.AccessPaths(t, facet) {
			if s := p.Fix.SQL(); s != "" && !slices.Contains(indexes, s) { // two uses may be served by one
				indexes = append(indexes, s)
			}
		}
		if len(indexes) < 2 {
			t.Errorf("indexes: %q", indexes)
		}
		run(indexes)
		for _, p := range kit.AccessPaths(t, facet) {
			if p.Fix != nil {
				t.Errorf("still no index: %s", p)
			}
		}
	})
}
