package exosql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// session takes a PostgreSQL session out of the pool for a while.
func inSession(ctx context.Context, db *DB, f func(*postgres.Session) error) error {
	s, err := db.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.db.Pool.Release(s)
	return f(s.(*postgres.Session))
}

// Backend is the server's process behind the next connection of the pool.
func Backend(ctx context.Context, db *DB) (pid uint32, err error) {
	err = inSession(ctx, db, func(s *postgres.Session) error { pid = s.Conn.PID(); return nil })
	return pid, err
}

// LeaveIdle makes the next connection look as if it had been idle for long.
func LeaveIdle(ctx context.Context, db *DB) error {
	return inSession(ctx, db, func(s *postgres.Session) error { s.Used = time.Time{}; return nil })
}

// Ask runs a statement as a plan is run, and returns its first row. of is the
// kind of a list's items.
func Ask(ctx context.Context, db *DB, statement, kind, of string, cells int, args ...value.Value) ([]value.Value, error) {
	p := &plan.Plan{Text: statement, Shape: &value.Shape{}}
	for i := range cells {
		p.Cells = append(p.Cells, plan.Cell{Kind: kind, Of: of, Name: "cell"})
		p.Shape.Names = append(p.Shape.Names, fmt.Sprint(i))
	}
	out := plan.NewCollector(p, nil)
	if err := db.db.Pool.Run(ctx, p, args, nil, out); err != nil {
		return nil, err
	}
	if out.Count() == 0 {
		return nil, nil
	}
	return out.Rows().Reader().Cells(0), nil
}

// AskOne is Ask for one cell.
func AskOne(ctx context.Context, db *DB, statement, kind, of string, args ...value.Value) (value.Value, error) {
	row, err := Ask(ctx, db, statement, kind, of, 1, args...)
	if err != nil {
		return value.Value{}, err
	}
	if row == nil {
		return value.Value{}, errors.New("no row")
	}
	return row[0], nil
}

// TrapPostgres lets the functions of the test's schema stand before PostgreSQL's own, on the one connection
// of db, which pins its search path against just that. It fails if a trap does not spring.
func TrapPostgres(ctx context.Context, db *DB, path string) error {
	c, err := db.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.db.Pool.Release(c)
	w, err := db.db.Units.Writers.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.db.Units.Writers.Release(w)
	if cap(db.db.Pool.Free) != 1 {
		return errors.New("another connection would have no traps")
	}
	for _, s := range []*postgres.Session{c.(*postgres.Session), w.(*postgres.Writer).Session} {
		if s.Pooled != nil { // each transaction sets the path
			s.Pooled.SetPath(path)
			p := &plan.Plan{Text: "SELECT strpos('BOLT', 'x')", Shape: &value.Shape{Names: []string{"0"}}, Cells: []plan.Cell{{Kind: value.TypeInt, Name: "cell"}}}
			if s == c && s.Query(ctx, p, nil, plan.NewCollector(p, nil)) == nil {
				return errors.New("the trap does not spring")
			}
			continue
		}
		if _, err := s.One(ctx, "SELECT set_config('search_path', '"+path+"', false)"); err != nil {
			return err
		}
		if _, err = s.One(ctx, "SELECT strpos('BOLT', 'x')::text"); err == nil {
			return errors.New("the trap does not spring")
		}
	}
	return nil
}

// VerifyWall verifies the wall of a connection that begins its transactions with begin.
func VerifyWall(ctx context.Context, db *DB, begin string) error {
	return inSession(ctx, db, func(s *postgres.Session) error {
		was := s.Begin
		defer func() { s.Begin = was }()
		var err error
		if s.Begin, err = s.Conn.Prepare(ctx, "exo_other", begin, nil); err != nil {
			return err
		}
		defer s.Conn.Deallocate(ctx, "exo_other")
		return s.VerifyWall(ctx)
	})
}

// SQLState is the server's code in an error, or "".
func SQLState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// FailRollback runs a query whose rollback fails.
func FailRollback(ctx context.Context, db *DB) error {
	return inSession(ctx, db, func(s *postgres.Session) error {
		was := s.Rollback
		defer func() { s.Rollback = was }()
		var err error
		if s.Rollback, err = s.Conn.Prepare(ctx, "exo_fails", "SELECT 1/0", nil); err != nil {
			return err
		}
		defer s.Conn.Deallocate(ctx, "exo_fails")
		return s.Query(ctx, &plan.Plan{Text: "SELECT 1 WHERE false", Shape: &value.Shape{}, Cells: []plan.Cell{{Kind: value.TypeInt}}}, nil, &plan.Collector{})
	})
}

// Asker asks by one plan again and again.
func Asker(db *DB, statement, kind string) func(context.Context, ...value.Value) (value.Value, error) {
	p := &plan.Plan{Text: statement, Shape: &value.Shape{Names: []string{"0"}}, Cells: []plan.Cell{{Kind: kind, Name: "cell"}}}
	return func(ctx context.Context, args ...value.Value) (value.Value, error) {
		out := plan.NewCollector(p, nil)
		if err := db.db.Pool.Run(ctx, p, args, nil, out); err != nil {
			return value.Value{}, err
		}
		return out.Rows().Reader().Cells(0)[0], nil
	}
}

// PanicInQuery runs a query that panics while it reads its rows.
func PanicInQuery(ctx context.Context, db *DB) (panicked any) {
	defer func() { panicked = recover() }()
	return db.db.Pool.Once(ctx, &plan.Plan{Text: "SELECT NULL::int", Shape: &value.Shape{}, Cells: []plan.Cell{{Kind: value.TypeInt}}}, nil, nil, &plan.Collector{Shape: &value.Shape{}})
}

// PreparedToWrite counts the statements that are prepared on the one connection of db that writes.
func PreparedToWrite(ctx context.Context, db *DB) (string, error) {
	w, err := db.db.Units.Writers.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer db.db.Units.Writers.Release(w)
	return w.(*postgres.Writer).Session.One(ctx, "SELECT count(*)::text FROM pg_prepared_statements")
}
