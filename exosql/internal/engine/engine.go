package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/lru"
	"github.com/exoagent/exoagent/schema"
)

// Engine is one kind of database: it opens guarded connections, on which the database refuses all but the running plan.
type Engine interface {
	// Connect opens one guarded connection and verifies that the database refuses statements that no plan contains.
	Connect(ctx context.Context) (Session, error)
	// ConnectWriter opens one guarded connection for units of work.
	ConnectWriter(ctx context.Context) (Writer, error)
	// Catalog reads the database's catalogue, for Check. With cells, SQLite also reports in which forms the values of each column are stored.
	Catalog(ctx context.Context, cells bool) (*schema.Database, error)
	// Close is called once, after every session was closed.
	Close() error
}

// Settings are the names and values of the PostgreSQL settings that row-level policies read, for
// one statement. nil means that there are no policies.
type Settings struct{ Names, Values []string }

// Options configure an engine when a database is opened.
type Options struct {
	Setup         func(ctx context.Context, db *sql.DB) error // Setup is called at Open: see exosql.OpenOptions
	PreparedBytes int                                         // PreparedBytes bounds the prepared statements of one connection
	Marks         bool                                        // Marks: units insert marks of their runs (see the type Marks)
	PlanCost      float64                                     // PlanCost is the highest estimated cost of a statement: see exosql.OpenOptions
}

// Session is one guarded connection: see Engine. It runs one query at a time, for one goroutine at
// a time. When idle it allows nothing.
type Session interface {
	// Query runs p with one value for each parameter of its statement, and passes the cells of its
	// rows to out in order. It ends soon after ctx ends. When it returns, nothing of the query goes
	// on, unless Sound then returns false. It runs an open plan, one without fences (see package
	// fence), only if the engine's own plan reads only rows in scope. Otherwise the error is a
	// *fence.Refused.
	Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error
	// Access judges the engine's plan like Query, and returns how the engine reads the plan's first table.
	// column is a column of that table. The engine avoids full scans and sorts if it can, since the tables
	// may grow. args are as for Query. The session must be new, and is used for nothing else.
	Access(ctx context.Context, p *plan.Plan, args []value.Value, column string) (fence.Access, error)
	// With sets the values that policies read in the next queries.
	With(*Settings)
	// Sound reports whether the session may serve another query. If it is false, the session does not
	// know its own state, and the pool closes it.
	Sound() bool
	// Prepared returns how many statements the session keeps, and their bytes as it counts them.
	Prepared() (n, bytes int)
	Close() error
}

// Statements are the prepared statements that a session keeps, by their plan. A plan that was dropped from the
// cache is compiled again as a new *plan.Plan. So the old statement is not used again, and is dropped too.
type Statements[S any] = lru.Set[*plan.Plan, S]

// ErrLost is in the error of a session that was dead before anything was sent, or whose server is only a standby. The query may then be
// tried on another session. A query that ran is not tried again: it may be the reason why the server crashed, or ended the session.
var ErrLost = fail.Named("exosql: the connection to the database was lost")

// Lost returns the error of a program whose connection was lost before it had sent a commit, or that got no connection.
func Lost(cause error) error {
	return &fail.Error{Kind: fail.Conflict, Msg: lost, Err: cause}
}

const lost = "the database could not be reached, so nothing was kept; run the program again in a few seconds"

// Unopened returns the cause of an error that Lost made, for a host that opens the database. It returns any other error unchanged.
func Unopened(err error) error {
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Msg == lost {
		return e.Err
	}
	return err
}

// RefusedFor is how long a session remembers that it refused an open plan. Later it asks again,
// since statistics and indexes change.
const RefusedFor = 5 * time.Second

// MaxRow bounds the messages of a server, in bytes: a whole row is in memory before any budget
// counts it.
const MaxRow = 64 << 20

// RowTooLarge returns the error of a program that has asked for a row beyond MaxRow.
func RowTooLarge(cause error) error {
	return &fail.Error{Kind: fail.Limit, Msg: fmt.Sprintf("a row is too large: the limit is %d bytes; select fewer columns", MaxRow), Err: cause}
}
