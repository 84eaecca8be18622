package exosql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// activity is what the server says that one of its processes does.
func activity(t *testing.T, pid uint32) (state string) {
	t.Helper()
	if err := tu.Admin(t, tu.Server(t)).QueryRow("SELECT coalesce((SELECT state FROM pg_stat_activity WHERE pid = $1), 'gone')", pid).Scan(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

// However a query ends early, the server stops working on it, and the same
// connection serves the next one.
func TestPostgresConnectionSurvives(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	e := tu.Postgres
	db, grants := one(t, e)
	all := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]())
	pid := backend(t, db)
	for name, c := range map[string]struct {
		limits  tu.Both
		program string
		cancel  bool
		kind    fail.Kind
	}{
		"cancelled":       {program: endless, cancel: true, kind: fail.Cancelled},
		"deadline":        {limits: tu.Both{Bounds: exoeval.Bounds{Total: 100 * time.Millisecond}}, program: endless, kind: fail.Limit},
		"too many rows":   {limits: tu.Both{Limits: exo.Limits{Rows: 1000}}, program: "return await tags.as('a').join(tags.as('b'), (x) => x.a.id.gt(0)).join(tags.as('c'), (x) => x.a.id.gt(0)).join(tags.as('d'), (x) => x.a.id.gt(0))", kind: fail.Limit},
		"the program end": {program: "tags.count(); return 1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := tu.NewRunner(t, grants, c.limits)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan *exoeval.RunResult)
			go func() { done <- r.Eval.Run(ctx, exoeval.Job{Program: c.program}) }()
			if c.cancel {
				eventually(t, func() bool { return activity(t, pid) == "active" })
				cancel()
			}
			if res := <-done; c.kind != fail.Other && (res.Err == nil || fail.KindOf(res.Err) != c.kind) {
				t.Errorf("got %v, want kind %v", res.Err, c.kind)
			}
			if s := activity(t, pid); s != "idle" {
				t.Errorf("the server's process is %s", s)
			}
			if n, err := all.Count(t.Context()); n != 1000 || err != nil {
				t.Errorf("the next query: %d %v", n, err)
			}
			if got := backend(t, db); got != pid {
				t.Errorf("the connection is another one")
			}
		})
	}
}

// A result of which a cell can't be read is not read to its end, which is hours away.
func TestPostgresStopsReading(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	db, _ := one(t, tu.Postgres)
	pid := backend(t, db)
	_, err := exosql.AskOne(t.Context(), db, "SELECT CAST('NaN' AS float8) FROM (SELECT generate_series(1, 1000000000000) AS i) AS x", value.TypeFloat, "")
	if err == nil || !strings.Contains(err.Error(), "is declared") {
		t.Error(err)
	}
	if s := activity(t, pid); s != "idle" || backend(t, db) != pid {
		t.Errorf("the connection is %s, or another one", s)
	}
}

// A cancel that comes at any moment, before, in or after a query, never hits the
// next one.
func TestPostgresNoStrayCancel(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	db, _ := one(t, tu.Postgres)
	all := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]())
	pid := backend(t, db)
	random := rand.New(rand.NewPCG(1, 2))
	closed := 0
	for i := range 400 {
		ctx, cancel := context.WithCancel(t.Context())
		go func(pause time.Duration) {
			time.Sleep(pause)
			cancel()
		}(time.Duration(random.IntN(2000)) * time.Microsecond)
		var err error
		began := time.Now()
		switch i % 4 {
		case 0: // it is surely in the middle of this one
			_, err = exosql.AskOne(ctx, db, "SELECT pg_sleep(600)::text", value.TypeText, "")
			if err == nil {
				t.Fatal("ten minutes passed")
			}
		case 1:
			_, err = exosql.AskOne(ctx, db, "SELECT pg_sleep(0.001)::text", value.TypeText, "")
		default:
			_, err = all.All(ctx)
		}
		if err != nil && !errors.Is(err, context.Canceled) && exosql.SQLState(err) != "57014" {
			t.Fatal(err)
		}
		if n, err := all.Count(t.Context()); n != 1000 || err != nil {
			t.Fatalf("the next query: %d %v", n, err)
		}
		cancel()
		// A connection is given up where the server did not answer the cancel within its grace. pgx closes one
		// more: where the cancel comes between the end of the rollback and that of the pipeline, its pipeline
		// loses count. That is one in thousands, and costs a connection.
		if now := backend(t, db); now != pid {
			if took := time.Since(began); took < exosql.CancelGrace {
				if closed++; closed > 4 {
					t.Fatalf("query %d: the connection is another one after %v, for the %dth time: %v", i, took, closed, err)
				}
			}
			eventually(t, func() bool { return activity(t, pid) == "gone" })
			pid = now
		}
	}
}

// A cancel may also hit the rollback; another one follows.
func TestPostgresFailedRollback(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	db, _ := one(t, tu.Postgres)
	pid := backend(t, db)
	if err := exosql.FailRollback(t.Context(), db); exosql.SQLState(err) != "22012" {
		t.Error(err)
	}
	if s := activity(t, pid); s != "idle" || backend(t, db) != pid {
		t.Errorf("the connection is %s, or another one", s)
	}
}

// A panic in the middle of a query costs the connection, and nothing else.
func TestPostgresPanic(t *testing.T) {
	db, _ := one(t, tu.Postgres)
	pid := backend(t, db)
	if p, ok := exosql.PanicInQuery(t.Context(), db).(runtime.Error); !ok {
		t.Fatalf("no panic: %v", p)
	}
	n, err := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).Count(t.Context())
	if n != 1000 || err != nil {
		t.Errorf("the next query: %d %v", n, err)
	}
	if backend(t, db) == pid {
		t.Error("the connection is still used")
	}
	eventually(t, func() bool { return activity(t, pid) == "gone" })
}

// The server bounds a query too, and says so in the same words.
func TestPostgresStatementTimeout(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	e := tu.Postgres
	setting := func(ctx context.Context, db *exosql.DB) string {
		t.Helper()
		v, err := exosql.AskOne(ctx, db, "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'", value.TypeText, "")
		if err != nil {
			t.Fatal(err)
		}
		return v.Text()
	}
	url := e.URL(t)
	db := e.OpenURL(t, url, nil)
	if s := setting(t.Context(), db); s != "3600000" {
		t.Errorf("without a deadline: %s", s)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if s := setting(ctx, db); len(s) != 5 || s > "60001" {
		t.Errorf("within a minute: %s", s)
	}
	db = e.OpenURL(t, tu.WithParam(t, url, "statement_timeout", "200ms"), nil)
	if s := setting(ctx, db); s != "200" {
		t.Errorf("where the role has a lower one: %s", s)
	}
	_, err := exosql.AskOne(ctx, db, "SELECT pg_sleep(100)::text", value.TypeText, "")
	if !errors.Is(err, fail.ErrLimit) || exosql.SQLState(err) != "57014" {
		t.Errorf("the role's limit: %v", err)
	}
	// Somebody at the server cancels: neither a limit nor our fault.
	db = e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1})
	pid := backend(t, db)
	failed := make(chan error)
	go func() {
		_, err := exosql.AskOne(t.Context(), db, "SELECT pg_sleep(100)::text", value.TypeText, "")
		failed <- err
	}()
	admin := tu.Admin(t, tu.Server(t))
	for {
		select {
		case err := <-failed:
			if !errors.Is(err, fail.ErrCancelled) {
				t.Errorf("cancelled at the server: %v", err)
			}
			return
		case <-time.After(20 * time.Millisecond):
			// Again: the server forgets a cancel that arrives between two messages of the query.
			if _, err := admin.Exec("SELECT pg_cancel_backend($1)", pid); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A connection that is lost costs at most the query that it runs.
func TestPostgresLostConnection(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	db, grants := one(t, tu.Postgres)
	admin := tu.Admin(t, tu.Server(t))
	all := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]())
	kill := func(pid uint32) {
		t.Helper()
		if _, err := admin.Exec("SELECT pg_terminate_backend($1)", pid); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return activity(t, pid) == "gone" })
	}
	// Idle for long: it is looked at first, and nothing is lost.
	pid := backend(t, db)
	if err := exosql.LeaveIdle(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	kill(pid)
	if n, err := all.Count(t.Context()); n != 1000 || err != nil {
		t.Errorf("after a connection was lost while idle: %d %v", n, err)
	}
	// In use a moment ago.
	kill(backend(t, db))
	_, err := all.Count(t.Context())
	if err != nil && fail.KindOf(err) != fail.Conflict {
		t.Error(err)
	}
	if n, err := all.Count(t.Context()); n != 1000 || err != nil {
		t.Errorf("the query after the lost connection: %d %v", n, err)
	}
	// In the middle of a query.
	pid = backend(t, db)
	r := tu.NewRunner(t, grants, exo.Limits{})
	done := make(chan tu.Outcome)
	go func() { done <- r.Run(t, endless) }()
	eventually(t, func() bool { return activity(t, pid) == "active" })
	kill(pid)
	if o := <-done; o.Kind != fail.Conflict || !strings.Contains(o.Message, "could not be reached, so nothing was kept; run the program again") {
		t.Errorf("lost while it ran: %s", o)
	}
	if o := r.Run(t, "return await tags.count()"); o.JSON != "1000" {
		t.Errorf("the next query: %s", o)
	}
}

// A statement that was prepared before the table changed is prepared anew.
func TestPostgresTableChanges(t *testing.T) {
	e := tu.Postgres
	url := e.URL(t)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Conns: 1, Setup: e.Fill()})
	all := exosql.Grant(db, tu.Tags, exosql.AllRows[tu.Tag]()).OrderBy(tu.TagID.Asc())
	plain := tu.Admin(t, url)
	defer plain.Close()
	for _, change := range []string{"SELECT 1", "ALTER TABLE tags ALTER COLUMN id TYPE int", "ALTER TABLE tags ALTER COLUMN id TYPE smallint"} {
		if _, err := plain.Exec(change); err != nil {
			t.Fatal(err)
		}
		rows, err := all.All(t.Context())
		if err != nil || len(rows) != 3 || rows[2].ID != 3 {
			t.Errorf("after %s: %v %v", change, rows, err)
		}
	}
	if n := exosql.Prepared(db); n != 1 {
		t.Errorf("%d statements are prepared", n)
	}
}

// A row is held whole before any budget sees it, so its size has a limit of its own.
func TestPostgresRowTooLarge(t *testing.T) {
	db, _ := one(t, tu.Postgres)
	_, err := exosql.AskOne(t.Context(), db, "SELECT repeat('x', 70000000)", value.TypeText, "")
	if !errors.Is(err, fail.ErrLimit) {
		t.Errorf("%.200v", err)
	}
	v, err := exosql.AskOne(t.Context(), db, "SELECT repeat('x', 60000000)", value.TypeText, "")
	if err != nil || len(v.Text()) != 60_000_000 {
		t.Errorf("the twin: %d %v", len(v.Text()), err)
	}
}

// A connection keeps so many statements and no more, and the server keeps the same.
func TestPostgresStatementsAreBounded(t *testing.T) {
	t.Setenv("EXO_POOLER", "") // this test asks about the session itself
	db := tu.Postgres.OpenWith(t, &exosql.OpenOptions{Conns: 1, PlanBytes: 512 << 10})
	for i := range 300 {
		if v, err := exosql.AskOne(t.Context(), db, fmt.Sprintf("SELECT %d", i), value.TypeInt, ""); v.Int() != int64(i) || err != nil {
			t.Fatal(v, err)
		}
	}
	v, err := exosql.AskOne(t.Context(), db, "SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql AND name NOT IN ('exo_begin', 'exo_limit', 'exo_rollback', 'exo_indexes')", value.TypeInt, "")
	// The one that counts is there, and those for which it makes way, until it has run: it is longer.
	if n := exosql.Prepared(db); err != nil || n < 50 || n > 100 || v.Int() > int64(n)+2 {
		t.Errorf("%d statements are kept, %v at the server: %v", n, v, err)
	}
	// One that is too large to be kept has ended with its query.
	large := "SELECT 1 WHERE 1 = 1" + strings.Repeat(" AND 1 = 1", 500)
	before := exosql.Prepared(db)
	for range 3 {
		if _, err := exosql.AskOne(t.Context(), db, large, value.TypeInt, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n, _, err := exosql.EngineBytes(t.Context(), db); err != nil || exosql.Prepared(db) != before || n != before {
		t.Errorf("%d statements are kept after one that is too large, %d before, %d at the server: %v", exosql.Prepared(db), before, n, err)
	}
}

// One plan serves arguments of other kinds than those that it was prepared for.
func TestPostgresArgumentKinds(t *testing.T) {
	db, _ := one(t, tu.Postgres)
	ask := exosql.Asker(db, "SELECT (1.5 < $1)::text", value.TypeText)
	for _, c := range []struct {
		v    value.Value
		want string
	}{{value.Int(1), "false"}, {value.Float(1.75), "true"}, {value.Int(2), "true"}, {value.Float(1.25), "false"}} {
		if v, err := ask(t.Context(), c.v); err != nil || v.Text() != c.want {
			t.Errorf("1.5 < %v: %v %v", c.v, v, err)
		}
	}
	if n := exosql.Prepared(db); n != 1 {
		t.Errorf("%d statements are kept", n)
	}
}
