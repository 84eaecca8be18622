package pgsession_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/internal/pgsession"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// open is a connection with a session of its own, or why there is none.
func open(t *testing.T, url string) (*pgconn.PgConn, error) {
	t.Helper()
	c, err := pgconn.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { // a hook of the host's
		return conn.Exec(ctx, "SET default_transaction_read_only = on").Close()
	}
	pgsession.Own(c)
	conn, err := pgconn.ConnectConfig(t.Context(), c)
	if err == nil {
		t.Cleanup(func() { conn.Close(context.Background()) })
	}
	return conn, err
}

func refused(err error) bool {
	_, ok := errors.AsType[*pgsession.Error](err)
	return ok && strings.Contains(err.Error(), "session mode")
}

// TestPgBouncer: shared sessions are found in every pool, also while others use it, and are no session of a client's in session mode.
func TestPgBouncer(t *testing.T) {
	server := tu.Server(t)
	for _, c := range []struct {
		mode     string
		settings []string
		shared   bool
	}{
		{"session", nil, false}, {"session", []string{"server_reset_query_always = 1"}, false}, {"session", []string{"server_round_robin = 1"}, false},
		{"transaction", nil, true}, {"transaction", []string{"server_reset_query_always = 1"}, true}, {"transaction", []string{"server_round_robin = 1"}, true}, {"transaction", []string{"min_pool_size = 3", "server_round_robin = 1"}, true},
		{"statement", nil, true}, {"statement", []string{"server_round_robin = 1"}, true},
	} {
		for _, size := range []int{1, 2, 20} {
			url := tu.PgBouncer(t, server, c.mode, size, c.settings...)
			// The pool has as many sessions as it may, and others work in it.
			for _, busy := range []bool{false, true} {
				stop := func() {}
				if busy && c.shared {
					stop = work(t, url, 3)
				}
				_, err := open(t, url)
				if got := refused(err); got != c.shared || err != nil && !got {
					t.Errorf("%s, %v, %d sessions, busy %t: %v", c.mode, c.settings, size, busy, err)
				}
				stop()
				if size == 1 && !c.shared {
					break // the one session is taken
				}
			}
		}
	}
}

// work has clients of a pool do short transactions.
func work(t *testing.T, url string, clients int) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range clients {
		c, err := pgconn.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer c.Close(context.Background())
			for ctx.Err() == nil {
				if _, err := c.Exec(ctx, "SELECT pg_sleep(0.001)").ReadAll(); err != nil {
					return
				}
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// TestPool: it does not matter in which order a pool gives out its sessions, nor which process it says a client has.
func TestPool(t *testing.T) {
	server := tu.Server(t)
	for _, shared := range []bool{false, true} {
		for _, queue := range []bool{false, true} {
			for _, truly := range []bool{false, true} {
				for _, size := range []int{1, 2, 3, 20} {
					_, err := open(t, newPool(t, server, size, &pool{shared: shared, queue: queue, truly: truly}))
					if got := refused(err); got != shared || err != nil && !got {
						t.Errorf("shared %t, a queue %t, true processes %t, %d sessions: %v", shared, queue, truly, size, err)
					}
				}
			}
		}
	}
}

// TestLatePool: a pool that frees a session only after the answer gives each connection the session that the other left.
func TestLatePool(t *testing.T) {
	server := tu.Server(t)
	for _, size := range []int{1, 2, 3, 20} {
		if _, err := open(t, newPool(t, server, size, &pool{shared: true, late: true, busy: 3})); !refused(err) {
			t.Errorf("%d sessions: %v", size, err)
		}
	}
}

// TestBusyPool: what another client has for a moment gives the second connection another session, and says nothing of the rest.
func TestBusyPool(t *testing.T) {
	server := tu.Server(t)
	for busy := range 6 {
		if _, err := open(t, newPool(t, server, 2, &pool{shared: true, busy: busy})); !refused(err) {
			t.Errorf("transaction %d: %v", busy, err)
		}
	}
}

// TestBalancer: what only passes on bytes has ports of its own, and is no pooler; also one of two hosts of a URL.
func TestBalancer(t *testing.T) {
	config, err := pgconn.ParseConfig(tu.Server(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			network, address := pgconn.NetworkAddress(config.Host, config.Port)
			to, err := net.Dial(network, address)
			if err != nil {
				from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from); to.Close() }()
			go func() { _, _ = io.Copy(from, to); from.Close() }()
		}
	}()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, hosts := range []string{l.Addr().String(), gone.Addr().String() + "," + l.Addr().String()} {
		if _, err := open(t, fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", config.User, config.Password, hosts, config.Database)); err != nil {
			t.Errorf("%s: %v", hosts, err)
		}
	}
}

// TestNothingLeft: the questions leave nothing in a session that others have after us.
func TestNothingLeft(t *testing.T) {
	url := tu.PgBouncer(t, tu.Server(t), "transaction", 1)
	other, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	const state = `SELECT string_agg(s::text, ';' ORDER BY s::text), pg_backend_pid() FROM (SELECT name || '=' || setting || '/' || source FROM pg_settings WHERE name <> 'application_name'
		UNION ALL SELECT name FROM pg_prepared_statements UNION ALL SELECT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS all_of_it (s)`
	look := func() string {
		all, err := other.Exec(t.Context(), state).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return string(all[0].Rows[0][0]) + " of " + string(all[0].Rows[0][1])
	}
	before := look()
	if _, err := open(t, url); !refused(err) {
		t.Fatal(err)
	}
	if after := look(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestDropped: a setting of the URL that a pooler drops is an error, and no other table of the same name.
func TestDropped(t *testing.T) {
	url := tu.PgBouncer(t, tu.Server(t), "session", 5, "ignore_startup_parameters = search_path,extra_float_digits")
	with := tu.WithParam(t, url, "search_path", "elsewhere")
	if _, err := open(t, with); err == nil || !strings.Contains(err.Error(), "search_path") || !strings.Contains(err.Error(), "ALTER ROLE") {
		t.Errorf("search_path: %v", err)
	}
	for name, value := range map[string]string{"TimeZone": "Asia/Tokyo", "application_name": "me", "extra_float_digits": "1"} {
		if _, err := open(t, tu.WithParam(t, url, name, value)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := open(t, tu.WithParam(t, tu.Server(t), "search_path", "elsewhere")); err != nil {
		t.Error(err)
	}
}
