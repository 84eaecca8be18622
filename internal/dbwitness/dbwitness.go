// Package dbwitness keeps the last checkpoint of logs in a table of PostgreSQL 14 or later. This database is the witness of these logs. A person who
// can write to a log should have no rights there except [Rights].
//
// Its input is a checkpoint that the log signed, and the number of its entries. Its output is the largest checkpoint that the table has had. A role
// with only [Rights] can't put a smaller one in the table: a trigger refuses a row with fewer entries, and only the owner can delete rows. Such a
// role can write a row with a size that no checkpoint has; the next reader detects that.
package dbwitness

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/exoagent/exoagent/internal/pgsession"
)

// SQL has the statements that make the table. The trigger uses only operators of pg_catalog, because a host's role could define its own < and
// <> elsewhere.
const SQL = `CREATE TABLE IF NOT EXISTS exo_record_witness (
  origin     text PRIMARY KEY, -- the name of a log
  size       bigint NOT NULL, -- how many entries the checkpoint signs
  checkpoint text NOT NULL
);
CREATE OR REPLACE FUNCTION exo_record_witness_grows() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$BEGIN
  IF new.size <= old.size OR new.origin <> old.origin THEN RAISE EXCEPTION 'a witness forgets nothing'; END IF;
  RETURN new;
END$$;
CREATE OR REPLACE TRIGGER exo_record_witness_grows BEFORE UPDATE ON exo_record_witness FOR EACH ROW EXECUTE FUNCTION exo_record_witness_grows();`

// Rights are the rights that a host's role needs. An operator adds the role's name. A role that only verifies needs only SELECT.
const Rights = `  GRANT SELECT, INSERT, UPDATE ON exo_record_witness TO …;`

// Is reports whether the text names a witness in a database by env:NAME, a variable with the database's URL.
func Is(place string) bool { return strings.HasPrefix(place, "env:") }

// Witness is the open database that has the table of checkpoints.
type Witness struct {
	db   *sql.DB
	wait time.Duration
}

// Open returns the witness whose URL is in the variable. The first operation connects. The argument wait bounds the time of each operation.
func Open(place string, wait time.Duration) (*Witness, error) {
	name := strings.TrimPrefix(place, "env:")
	url := strings.TrimSpace(os.Getenv(name))
	if url == "" {
		return nil, fmt.Errorf("the variable %s is not set: set it to the URL of the witness's database, postgres://user@host/database", name)
	}
	conf, err := pgx.ParseConfig(url)
	if err != nil { // leave out the text of err, because it quotes the URL, which may have a password
		return nil, fmt.Errorf("the variable %s has no URL of a PostgreSQL database: want postgres://user@host:port/database", name)
	}
	conf.DefaultQueryExecMode = pgx.QueryExecModeExec // prepare no statements, because a pooler may lose them
	pgsession.Primary(&conf.Config)
	db := stdlib.OpenDB(*conf)
	db.SetMaxOpenConns(1)
	return &Witness{db, wait}, nil
}

// Create makes the table unless it exists. The role must be allowed to make tables.
func (w *Witness) Create() error {
	return w.do(func(ctx context.Context) error {
		_, err := w.db.ExecContext(ctx, SQL, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// Newest returns the checkpoint of a log, and the number of entries in its row. The checkpoint is "" if there is none.
func (w *Witness) Newest(origin string) (checkpoint string, size int64, err error) {
	err = w.do(func(ctx context.Context) error {
		err := w.db.QueryRowContext(ctx, "SELECT checkpoint, size FROM exo_record_witness WHERE origin = $1", origin).Scan(&checkpoint, &size)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return err
	})
	return checkpoint, size, err
}

// Keep stores a checkpoint of a log, unless the table has one with as many or more entries.
func (w *Witness) Keep(origin, checkpoint string, size int64) error {
	return w.do(func(ctx context.Context) error {
		_, err := w.db.ExecContext(ctx, `INSERT INTO exo_record_witness AS w (origin, size, checkpoint) VALUES ($1, $2, $3)
			ON CONFLICT (origin) DO UPDATE SET size = excluded.size, checkpoint = excluded.checkpoint WHERE w.size < excluded.size`, origin, size, checkpoint)
		return err
	})
}

func (w *Witness) do(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), w.wait)
	defer cancel()
	if err := f(ctx); err != nil {
		return fmt.Errorf("the witness's database: %w", err)
	}
	return nil
}

// Close ends the connection.
func (w *Witness) Close() error { return w.db.Close() }
