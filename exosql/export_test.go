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
	modernc "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/engine/postgres"
	"github.com/exoagent/exoagent/exosql/internal/engine/sqlite"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// CachedPlans are the plans that db keeps, each with its key.
func CachedPlans(db *DB) []any {
	var out []any
	for key, p := range db.db.Plans.All() {
		out = append(out, struct {
			key  string
			plan *plan.Plan
		}{key, p})
	}
	return out
}

// PlanTexts is the SQL of the plans that db keeps.
func PlanTexts(db *DB) []string {
	var out []string
	for _, p := range db.db.Plans.All() {
		out = append(out, p.Text)
	}
	slices.Sort(out)
	return out
}

// PlanBytes is how large the plans that db keeps are.
func PlanBytes(db *DB) int { return db.db.Plans.Bytes() }

// PreparedBytes is how large the statements of idle connections are, as they count them.
func PreparedBytes(db *DB) int {
	n := 0
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if c != nil {
			_, k := c.Prepared()
			n += k
		}
		db.db.Pool.Free <- c
	}
	return n
}

// EngineBytes is the memory of the engine for the statements of the first idle connection
// that is open, as the engine says, and how many there are.
func EngineBytes(ctx context.Context, db *DB) (n, bytes int, err error) {
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if bytes == 0 && err == nil {
			switch s := c.(type) {
			case *postgres.Session:
				var text string
				text, err = s.One(ctx, "SELECT (SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'exo\\_%') || ' ' || (SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'Cached%')")
				if err == nil {
					_, err = fmt.Sscan(text, &n, &bytes)
				}
				n -= 4 // those of every query
			case *sqlite.Session:
				for st := sqlite3.Xsqlite3_next_stmt(s.C.Tls, s.C.Db, 0); st != 0; st = sqlite3.Xsqlite3_next_stmt(s.C.Tls, s.C.Db, st) {
					n++
				}
				used := libc.Xmalloc(s.C.Tls, 8)
				if sqlite3.Xsqlite3_db_status(s.C.Tls, s.C.Db, sqlite3.SQLITE_DBSTATUS_STMT_USED, used, used+4, 0) != 0 {
					err = errors.New("no status")
				}
				bytes = int(binary.NativeEndian.Uint32(libc.GoBytes(used, 4)))
				libc.Xfree(s.C.Tls, used)
			}
		}
		db.db.Pool.Free <- c
	}
	return n, bytes, err
}

// CancelGrace is how long PostgreSQL may take to end a query that was cancelled.
const CancelGrace = postgres.CancelGrace

// Prepared counts the statements that idle connections keep.
func Prepared(db *DB) int {
	n := 0
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if c != nil {
			k, _ := c.Prepared()
			n += k
		}
		db.db.Pool.Free <- c
	}
	return n
}

// Bound is what the statements of idle connections are, with the values that they hold.
func Bound(db *DB) []string {
	var out []string
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if s, ok := c.(*sqlite.Session); ok {
			for _, st := range s.Stmts.All() {
				p := sqlite3.Xsqlite3_expanded_sql(s.C.Tls, st.P)
				out = append(out, libc.GoString(p))
				sqlite3.Xsqlite3_free(s.C.Tls, p)
			}
		}
		db.db.Pool.Free <- c
	}
	return out
}

// WaitsOn reports whether a query that found the database locked tries once more.
func WaitsOn(ctx context.Context) bool {
	return new(sqlite.Patience).More(ctx, &sqlite.SqlError{Code: sqlite3.SQLITE_BUSY})
}

// Guarded runs a statement on a guarded connection that admits reading what
// reads lists ("table.column"), as it would while a plan runs.
func Guarded(ctx context.Context, db *DB, statement string, reads ...string) error {
	s, err := db.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer db.db.Pool.Release(s)
	c := s.(*sqlite.Session)
	admitted := map[string]map[string]bool{}
	for _, r := range reads {
		t, col, _ := strings.Cut(r, ".")
		if admitted[t] == nil {
			admitted[t] = map[string]bool{}
		}
		admitted[t][col] = true
	}
	if len(reads) > 0 {
		c.Guard.Admit(&admitted)
		defer c.Guard.Admit(nil)
	}
	err = c.C.Exec(statement)
	if grew, _ := c.Learn(&plan.Plan{Reads: admitted}); grew && err != nil { // as Query does
		err = c.C.Exec(statement)
	}
	return err
}

// Plan plans a message as it is planned before it is answered, or as if its plan were not kept.
func Plan(db *DB, m *exo.Message, cold bool) error {
	return answer.PlanApart(context.Background(), db.db, m, cold)
}

// Late runs a statement whose context ended before its first step, and waits
// so long before it that the first interrupt comes too early.
func Late(db *DB, statement string, reads map[string]map[string]bool) error {
	s, err := db.db.Pool.Acquire(context.Background())
	if err != nil {
		return err
	}
	defer db.db.Pool.Release(s)
	c := s.(*sqlite.Session)
	c.Guard.Admit(&reads)
	defer c.Guard.Admit(nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stop := c.C.Watch(ctx)
	time.Sleep(20 * time.Millisecond)
	err = c.C.Exec(statement)
	if !stop() {
		return errors.New("the context ended, and the watch does not know")
	}
	return err
}

// Later lets the refusals of PostgreSQL plans grow older by d. No query runs meanwhile.
func Later(db *DB, d time.Duration) {
	c := <-db.db.Pool.Free
	r := c.(*postgres.Session).Refusals
	now := time.Now
	if r.Now != nil {
		now = r.Now
	}
	r.Now = func() time.Time { return now().Add(d) }
	db.db.Pool.Free <- c
}

// OpenAll opens all connections for reading, which queries that follow use in turn.
func OpenAll(ctx context.Context, db *DB) error {
	var all []engine.Session
	defer func() {
		for _, s := range all {
			db.db.Pool.Release(s)
		}
	}()
	for range cap(db.db.Pool.Free) {
		s, err := db.db.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	return nil
}

// Opened counts the connections for reading that are open and idle.
func Opened(db *DB) (n int) {
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if c != nil {
			n++
		}
		db.db.Pool.Free <- c
	}
	return n
}

// Busy counts the connections that are being used.
func Busy(db *DB) int { return cap(db.db.Pool.Free) - len(db.db.Pool.Free) }

// Plans counts the plans that db keeps.
func Plans(db *DB) int { return len(CachedPlans(db)) }

// OpenConnections counts the connections that are open beneath db.
func OpenConnections(db *DB) int {
	e := db.db.Pool.Engine.(*sqlite.Database)
	n := int(e.Opened.Load())
	if e.Keep != nil {
		n += e.Keep.Stats().OpenConnections
	}
	return n
}

// TrapSQLite makes every function of ours tell see of each text that it is given, on
// connections made from now on: what an expression of a program is tried on can be
// seen then, and not only timed.
func TrapSQLite(see func(text string)) {
	d := &modernc.Driver{}
	sqlite.Definer(func(name string, n int32, f func([]driver.Value) any) {
		d.MustRegisterDeterministicScalarFunction(name, n, func(_ *modernc.FunctionContext, args []driver.Value) (driver.Value, error) {
			for _, a := range args {
				if s, ok := a.(string); ok {
					see(s)
				}
			}
			return sqlite.Result(f(args))
		})
	}).DefineAll()
	sqlite.DefineAggregates(d)
	sqlite.SharedDriver = func() *modernc.Driver { return d }
}

// Conns is how many connections db may have.
func Conns(db *DB) int { return cap(db.db.Pool.Free) }

// SQLiteSteps is how many steps the statements of idle connections have taken since it was
// last asked.
func SQLiteSteps(ctx context.Context, db *DB) (n int) {
	for range cap(db.db.Pool.Free) {
		c := <-db.db.Pool.Free
		if s, ok := c.(*sqlite.Session); ok {
			for st := sqlite3.Xsqlite3_next_stmt(s.C.Tls, s.C.Db, 0); st != 0; st = sqlite3.Xsqlite3_next_stmt(s.C.Tls, s.C.Db, st) {
				n += int(sqlite3.Xsqlite3_stmt_status(s.C.Tls, st, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 1))
			}
		}
		db.db.Pool.Free <- c
	}
	return n
}

// SQLiteStepsOf is how many steps a statement of one table takes that is run as it stands: planned with its values.
func SQLiteStepsOf(ctx context.Context, db *DB, text, table string, columns ...string) (int, error) {
	session, err := db.db.Pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer db.db.Pool.Release(session)
	s := session.(*sqlite.Session)
	admitted := map[string]map[string]bool{table: {}}
	for _, c := range columns {
		admitted[table][c] = true
	}
	s.Guard.Admit(&admitted)
	defer s.Guard.Admit(nil)
	sql, err := libc.CString(text)
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(s.C.Tls, sql)
	out := libc.Xmalloc(s.C.Tls, 8)
	defer libc.Xfree(s.C.Tls, out)
	if rc := sqlite3.Xsqlite3_prepare_v2(s.C.Tls, s.C.Db, sql, int32(len(text)+1), out, 0); rc != sqlite3.SQLITE_OK {
		return 0, fmt.Errorf("%s: %d %s", text, rc, libc.GoString(sqlite3.Xsqlite3_errmsg(s.C.Tls, s.C.Db)))
	}
	st := uintptr(binary.NativeEndian.Uint64(libc.GoBytes(out, 8)))
	defer sqlite3.Xsqlite3_finalize(s.C.Tls, st)
	rc := int32(sqlite3.SQLITE_ROW)
	for rc == sqlite3.SQLITE_ROW {
		rc = sqlite3.Xsqlite3_step(s.C.Tls, st)
	}
	if rc != sqlite3.SQLITE_DONE {
		return 0, fmt.Errorf("%s: %d", text, rc)
	}
	return int(sqlite3.Xsqlite3_stmt_status(s.C.Tls, st, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 0)), nil
}

// Tier is how the statement of a query stands to its fences: open, guarded or fenced.
func Tier(q Query) string {
	if q.plan == nil || q.plan.Tables == nil {
		return "fenced"
	}
	for _, t := range q.plan.Tables {
		if t.Guarded {
			return "guarded"
		}
	}
	return "open"
}

// TrapCollation defines the collation TRAP of SQLite, which tells see of each pair of texts that it
// compares, until restore.
func TrapCollation(see func(a, b string)) (restore func()) {
	d := &modernc.Driver{}
	sqlite.Definer(func(name string, n int32, f func([]driver.Value) any) {
		d.MustRegisterDeterministicScalarFunction(name, n, func(_ *modernc.FunctionContext, args []driver.Value) (driver.Value, error) {
			return sqlite.Result(f(args))
		})
	}).DefineAll()
	sqlite.DefineAggregates(d)
	d.MustRegisterCollationUtf8("TRAP", func(a, b string) int { see(a, b); return strings.Compare(a, b) })
	before := sqlite.SharedDriver
	sqlite.SharedDriver = func() *modernc.Driver { return d }
	return func() { sqlite.SharedDriver = before }
}

// RawWrite is a statement of a test's in a unit of work, with what its plan says that it does.
type RawWrite struct {
	Text   string
	Table  string // "": the plan reads
	Update []string
	Reads  string
}

// RunRawWrite runs it in a unit that is kept if it succeeds.
func RunRawWrite(ctx context.Context, db *DB, r RawWrite) error {
	x, err := db.db.BeginUnit(ctx)
	if err != nil {
		return err
	}
	u := x.(interface {
		exo.Unit
		Change(context.Context, []engine.Change, *engine.Settings, *exo.Message, func(*exo.Message) *plan.Collector) (*plan.Collector, int64, error)
		Read(context.Context, *plan.Plan, []value.Value, *engine.Settings, *exo.Message, func(*exo.Message) *plan.Collector) (*plan.Collector, error)
	})
	p := &plan.Plan{Text: r.Text, Shape: &value.Shape{}, Reads: map[string]map[string]bool{"jobs": {r.Reads: true}, "notes": {r.Reads: true}}}
	if r.Table != "" {
		p.Write = &plan.Write{Table: r.Table, Update: r.Update}
	}
	if p.Write != nil {
		_, _, err = u.Change(ctx, []engine.Change{{Plan: p, Args: [][]value.Value{nil}}}, nil, nil, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	} else {
		_, err = u.Read(ctx, p, nil, nil, nil, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	}
	if err != nil {
		return errors.Join(err, u.Rollback(ctx))
	}
	return u.Commit(ctx)
}

// SetHookFailed is OpenOptions.HookFailed of a DB that is open.
func SetHookFailed(db *DB, f func(error)) { db.db.Units.HookFailed = f }

// WriteUnasked plans a message that writes by o, as if a way to it had forgotten the hooks before a write.
func WriteUnasked(o exo.Object, m *exo.Message) error {
	return answer.WriteUnasked(context.Background(), o.(*answer.Object), m)
}

// AtPoints has the connections of units that are opened from now on call at before and after each of their steps.
func AtPoints(db *DB, at func(point string)) {
	if w, err := db.db.Units.Writers.Acquire(context.Background()); err == nil { // Open has used one already
		db.db.Units.Writers.Discard(w)
	}
	db.db.Units.Writers.Engine = pointed{db.db.Units.Writers.Engine, at}
}

type pointed struct {
	engine.Engine
	at func(string)
}

func (p pointed) ConnectWriter(ctx context.Context) (engine.Writer, error) {
	w, err := p.Engine.ConnectWriter(ctx)
	return pointedWriter{w, p.at}, err
}

type pointedWriter struct {
	engine.Writer
	at func(string)
}

func (p pointedWriter) around(what string) func() {
	p.at("before " + what)
	return func() { p.at("after " + what) }
}

func (p pointedWriter) Begin(ctx context.Context) error {
	defer p.around("begin")()
	return p.Writer.Begin(ctx)
}

func (p pointedWriter) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (int64, error) {
	defer p.around("write")()
	return p.Writer.Write(ctx, changes, out)
}

func (p pointedWriter) Prepare(ctx context.Context) error {
	defer p.around("prepare")()
	return p.Writer.Prepare(ctx)
}

func (p pointedWriter) Witness(ctx context.Context, run string, at time.Time) error {
	defer p.around("witness")()
	return p.Writer.Witness(ctx, run, at)
}

func (p pointedWriter) Commit(ctx context.Context) error {
	defer p.around("commit")()
	return p.Writer.Commit(ctx)
}

// ForgetCatalogue has the next write read the catalogue anew, as after catalogueFor.
func ForgetCatalogue(db *DB) { db.db.Learn(nil) }
