package unit

// This file has what all units of one database share: connections for writing, the hooks after a commit, and the table of marks.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Units makes the units of work of one database.
type Units struct {
	Writers    *engine.Writers
	System     string            // System is the kind of database, for observers
	Idle       time.Duration     // Idle bounds the time in which a unit that has written receives no statement
	Undo       time.Duration     // Undo is how long changes of a run are kept for an undo; 0 keeps none
	HookFailed func(error)       // HookFailed gets the error of a hook after a commit; the function may be nil
	Broken     func(error) error // Broken returns the program's error for a rule of the database that the end of a Tx broke

	trimMu  sync.Mutex
	trimmed time.Time // trimmed is when old images were last deleted

	txMu sync.Mutex
	txs  map[any]func(context.Context) error // txs has, for each open Tx, the function that rolls it back
}

// maxTries bounds how many times a unit is run.
const maxTries = 4

// writer waits for a connection for writing.
func (us *Units) writer(ctx context.Context) (engine.Writer, error) {
	w, err := us.Writers.Acquire(ctx)
	if errors.Is(err, engine.ErrSerial) {
		return nil, &fail.Error{Kind: fail.Conflict, Msg: "other programs kept the database busy for longer than a program waits; run the program again", Err: err}
	}
	return w, err
}

// RollBackAll rolls back every open Tx.
func (us *Units) RollBackAll() (err error) {
	us.txMu.Lock()
	open := slices.Collect(maps.Values(us.txs))
	us.txMu.Unlock()
	for _, rollBack := range open {
		err = errors.Join(err, rollBack(context.Background()))
	}
	return err
}

// settle calls the hooks after a commit, for each table with its writes.
func (us *Units) settle(ctx context.Context, written []decl.RowWrite) (failed error) {
	for len(written) > 0 {
		t := written[0].Table
		var of, rest []decl.RowWrite
		for _, w := range written {
			if w.Table == t {
				of = append(of, w)
			} else {
				rest = append(rest, w)
			}
		}
		written = rest
		for _, f := range t.Afters {
			if err := settled(ctx, f, of); err != nil {
				failed = errors.Join(failed, fmt.Errorf("exosql: a hook of table %s failed after the commit: %w", t.Name, err))
			}
		}
	}
	if failed != nil && us.HookFailed != nil {
		us.HookFailed(failed)
	}
	return failed
}

func settled(ctx context.Context, f decl.After, of []decl.RowWrite) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fail.NewPanicError(p)
		}
	}()
	return f(ctx, of)
}

// SettleTyped calls settle for Go code. Since Go code has no record, it logs an error that HookFailed does not get.
func (us *Units) SettleTyped(ctx context.Context, written []decl.RowWrite) {
	if err := us.settle(context.WithoutCancel(ctx), written); err != nil && us.HookFailed == nil {
		slog.Error("a hook after a commit failed", "reason", fail.Reason(err))
	}
}

// Undone returns err as an error that wraps exo.ErrNothingDone, so that a program or the host's code may go on after it. No text appears twice.
func Undone(op string, err error) error {
	e := fail.AsError(op, err)
	return &fail.Error{Op: cmp.Or(e.Op, op), Kind: e.Kind, Msg: e.Message(), Err: left{e.Err, err}}
}

// left is the cause of an error after which no change was kept. The field of has the whole error, and why the cause
// inside it. The text is that of why, since the rest of the whole error's text is written before it.
type left struct{ why, of error }

func (l left) Error() string {
	if l.why == nil || errors.Is(l.why, exo.ErrNothingDone) {
		return exo.ErrNothingDone.Error()
	}
	return l.why.Error()
}

func (l left) Unwrap() []error { return []error{exo.ErrNothingDone, l.of} }

// Marks calls f with a connection that may write to the table of marks.
func (us *Units) Marks(ctx context.Context, op string, f func(engine.Writer) error) error {
	ctx, cancel := context.WithTimeout(ctx, marksWait)
	defer cancel()
	w, err := us.writer(ctx)
	if err == nil {
		err = us.Writers.Use(w, func() error { return f(w) })
		us.Writers.Release(w)
	}
	return fail.Classify(op, engine.Unopened(err)) // Unopened drops the words "nothing was kept", which a reader would take for the answer about the run
}

// Trim deletes the images that are older than Undo. It does so at most once in an hour, or for shorter times once in a twentieth of Undo. Otherwise a
// process that runs for months would keep all images.
func (us *Units) Trim(ctx context.Context, op string) error {
	us.trimMu.Lock()
	defer us.trimMu.Unlock()
	now := time.Now()
	if us.Undo <= 0 || now.Sub(us.trimmed) < min(time.Hour, us.Undo/20) {
		return nil
	}
	err := us.Marks(ctx, op, func(w engine.Writer) error { return w.TrimImages(ctx, now.Add(-us.Undo)) })
	if err == nil {
		us.trimmed = now
	}
	return err
}

// marksWait bounds the wait for the table of marks, so that a start does not hang because the server still has a transaction open.
const marksWait = 30 * time.Second

// UndoWrong returns why a database can't keep the rows that runs change, with the statement to run; "" if it can.
func UndoWrong(live *schema.Database) string {
	t := live.Table(schema.Name{Name: decl.UndoTable})
	switch {
	case t == nil && live.Engine == schema.SQLite:
		return "there is no table " + decl.UndoTable + "; let a migration run " + engine.CreateUndo
	case live.Engine == schema.SQLite && len(t.Triggers) > 0:
		return fmt.Sprintf("the table %s has triggers: drop them", decl.UndoTable)
	case live.Engine == schema.SQLite && !slices.EqualFunc(t.Columns, []string{"n", "run", "at_ms", "image"}, func(c schema.Column, name string) bool { return strings.EqualFold(c.Name, name) }):
		return fmt.Sprintf("the table %s has other columns than it should; want the table of %s", decl.UndoTable, engine.CreateUndo)
	}
	return ""
}

// MarksWrong returns why a database can't store the marks of runs, with the statement to run; "" if it can.
func MarksWrong(live *schema.Database) string {
	t := live.Table(schema.Name{Name: decl.MarksTable})
	why := marksWrong(live.Engine, t)
	switch {
	case why == "":
		return ""
	case strings.HasPrefix(why, "the role may not "):
		return fmt.Sprintf("%s: run GRANT SELECT, INSERT ON %s TO %s", why, sqlname.Path(t.Schema, t.Name.Name), sqlname.Plain(live.Role.Name))
	case t == nil:
		return why + "; let a migration run " + engine.CreateMarks
	}
	return why + "; want the table of " + engine.CreateMarks
}

func marksWrong(e schema.Engine, t *schema.Table) string {
	if t == nil {
		return "there is no table " + decl.MarksTable
	}
	kinds := map[string]schema.Kind{"run": schema.Text, "kept": schema.Bool, "at_ms": schema.Int}
	for _, c := range t.Columns {
		at := "the column " + schema.Printable(c.Name) + " of the table " + decl.MarksTable
		switch kind := kinds[strings.ToLower(c.Name)]; {
		case kind == "":
			return at + " should not be there"
		case kind != c.Kind:
			return at + " has another type than it should"
		case !c.NotNull:
			return at + " accepts NULL"
		case c.Loose:
			return at + " has another collation than it should"
		case c.Generated != schema.NotGenerated:
			return at + " is generated"
		case c.Unreadable:
			return fmt.Sprintf("the role may not SELECT from %s", decl.MarksTable)
		}
	}
	switch {
	case e == schema.Postgres && !slices.Contains(t.Writable, "INSERT"):
		return fmt.Sprintf("the role may not INSERT into %s", decl.MarksTable)
	case len(t.Columns) != len(kinds):
		return fmt.Sprintf("the table %s has other columns than it should", decl.MarksTable)
	case t.PrimaryKey == nil || t.PrimaryKey.Deferrable || !slices.EqualFunc(t.PrimaryKey.Columns, []string{"run"}, strings.EqualFold):
		return fmt.Sprintf("the table %s has another primary key than it should", decl.MarksTable) // with another key, a run could have two contradictory marks
	case len(t.Triggers) > 0:
		return fmt.Sprintf("the table %s has triggers", decl.MarksTable)
	case len(t.Rules) > 0:
		return fmt.Sprintf("the table %s has rules", decl.MarksTable)
	case t.Inherited:
		return fmt.Sprintf("other tables inherit from the table %s", decl.MarksTable)
	case t.RowSecurity:
		return fmt.Sprintf("the table %s has row-level security, which may hide its rows", decl.MarksTable)
	}
	return ""
}
