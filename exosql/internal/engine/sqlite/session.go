package sqlite

import (
	"context"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Session is one guarded connection (see engine.Engine) with its prepared statements.
type Session struct {
	engine *Database
	C      *conn
	Guard  *guard
	Stmts  engine.Statements[*stmt]
	bad    bool // bad: the connection was interrupted, or has failed
	epoch  int  // epoch counts the changes of the schema that the session has noticed
}

// Connect opens one guarded connection and verifies that the authorizer refuses statements that no plan contains.
func (e *Database) Connect(ctx context.Context) (engine.Session, error) {
	s, err := e.connect(ctx, e.read, func(*Session) error { return nil })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// connect opens a connection, and waits while another connection has the database locked. Two
// connections may switch to the write-ahead log at once. SQLite then reports to one of them at once that
// the database is locked, whatever its busy timeout: both have read, so neither may wait for the other.
func (e *Database) connect(ctx context.Context, dsn string, first func(*Session) error) (*Session, error) {
	for wait := (Patience{}); ; {
		s, err := e.attempt(dsn, first)
		if err == nil {
			return s, nil
		}
		if !wait.More(ctx, err) {
			return nil, errors.Join(err, ctx.Err())
		}
		time.Sleep(time.Millisecond)
	}
}

// attempt opens a connection. It calls first before the connection is guarded.
func (e *Database) attempt(dsn string, first func(*Session) error) (*Session, error) {
	dc, err := SharedDriver().Open(dsn)
	if err != nil {
		return nil, err
	}
	c, err := newConn(dc)
	if err != nil {
		dc.Close()
		return nil, err
	}
	e.Opened.Add(1)
	// SQLite has a cell, a row and the result of a function in memory before any budget counts them:
	// for one text of 600 MB, DISTINCT used nine times as much.
	sqlite3.Xsqlite3_limit(c.Tls, c.Db, sqlite3.SQLITE_LIMIT_LENGTH, engine.MaxRow)
	s := &Session{engine: e, C: c, Guard: &guard{}, Stmts: engine.Statements[*stmt]{Bytes: e.prepared, Drop: c.finalize}}
	err = verifyInterrupt(c)
	if err == nil {
		err = first(s)
	}
	if err == nil {
		if r, ok := dc.(sqlite.AuthorizerRegisterer); ok {
			err = r.RegisterAuthorizer(s.Guard.authorize)
		} else {
			err = errors.New("exosql: the SQLite driver has no authorizer: use the version of modernc.org/sqlite that this module requires")
		}
	}
	if err == nil {
		err = verifyWall(c)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// With implements engine.Session. SQLite has no policies.
func (s *Session) With(*engine.Settings) {}

func (s *Session) Sound() bool { return !s.bad }

func (s *Session) Prepared() (n, bytes int) { return s.Stmts.Len(), s.Stmts.Size() }

func (s *Session) Close() error {
	for _, st := range s.Stmts.All() {
		s.C.finalize(st)
	}
	s.engine.Opened.Add(-1)
	return s.C.close()
}

// prepare finds or makes the statement of a plan. done must be called after the run: it finalizes a
// statement that is too large to be kept.
func (s *Session) prepare(p *plan.Plan) (st *stmt, done func(), err error) {
	if st, ok := s.Stmts.Get(p); ok {
		if st.refused == nil {
			return st, func() {}, nil
		}
		if time.Now().Before(st.until) {
			return nil, nil, st.refused
		}
		s.Stmts.Remove(p)
	}
	if p.Tables == nil {
		st, err = s.C.prepare(p.Text)
	} else {
		st, err = s.prepareOpen(p)
	}
	if err != nil {
		return nil, nil, err
	}
	size := s.C.bytes(st) + p.Bytes
	if st.alone != nil {
		size += maxShares * shareBytes
	}
	if !s.Stmts.Fits(size) {
		return st, func() { s.C.finalize(st) }, nil
	}
	s.Stmts.Add(p, st, size)
	return st, func() {}, nil
}

func (s *Session) Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.Guard.Admit(&p.Reads)
	defer s.Guard.Admit(nil)
	stop := s.C.Watch(ctx)
	defer func() {
		if stop() {
			s.bad = true
		}
	}()
	for wait := (Patience{}); ; {
		began, err := s.run(p, args, out)
		if !began && changed(err) && ctx.Err() == nil {
			continue
		}
		if !began && s.Guard.denied {
			grew, unread := s.Learn(p)
			if grew {
				continue
			}
			err = errors.Join(err, unread)
		}
		if began || !wait.More(ctx, err) {
			return s.judge(ctx, err)
		}
	}
}

// run runs the statement once. began reports that the statement has returned a row, so that it can't
// run again for this result.
func (s *Session) run(p *plan.Plan, args []value.Value, out *plan.Collector) (began bool, err error) {
	st, done, err := s.prepare(p)
	if err != nil {
		return false, err
	}
	defer func() {
		done()
		if changed(err) {
			s.Stmts.Remove(p) // without it the plan is judged again
			s.epoch++
		}
	}()
	if err := s.searches(p, st, args); err != nil {
		return false, err
	}
	s.C.lock()
	defer s.C.unlock()
	defer s.C.reset(st)
	if err := s.C.bind(st, args); err != nil {
		return false, err
	}
	for {
		more, err := s.C.step(st)
		if err != nil || !more {
			return began, err
		}
		began = true
		for i := range p.Cells {
			if err := s.C.cell(st, i, out); err != nil {
				return true, err
			}
		}
	}
}

// judge decides whether the connection may go on after err. An error about the statement or its
// memory is no reason to close it; an error about the database is.
func (s *Session) judge(ctx context.Context, err error) error {
	var e *SqlError
	if errors.As(err, &e) {
		if e.Code == sqlite3.SQLITE_ERROR && e.msg == errRows.Error() {
			return &fail.Error{Kind: fail.Limit, Msg: plan.TooManyRows, Err: err}
		}
		if e.Code == sqlite3.SQLITE_ERROR && e.msg == errMany.Error() {
			return &fail.Error{Kind: fail.Limit, Msg: plan.TooMany, Err: err}
		}
		if primary(e.Code) == sqlite3.SQLITE_TOOBIG {
			return engine.RowTooLarge(err)
		}
		switch primary(e.Code) {
		case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH: // a failed write undoes its statement
		case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_AUTH:
		default:
			s.bad = true
		}
	}
	return err
}

// Patience bounds how long a query is repeated while another connection writes. The zero Patience has not begun.
type Patience struct{ until time.Time }

// While another connection writes, SQLite waits for shortWait, and does not notice the end of a context. Then Patience tries again.
const (
	longWait  = 5 * time.Second
	shortWait = 10 * time.Millisecond
)

// More reports whether to try again after err, the error of a busy database.
func (p *Patience) More(ctx context.Context, err error) bool {
	if code := codeOf(err); primary(code) != sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_BUSY_SNAPSHOT || ctx.Err() != nil {
		return false // an old snapshot never becomes the newest again
	}
	now := time.Now()
	if p.until.IsZero() {
		p.until = now.Add(longWait)
	}
	return now.Before(p.until)
}
