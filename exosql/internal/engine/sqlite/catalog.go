package sqlite

import (
	"context"
	"database/sql"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/schema"
)

// This file reads a database's catalogue over a separate connection, which no plan uses, since
// guarded connections (see engine.Engine) may not read it. The connection can't write, and is
// closed afterwards.

func (e *Database) Catalog(ctx context.Context, cells bool) (*schema.Database, error) {
	return engine.InTransaction(ctx, sql.OpenDB(connector{e.read}), nil, func(tx *sql.Tx) (*schema.Database, error) {
		live, err := schema.ReadSQLite(ctx, tx)
		if err == nil && cells {
			err = live.LookAtCells(ctx, tx)
		}
		return live, err
	})
}
