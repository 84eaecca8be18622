package exosql

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/exosql/internal/engine/sqlite"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// OpenOptions are for Open, OpenSQLite and OpenPostgres; nil means the defaults.
type OpenOptions struct {
	// Setup is called at every Open, before the guarded connections are opened, with a pool of one
	// connection with the rights of the user who connects: to create and fill a database in memory,
	// or to migrate. One connection means that a transaction must end before the pool is used
	// again.
	Setup func(ctx context.Context, db *sql.DB) error
	// Conns is how many connections for reading there are, and how many for units of work besides; default 4. A run of a tool that
	// may write has one of the latter from its first call to its end, even if it only reads: as many of them run at once, and
	// others wait for them as long as their own limits let them.
	Conns int
	// PlanBytes bounds the memory of the plans that are kept, in bytes; default 8 MiB. What programs change
	// has a quarter of it besides. Each
	// connection may have twice as much for its prepared statements, in the engine's memory,
	// which on PostgreSQL is the server's and estimated.
	PlanBytes int

	// RowSecurity says that the database has the policies that [Policies] wrote, for the role that the URL names: each statement then passes the
	// values of its grants to them, in settings that end with it. PostgreSQL only. Go code has no more than the rights of the role either: what
	// gives whole rows, as Relation.Insert does, fails where no facet shows a column of them.
	RowSecurity bool

	// PlanCost is the largest cost, in the planner's own unit, that EXPLAIN may give for a statement without its values. A
	// statement above it is refused with Kind Limit before it runs, for Go code too; the program reads that it is too expensive,
	// the host both numbers in the error's Err. The planner uses statistics of whole tables, so a refusal reveals something of rows
	// out of scope. PostgreSQL only. 0: no ceiling.
	PlanCost float64

	// CursorKey is the secret by which cursors of pages are sealed, of this database alone: 32 random bytes. A cursor
	// is good in every process that has opened the database with the same key, as long as the same version of the program made its
	// query. nil: a random key, so cursors are good until Close and in this process alone.
	CursorKey []byte

	// Images is how many changed rows of a run the record shows before and after the change: see
	// [Changes]. Each costs a read of the row before and after. 0: none.
	Images int

	// Witness has each run that changes something leave its ID in the transaction that it commits, in the table that [CreateWitness] makes:
	// Open fails where it is not there. With it [DB.Committed] answers, after a kill or a lost connection, whether the run was kept. It costs
	// each of these runs one insert. false: that is not known then.
	Witness bool

	// WriteIdle is how long a program that has changed something may ask nothing more: other programs wait for it meanwhile. Then
	// its changes are undone, and its run fails with Kind Limit. Default 5 s.
	WriteIdle time.Duration

	// HookFailed is called with what a hook returned, or panicked with, after a commit: see [Table.AfterCommit]. It must not panic. nil: of a run the
	// record has it, of Go code it goes to the default logger of log/slog.
	HookFailed func(error)
}

// Open opens a database by URL: sqlite:PATH, sqlite::memory: or
// postgres://user:password@host/database. It fails when the database is not
// there, when the second wall does not hold, and with a *VersionError when the server
// is older than PostgreSQL 14. A pooler that shares sessions among clients, as PgBouncer does in transaction mode, is refused with Kind Invalid
// before anything is set. No error holds a password. Settings of pgxpool's, like
// pool_max_conns, are no part of a URL here: see OpenOptions.Conns and OpenPostgres.
func Open(ctx context.Context, url string, opt *OpenOptions) (*DB, error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch right := scalar.WithoutSlashes(url); {
	case right != "":
		return nil, fail.Errorf(fail.Invalid, "exosql: Open", "SQLite's URL has no // before the path: want %s", right)
	case scheme == "sqlite" && rest != "":
		return OpenSQLite(ctx, rest, opt)
	case (scheme == "postgres" || scheme == "postgresql") && strings.HasPrefix(rest, "//"):
		conf, err := postgres.Parse(url)
		if err != nil {
			return nil, err
		}
		return openPostgres(ctx, conf, defaultConns, opt)
	}
	return nil, fail.Errorf(fail.Invalid, "exosql: Open", "%s", notOpenable(scheme, strings.Contains(url, ":")))
}

// notOpenable says what is wrong with a URL. It shows only the scheme of what it was given: the
// rest may hold a password, and so may the text before a colon that is no scheme.
func notOpenable(scheme string, colon bool) string {
	const want = "want sqlite:PATH, sqlite::memory: or postgres://user@host/database"
	switch {
	case scheme == "sqlite" && colon:
		return "the path is empty; " + want
	case colon && (scheme == "postgres" || scheme == "postgresql"):
		return scheme + ": has no // behind it; " + want
	case !colon || !isScheme.MatchString(scheme):
		return `no such kind of database: there is no scheme; want "sqlite:" before a path, or postgres://user@host/database`
	}
	return "no such kind of database: " + scheme + ":…; " + want
}

var isScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]{1,19}$`)

// OpenSQLite opens the database in the file at path, or a new one for ":memory:". A file that
// is not there is an error, unless OpenOptions.Setup creates it.
func OpenSQLite(ctx context.Context, path string, opt *OpenOptions) (*DB, error) {
	if path == "" {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenSQLite", "the path is empty; want a file, or :memory:")
	}
	if rest, isURL := strings.CutPrefix(path, "sqlite:"); isURL {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenSQLite", "the path begins with sqlite:, as URLs for Open do; want %q, or ./ before a file of such a name", rest)
	}
	e, err := sqlite.Open(ctx, path, opt.engine())
	return open(ctx, sqlast.SQLite, e, err, defaultConns, opt)
}

// OpenPostgres opens a PostgreSQL database by a configuration that pgxpool.ParseConfig made,
// and that the host has changed: TLS, the dialer, passwords that BeforeConnect renews, what
// AfterConnect does to a new connection. If OpenOptions.Conns is zero, MaxConns is the number of
// guarded connections: of a configuration in which nobody set it that is pgxpool's default, 4 or
// the number of processors if that is more, and not the default of OpenOptions.
//
// The connections are in a pool of this package: each query is one read-only transaction that
// is rolled back. So these are set over what the configuration and its hooks say: settings that
// change what a statement means or that let it write (the search path keeps its schemas), how a
// query is cancelled, what a server may send. A role's statement_timeout stays the longest that
// a query may run. Statements are prepared by name for the life of a connection, whatever
// DefaultQueryExecMode says; it counts for Setup and Check only. The sizes and times of the pool besides
// MaxConns are not used: a connection is opened when a query needs it, asked whether it is
// alive after a second without use, and kept until Close.
//
// It is an error to set what could not do what it is for: hooks that take connections of
// pgxpool's (BeforeAcquire, PrepareConn, AfterRelease, BeforeClose, ShouldPing) and
// ConnConfig.Tracer, which would see no query: what ran is in the record, see [Query].
func OpenPostgres(ctx context.Context, config *pgxpool.Config, opt *OpenOptions) (*DB, error) {
	if config == nil || config.ConnConfig == nil {
		return nil, fail.Errorf(fail.Invalid, "exosql: OpenPostgres", "there is no configuration; want one that pgxpool.ParseConfig made")
	}
	for _, hook := range []struct {
		name string
		set  bool
	}{
		//lint:ignore SA1019 a host that still sets it must hear that nothing calls it
		{"BeforeAcquire", config.BeforeAcquire != nil},
		{"PrepareConn", config.PrepareConn != nil}, {"AfterRelease", config.AfterRelease != nil},
		{"BeforeClose", config.BeforeClose != nil}, {"ShouldPing", config.ShouldPing != nil}, {"ConnConfig.Tracer", config.ConnConfig.Tracer != nil},
	} {
		if hook.set {
			return nil, fail.Errorf(fail.Invalid, "exosql: OpenPostgres", "%s is set, but would not be called for queries, which run on connections that no hook may use: leave it nil", hook.name)
		}
	}
	return openPostgres(ctx, postgres.Config{Conn: config.ConnConfig, BeforeConnect: config.BeforeConnect, AfterConnect: config.AfterConnect}, scalar.Positive(int(config.MaxConns), defaultConns), opt)
}

func openPostgres(ctx context.Context, conf postgres.Config, conns int, opt *OpenOptions) (*DB, error) {
	e, err := postgres.Open(ctx, conf, opt.engine())
	return open(ctx, sqlast.Postgres, e, err, conns, opt)
}

func open(ctx context.Context, d sqlast.Dialect, e engine.Engine, err error, conns int, opt *OpenOptions) (*DB, error) {
	if opt == nil {
		opt = &OpenOptions{}
	}
	if n := len(opt.CursorKey); opt.CursorKey != nil && n < minCursorKey {
		if err == nil {
			err = errors.Join(fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.CursorKey has %d bytes; want %d random ones, or nil", n, minCursorKey), e.Close())
		}
		return nil, err
	}
	if opt.RowSecurity && d != sqlast.Postgres {
		if err == nil {
			err = errors.Join(fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.RowSecurity is set, but SQLite has no policies: leave it false; the second wall there is the authorizer"), e.Close())
		}
		return nil, err
	}
	if no := opt.noCost(d); no != nil {
		if err == nil {
			err = errors.Join(no, e.Close())
		}
		return nil, err
	}
	bytes := scalar.Positive(opt.PlanBytes, defaultPlanBytes)
	opened := answer.Options{Dialect: d, Secured: opt.RowSecurity, Images: opt.Images, Witness: opt.Witness, Face: answer.Face{Query: queryOf, Changes: changesOf, Broken: brokenBy}}
	var db *answer.DB
	if err == nil {
		db, err = answer.New(opened, bytes, opt.CursorKey)
	}
	if err == nil {
		db.Pool, err = engine.NewPool(ctx, e, scalar.Positive(opt.Conns, conns))
		db.Units.Writers, db.Units.Idle, db.Units.HookFailed = engine.NewWriters(e, scalar.Positive(opt.Conns, conns)), scalar.Positive(opt.WriteIdle, defaultIdle), opt.HookFailed
	}
	if err == nil && opt.Witness {
		if err = openWitness(ctx, db); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	if old, ok := errors.AsType[*postgres.VersionError](err); ok {
		return nil, (*VersionError)(old)
	}
	if shared, ok := errors.AsType[*pgsession.Error](err); ok {
		return nil, fail.Errorf(fail.Invalid, "exosql: Open", "%s", shared)
	}
	if err != nil {
		return nil, err
	}
	return &DB{db}, nil
}

// noCost refuses a ceiling that could hold nothing.
func (o *OpenOptions) noCost(d sqlast.Dialect) error {
	switch {
	case o.PlanCost < 0 || math.IsNaN(o.PlanCost):
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.PlanCost is %v; want a cost as EXPLAIN shows it, or 0 for no ceiling", o.PlanCost)
	case o.PlanCost != 0 && d != sqlast.Postgres:
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.PlanCost is set, but SQLite gives no cost of a plan: leave it 0; only its time limits a run")
	}
	return nil
}

const (
	defaultConns     = 4
	defaultPlanBytes = 8 << 20
	defaultIdle      = 5 * time.Second

	minCursorKey = 32
)

// engine is what an engine needs to know. It bounds the statements of one connection: the engines take many times the
// memory of the plan for one.
func (o *OpenOptions) engine() engine.Options {
	if o == nil {
		o = &OpenOptions{}
	}
	return engine.Options{Setup: o.Setup, PreparedBytes: 2 * scalar.Positive(o.PlanBytes, defaultPlanBytes), Marks: o.Witness, PlanCost: o.PlanCost}
}
