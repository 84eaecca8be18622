package approvalscmd

// This file finds triggers that act outside of the transaction. They act even in a preview, and no rollback undoes that.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/schema"
)

// outside lists PostgreSQL's triggers with functions in a language that can do anything, or that mention what no rollback undoes: another database,
// a server, a file. It does not follow calls of other functions. The server's own extensions for triggers are left out, since they act only within
// the transaction.
const outside = `SELECT c.oid::pg_catalog.regclass::text, t.tgname FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
		JOIN pg_catalog.pg_proc AS f ON f.oid = t.tgfoid JOIN pg_catalog.pg_language AS l ON l.oid = f.prolang
	WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgname <> 'exo_undo' AND (NOT l.lanpltrusted AND l.lanname <> 'internal'
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS x ON x.oid = d.refobjid
				WHERE d.objid = f.oid AND d.deptype = 'e' AND x.extname IN ('autoinc', 'insert_username', 'lo', 'moddatetime', 'refint', 'tcn'))
		OR f.prosrc ~* '\m(dblink\w*|pg_background\w*|http|http_\w+|lo_export|pg_file_write|aws_lambda\w*)\M|\mnet\.http|\mcopy\M.*\m(program|to)\M')
	ORDER BY 1, 2`

// Outside describes which triggers may act outside of the transaction, in those databases of a file in which changes wait for a person.
func Outside(ctx context.Context, f *grantfile.File) (out []string, err error) {
	for i := range f.Databases {
		x := &f.Databases[i]
		if !f.Approves() {
			break
		}
		url, _, err := x.URLs(os.Getenv)
		if err != nil {
			return nil, err
		}
		names, err := outsideOf(ctx, url)
		if err != nil {
			return nil, fmt.Errorf("the database %s: %w", x.Text, err)
		}
		for _, name := range names {
			out = append(out, fmt.Sprintf("approvals in %s: the trigger %s may change something outside of the transaction. It does so already when exo prepares a change, before a person agrees", x.Text, name))
		}
	}
	return out, nil
}

// outsideOf returns the triggers of a database, each as its name and its table. It returns none for SQLite, where triggers can't act outside.
func outsideOf(ctx context.Context, url string) (names []string, err error) {
	if strings.HasPrefix(url, "sqlite:") {
		return nil, nil
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, errors.New("the URL can't be read: want postgres://user@host/database")
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, outside)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var table, name string
		if err := rows.Scan(&table, &name); err != nil {
			return nil, err
		}
		names = append(names, schema.Printable(name+" of "+table))
	}
	return names, rows.Err()
}
