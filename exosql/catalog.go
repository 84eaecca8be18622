package exosql

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/schema"
)

// What a database says of itself is read over a connection of its own, which no
// plan ever has: the guarded ones may not read it. It can't write, and is closed after.

func (e *sqliteEngine) catalog(ctx context.Context) (*schema.Database, error) {
	return inTransaction(ctx, sql.OpenDB(connector{e.read}), nil, func(tx *sql.Tx) (*schema.Database, error) { return schema.ReadSQLite(ctx, tx) })
}

func (e *postgresEngine) catalog(ctx context.Context) (*schema.Database, error) {
	db := stdlib.OpenDB(e.setup)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, connectError(err)
	}
	return inTransaction(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, func(tx *sql.Tx) (*schema.Database, error) {
		// The names of declarations have no schema: only what is in the path can be meant.
		var text string
		if err := tx.QueryRowContext(ctx, pinPath).Scan(&text); err != nil {
			return nil, err
		}
		if err := tx.QueryRowContext(ctx, "SELECT to_json(ARRAY(SELECT s::text FROM unnest(current_schemas(false)) AS s WHERE s !~ '^pg_'))::text").Scan(&text); err != nil {
			return nil, err
		}
		var path []string
		if err := json.Unmarshal([]byte(text), &path); err != nil {
			return nil, err
		}
		if len(path) == 0 {
			return nil, fmt.Errorf("the search path names no schema that there is and that the role may use (GRANT USAGE ON SCHEMA … TO …)")
		}
		return schema.ReadPostgres(ctx, tx, path...)
	})
}

// inTransaction reads one picture of the catalogue, and closes db.
func inTransaction(ctx context.Context, db *sql.DB, opt *sql.TxOptions, read func(*sql.Tx) (*schema.Database, error)) (*schema.Database, error) {
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
	return nil, fmt.Errorf("exosql: read the catalogue: %w", err)
}
