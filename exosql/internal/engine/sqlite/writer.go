package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Writer is a connection that a unit of work has: a deferred transaction. It reads one state
// of the database, that of its first query, and its first write fails at once if that is not
// the newest any more (SQLITE_BUSY_SNAPSHOT).
type Writer struct {
	*Session
	stale bool          // what it knows of foreign keys may be
	blind bool          // the unit has written what is labelled: see rewrite
	marks bool          // runs leave them
	late  []*plan.Write // what has left deferred foreign keys that lead nowhere, in order, each once

	bounds map[string]*stmt // what begins and ends transactions and their parts
}

// ConnectWriter implements engine.Engine.
func (e *Database) ConnectWriter(ctx context.Context) (engine.Writer, error) {
	s, err := e.connect(ctx, e.write, func(s *Session) (err error) {
		s.Guard.keys, err = foreignKeys(s.C)
		return err
	})
	if err != nil {
		return nil, serial(err)
	}
	return &Writer{Session: s, marks: e.marks, bounds: map[string]*stmt{}}, nil
}

// bound runs BEGIN, COMMIT or ROLLBACK, which a unit would be compiling longer than running.
func (w *Writer) bound(ctx context.Context, text string) error {
	w.Guard.bounds.Store(true)
	defer w.Guard.bounds.Store(false)
	for wait := (Patience{}); ; {
		err := w.once(text)
		if !wait.More(ctx, err) {
			return err
		}
	}
}

// once runs a constant statement, which is kept.
func (w *Writer) once(text string) (err error) {
	st := w.bounds[text]
	if st == nil {
		if st, err = w.C.prepare(text); err != nil {
			return err
		}
		w.bounds[text] = st
	}
	defer w.C.reset(st)
	for more := true; more && err == nil; {
		more, err = w.C.step(st)
	}
	return err
}

// Close implements engine.Session.
func (w *Writer) Close() error {
	for _, st := range w.bounds {
		w.C.finalize(st)
	}
	w.bounds = nil
	return w.Session.Close()
}

// Begin implements engine.Writer.
func (w *Writer) Begin(ctx context.Context) error {
	w.blind, w.late = false, nil
	return w.bound(ctx, "BEGIN DEFERRED")
}

// rewrite writes a page, with what it holds. A row that is given the values that it has SQLite doesn't write, so that whoever has read
// before could go on: a program would learn by that, of a labelled value, whether it is what it gave.
func (w *Writer) rewrite(ctx context.Context) error {
	w.Guard.bounds.Store(true)
	st, err := w.C.prepare("PRAGMA user_version")
	w.Guard.bounds.Store(false)
	if err != nil {
		return err
	}
	defer w.C.finalize(st)
	if more, err := w.C.step(st); err != nil || !more {
		return errors.Join(errors.New("exosql: the version of the database's schema can't be read"), err)
	}
	version := sqlite3.Xsqlite3_column_int(w.C.Tls, st.P, 0)
	w.C.reset(st)
	return w.bound(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
}

// Open implements engine.Writer. SQLite ends the transaction itself when the disk is full, when it has no memory, and
// when a write is interrupted; what is written after that would be kept by itself.
func (w *Writer) Open() bool {
	return !w.bad && sqlite3.Xsqlite3_get_autocommit(w.C.Tls, w.C.Db) == 0
}

// Sound reports whether another unit may begin.
func (w *Writer) Sound() bool {
	return !w.bad && !w.stale && sqlite3.Xsqlite3_get_autocommit(w.C.Tls, w.C.Db) != 0
}

// Query implements engine.Session, within the unit.
func (w *Writer) Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if !w.Open() {
		return errNoUnit
	}
	return serial(w.Session.Query(ctx, p, args, out))
}

var errNoUnit = errors.New("exosql: the transaction has ended")

// Write implements engine.Writer. What is written together stands in a savepoint, one statement, too: by ON CONFLICT FAIL, and by RAISE(FAIL) in a
// trigger, one that fails keeps the rows that it came to first, and a program that catches the error reads that nothing was done (TestFail).
func (w *Writer) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (rows int64, err error) {
	if !engine.OnlyWrites(changes) || !w.Open() {
		return 0, errNoUnit
	}
	if err := w.bound(ctx, "SAVEPOINT exo"); err != nil {
		return 0, err
	}
	at := 0
	for _, c := range changes {
		for _, args := range c.Args {
			n, err := w.write(ctx, c.Plan, args, out)
			if err != nil {
				if v, ok := errors.AsType[*engine.Violation](err); ok {
					v.At = at
				}
				if w.Open() { // it is not, if SQLite has ended the transaction itself
					err = errors.Join(err, w.bound(context.WithoutCancel(ctx), "ROLLBACK TO exo"), w.bound(context.WithoutCancel(ctx), "RELEASE exo"))
				}
				return 0, err
			}
			at, rows = at+1, rows+n
		}
	}
	return rows, w.bound(ctx, "RELEASE exo")
}

func (w *Writer) write(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) (int64, error) {
	w.blind = w.blind || p.Write.Labelled
	w.Guard.writes.Store(p.Write)
	defer w.Guard.writes.Store(nil)
	before := w.deferred()
	if err := w.Session.Query(ctx, p, args, out); err != nil {
		if w.Guard.denied {
			w.stale = true // it may be that a foreign key is new
		}
		return 0, serial(violation(p, err))
	}
	if w.deferred() > before && !slices.Contains(w.late, p.Write) {
		w.late = append(w.late, p.Write)
	}
	return sqlite3.Xsqlite3_changes64(w.C.Tls, w.C.Db), nil
}

// Prepare implements engine.Writer: a deferred foreign key is checked at the end of the transaction.
func (w *Writer) Prepare(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if n := w.deferred(); n > 0 {
		v := &engine.Violation{Rule: engine.ForeignKey, Late: true, Err: fmt.Errorf("exosql: %d rows break a deferred foreign key", n)}
		if len(w.late) == 1 { // SQLite counts them, and does not say which are left
			v.Table, v.By = w.late[0].Table, w.late[0]
		}
		return v
	}
	return nil
}

// deferred is how many foreign keys the transaction has left that lead nowhere.
func (w *Writer) deferred() int32 {
	at := w.C.out
	if rc := sqlite3.Xsqlite3_db_status(w.C.Tls, w.C.Db, sqlite3.SQLITE_DBSTATUS_DEFERRED_FKS, at, at+4, 0); rc != sqlite3.SQLITE_OK {
		return 1
	}
	b := libc.GoBytes(at, 4)
	return int32(b[0]) | int32(b[1])<<8 | int32(b[2])<<16 | int32(b[3])<<24
}

// Mark implements engine.Writer.
func (w *Writer) Mark(ctx context.Context) error { return w.part(ctx, "SAVEPOINT exo_part") }

// Keep implements engine.Writer.
func (w *Writer) Keep(ctx context.Context) error { return w.part(ctx, "RELEASE exo_part") }

// Back implements engine.Writer.
func (w *Writer) Back(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := w.part(ctx, "ROLLBACK TO exo_part"); err != nil {
		return err
	}
	return w.Keep(ctx)
}

func (w *Writer) part(ctx context.Context, text string) error {
	if !w.Open() {
		return errNoUnit
	}
	return serial(w.bound(ctx, text))
}

// Commit implements engine.Writer.
func (w *Writer) Commit(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	if w.blind {
		if err := serial(w.rewrite(ctx)); err != nil {
			return err
		}
	}
	err := serial(w.bound(ctx, "COMMIT"))
	if err != nil && w.Open() { // it is not committed, and can't be
		_ = w.Rollback(ctx)
		if w.Sound() {
			return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
		}
	}
	return err
}

// Rollback implements engine.Writer.
func (w *Writer) Rollback(ctx context.Context) error {
	if sqlite3.Xsqlite3_get_autocommit(w.C.Tls, w.C.Db) != 0 {
		return nil
	}
	err := w.bound(context.WithoutCancel(ctx), "ROLLBACK")
	w.bad = w.bad || err != nil
	return err
}

// serial says of an error that the unit can be run again.
func serial(err error) error {
	if primary(codeOf(err)) == sqlite3.SQLITE_BUSY {
		return fmt.Errorf("%w: %w", engine.ErrSerial, err)
	}
	return err
}

// rules are the codes of SQLite's constraints.
var rules = map[int32]engine.Rule{
	sqlite3.SQLITE_CONSTRAINT_NOTNULL: engine.NotNull, sqlite3.SQLITE_CONSTRAINT_UNIQUE: engine.Unique, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: engine.Unique,
	sqlite3.SQLITE_CONSTRAINT_ROWID: engine.Unique, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: engine.ForeignKey, sqlite3.SQLITE_CONSTRAINT_CHECK: engine.CheckRule,
	sqlite3.SQLITE_CONSTRAINT_DATATYPE: engine.BadValue, sqlite3.SQLITE_CONSTRAINT_TRIGGER: engine.Trigger,
}

// violation makes the engine's words of a constraint something that can be read:
// "NOT NULL constraint failed: tasks.title", "UNIQUE constraint failed: t.a, t.b", "CHECK constraint failed: name".
func violation(p *plan.Plan, err error) error {
	var e *SqlError
	if !errors.As(err, &e) {
		return err
	}
	code := e.Code
	rule := rules[code]
	if rule == engine.NoRule {
		if primary(code) == sqlite3.SQLITE_MISMATCH || code == sqlite3.SQLITE_ERROR && e.msg == errHold.Error() {
			return &engine.Violation{Rule: engine.BadValue, Table: p.Write.Table, Err: err}
		}
		return err
	}
	v := &engine.Violation{Rule: rule, Table: p.Write.Table, Err: err}
	_, names, _ := strings.Cut(e.msg, "failed: ")
	switch rule {
	case engine.Trigger:
		return v
	case engine.BadValue: // "cannot store TEXT value in INTEGER column tasks.points", of a STRICT table
		_, names, _ = strings.Cut(e.msg, " column ")
	}
	if rule == engine.CheckRule {
		v.Constraint = names
		return v
	}
	for _, n := range strings.Split(names, ", ") {
		if c, ok := strings.CutPrefix(n, p.Write.Table+"."); ok {
			v.Columns = append(v.Columns, c)
		}
	}
	return v
}

// admits reports whether a plan writes what the engine is about to.
func admits(w *plan.Write, action sqlite.AuthorizerActionCode, table, column string) bool {
	if w == nil {
		return false
	}
	if !w.Insert && slices.ContainsFunc(w.Cascades, func(c plan.Cascade) bool { return carries(c, action, table, column) }) {
		return action == sqlite.AuthUpdate || w.Delete
	}
	if !strings.EqualFold(w.Table, table) {
		return false
	}
	switch action {
	case sqlite.AuthInsert:
		return w.Insert
	case sqlite.AuthUpdate:
		return slices.ContainsFunc(w.Update, func(c string) bool { return strings.EqualFold(c, column) })
	case sqlite.AuthDelete:
		return w.Delete
	}
	return false
}

// carries reports whether an action of a foreign key deletes rows of a table, or sets a column of it. SQLite compiles the action
// into the write and names no trigger, also where the table is the written one: a row of its own refers to the row that changes.
func carries(c plan.Cascade, action sqlite.AuthorizerActionCode, table, column string) bool {
	list := ", " + sqlast.Fold(c.Columns) + ", "
	return sqlast.Fold(c.Table) == sqlast.Fold(table) && (action == sqlite.AuthDelete || action == sqlite.AuthUpdate && strings.Contains(list, ", "+sqlast.Fold(column)+", "))
}

// foreignKeys are the columns that SQLite reads itself, to see that foreign keys hold, when a table is written: of
// the tables that it refers to, and of those that refer to it.
func foreignKeys(c *conn) (map[string]map[string]map[string]bool, error) {
	st, err := c.prepare(`SELECT m.name, f."table", f."from", coalesce(f."to", (SELECT p.name FROM pragma_table_info(f."table") AS p WHERE p.pk = f.seq + 1), 'rowid')
		FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer c.finalize(st)
	out := map[string]map[string]map[string]bool{}
	add := func(written, read, column string) {
		if out[written] == nil {
			out[written] = map[string]map[string]bool{}
		}
		if out[written][read] == nil {
			out[written][read] = map[string]bool{}
		}
		out[written][read][column] = true
	}
	for {
		more, err := c.step(st)
		if err != nil || !more {
			return out, err
		}
		var cell [4]string
		for i := range cell {
			cell[i] = sqlast.Fold(libc.GoString(sqlite3.Xsqlite3_column_text(c.Tls, st.P, int32(i))))
		}
		child, parent, from, to := cell[0], cell[1], cell[2], cell[3]
		add(child, parent, to)
		add(child, child, from)
		add(parent, child, from)
		add(parent, parent, to)
	}
}
