package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Writer is a connection that a unit of work has: one transaction, SERIALIZABLE, in which
// each statement has a savepoint of its own, since PostgreSQL ends a transaction with the first
// statement that fails. What reads is read-only all the same, by its savepoint.
type Writer struct {
	*Session
	begin, commit, immediate *pgconn.StatementDescription
	statements               unitStatements
}

// unitStatements are what stands around each statement of a unit.
type unitStatements struct {
	save, reads, writes, release *pgconn.StatementDescription
	writing                      bool // the statement is one that a plan writes by
}

func (u *unitStatements) around() (begin, limits, end *pgconn.StatementDescription) {
	if u.writing {
		return u.save, u.writes, u.release
	}
	return u.save, u.reads, u.release
}

// readOnly limits a statement as limit does, and makes it one that only reads: SET TRANSACTION
// READ ONLY in a savepoint is over with it (TestUnitReads).
const readOnly = `SELECT set_config('statement_timeout', $1, true), set_config('transaction_read_only', 'on', true)`

// ConnectWriter implements engine.Engine.
func (e *database) ConnectWriter(ctx context.Context) (engine.Writer, error) {
	session, err := e.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w := &Writer{Session: session.(*Session)}
	w.statements.writes = w.limit
	for _, p := range []struct {
		to   **pgconn.StatementDescription
		name string
		text string
	}{
		{&w.begin, "exo_unit", "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE"},
		{&w.commit, "exo_commit", "COMMIT"},
		{&w.immediate, "exo_immediate", "SET CONSTRAINTS ALL IMMEDIATE"},
		{&w.statements.save, "exo_save", "SAVEPOINT exo"},
		{&w.statements.release, "exo_release", "RELEASE SAVEPOINT exo"},
		{&w.statements.reads, "exo_reads", readOnly},
	} {
		if *p.to, err = w.Conn.Prepare(ctx, p.name, p.text, nil); err != nil {
			break
		}
	}
	if err == nil {
		err = w.verifyUnit(ctx)
	}
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("exosql: set up a PostgreSQL connection that writes: %w", boundError(err))
	}
	return w, nil
}

// verifyUnit tries in a unit to write by what only reads.
func (w *Writer) verifyUnit(ctx context.Context) error {
	if err := w.Begin(ctx); err != nil {
		return err
	}
	err := w.VerifyWall(ctx)
	return errors.Join(err, w.Rollback(ctx))
}

// Begin implements engine.Writer.
func (w *Writer) Begin(ctx context.Context) error {
	if err := w.ping(ctx); err != nil {
		return err
	}
	if err := w.simple(ctx, w.begin); err != nil {
		return err
	}
	w.unit = &w.statements
	return nil
}

// simple runs a statement that stands around those of a unit.
func (w *Writer) simple(ctx context.Context, st *pgconn.StatementDescription) error {
	w.busy = true
	_, err := w.Conn.ExecStatement(ctx, st, nil, nil, nil).Close()
	w.busy = false
	return boundError(err)
}

// Open implements engine.Writer.
func (w *Writer) Open() bool { return w.unit != nil && w.Session.Sound() }

// Sound reports whether another unit may begin.
func (w *Writer) Sound() bool { return w.unit == nil && w.Session.Sound() }

// Query implements engine.Session, within the unit.
func (w *Writer) Query(ctx context.Context, p *plan.Plan, args []exo.Value, out *plan.Collector) error {
	if !w.Open() {
		return errNoUnit
	}
	return serial(w.Session.Query(ctx, p, args, out))
}

var errNoUnit = errors.New("exosql: the transaction has ended")

// Write implements engine.Writer.
func (w *Writer) Write(ctx context.Context, p *plan.Plan, args []exo.Value, out *plan.Collector) (int64, error) {
	if p.Write == nil || !w.Open() {
		return 0, errNoUnit
	}
	w.unit.writing = true
	defer func() { w.statements.writing = false }()
	if err := w.Session.Query(ctx, p, args, out); err != nil {
		return 0, serial(violation(p, err))
	}
	return w.tag.RowsAffected(), nil
}

// undo takes back the statement of a unit that failed. Where it can't, the unit is lost.
func (s *Session) undo() {
	if s.Conn.TxStatus() == 'T' {
		return
	}
	if s.Conn.TxStatus() == 'E' {
		ctx, cancel := context.WithTimeout(context.Background(), CancelGrace)
		defer cancel()
		for _, text := range []string{"ROLLBACK TO SAVEPOINT exo", "RELEASE SAVEPOINT exo"} {
			if _, err := s.Conn.ExecParams(ctx, text, nil, nil, nil, nil).Close(); err != nil {
				s.bad = true
				return
			}
		}
		return
	}
	s.bad = true
}

// Prepare implements engine.Writer.
func (w *Writer) Prepare(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	return serial(violation(nil, w.simple(ctx, w.immediate)))
}

// Commit implements engine.Writer. What the server says about a commit that it refuses is that nothing was kept.
func (w *Writer) Commit(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	w.unit = nil
	err := w.simple(ctx, w.commit)
	if _, refused := errors.AsType[*pgconn.PgError](err); refused && !w.Conn.IsClosed() && w.Conn.TxStatus() == 'I' {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, serial(err))
	}
	return err
}

// Rollback implements engine.Writer.
func (w *Writer) Rollback(ctx context.Context) error {
	w.unit = nil
	if w.Conn.IsClosed() || w.Conn.TxStatus() == 'I' {
		return nil
	}
	err := w.simple(context.WithoutCancel(ctx), w.Session.Rollback)
	w.bad = w.bad || err != nil
	return err
}

// The server's codes for units that can't be put in an order.
const (
	serializationFailure = "40001"
	deadlock             = "40P01"
)

func serial(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == serializationFailure || e.Code == deadlock) {
		return fmt.Errorf("%w: %w", engine.ErrSerial, err)
	}
	return err
}

// rules are the codes of PostgreSQL's constraints.
var rules = map[string]engine.Rule{
	"23502": engine.NotNull, "23505": engine.Unique, "23503": engine.ForeignKey, "23514": engine.CheckRule,
	"23P01": engine.Unique, // an exclusion constraint
}

// violation makes what the server says of a constraint something that can be read. Its message and detail quote values.
func violation(p *plan.Plan, err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	v := &engine.Violation{Rule: rules[e.Code], Constraint: e.ConstraintName, Err: err}
	if v.Rule == engine.NoRule && strings.HasPrefix(e.Code, "22") {
		v.Rule = engine.BadValue
	}
	if v.Rule == engine.NoRule {
		return err
	}
	if v.Table = e.TableName; v.Table == "" && p != nil && p.Write != nil {
		v.Table = p.Write.Table
	}
	if e.ColumnName != "" {
		v.Columns = []string{e.ColumnName}
	}
	return v
}
