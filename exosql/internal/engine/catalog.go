package engine

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/exoagent/exoagent/schema"
)

// InTransaction calls read in one transaction, so that it sees one state of the catalogue, and closes db.
func InTransaction(ctx context.Context, db *sql.DB, opt *sql.TxOptions, read func(*sql.Tx) (*schema.Database, error)) (*schema.Database, error) {
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, opt)
	if err == nil {
		defer tx.Rollback()
		var d *schema.Database
		if d, err = read(tx); err == nil {
			return d, nil
		}
	}
	return nil, fmt.Errorf("exosql: the catalogue of the database can't be read: %w", err)
}
