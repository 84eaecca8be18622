package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/schema"
)

// CreateWitness is the statement that makes the table of [OpenOptions.Witness], on both engines, for the host's migrations.
// A role that does not own it needs the rights to SELECT and INSERT; [Policies] gives them. No program can be granted the table.
const CreateWitness = engine.CreateMarks

// witness is a unit that leaves the ID of its run.
type witness struct{ *unit }

var _ exo.Witness = witness{}

// Witness implements exo.Witness.
func (w witness) Witness(ctx context.Context, run exo.RunID) error {
	u := w.unit
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost != nil {
		return u.lost
	}
	err := u.ordered(ctx, func() error { return u.leave(ctx, run.String()) })
	if err == nil {
		u.mark = run.String() // not before: where the unit is run again it is left once
	}
	return err
}

// leave leaves a mark, if there is one to leave.
func (u *unit) leave(ctx context.Context, mark string) error {
	if mark == "" {
		return nil
	}
	err := u.w.Witness(ctx, mark, time.Now())
	if errors.Is(err, engine.ErrSettled) {
		return &fail.Error{Kind: fail.Conflict, Msg: "somebody has asked what became of this program before it ended, and was told that nothing of it is kept; run it again", Err: err}
	}
	return err
}

// Committed implements record.Store: it reports whether what a run has changed was kept. The database must be opened with
// [OpenOptions.Witness], now and when the run ran. false is for good: if the run is still on its way, it fails. So ask about runs
// whose process has ended, or whose connection was lost. Where the server has not noticed that, and the run's
// transaction is still open there, Committed waits, and fails in the end: ask again.
func (db *DB) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	err = db.marks(ctx, "exosql: Committed", func(w engine.Writer) (err error) {
		kept, err = w.Settle(ctx, run.String(), time.Now())
		return err
	})
	return kept, err
}

// Forget deletes the marks of runs that ended before a time, which Committed then knows no more. Let it lie days back: it must be
// earlier than any transaction that may still be open. The marks are dated by the clock of the host whose run left them. It
// needs the rights to UPDATE and DELETE, which the role of programs should not have.
func (db *DB) Forget(ctx context.Context, before time.Time) error {
	return db.marks(ctx, "exosql: Forget", func(w engine.Writer) error { return w.Forget(ctx, before) })
}

// Forgotten implements record.Forgetful: it is the latest time that Forget was called with, or zero.
func (db *DB) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = db.marks(ctx, "exosql: Forgotten", func(w engine.Writer) (err error) {
		at, err = w.Forgotten(ctx)
		return err
	})
	return at, err
}

// marks calls f with a connection for the table of marks.
func (db *DB) marks(ctx context.Context, op string, f func(engine.Writer) error) error {
	if err := db.ready(); err != nil {
		return err
	}
	if !db.witness {
		return &fail.Error{Kind: fail.Invalid, Op: op, Msg: "runs leave nothing by which it could tell; set OpenOptions.Witness", Err: ErrNoWitness}
	}
	ctx, cancel := context.WithTimeout(ctx, marksWait)
	defer cancel()
	w, err := db.writer(ctx)
	if err != nil {
		return fail.Classify(op, err)
	}
	err = db.writers.Use(w, func() error { return f(w) })
	db.writers.Release(w)
	if err != nil {
		return fail.Classify(op, err)
	}
	return nil
}

// marksWait is how long the table of marks is waited for: a host that starts must not hang by what a server has not noticed.
const marksWait = 30 * time.Second

// openWitness refuses a database in which runs could leave no mark.
func (db *DB) openWitness(ctx context.Context) error {
	live, err := db.pool.Catalog(ctx, false)
	if err != nil {
		return err
	}
	if why := marksWrong(live.Engine, live.Table(schema.Name{Name: decl.MarksTable})); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Witness is set, and %s; make it, in a migration, by: %s", why, CreateWitness)
	}
	db.witness = true
	return nil
}

// marksWrong is why a table can't be that of marks, or "".
func marksWrong(e schema.Engine, t *schema.Table) string {
	if t == nil {
		return "there is no table " + decl.MarksTable
	}
	kinds := map[string]schema.Kind{"run": schema.Text, "kept": schema.Bool, "at_ms": schema.Int}
	for _, c := range t.Columns {
		switch {
		case kinds[strings.ToLower(c.Name)] != c.Kind || !c.NotNull || c.Loose || c.Generated != schema.NotGenerated:
			return fmt.Sprintf("the table %s has another column %s", decl.MarksTable, schema.Printable(c.Name))
		case c.Unreadable:
			return fmt.Sprintf("the role may not SELECT from %s", decl.MarksTable)
		}
	}
	switch {
	case e == schema.Postgres && !slices.Contains(t.Writable, "INSERT"):
		return fmt.Sprintf("the role may not INSERT into %s", decl.MarksTable)
	case len(t.Columns) != len(kinds):
		return fmt.Sprintf("the table %s has other columns", decl.MarksTable)
	case t.PrimaryKey == nil || t.PrimaryKey.Deferrable || !slices.EqualFunc(t.PrimaryKey.Columns, []string{"run"}, strings.EqualFold):
		return fmt.Sprintf("the table %s has another primary key", decl.MarksTable) // two marks of one run would contradict each other
	case t.Inherited || len(t.Triggers) > 0 || len(t.Rules) > 0:
		return fmt.Sprintf("the table %s has triggers, rules or heirs", decl.MarksTable)
	case t.RowSecurity:
		return fmt.Sprintf("the table %s has row-level security, which may hide marks", decl.MarksTable)
	}
	return ""
}
