package exosql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exo"
)

// sqliteSession is one guarded connection with its prepared statements.
type sqliteSession struct {
	c     *sql.Conn
	guard *guard
	stmts map[*plan]*sql.Stmt
	db    uintptr // the engine's handle, for interrupt
	bad   bool    // an interrupt may still be on its way, or the connection is lost
}

// connect opens one guarded connection and verifies that its wall holds.
func (e *sqliteEngine) connect(ctx context.Context) (session, error) {
	sc, err := e.sql.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{c: sc, guard: &guard{}, stmts: map[*plan]*sql.Stmt{}}
	err = sc.PingContext(ctx)
	if err == nil {
		err = sc.Raw(func(dc any) (err error) {
			s.db, err = handle(dc)
			return err
		})
	}
	if err == nil {
		err = verifyInterrupt(ctx, s)
	}
	if err == nil {
		err = sc.Raw(func(dc any) error {
			r, ok := dc.(sqlite.AuthorizerRegisterer)
			if !ok {
				return errors.New("exosql: the SQLite driver has no authorizer")
			}
			return r.RegisterAuthorizer(s.guard.authorize)
		})
	}
	if err == nil {
		err = verifyWall(ctx, sc)
	}
	if err != nil {
		sc.Close()
		return nil, err
	}
	return s, nil
}

func (s *sqliteSession) sound() bool   { return !s.bad }
func (s *sqliteSession) prepared() int { return len(s.stmts) }
func (s *sqliteSession) close() error  { return s.c.Close() } // its statements go with it

func (s *sqliteSession) prepare(ctx context.Context, p *plan) (*sql.Stmt, error) {
	if st := s.stmts[p]; st != nil {
		return st, nil
	}
	st, err := s.c.PrepareContext(ctx, p.text)
	if err != nil {
		return nil, err
	}
	if len(s.stmts) >= maxStmts {
		for k, old := range s.stmts { // any one: plans of one workload are fewer
			old.Close()
			delete(s.stmts, k)
			break
		}
	}
	s.stmts[p] = st
	return st, nil
}

func (s *sqliteSession) query(ctx context.Context, p *plan, args []exo.Value, out *collector) error {
	s.guard.admit(p.reads)
	defer s.guard.admit(nil)
	// The driver ends a statement with its context up to the first row only, and a
	// query may find one row at once and the next never.
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { s.interrupt(); close(ended) })
	defer func() {
		if !stop() {
			<-ended
			s.bad = true // it may still carry the interrupt
		}
	}()
	st, err := s.prepare(ctx, p)
	if err != nil {
		return err
	}
	rs, err := st.QueryContext(ctx, sqliteArgs(args)...)
	if err != nil {
		s.bad = ctx.Err() == nil && s.c.PingContext(ctx) != nil
		return err
	}
	defer rs.Close()
	raw := make([]any, len(p.cells))
	dest := make([]any, len(p.cells))
	for i := range raw {
		dest[i] = &raw[i]
	}
	for rs.Next() {
		if err := rs.Scan(dest...); err != nil {
			return err
		}
		for i := range raw {
			var err error
			if raw[i] == nil {
				err = out.null()
			} else if v := p.cells[i].decodeSQLite(raw[i]); v.Kind() == exo.NoValue {
				err = p.cells[i].contradicts(fmt.Sprintf("a %T", raw[i]))
			} else {
				err = out.add(v)
			}
			if err != nil {
				return err
			}
		}
	}
	return rs.Err()
}
