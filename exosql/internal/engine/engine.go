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
	// Connect opens one guarded connection and verifies that its wall holds.
	Connect(ctx context.Context) (Session, error)
	// ConnectWriter opens one guarded connection for units of work.
	ConnectWriter(ctx context.Context) (Writer, error)
	// Catalog reads what the database says of itself; see Check. cells is whether SQLite is asked for the forms of cells, too.
	Catalog(ctx context.Context, cells bool) (*schema.Database, error)
	// Close is called once, after every session was closed.
	Close() error
}

// Settings are what row-level policies know of the grants of a statement: settings of PostgreSQL that
// last as long as the statement does. nil: there are no policies.
type Settings struct{ Names, Values []string }

// Options are what an engine needs to know.
type Options struct {
	Setup         func(ctx context.Context, db *sql.DB) error // see exosql.OpenOptions
	PreparedBytes int                                         // bounds the statements of one connection
	Marks         bool                                        // runs leave marks: see Marks
	PlanCost      float64                                     // see exosql.OpenOptions
}

// Session is one guarded connection. It runs one query at a time; whoever holds
// it is alone with it. An idle session admits nothing.
type Session interface {
	// Query runs p with one value per placeholder and hands the cells of its rows to
	// out in order. It ends soon after ctx does, and whatever it returns, nothing of
	// the query goes on afterwards, unless sound then says no. It runs an open plan only
	// if the engine's own plan reads rows in scope and no others; else the error is a *Refused.
	Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error
	// Access asks the engine for its plan, and judges it as Query does. It says how the plan's first table is
	// read, where any way that does without reading it whole, or without sorting, is taken: tables of today's
	// size say nothing about tomorrow's. column is one of that table's. args are as for Query. The session has
	// to be a fresh one, and is used for nothing else.
	Access(ctx context.Context, p *plan.Plan, args []value.Value, column string) (fence.Access, error)
	// With sets the values that policies read in the next queries.
	With(*Settings)
	// Sound reports whether the session may serve another query. One that does not
	// know its own state says no, and is closed.
	Sound() bool
	// Prepared is how many statements the session keeps, and their bytes as it counts them.
	Prepared() (n, bytes int)
	Close() error
}

// Statements are what one session keeps prepared, by the plan. A plan that fell out of the
// cache is made anew as another, so its statement is not used again and falls out, too.
type Statements[S any] = lru.Set[*plan.Plan, S]

// ErrLost is a session that was found dead before anything was sent: the query
// may be tried on another.
var ErrLost = errors.New("exosql: the connection to the database was lost")

// RefusedFor is how long a session remembers that it refused an open plan: statistics
// change, and indexes are made.
const RefusedFor = 5 * time.Second

// MaxRow is the size of the largest message that the server may send: one row is
// held whole before any budget sees it.
const MaxRow = 64 << 20
