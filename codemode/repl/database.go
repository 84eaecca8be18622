package repl

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/codemode/repl/internal/screen"
	"github.com/exoagent/exoagent/exosql"
)

// open opens the database that -db names.
func (a App) open(ctx context.Context, url string, grants granter) (*exosql.DB, error) {
	if a.DB != nil {
		return a.DB, nil
	}
	opt := &exosql.OpenOptions{Images: screen.MaxImages}
	if a.Setup != "" {
		opt.Setup = a.setUp
	}
	db, err := exosql.Open(ctx, url, opt)
	if err == nil {
		if err = a.check(ctx, db, grants); err != nil {
			db.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("-db %s: %w", redacted(url), err)
	}
	return db, nil
}

// check compares the app's grants with the database. It compares nothing in a user's own database, where the
// grants depend on the user; exo check is for those.
func (a App) check(ctx context.Context, db *exosql.DB, grants granter) error {
	if a.Setup == "" {
		return nil
	}
	as, _, err := a.member(ctx, db, a.Default, "")
	if err != nil {
		return err
	}
	granted, err := grants(ctx, db, a.Default, as)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(granted)) {
		if err := exosql.Check(ctx, db, exosql.Granted(granted[name])); err != nil {
			return err
		}
	}
	return nil
}

// redacted returns a database's URL in a form that may be shown. If it can't be parsed, any part
// may contain a password, so only its kind is shown.
func redacted(database string) string {
	kind, _, ok := strings.Cut(database, ":")
	if kind == "sqlite" || !ok {
		return database
	}
	u, err := url.Parse(database)
	if err != nil || u.Host == "" {
		return kind + ":…"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// setUp creates and fills the app's tables in an empty database. It does not change a database that it has
// already filled. It refuses any other, so that a mistyped path does not add the app's tables to a user's data.
func (a App) setUp(ctx context.Context, db *sql.DB) error {
	d, setup := sqlite, a.Setup
	if _, ok := db.Driver().(*stdlib.Driver); ok {
		d, setup = postgres, cmp.Or(a.Postgres, a.Setup)
	}
	have, err := d.columns(ctx, db)
	if err != nil {
		return err
	}
	if len(have) == 0 {
		have, err = create(ctx, db, d, setup)
		if err != nil || have == nil {
			return err
		}
	}
	want, err := a.columns(ctx)
	if err != nil {
		return err
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("the database has other tables (%s) than %s needs: give a new database with -db", strings.Join(tables(have), ", "), a.Name)
	}
	return nil
}

// dialect has an engine's statements for questions about a database.
type dialect struct {
	// begin has the statements that begin a transaction. Another process that runs them waits until the transaction has ended.
	begin []string
	list  string // a query that lists table.column for everything in the database
}

var sqlite = dialect{
	begin: []string{"BEGIN IMMEDIATE"},
	list: `SELECT m.name || '.' || c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
		WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY 1`,
}

var postgres = dialect{
	begin: []string{"BEGIN", "SELECT pg_advisory_xact_lock(7079461)"},
	list:  `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY (table_name || '.' || column_name) COLLATE "C"`,
}

// create makes all tables or none, in one transaction. If another process was first, it returns the
// existing columns.
func create(ctx context.Context, db *sql.DB, d dialect, setup string) (there []string, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for _, statement := range d.begin { // of two processes, the second waits here, and then finds the columns
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	there, err = d.columns(ctx, c)
	if err == nil && len(there) == 0 {
		_, err = c.ExecContext(ctx, setup)
	}
	if err != nil {
		_, _ = c.ExecContext(ctx, "ROLLBACK")
		return nil, err
	}
	_, err = c.ExecContext(ctx, "COMMIT")
	return there, err
}

// columns returns the columns that Setup creates.
func (a App) columns(ctx context.Context) (cols []string, err error) {
	db, err := exosql.Open(ctx, "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		if _, err := db.ExecContext(ctx, a.Setup); err != nil {
			return err
		}
		cols, err = sqlite.columns(ctx, db)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return cols, db.Close()
}

// columns lists the columns in the database.
func (d dialect) columns(ctx context.Context, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}) ([]string, error) {
	rows, err := db.QueryContext(ctx, d.list)
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

// tables returns the names of a few tables of these columns.
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
