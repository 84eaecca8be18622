package kit

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// File opens a database that other connections can query too: a file, or a database of the server.
func File(t *testing.T, e tu.Engine, statements ...string) (*exosql.DB, *sql.DB) {
	t.Helper()
	return FileOf(t, e, &exosql.OpenOptions{WriteIdle: time.Minute}, statements...) // the long time keeps the test from failing on a slow machine
}

// FileOf opens a database like File, with options.
func FileOf(t *testing.T, e tu.Engine, opt *exosql.OpenOptions, statements ...string) (*exosql.DB, *sql.DB) {
	t.Helper()
	url, driver, name := "", "pgx", ""
	if e.Name == tu.SQLite.Name {
		name, driver = filepath.Join(t.TempDir(), "x.db"), "sqlite"
		url = "sqlite:" + name
	} else {
		url = e.URL(t)
		name = url
	}
	opt.Setup = e.Exec(statements...)
	db := e.OpenURL(t, url, opt)
	raw, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return db, raw
}
