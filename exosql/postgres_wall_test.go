package exosql_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// The second wall on PostgreSQL: whatever text reached a guarded connection, it
// could not write. The twin is a plain connection, on which each statement works.
func TestPostgresWall(t *testing.T) {
	ctx, e := t.Context(), tu.Postgres
	url := e.URL(t)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Fill("CREATE SEQUENCE seq")})
	plain := tu.Admin(t, url)
	defer plain.Close()
	if v, err := exosql.AskOne(ctx, db, "SELECT count(*) FROM orgs", value.TypeInt, ""); err != nil || v.Int() != 2 {
		t.Fatalf("what a plan does is refused: %v %v", v, err)
	}
	const readOnly, several, begun = "25006", "42601", "25001"
	for statement, code := range map[string]string{
		"INSERT INTO tags VALUES (9, 'x')":                                    readOnly,
		"INSERT INTO tags VALUES (12, 'x') RETURNING name":                    readOnly,
		"UPDATE orgs SET name = 'x'":                                          readOnly,
		"DELETE FROM task_tags":                                               readOnly,
		"WITH d AS (DELETE FROM task_tags RETURNING tag_id) SELECT '' FROM d": readOnly,
		"TRUNCATE task_tags":                                                  readOnly,
		"CREATE TABLE x (a int)":                                              readOnly,
		"CREATE TEMP TABLE x2 (a int)":                                        readOnly,
		"CREATE VIEW v AS SELECT 1":                                           readOnly,
		"ALTER TABLE tags RENAME TO t; ALTER TABLE t RENAME TO tags":          several,
		"ALTER TABLE tags ADD COLUMN x int":                                   readOnly,
		"COMMENT ON TABLE tags IS 'x'":                                        readOnly,
		"SELECT nextval('seq')::text":                                         readOnly,
		"SELECT name FROM tags FOR UPDATE":                                    readOnly,
		"SELECT ''; INSERT INTO tags VALUES (10, 'x')":                        several,
		"COMMIT; INSERT INTO tags VALUES (11, 'x')":                           several,
	} {
		for cells := range 2 {
			_, err := exosql.Ask(ctx, db, statement, value.TypeText, "", cells)
			if got := exosql.SQLState(err); err == nil || got != code && !strings.Contains(err.Error(), "but exosql wrote it with") {
				t.Errorf("%s: %v, want %s", statement, err, code)
			}
		}
		if _, err := plain.Exec(statement); err != nil {
			t.Errorf("the twin refuses %s: %v", statement, err)
		}
	}
	if _, err := exosql.Ask(ctx, db, "SET TRANSACTION READ WRITE", value.TypeText, "", 0); exosql.SQLState(err) != begun {
		t.Errorf("the transaction can be made to write: %v", err)
	}
	if err := exosql.VerifyWall(ctx, db, "BEGIN READ WRITE"); err == nil || !strings.Contains(err.Error(), "in a read-only transaction") {
		t.Errorf("a transaction that writes: %v", err)
	}
	var made int
	if err := plain.QueryRow("SELECT count(*) FROM pg_class WHERE relname = 'exo_wall'").Scan(&made); err != nil || made != 0 {
		t.Errorf("verifying the wall left something behind: %d %v", made, err)
	}
	if err := exosql.VerifyWall(ctx, db, "BEGIN READ ONLY"); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// Nothing that a statement sets outlives it: the settings of a connection are
// the same before and after, whatever ran.
func TestPostgresStateDoesNotLeak(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	ctx, e := t.Context(), tu.Postgres
	db := e.OpenWith(t, &exosql.OpenOptions{Conns: 1, Setup: e.Fill()})
	settings := func() string {
		t.Helper()
		v, err := exosql.AskOne(ctx, db, "SELECT string_agg(name || '=' || setting, E'\\n' ORDER BY name) || (SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'mine%') || current_user || pg_my_temp_schema() FROM pg_settings WHERE name <> 'statement_timeout'", value.TypeText, "")
		if err != nil {
			t.Fatal(err)
		}
		return v.Text()
	}
	before, pid := settings(), backend(t, db)
	for _, pinned := range []string{"plan_cache_mode=force_generic_plan", "jit=off", "max_parallel_workers_per_gather=0", "TimeZone=UTC", "transform_null_equals=off"} {
		if !strings.Contains(before, pinned+"\n") {
			t.Errorf("%s is not set", pinned)
		}
	}
	for _, statement := range []string{
		"SET search_path = pg_catalog",
		"SET TimeZone = 'Asia/Tokyo'",
		"SET DateStyle = 'SQL, DMY'",
		"SET standard_conforming_strings = off",
		"SET default_transaction_read_only = off",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
		"SET SESSION AUTHORIZATION DEFAULT",
		"SET ROLE pg_monitor",
		"RESET ALL",
		"LISTEN x",
		"COMMIT",
		"ROLLBACK",
		"ROLLBACK AND CHAIN",
		"SAVEPOINT a",
	} {
		_, err := exosql.Ask(ctx, db, statement, value.TypeText, "", 0)
		if after := settings(); after != before {
			t.Errorf("%s (%v) changed the connection", statement, err)
		}
	}
	if _, err := exosql.AskOne(ctx, db, "SELECT set_config('TimeZone', 'Asia/Tokyo', false)", value.TypeText, ""); err != nil {
		t.Errorf("the twin: %v", err)
	}
	if settings() != before || backend(t, db) != pid {
		t.Error("set_config changed the connection")
	}
	// What no transaction takes back costs the connection, and no query.
	if _, err := exosql.Ask(ctx, db, "DEALLOCATE ALL", value.TypeText, "", 0); exosql.SQLState(err) != "26000" {
		t.Fatal(err)
	}
	if settings() != before || backend(t, db) == pid {
		t.Error("the connection without its statements is still used")
	}
}

func backend(t *testing.T, db *exosql.DB) uint32 {
	t.Helper()
	pid, err := exosql.Backend(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// A role with the least grants is a wall of its own: it reads what was granted to
// it, column by column, and the rows that a policy shows it.
func TestPostgresLeastRole(t *testing.T) {
	e := tu.Postgres
	url, role := e.URL(t), "exo_role_"+strings.ToLower(rand.Text())
	admin := tu.Admin(t, url)
	defer admin.Close()
	if err := e.Fill()(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Exec("CREATE ROLE " + role + " LOGIN NOSUPERUSER NOBYPASSRLS"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		plain := tu.Admin(t, tu.Server(t))
		if _, err := plain.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{
		"GRANT SELECT (id, name) ON orgs TO " + role, "GRANT SELECT ON tags TO " + role,
		"ALTER TABLE tags ENABLE ROW LEVEL SECURITY", "CREATE POLICY few ON tags USING (id < 3)",
		`DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO ` + role + `'; END $$`,
	} {
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db := e.OpenURL(t, tu.AsUser(t, url, role), nil)
	facet := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgName)
	wide := exosql.NewFacet(tu.Orgs, "org", tu.OrgID, tu.OrgKey)
	all := exosql.Grant(db, tu.Orgs, exosql.AllRows[tu.Org]())
	tags := exosql.NewFacet(tu.Tags, "tag", tu.TagID).Of(exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()))
	r := tu.NewRunner(t, map[string]exo.Object{"orgs": facet.Of(all), "tags": tags}, exo.Limits{})
	if o := r.Run(t, "return [await orgs.count(), (await orgs.first()).name, await tags.count()]"); o.JSON != `[2,"ACME org",2]` {
		t.Error(o)
	}
	o := tu.NewRunner(t, map[string]exo.Object{"orgs": wide.Of(all)}, exo.Limits{}).Run(t, "return await orgs")
	if o.Kind != fail.Internal || exosql.SQLState(o.Result.Err) != "42501" {
		t.Errorf("a column that the role may not read: %s", o)
	}
}

// What the URL or the role sets can't change what a query means.
func TestPostgresSettingsArePinned(t *testing.T) {
	e := tu.Postgres
	url := e.URL(t)
	for name, value := range map[string]string{
		"timezone": "Asia/Tokyo", "datestyle": "SQL, DMY", "intervalstyle": "sql_standard", "standard_conforming_strings": "off", "extra_float_digits": "-15",
		"client_encoding": "LATIN1", "transform_null_equals": "on", "default_transaction_read_only": "off", "default_transaction_isolation": "serializable", "bytea_output": "escape",
	} {
		url = tu.WithParam(t, url, name, value)
	}
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec("SET TimeZone = 'UTC'; SET client_encoding = 'UTF8'", "CREATE TABLE v (id bigint, s text, at timestamp, f double precision, d interval)",
		`INSERT INTO v VALUES (1, chr(8364) || chr(92), '2026-03-04 05:06:07', 0.1, '1 year 2 hours')`)})
	for expr, c := range map[string]struct{ kind, want string }{
		"s": {value.TypeText, `"€\\"`}, "at": {value.TypeTime, "2026-03-04T05:06:07.000Z"}, "f": {value.TypeFloat, "0.1"}, "d": {value.TypeInterval, `"P1YT2H"`},
		"to_char(at, 'DD') || at": {value.TypeText, `"042026-03-04 05:06:07"`}, "'\\n'": {value.TypeText, `"\\n"`}, "at = timestamptz '2026-03-04 05:06:07Z'": {value.TypeBool, "true"}, "f::text || d": {value.TypeText, `"0.1P1YT2H"`},
	} {
		v, err := exosql.AskOne(t.Context(), db, "SELECT "+expr+" FROM v WHERE id = $1", c.kind, "", value.Int(1))
		if err != nil || v.String() != c.want {
			t.Errorf("%s: %v %v, want %s", expr, v, err, c.want)
		}
	}
}

// No error of ours holds the password, however deep one looks into it; and what
// the server says is for the host alone.
func TestPostgresErrors(t *testing.T) {
	const secret = "hunter2SECRET"
	for _, url := range []string{
		"postgres://user:" + secret + "@127.0.0.1:1/db?sslmode=disable",
		"postgres://user:" + secret + "@nowhere.invalid/db?connect_timeout=1",
		"postgres://user@127.0.0.1:1/db?sslmode=disable&password=" + secret,
		"postgres://user:" + secret + "@127.0.0.1:port/db",
		"postgres://user:" + secret + "@127.0.0.1:1/db?sslmode=wrong",
		"postgres://user:" + secret + "/db@%zz",
		"postgres:user:" + secret + "@127.0.0.1",
		"postgress://user:" + secret + "@127.0.0.1/db",
		"mysql://user:" + secret + "@127.0.0.1/db",
		"user:" + secret,
	} {
		for _, opt := range []*exosql.OpenOptions{nil, {Setup: tu.Postgres.Fill()}} {
			db, err := exosql.Open(t.Context(), url, opt)
			if err == nil {
				db.Close()
				t.Fatalf("%s was opened", url)
			}
			for _, s := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err)} {
				if strings.Contains(s, secret) {
					t.Errorf("the error of %s holds the password: %s", url, s)
				}
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if holds(err, secret, 7_777_777_777) != "" {
					t.Errorf("the error of %s holds the password in a %v", url, reflect.TypeOf(err))
				}
			}
		}
	}
	e := tu.Postgres
	db := e.Open(t, "ALTER TABLE tasks RENAME COLUMN title TO SECRET")
	o := tu.As(t, db, tu.Acme, exo.Limits{}).Run(t, "return await tasks.execute()")
	if o.Kind != fail.Internal || o.Message != "tasks.execute: internal error" {
		t.Errorf("got %s", o)
	}
	if got := exosql.SQLState(o.Result.Err); got != "42703" {
		t.Errorf("the host reads %q: %v", got, o.Result.Err)
	}
}
