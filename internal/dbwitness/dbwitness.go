// Package dbwitness keeps the last checkpoint of logs in a table of PostgreSQL 14 or later. That database is the witness of these logs, so a person
// who can write a log should have no rights there but those of [Rights].
//
// In: a checkpoint that its log has signed, and how many entries it has. Out: the one with the most entries that the table has had. Invariant: with
// these rights nobody makes the table go back. A trigger refuses a row with fewer entries than it had, and only the owner can delete. A role with these
// rights can spoil a row, by a size that no checkpoint has: the next reader finds that.
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
)

// SQL is the statements that make the table. The trigger looks operators up in pg_catalog alone: the host's role may have its own < and <> elsewhere.
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

// Rights is what the role of a host needs, for an operator to put the role's name there. Who verifies needs SELECT.
const Rights = `  GRANT SELECT, INSERT, UPDATE ON exo_record_witness TO …;`

// Is reports whether the text names a witness in a database: env:NAME, a variable that has its URL.
func Is(place string) bool { return strings.HasPrefix(place, "env:") }

// Witness is an open database.
type Witness struct {
	db   *sql.DB
	wait time.Duration
}

// Open reads the URL from the variable. It connects when it is first needed. wait bounds each operation.
func Open(place string, wait time.Duration) (*Witness, error) {
	name := strings.TrimPrefix(place, "env:")
	url := strings.TrimSpace(os.Getenv(name))
	if url == "" {
		return nil, fmt.Errorf("the variable %s is not set: it has to hold the URL of the witness's database, postgres://user@host/database", name)
	}
	conf, err := pgx.ParseConfig(url)
	if err != nil { // the text of err is left out: it quotes the URL, which may have a password
		return nil, fmt.Errorf("the variable %s has no URL of a PostgreSQL database: want postgres://user@host:port/database", name)
	}
	conf.DefaultQueryExecMode = pgx.QueryExecModeExec // prepares nothing, which a pooler may lose
	db := stdlib.OpenDB(*conf)
	db.SetMaxOpenConns(1)
	return &Witness{db, wait}, nil
}

// Create makes the table if it is not there. The role must be allowed to make tables.
func (w *Witness) Create() error {
	return w.do(func(ctx context.Context) error {
		_, err := w.db.ExecContext(ctx, SQL, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// Newest returns the checkpoint of a log, and how many entries its row has; "": there is none.
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

// Keep keeps a checkpoint of a log, unless the table has one with as many entries or more.
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
		return fmt.Errorf("its database: %w", err)
	}
	return nil
}

// Close ends the connection.
func (w *Witness) Close() error { return w.db.Close() }
