package exosql

// This file has the database and what the host may do with it; package answer, beneath, does the work.

import (
	"context"

	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/schema"
)

// DB is a database whose connections are set up so that they can do no more
// than the plans that this package makes: the second wall, beneath the query
// compiler. It gives no access to the connections. Make one with Open, share it, Close it.
type DB struct{ db *answer.DB }

// core is nil for a DB that was not opened.
func (db *DB) core() *answer.DB {
	if db == nil {
		return nil
	}
	return db.db
}

// Close waits for the queries that run, and closes every connection. Queries
// that come later fail. A second Close does nothing.
func (db *DB) Close() error {
	if db.core().Ready() != nil {
		return nil
	}
	return db.db.Close()
}

// Catalog reads the database's catalogue over a connection of its own, for the host: to declare
// tables from it (exosql/dynamic), or to compare.
func (db *DB) Catalog(ctx context.Context) (*schema.Database, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	return db.db.Pool.Catalog(ctx, true)
}
