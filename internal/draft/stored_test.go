package draft_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/schema/gen"
)

// TestDraftOfForms: the forms of cells are in a draft and in Go declarations, with the share, and nothing is wrong in what was drafted. A
// table whose columns are called like its rowid is looked at as well, and of a large one its two ends.
func TestDraftOfForms(t *testing.T) {
	setup := []string{"CREATE TABLE tenants (id INTEGER PRIMARY KEY, title TEXT NOT NULL)", "INSERT INTO tenants VALUES (1, 'a')",
		"CREATE TABLE jobs (id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenants (id), made DATETIME NOT NULL, due DATETIME, ended TIMESTAMP, day DATE, plain DATE, done BOOLEAN, flag BOOLEAN, blank DATETIME, rest DATETIME, odd DATE, birth_date DATETIME, loose, \"e-mail\" TEXT)",
		"INSERT INTO jobs (tenant_id, made, due, ended, day, plain, done, flag, rest, odd, birth_date) SELECT *, 1704164645000 FROM (VALUES (1, 1704164645000, '2024-01-02 03:04:05', '2024-01-02 03:04:05.5 +0000 UTC', '2024-01-02 00:00:00', '2024-01-02', 't', 1, 1704164645, 'x'), (1, 1704164646000, NULL, '2024-01-02 03:04:05 +0000 UTC m=+0.1', '2024-02-29 00:00:00', '2024-01-02', 'f', 0, 1704164646, '2024-01-02'), (1, 1704164646000, NULL, NULL, NULL, NULL, NULL, NULL, 'then', NULL))",
		`CREATE TABLE ends ("rowid" INTEGER NOT NULL, "_rowid_" TEXT, oid TEXT, tenant_id INTEGER NOT NULL REFERENCES tenants (id), at DATETIME)`, "INSERT INTO ends VALUES (1, 'a', 'b', 1, 1704164645)",
		"CREATE TABLE many (id INTEGER PRIMARY KEY, tenant_id INTEGER NOT NULL REFERENCES tenants (id), at DATETIME)",
		"INSERT INTO many SELECT value, 1, CASE WHEN value > 700 THEN '2024-01-02T03:04:05.000Z' ELSE 1704164645 END FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1200) SELECT value FROM n)"}
	db := tu.SQLite.OpenWith(t, &exosql.OpenOptions{Setup: tu.SQLite.Exec(setup...)})
	_, text, decl := drafted(t, db, draft.Options{Tenant: "tenants"})
	for _, want := range []string{"made: { stored: unix-ms } # so are the 3 cells that were looked at\n", "due: { stored: sql } # so are the 1 cells", "ended: { stored: go } # so are the 2 cells", "day: { stored: sql } # so are the 2 cells", " plain:\n", "done: { stored: t/f } #", "# birth_date: { stored: unix-ms, label: [pii] } # its name sounds like", "# loose: { type: text } # the database gives the column no type", "# \"e-mail\": { as: eMail, label: [pii] } # its name sounds like", " flag:\n", " blank:\n",
		"rest: { stored: unix } # so are 2 of the 3 cells that were looked at, and programs can't read the others\n", "odd: # 1 of the 2 cells that were looked at are in a form that programs can't read\n", "at: { stored: unix } # so are the 1 cells", "at: # 500 of the 1000 cells that were looked at are in a form that programs can't read\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("not in the draft: %q\n%s", want, text)
		}
	}
	findings, err := decl.Check()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.Warning {
			t.Errorf("found: %s", f)
		}
	}
	live, err := db.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	declared, err := gen.Declare(live, gen.Options{Package: "jobs"})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, f := range declared.Files {
		all += string(f.Text)
	}
	for _, want := range []string{`.Stored("unix-ms") // so are 3 of the 3 cells that were looked at`, `.Stored("t/f") // so are 2 of`} {
		if !strings.Contains(all, want) {
			t.Errorf("not in the declarations: %q\n%s", want, all)
		}
	}
}
