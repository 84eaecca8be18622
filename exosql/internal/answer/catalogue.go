package answer

// This file keeps the database's catalogue. It is read again before a write if it is older than a minute.

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/schema"
)

// catalogueFor is how long writes use one catalogue.
const catalogueFor = time.Minute

// catalogue returns a recent catalogue and its number, which counts from 1.
func (db *DB) catalogue(ctx context.Context) (*schema.Database, uint64, error) {
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	if db.live == nil || time.Since(db.liveAt) > catalogueFor {
		live, err := db.Pool.Catalog(ctx, false)
		if err != nil {
			return nil, 0, err
		}
		db.learn(live)
	}
	return db.live, db.liveNo, nil
}

// learn keeps a catalogue. The caller holds liveMu, and gives the catalogue to no host, since a host could change it.
func (db *DB) learn(live *schema.Database) {
	db.live, db.liveAt = live, time.Now()
	db.liveNo++
}

// Engine returns the database for the compiler. The function in its field Form reports which texts of a column the database treats as equal. It
// uses the known catalogue, however old, or else reads one. So a host need not call Check.
func (db *DB) Engine(ctx context.Context) expr.Engine {
	failed := false
	return expr.Engine{Dialect: db.Dialect, Form: func(col *decl.Column) decl.Form {
		db.liveMu.Lock()
		live := db.live
		db.liveMu.Unlock()
		if live == nil && failed {
			return decl.Form{}
		}
		if live == nil {
			var err error
			// The plan outlives the message, so the end of the message's context must not decide how texts are compared.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), equalityFor)
			defer cancel()
			if live, _, err = db.catalogue(ctx); err != nil {
				failed = true
				return decl.Form{}
			}
		}
		return check.Form(live, col)
	}}
}

// equalityFor bounds the time in which Engine reads the catalogue. Without a catalogue, statements compare all texts twice.
const equalityFor = 5 * time.Second

// Learn keeps a catalogue that the caller has just read.
func (db *DB) Learn(live *schema.Database) {
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	db.learn(live)
}
