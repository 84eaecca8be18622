package engine

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/lru"
	"github.com/exoagent/exoagent/schema"
)

// Engine is one kind of database: it opens guarded connections.
type Engine interface {
	// Connect opens one guarded connection and verifies that the database refuses what it must refuse.
	Connect(ctx context.Context) (Session, error)
	// ConnectWriter opens one guarded connection for units of work.
	ConnectWriter(ctx context.Context) (Writer, error)
	// Catalog reads the database's catalogue, for Check. With cells, SQLite also reports in which forms the values of each column are stored.
	Catalog(ctx context.Context, cells bool) (*schema.Database, error)
	// Close is called once, after every session was closed.
	Close() error
}

// Settings are the names and values of PostgreSQL settings that row-level policies read, for
// one statement. nil: there are no policies.
type Settings struct{ Names, Values []string }

// Options are what an engine needs to know.
type Options struct {
	Setup         func(ctx context.Context, db *sql.DB) error // see exosql.OpenOptions
	PreparedBytes int                                         // bounds the statements of one connection
	Marks         bool                                        // units leave marks of their runs: see Marks
	PlanCost      float64                                     // see exosql.OpenOptions
}

// Session is one guarded connection. It runs one query at a time, and one goroutine uses it at
// a time. An idle session admits nothing.
type Session interface {
	// Query runs p with one value per placeholder and hands the cells of its rows to out in order.
	// It ends soon after ctx ends. When it has returned, nothing of the query goes on, unless
	// Sound is false then. It runs an open plan only if the engine's own plan reads rows in scope
	// and no others; else the error is a *Refused.
	Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error
	// Access asks the engine for its plan and judges it as Query does. It returns how the engine
	// reads the plan's first table if it prefers any way to a full scan or a sort: today's table
	// sizes say nothing about tomorrow's. column is a column of that table. args are as for Query.
	// The session must be new and is used for nothing else.
	Access(ctx context.Context, p *plan.Plan, args []value.Value, column string) (fence.Access, error)
	// With sets the values that policies read in the next queries.
	With(*Settings)
	// Sound reports whether the session may serve another query. It is false if the session
	// doesn't know its own state; the pool closes it then.
	Sound() bool
	// Prepared returns how many statements the session keeps, and their bytes as it counts them.
	Prepared() (n, bytes int)
	Close() error
}

// Statements are what one session keeps prepared, by the plan. A plan that was dropped from the cache is
// compiled again as a new *plan.Plan. So the old one's statement is not used again and is dropped, too.
type Statements[S any] = lru.Set[*plan.Plan, S]

// ErrLost is the error of a session that was found dead before anything was sent: the query may
// be tried on another session.
var ErrLost = errors.New("exosql: the connection to the database was lost")

// RefusedFor is how long a session remembers that it refused an open plan. Later it asks again,
// since statistics change and indexes are made.
const RefusedFor = 5 * time.Second

// MaxRow is the size of the largest message that the server may send: a whole row is in memory
// before any budget counts it.
const MaxRow = 64 << 20
