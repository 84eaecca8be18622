package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exo/store/storetest"
	tu "github.com/exoagent/exoagent/internal/testutil"
	"github.com/exoagent/exoagent/internal/testutil/cuttest"
)

// TestMain is also the process that is killed.
func TestMain(m *testing.M) {
	url := os.Getenv("EXO_STORE_CHILD")
	if url == "" {
		os.Exit(m.Run())
	}
	time.AfterFunc(time.Minute, func() { os.Exit(1) })
	s, err := postgres.Open(context.Background(), url, nil)
	if err == nil {
		err = storetest.Count(s, os.Stdout)
	}
	fmt.Fprintln(os.Stderr, "the child was not killed:", err)
	os.Exit(1)
}

// made returns the URL of a database with the table.
func made(t testing.TB) string {
	t.Helper()
	url := tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on") // the server of the tests has it off
	for range 2 {                                                          // again does nothing
		if err := postgres.Create(t.Context(), url, ""); err != nil {
			t.Fatal(err)
		}
	}
	return url
}

func opened(t testing.TB, url string, opt *postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestStore runs the suite, also by way of a pooler that shares sessions.
func TestStore(t *testing.T) {
	url := made(t)
	open := func(url string) func(t testing.TB, now func() time.Time) store.Store {
		return func(t testing.TB, now func() time.Time) store.Store {
			return opened(t, url, &postgres.Options{Now: now})
		}
	}
	t.Run("direct", func(t *testing.T) { storetest.Run(t, true, open(url)) })
	t.Run("pooled", func(t *testing.T) {
		// The pooler passes on neither of the two settings of the URL: they are the role's in production.
		schema := tu.Param(t, url, "search_path")
		role := schema + "_role"
		pool := tu.PgBouncer(t, tu.AsUser(t, tu.Server(t), role), "transaction", 2, "ignore_startup_parameters = search_path,synchronous_commit,timezone", "server_reset_query =")
		admin := tu.Admin(t, tu.Server(t))
		for _, text := range []string{"CREATE ROLE " + role + " LOGIN", "GRANT USAGE ON SCHEMA " + schema + " TO " + role} {
			if _, err := admin.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { _, _ = admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
		for _, verb := range []string{"GRANT ", "ALTER ROLE "} { // each error names the statement that helps
			_, err := postgres.Open(t.Context(), tu.AsUser(t, tu.Server(t), role), &postgres.Options{Table: schema + ".exo_store"})
			_, fix, _ := strings.Cut(fmt.Sprint(err), ": "+verb)
			if _, err := admin.Exec(verb + fix); err != nil {
				t.Fatal(err)
			}
		}
		storetest.Run(t, true, func(t testing.TB, now func() time.Time) store.Store {
			return opened(t, pool, &postgres.Options{Now: now, Table: schema + ".exo_store", Conns: 3})
		})
	})
}

// TestKilledWhileItCounts: processes that are killed lose nothing that was acknowledged; two count at the same time.
func TestKilledWhileItCounts(t *testing.T) {
	url := made(t)
	storetest.Killed(t, 2, func() (io.Reader, func()) {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "EXO_STORE_CHILD="+url)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return out, func() { _ = c.Process.Kill() }
	}, func() store.Store { return opened(t, url, nil) })
}

// TestLostConnection: whichever message of a change the connection is lost at, the error is ErrUnknown or the change has not happened, and Get says which: by
// the version that Put returned. The next operation has a new connection.
func TestLostConnection(t *testing.T) {
	url := made(t)
	direct := opened(t, url, nil)
	happened, not := 0, 0
	for _, forward := range []bool{false, true} {
		for at := int64(1); at < 6; at++ {
			c := &cuttest.Cutter{}
			s := opened(t, c.Serve(t, url), &postgres.Options{Conns: 1})
			e, err := s.Get(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			c.Forward.Store(forward)
			c.At.Store(c.Seen.Load() + at)
			v := store.Absent
			for range 3 { // the first change that meets it
				e.Value = []byte("1")
				if v, err = s.Put(t.Context(), e); err != nil {
					break
				}
				e.Version = v
			}
			if err == nil {
				continue // it has fewer messages
			}
			is, get := direct.Get(t.Context(), "k")
			if get != nil || is.Version != v && is.Version != e.Version || is.Version == v && !errors.Is(err, store.ErrUnknown) {
				t.Errorf("message %d, forward %v: %v; there is %q of %q and %q, %v", at, forward, err, is.Version, e.Version, v, get)
			}
			if is.Version == v {
				happened++
			} else {
				not++
			}
			if again, err := s.Get(t.Context(), "k"); err != nil || again.Version != is.Version {
				t.Errorf("message %d, forward %v: after it %v, %v", at, forward, again, err)
			}
		}
	}
	if happened < 3 || not < 3 {
		t.Errorf("%d happened and %d did not", happened, not)
	}
}

// TestLateChange: a change that arrives after its client gave it up and put something else is not taken.
func TestLateChange(t *testing.T) {
	url := made(t)
	direct := opened(t, url, nil)
	v, err := direct.Put(t.Context(), store.Entry{Key: "k", Value: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []store.Entry{{Key: "k", Value: []byte("2"), Version: v}, {Key: "fresh", Value: []byte("2")}} {
		c := &cuttest.Cutter{Hold: make(chan struct{}), Arrived: make(chan struct{})}
		s := opened(t, c.Serve(t, url), &postgres.Options{Conns: 1})
		if _, err := s.Get(t.Context(), "k"); err != nil { // with the first use of a connection comes a ping
			t.Fatal(err)
		}
		c.At.Store(c.Seen.Load() + 1)
		_, err := s.Put(t.Context(), e)
		e.Value = []byte("3")
		_, put := direct.Put(t.Context(), e)
		close(c.Hold)
		if !errors.Is(err, store.ErrUnknown) || put != nil {
			t.Fatal(err, put)
		}
		<-c.Arrived
		if e, err := direct.Get(t.Context(), e.Key); err != nil || string(e.Value) != "3" {
			t.Errorf("%s, %v", e.Value, err)
		}
	}
}

// TestCancelled: a context that ends while the server waits ends the call, and the error says that nobody knows.
func TestCancelled(t *testing.T) {
	url := made(t)
	s := opened(t, url, nil)
	tx, err := tu.Admin(t, url).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("LOCK TABLE exo_store IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Put(ctx, store.Entry{Key: "k", Value: []byte("1")}); !errors.Is(err, store.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := s.Get(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrUnknown) {
		t.Error(err)
	}
}

// TestRole: a role with four rights on the table can use the store and make nothing; with one less Open fails and says which.
func TestRole(t *testing.T) {
	raw := made(t)
	admin := tu.Admin(t, raw)
	schema := tu.Param(t, raw, "search_path")
	role := schema + "_role"
	exec := func(text string) {
		t.Helper()
		if _, err := admin.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE ROLE " + role + " LOGIN")
	t.Cleanup(func() { _, _ = admin.Exec("DROP OWNED BY " + role + "; DROP ROLE " + role) })
	exec("GRANT USAGE ON SCHEMA " + schema + " TO " + role)
	exec("GRANT SELECT, INSERT, UPDATE ON exo_store TO " + role)
	url := tu.AsUser(t, raw, role)
	if _, err := postgres.Open(t.Context(), url, nil); err == nil || !strings.Contains(err.Error(), `GRANT SELECT, INSERT, UPDATE, DELETE ON "exo_store"`) {
		t.Error(err)
	}
	exec("GRANT DELETE ON exo_store TO " + role)
	if v, err := opened(t, url, nil).Put(t.Context(), store.Entry{Key: "k", Value: []byte("1")}); err != nil || opened(t, url, nil).Delete(t.Context(), "k", v) != nil {
		t.Error(err)
	}
	if err := postgres.Create(t.Context(), url, "another"); err == nil {
		t.Error("it has made a table")
	}
	if _, err := admin.Exec("INSERT INTO exo_store (key, version, value) VALUES ('bad', 'v', '{')"); err != nil {
		t.Fatal(err)
	}
	if _, err := opened(t, url, nil).Get(t.Context(), "bad"); !errors.Is(err, store.ErrDamaged) {
		t.Error(err)
	}
}

// TestOpen: what Open can't keep its promise with is refused, with what to do; no error has a password.
func TestOpen(t *testing.T) {
	url := made(t)
	for _, c := range []struct{ url, table, want string }{
		{tu.WithParam(t, url, "synchronous_commit", "off"), "", "ALTER ROLE"}, {url, "none", "postgres.Create"}, {url, `x"; DROP TABLE exo_store; --`, "at most 41 of a-z"}, {url, "a.b.c", "at most 41 of a-z"}, {url, strings.Repeat("x", 64), "at most 41 of a-z"},
		{"postgres://me:secret@127.0.0.1:1/x", "", "refused"}, {"postgres://me:secret@127.0.0.1:port/x", "", "can't be read"}, {"sqlite:x", "", "can't be read"},
	} {
		s, err := postgres.Open(t.Context(), c.url, &postgres.Options{Table: c.table})
		if s != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.table, err)
		}
	}
	for _, table := range []string{"a b", "A", "1"} {
		if _, err := postgres.SQL(table); !errors.Is(err, store.ErrInvalid) {
			t.Error(err)
		}
		if err := postgres.Create(t.Context(), url, table); !errors.Is(err, store.ErrInvalid) {
			t.Error(err)
		}
	}
	// Its own clock: what ends in a moment is there, and then absent.
	s := opened(t, url, nil)
	for _, at := range []time.Duration{-time.Minute, time.Minute} {
		e := store.Entry{Key: fmt.Sprint(at), Value: []byte("1"), Until: time.Now().Add(at)}
		if _, err := s.Put(t.Context(), e); err != nil {
			t.Error(err)
		}
		if got, err := s.Get(t.Context(), e.Key); err != nil || (got.Version != store.Absent) != (at > 0) {
			t.Errorf("%v: %v, %v", at, got, err)
		}
	}
}

// TestZeroStores: what nobody opened refuses.
func TestZeroStores(t *testing.T) {
	for _, s := range []*postgres.Store{nil, {}} {
		storetest.Refuses(t, s)
		if err := s.Close(); !errors.Is(err, store.ErrClosed) {
			t.Error(err)
		}
	}
}

// BenchmarkStore measures what exo/store.BenchmarkStore does.
func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, "postgres", opened(b, made(b), nil))
}

// TestSQL: the statements name the table that was asked for.
func TestSQL(t *testing.T) {
	text, err := postgres.SQL("exo.kept")
	if err != nil || strings.Count(text, `"exo"."kept"`) != 3 || !strings.Contains(text, `INDEX IF NOT EXISTS "kept_until"`) {
		t.Errorf("%s, %v", text, err)
	}
}
