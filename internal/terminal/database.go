package terminal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql"
)

// open opens the database that -db names.
func (a App) open(ctx context.Context, url string) (*exosql.DB, error) {
	db, err := exosql.Open(ctx, url, &exosql.Options{Setup: a.Setup})
	if err != nil {
		return nil, fmt.Errorf("-db %s: %w", url, err)
	}
	return db, nil
}

// Setup makes and fills an empty database, leaves one that it made before as it
// is, and refuses any other: a mistyped path must not mix the example's tables
// into somebody's data.
func (a App) Setup(ctx context.Context, db *sql.DB) error {
	have, err := columns(ctx, db)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		have, err = a.create(ctx, db)
		if err != nil || have == nil {
			return err
		}
	}
	want, err := a.columns(ctx)
	if err != nil {
		return err
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("it holds other tables than those of %s (%s); give the path of a new file", a.Name, strings.Join(tables(have), ", "))
	}
	return nil
}

// create makes the tables in one transaction, so that there are all or none. If
// another process was first it returns the columns that are there now.
func (a App) create(ctx context.Context, db *sql.DB) (there []string, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	// IMMEDIATE, so that of two processes the second waits here, and then looks.
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	there, err = columns(ctx, c)
	if err == nil && len(there) == 0 {
		_, err = c.ExecContext(ctx, a.Schema+a.Seed)
	}
	if err != nil {
		_, _ = c.ExecContext(ctx, "ROLLBACK")
		return nil, err
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return there, err
}

// columns are those that the schema makes.
func (a App) columns(ctx context.Context) (cols []string, err error) {
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.Options{Setup: func(ctx context.Context, db *sql.DB) error {
		if _, err := db.ExecContext(ctx, a.Schema); err != nil {
			return err
		}
		cols, err = columns(ctx, db)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return cols, db.Close()
}

// columns lists table.column of all that is in the database.
func columns(ctx context.Context, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT m.name || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// tables are the tables of columns, a few of them.
func tables(cols []string) []string {
	var out []string
	for _, c := range cols {
		t, _, _ := strings.Cut(c, ".")
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(out) > 6 {
		out = append(out[:6], "…")
	}
	return out
}
