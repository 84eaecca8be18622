// Package pgsession refuses a connection to PostgreSQL whose session others share. A pooler that gives each transaction any
// session keeps what one client sets, and what it prepares, for the next one: default_transaction_read_only would break the
// writes of everybody else. So it is found out before the first setting, by questions that leave nothing behind.
package pgsession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// Error says why a connection can't be used, and what to do.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Of is what a failed connection says of its session, without the words of the driver round it; or err.
func Of(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return err
}

const wayOut = "connect to PostgreSQL's own port, or to a pool in session mode"

func shared() error {
	return &Error{"a pooler is between here and PostgreSQL, and shares a session among clients (PgBouncer in transaction or statement mode): what is set here would stay there for all of them; " + wayOut}
}

func unknown(err error) error {
	return &Error{"something between here and PostgreSQL, perhaps a pooler, has connections of its own, and a second connection did not show whether it shares sessions among clients: " +
		cut(err.Error()) + "; " + wayOut + " that has a connection left"}
}

func dropped(names string) error {
	return &Error{"a pooler between here and PostgreSQL has dropped settings of the URL: " + names +
		"; take them out of the URL and of PgBouncer's ignore_startup_parameters, and set them for the role (ALTER ROLE … SET …), or connect to PostgreSQL's own port"}
}

// cut shortens what a server says.
func cut(s string) string {
	const most = 500
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

const (
	// within is how long all questions may take.
	within = 15 * time.Second
	// patience is how long the peer's first answer may take until the pool counts as full.
	patience = time.Second
	// rounds of questions to the connection and its peer: see compareSessions.
	rounds = 8
)

// Own has each connection that is made with c refused where its session is not its own, before c's AfterConnect. The
// connections of one c are made one after the other. It is called when all else of c is set.
func Own(c *pgconn.Config) {
	var last dialed
	dial, after := c.DialFunc, c.AfterConnect
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		last.set(network, addr)
		return dial(ctx, network, addr)
	}
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		peer := c.Copy()
		peer.AfterConnect = nil
		peer.BuildContextWatcherHandler = func(p *pgconn.PgConn) ctxwatch.Handler {
			return &pgconn.DeadlineContextWatcherHandler{Conn: p.Conn()}
		}
		// With several hosts, or several addresses of one, the peer has to ask the same.
		network, addr := last.get()
		peer.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, network, addr) }
		if err := check(ctx, conn, peer); err != nil || after == nil {
			return err
		}
		return after(ctx, conn)
	}
}

// dialed is the address that was dialled last.
type dialed struct {
	mu            sync.Mutex
	network, addr string
}

func (d *dialed) set(network, addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.network, d.addr = network, addr
}

func (d *dialed) get() (network, addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.network, d.addr
}

func check(ctx context.Context, conn *pgconn.PgConn, peer *pgconn.Config) error {
	within, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	first, err := ask(within, conn)
	if err != nil {
		return fmt.Errorf("ask the server for its process: %w", err)
	}
	if direct(conn, first) {
		return nil
	}
	if err := compareSessions(within, conn, first, peer); err != nil {
		if _, told := errors.AsType[*Error](err); !told && ctx.Err() == nil {
			err = unknown(err)
		}
		return err
	}
	return kept(within, conn, peer.RuntimeParams)
}

// session is which process of the server answered: one that has ended has another start.
type session struct{ pid, start, port string }

// identity names no operator, which another schema of the search path could have put before PostgreSQL's own, and
// leaves nothing behind.
const identity = `SELECT a.pid, pg_catalog.date_part('epoch', a.backend_start), a.client_port FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a`

// ask asks one question in a transaction of its own.
func ask(ctx context.Context, conn *pgconn.PgConn) (s session, err error) {
	cells, err := row(ctx, conn, identity)
	if err == nil && len(cells) != 3 {
		err = fmt.Errorf("the server answers with %d cells, want 3", len(cells))
	}
	if err != nil {
		return s, err
	}
	return session{cells[0], cells[1], cells[2]}, nil
}

// row is the one row of a statement. A server could send rows for ever.
func row(ctx context.Context, conn *pgconn.PgConn, text string, args ...[]byte) (cells []string, err error) {
	const maxRow = 64 << 10
	rr := conn.ExecParams(ctx, text, args, nil, nil, nil)
	for n := 0; rr.NextRow(); n++ {
		size := 0
		for _, cell := range rr.Values() {
			cells, size = append(cells, string(cell)), size+len(cell)
		}
		if n > 0 || size > maxRow {
			_ = conn.Conn().Close() // the rest would be read otherwise
			_, _ = rr.Close()
			return nil, fmt.Errorf("the server answers with more than one row of at most %d bytes", maxRow)
		}
	}
	_, err = rr.Close()
	return cells, err
}

// direct reports whether nothing is between the connection and the server's process: it is the process that the server named
// at the start, and it speaks to the very port of this connection. Each alone is no proof: pgagroal passes on the process of a
// connection that it made earlier. Neither is a difference: a load balancer, too, has ports of its own.
func direct(conn *pgconn.PgConn, s session) bool {
	_, port, err := net.SplitHostPort(conn.Conn().LocalAddr().String())
	return err == nil && port != "0" && port == s.port && fmt.Sprint(conn.PID()) == s.pid
}

// compareSessions finds whether sessions are shared, by a second connection, the peer. The two ask in turn which session
// they have. A session of one's own never changes. A pool that reuses the session that rested last gives both the same one; a pool
// that reuses the one that rested longest gives whoever asks twice another one.
// What other clients do only adds changes; where it happens to hide them it has to do so in all rounds.
func compareSessions(ctx context.Context, conn *pgconn.PgConn, first session, config *pgconn.Config) error {
	if ask, err := ask(ctx, conn); err != nil {
		return err
	} else if ask != first {
		return shared()
	}
	peer, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer closing(peer)
	theirs, full, err := await(ctx, conn, first, peer)
	if err != nil || full {
		return err
	}
	if theirs == first {
		return shared()
	}
	for range rounds {
		for _, next := range []struct {
			conn *pgconn.PgConn
			want session
		}{{conn, first}, {peer, theirs}, {peer, theirs}, {conn, first}} {
			got, err := ask(ctx, next.conn)
			if err != nil {
				return err
			}
			if got != next.want {
				return shared()
			}
		}
	}
	return nil
}

// await is the peer's first answer. A full pool gives none until a client leaves. Where the connection meanwhile gets one
// answer after the other, all of one session, that session is kept for it: a pool that shares sessions would have given it
// to the peer, who came first.
func await(ctx context.Context, conn *pgconn.PgConn, first session, peer *pgconn.PgConn) (theirs session, full bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	type answer struct {
		session
		err error
	}
	answers := make(chan answer, 1)
	var asking sync.WaitGroup
	asking.Go(func() {
		s, err := ask(ctx, peer)
		answers <- answer{s, err}
	})
	defer asking.Wait()
	defer cancel()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-answers:
		return a.session, false, a.err
	case <-late.C:
	}
	for range rounds {
		got, err := ask(ctx, conn)
		if err != nil {
			return theirs, false, err
		}
		if got != first {
			return theirs, false, shared()
		}
	}
	select {
	case a := <-answers: // it was only slow
		return a.session, false, a.err
	default:
		return theirs, true, nil
	}
}

func closing(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// lost are those of the settings $1 that the session does not have: neither from its start nor set by a pooler that knows them.
const lost = `SELECT pg_catalog.string_agg(s.name, ', ') FROM pg_catalog.json_each_text(CAST($1 AS json)) AS want(name, value)
	JOIN pg_catalog.pg_settings AS s ON pg_catalog.lower(s.name) = pg_catalog.lower(want.name)
	WHERE s.source NOT IN ('client', 'session') AND pg_catalog.current_setting(s.name) <> want.value`

// kept makes sure that the settings of the URL arrived: with another search path the same names are other tables. PgBouncer refuses those that it
// does not know, or drops them where its ignore_startup_parameters says so.
func kept(ctx context.Context, conn *pgconn.PgConn, params map[string]string) error {
	want := maps.Clone(params)
	delete(want, "application_name") // a pooler may add to it
	if len(want) == 0 {
		return nil
	}
	text, err := json.Marshal(want)
	if err != nil {
		return err
	}
	cells, err := row(ctx, conn, lost, text)
	if err != nil {
		return err
	}
	if len(cells) == 1 && cells[0] != "" {
		return dropped(cells[0])
	}
	return nil
}
