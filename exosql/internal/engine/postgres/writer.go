package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
)

// Writer is a connection for a unit of work: one SERIALIZABLE transaction. Each statement has its
// own savepoint, since PostgreSQL aborts a transaction at the first statement that fails. A
// statement that only reads is read-only within its savepoint.
type Writer struct {
	*Session
	commit, immediate, deferrable *pgconn.StatementDescription
	mark                          *pgconn.StatementDescription // mark is nil if runs insert no marks
	statements                    unitStatements
	rules                         map[string]*knownRules // rules has the rules of each table, by its name
	knows                         bool                   // knows: the unit has read something
	atOnce                        time.Time              // atOnce is when the database was last found to have no deferrable constraints
	images                        *images                // images are the rows that the unit has changed, as they were before and after; nil until Capture
	imaging                       imageStatements
	unable                        time.Time // unable is when the functions of images were last found to be missing
}

// unitStatements are the statements before and after each statement of a unit.
type unitStatements struct {
	begin, save, reads, writes, release *pgconn.StatementDescription

	writing bool // writing: the current statement is a plan's write
	pending bool // pending: BEGIN is sent with the first statement, which takes the snapshot
}

func (u *unitStatements) around() (begin, limits, end *pgconn.StatementDescription) {
	if u.writing {
		return u.save, u.writes, u.release
	}
	return u.save, u.reads, u.release
}

// readOnly sets the time limit, like limit, and makes a statement read-only. SET TRANSACTION READ
// ONLY in a savepoint ends with the savepoint (TestUnitReads).
const readOnly = `SELECT set_config('statement_timeout', $1, true), set_config('plan_cache_mode', $2, true), set_config('transaction_read_only', 'on', true)`

// canDefer tests whether any constraint in the database can be deferred to the end of a
// transaction: keys, exclusions and foreign keys have triggers that show it. Any role may ask.
const canDefer = `SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger AS t WHERE t.tgdeferrable)`

// atOnceFor is how long a unit relies on the last answer that no constraint can be deferred.
const atOnceFor = time.Minute

// ConnectWriter implements engine.Engine.
func (e *database) ConnectWriter(ctx context.Context) (engine.Writer, error) {
	session, err := e.Connect(ctx)
	if err != nil {
		return nil, err
	}
	w := &Writer{Session: session.(*Session), rules: map[string]*knownRules{}}
	if w.follows() {
		return nil, errors.Join(engine.Lost(errFollows), w.Close())
	}
	w.Session.concerned = w.concerned
	w.statements.writes = w.limit
	for _, p := range []struct {
		to         **pgconn.StatementDescription
		name, text string
	}{
		{&w.statements.begin, "exo_unit", "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE"},
		{&w.commit, "exo_commit", "COMMIT"},
		{&w.immediate, "exo_immediate", "SET CONSTRAINTS ALL IMMEDIATE"},
		{&w.deferrable, "exo_deferrable", canDefer},
		{&w.statements.save, "exo_save", "SAVEPOINT exo"},
		{&w.statements.release, "exo_release", "RELEASE SAVEPOINT exo"},
		{&w.statements.reads, "exo_reads", readOnly},
	} {
		if *p.to, err = w.define(ctx, p.name, p.text); err != nil {
			break
		}
	}
	if err == nil && e.marks {
		w.mark, err = w.describe(ctx, "exo_mark", leaveMark, nil)
	}
	if err == nil {
		err = w.verifyUnit(ctx)
	}
	if err != nil {
		_ = w.Close()
		return nil, unreached(ctx, err, fmt.Errorf("exosql: a connection to PostgreSQL for writes can't be set up: %w", boundError(err)))
	}
	e.leads.Store(true)
	return w, nil
}

// verifyUnit verifies that the server refuses a write by a statement that may only read within a unit.
func (w *Writer) verifyUnit(ctx context.Context) error {
	if err := w.Begin(ctx); err != nil {
		return err
	}
	err := w.VerifyWall(ctx)
	return errors.Join(err, w.Rollback(ctx))
}

// Alive implements engine.Writer.
func (w *Writer) Alive(ctx context.Context) bool {
	alive := time.Since(w.Used) <= idleCheck || w.ping(ctx) == nil
	w.Used = time.Now()
	return alive
}

// Begin implements engine.Writer.
func (w *Writer) Begin(context.Context) error {
	w.unit, w.was, w.statements.pending = &w.statements, nil, true
	w.knows, w.later, w.images = false, nil, nil
	return nil
}

// begun sends the BEGIN of a unit that has run no statement yet.
func (w *Writer) begun(ctx context.Context) error {
	if !w.statements.pending {
		return nil
	}
	w.statements.pending = false
	return w.start(ctx, w.statements.begin, true)
}

// over notes that the unit has ended, and drops its images.
func (w *Writer) over() { w.unit, w.statements.pending, w.images = nil, false, nil }

// simple runs one of the statements that precede or follow a unit's statements.
func (w *Writer) simple(ctx context.Context, st *pgconn.StatementDescription, params ...[]byte) error {
	w.busy = true
	_, err := w.exec(ctx, st, params).Close()
	w.busy = false
	return boundError(err)
}

// Open implements engine.Writer.
func (w *Writer) Open() bool { return w.unit != nil && w.Session.Sound() }

// Sound reports whether another unit may begin.
func (w *Writer) Sound() bool { return w.unit == nil && w.Session.Sound() }

// Query implements engine.Session, within the unit.
func (w *Writer) Query(ctx context.Context, p *plan.Plan, args []value.Value, out *plan.Collector) error {
	if !w.Open() {
		return errNoUnit
	}
	if !p.Back { // a Back plan reads only rows that the unit itself wrote
		if w.knows = true; len(w.later) > 0 {
			if err := w.agree(ctx); err != nil {
				return err
			}
		}
	}
	return serial(w.Session.Query(ctx, p, args, out))
}

var errNoUnit = fail.Named("exosql: the run's transaction has ended, so no further statement runs in it")

// Write implements engine.Writer. Several statements are sent together, and have one savepoint.
func (w *Writer) Write(ctx context.Context, changes []engine.Change, out *plan.Collector) (int64, error) {
	if !engine.OnlyWrites(changes) {
		return 0, engine.ErrNoChange
	}
	if !w.Open() {
		return 0, errNoUnit
	}
	n, err := w.write(ctx, changes, out)
	// Inserts contradict nothing before the unit has read something. An update or a delete reads which rows exist.
	if w.knows = w.knows || err != nil || !changes[0].Plan.Write.Insert; w.Open() && (w.knows || w.waiting() > laterRows) {
		if against := w.agree(ctx); against != nil {
			return 0, against
		}
	}
	if v, ok := errors.AsType[*engine.Violation](err); ok && w.Open() {
		insert := changes[0].Plan.Write.Insert
		if v.Rule == engine.Unique {
			if again := w.taken(ctx, v, changes); again != nil {
				return 0, again
			}
		}
		if v.Rule == engine.Unique && insert {
			v.Unseen, err = w.unseen(ctx, changes, n, err)
		} else {
			v.Unseen = v.Rule == engine.Unique || v.Rule == engine.ForeignKey && !insert
		}
	}
	w.images.wrote(changes, n, err)
	return n, err
}

// unseen reports whether an insert may have been refused because of a row that is not in the unit's snapshot. In that case
// ON CONFLICT DO NOTHING fails too. Otherwise a program could find no row with a value and then read that the value is
// taken. The program's unit would come both before and after the one that inserted the value (TestWriteOrders). unseen also returns was, or why the unit ends.
func (w *Writer) unseen(ctx context.Context, changes []engine.Change, n int64, was error) (bool, error) {
	again := make([]engine.Change, len(changes))
	for i, c := range changes {
		p := *c.Plan
		keys := scalar.Each(p.Cells, func(cell plan.Cell) string { return sqlname.Quote(strings.TrimPrefix(cell.Name, p.Write.Table+".")) })
		text := p.Text
		if len(keys) > 0 {
			var ok bool
			if text, ok = strings.CutSuffix(text, " RETURNING "+strings.Join(keys, ", ")); !ok {
				return true, was
			}
		}
		p.Text, p.Cells, p.Open = text+" ON CONFLICT DO NOTHING", nil, nil
		again[i] = engine.Change{Plan: &p, Args: c.Args}
	}
	if err := w.part(ctx, "SAVEPOINT exo_try"); err != nil {
		return false, err
	}
	_, err := w.write(ctx, again, plan.NewCollector(again[0].Plan, nil))
	w.later = nil
	for _, c := range again {
		w.stmts.Remove(c.Plan)
	}
	if !w.Open() || errors.Is(err, engine.ErrSerial) {
		return false, err
	}
	for _, text := range []string{"ROLLBACK TO SAVEPOINT exo_try", "RELEASE SAVEPOINT exo_try"} {
		if err := w.part(ctx, text); err != nil {
			return false, err
		}
	}
	_, broken := errors.AsType[*engine.Violation](err)
	return err != nil && !broken, was
}

// laterRows is the number of noted rows at which their keys are looked up, even if the unit has read nothing.
const laterRows = 1000

func (w *Writer) waiting() (n int) {
	for _, f := range w.later {
		n += f.n
	}
	return n
}

// taken reads the table of a broken unique rule, since a program may catch the error and rely on it. The
// server's SERIALIZABLE does not treat the row in the way as read. So another transaction could delete that
// row and both could be kept, though no order of the two gives both results. Reading a table from its start
// counts as reading all of it. After that the rule must still be broken (TestCaughtIsRead).
func (w *Writer) taken(ctx context.Context, v *engine.Violation, changes []engine.Change) error {
	e, ok := errors.AsType[*pgconn.PgError](v.Err)
	if !ok {
		return nil
	}
	whole := changes[0].Plan.Write.Path()
	err := w.read(ctx, "SELECT 1 FROM "+pgx.Identifier{e.SchemaName, e.TableName}.Sanitize()+" LIMIT 1")
	if denied, is := errors.AsType[*pgconn.PgError](err); is && denied.Code == "42501" { // the role may not read the partition in the error, but the whole table
		err = w.read(ctx, "SELECT count(*) FROM "+whole)
	}
	if err != nil {
		return serial(err)
	}
	_, err = w.write(ctx, changes, plan.NewCollector(changes[len(changes)-1].Plan, nil))
	if again, ok := errors.AsType[*engine.Violation](err); ok && again.Rule == v.Rule && again.Constraint == v.Constraint {
		return nil
	}
	return fmt.Errorf("%w: a value that was taken is free now: %w", engine.ErrSerial, err)
}

// bySeqScan makes the planner read a table without its indexes. It would choose an index scan for
// few rows in many pages, which counts as reading only a page or two.
const bySeqScan = `SELECT set_config('enable_seqscan', 'on', true), set_config('enable_indexonlyscan', 'off', true)`

// read reads a table. Its savepoint undoes the settings, but the server remembers the read.
func (w *Writer) read(ctx context.Context, text string) error {
	if err := w.simple(ctx, w.statements.save); err != nil {
		return err
	}
	for _, text := range []string{bySeqScan, text, "ROLLBACK TO SAVEPOINT exo"} {
		w.busy = true
		_, err := w.Conn.ExecParams(ctx, text, nil, nil, nil, nil).Close()
		if w.busy = false; err != nil {
			w.undo()
			return boundError(err)
		}
	}
	return w.simple(ctx, w.statements.release)
}

func (w *Writer) write(ctx context.Context, changes []engine.Change, out *plan.Collector) (int64, error) {
	w.unit.writing, w.affected = true, 0
	defer func() { w.statements.writing = false }()
	p, args, one := engine.One(changes)
	if one {
		if err := w.gives(ctx, p); err != nil {
			return 0, serial(err)
		}
		if err := w.Session.Query(ctx, p, args, out); err != nil {
			return 0, serial(violation(p, args, w.retyped(changes, err)))
		}
		return w.affected, nil
	}
	if done, err := w.writeAll(ctx, changes, out); err != nil {
		err = w.retyped(changes, err)
		err = violation(changes[0].Plan, nil, err)
		if v, ok := errors.AsType[*engine.Violation](err); ok {
			v.At = done
		}
		return 0, serial(err)
	}
	return w.affected, nil
}

// retyped makes a unit begin again (engine.ErrSerial) if err means that statements have run, but now return other types. Other errors stay.
func (w *Writer) retyped(changes []engine.Change, err error) error {
	if !errors.Is(err, errRetyped) {
		return err
	}
	for _, c := range changes {
		w.stmts.Remove(c.Plan)
	}
	return fmt.Errorf("%w: %w", engine.ErrSerial, err)
}

// writeAll runs several statements in one batch. It returns how many succeeded before one failed.
func (w *Writer) writeAll(ctx context.Context, changes []engine.Change, out *plan.Collector) (done int, err error) {
	defer w.deallocate()
	total := 0
	var all []*stmt // all has a statement for each run
	for _, c := range changes {
		st, err := w.prepare(ctx, c.Plan, c.Args[0])
		if err != nil {
			return 0, err
		}
		if _, kept := w.stmts.Get(c.Plan); !kept {
			defer w.dropped(st)
		}
		if err := w.affordable(ctx, c.Plan, st, c.Args[0]); err != nil {
			return 0, err
		}
		if w.imagesGiven(c.Plan) != nil {
			total, all = total+1, append(all, nil)
		}
		total += len(c.Args)
		for range c.Args {
			all = append(all, st)
		}
	}
	err = w.guarded(ctx, total, func(pl *pgconn.Pipeline) {
		for i, n := 0, 0; i < len(changes); i++ {
			if given := w.imagesGiven(changes[i].Plan); given != nil {
				w.send(pl, w.imaging.given, [][]byte{given}, nil, nil)
				n++
			}
			for _, args := range changes[i].Args {
				var a arguments // each run has new arguments, since they are sent later
				params, formats := a.encode(args)
				w.execute(pl, all[n], params, formats)
				n++
			}
		}
	}, func(i int, rr *pgconn.ResultReader) error {
		if all[i] == nil {
			return nil
		}
		err := all[i].read(rr, out)
		if err == nil {
			_, err = rr.Close() // in a shared session, a result without rows may still end in an error
		}
		if err == nil {
			done++
		}
		return err
	})
	return done, err
}

// undo rolls back the failed statement of a unit. If it can't, the unit is lost.
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

// Prepare implements engine.Writer. If no constraint in the database can be deferred, it has nothing to check. If
// a deferrable constraint was made in the meantime, a COMMIT that breaks it fails and keeps nothing.
func (w *Writer) Prepare(ctx context.Context) error {
	switch {
	case !w.Open():
		return errNoUnit
	case w.statements.pending || time.Since(w.atOnce) < atOnceFor:
		return ctx.Err() // nothing else would check ctx
	}
	checks := func(ctx context.Context) error { return w.simple(ctx, w.immediate) }
	if err := engine.Observe(ctx, engine.SystemPostgres, "SET CONSTRAINTS", checks); err != nil {
		return serial(late(err))
	}
	w.busy = true
	rr := w.exec(ctx, w.deferrable, nil)
	said, err := textIn(rr)
	if _, failed := rr.Close(); err == nil {
		err = failed
	}
	if w.busy = false; err != nil {
		return serial(boundError(err))
	}
	if string(said) == "f" {
		w.atOnce = time.Now()
	}
	return nil
}

// Mark implements engine.Writer.
func (w *Writer) Mark(ctx context.Context) error {
	if w.images != nil {
		w.images.marked = w.images.affected
	}
	return w.part(ctx, "SAVEPOINT exo_part")
}

// Keep implements engine.Writer.
func (w *Writer) Keep(ctx context.Context) error { return w.part(ctx, "RELEASE SAVEPOINT exo_part") }

// Back implements engine.Writer.
func (w *Writer) Back(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := w.part(ctx, "ROLLBACK TO SAVEPOINT exo_part"); err != nil {
		return err
	}
	if w.images != nil {
		w.images.affected, w.images.given = w.images.marked, ""
	}
	return w.Keep(ctx)
}

func (w *Writer) part(ctx context.Context, text string) error {
	if !w.Open() {
		return errNoUnit
	}
	w.knows = true // another run, or the host, may have read something
	if err := w.begun(ctx); err != nil {
		return err
	}
	w.busy = true
	_, err := w.Conn.ExecParams(ctx, text, nil, nil, nil, nil).Close()
	w.busy = false
	return serial(boundError(err))
}

// Commit implements engine.Writer. If the server refuses the commit, nothing was kept.
func (w *Writer) Commit(ctx context.Context) error {
	if !w.Open() {
		return errNoUnit
	}
	nothing := w.statements.pending
	if w.images != nil && len(w.images.tables) > 0 && !w.images.kept {
		if err := w.simple(ctx, w.imaging.forget); err != nil {
			return errors.Join(serial(err), w.Rollback(ctx))
		}
	}
	if w.over(); nothing {
		return nil
	}
	return engine.Observe(ctx, engine.SystemPostgres, "COMMIT", w.sendCommit)
}

func (w *Writer) sendCommit(ctx context.Context) error {
	w.alone = false
	err := w.simple(ctx, w.commit)
	if err == nil && w.alone {
		return errAlone
	}
	if _, refused := errors.AsType[*pgconn.PgError](err); refused && !unreachable(err) && !w.Conn.IsClosed() && w.Conn.TxStatus() == 'I' {
		return fmt.Errorf("%w: %w", exo.ErrNothingDone, serial(late(err)))
	}
	return err
}

// Rollback implements engine.Writer.
func (w *Writer) Rollback(ctx context.Context) error {
	w.over()
	if w.Conn.IsClosed() || w.Conn.TxStatus() == 'I' {
		return nil
	}
	return engine.Observe(context.WithoutCancel(ctx), engine.SystemPostgres, "ROLLBACK", func(ctx context.Context) error {
		err := lost(w.simple(ctx, w.Session.Rollback))
		w.bad = w.bad || err != nil
		return err
	})
}

// These are the server's codes for units that can't be ordered.
const (
	serializationFailure = "40001"
	deadlock             = "40P01"
)

func serial(err error) error {
	err = lost(err)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == serializationFailure || e.Code == deadlock) {
		return fmt.Errorf("%w: %w", engine.ErrSerial, err)
	}
	return err
}

// rules has the kind of rule for each of PostgreSQL's error codes for constraints.
var rules = map[string]engine.Rule{
	"23502": engine.NotNull, "23505": engine.Unique, "23503": engine.ForeignKey, "23514": engine.CheckRule,
	"23P01": engine.Unique,  // an exclusion constraint
	"P0001": engine.Trigger, // RAISE EXCEPTION
}

// late returns a server's error at the end of a transaction as violation does, with Late set.
func late(err error) error {
	err = violation(nil, nil, err)
	if v, ok := err.(*engine.Violation); ok {
		v.Late = true
	}
	return err
}

// violation returns a server's error about a constraint as an *engine.Violation, since the server's message and detail quote values. It returns other
// errors unchanged.
func violation(p *plan.Plan, args []value.Value, err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	v := &engine.Violation{Rule: rules[e.Code], Constraint: e.ConstraintName, Err: err}
	if v.Rule == engine.NoRule && strings.HasPrefix(e.Code, "22") {
		v.Rule = engine.BadValue
	}
	if (v.Rule == engine.BadValue || v.Rule == engine.NoRule) && p != nil && p.Write != nil {
		if misread, src := unread(p, args, err); misread != nil {
			v.Rule, v.Columns, v.Holds = engine.BadValue, []string{src.Column}, misread.Msg
		}
	}
	if v.Rule == engine.NoRule {
		return hostError(err)
	}
	if e.TableName == "" && v.Rule == engine.CheckRule {
		v.Domain = e.DataTypeName
	}
	if v.Table = e.TableName; p != nil && p.Write != nil && (v.Table == "" || p.Write.In != "" && p.Write.Table == e.SchemaName+"."+v.Table) {
		v.Table = p.Write.Table
	}
	if e.ColumnName != "" {
		v.Columns = []string{e.ColumnName}
	}
	return v
}
