package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// These are the statements for the table of marks. A host that settles a run has the only write lock. So a
// unit that had inserted its mark has ended by then. A unit that had not fails when it inserts its mark.
const (
	leaveMark  = `INSERT INTO exo_runs (run, kept, at_ms) VALUES (?, 1, ?)`
	settleMark = `INSERT INTO exo_runs (run, kept, at_ms) VALUES (?, 0, ?) ON CONFLICT (run) DO NOTHING`
	readMark   = `SELECT kept FROM exo_runs WHERE run = ?`
	forgetMark = `DELETE FROM exo_runs WHERE at_ms < ? AND run <> '` + engine.ForgottenRow + `'`
	noteForgot = `INSERT INTO exo_runs (run, kept, at_ms) VALUES ('` + engine.ForgottenRow + `', 0, ?) ON CONFLICT (run) DO UPDATE SET at_ms = max(exo_runs.at_ms, excluded.at_ms)`
	noteMade   = `INSERT INTO exo_runs (run, kept, at_ms) SELECT '` + engine.ForgottenRow + `', 0, coalesce(min(at_ms), ?) FROM exo_runs WHERE true ON CONFLICT (run) DO NOTHING`
	readForgot = `SELECT at_ms FROM exo_runs WHERE run = '` + engine.ForgottenRow + `'`
)

// The authorizer allows this table for the statements of marks.
var (
	marksRead    = map[string]map[string]bool{"exo_runs": {"run": true, "kept": true, "at_ms": true}}
	marksWritten = plan.Write{Table: "exo_runs", Insert: true, Update: []string{"at_ms"}, Delete: true}
)

// Witness implements engine.Marks.
func (w *Writer) Witness(_ context.Context, run string, at time.Time) error {
	if !w.marks {
		return engine.ErrNoMarks
	}
	if !w.Open() {
		return errNoUnit
	}
	_, _, err := w.mark(leaveMark, value.Text(run), value.Int(at.UnixMilli()))
	var e *SqlError
	switch {
	case errors.As(err, &e) && rules[e.Code] == engine.Unique:
		return fmt.Errorf("%w: %w", engine.ErrSettled, err)
	case errors.As(err, &e) && primary(e.Code) == sqlite3.SQLITE_AUTH:
		return fmt.Errorf("exosql: a trigger of the table exo_runs prevented the entry of the run, so the run is not kept: drop that trigger: %w", err)
	}
	return serial(err)
}

// mark runs one statement, and returns the only cell of its row, if there is a row.
func (w *Writer) mark(text string, args ...value.Value) (cell int64, there bool, err error) {
	w.Guard.Admit(&marksRead)
	w.Guard.writes.Store(&marksWritten)
	defer w.Guard.Admit(nil)
	defer w.Guard.writes.Store(nil)
	st, err := w.C.prepare(text)
	if err != nil {
		return 0, false, err
	}
	defer w.C.finalize(st)
	w.C.lock()
	defer w.C.unlock()
	defer w.C.reset(st)
	if err := w.C.bind(st, args); err != nil {
		return 0, false, err
	}
	for {
		more, err := w.C.step(st)
		if err != nil || !more {
			return cell, there, err
		}
		cell, there = sqlite3.Xsqlite3_column_int64(w.C.Tls, st.P, 0), true
	}
}

// Settle implements engine.Marks.
func (w *Writer) Settle(ctx context.Context, run string, at time.Time) (kept bool, err error) {
	err = w.outside(ctx, func() error {
		if _, _, err := w.mark(settleMark, value.Text(run), value.Int(at.UnixMilli())); err != nil {
			return err
		}
		is, there, err := w.mark(readMark, value.Text(run))
		if err == nil && !there { // without a mark, false would be a guess
			err = errors.New("exosql: the table exo_runs does not keep what is written to it: drop the table's triggers")
		}
		if kept = is == 1; err == nil && !kept {
			if _, there, err = w.mark(readForgot); err == nil && !there {
				err = engine.ErrMarksLost
			}
		}
		return err
	})
	return kept && err == nil, err
}

// Forget implements engine.Marks.
func (w *Writer) Forget(ctx context.Context, before time.Time) error {
	return w.outside(ctx, func() error {
		if _, _, err := w.mark(noteForgot, value.Int(before.UnixMilli())); err != nil {
			return err
		}
		_, _, err := w.mark(forgetMark, value.Int(before.UnixMilli()))
		return err
	})
}

// Forgotten implements engine.Marks.
func (w *Writer) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = w.outside(ctx, func() error {
		ms, there, err := w.mark(readForgot)
		if err == nil && !there {
			if _, _, err = w.mark(noteMade, value.Int(time.Now().UnixMilli())); err == nil {
				ms, _, err = w.mark(readForgot)
			}
		}
		at = time.UnixMilli(ms)
		return err
	})
	return at, err
}

// outside runs f in a transaction that is no unit of work.
func (w *Writer) outside(ctx context.Context, f func() error) error {
	if !w.marks {
		return engine.ErrNoMarks
	}
	if !w.Sound() {
		return errNoUnit
	}
	err := w.bound(ctx, "BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	if err = f(); err == nil {
		err = w.bound(ctx, "COMMIT")
	}
	return errors.Join(err, w.Rollback(ctx)) // Rollback does nothing after a commit
}
