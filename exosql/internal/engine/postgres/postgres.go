package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/internal/pgbound"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/scalar"
)

// database is one PostgreSQL database, or another that speaks its protocol.
type database struct {
	config   Config
	prepared int     // prepared bounds the estimated bytes of the statements that a connection keeps
	maxCost  float64 // maxCost is the highest estimated cost of a statement; 0: no limit
	refusals Refusals
	marks    bool        // marks: units insert marks of their runs (see engine.Marks)
	leads    atomic.Bool // leads: a connection for units was made, or replicas are read, so a server that only follows another is the wrong one
	shared   atomic.Bool // shared: a pooler shares sessions among clients (see pooled)
	of       *identity   // of is the primary's identity, if this is a replica
}

func (e *database) Close() error { return nil }

// maxCatalogue bounds the bytes that reading the catalogue takes from a server.
const maxCatalogue = 512 << 20

// defaultConnect bounds the time for connecting, and again the time for setting up the connection.
const defaultConnect = 15 * time.Second

// Config is how to connect: a host's configuration, or one from a URL.
type Config struct {
	Conn          *pgx.ConnConfig
	BeforeConnect func(context.Context, *pgx.ConnConfig) error // BeforeConnect may change its copy of Conn
	AfterConnect  func(context.Context, *pgx.Conn) error
}

// poolSettings are settings for pgxpool in a URL. pgx would send them to the server as settings of the session.
var poolSettings = []string{"pool_max_conns", "pool_min_conns", "pool_min_idle_conns", "pool_max_conn_lifetime", "pool_max_conn_lifetime_jitter", "pool_max_conn_idle_time", "pool_health_check_period"}

// Parse returns the configuration in a URL.
func Parse(url string) (Config, error) {
	pc, err := pgx.ParseConfig(url)
	if err != nil {
		// The parser's error quotes the URL, and may not mask all of its password.
		return Config{}, errors.New("exosql: the PostgreSQL URL can't be read: want postgres://user:password@host:port/database?sslmode=…")
	}
	for _, name := range poolSettings {
		if _, set := pc.RuntimeParams[name]; set {
			return Config{}, fail.Errorf(fail.Invalid, "exosql: Open", "%s in the URL is a setting of pgxpool, which the server would refuse: set OpenOptions.Conns, the number of connections, or call OpenPostgres with a configuration that pgxpool.ParseConfig made", name)
		}
	}
	return Config{Conn: pc}, nil
}

// Open runs Setup, and prepares to connect.
func Open(ctx context.Context, conf Config, opt engine.Options) (engine.Engine, error) {
	conf.Conn = conf.Conn.Copy() // the host may change its own copy of Conn
	e := &database{config: conf, prepared: opt.PreparedBytes, marks: opt.Marks, maxCost: opt.PlanCost}
	e.refusals.all.Bytes = opt.PreparedBytes
	if opt.Setup == nil {
		return e, nil
	}
	w := e.open(0, nil)
	w.SetMaxOpenConns(1)
	if err := w.PingContext(ctx); err != nil {
		w.Close()
		if pgsession.Shared(err) || refuses(err) {
			err = pgsession.Errorf("OpenOptions.Setup needs a session of its own: %s", pgsession.Of(err))
		}
		return nil, connectError(err)
	}
	if err := opt.Setup(ctx, w); err != nil {
		w.Close()
		return nil, err
	}
	return e, w.Close()
}

// open connects by database/sql, for Setup and for the catalogue. total bounds the bytes that a
// connection reads; 0: no bound. at gets the settings of a shared session.
func (e *database) open(total int64, at *pooled) *sql.DB {
	opts := []stdlib.OptionOpenDB{stdlib.OptionBeforeConnect(func(ctx context.Context, c *pgx.ConnConfig) error {
		err := e.prepare(ctx, c, total)
		if err == nil && e.shared.Load() {
			err = e.pool(c, at)
		}
		return err
	})}
	if e.config.AfterConnect != nil {
		opts = append(opts, stdlib.OptionAfterConnect(e.config.AfterConnect))
	}
	return stdlib.OpenDB(*e.config.Conn.Copy(), opts...)
}

// prepare completes the configuration of one connection. It sets the bounds on the server after
// the host's hook, which could change them.
func (e *database) prepare(ctx context.Context, c *pgx.ConnConfig, total int64) error {
	if e.config.BeforeConnect != nil {
		if err := e.config.BeforeConnect(ctx, c); err != nil {
			return err
		}
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, defaultConnect)
	pgbound.Limit(&c.Config, pgbound.Bounds{Message: engine.MaxRow, Total: total})
	if e.shared.Load() {
		return nil
	}
	pgsession.Own(&c.Config) // this precedes the host's hooks, which may set further options
	own := c.Config.AfterConnect
	c.Config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := checkVersion(ctx, conn); err != nil {
			return err
		}
		return own(ctx, conn)
	}
	return nil
}

// connectError keeps the text of a failed connection's error. It wraps only errors of known types,
// since the driver's other errors contain the configuration with the password.
func connectError(err error) error {
	if e, ok := errors.AsType[*VersionError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*pgsession.Error](err); ok {
		return e
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return fmt.Errorf("exosql: connect to PostgreSQL: %w: %s", known, scalar.Shorten(err.Error(), maxServerError))
		}
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fmt.Errorf("exosql: connect to PostgreSQL: %w", boundError(e))
	}
	return errors.New("exosql: connect to PostgreSQL: " + scalar.Shorten(err.Error(), maxServerError))
}

// pins sets everything that could change the meaning of a statement or a value, and overrides the
// URL, the role and the database. The schemas of the search path stay, since they decide which
// tables the declarations mean: see pinPath.
//
// The last three keep query time from revealing rows out of scope. A plan for a program's values would
// use the statistics of whole tables, with all tenants' rows. A high estimate would turn on the
// compiler (jit). Parallel plans would sort by a program's expression before they join the scope.
// TestStatistics and TestFence check this.
var pins = [][2]string{
	{"TimeZone", "UTC"}, {"DateStyle", "ISO, YMD"}, {"IntervalStyle", "iso_8601"}, {"client_encoding", "UTF8"}, {"standard_conforming_strings", "on"},
	{"extra_float_digits", "1"}, {"transform_null_equals", "off"}, {"bytea_output", "hex"}, {"client_min_messages", "warning"}, // a COMMIT says by a warning that it did not wait for a standby
	{"plan_cache_mode", "force_generic_plan"}, {"jit", "off"}, {"max_parallel_workers_per_gather", "0"},
}

// defaults are settings of a session of our own, for transactions that do not begin with one of our statements.
var defaults = [][2]string{{"default_transaction_isolation", "read committed"}, {"default_transaction_deferrable", "off"}, {"default_transaction_read_only", "on"}}

// ceiling reads the role's own statement timeout, in milliseconds; 0: none.
const ceiling = `SELECT (extract(epoch FROM CAST(current_setting('statement_timeout') AS interval)) * 1000)::bigint::text`

// maxStatement bounds a statement without a deadline in its context, so that a statement ends even
// if its process dies.
const maxStatement = time.Hour

// Connect opens one guarded connection (see engine.Engine), sets it up, and verifies that PostgreSQL refuses writes in it.
func (e *database) Connect(ctx context.Context) (engine.Session, error) {
	s := &Session{timeout: maxStatement, maxCost: e.maxCost, Used: time.Now(), Refusals: &e.refusals, leads: &e.leads}
	s.stmts = engine.Statements[*stmt]{Bytes: e.prepared, Drop: s.dropped}
	c := e.config.Conn.Copy()
	if err := e.prepare(ctx, c, 0); err != nil {
		return nil, connectError(err)
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "exosql"
	}
	if e.shared.Load() {
		s.Pooled = &pooled{}
		if err := e.pool(c, s.Pooled); err != nil {
			return nil, err
		}
	}
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		s.cancel = &canceller{conn: conn} // with several hosts, the last one is the connected one
		return s.cancel
	}
	s.hear(&c.Config)
	err := s.dial(ctx, c, e.config.AfterConnect)
	carries := false
	if refuses(err) && s.Pooled == nil { // a connection without the URL's settings shows what kind of session it is
		c.RuntimeParams = map[string]string{"application_name": c.RuntimeParams["application_name"]}
		if err = s.dial(ctx, c, nil); err == nil {
			_ = s.Close()
			carries = true // a session of our own: transactions carry the settings there, too
		}
	}
	if carries || pgsession.Shared(err) && s.Pooled == nil {
		e.shared.Store(true)
		return e.Connect(ctx)
	}
	if err != nil {
		return nil, unreached(ctx, err, e.connectError(err))
	}
	within, cancel := context.WithTimeout(ctx, c.ConnectTimeout) // otherwise a slow server could block callers that wait for a connection
	defer cancel()
	err = s.setUp(within)
	if err == nil && e.of != nil {
		err = s.verifyReplica(within, e.of)
	}
	if err != nil {
		_ = s.Close()
		said := fmt.Errorf("exosql: a connection to PostgreSQL can't be set up: %w", boundError(err))
		if e.of != nil && unreachable(err) {
			said = fmt.Errorf("%w: %w", engine.ErrElsewhere, said)
		}
		return nil, unreached(ctx, err, said)
	}
	return s, nil
}

// dial connects, and calls the host's hook before the settings that it could change.
func (s *Session) dial(ctx context.Context, c *pgx.ConnConfig, after func(context.Context, *pgx.Conn) error) (err error) {
	if after == nil {
		s.Conn, err = pgconn.ConnectConfig(ctx, &c.Config)
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	s.Conn = conn.PgConn()
	if err = after(ctx, conn); err != nil {
		_ = s.Close()
	}
	return err
}

func (s *Session) setUp(ctx context.Context) error {
	ms, err := s.pin(ctx)
	if err != nil {
		return err
	}
	if d, err := time.ParseDuration(ms + "ms"); err != nil || d < 0 {
		return fmt.Errorf("the server's statement_timeout is %q, which can't be read: want a whole number of milliseconds, or 0 for none", ms)
	} else if d > 0 {
		s.timeout = min(d, maxStatement)
	}
	for _, p := range []struct {
		to         **pgconn.StatementDescription
		name, text string
	}{
		{&s.Begin, "exo_begin", beginReads},
		{&s.limit, "exo_limit", "SELECT set_config('statement_timeout', $1, true), set_config('plan_cache_mode', $2, true)"},
		{&s.Rollback, "exo_rollback", "ROLLBACK"},
		{&s.indexes, "exo_indexes", indexNumbers},
	} {
		if *p.to, err = s.define(ctx, p.name, p.text); err != nil {
			return err
		}
	}
	if err := s.VerifyWall(ctx); err != nil || s.Pooled == nil {
		return err
	}
	return s.probe(ctx)
}

const beginReads = "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY"

// pin makes the settings of the session, or the settings with which each transaction of a shared session begins. pin returns the role's own statement
// timeout.
func (s *Session) pin(ctx context.Context) (ms string, err error) {
	if s.Pooled != nil {
		return s.pinPooled(ctx)
	}
	if _, err := s.One(ctx, pinPath); err != nil { // the search path is set first, since the other statements name no schemas
		return "", err
	}
	var all settings
	for _, p := range slices.Concat(pins, defaults) {
		all.Set(p[0], p[1])
	}
	if _, err := s.Conn.ExecParams(ctx, setSession, all.params(), nil, nil, nil).Close(); err != nil {
		return "", err
	}
	return s.One(ctx, ceiling)
}

// maxSetting bounds the bytes of a result while a connection is set up.
const maxSetting = 64 << 10

// One runs a constant statement and returns the first cell of its row as text. A second row or a
// long one is an error, since a server could send rows for ever.
func (s *Session) One(ctx context.Context, text string) (string, error) {
	rr := s.Conn.ExecParams(ctx, text, nil, nil, nil, nil)
	cell, n := "", 0
	for rr.NextRow() {
		row := rr.Values()
		if n++; n > 1 || len(row) == 0 || len(row[0]) > maxSetting {
			_ = s.Conn.Conn().Close() // otherwise the driver would read the remaining rows
			_, _ = rr.Close()
			return "", fmt.Errorf("the server's answer to %s is not one row of at most %d bytes: check that the URL leads to PostgreSQL itself", strings.Fields(text)[0], maxSetting)
		}
		cell = string(row[0])
	}
	if _, err := rr.Close(); err != nil {
		return "", err
	}
	if n == 0 {
		return "", errors.New("the server returned no row where one was expected: check that the URL leads to PostgreSQL itself")
	}
	return cell, nil
}

// These are the server's codes for a write in a read-only transaction, and for making a transaction
// writable after it has read.
const (
	readOnlyTransaction = "25006"
	activeTransaction   = "25001"
)

// VerifyWall tries to write in a transaction like that of queries, and to make that transaction
// writable. The server must refuse both with the expected codes. If it does not, the rollback
// undoes the attempt, and the connection is not used.
func (s *Session) VerifyWall(ctx context.Context) error {
	for attempt, want := range map[string]string{
		"CREATE TABLE exo_wall (x int)": readOnlyTransaction,
		"SET TRANSACTION READ WRITE":    activeTransaction,
	} {
		err := s.guarded(ctx, 1, func(pl *pgconn.Pipeline) { pl.SendQueryParams(attempt, nil, nil, nil, nil) }, nil)
		if err == nil {
			return fmt.Errorf("PostgreSQL allowed %s in a read-only transaction: queries would not be restricted, so Open refuses the database", attempt)
		}
		if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != want {
			return fmt.Errorf("PostgreSQL refused %s, but not because the transaction is read-only, so Open can't verify that queries only read: %w", attempt, err)
		}
	}
	return nil
}
