package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// canceller ends what a connection runs when its context ends, by asking the
// server, so that the connection can be used again.
//
// The server takes such a request on another connection and drops it when the
// backend happens to be between two commands. So it is repeated until the
// query has ended. None may arrive late and hit the next query: the server closes the
// other connection after it has signalled the backend, whoever waits for that
// knows that the signal comes before anything that is sent later, and a backend
// that waits for a command drops it. So unwatching waits for the request that is
// on its way, and where no answer came in time the connection is given up. It is lost, too,
// where the signal comes after the rollback and before the end of the pipeline: pgx
// then loses count of what it waits for, and closes it.
type canceller struct {
	conn    *pgconn.PgConn
	stop    chan struct{}
	stopped chan struct{}
	unsure  bool // a request may still be on its way
}

// CancelGrace is how long the server may take to end a query that was cancelled.
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
	// Its own context: a request that was sent must be seen through.
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
