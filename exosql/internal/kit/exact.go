package kit

import (
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

const Lax = "CREATE COLLATION lax (provider = icu, locale = 'und-u-ks-level1', deterministic = false);"

// Wide are columns with an equality wider than exact. Each has its declaration, a tenant's name,
// and another tenant's name that the database treats as equal.
var Wide = []struct{ Engine, Before, Typ, Mine, Theirs string }{
	{"sqlite", "", "TEXT COLLATE NOCASE", "acme", "ACME"},
	{"sqlite", "", "TEXT COLLATE RTRIM", "acme", "acme "},
	{"postgres", Lax, "text COLLATE lax", "straße", "STRASSE"},
	{"postgres", Lax + "CREATE DOMAIN tenant AS varchar(9) COLLATE lax;", "tenant", "acme", "ACME"},
	{"postgres", "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;", "public.citext", "acme", "ACME"},
}

// Exactly is a type in which only identical texts are equal.
const Exactly = "TEXT"

// ExactFile opens a database with the operators of citext on its search path.
func ExactFile(t *testing.T, e tu.Engine, ddl string) (*exosql.DB, func(string) string, func(string)) {
	t.Helper()
	url := e.URL(t)
	if e.Name == tu.Postgres.Name {
		url = tu.WithParam(t, url, "search_path", tu.Param(t, url, "search_path")+",public")
	}
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(ddl)})
	raw := e.SQLDB(t, url)
	return db, func(query string) string { return Cells(t, raw, query) }, func(statement string) {
		t.Helper()
		if _, err := raw.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}
