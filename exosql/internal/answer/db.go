package answer

// This file has DB, the database that the other files use, and the functions that make values for hosts.

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/cursor"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/internal/lru"
	"github.com/exoagent/exoagent/internal/sqlast"
	"github.com/exoagent/exoagent/schema"
)

// DB is an open database, the inside of an exosql.DB.
type DB struct {
	Options
	Pool     *engine.Pool
	Replicas *engine.Replicas // Replicas has the replicas of the database; nil if it has none
	Units    unit.Units

	Plans   *lru.Cache[*plan.Plan]
	writes  *lru.Cache[*keptWrite]
	cursors *cursor.Sealer

	liveMu sync.Mutex
	live   *schema.Database // live is the catalogue (see the method catalogue)
	liveAt time.Time
	liveNo uint64 // liveNo is the number of the catalogue in live
}

// Options are the options of a DB, from exosql.OpenOptions.
type Options struct {
	Dialect sqlast.Dialect
	Secured bool // Secured is exosql.OpenOptions.RowSecurity
	Images  int  // Images is how many changed rows of a run have images
	Witness bool // Witness is exosql.OpenOptions.Witness
	Face
}

// Face makes the values that hosts find in records and errors. Their types are in package exosql, which imports this package.
type Face struct {
	Query   func(Ran) any                                                         // Query returns an exosql.Query
	Changes func(Listed) any                                                      // Changes returns an exosql.Changes
	Broken  func(v *engine.Violation, columns []string, row int, err error) error // Broken returns an *exosql.ConstraintError
}

// Ran describes a statement that was run.
type Ran struct {
	Plan   *plan.Plan
	Args   []value.Value
	Rows   int
	Took   time.Duration
	Fenced string // Fenced is why the statement without fences was refused, so that one with fences ran; "" if none was refused

	Replica int // Replica is the number of the replica that answered, from 1, or 0
}

// Change is one changed row: see exosql.Change.
type Change struct {
	Table         string
	Key           []value.Value
	Before, After value.Value
}

// Listed is a unit's list of its changes: see exosql.Changes.
type Listed struct {
	Rows    []Change
	More    int64
	Effects []string
	Asks    []changeset.Ask
	Review  func(context.Context) (changeset.Part, error)
}

// New makes a DB without connections: the caller sets Pool and Units.Writers. bytes bounds the cached plans; cached writes get a quarter of it.
func New(opt Options, bytes int, cursorKey []byte) (*DB, error) {
	db := &DB{Options: opt, Plans: lru.New[*plan.Plan](bytes), writes: lru.New[*keptWrite](bytes / 4)}
	db.Units.Broken = func(err error) error { return db.constraintError(nil, err) }
	var err error
	db.cursors, err = cursor.New(cursorKey)
	return db, err
}

// Close rolls back the open transactions, waits for running queries, and closes every connection.
func (db *DB) Close() error {
	return errors.Join(db.Units.RollBackAll(), db.Units.Writers.Close(), db.Replicas.Close(), db.Pool.Close())
}

// Ready refuses a DB that was not opened.
func (db *DB) Ready() error {
	if db == nil || db.Pool == nil {
		return &fail.Error{Kind: fail.Internal, Err: ErrNotOpened}
	}
	return nil
}

// ErrNotOpened is the error of a DB that was not opened.
var ErrNotOpened = fail.Named("exosql: the DB was not opened: make one with Open, OpenSQLite or OpenPostgres")
