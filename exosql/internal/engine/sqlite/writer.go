package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Writer is a connection for a unit of work: a deferred transaction. It reads one state of the
// database, that of its first query. Its first write fails at once if that state is no longer the
// newest (SQLITE_BUSY_SNAPSHOT).
type Writer struct {
	*Session
	stale bool          // stale: the foreign keys that the connection has read may be outdated
	blind bool          // blind: the unit has written labelled values (see rewrite)
	marks bool          // marks: runs insert marks
	late  []*plan.Write // late has the writes after which rows broke a deferred foreign key, in order, each once

	bounds map[string]*stmt // bounds are the statements that begin and end transactions and their parts

	images    *images                // images are the images of the unit's rows; nil before Capture
	unhooked  bool                   // unhooked: a kept statement may have been compiled without the hook for images
	layouts   map[string]*imageTable // layouts has the layouts of the tables' images; nil before they are read
	layoutsOf string                 // layoutsOf is the version of the schema in layouts
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

// Alive implements engine.Writer.
func (*Writer) Alive(context.Context) bool { return true }

// bound runs BEGIN, COMMIT and the like. These statements are kept, since compiling them takes longer than running them.
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

// once runs a constant statement once, and keeps it compiled.
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
	w.forgetLayouts()
	for _, st := range w.bounds {
		w.C.finalize(st)
	}
	w.bounds = nil
	return w.Session.Close()
}

// Begin implements engine.Writer.
func (w *Writer) Begin(ctx context.Context) error {
	w.blind, w.late = false, nil
	w.forgetImages()
	return w.bound(ctx, "BEGIN DEFERRED")
}

// rewrite writes a page with its own content. SQLite does not write a row if its new values equal the old ones. So another unit
// that has read the old state could go on, and a program could learn whether a labelled value equals the one that it wrote.
func (w *Writer) rewrite(ctx context.Context) error {
	w.Guard.bounds.Store(true)
	st, err := w.C.prepare("PRAGMA user_version")
	w.Guard.bounds.Store(false)
	if err != nil {
		return err
	}
	defer w.C.finalize(st)
	if more, err := w.C.step(st); err != nil || !more {
		return errors.Join(errors.New("exosql: SQLite returned no value for PRAGMA user_version, so the run is not kept"), err)
	}
	version := sqlite3.Xsqlite3_column_int(w.C.Tls, st.P, 0)
	w.C.reset(st)
	return w.bound(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
}

// Open implements engine.Writer. SQLite itself ends the transaction when the disk or the memory is
// full, or when a write is interrupted. Each later write would then be committed alone.
func (w *Writer) Open() bool { return !w.bad && sqlite3.Xsqlite3_get_autocommit(w.C.Tls, w.C.Db) == 0 }

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

var errNoUnit = fail.Named("exosql: the run's transaction has ended, so no further statement runs in it")

// Write implements engine.Writer. Changes that are made together are in a savepoint, even a single statement. With ON CONFLICT FAIL, or RAISE(FAIL) in
// a trigger, a failing statement keeps the rows before the failure. A program that catches the error, however, reads that nothing was done (TestFail).
func (w *Writer) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (rows int64, err error) {
	if !engine.OnlyWrites(changes) {
		return 0, engine.ErrNoChange
	}
	if !w.Open() {
		return 0, errNoUnit
	}
	w.unhooked = w.unhooked || w.images == nil
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
				if w.Open() { // Open is false if SQLite has ended the transaction itself
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
	if err := w.Session.Query(ctx, p, args, out); err != nil {
		if w.Guard.denied {
			w.stale = true // there may be a new foreign key
		}
		return 0, serial(violation(p, err))
	}
	if w.unmet() && !slices.Contains(w.late, p.Write) {
		w.late = append(w.late, p.Write)
	}
	return sqlite3.Xsqlite3_changes64(w.C.Tls, w.C.Db), nil
}

// Prepare implements engine.Writer. SQLite checks deferred foreign keys at the end of the transaction.
func (w *Writer) Prepare(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.unmet() {
		v := &engine.Violation{Rule: engine.ForeignKey, Late: true, Err: errors.New("exosql: rows that the run wrote break a deferred foreign key")}
		if len(w.late) == 1 { // with several, it is unknown which of them broke a key, and which mended an earlier one
			v.Table, v.By = w.late[0].Table, w.late[0]
		}
		return v
	}
	return nil
}

// unmet reports whether rows break a deferred foreign key now. SQLite reveals neither which key nor how many.
func (w *Writer) unmet() bool {
	at := w.C.out
	rc := sqlite3.Xsqlite3_db_status(w.C.Tls, w.C.Db, sqlite3.SQLITE_DBSTATUS_DEFERRED_FKS, at, at+4, 0)
	return rc != sqlite3.SQLITE_OK || !bytes.Equal(libc.GoBytes(at, 4), make([]byte, 4))
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
	w.forgetImages()
	if w.blind {
		if err := serial(w.rewrite(ctx)); err != nil {
			return err
		}
	}
	return engine.Observe(ctx, engine.SystemSQLite, "COMMIT", w.sendCommit)
}

func (w *Writer) sendCommit(ctx context.Context) error {
	err := serial(w.bound(ctx, "COMMIT"))
	if err != nil && w.Open() { // the unit is not committed, and can't be
		_ = w.Rollback(ctx)
		if w.Sound() {
			return fmt.Errorf("%w: %w", exo.ErrNothingDone, err)
		}
	}
	return err
}

// Rollback implements engine.Writer.
func (w *Writer) Rollback(ctx context.Context) error {
	w.forgetImages()
	if sqlite3.Xsqlite3_get_autocommit(w.C.Tls, w.C.Db) != 0 {
		return nil
	}
	return engine.Observe(context.WithoutCancel(ctx), engine.SystemSQLite, "ROLLBACK", func(ctx context.Context) error {
		err := w.bound(ctx, "ROLLBACK")
		w.bad = w.bad || err != nil
		return err
	})
}

// serial adds engine.ErrSerial to an error after which the unit can run again.
func serial(err error) error {
	if primary(codeOf(err)) == sqlite3.SQLITE_BUSY {
		return fmt.Errorf("%w: %w", engine.ErrSerial, err)
	}
	return err
}

// rules has the kind of rule for each of SQLite's error codes for constraints.
var rules = map[int32]engine.Rule{
	sqlite3.SQLITE_CONSTRAINT_NOTNULL: engine.NotNull, sqlite3.SQLITE_CONSTRAINT_UNIQUE: engine.Unique, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: engine.Unique,
	sqlite3.SQLITE_CONSTRAINT_ROWID: engine.Unique, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: engine.ForeignKey, sqlite3.SQLITE_CONSTRAINT_CHECK: engine.CheckRule,
	sqlite3.SQLITE_CONSTRAINT_DATATYPE: engine.BadValue, sqlite3.SQLITE_CONSTRAINT_TRIGGER: engine.Trigger,
}

// violation parses SQLite's text about a constraint, like "NOT NULL constraint failed:
// tasks.title", "UNIQUE constraint failed: t.a, t.b" or "CHECK constraint failed: name".
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
	case engine.BadValue: // the text of a STRICT table is "cannot store TEXT value in INTEGER column tasks.points"
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

// admits reports whether a plan's write includes the change that SQLite is about to compile.
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

// carries reports whether an action of a foreign key deletes rows of a table, or sets a column of it. SQLite compiles the
// action into the write and reports no trigger name, even if the foreign key is within one table.
func carries(c plan.Cascade, action sqlite.AuthorizerActionCode, table, column string) bool {
	list := ", " + sqlast.Fold(c.Columns) + ", "
	return sqlast.Fold(c.Table) == sqlast.Fold(table) && (action == sqlite.AuthDelete || action == sqlite.AuthUpdate && strings.Contains(list, ", "+sqlast.Fold(column)+", "))
}

// foreignKeys returns, for each written table, the columns that SQLite itself reads to check foreign
// keys. They are columns of the tables that the written table refers to, and of those that refer to it.
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
