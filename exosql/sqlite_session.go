package exosql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
)

// sqliteSession is one guarded connection with its prepared statements.
type sqliteSession struct {
	engine *sqliteEngine
	c      *sqliteConn
	guard  *guard
	stmts  statements[*stmt]
	bad    bool // it was interrupted, or has failed
}

// connect opens one guarded connection and verifies that its wall holds.
func (e *sqliteEngine) connect(ctx context.Context) (session, error) {
	dc, err := sqliteDriver().Open(e.read)
	if err != nil {
		return nil, err
	}
	c, err := newSQLiteConn(dc)
	if err != nil {
		dc.Close()
		return nil, err
	}
	e.opened.Add(1)
	// A cell, a row and what a function makes are held whole by the engine before any
	// budget sees them: of one text of 600 MB, DISTINCT held nine times as much.
	sqlite3.Xsqlite3_limit(c.tls, c.db, sqlite3.SQLITE_LIMIT_LENGTH, maxRow)
	s := &sqliteSession{engine: e, c: c, guard: &guard{}, stmts: statements[*stmt]{Bytes: e.prepared, Drop: c.finalize}}
	err = verifyInterrupt(c)
	if err == nil {
		if r, ok := dc.(sqlite.AuthorizerRegisterer); ok {
			err = r.RegisterAuthorizer(s.guard.authorize)
		} else {
			err = errors.New("exosql: the SQLite driver has no authorizer")
		}
	}
	if err == nil {
		err = verifyWall(c)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	// Where a writer has the database, SQLite waits this long without hearing of the
	// end of a context, and patience goes on.
	sqlite3.Xsqlite3_busy_timeout(c.tls, c.db, int32(shortWait.Milliseconds()))
	return s, nil
}

func (s *sqliteSession) sound() bool              { return !s.bad }
func (s *sqliteSession) prepared() (n, bytes int) { return s.stmts.Len(), s.stmts.Size() }

func (s *sqliteSession) close() error {
	for _, st := range s.stmts.All() {
		s.c.finalize(st)
	}
	s.engine.opened.Add(-1)
	return s.c.close()
}

// prepare finds or makes the statement of a plan. done is called when it has run: a
// statement that is too large to be kept ends with its query.
func (s *sqliteSession) prepare(p *plan) (st *stmt, done func(), err error) {
	if st, ok := s.stmts.Get(p); ok {
		return st, func() {}, nil
	}
	if st, err = s.c.prepare(p.text); err != nil {
		return nil, nil, err
	}
	size := s.c.bytes(st) + p.bytes
	if !s.stmts.Fits(size) {
		return st, func() { s.c.finalize(st) }, nil
	}
	s.stmts.Add(p, st, size)
	return st, func() {}, nil
}

func (s *sqliteSession) query(ctx context.Context, p *plan, args []exo.Value, out *collector) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.guard.admit(&p.reads)
	defer s.guard.admit(nil)
	stop := s.c.watch(ctx)
	defer func() {
		if stop() {
			s.bad = true
		}
	}()
	for wait := (patience{}); ; {
		began, err := s.run(p, args, out)
		if began || !wait.more(ctx, err) {
			return s.judge(ctx, err)
		}
	}
}

// run runs the statement once. began says that it gave a row: it can't be run
// again for this result.
func (s *sqliteSession) run(p *plan, args []exo.Value, out *collector) (began bool, err error) {
	st, done, err := s.prepare(p)
	if err != nil {
		return false, err
	}
	defer done()
	s.c.lock()
	defer s.c.unlock()
	defer s.c.reset(st)
	if err := s.c.bind(st, args); err != nil {
		return false, err
	}
	var texts arena
	for {
		more, err := s.c.step(st)
		if err != nil || !more {
			return began, err
		}
		began = true
		for i := range p.cells {
			if err := s.c.cell(st, i, out, &texts); err != nil {
				return true, err
			}
		}
	}
}

// judge decides whether the connection may go on after err: what the engine says
// of the statement or of its memory is no reason to close it, what it says of the
// database is.
func (s *sqliteSession) judge(ctx context.Context, err error) error {
	var e *sqliteError
	if errors.As(err, &e) {
		if primary(e.code) == sqlite3.SQLITE_TOOBIG {
			return &exo.Error{Kind: exo.Limit, Msg: fmt.Sprintf("a row is too large: the limit is %d bytes", maxRow), Err: err}
		}
		switch primary(e.code) {
		case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_AUTH:
		default:
			s.bad = true
		}
	}
	return err
}

// patience bounds how long a query waits for a database that a writer has.
type patience struct{ until time.Time }

const (
	longWait  = 5 * time.Second
	shortWait = 10 * time.Millisecond
)

// more reports whether to try once more after err.
func (p *patience) more(ctx context.Context, err error) bool {
	var e *sqliteError
	if err == nil || !errors.As(err, &e) || primary(e.code) != sqlite3.SQLITE_BUSY || ctx.Err() != nil {
		return false
	}
	now := time.Now()
	if p.until.IsZero() {
		p.until = now.Add(longWait)
	}
	return now.Before(p.until)
}
