package exosql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo"
)

// session takes a PostgreSQL session out of the pool for a while.
func inSession(ctx context.Context, db *DB, f func(*postgresSession) error) error {
	s, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.release(s)
	return f(s.(*postgresSession))
}

// Backend is the server's process behind the next connection of the pool.
func Backend(ctx context.Context, db *DB) (pid uint32, err error) {
	err = inSession(ctx, db, func(s *postgresSession) error { pid = s.conn.PID(); return nil })
	return pid, err
}

// LeaveIdle makes the next connection look as if it had been idle for long.
func LeaveIdle(ctx context.Context, db *DB) error {
	return inSession(ctx, db, func(s *postgresSession) error { s.used = time.Time{}; return nil })
}

// Ask runs a statement as a plan is run, and returns its first row. of is the
// kind of a list's items.
func Ask(ctx context.Context, db *DB, statement, kind, of string, cells int, args ...exo.Value) ([]exo.Value, error) {
	p := &plan{text: statement, shape: &exo.Shape{}}
	for i := range cells {
		p.cells = append(p.cells, cell{kind: kind, of: of, name: "cell"})
		p.shape.Names = append(p.shape.Names, fmt.Sprint(i))
	}
	out := newCollector(p, nil)
	if err := db.run(ctx, p, args, out); err != nil {
		return nil, err
	}
	if out.count() == 0 {
		return nil, nil
	}
	return out.rows().Cells[:cells], nil
}

// AskOne is Ask for one cell.
func AskOne(ctx context.Context, db *DB, statement, kind, of string, args ...exo.Value) (exo.Value, error) {
	row, err := Ask(ctx, db, statement, kind, of, 1, args...)
	if err != nil {
		return exo.Value{}, err
	}
	if row == nil {
		return exo.Value{}, errors.New("no row")
	}
	return row[0], nil
}

// VerifyWall verifies the wall of a connection that begins its transactions with begin.
func VerifyWall(ctx context.Context, db *DB, begin string) error {
	return inSession(ctx, db, func(s *postgresSession) error {
		was := s.begin
		defer func() { s.begin = was }()
		var err error
		if s.begin, err = s.conn.Prepare(ctx, "exo_other", begin, nil); err != nil {
			return err
		}
		defer s.conn.Deallocate(ctx, "exo_other")
		return s.verifyWall(ctx)
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
	return inSession(ctx, db, func(s *postgresSession) error {
		was := s.rollback
		defer func() { s.rollback = was }()
		var err error
		if s.rollback, err = s.conn.Prepare(ctx, "exo_fails", "SELECT 1/0", nil); err != nil {
			return err
		}
		defer s.conn.Deallocate(ctx, "exo_fails")
		return s.query(ctx, &plan{text: "SELECT 1 WHERE false", shape: &exo.Shape{}, cells: []cell{{kind: exo.TypeInt}}}, nil, &collector{})
	})
}

// Asker asks by one plan again and again.
func Asker(db *DB, statement, kind string) func(context.Context, ...exo.Value) (exo.Value, error) {
	p := &plan{text: statement, shape: &exo.Shape{Names: []string{"0"}}, cells: []cell{{kind: kind, name: "cell"}}}
	return func(ctx context.Context, args ...exo.Value) (exo.Value, error) {
		out := newCollector(p, nil)
		if err := db.run(ctx, p, args, out); err != nil {
			return exo.Value{}, err
		}
		return out.rows().Cells[0], nil
	}
}

// PanicInQuery runs a query that panics while it reads its rows.
func PanicInQuery(ctx context.Context, db *DB) (panicked any) {
	defer func() { panicked = recover() }()
	return db.once(ctx, &plan{text: "SELECT NULL::int", shape: &exo.Shape{}, cells: []cell{{kind: exo.TypeInt}}}, nil, &collector{shape: &exo.Shape{}})
}
