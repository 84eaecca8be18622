package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/exoagent/exoagent/exosql/internal/engine"
)

// These are the statements for the table of marks; $2 is a time in milliseconds. The insert of settle waits for a transaction that has
// inserted the mark and not ended. The select after it sees the outcome, since each statement has its own snapshot (READ COMMITTED).
const (
	leaveMark  = `INSERT INTO exo_runs (run, kept, at_ms) VALUES ($1, true, $2)`
	settleMark = `INSERT INTO exo_runs (run, kept, at_ms) VALUES ($1, false, $2) ON CONFLICT (run) DO NOTHING`
	readMark   = `SELECT kept FROM exo_runs WHERE run = $1`
	forgetMark = `DELETE FROM exo_runs WHERE at_ms < $1 AND run <> '` + engine.ForgottenRow + `'`
	noteForgot = `INSERT INTO exo_runs (run, kept, at_ms) VALUES ('` + engine.ForgottenRow + `', false, $1) ON CONFLICT (run) DO UPDATE SET at_ms = greatest(exo_runs.at_ms, excluded.at_ms)`
	noteMade   = `INSERT INTO exo_runs (run, kept, at_ms) SELECT '` + engine.ForgottenRow + `', false, coalesce(min(at_ms), $1::bigint) FROM exo_runs ON CONFLICT (run) DO NOTHING`
	readForgot = `SELECT at_ms FROM exo_runs WHERE run = '` + engine.ForgottenRow + `'`
)

// Witness implements engine.Marks.
func (w *Writer) Witness(ctx context.Context, run string, at time.Time) error {
	if w.mark == nil {
		return engine.ErrNoMarks
	}
	if !w.Open() {
		return errNoUnit
	}
	w.unit.writing, w.affected = true, 0
	defer func() { w.statements.writing = false }()
	w.With(nil)
	err := w.guarded(ctx, 1, func(pl *pgconn.Pipeline) { w.send(pl, w.mark, [][]byte{[]byte(run), millis(at)}, nil, nil) }, nil)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && rules[e.Code] == engine.Unique {
		return fmt.Errorf("%w: %w", engine.ErrSettled, err)
	}
	if err == nil && w.affected != 1 { // a rule or a trigger of the table suppressed the insert
		err = errors.New("exosql: a rule or a trigger of the table exo_runs prevented the entry of the run, so the run is not kept: drop that rule or trigger")
	}
	return serial(err)
}

func millis(at time.Time) []byte { return strconv.AppendInt(nil, at.UnixMilli(), 10) }

// Settle implements engine.Marks.
func (w *Writer) Settle(ctx context.Context, run string, at time.Time) (kept bool, err error) {
	err = w.outside(ctx, func(ctx context.Context) error {
		if _, err := w.row(ctx, settleMark, []byte(run), millis(at)); err != nil {
			return err
		}
		said, err := w.row(ctx, readMark, []byte(run))
		if err == nil && said == nil { // without a mark, false would be a guess
			err = errors.New("exosql: the table exo_runs does not show its entry of the run to the role: drop the table's policies, triggers and rules")
		}
		switch kept = string(said) == "t"; {
		case err != nil:
		case kept:
			err = w.flushed(ctx, run)
		default:
			if said, err = w.row(ctx, readForgot); err == nil && said == nil {
				err = engine.ErrMarksLost
			}
		}
		return err
	})
	return kept && err == nil, err
}

// Forget implements engine.Marks.
func (w *Writer) Forget(ctx context.Context, before time.Time) error {
	return w.outside(ctx, func(ctx context.Context) error {
		if _, err := w.row(ctx, noteForgot, millis(before)); err != nil {
			return err
		}
		_, err := w.row(ctx, forgetMark, millis(before))
		return err
	})
}

// Forgotten implements engine.Marks.
func (w *Writer) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = w.outside(ctx, func(ctx context.Context) error {
		said, err := w.row(ctx, readForgot)
		if err == nil && said == nil {
			if _, err = w.row(ctx, noteMade, millis(time.Now())); err == nil {
				said, err = w.row(ctx, readForgot)
			}
		}
		if err != nil {
			return err
		}
		ms, err := strconv.ParseInt(string(said), 10, 64)
		at = time.UnixMilli(ms)
		return err
	})
	return at, err
}

// outside runs f in a transaction that is no unit of work. After an error the connection is not used again.
func (w *Writer) outside(ctx context.Context, f func(context.Context) error) (err error) {
	if w.mark == nil {
		return engine.ErrNoMarks
	}
	return w.aloneIn(ctx, f)
}

// aloneIn runs f in a transaction that is no unit of work. It needs no marks, unlike outside.
func (w *Writer) aloneIn(ctx context.Context, f func(context.Context) error) (err error) {
	if !w.Sound() {
		return errNoUnit
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	w.bad, w.alone = true, false // until the transaction has ended, the connection is not sound
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error {
			return w.start(ctx, &pgconn.StatementDescription{SQL: "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE"}, true)
		}, f,
		func(ctx context.Context) error { _, err := w.row(ctx, "COMMIT"); return err },
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if w.alone {
		return errAlone
	}
	w.bad, w.Used = false, time.Now()
	return nil
}

// row runs one statement, and returns the only cell of its row, or nil if there is no row.
func (w *Writer) row(ctx context.Context, text string, args ...[]byte) (cell []byte, err error) {
	rr := w.Conn.ExecParams(ctx, text, args, nil, nil, nil)
	for rr.NextRow() {
		cell = append([]byte{}, rr.Values()[0]...)
	}
	_, err = rr.Close()
	return cell, boundError(err)
}
