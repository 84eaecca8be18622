package postgres

// This file decides whether a connection was lost or leads to the wrong server, as after a failover.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/internal/pgsession"
)

var (
	errFollows = fail.Named("exosql: the server that answers is a standby, which takes no changes and may show an older state: connect to the primary")
	errAlone   = fail.Named("exosql: the server stopped waiting for its standby, so a failover may lose the changes that were committed")
)

// serverStates are the codes, or their beginnings, of errors that a server has by its state and not by the statement. The first that fits counts. ends:
// the server ends the session, or does not begin it, for a temporary reason.
var serverStates = []struct {
	code string
	ends bool
}{
	{"57P01", true}, {crashed, true}, // the server stops, or another session of it has crashed
	{"57P03", true},                             // the server starts
	{"57P05", true},                             // the session was idle for too long
	{"53300", true},                             // there are too many connections
	{protocolViolation, true},                   // PgBouncer has lost its server, or finds none
	{"08", false}, {"53", false}, {"57", false}, // other errors of connections, resources and operators
	{"40", false},                                     // a conflict, also with the replay of the log
	{"58", false}, {"XX001", false}, {"XX002", false}, // disks
}

// crashed is the code with which a server ends its sessions after another session has crashed.
const crashed = "57P02"

// ofServer reports whether a server's state is the reason for an error, and whether the server ends the session.
func ofServer(err error) (is, ends bool) {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, s := range serverStates {
			if strings.HasPrefix(e.Code, s.code) {
				return true, s.ends
			}
		}
	}
	return false, false
}

// unreachable reports whether an error means that the server can't be reached. It is false for a context that has ended.
func unreachable(err error) bool {
	if _, answered := errors.AsType[*pgconn.PgError](err); answered {
		_, ends := ofServer(err)
		return ends
	}
	var e interface { // net.Error: the engines import no package that can dial
		error
		Timeout() bool
		Temporary() bool
	}
	if errors.As(err, &e) {
		return !e.Timeout()
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err) && !errors.Is(err, context.Canceled)
}

// lost returns the error of a session that was lost before it had sent a COMMIT as engine.Lost does. It returns any other error unchanged.
func lost(err error) error {
	if _, known := errors.AsType[*fail.Error](err); known || !unreachable(err) {
		return err
	}
	return engine.Lost(boundError(err))
}

// unreached returns said, the error of a connection that was not made because of err. If the server is away or too slow, the result is engine.Lost(said).
func unreached(ctx context.Context, err, said error) error {
	if ctx.Err() != nil || !unreachable(err) && !errors.Is(err, context.DeadlineExceeded) {
		return said
	}
	return engine.Lost(said)
}

// follows reports whether the server is a standby. A primary that becomes a standby ends its sessions; a standby that becomes a primary reports that.
func (s *Session) follows() bool { return pgsession.Follows(s.Conn) }

// hear notes that the server stopped waiting for a synchronous standby: because of a cancel request, or of statement_timeout, which counts for a
// COMMIT too. The server then answers that it has committed.
func (s *Session) hear(c *pgconn.Config) {
	notice := c.OnNotice
	c.OnNotice = func(conn *pgconn.PgConn, n *pgconn.Notice) {
		s.alone = s.alone || n.Routine == "SyncRepWaitForLSN"
		if notice != nil {
			notice(conn, n)
		}
	}
}

// flushed makes the next COMMIT wait for the standby, though the transaction changes nothing. The COMMIT of a mark may not have waited, for
// instance because another session crashed. Without a wait now, a failover could lose a run that was reported as kept.
func (w *Writer) flushed(ctx context.Context, run string) error {
	for _, text := range []string{"SAVEPOINT exo_seen", settleMark, "ROLLBACK TO SAVEPOINT exo_seen"} {
		var args [][]byte
		if text == settleMark {
			args = [][]byte{[]byte(run + " seen"), []byte("0")}
		}
		if _, err := w.row(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// refuseStandby returns the error of a session whose server has to be the primary, but is a standby. The session is not used again.
func (s *Session) refuseStandby() error {
	s.bad = true
	return engine.Lost(fmt.Errorf("%w: %w", engine.ErrLost, errFollows))
}
