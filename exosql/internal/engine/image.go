package engine

// This file has whole rows before and after a unit: what a preview compares, and what an undo restores.

import (
	"context"
	"errors"
	"time"

	"github.com/exoagent/exoagent/schema"
)

// Image is one row that a unit has changed, in any table and by any way: a program's write, a cascade, a trigger, REPLACE. It has all columns,
// also those that no facet shows.
type Image struct {
	Table   schema.Name
	Columns []string // all columns that hold a value of their own (no generated ones), in the table's order
	Key     []int    // the positions in Columns of the primary key; nil: the table has none, and the whole row stands for itself
	Before  []Cell   // nil: the row is new
	After   []Cell   // nil: the row was deleted
	// Filled are the positions of values of a new row that the database chose and would choose otherwise in another run: a number from a
	// sequence, an identity or a rowid, a volatile default.
	Filled []int
}

// Cell is one value of an Image, exactly: on SQLite a literal as quote() writes it, on PostgreSQL the type's own text.
type Cell struct {
	Null bool
	Text string
}

// Imager is the part of a Writer that keeps images.
type Imager interface {
	// Capture makes the unit keep images from now on, until it ends: at most rows of them, with at most bytes of text. It is called after Begin
	// and before the first write. It fails with ErrNoImages if the database has nothing that could report all rows.
	Capture(ctx context.Context, rows, bytes int) error
	// Captured returns one image for each row that is not as it was when Capture was called, in the order of tables and then of keys. What was
	// rolled back to a savepoint is not in it. It fails with ErrTooManyImages if there were more than Capture admits.
	Captured(ctx context.Context) ([]Image, error)

	// KeepImages stores the images of the unit under the ID of its run, within the unit, for an undo. It is called after the last write, and fails as Captured does.
	KeepImages(ctx context.Context, run string, at time.Time) error
	// KeptImages returns the images that a run's KeepImages has stored; the connection needs the right to read them all.
	KeptImages(ctx context.Context, run string) ([]Image, error)
	// Unkept lists the tables that a write of some tables can change and whose rows nothing keeps; the names are as statements write them.
	Unkept(ctx context.Context, tables []string) (string, error)
	// TrimImages deletes what was stored before a time, outside of a unit. On PostgreSQL the time is fixed where the triggers are made.
	TrimImages(ctx context.Context, before time.Time) error
}

// CreateUndo creates SQLite's table of kept images.
const CreateUndo = `CREATE TABLE exo_undo (n integer PRIMARY KEY, run text NOT NULL, at_ms bigint NOT NULL, image text NOT NULL)`

// ErrNotKept is the error of a run whose images were not kept, or not for so long.
var ErrNotKept = errors.New("exosql: nothing is kept of what the run has changed")

// ErrNoImages is the error of a database that can't report all rows that a unit changes.
var ErrNoImages = errors.New("exosql: this database reports no images of rows: on PostgreSQL `exo gen undo` writes the triggers that do")

// ErrTooManyImages is the error of a unit that has changed more than its images may hold.
var ErrTooManyImages = errors.New("exosql: the unit changed more rows than images are kept of")
