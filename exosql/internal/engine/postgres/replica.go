package postgres

// This file has sessions of replicas: standbys of PostgreSQL, which replay the log of a primary. Each connection proves that it leads to a standby of
// the same database, and each transaction that its server still follows and has replayed enough.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// identity has what a statement's meaning depends on and a replica must have in common with its primary. A replica has its primary's catalogue, so
// nothing else that Check compares can differ.
type identity struct {
	Recovering bool
	System     string // System is a random number that initdb has given to the primary, and that its standbys have
	Database   string // Database is the OID
	Role, Path string

	number int // number is the number of the replica, for errors
}

// readIdentity fails if the role may not ask for the number of the system, or, later, for the timeline.
const readIdentity = `SELECT json_build_object('Recovering', pg_is_in_recovery(), 'System', (SELECT system_identifier::text FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery()),
	'Database', (SELECT oid::text FROM pg_database WHERE datname = current_database()), 'Role', session_user || ' as ' || current_user, 'Path', current_setting('search_path'))::text`

// readPosition returns the end of the log that every returned COMMIT has reached, its timeline, and which transactions are over. A COMMIT waits
// for the disk, or with synchronous_commit off only for the log in memory.
const readPosition = `SELECT concat_ws(' ', l.lsn, left(pg_walfile_name(l.lsn), 8), pg_current_snapshot())
	FROM (SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn) AS l`

// mustFollow fails unless the server is a standby, and each transaction that has ended in the position $1, $2 has also ended there. The standby has replayed
// the log up to the position, or knows how each of these transactions ended. The log may end within a record, which is not replayed before its rest is written. When mustFollow fails, the
// server skips the statements after it; otherwise those statements have later snapshots. The error quotes the word that is no number.
const (
	mustFollow = `SELECT CAST(CASE WHEN NOT pg_is_in_recovery() THEN '` + promoted + `' WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN '1' WHEN (
	SELECT CASE WHEN b.until - b.xmin <= 1000 THEN NOT EXISTS (SELECT FROM generate_series(b.xmin, b.until - 1) AS x
		WHERE pg_visible_in_snapshot(x::text::xid8, $2::pg_snapshot) AND CASE WHEN x >= b.xmax THEN true ELSE pg_xact_status(x::text::xid8) = 'in progress' END) END
	FROM (SELECT pg_snapshot_xmin(s)::text::bigint AS xmin, pg_snapshot_xmax(s)::text::bigint AS xmax, pg_snapshot_xmax($2::pg_snapshot)::text::bigint AS until
		FROM pg_current_snapshot() AS s) AS b) THEN '1' ELSE 'behind' END AS int)`
	promoted = "promoted"
)

// readTimeline returns the timeline that a standby replays. It may be a little late after a change, but is never early.
const readTimeline = `SELECT upper(lpad(to_hex(greatest(c.timeline_id, r.min_recovery_end_timeline)), 8, '0')) FROM pg_control_checkpoint() AS c, pg_control_recovery() AS r`

// hungReplica bounds the time in which a replica shows that it follows.
const hungReplica = 2 * time.Second

// hurry ends a connection unless stop is called within hungReplica: a replica that hangs must not cost a run its time. If is is false, hurry does nothing.
func (s *Session) hurry(is bool) (stop func()) {
	if !is {
		return func() {}
	}
	t := time.AfterFunc(hungReplica, func() { _ = s.Conn.Conn().SetDeadline(time.Unix(1, 0)) })
	return func() { t.Stop() }
}

// position returns the arguments of mustFollow. Without a snapshot the position in the log alone counts.
func (f *following) position() [][]byte {
	at := [][]byte{[]byte(f.LSN), nil}
	if f.Snapshot != "" {
		at[1] = []byte(f.Snapshot)
	}
	return at
}

// following is the state that a session of a replica has to reach before it reads.
type following struct {
	engine.Position
	read  bool                         // read: the replica has shown that it follows, so the statement runs
	check *pgconn.StatementDescription // check is mustFollow
	line  string                       // line is the timeline on which the replica was found at the time in the field asked
	asked time.Time
}

// OpenReplica prepares to connect to a replica of a primary. number counts the replicas from 1.
func OpenReplica(ctx context.Context, primary *engine.Pool, number int, conf Config, opt engine.Options) (engine.Engine, error) {
	s, err := primary.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer primary.Release(s)
	of, err := s.(*Session).identity(ctx, conf.Conn.User)
	if err != nil {
		return nil, err
	}
	s.(*Session).leads.Store(true)
	if of.Recovering {
		return nil, fail.Errorf(fail.Invalid, "exosql: Open", "the URL of the database leads to a standby, and the database has replicas: write the URL of the primary")
	}
	opt.Setup, opt.Marks = nil, false
	e, err := Open(ctx, conf, opt)
	if err == nil {
		of.number, e.(*database).of = number, of
	}
	return e, err
}

func (s *Session) identity(ctx context.Context, role string) (*identity, error) {
	text, err := s.ask(ctx, func(pl *pgconn.Pipeline) { pl.SendQueryParams(readIdentity, nil, nil, nil, nil) })
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42501" {
		return nil, fail.Errorf(fail.Invalid, "exosql: Open", "a database with replicas needs a right that the role lacks: GRANT EXECUTE ON FUNCTION pg_control_system(), pg_control_checkpoint(), pg_control_recovery() TO %s", sqlname.Plain(role))
	}
	of := &identity{}
	if err == nil {
		err = json.Unmarshal(text, of)
	}
	return of, err
}

// verifyReplica refuses a server that is no replica of the primary.
func (s *Session) verifyReplica(ctx context.Context, of *identity) error {
	is, err := s.identity(ctx, "")
	if err != nil {
		return err
	}
	why := ""
	switch {
	case is.System != of.System:
		why = "it is no copy of the primary: write the URL of a standby of the primary"
	case !is.Recovering:
		why = "it is no standby, but takes changes itself: write the URL of a standby"
	case is.Database != of.Database:
		why = "it is another database of the server: write the same name of the database into both URLs"
	case is.Role != of.Role:
		why = fmt.Sprintf("its role is %s, and on the primary %s: rights and policies differ by role, so write the same role into both URLs", is.Role, of.Role)
	case is.Path != of.Path:
		why = fmt.Sprintf("its search_path is %s, and on the primary %s: the same names could mean other tables, so set the same search_path for both", is.Path, of.Path)
	default:
		s.reach = &following{}
		s.reach.check, err = s.define(ctx, "exo_follows", mustFollow)
		return err
	}
	return fail.Errorf(fail.Invalid, "exosql: Open", "replica %d can't be read: %s", of.number, why)
}

// Position implements engine.Follower.
func (s *Session) Position(ctx context.Context) (at engine.Position, err error) {
	if s.leads.Load() && s.follows() {
		return at, s.refuseStandby()
	}
	if err := s.alive(ctx); err != nil {
		return at, err
	}
	if s.position == nil {
		if s.position, err = s.define(ctx, "exo_position", readPosition); err != nil {
			return at, err
		}
	}
	s.With(nil)
	var text []byte
	if s.Pooled != nil {
		text, err = s.ask(ctx, func(pl *pgconn.Pipeline) { s.send(pl, s.position, nil, nil, nil) })
	} else {
		s.busy = true
		rr := s.exec(ctx, s.position, nil)
		text, err = textIn(rr)
		_, cerr := rr.Close()
		err = cmp.Or(err, cerr)
		s.busy = false
	}
	s.Used = time.Now()
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "55000" { // recovery is in progress: behind a pooler the session does not show it
		return at, s.refuseStandby()
	}
	if parts := strings.Fields(string(text)); len(parts) == 3 {
		return engine.Position{LSN: parts[0], Timeline: parts[1], Snapshot: parts[2]}, err
	}
	return at, cmp.Or(err, errNoPosition)
}

// Reach implements engine.Follower.
func (s *Session) Reach(at engine.Position) { s.reach.Position = at }

// onTimeline fails if the replica replays another history than its primary has. It may have replayed changes of an earlier primary that the present one
// never got.
func (s *Session) onTimeline(ctx context.Context) error {
	f := s.reach
	if f == nil || f.line == f.Timeline && time.Since(f.asked) < idleCheck {
		return nil
	}
	defer s.hurry(true)()
	lsn := f.LSN
	f.LSN = "" // this question needs no position
	text, err := s.ask(ctx, func(pl *pgconn.Pipeline) { pl.SendQueryParams(readTimeline, nil, nil, nil, nil) })
	if f.LSN = lsn; err != nil {
		return err
	}
	if f.line, f.asked = string(text), time.Now(); f.line != f.Timeline {
		return fmt.Errorf("%w: %w", engine.ErrElsewhere, errTimeline)
	}
	return nil
}

// reached fails unless the replica has reached the position. So a table that was made a moment ago can be found when a statement is prepared.
func (s *Session) reached(ctx context.Context) error {
	if s.reach == nil {
		return nil
	}
	return s.guarded(ctx, 0, func(*pgconn.Pipeline) {}, nil)
}

var (
	errTimeline   = fail.Named("exosql: the replica follows another timeline than the primary: make it again from the primary")
	errNoPosition = fail.Named("exosql: the primary does not report the end of its log, so no replica can be compared with it")
	errPromoted   = fail.Named("exosql: the replica was promoted, so it is not read any more: take its URL out of OpenOptions.Replicas")
)

// notFollowing returns the error of mustFollow as an engine.ErrElsewhere, and any other error unchanged.
func notFollowing(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok || e.Code != "22P02":
		return err
	case strings.Contains(e.Message, promoted):
		return fmt.Errorf("%w: %w", engine.ErrElsewhere, errPromoted)
	}
	return fmt.Errorf("%w: %w", engine.ErrElsewhere, engine.ErrBehind)
}

// elsewhere adds engine.ErrElsewhere to errors of a replica that another server may not have.
func (s *Session) elsewhere(ctx context.Context, err error) error {
	if s.reach == nil || err == nil || ctx.Err() != nil || errors.Is(err, engine.ErrElsewhere) {
		return err
	}
	_, known := errors.AsType[*fail.Error](err)
	e, ok := errors.AsType[*pgconn.PgError](err)
	passes, _ := ofServer(err)
	switch {
	case ok && e.Code == notSupported && strings.Contains(e.Message, "recovery"):
		return &fail.Error{Kind: fail.Denied, Msg: "the rows can't be read: their host has to change something in the database first; ask the host, who has the reason", Err: fmt.Errorf("exosql: a table is unlogged, so replicas do not have it: ALTER TABLE … SET LOGGED, or open the database without Replicas: %w", err)}
	case s.reach.read && (!ok || e.Code != serializationFailure && e.Code != crashed): // the statement ran, and may be why the server failed: no other server runs it
	case errors.Is(err, engine.ErrLost) || !known && (s.bad || s.Conn.IsClosed()):
		return fmt.Errorf("%w: %w", engine.ErrElsewhere, err)
	case known:
	case passes:
		return fmt.Errorf("%w: %w: %w", engine.ErrElsewhere, engine.ErrPassing, err)
	}
	return err
}

// connectError calls the package's connectError, and adds engine.ErrElsewhere to the error of a replica that can't be reached now.
func (e *database) connectError(err error) error {
	err = connectError(err)
	pg, answered := errors.AsType[*pgconn.PgError](err)
	if e.of != nil && answered && pg.Code == notSupported && strings.Contains(pg.Message, "serializable") {
		role, _, _ := strings.Cut(e.of.Role, " as ")
		return fail.Errorf(fail.Invalid, "exosql: Open", "replica %d can't be read: the transactions of its role are serializable by default, and no standby runs such transactions: ALTER ROLE %s SET default_transaction_isolation = 'read committed'; transactions that write are serializable all the same", e.of.number, sqlname.Plain(role))
	}
	_, old := errors.AsType[*VersionError](err)
	_, pool := errors.AsType[*pgsession.Error](err)
	if passes, _ := ofServer(err); e.of == nil || old || pool || answered && !passes {
		return err
	}
	return fmt.Errorf("%w: %w", engine.ErrElsewhere, err)
}
