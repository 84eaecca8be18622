package exosql

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
)

// CachedPlans are the plans that db keeps, each with its key.
func CachedPlans(db *DB) []any {
	var out []any
	for key, p := range db.plans.All() {
		out = append(out, struct {
			key  string
			plan *plan
		}{key, p})
	}
	return out
}

// PlanTexts is the SQL of the plans that db keeps.
func PlanTexts(db *DB) []string {
	var out []string
	for _, p := range db.plans.All() {
		out = append(out, p.text)
	}
	slices.Sort(out)
	return out
}

// PlanBytes is how large the plans that db keeps are.
func PlanBytes(db *DB) int { return db.plans.Bytes() }

// PreparedBytes is how large the statements of idle connections are, as they count them.
func PreparedBytes(db *DB) int {
	n := 0
	for range cap(db.free) {
		c := <-db.free
		if c != nil {
			_, k := c.prepared()
			n += k
		}
		db.free <- c
	}
	return n
}

// EngineBytes is the memory of the engine for the statements of the first idle connection
// that is open, as the engine says, and how many there are.
func EngineBytes(ctx context.Context, db *DB) (n, bytes int, err error) {
	for range cap(db.free) {
		c := <-db.free
		if bytes == 0 && err == nil {
			switch s := c.(type) {
			case *postgresSession:
				var text string
				text, err = s.one(ctx, "SELECT (SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'exo\\_%') || ' ' || (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'Cached%')")
				if err == nil {
					_, err = fmt.Sscan(text, &n, &bytes)
				}
				n -= 3 // those of every query
			case *sqliteSession:
				for st := sqlite3.Xsqlite3_next_stmt(s.c.tls, s.c.db, 0); st != 0; st = sqlite3.Xsqlite3_next_stmt(s.c.tls, s.c.db, st) {
					n++
				}
				used := libc.Xmalloc(s.c.tls, 8)
				if sqlite3.Xsqlite3_db_status(s.c.tls, s.c.db, sqlite3.SQLITE_DBSTATUS_STMT_USED, used, used+4, 0) != 0 {
					err = errors.New("no status")
				}
				bytes = int(binary.NativeEndian.Uint32(libc.GoBytes(used, 4)))
				libc.Xfree(s.c.tls, used)
			}
		}
		db.free <- c
	}
	return n, bytes, err
}

// Prepared counts the statements that idle connections keep.
func Prepared(db *DB) int {
	n := 0
	for range cap(db.free) {
		c := <-db.free
		if c != nil {
			k, _ := c.prepared()
			n += k
		}
		db.free <- c
	}
	return n
}

// Bound is what the statements of idle connections are, with the values that they hold.
func Bound(db *DB) []string {
	var out []string
	for range cap(db.free) {
		c := <-db.free
		if s, ok := c.(*sqliteSession); ok {
			for _, st := range s.stmts.All() {
				p := sqlite3.Xsqlite3_expanded_sql(s.c.tls, st.p)
				out = append(out, libc.GoString(p))
				sqlite3.Xsqlite3_free(s.c.tls, p)
			}
		}
		db.free <- c
	}
	return out
}

// WaitsOn reports whether a query that found the database locked tries once more.
func WaitsOn(ctx context.Context) bool {
	return new(patience).more(ctx, &sqliteError{code: sqlite3.SQLITE_BUSY})
}

// Guarded runs a statement on a guarded connection that admits reading what
// reads lists ("table.column"), as it would while a plan runs.
func Guarded(ctx context.Context, db *DB, statement string, reads ...string) error {
	s, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.release(s)
	c := s.(*sqliteSession)
	admitted := map[string]map[string]bool{}
	for _, r := range reads {
		t, col, _ := strings.Cut(r, ".")
		if admitted[t] == nil {
			admitted[t] = map[string]bool{}
		}
		admitted[t][col] = true
	}
	if len(reads) > 0 {
		c.guard.admit(&admitted)
		defer c.guard.admit(nil)
	}
	return c.c.exec(statement)
}

// Plan plans a message as answer does, or as if its plan were not kept.
func Plan(db *DB, m *exo.Message, cold bool) error {
	objs := make([]*object, len(m.Objects))
	for i, o := range m.Objects {
		objs[i] = o.(*object)
		if err := objs[i].prepare(); err != nil {
			return err
		}
	}
	if cold {
		_, err := compileMessage(db.dialect, m, objs)
		return err
	}
	_, _, err := db.plan(m, objs)
	return err
}

// Late runs a statement whose context ended before its first step, and waits
// so long before it that the first interrupt comes too early.
func Late(db *DB, statement string, reads map[string]map[string]bool) error {
	s, err := db.acquire(context.Background())
	if err != nil {
		return err
	}
	defer db.release(s)
	c := s.(*sqliteSession)
	c.guard.admit(&reads)
	defer c.guard.admit(nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stop := c.c.watch(ctx)
	time.Sleep(20 * time.Millisecond)
	err = c.c.exec(statement)
	if !stop() {
		return errors.New("the context ended, and the watch does not know")
	}
	return err
}

// Busy counts the connections that are being used.
func Busy(db *DB) int { return cap(db.free) - len(db.free) }

// Plans counts the plans that db keeps.
func Plans(db *DB) int { return len(CachedPlans(db)) }

// OpenConnections counts the connections that are open beneath db.
func OpenConnections(db *DB) int {
	e := db.engine.(*sqliteEngine)
	n := int(e.opened.Load())
	if e.keep != nil {
		n += e.keep.Stats().OpenConnections
	}
	return n
}

// TrapSQLite makes every function of ours tell see of each text that it is given, on
// connections made from now on: what an expression of a program is tried on can be
// seen then, and not only timed.
func TrapSQLite(see func(text string)) {
	d := &sqlite.Driver{}
	functions(func(name string, n int32, f func([]driver.Value) any) {
		d.MustRegisterDeterministicScalarFunction(name, n, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			for _, a := range args {
				if s, ok := a.(string); ok {
					see(s)
				}
			}
			return f(args), nil
		})
	}).defineAll()
	sqliteDriver = func() *sqlite.Driver { return d }
}
