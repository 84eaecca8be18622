package testutil

import (
	"context"
	"crypto/rand"
	"database/sql"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql"
)

// Engine is a kind of database that tests run on.
type Engine struct {
	Name  string
	types *strings.Replacer
}

var (
	SQLite = Engine{"sqlite", strings.NewReplacer("{strict}", "STRICT", "{int}", "INTEGER", "{float}", "REAL", "{time}", "TEXT",
		"{decimal}", "TEXT", "{date}", "TEXT", "{interval}", "TEXT", "{uuid}", "TEXT", "{bytes}", "BLOB", "{json}", "TEXT", "{texts}", "TEXT", "{ints}", "TEXT", "{decimals}", "TEXT")}
	Postgres = Engine{"postgres", strings.NewReplacer("{strict}", "", "{int}", "bigint", "{float}", "double precision", "{time}", "timestamptz",
		"{decimal}", "numeric", "{date}", "date", "{interval}", "interval", "{uuid}", "uuid", "{bytes}", "bytea", "{json}", "jsonb", "{texts}", "text[]", "{ints}", "int[]", "{decimals}", "numeric[]")}
)

// Engines runs a test on each engine. Every behaviour that depends on a database is tested with Engines; a test on only one engine gives
// its reason. ./test.sh --quick runs a third of the tests on PostgreSQL.
func Engines(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range []Engine{SQLite, Postgres} {
		t.Run(e.Name, func(t *testing.T) {
			if testing.Short() && e.Name == Postgres.Name && !OneIn(t, 1).Next() {
				t.Skip("./test.sh --quick leaves it out today")
			}
			test(t, e)
		})
	}
}

// SQL writes a statement for the engine. Words like {int} and {time} become types.
func (e Engine) SQL(text string) string { return e.types.Replace(text) }

// Pick returns the text for this engine.
func (e Engine) Pick(sqlite, postgres string) string {
	if e.Name == SQLite.Name {
		return sqlite
	}
	return postgres
}

// Fill creates the tables and rows of two tenants, and then runs further statements.
func (e Engine) Fill(more ...string) func(context.Context, *sql.DB) error {
	return e.Exec(append([]string{ddl, rows}, more...)...)
}

// Exec runs statements. On PostgreSQL, ANALYZE covers only the test's own tables. On all tables it could deadlock with another test: each
// would wait for tables that the other one uses or drops.
func (e Engine) Exec(statements ...string) func(context.Context, *sql.DB) error {
	return func(ctx context.Context, db *sql.DB) error {
		text := e.SQL(strings.Join(statements, ";\n"))
		if e.Name == Postgres.Name {
			text = analyze.ReplaceAllLiteralString(text, ";\nDO $$ DECLARE t text; BEGIN FOR t IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema() LOOP EXECUTE 'ANALYZE ' || t; END LOOP; END $$;")
		}
		_, err := db.ExecContext(ctx, text)
		return err
	}
}

var analyze = regexp.MustCompile(`;\s*ANALYZE\s*(;|\z)`)

// Open opens a fresh database of two tenants, after running further statements. The test's end closes it.
func (e Engine) Open(t testing.TB, more ...string) *exosql.DB {
	t.Helper()
	return e.OpenWith(t, &exosql.OpenOptions{Setup: e.Fill(more...)})
}

// OpenWith opens a fresh and empty database.
func (e Engine) OpenWith(t testing.TB, opt *exosql.OpenOptions) *exosql.DB {
	t.Helper()
	url := "sqlite::memory:"
	if e.Name == Postgres.Name {
		url = e.URL(t)
	}
	return e.OpenURL(t, url, opt)
}

// OpenURL opens a database, which the test's end closes.
func (e Engine) OpenURL(t testing.TB, url string, opt *exosql.OpenOptions) *exosql.DB {
	t.Helper()
	if e.Name == Postgres.Name && os.Getenv("EXO_POOLER") != "" {
		url, opt = e.pooled(t, url, opt)
	}
	db, err := exosql.Open(context.Background(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// pooled runs Setup, and then puts a PgBouncer of two sessions in transaction mode before the database. So with EXO_POOLER=1 the tests of all
// packages run through a pooler.
func (e Engine) pooled(t testing.TB, url string, opt *exosql.OpenOptions) (string, *exosql.OpenOptions) {
	t.Helper()
	after := exosql.OpenOptions{}
	if opt != nil {
		after = *opt
	}
	if after.Setup != nil {
		db, err := sql.Open("pgx", url)
		if err == nil {
			err = after.Setup(context.Background(), db)
			db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		after.Setup = nil
	}
	return Pooled(t, url, 2), &after
}

// Pooled returns the URL of a database through a new PgBouncer in transaction mode with size sessions. The URL keeps its settings.
func Pooled(t testing.TB, direct string, size int) string {
	t.Helper()
	params := url.Values{}
	withURL(t, direct, func(u *url.URL) { params = u.Query() })
	delete(params, "sslmode")
	delete(params, "host")
	pool := PgBouncer(t, direct, "transaction", size, "ignore_startup_parameters = "+strings.Join(append(slices.Collect(maps.Keys(params)), "extra_float_digits"), ","), "server_reset_query =")
	for name := range params {
		pool = WithParam(t, pool, name, params.Get(name))
	}
	return pool
}

// URL returns the URL of a fresh and empty database, which the test's end deletes: a file, or a schema of the database at TEST_POSTGRES_URL.
func (e Engine) URL(t testing.TB) string {
	t.Helper()
	if e.Name == SQLite.Name {
		return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	}
	return e.within(t, Server(t))
}

// NoSchema removes the test's schema before names of tables in a text, because each test has another one.
func NoSchema(text string) string { return testSchema.ReplaceAllString(text, "") }

var testSchema = regexp.MustCompile(`"?exo_test_[a-z0-9]{16}"?\.`)

// within makes a fresh schema in a PostgreSQL database and returns its URL.
func (e Engine) within(t testing.TB, server string) string {
	t.Helper()
	admin := Admin(t, server)
	name := "exo_test_" + strings.ToLower(rand.Text()[:16])
	if _, err := admin.Exec("CREATE SCHEMA " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP SCHEMA " + name + " CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return WithParam(t, WithParam(t, server, "search_path", name), "timezone", "UTC")
}

// Server returns the URL of the tests' PostgreSQL database. Without one the tests are skipped. test.sh starts one, and fails if a test is
// skipped.
func Server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" {
		t.Skip("TEST_POSTGRES_URL is not set: run ./test.sh, which starts a PostgreSQL for the tests")
	}
	return url
}

// PostgresMajor returns the major version of the tests' server. A test checks it before SQL that the oldest server lacks, and reports what it
// leaves out.
func PostgresMajor(t testing.TB) int {
	t.Helper()
	var n int
	if err := Admin(t, Server(t)).QueryRow("SELECT current_setting('server_version_num')::int").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n / 10000
}

var admins sync.Map

// Admin returns a pool of connections with all rights, for statements outside of plans. The whole process shares the pool.
func Admin(t testing.TB, server string) *sql.DB {
	t.Helper()
	if db, ok := admins.Load(server); ok {
		return db.(*sql.DB)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(4)
	was, _ := admins.LoadOrStore(server, db)
	return was.(*sql.DB)
}

// InDatabase returns the URL of another database on the same server.
func InDatabase(t testing.TB, raw, name string) string {
	return withURL(t, raw, func(u *url.URL) { u.Path = "/" + name })
}

// AsUser returns the URL for another user, who needs no password.
func AsUser(t testing.TB, raw, name string) string {
	return withURL(t, raw, func(u *url.URL) { u.User = url.User(name) })
}

// Param returns a parameter of a database's URL.
func Param(t testing.TB, raw, name string) (value string) {
	withURL(t, raw, func(u *url.URL) { value = u.Query().Get(name) })
	return value
}

// WithParam adds a parameter to a URL.
func WithParam(t testing.TB, raw, name, value string) string {
	return withURL(t, raw, func(u *url.URL) {
		q := u.Query()
		q.Set(name, value)
		u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // libpq reads %20 as a space, but not +
	})
}

func withURL(t testing.TB, raw string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal("a test database's URL can't be read") // err may contain a password
	}
	change(u)
	return u.String()
}

// SQLDB opens the database at url as its owner, without exosql's restrictions, until the test ends.
func (e Engine) SQLDB(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := e.OpenSQL(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
