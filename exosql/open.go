package exosql

// This file opens databases; package answer does the work of a DB.

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/exosql/internal/engine/sqlite"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/schema"
)

// DB is a database that Open has opened. The database itself restricts each connection to the plans that this package makes: see "Two walls" in the
// package comment. DB gives no access to its connections. Goroutines can share one DB; call Close at the end.
type DB struct{ db *answer.DB }

// core returns the database inside, or nil for a DB that was not opened.
func (db *DB) core() *answer.DB {
	if db == nil {
		return nil
	}
	return db.db
}

// Close waits for running queries and closes every connection. Later queries fail. A second Close does nothing.
func (db *DB) Close() error {
	if db.core().Ready() != nil {
		return nil
	}
	return db.db.Close()
}

// Catalog reads the database's catalogue over a connection of its own. A host declares tables from it (exosql/dynamic), or compares it with declarations.
func (db *DB) Catalog(ctx context.Context) (*schema.Database, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	return db.db.Pool.Catalog(ctx, true)
}

// OpenOptions are for Open, OpenSQLite and OpenPostgres; nil means the defaults.
type OpenOptions struct {
	// Setup is called at every Open, before the connections for programs, which the database restricts, are opened. It creates and fills a
	// database in memory, or migrates one. Its pool has one connection, with the rights of the user who connects, so a transaction must end
	// before the pool is used again.
	Setup func(ctx context.Context, db *sql.DB) error
	// Conns is how many connections read the database, how many write it, and how many read each replica; default 4 each. A run of a tool that may
	// write has a writing connection from its first call until its end, even if it only reads. Further runs wait for one, within their own limits.
	Conns int
	// PlanBytes bounds the memory of cached plans, in bytes; default 8 MiB. Plans of writes may use a quarter more. Each connection may use twice
	// as much for its prepared statements, in the engine's memory. On PostgreSQL this is the server's memory, and the size is an estimate.
	PlanBytes int

	// RowSecurity means that the database has the policies that [Policies] wrote, for the role of the URL. Each statement then passes the values of
	// its grants to the policies, in settings that end with the statement. PostgreSQL only. Go code has only the role's rights, too: a call that
	// returns whole rows, like Relation.Insert, fails if no facet shows one of their columns.
	RowSecurity bool

	// PlanCost is the highest cost that EXPLAIN may give for a statement without its values, in the planner's unit. A statement above it is refused
	// with Kind Limit before it runs, for Go code too. Programs read that it is too expensive; the error's Err has both numbers for the host. A
	// refusal may reveal something about rows out of scope, because the planner uses statistics of whole tables. PostgreSQL only. 0 means no limit.
	PlanCost float64

	// Replicas are URLs of replicas of the database, one server each: PostgreSQL servers in recovery, which follow it by streaming. They answer the reads of Go code
	// outside of a Tx, and of programs with grants that can't change this database. The database itself, the primary, answers all else. A read sees
	// everything that was committed before it began: the primary reports the end of its log, and a replica answers only if it has replayed the log
	// to there. If no replica has done so within a tenth of a second of a run's first read, the primary answers. All reads of a run are answered by
	// the primary, or all by replicas; if the replicas fail later, or lag for 5 s, the run ends with Kind Conflict. Open logs a replica that is down,
	// by log/slog, and tries it later; one that answers and is wrong has Kind Invalid. Without the primary, replicas answer nothing. Each connection
	// proves that it leads to a standby of this database, with the same role and search path. Each transaction checks that the server still is a
	// standby. BeforeConnect and AfterConnect of OpenPostgres are called for replicas too; its dialer, its TLS configuration and, if the URL has no
	// password, its password are used.
	Replicas []string

	// CursorKey is the secret that seals cursors of pages: 32 random bytes, for this database alone. A cursor works in every process that has
	// opened the database with the same key, if the same version of the program made its query. nil means a random key: cursors work until Close,
	// in this process alone.
	CursorKey []byte

	// Images is the number of changed rows of a run that the record shows before and after the change: see [Changes]. Each row costs a read before
	// and after. 0 means none.
	Images int

	// Witness makes each run that changes something insert its ID, in the transaction that it commits, into the table that [CreateWitness]
	// makes. Open fails if the table is missing. Then [DB.Committed] can report, after a kill or a lost connection, whether the run was kept.
	// Without Witness that is unknown. It costs each such run one insert.
	Witness bool

	// Undo makes each run that changes something keep every changed row, before and after, for this time: see [DB.Undo]. It needs Witness. On SQLite
	// [CreateUndo] makes the table for it; on PostgreSQL the script of exo gen undo makes triggers, with a time of its own. 0: nothing is kept.
	Undo time.Duration

	// WriteIdle is how long a program that has changed something may send no message, because other programs wait for it. After that its changes
	// are undone, and its run fails with Kind Limit. Default 5 s.
	WriteIdle time.Duration

	// HookFailed gets the error or the panic of a hook after a commit: see [Table.AfterCommit]. It must not panic. If it is nil, errors of hooks
	// are in the run's record, and for Go code they go to the default logger of log/slog.
	HookFailed func(error)
}

// Open opens a database by URL: sqlite:PATH, sqlite::memory: or postgres://user:password@host/database. It fails if the database is missing, or if the database's
// restrictions do not work (the second wall, see the package comment). It fails with a *VersionError if the server is older than PostgreSQL 14. Behind a pooler
// that shares sessions among clients, like PgBouncer in transaction mode, each read, or run that writes, is one transaction with all settings local to it. Options that
// such a session can't carry, like Setup, are refused with Kind Invalid before anything is set up. No error contains a password. A URL has no settings of pgxpool,
// like pool_max_conns: see OpenOptions.Conns and OpenPostgres.
func Open(ctx context.Context, url string, opt *OpenOptions) (*DB, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch right := scalar.WithoutSlashes(url); {
	case right != "":
		return nil, fail.Errorf(fail.Invalid, "exosql: Open", "a SQLite URL can't have // before the path: write %s", right)
	case scheme == "sqlite" && rest != "":
		return OpenSQLite(ctx, rest, opt)
	case (scheme == "postgres" || scheme == "postgresql") && strings.HasPrefix(rest, "//"):
		conf, err := postgres.Parse(url)
		if err != nil {
			return nil, err
		}
		return openPostgres(ctx, conf, nil, defaultConns, opt)
	}
	return nil, fail.Errorf(fail.Invalid, "exosql: Open", "%s", notOpenable(scheme, strings.Contains(url, ":")))
}

// notOpenable describes the mistake in a URL. It repeats only the scheme: the rest may contain a password, and so may the text before a colon if
// that text is no scheme.
func notOpenable(scheme string, colon bool) string {
	const want = "want sqlite:PATH, sqlite::memory: or postgres://user@host/database"
	switch {
	case scheme == "sqlite" && colon:
		return "the path is empty; " + want
	case colon && (scheme == "postgres" || scheme == "postgresql"):
		return scheme + ": has no // after it; " + want
	case !colon || !isScheme().MatchString(scheme):
		return `the URL has no scheme: write "sqlite:" before a path, or postgres://user@host/database`
	}
	return "no such kind of database: " + scheme + ":…; " + want
}

var isScheme = scalar.Pattern(`^[a-zA-Z][a-zA-Z0-9+.-]{1,19}$`)

// OpenSQLite opens the database in the file at path, or a new one for ":memory:". A missing file is an error, unless OpenOptions.Setup creates it.
func OpenSQLite(ctx context.Context, path string, opt *OpenOptions) (*DB, error) {
	rest, isURL := strings.CutPrefix(path, "sqlite:")
	if rest == "" {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenSQLite", "the path is empty; want a file, or :memory:")
	}
	if isURL {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenSQLite", "OpenSQLite takes a path without sqlite: before it: pass %q, or %q for a file of that name", rest, "./"+path)
	}
	e, err := sqlite.Open(ctx, path, opt.engine())
	return open(ctx, sqlast.SQLite, e, err, defaultConns, opt)
}

// OpenPostgres opens a PostgreSQL database with a configuration that pgxpool.ParseConfig made. The host may have changed it: TLS, the dialer,
// passwords that BeforeConnect renews, what AfterConnect does to a new connection. If OpenOptions.Conns is zero, MaxConns is the number of guarded
// connections. Its default is pgxpool's: 4, or the number of processors if that is larger.
//
// The connections are in a pool of this package, and each query is one read-only transaction that is rolled back. So this package overrides
// settings of the configuration and its hooks:
//   - settings that change what a statement means or let it write (the search path keeps its schemas), how a query is cancelled, and what a server
//     may send; a role's statement_timeout stays the longest time of a query;
//   - DefaultQueryExecMode, which counts for Setup and Check only: statements are prepared by name for the life of a connection;
//   - the sizes and times of the pool but MaxConns: a connection is opened when a query needs it, is pinged after a second without use, and
//     is kept until Close.
//
// Hooks that take connections of pgxpool (BeforeAcquire, PrepareConn, AfterRelease, BeforeClose, ShouldPing) and ConnConfig.Tracer are errors: they
// would never be called. The record has each query: see [Query].
func OpenPostgres(ctx context.Context, config *pgxpool.Config, opt *OpenOptions) (*DB, error) {
	if config == nil || config.ConnConfig == nil {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenPostgres", "the configuration is nil: pass one that pgxpool.ParseConfig made")
	}
	for _, hook := range []struct {
		name string
		set  bool
	}{
		//lint:ignore SA1019 a host that still sets it must learn that nothing calls it
		{"BeforeAcquire", config.BeforeAcquire != nil},
		{"PrepareConn", config.PrepareConn != nil}, {"AfterRelease", config.AfterRelease != nil},
		{"BeforeClose", config.BeforeClose != nil}, {"ShouldPing", config.ShouldPing != nil}, {"ConnConfig.Tracer", config.ConnConfig.Tracer != nil},
	} {
		if hook.set {
			return nil, fail.Errorf(fail.Invalid, "exosql: OpenPostgres", "%s is set, but exosql has a pool of its own and never calls it: leave %[1]s nil", hook.name)
		}
	}
	return openPostgres(ctx, postgres.Config{Conn: config.ConnConfig, BeforeConnect: config.BeforeConnect, AfterConnect: config.AfterConnect}, config.ConnConfig, scalar.Positive(int(config.MaxConns), defaultConns), opt)
}

// sameSettings refuses a replica's URL with other settings than the primary's, since a policy may read them. search_path is compared at the server.
func sameSettings(number int, replica, primary map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(replica)) {
		if name != "application_name" && name != "search_path" && replica[name] != primary[name] {
			return fail.Errorf(fail.Invalid, "exosql: Open", "replica %d can't be read: its URL sets %s to another value than the primary's: write the same value into both URLs", number, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(primary)) {
		if _, is := replica[name]; !is && name != "application_name" && name != "search_path" {
			return fail.Errorf(fail.Invalid, "exosql: Open", "replica %d can't be read: the primary's URL sets %s, and the replica's does not: write the same value into both URLs", number, name)
		}
	}
	return nil
}

// likePrimary copies into a replica's configuration how the host connects to the primary: the dialer, the look-up of names, TLS and the password.
func likePrimary(replica, primary *pgx.ConnConfig) {
	replica.DialFunc, replica.LookupFunc, replica.Password = primary.DialFunc, primary.LookupFunc, cmp.Or(replica.Password, primary.Password)
	if primary.TLSConfig != nil {
		replica.TLSConfig, replica.Fallbacks = primary.TLSConfig.Clone(), nil
		replica.TLSConfig.ServerName = replica.Host
	}
}

// openPostgres opens a database and its replicas. like is the host's configuration, whose dialer and TLS serve replicas, too; it is nil for a URL.
func openPostgres(ctx context.Context, conf postgres.Config, like *pgx.ConnConfig, conns int, opt *OpenOptions) (*DB, error) {
	e, err := postgres.Open(ctx, conf, opt.engine())
	db, err := open(ctx, sqlast.Postgres, e, err, conns, opt)
	if err != nil || opt == nil || len(opt.Replicas) == 0 {
		return db, err
	}
	db.db.Replicas = engine.NewReplicas(db.db.Pool)
	for i, url := range opt.Replicas {
		replica, err := postgres.Parse(url)
		if err == nil {
			err = sameSettings(i+1, replica.Conn.RuntimeParams, conf.Conn.RuntimeParams)
		}
		if err == nil {
			if replica.BeforeConnect, replica.AfterConnect = conf.BeforeConnect, conf.AfterConnect; like != nil {
				likePrimary(replica.Conn, like)
			}
			e, err = postgres.OpenReplica(ctx, db.db.Pool, i+1, replica, opt.engine())
		}
		if err == nil {
			err = db.db.Replicas.Add(ctx, e, scalar.Positive(opt.Conns, conns))
		}
		if _, worded := errors.AsType[*fail.Error](err); err != nil && !worded {
			err = fmt.Errorf("exosql: Open: replica %d can't be opened: %w", i+1, openError(engine.Unopened(err)))
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

func open(ctx context.Context, d sqlast.Dialect, e engine.Engine, err error, conns int, opt *OpenOptions) (*DB, error) {
	if opt == nil {
		opt = &OpenOptions{}
	}
	if err != nil {
		return nil, openError(engine.Unopened(err))
	}
	if err := opt.wrong(d); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	bytes := scalar.Positive(opt.PlanBytes, defaultPlanBytes)
	opened := answer.Options{Dialect: d, Secured: opt.RowSecurity, Images: opt.Images, Witness: opt.Witness, Face: answer.Face{Query: queryOf, Changes: changesOf, Broken: brokenBy}}
	db, err := answer.New(opened, bytes, opt.CursorKey)
	if err == nil {
		db.Pool, err = engine.NewPool(ctx, e, scalar.Positive(opt.Conns, conns))
	}
	if err == nil {
		db.Pool.System, db.Units.System = systems[d], systems[d]
		db.Units.Writers, db.Units.Idle, db.Units.HookFailed = engine.NewWriters(e, scalar.Positive(opt.Conns, conns)), scalar.Positive(opt.WriteIdle, defaultIdle), opt.HookFailed
	}
	if err == nil && (opt.Witness || opt.Undo > 0) {
		if err = openWitness(ctx, db, opt); err != nil {
			return nil, errors.Join(engine.Unopened(err), db.Close())
		}
	}
	if err != nil {
		return nil, openError(engine.Unopened(err))
	}
	return &DB{db}, nil
}

// openWitness refuses a database in which runs could not insert their marks, or keep the rows that they change.
func openWitness(ctx context.Context, db *answer.DB, opt *OpenOptions) error {
	live, err := db.Pool.Catalog(ctx, false)
	if err != nil {
		return err
	}
	if !opt.Witness {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo needs OpenOptions.Witness, since only a run that is known to be kept can be undone: set both")
	}
	if why := unit.MarksWrong(live); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Witness is set, but %s", why)
	}
	err = db.Units.Marks(ctx, "exosql: Open", func(w engine.Writer) error { _, err := w.Forgotten(ctx); return err })
	if err != nil || opt.Undo <= 0 {
		return err
	}
	if why := unit.UndoWrong(live); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo is set, but %s", why)
	}
	db.Units.Undo = opt.Undo
	err = db.Units.Trim(ctx, "exosql: Open")
	if errors.Is(err, engine.ErrNoImages) {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo is set, but the database has no triggers for it, or the role may not use them: run the script of exo gen undo as the owner of the tables")
	}
	return err
}

// openError gives errors of a connection the types and texts that hosts know.
func openError(err error) error {
	if old, ok := errors.AsType[*postgres.VersionError](err); ok {
		return (*VersionError)(old)
	}
	if shared, ok := errors.AsType[*pgsession.Error](err); ok {
		return fail.Errorf(fail.Invalid, "exosql: Open", "%s", shared)
	}
	return err
}

// systems are the names by which observers distinguish the kinds of databases.
var systems = map[sqlast.Dialect]string{sqlast.SQLite: engine.SystemSQLite, sqlast.Postgres: engine.SystemPostgres}

// wrong refuses options with a wrong value, and options that could have no effect.
func (o *OpenOptions) wrong(d sqlast.Dialect) error {
	switch n := len(o.CursorKey); {
	case o.CursorKey != nil && n < minCursorKey:
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.CursorKey has %d bytes; want %d random ones, or nil", n, minCursorKey)
	case o.RowSecurity && d != sqlast.Postgres:
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.RowSecurity is set, but SQLite has no row-level security: leave it false")
	case o.PlanCost < 0 || math.IsNaN(o.PlanCost):
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.PlanCost is %v; want a cost as EXPLAIN shows it, or 0 for no limit", o.PlanCost)
	case o.PlanCost != 0 && d != sqlast.Postgres:
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.PlanCost is set, but SQLite estimates no costs: leave it 0")
	case len(o.Replicas) > 0 && d != sqlast.Postgres:
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Replicas is set, but SQLite has no replicas: leave it nil")
	}
	return nil
}

const (
	defaultConns     = 4
	defaultPlanBytes = 8 << 20
	defaultIdle      = 5 * time.Second

	minCursorKey = 32
)

// engine returns the options in the form of package engine. PreparedBytes is larger than PlanBytes, since prepared statements take many times the memory of their
// plans.
func (o *OpenOptions) engine() engine.Options {
	if o == nil {
		o = &OpenOptions{}
	}
	return engine.Options{Setup: o.Setup, PreparedBytes: 2 * scalar.Positive(o.PlanBytes, defaultPlanBytes), Marks: o.Witness, PlanCost: o.PlanCost}
}
