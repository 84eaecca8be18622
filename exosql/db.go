package exosql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// DB is a database whose connections are set up so that they can do no more
// than the plans that this package makes: the second wall, beneath the query
// compiler. It gives no access to the connections. Make one with Open, share it, Close it.
type DB struct {
	dialect sqlast.Dialect
	plans   *planCache
	sql     *sql.DB // guarded: read-only, and under the authorizer
	opened  int     // how many connections there may be
	keep    *sql.DB // for a database in memory: what keeps it alive
	free    chan *conn
	closed  chan struct{}
	close   sync.Once
}

// Options are for Open; nil means the defaults.
type Options struct {
	// Setup is called at every Open, before the guarded connections are opened, with
	// a pool of one connection that may do everything: to create and fill a database
	// in memory, or to migrate. One connection means that a transaction must end
	// before the pool is used again.
	Setup func(ctx context.Context, db *sql.DB) error
	Conns int // guarded connections; default 4
	Plans int // plans kept; default 512
}

// Query is what the record of a message says of the statement that answered it
// (see exo.Event's Details). It holds values of the database: it is for the host alone.
type Query struct {
	SQL  string        `json:"sql"`
	Args []any         `json:"args"`
	Rows int           `json:"rows"`
	Took time.Duration `json:"-"`
}

// Open opens a database by URL: sqlite:PATH, or sqlite::memory:. It fails when
// the database is not there, and when the second wall does not hold.
func Open(ctx context.Context, url string, opt *Options) (*DB, error) {
	if opt == nil {
		opt = &Options{}
	}
	scheme, rest, ok := strings.Cut(url, ":")
	if !ok || rest == "" {
		return nil, fmt.Errorf("exosql: %q is no database: want sqlite:PATH, or sqlite::memory: for one in memory", url)
	}
	n := opt.Conns
	if n <= 0 {
		n = 4
	}
	db := &DB{plans: newPlanCache(or(opt.Plans, 512)), free: make(chan *conn, n), closed: make(chan struct{})}
	var err error
	switch scheme {
	case "sqlite":
		err = db.openSQLite(ctx, rest, opt)
	default:
		err = fmt.Errorf("exosql: %q: no such kind of database; want sqlite:PATH", scheme)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	for range n {
		db.free <- nil // opened when first needed
	}
	db.opened = n
	c, err := db.acquire(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	db.release(c)
	return db, nil
}

func or(n, d int) int {
	if n > 0 {
		return n
	}
	return d
}

// Close waits for the queries that run, and closes every connection. Queries
// that come later fail. A second Close does nothing.
func (db *DB) Close() error {
	var err error
	db.close.Do(func() { err = db.shut() })
	return err
}

func (db *DB) shut() error {
	close(db.closed)
	var errs []error
	for range db.opened {
		if c := <-db.free; c != nil {
			errs = append(errs, c.c.Close()) // its statements go with it
		}
	}
	if db.sql != nil {
		errs = append(errs, db.sql.Close())
	}
	if db.keep != nil {
		errs = append(errs, db.keep.Close())
	}
	return errors.Join(errs...)
}

// conn is one guarded connection with its prepared statements.
type conn struct {
	c     *sql.Conn
	guard *guard
	stmts map[*plan]*sql.Stmt
	db    uintptr // the engine's handle, for interrupt
}

const maxStmts = 256 // prepared statements of one connection

var errClosed = &exo.Error{Kind: exo.Internal, Err: errors.New("exosql: the database is closed")}

func (db *DB) acquire(ctx context.Context) (*conn, error) {
	var c *conn
	select {
	case <-db.closed:
		return nil, errClosed
	default:
	}
	select {
	case c = <-db.free:
	case <-db.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c == nil {
		var err error
		if c, err = db.connect(ctx); err != nil {
			db.free <- nil
			return nil, err
		}
	}
	return c, nil
}

func (db *DB) release(c *conn) { db.free <- c }

// discard closes a connection whose state is not known.
func (db *DB) discard(c *conn) {
	c.c.Close()
	db.free <- nil
}

func (c *conn) prepare(ctx context.Context, p *plan) (*sql.Stmt, error) {
	if s := c.stmts[p]; s != nil {
		return s, nil
	}
	s, err := c.c.PrepareContext(ctx, p.text)
	if err != nil {
		return nil, err
	}
	if len(c.stmts) >= maxStmts {
		for k, old := range c.stmts { // any one: plans of one workload are fewer
			old.Close()
			delete(c.stmts, k)
			break
		}
	}
	c.stmts[p] = s
	return s, nil
}

// query runs a plan. m is the message it answers, or nil for the typed API.
func (db *DB) query(ctx context.Context, p *plan, args []any, m *exo.Message) (exo.Value, error) {
	start := time.Now()
	rows, err := db.rows(ctx, p, args, m)
	if m != nil {
		m.Detail(Query{SQL: p.text, Args: args, Rows: rows.Len(), Took: time.Since(start)})
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // what the driver says about being interrupted varies
		}
		return exo.Value{}, exo.AsError("", err)
	}
	switch {
	case p.kind == runCount:
		if rows.Len() != 1 {
			return exo.Value{}, &exo.Error{Kind: exo.Internal, Err: errors.New("exosql: a count gave no row")}
		}
		return rows.Cells[0], nil
	case p.kind == runFirst && m != nil:
		if rows.Len() == 0 {
			return exo.Null(), nil
		}
		return rows.Row(0), nil
	}
	return exo.RowsValue(rows), nil
}

func (db *DB) rows(ctx context.Context, p *plan, args []any, m *exo.Message) (out *exo.Rows, err error) {
	out = &exo.Rows{Shape: p.shape.Clone()} // the plan is shared by all tenants
	c, err := db.acquire(ctx)
	if err != nil {
		return out, err
	}
	c.guard.admit(p.reads)
	healthy := true
	defer func() {
		c.guard.admit(nil)
		if healthy {
			db.release(c)
		} else {
			db.discard(c)
		}
	}()
	// The driver ends a statement with its context up to the first row only, and a
	// query may find one row at once and the next never.
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { c.interrupt(); close(ended) })
	defer func() {
		if !stop() {
			<-ended
			healthy = false // it may still carry the interrupt
		}
	}()
	st, err := c.prepare(ctx, p)
	if err != nil {
		return out, err
	}
	rs, err := st.QueryContext(ctx, args...)
	if err != nil {
		healthy = ctx.Err() != nil || c.c.PingContext(ctx) == nil
		return out, err
	}
	defer rs.Close()
	raw := make([]any, len(p.cells))
	dest := make([]any, len(p.cells))
	for i := range raw {
		dest[i] = &raw[i]
	}
	n, size := 0, 0
	for rs.Next() {
		if err := rs.Scan(dest...); err != nil {
			return out, err
		}
		for i := range raw {
			v, err := p.cells[i].decode(raw[i])
			if err != nil {
				return out, err
			}
			size += v.Bytes()
			out.Cells = append(out.Cells, v)
			if size > 64<<10 && m != nil { // wide rows: not only between them
				if err := m.Spend(0, size); err != nil {
					return out, err
				}
				size = 0
			}
		}
		if n++; n == 64 && m != nil {
			if err := m.Spend(n, size); err != nil {
				return out, err
			}
			n, size = 0, 0
		}
	}
	if m != nil && n > 0 {
		if err := m.Spend(n, size); err != nil {
			return out, err
		}
	}
	return out, rs.Err()
}
