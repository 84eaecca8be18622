package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/schema"
)

func (e *database) Catalog(ctx context.Context, cells bool) (*schema.Database, error) {
	var at pooled
	db := e.open(maxCatalogue, &at)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, connectError(err)
	}
	return engine.InTransaction(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, func(tx *sql.Tx) (*schema.Database, error) {
		// Names in declarations may lack a schema, so they can mean only tables on the search path.
		if e.shared.Load() {
			if err := at.clean(ctx, tx); err != nil {
				return nil, err
			}
		}
		var text string
		if err := tx.QueryRowContext(ctx, pinPathHere).Scan(&text); err != nil {
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
			return nil, fmt.Errorf("no schema of the search_path exists that the role may use: put search_path=SCHEMA into the URL of the database, or GRANT USAGE ON SCHEMA … to the role")
		}
		live, err := schema.ReadPostgres(ctx, tx, path...)
		if err == nil && cells {
			err = live.LookAtTimes(ctx, tx)
		}
		return live, err
	})
}
