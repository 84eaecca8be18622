// Package pgsession refuses a connection to PostgreSQL if its session is shared with other clients. A pooler that may run each transaction
// in another session keeps one client's settings and prepared statements for the next client. Our default_transaction_read_only would break
// other clients' writes. So this package checks the session before the first setting, with questions that leave no trace.
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

// Error is the reason why a connection can't be used, with the remedy.
type Error struct {
	text   string
	pinned bool // pinned reports that clients share the session, but a transaction keeps it until the transaction ends
	cause  error
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.cause }

// Of returns the *Error in the error of a failed connection, without the driver's words. It returns err if there is none.
func Of(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return err
}

// Errorf makes an Error.
func Errorf(format string, args ...any) error { return &Error{text: fmt.Sprintf(format, args...)} }

// Shared reports whether err is about a session that a pooler shares among clients, and leaves to one client only for a transaction. A client can use
// it if it sends everything in transactions, and changes nothing in the session that outlives them.
func Shared(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.pinned
}

const wayOut = "connect to PostgreSQL's own port, or to a pool in session mode"

func shared() *Error {
	return &Error{text: "the URL leads to a pooler that shares a session among clients, like PgBouncer in transaction or statement mode, so settings of this connection would affect other clients: " + wayOut}
}

func unknown(err error) error {
	return &Error{text: "the URL seems to lead to a pooler or proxy, and exo could not find out, by a second connection, whether it shares sessions among clients: " +
		cut(err.Error()) + ": " + wayOut + " that has a connection left", cause: err}
}

func dropped(names string) error {
	return &Error{text: "the pooler to which the URL leads ignores settings of the URL: " + names +
		": take them out of the URL and of PgBouncer's ignore_startup_parameters, and set them for the role (ALTER ROLE … SET …), or connect to PostgreSQL's own port"}
}

// cut shortens a server's text.
func cut(s string) string {
	const most = 500
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

const (
	// within bounds the time for all questions.
	within = 15 * time.Second
	// patience is how long the peer may take for its first answer. After that the pool counts as full.
	patience = time.Second
	// rounds is how often both connections are asked: see compareSessions.
	rounds = 8
)

// Follows reports whether the server of a connection reports that it is a standby. A pooler may drop that report; then Follows returns false.
func Follows(conn *pgconn.PgConn) bool { return conn.ParameterStatus("in_hot_standby") == "on" }

// Primary makes c refuse a standby, which takes no changes and may show an older state. If c already has a condition, Primary changes nothing.
func Primary(c *pgconn.Config) {
	if c.ValidateConnect == nil {
		c.ValidateConnect = func(_ context.Context, conn *pgconn.PgConn) error {
			if Follows(conn) {
				return pgconn.ErrStandbyConnection
			}
			return nil
		}
	}
}

// Own makes c refuse connections with a shared session, before c's AfterConnect runs. Own notes the last dialled address, so make the connections of one c one after the other. Set
// everything else in c before you call Own.
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
		// There may be several hosts, or several addresses of a host. The peer must use the same address.
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
		return fmt.Errorf("exo asked the server which process serves the connection: %w", err)
	}
	if direct(conn, first) {
		return nil
	}
	if err := compareSessions(within, conn, first, peer); err != nil {
		e, told := errors.AsType[*Error](err)
		switch {
		case told:
			e.pinned = pinned(within, conn)
		case ctx.Err() == nil:
			err = unknown(err)
		}
		return err
	}
	return kept(within, conn, peer.RuntimeParams)
}

// session identifies the server process that answered. start distinguishes it from an earlier process with the same pid.
type session struct{ pid, start, port string }

// identity uses no operator, because another schema of the search path could define one. It leaves no trace.
const identity = `SELECT a.pid, pg_catalog.date_part('epoch', a.backend_start), a.client_port FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) AS a`

// ask sends a question in its own transaction.
func ask(ctx context.Context, conn *pgconn.PgConn) (s session, err error) {
	cells, err := row(ctx, conn, identity)
	if err == nil && len(cells) != 3 {
		err = fmt.Errorf("the server answered with %d cells, and exo had asked for 3: the URL may lead to a server other than PostgreSQL", len(cells))
	}
	if err != nil {
		return s, err
	}
	return session{cells[0], cells[1], cells[2]}, nil
}

// row returns the only row of a statement. It also ends a server that sends rows for ever.
func row(ctx context.Context, conn *pgconn.PgConn, text string, args ...[]byte) (cells []string, err error) {
	const maxRow = 64 << 10
	rr := conn.ExecParams(ctx, text, args, nil, nil, nil)
	for n := 0; rr.NextRow(); n++ {
		size := 0
		for _, cell := range rr.Values() {
			cells, size = append(cells, string(cell)), size+len(cell)
		}
		if n > 0 || size > maxRow {
			_ = conn.Conn().Close() // a plain Close would first read the rest
			_, _ = rr.Close()
			return nil, fmt.Errorf("the server answered with two rows, or a row of more than %d bytes, and exo had asked for one short row: the URL may lead to a server other than PostgreSQL", maxRow)
		}
	}
	_, err = rr.Close()
	return cells, err
}

// direct reports whether nothing is between the connection and the server's process. The process must have the pid that the server sent at the
// start, and must see exactly this connection's port. One fact alone proves nothing: pgagroal passes on an earlier connection's pid. A
// difference proves nothing either, because a load balancer has its own ports.
func direct(conn *pgconn.PgConn, s session) bool {
	_, port, err := net.SplitHostPort(conn.Conn().LocalAddr().String())
	return err == nil && port != "0" && port == s.port && fmt.Sprint(conn.PID()) == s.pid
}

// compareSessions finds out by a second connection, the peer, whether connections share sessions. Both connections ask in turn which session
// serves them. An unshared session never changes. A pool that reuses the session freed last gives both connections the same session. A pool that
// reuses the session freed first gives one connection different sessions. Other clients change sessions more often, which also reveals sharing.
// A pool may free a session only after it has sent the answer, so that the next question gets another one: each round waits longer for that.
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
	for round := range rounds {
		for _, next := range []struct {
			conn *pgconn.PgConn
			want session
		}{{conn, first}, {peer, theirs}, {peer, theirs}, {conn, first}} {
			time.Sleep(time.Duration(round) * time.Millisecond)
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

// await returns the peer's first answer. full means that there was none, as in a full pool, while conn got many answers from one session. Such a pool keeps the
// session for conn: a pool that shares sessions would have given the session to the peer, which asked first.
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
	case a := <-answers: // the peer was only slow
		return a.session, false, a.err
	default:
		return theirs, true, nil
	}
}

// pinned reports whether a transaction keeps its session. In statement mode PgBouncer refuses BEGIN.
func pinned(ctx context.Context, conn *pgconn.PgConn) bool {
	if _, err := row(ctx, conn, "BEGIN READ ONLY"); err != nil {
		return false
	}
	first, err := ask(ctx, conn)
	for range rounds {
		var next session
		if err == nil {
			next, err = ask(ctx, conn)
		}
		if err != nil || next != first {
			return false
		}
	}
	_, err = row(ctx, conn, "ROLLBACK")
	return err == nil
}

func closing(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// lost selects the settings in $1 that the session lacks: neither its start nor a pooler set them.
const lost = `SELECT pg_catalog.string_agg(s.name, ', ') FROM pg_catalog.json_each_text(CAST($1 AS json)) AS want(name, value)
	JOIN pg_catalog.pg_settings AS s ON pg_catalog.lower(s.name) = pg_catalog.lower(want.name)
	WHERE s.source NOT IN ('client', 'session') AND pg_catalog.current_setting(s.name) <> want.value`

// kept checks that the session has the settings of the URL. With another search path the same names mean other tables. PgBouncer refuses
// unknown settings, or drops those in ignore_startup_parameters.
func kept(ctx context.Context, conn *pgconn.PgConn, params map[string]string) error {
	want := maps.Clone(params)
	delete(want, "application_name") // a pooler may add to the application's name
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
