package exosql_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/tracelog"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func TestOpenSQLite(t *testing.T) {
	ctx := t.Context()
	file := filepath.Join(t.TempDir(), "a?b#c.db") // no character of a path is an option
	for path, opt := range map[string]*exosql.OpenOptions{":memory:": {Setup: tu.SQLite.Fill()}, file: {Setup: tu.SQLite.Fill()}} {
		db, err := exosql.OpenSQLite(ctx, path, opt)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(ctx); n == 0 || err != nil {
			t.Errorf("%s: %d, %v", path, n, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if db, err := exosql.OpenSQLite(ctx, file, nil); err != nil {
		t.Errorf("a file that is there, without options: %v", err)
	} else {
		db.Close()
	}
	for path, says := range map[string]string{"sqlite::memory:": `pass ":memory:"`, "sqlite:a.db": `pass "a.db"`, "sqlite:": "Open"} {
		_, err := exosql.OpenSQLite(ctx, path, &exosql.OpenOptions{Setup: tu.SQLite.Fill()}) // which would create such a file
		if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %s", path, err, says)
		}
	}
	for _, path := range []string{"", filepath.Join(t.TempDir(), "none")} {
		if _, err := exosql.OpenSQLite(ctx, path, nil); err == nil {
			t.Errorf("%q was opened", path)
		}
	}
}

// TestOpenURL: the error says what was given, as far as it can't be a password, and what is right.
func TestOpenURL(t *testing.T) {
	for url, says := range map[string]string{
		"mysql://u:SECRET@h/d":             "no such kind of database: mysql:…; want sqlite:PATH",
		"shop.db":                          `the URL has no scheme: write "sqlite:" before a path`,
		"":                                 "the URL has no scheme",
		"/data/SECRET.db":                  "the URL has no scheme",
		`C:\shop.db`:                       "the URL has no scheme",
		"host=h password=SECRET options=:": "the URL has no scheme",
		"sqlite:":                          "the path is empty; want sqlite:PATH",
		"sqlite":                           "the URL has no scheme",
		"postgres:u:SECRET@h/d":            "postgres: has no // after it; want sqlite:PATH",
	} {
		_, err := exosql.Open(t.Context(), url, nil)
		if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v; want %s", url, err, says)
		}
	}
}

// TestPoolSettings: what a URL says to pgxpool is refused with the name of what says it here.
func TestPoolSettings(t *testing.T) {
	for name, value := range map[string]string{"pool_max_conns": "2", "pool_min_conns": "1", "pool_max_conn_lifetime": "1h", "pool_health_check_period": "SECRET"} {
		_, err := exosql.Open(t.Context(), "postgres://u:SECRET@127.0.0.1:1/x?"+name+"="+value, nil)
		if fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "OpenOptions.Conns") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func poolConfig(t *testing.T, url string) *pgxpool.Config {
	t.Helper()
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOpenPostgres: what a host's configuration says of connecting counts, what it says of the
// wall does not.
func TestOpenPostgres(t *testing.T) {
	ctx, url := t.Context(), tu.Postgres.URL(t)
	c := poolConfig(t, url)
	c.MaxConns = 2
	name := c.ConnConfig.User
	c.ConnConfig.User = "nobody-of-this-name"
	before, conns, after := atomic.Int64{}, atomic.Int64{}, atomic.Int64{}
	c.BeforeConnect = func(_ context.Context, cc *pgx.ConnConfig) error {
		before.Add(1)
		cc.User = name                                                               // as one that renews a password would
		cc.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler { // it breaks the connection
			return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
		}
		return nil
	}
	c.ConnConfig.AfterConnect = func(context.Context, *pgconn.PgConn) error { conns.Add(1); return nil }
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		after.Add(1)
		for _, s := range []string{"SET default_transaction_read_only = off", "SET plan_cache_mode = force_custom_plan", "SET TimeZone = 'Asia/Tokyo'", "SELECT set_config('search_path', current_setting('search_path') || ', pg_catalog', false)", "SET work_mem = '5MB'"} {
			if _, err := conn.Exec(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
	db, err := exosql.OpenPostgres(ctx, c, &exosql.OpenOptions{Setup: tu.Postgres.Fill()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(ctx); n == 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if err := exosql.OpenAll(ctx, db); err != nil {
		t.Fatal(err)
	}
	if before.Load() != 3 || conns.Load() != 3 || after.Load() != 3 { // Setup, and two guarded ones
		t.Errorf("the hooks were called %d, %d and %d times, want 3 each", before.Load(), conns.Load(), after.Load())
	}
	if n := exosql.Conns(db); n != 2 {
		t.Errorf("%d connections, want those of MaxConns", n)
	}
	for setting, want := range map[string]string{"default_transaction_read_only": "on", "plan_cache_mode": "force_generic_plan", "TimeZone": "UTC", "work_mem": "5MB", "transaction_read_only": "on"} {
		v, err := exosql.AskOne(ctx, db, "SELECT current_setting('"+setting+"')", value.TypeText, "")
		if err != nil || v.Text() != want {
			t.Errorf("%s is %q, %v; want %q", setting, v.Text(), err, want)
		}
	}
	if v, err := exosql.AskOne(ctx, db, "SELECT current_setting('search_path')", value.TypeText, ""); err != nil || !strings.HasSuffix(v.Text(), ", pg_temp") || strings.Contains(v.Text(), "pg_catalog") {
		t.Errorf("the search path is %q, %v", v.Text(), err)
	}
	first, second := backend(t, db), backend(t, db)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := exosql.AskOne(short, db, "SELECT pg_sleep(100)::text", value.TypeText, ""); err == nil {
		t.Error("a query went on after its context")
	}
	if other, again := backend(t, db), backend(t, db); again != first || other != second {
		t.Errorf("the connection of a cancelled query was given up: %d, now %d", first, again)
	}
	if err := exosql.Check(ctx, db, tu.Tags); err != nil {
		t.Errorf("the catalogue is read with the same configuration: %v", err)
	}
	if c.ConnConfig.User == name || c.ConnConfig.RuntimeParams["application_name"] != "" {
		t.Errorf("the host's configuration was changed: %s %v", c.ConnConfig.User, c.ConnConfig.RuntimeParams)
	}
	c.ConnConfig.Host = "changed.invalid" // by the host, later: no matter
	if _, err := exosql.AskOne(ctx, db, "SELECT 1::bigint", value.TypeInt, ""); err != nil {
		t.Error(err)
	}
}

// TestOpenPostgresRefuses: a hook that would not be called is an error, and so is a
// connection for which a hook says no.
func TestOpenPostgresRefuses(t *testing.T) {
	ctx, url := t.Context(), tu.Postgres.URL(t)
	for name, change := range map[string]func(c *pgxpool.Config){
		//lint:ignore SA1019 hosts may still set it
		"BeforeAcquire": func(c *pgxpool.Config) { c.BeforeAcquire = func(context.Context, *pgx.Conn) bool { return true } },
		"PrepareConn": func(c *pgxpool.Config) {
			c.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return true, nil }
		},
		"AfterRelease": func(c *pgxpool.Config) { c.AfterRelease = func(*pgx.Conn) bool { return true } },
		"BeforeClose":  func(c *pgxpool.Config) { c.BeforeClose = func(*pgx.Conn) {} },
		"ShouldPing": func(c *pgxpool.Config) {
			c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
		},
		"ConnConfig.Tracer":    func(c *pgxpool.Config) { c.ConnConfig.Tracer = &tracelog.TraceLog{} },
		"configuration is nil": func(c *pgxpool.Config) { c.ConnConfig = nil },
	} {
		c := poolConfig(t, url)
		change(c)
		if db, err := exosql.OpenPostgres(ctx, c, nil); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, db, err)
		}
	}
	if _, err := exosql.OpenPostgres(ctx, nil, nil); fail.KindOf(err) != fail.Invalid {
		t.Errorf("nil: %v", err)
	}
	no := errors.New("no connection today")
	for name, change := range map[string]func(c *pgxpool.Config){
		"BeforeConnect": func(c *pgxpool.Config) { c.BeforeConnect = func(context.Context, *pgx.ConnConfig) error { return no } },
		"AfterConnect":  func(c *pgxpool.Config) { c.AfterConnect = func(context.Context, *pgx.Conn) error { return no } },
	} {
		c := poolConfig(t, url)
		change(c)
		if _, err := exosql.OpenPostgres(ctx, c, nil); err == nil || !strings.Contains(err.Error(), no.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
