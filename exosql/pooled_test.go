package exosql_test

// These tests share a PgBouncer in transaction mode with clients that leave things in its sessions.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// neighbour is another client of a pool.
type neighbour struct {
	t    *testing.T
	conn *pgconn.PgConn
}

func newNeighbour(t *testing.T, url string) neighbour {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return neighbour{t, c}
}

// ask returns the cells of the last statement, or its error.
func (n neighbour) ask(text string) string {
	all, err := n.conn.Exec(context.Background(), text).ReadAll()
	if err != nil {
		return err.Error()
	}
	var cells []string
	for _, row := range all[len(all)-1].Rows {
		for _, c := range row {
			cells = append(cells, string(c))
		}
	}
	return strings.Join(cells, "\n")
}

func (n neighbour) must(text string) {
	n.t.Helper()
	if _, err := n.conn.Exec(context.Background(), text).ReadAll(); err != nil {
		n.t.Fatalf("%s: %v", text, err)
	}
}

// state is all that a session keeps.
const state = `SELECT string_agg(name || '=' || setting || ' by ' || source, E'\n' ORDER BY name) FROM pg_settings WHERE name <> 'application_name' AND name NOT LIKE 'plpgsql.%'
	UNION ALL SELECT string_agg(name, ' ') FROM pg_prepared_statements UNION ALL SELECT count(*)::text FROM pg_cursors UNION ALL SELECT count(*)::text FROM pg_listening_channels() UNION ALL SELECT current_user || session_user || pg_is_other_temp_schema(pg_my_temp_schema())
	UNION ALL SELECT count(*)::text FROM pg_class WHERE relnamespace = pg_my_temp_schema() UNION ALL SELECT count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'`

// changed returns the lines that only one of two states has.
func changed(before, after string) string {
	var out []string
	for _, two := range [][2]string{{before, after}, {after, before}} {
		for line := range strings.SplitSeq(two[0], "\n") {
			if !strings.Contains("\n"+two[1]+"\n", "\n"+line+"\n") {
				out = append(out, line)
			}
		}
		out = append(out, "became")
	}
	return strings.Join(out[:len(out)-1], ", ")
}

// left are what careless clients leave in a session, each with a question whose answer it changes.
func left(evil, role string) []struct{ sets, asks string } {
	show := func(name string) string { return "SELECT current_setting('" + name + "')" }
	return []struct{ sets, asks string }{
		{"SET search_path = " + evil, "SELECT count(*)::text FROM jobs"},
		{"SET search_path = " + evil + ", pg_catalog", "SELECT coalesce(set_config('exo.run', 'x', true), 'none')"},
		{"SET search_path = " + evil + ", pg_catalog", "SELECT (1 = 1)::text"},
		{"CREATE TEMP TABLE jobs (id int, org_id int, title text)", "SELECT count(*)::text FROM jobs"},
		{"SET statement_timeout = 0", show("statement_timeout")},
		{"SET default_transaction_read_only = on", show("default_transaction_read_only")},
		{"SET default_transaction_isolation = 'repeatable read'", show("default_transaction_isolation")},
		{"SET row_security = off", show("row_security")},
		{"SET session_replication_role = replica", show("session_replication_role")},
		{"SET ROLE " + role, "SELECT current_user::text"},
		{"SET SESSION AUTHORIZATION " + role, "SELECT session_user::text"},
		{"SET TimeZone = 'Asia/Tokyo'", "SELECT '2026-01-01T00:00:00Z'::timestamptz::text"},
		{"SET DateStyle = 'SQL, DMY'", "SELECT '2026-01-02'::date::text"},
		{"SET IntervalStyle = 'sql_standard'", "SELECT '1 day 2 hours'::interval::text"},
		{"SET transform_null_equals = on", "SELECT coalesce((NULL = NULL)::text, 'null')"},
		{"SET extra_float_digits = -15", "SELECT (0.1::float8 + 0.2)::text"},
		{"SET bytea_output = escape", `SELECT '\x00'::bytea::text`},
		{"SET standard_conforming_strings = off", `SELECT length('a\\b')::text`},
		{"SET enable_nestloop = off", show("enable_nestloop")},
		{"SET work_mem = '64kB'", show("work_mem")},
		{"SET jit = on", show("jit")},
		{"SET plan_cache_mode = force_custom_plan", show("plan_cache_mode")},
		{"SET lock_timeout = 1", show("lock_timeout")},
		{"SET app.tenant = '7'", "SELECT coalesce(nullif(current_setting('app.tenant', true), ''), 'none')"},
	}
}

// pooledJobs is the tracker of package kit behind a pooler of size sessions: by way of it, directly, and as another client of it.
func pooledJobs(t *testing.T, size int, more ...string) (pooled, direct *exosql.DB, pool, evil string) {
	t.Helper()
	t.Setenv("EXO_POOLER", "")
	url := tu.Postgres.URL(t)
	evil = tu.Param(t, url, "search_path") + "_evil"
	direct = tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(append(append(kit.JobsTables(tu.Postgres), more...),
		"CREATE TABLE log (entry text)", "CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (current_user || TG_OP); RETURN NULL; END $$",
		"ALTER FUNCTION logs() SET search_path FROM CURRENT", "CREATE TRIGGER logs AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION logs()",
		"CREATE SCHEMA "+evil, "CREATE TABLE "+evil+".jobs (id int, org_id int, title text, status text, points int, person_id int)",
		"CREATE FUNCTION "+evil+".set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'evil' $$",
		"CREATE FUNCTION "+evil+".yes(int, int) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$", "CREATE OPERATOR "+evil+".= (LEFTARG = int, RIGHTARG = int, FUNCTION = "+evil+".yes)")...)})
	admin := tu.Admin(t, tu.Server(t))
	t.Cleanup(func() { _, _ = admin.Exec("DROP SCHEMA " + evil + " CASCADE") })
	pool = tu.Pooled(t, url, size)
	return tu.Postgres.OpenURL(t, pool, nil), direct, pool, evil
}

// TestPooledNeighbours: nothing that another client leaves in a session changes what a plan reads or writes there, and the session stays as that client left
// it. The other client itself, which sets nothing at the beginning of its transaction, is the twin.
func TestPooledNeighbours(t *testing.T) {
	ctx, role := t.Context(), kit.NewRole(t)
	pooled, direct, pool, evil := pooledJobs(t, 1)
	n, admin := newNeighbour(t, pool), tu.Postgres.SQLDB(t, tu.WithParam(t, tu.Server(t), "search_path", strings.TrimSuffix(evil, "_evil")))
	for _, c := range left(evil, role) {
		want, err := exosql.AskOne(ctx, direct, c.asks, value.TypeText, "")
		if err != nil {
			t.Fatalf("%s: %v", c.asks, err)
		}
		n.must(c.sets)
		before, twin := n.ask(state), n.ask(c.asks)
		got, err := exosql.AskOne(ctx, pooled, c.asks, value.TypeText, "")
		if c.sets == "SET default_transaction_read_only = on" || c.sets == "SET default_transaction_isolation = 'repeatable read'" {
			want = got // a transaction of ours begins with its own
		}
		if err != nil || got.Text() != want.Text() {
			t.Errorf("after %s, %s is %q (%v); want %q", c.sets, c.asks, got.Text(), err, want.Text())
		}
		if twin == want.Text() {
			t.Errorf("%s does not change the answer of %s", c.sets, c.asks)
		}
		change := exosql.RawWrite{Text: "UPDATE jobs SET points = points + 1 WHERE id = 1", Table: "jobs", Update: []string{"points"}, Reads: "id"}
		if err := exosql.RunRawWrite(ctx, pooled, change); err != nil {
			t.Errorf("after %s a write fails: %v", c.sets, err)
		}
		if after := n.ask(state); after != before {
			t.Errorf("after %s a plan changed the session: %s", c.sets, changed(before, after))
		}
		n.must("DISCARD ALL")
	}
	writes := len(left(evil, role))
	if got := kit.Cells(t, admin, "SELECT points - 3, (SELECT count(*) FROM log WHERE entry = session_user || 'UPDATE') FROM jobs WHERE id = 1"); got != fmt.Sprintf("%d|%d", writes, writes) {
		t.Errorf("of %d writes these are kept, and these were seen by the trigger: %s", writes, got)
	}
	n.must("SET search_path = " + evil + "; SET session_replication_role = replica")
	n.must("UPDATE " + strings.TrimSuffix(evil, "_evil") + ".jobs SET points = points + 1 WHERE id = 1")
	if got := kit.Cells(t, admin, "SELECT count(*) FROM log"); got != fmt.Sprint(writes) {
		t.Errorf("the twin: %s", got)
	}
}

// TestPooledLeavesNothing: reads by every form, writes, failures and retries leave nothing in a session that all other clients would meet.
func TestPooledLeavesNothing(t *testing.T) {
	pooled, _, pool, _ := pooledJobs(t, 1)
	n := newNeighbour(t, pool)
	before := n.ask(state)
	r := tu.NewRunner(t, kit.JobsGrants(pooled, 1), exo.Limits{})
	failed := 0
	for _, c := range kit.JobsCases {
		if o := r.Run(t, c.Program); o.Kind != 0 {
			failed++
		}
		if after := n.ask(state); after != before {
			t.Fatalf("%s changed the session: %s", c.Program, changed(before, after))
		}
	}
	if failed == 0 || failed == len(kit.JobsCases) {
		t.Errorf("%d of %d programs failed", failed, len(kit.JobsCases))
	}
	for _, statement := range []string{"SELECT 1/0", "SELECT pg_sleep(10)", "no SQL"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := exosql.AskOne(ctx, pooled, statement, value.TypeText, ""); err == nil {
			t.Errorf("%s succeeded", statement)
		}
		cancel()
		if after := n.ask(state); after != before {
			t.Errorf("%s changed the session: %s", statement, changed(before, after))
		}
	}
	// The twin: a connection that takes the session for its own.
	n.must("SET jit = on; PREPARE exo_1 AS SELECT 1")
	if other := newNeighbour(t, pool); other.ask(state) == before {
		t.Error("what another client leaves is not seen")
	}
}

// TestPooledTogether: many plans and clients that leave things share two sessions. Cancelled queries end only themselves.
func TestPooledTogether(t *testing.T) {
	pooled, _, pool, evil := pooledJobs(t, 2, "CREATE TABLE counted (n int); INSERT INTO counted SELECT generate_series(1, 1000)")
	role := kit.NewRole(t)
	rounds := 40
	var all, others sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i := range 3 {
		n := newNeighbour(t, pool)
		others.Go(func() {
			dirt := left(evil, role)
			for k := i; ctx.Err() == nil; k++ {
				for _, text := range []string{"BEGIN; " + dirt[k*7%len(dirt)].sets + "; COMMIT", "SELECT pg_sleep(0.001)", "DISCARD ALL"} {
					if _, err := n.conn.Exec(context.Background(), text).ReadAll(); err != nil {
						if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code == "57014" && !strings.Contains(e.Message, "timeout") {
							t.Errorf("another client's %s: %v", text, err)
							return
						}
					}
				}
			}
		})
	}
	for i := range 4 {
		all.Go(func() {
			for k := range rounds {
				short, cancel := context.WithTimeout(context.Background(), time.Duration(1+k%5)*time.Millisecond)
				_, _ = exosql.AskOne(short, pooled, "SELECT pg_sleep(0.01)::text", value.TypeText, "")
				cancel()
				got, err := exosql.AskOne(context.Background(), pooled, "SELECT count(*)::text || current_user FROM jobs, counted WHERE org_id = $1", value.TypeText, "", value.Int(1))
				if err == nil && got.Text() != "3000"+"postgres" {
					t.Errorf("%d: %s", i, got.Text())
				}
				if err != nil {
					t.Errorf("%d: %v", i, err)
				}
				if err := exosql.RunRawWrite(context.Background(), pooled, exosql.RawWrite{Text: "INSERT INTO notes (job_id, body) VALUES (1, 'x')", Table: "notes", Update: []string{"body"}}); err != nil {
					t.Errorf("%d writes: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	stop()
	others.Wait()
}

// TestPooledRetyped: a statement of which the server returns another type than before is described again. Its cells are not read as the old type.
func TestPooledRetyped(t *testing.T) {
	pooled, _, _, evil := pooledJobs(t, 2, "CREATE TABLE typed (v int)", "INSERT INTO typed VALUES (7)")
	admin := tu.Postgres.SQLDB(t, tu.WithParam(t, tu.Server(t), "search_path", strings.TrimSuffix(evil, "_evil")))
	ask := exosql.Asker(pooled, "SELECT v FROM typed", value.TypeInt)
	for _, to := range []string{"int", "bigint", "smallint"} {
		if _, err := admin.Exec("ALTER TABLE typed ALTER v TYPE " + to); err != nil {
			t.Fatal(err)
		}
		if v, err := ask(t.Context()); err != nil || v.Int() != 7 {
			t.Errorf("as %s: %v, %v", to, v, err)
		}
	}
}

// TestPooledWears: a connection is replaced before the server's reports of settings, which each transaction causes, would end it.
func TestPooledWears(t *testing.T) {
	t.Setenv("EXO_POOLER", "")
	url := tu.Postgres.URL(t)
	tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec("CREATE TABLE added (text TEXT)")})
	db := tu.Postgres.OpenURL(t, tu.Pooled(t, url, 2), &exosql.OpenOptions{Conns: 1})
	pids := map[uint32]bool{}
	ask := exosql.Asker(db, "SELECT 1", value.TypeInt)
	for i := range 1100 {
		if _, err := ask(t.Context()); err != nil {
			t.Fatalf("query %d: %v", i, err)
		}
		if err := exosql.RunRawWrite(t.Context(), db, exosql.RawWrite{Text: "INSERT INTO added VALUES ('x')", Table: "added", Update: []string{"text"}}); err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
		pid, err := exosql.Backend(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		pids[pid] = true
	}
	if len(pids) != 2 {
		t.Errorf("%d connections", len(pids))
	}
}

// TestPooledFull: a query that waits for a session of a full pool ends with its context, and the next one is answered.
func TestPooledFull(t *testing.T) {
	pooled, _, pool, _ := pooledJobs(t, 1)
	n := newNeighbour(t, pool)
	n.must("BEGIN")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := exosql.AskOne(ctx, pooled, "SELECT 'x'", value.TypeText, "")
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > exosql.CancelGrace+2*time.Second {
		t.Errorf("%v after %v", err, took)
	} else {
		t.Log(took)
	}
	n.must("COMMIT")
	if v, err := exosql.AskOne(t.Context(), pooled, "SELECT 'x'", value.TypeText, ""); err != nil || v.Text() != "x" {
		t.Errorf("the next query: %v, %v", v, err)
	}
}

// TestPooledRole: a plan runs with the role that the database sets for its user, or the URL, also where it writes.
func TestPooledRole(t *testing.T) {
	t.Setenv("EXO_POOLER", "")
	user, role, other := kit.NewRole(t), kit.NewRole(t), kit.NewRole(t)
	url := tu.Postgres.URL(t)
	kit.Change(t, url, "GRANT "+role+", "+other+" TO "+user, "ALTER ROLE "+user+" SET role = "+role, "CREATE TABLE who (name name DEFAULT current_user)",
		"GRANT USAGE ON SCHEMA "+tu.Param(t, url, "search_path")+" TO PUBLIC", "GRANT SELECT, INSERT ON who TO PUBLIC")
	look := tu.Postgres.SQLDB(t, url)
	as := tu.AsUser(t, url, user)
	for want, url := range map[string]string{role: as, other: tu.WithParam(t, as, "role", other)} {
		for _, at := range []string{url, tu.Pooled(t, url, 1)} {
			db := tu.Postgres.OpenURL(t, at, nil)
			v, err := exosql.AskOne(t.Context(), db, "SELECT current_user::text", value.TypeText, "")
			if err != nil || v.Text() != want {
				t.Errorf("reads as %v, %v; want %s", v, err, want)
			}
			err = exosql.RunRawWrite(t.Context(), db, exosql.RawWrite{Text: "INSERT INTO who DEFAULT VALUES", Table: "who"})
			if got := kit.Cells(t, look, "SELECT name FROM who"); err != nil || got != want {
				t.Errorf("writes as %s, %v; want %s", got, err, want)
			}
			kit.Change(t, tu.WithParam(t, tu.Server(t), "search_path", tu.Param(t, url, "search_path")), "TRUNCATE who")
		}
	}
}
