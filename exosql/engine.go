package exosql

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/lru"
	"github.com/exoagent/exoagent/schema"
)

// engine is one kind of database: it opens guarded connections.
type engine interface {
	// connect opens one guarded connection and verifies that its wall holds.
	connect(ctx context.Context) (session, error)
	// catalog reads what the database says of itself; see Check.
	catalog(ctx context.Context) (*schema.Database, error)
	// close is called once, after every session was closed.
	close() error
}

// session is one guarded connection. It runs one query at a time; whoever holds
// it is alone with it. An idle session admits nothing.
type session interface {
	// query runs p with one value per placeholder and hands the cells of its rows to
	// out in order. It ends soon after ctx does, and whatever it returns, nothing of
	// the query goes on afterwards, unless sound then says no.
	query(ctx context.Context, p *plan, args []exo.Value, out *collector) error
	// sound reports whether the session may serve another query. One that does not
	// know its own state says no, and is closed.
	sound() bool
	// prepared is how many statements the session keeps, and their bytes as it counts them.
	prepared() (n, bytes int)
	close() error
}

// statements are what one session keeps prepared, by the plan. A plan that fell out of the
// cache is made anew as another, so its statement is not used again and falls out, too.
type statements[S any] = lru.Set[*plan, S]

// errLost is a session that was found dead before anything was sent: the query
// may be tried on another.
var errLost = errors.New("exosql: the connection to the database was lost")
