package exosql

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/undo"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// CreateWitness is the statement that makes the table of [OpenOptions.Witness], on both engines. Run it in the host's migrations. A role that does
// not own the table needs the rights to SELECT and INSERT; [Policies] gives them. The table can't be granted to programs.
const CreateWitness = engine.CreateMarks

// Committed implements record.Store: it reports whether a run's changes were kept. The database must be opened with [OpenOptions.Witness], now and when the run ran. Ask
// about runs whose process ended, or whose connection was lost. The answer false is final: a run still in progress is made to fail. For a run that began before
// Forgotten, false means nothing. With a synchronous standby of PostgreSQL, true also means that the standby has the changes. If the run's transaction is still open on the server, Committed waits and in the end returns an error: ask again.
func (db *DB) Committed(ctx context.Context, run exo.RunID) (kept bool, err error) {
	err = db.marks(ctx, "exosql: Committed", func(w engine.Writer) (err error) {
		kept, err = w.Settle(ctx, run.String(), time.Now())
		return err
	})
	return kept, err
}

// Forget deletes the marks of runs that ended before a time. Committed can no longer answer for them. Choose a time some days ago: it must be
// earlier than any transaction that may still be open. Each mark is dated by the clock of the host that ran the run. Forget needs the rights to
// UPDATE and DELETE, which the programs' role should not have.
func (db *DB) Forget(ctx context.Context, before time.Time) error {
	return db.marks(ctx, "exosql: Forget", func(w engine.Writer) error { return w.Forget(ctx, before) })
}

// Forgotten implements record.Forgetful. It returns the latest time that was passed to Forget, or the time at which Open first saw the table of marks.
// So a table that was dropped and made again, or emptied, is not mistaken for one that has no mark of a run.
func (db *DB) Forgotten(ctx context.Context) (at time.Time, err error) {
	err = db.marks(ctx, "exosql: Forgotten", func(w engine.Writer) (err error) {
		at, err = w.Forgotten(ctx)
		return err
	})
	return at, err
}

// marks calls f with a connection to the table of marks.
func (db *DB) marks(ctx context.Context, op string, f func(engine.Writer) error) error {
	if err := db.core().Ready(); err != nil {
		return err
	}
	if !db.db.Witness {
		return &fail.Error{Kind: fail.Invalid, Op: op, Msg: "the DB was opened without OpenOptions.Witness, so no mark shows which runs were kept: set that option", Err: ErrNoWitness}
	}
	return db.db.Units.Marks(ctx, op, f)
}

// openWitness refuses a database in which runs could not insert their marks, or keep the rows that they change.
func openWitness(ctx context.Context, db *answer.DB, opt *OpenOptions) error {
	live, err := db.Pool.Catalog(ctx, false)
	if err != nil {
		return err
	}
	if !opt.Witness {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo needs OpenOptions.Witness, since only a run that is known to be kept can be undone: set both")
	}
	if why := unit.MarksWrong(live); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Witness is set, but %s", why)
	}
	err = db.Units.Marks(ctx, "exosql: Open", func(w engine.Writer) error { _, err := w.Forgotten(ctx); return err })
	if err != nil || opt.Undo <= 0 {
		return err
	}
	if why := unit.UndoWrong(live); why != "" {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo is set, but %s", why)
	}
	db.Units.Undo = opt.Undo
	err = db.Units.Trim(ctx, "exosql: Open")
	if errors.Is(err, engine.ErrNoImages) {
		return fail.Errorf(fail.Invalid, "exosql: Open", "OpenOptions.Undo is set, but the database has no triggers for it, or the role may not use them: run the script of exo gen undo as the owner of the tables")
	}
	return err
}

// CreateUndo is the statement that makes the table of [OpenOptions.Undo] on SQLite. The table can't be granted to programs.
const CreateUndo = engine.CreateUndo

// RowImage is one row before and after a change, with all its columns that are not generated.
type RowImage struct {
	Table   schema.Name
	Columns []string
	Key     []int        // Key has the places of the primary key in Columns; nil if the table has none
	Before  []RowLiteral // Before is nil if the row is new
	After   []RowLiteral // After is nil if the row was deleted
	Others  int          // Others counts changed columns that a person is not shown: see DB.UndoFor
}

// RowLiteral is one value of a RowImage: on SQLite a literal of SQL, on PostgreSQL the type's own text.
type RowLiteral struct {
	Null bool
	Text string
}

// UndoRefusal is a row that prevents the undo of a run, with the reason.
type UndoRefusal struct {
	Row RowImage // Row is the row as the undo would change it; the zero RowImage if the reason is not about a row of the run, or if a person is not shown the row
	Why string
}

func rowImage(im engine.Image) RowImage {
	literals := func(cells []engine.Cell) []RowLiteral {
		return scalar.Each(cells, func(c engine.Cell) RowLiteral { return RowLiteral(c) })
	}
	return RowImage{Table: im.Table, Columns: im.Columns, Key: im.Key, Before: literals(im.Before), After: literals(im.After)}
}

// ErrNotKept is in the error of [DB.Undo] for a run of which no RowImages were kept.
var ErrNotKept = engine.ErrNotKept

// Undo reverses the changes of a run in this database, as one transaction, exactly or not at all. It returns each row as the undo finds it and as it
// leaves it. If a row was changed since, or the database does not admit its reversal, refused lists the row and nothing is changed. The parameter as
// is the ID of the undo itself, a run that can be undone in turn. With the zero ID nothing is changed, and the result shows the rows that an undo would
// change. No grant restricts an undo: it sees and writes all columns of all tables, so it is for the operator. On PostgreSQL db must be opened by a
// role that may read exo_undo and write the tables.
func (db *DB) Undo(ctx context.Context, run, as exo.RunID) (rows []RowImage, refused []UndoRefusal, err error) {
	if err := db.core().Ready(); err != nil {
		return nil, nil, err
	}
	return db.undo(ctx, run, as, nil)
}

// UndoFor is Undo for a person who has grants of this database, and who is not its operator. They may undo a run if each row that the run changed is in the
// scope of a facet with [Facet.AllowUndo], as it is and as it was. The parameter own reports whether the run is one of their own, as the record shows.
// For any other run, and for a run that does not exist, the same error of the kind Denied is returned. The rows have only columns that these facets show.
func (db *DB) UndoFor(ctx context.Context, run, as exo.RunID, own bool, granted ...exo.Object) (rows []RowImage, refused []UndoRefusal, err error) {
	if err := db.core().Ready(); err != nil {
		return nil, nil, err
	}
	live, err := db.db.Pool.Catalog(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	by, err := db.db.NewUndoer(live, own, granted)
	if err == nil {
		rows, refused, err = db.undo(ctx, run, as, by)
	}
	if errors.Is(err, ErrNotKept) || errors.Is(err, answer.ErrNotTheirs) {
		return nil, nil, fail.AsError("exosql: UndoFor", answer.ErrNotTheirs)
	}
	return rows, refused, err
}

// undo undoes a run for a person, or with nil for the operator.
func (db *DB) undo(ctx context.Context, run, as exo.RunID, by *answer.Undoer) (rows []RowImage, refused []UndoRefusal, err error) {
	live, err := db.db.Pool.Catalog(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	err = db.db.Units.Marks(ctx, "exosql: Undo", func(w engine.Writer) (err error) {
		if err = w.Begin(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.Rollback(ctx)) }() // Rollback does nothing after a commit
		var may undo.May
		if by != nil {
			may = by.May
		}
		back, left, err := undo.Reverse(ctx, w, live, run.String(), may)
		if by != nil && len(left) > 0 && slices.ContainsFunc(back, func(im engine.Image) bool { return im.Before == nil || im.After == nil }) {
			return answer.ErrNotTheirs // the scope of a row that does not exist can't be asked
		}
		for _, im := range back {
			if by == nil {
				rows = append(rows, rowImage(im))
			} else if err == nil && len(left) == 0 { // a person sees rows only once they are in scope both as they are and as they were
				shown, others := by.Shown(im)
				rows = append(rows, rowImage(shown))
				rows[len(rows)-1].Others = others
			}
		}
		for _, r := range left {
			if by != nil {
				shown, _ := by.Shown(r.Row.Found())
				if len(shown.Columns) == 0 { // the row is not one that the person is shown
					shown.Table = schema.Name{}
				}
				r = undo.Refusal{Row: shown, Why: "the row was changed since, or the database refuses to change it back"}
			}
			refused = append(refused, UndoRefusal{rowImage(r.Row), r.Why})
		}
		if err != nil || len(left) > 0 {
			return err
		}
		if as == (exo.RunID{}) {
			return nil
		}
		if err = w.KeepImages(ctx, as.String(), time.Now()); err == nil {
			err = w.Witness(ctx, as.String(), time.Now())
		}
		if err == nil {
			err = w.Commit(ctx)
		}
		return err
	})
	return rows, refused, err
}

// UndoTriggers returns SQL that makes triggers on PostgreSQL. For [OpenOptions.Undo] they keep the rows of tables that a role's runs change, for the time keep.
// The owner of the tables runs the SQL, and again when there are new tables. The SQL covers tables that cascades reach, and all tables if one of them
// has a trigger or a rule. Without a catalogue UndoTriggers returns "".
func UndoTriggers(live *schema.Database, role string, keep time.Duration, tables ...schema.Name) string {
	if live == nil {
		return ""
	}
	in := "public"
	if len(live.Path) > 0 {
		in = live.Path[0]
	}
	return undo.Script(in, role, keep, live, tables)
}

// Unkept lists the tables that writes of tables can change and that have no enabled trigger of [UndoTriggers]. It is "" if there are none, and on
// SQLite.
func (db *DB) Unkept(ctx context.Context, tables ...schema.Name) (list string, err error) {
	if db.core() == nil {
		return "", fail.Errorf(fail.Invalid, "exosql: Unkept", "the DB is nil or zero: make one with Open")
	}
	names := scalar.Each(tables, func(n schema.Name) string { return sqlname.Quote(n.Schema) + "." + sqlname.Quote(n.Name) })
	err = db.db.Units.Marks(ctx, "exosql: Unkept", func(w engine.Writer) (err error) {
		list, err = w.Unkept(ctx, names)
		return err
	})
	return list, err
}
