package exosql

// This file has DB, the database of a host; package answer does the work.

import (
	"context"

	"github.com/exoagent/exoagent/exosql/internal/answer"
	"github.com/exoagent/exoagent/schema"
)

// DB is a database that Open has opened. The database itself restricts each connection to the plans that this package makes: see "Two walls" in the
// package comment. DB gives no access to its connections. Goroutines can share one DB; call Close at the end.
type DB struct{ db *answer.DB }

// core returns the database inside, or nil for a DB that was not opened.
func (db *DB) core() *answer.DB {
	if db == nil {
		return nil
	}
	return db.db
}

// Close waits for running queries and closes every connection. Later queries fail. A second Close does nothing.
func (db *DB) Close() error {
	if db.core().Ready() != nil {
		return nil
	}
	return db.db.Close()
}

// Catalog reads the database's catalogue over a connection of its own. A host declares tables from it (exosql/dynamic), or compares it with declarations.
func (db *DB) Catalog(ctx context.Context) (*schema.Database, error) {
	if err := db.core().Ready(); err != nil {
		return nil, err
	}
	return db.db.Pool.Catalog(ctx, true)
}
