package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// canceller asks the server to end the running query when the query's context ends, so that the
// connection can be used again.
//
// The server takes such a request on another connection, and drops it if the backend is between two
// commands. So the request is repeated until the query has ended. No request may arrive late and
// hit the next query. The server closes the other connection after it has signalled the backend, so
// the signal precedes anything that is sent after that close. A backend that waits for a command
// drops the signal. So unwatching waits for the request that is under way. If no answer comes in
// time, the connection is given up. The connection is also lost if the signal comes between the
// rollback and the end of the pipeline: pgx then closes it.
type canceller struct {
	conn    *pgconn.PgConn
	stop    chan struct{}
	stopped chan struct{}
	unsure  bool // unsure: a request may still be under way
}

// CancelGrace is how long the server may take to end a cancelled query.
const CancelGrace = 5 * time.Second

// HandleCancel implements ctxwatch.Handler.
func (c *canceller) HandleCancel(context.Context) {
	deadline := time.Now().Add(CancelGrace)
	_ = c.conn.Conn().SetDeadline(deadline)
	c.stop, c.stopped = make(chan struct{}), make(chan struct{})
	go c.request(deadline)
}

func (c *canceller) request(deadline time.Time) {
	defer close(c.stopped)
	// The request has its own context, since a request that was sent must be completed.
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		if c.conn.CancelRequest(ctx) != nil || ctx.Err() != nil {
			c.unsure = true
			return
		}
		select {
		case <-c.stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// HandleUnwatchAfterCancel implements ctxwatch.Handler.
func (c *canceller) HandleUnwatchAfterCancel() {
	close(c.stop)
	<-c.stopped
	_ = c.conn.Conn().SetDeadline(time.Time{})
}
