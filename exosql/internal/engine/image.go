package engine

// This file has images: whole rows before and after a unit, which a preview compares and an undo restores.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/schema"
)

// Image is one row that a unit has changed, in any table and by any way: a program's write, a cascade, a trigger, REPLACE. It has all columns,
// even those that no facet shows.
type Image struct {
	Table   schema.Name
	Columns []string // Columns are in the table's order, without generated ones
	Key     []int    // Key has the primary key's positions in Columns; nil: no key, so the whole row identifies itself
	Before  []Cell   // Before is nil if the row is new
	After   []Cell   // After is nil if the row was deleted
	// Filled are the positions of a new row's values that the database would choose differently in another run: numbers of a sequence,
	// an identity or a rowid, and volatile defaults.
	Filled []int
}

// Cell is one value of an Image, exactly. On SQLite the text is a literal of quote(), on PostgreSQL the type's own text.
type Cell struct {
	Null bool
	Text string
}

// Found returns an image of an undo with only the key of the row that the undo found. If the undo would insert the row, it returns only the table.
func (im Image) Found() Image {
	out := Image{Table: im.Table}
	if im.Before == nil {
		return out
	}
	for i, at := range im.Key {
		out.Columns, out.Key, out.Before = append(out.Columns, im.Columns[at]), append(out.Key, i), append(out.Before, im.Before[at])
	}
	return out
}

// Imager is the part of a Writer that keeps images.
type Imager interface {
	// Capture makes the unit keep images from now until its end: at most rows of them, with at most bytes of text. It is called after Begin and
	// before the first write. It fails with ErrNoImages if the database can't report all rows.
	Capture(ctx context.Context, rows, bytes int) error
	// Captured returns one image for each row that differs from what it was at Capture, in the order of tables and then of keys. It leaves out
	// changes that were rolled back to a savepoint. If there are more images than Capture allows, it fails with ErrTooManyImages.
	Captured(ctx context.Context) ([]Image, error)

	// KeepImages stores the unit's images under the ID of its run, in the unit, for an undo. It is called after the last write, and fails when Captured would.
	KeepImages(ctx context.Context, run string, at time.Time) error
	// KeptImages returns the images that KeepImages has stored for a run. The connection needs the right to read them all.
	KeptImages(ctx context.Context, run string) ([]Image, error)
	// Unkept lists those tables that a write to the given tables can change, but that nothing keeps images of. The names are those of statements.
	Unkept(ctx context.Context, tables []string) (string, error)
	// TrimImages deletes the images that were stored before a time, outside of a unit. On PostgreSQL the script with the triggers fixes that time.
	TrimImages(ctx context.Context, before time.Time) error
}

// CreateUndo creates SQLite's table of kept images.
const CreateUndo = `CREATE TABLE exo_undo (n integer PRIMARY KEY, run text NOT NULL, at_ms bigint NOT NULL, image text NOT NULL)`

// ErrNotKept is the error of an undo if the images of the run were not kept, or were deleted since.
var ErrNotKept = fail.Named("exosql: no rows of this run are kept, so it can't be undone: it changed none, ran without OpenOptions.Undo, or ran longer ago than Undo keeps rows")

// ErrNoImages is the error of a database that can't report all rows that a unit changes.
var ErrNoImages = fail.Named("exosql: the database does not report which rows a run changes")

// ErrTooManyImages is the error of a unit that has changed more than its images may contain.
var ErrTooManyImages = fail.Named("exosql: the run changed more or larger rows than are kept for a review or an undo: change fewer rows in one run")
