package exosql

// This file undoes runs: for the operator of a database, or for a person with grants.

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
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

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
	return db.undo(ctx, run, as, func(*schema.Database) (*answer.Undoer, error) { return nil, nil })
}

// UndoRequest names the run that a person wants to undo.
type UndoRequest struct {
	Run exo.RunID // Run is the run to undo
	As  exo.RunID // As is the ID of the undo itself; with the zero ID nothing is changed, as with [DB.Undo]
	Own bool      // Own reports whether Run is one of the person's own, as the record shows
}

// UndoFor is Undo for a person who has grants of this database, and who is not its operator. They may undo a run if each row that the run changed is in the
// scope of a facet with [Facet.AllowUndo], as it is and as it was.
// For any other run, and for a run that does not exist, the same error of the kind Denied is returned. The rows have only columns that these facets show.
func (db *DB) UndoFor(ctx context.Context, r UndoRequest, granted ...exo.Object) (rows []RowImage, refused []UndoRefusal, err error) {
	rows, refused, err = db.undo(ctx, r.Run, r.As, func(live *schema.Database) (*answer.Undoer, error) { return db.db.NewUndoer(live, r.Own, granted) })
	if errors.Is(err, ErrNotKept) || errors.Is(err, answer.ErrNotTheirs) {
		return nil, nil, fail.AsError("exosql: UndoFor", answer.ErrNotTheirs)
	}
	return rows, refused, err
}

// undo undoes a run for the person that the function person returns, or for the operator if that is nil.
func (db *DB) undo(ctx context.Context, run, as exo.RunID, person func(live *schema.Database) (*answer.Undoer, error)) (rows []RowImage, refused []UndoRefusal, err error) {
	if err := db.core().Ready(); err != nil {
		return nil, nil, err
	}
	live, err := db.db.Pool.Catalog(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	by, err := person(live)
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
