package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver that reads the catalogue

	"github.com/exoagent/exoagent/internal/cli"
	"github.com/exoagent/exoagent/internal/pgbound"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// source is the database from which a catalogue is read: a live one, or a scratch database that definitions create.
type source struct{ db, ddl, engine, scratch, schemas string }

func (s *source) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.db, "db", "", "`URL`: the database, sqlite:PATH or postgres://user@host/database")
	fs.StringVar(&s.ddl, "ddl", "", "`FILE`: definitions (CREATE TABLE...) to run in a scratch database, which is read; - is standard input")
	fs.StringVar(&s.engine, "engine", "", "`ENGINE`: what -ddl is written for, sqlite or postgres")
	fs.StringVar(&s.scratch, "scratch", "", "`URL`: of any database of the PostgreSQL server where -ddl gets a database of its own, which is dropped at the end")
	fs.StringVar(&s.schemas, "schema", "", "`NAMES`: PostgreSQL's schemas, with commas, as the search path will be (default: the database's)")
}

// These are errors about the URL of a database, which they don't repeat, since it may contain a password.
const (
	noDB    = "-db is missing: give the URL of a database, sqlite:PATH or postgres://user@host/database"
	wrongDB = "the URL of the database is wrong: want sqlite:PATH or postgres://user@host/database"
)

// validate checks the flags.
func (s *source) validate() error {
	switch {
	case s.db == "" && s.ddl == "":
		return cli.Usagef("%s; or -ddl FILE with definitions", noDB)
	case s.db != "" && s.ddl != "":
		return cli.Usagef("give one of -db and -ddl, not both")
	case s.ddl != "" && s.engine != string(schema.SQLite) && s.engine != string(schema.Postgres):
		return cli.Usagef("-ddl needs -engine sqlite or -engine postgres")
	case s.ddl != "" && s.engine == string(schema.Postgres) && s.scratch == "":
		return cli.Usagef("-ddl -engine postgres needs -scratch postgres://user@host/database: the definitions run in a new database on that server, which is dropped at the end")
	case s.scratch != "" && s.engine != string(schema.Postgres):
		return cli.Usagef("-scratch is for -ddl FILE -engine postgres: definitions of SQLite run in memory")
	case s.scratch != "" && kindOf(s.scratch) != schema.Postgres:
		return cli.Usagef("-scratch: want the URL of a PostgreSQL server, postgres://user@host/database")
	case s.db != "" && s.engine != "":
		return cli.Usagef("leave out -engine: it is for -ddl, and the URL of -db says which engine it is")
	case s.db != "" && s.kind() == "":
		return cli.Usagef("%s", wrongDB)
	case scalar.WithoutSlashes(s.db) != "":
		return cli.Usagef("the URL of an SQLite file has no // before the path: write %s", scalar.WithoutSlashes(s.db))
	case s.schemas != "" && s.kind() != schema.Postgres:
		return cli.Usagef("leave out -schema: it is for PostgreSQL, and SQLite has no schemas")
	}
	return nil
}

func (s *source) kind() schema.Engine {
	if s.ddl != "" {
		return schema.Engine(s.engine)
	}
	return kindOf(s.db)
}

// kindOf returns the engine of a database's URL, or "".
func kindOf(raw string) schema.Engine {
	scheme, rest, _ := strings.Cut(raw, ":")
	switch {
	case scheme == "sqlite" && rest != "" && rest != ":memory:":
		return schema.SQLite
	case (scheme == "postgres" || scheme == "postgresql") && strings.HasPrefix(rest, "//"):
		return schema.Postgres
	}
	return ""
}

// describe returns a name of the source for the header of the code. The name has no host and no path, so that all
// developers generate the same text. It has no user and no password, since the code must not reveal these.
func (s *source) describe() string {
	kind := map[schema.Engine]string{schema.SQLite: "SQLite", schema.Postgres: "PostgreSQL"}[s.kind()]
	switch {
	case s.ddl == "-":
		return kind + " definitions"
	case s.ddl != "":
		return "the " + kind + " definitions " + filepath.Base(s.ddl)
	case s.kind() == schema.SQLite:
		return "the SQLite database " + filepath.Base(strings.TrimPrefix(s.db, "sqlite:"))
	}
	name := "a PostgreSQL database"
	if pc, err := pgx.ParseConfig(s.db); err == nil && pc.Database != "" {
		name = "the PostgreSQL database " + pc.Database
	}
	if s.schemas != "" {
		name += ", search_path " + strings.Join(list(s.schemas), ",")
	}
	return name
}

// maxDDL is the largest size of definitions in bytes. The whole text is in memory while it is split into statements.
const maxDDL = 64 << 20

// readDDL reads definitions. More bytes than the number most are an error: if readDDL cut the text,
// keys and links would be missing without a warning.
func readDDL(in io.Reader, most int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("the definitions have more than %d bytes: leave out the rows, by pg_dump --schema-only or .schema of sqlite3, or read the database itself with -db", most)
	}
	return string(text), err
}

// read reads the catalogue.
func (s *source) read(ctx context.Context, stdin io.Reader) (*schema.Database, error) {
	if s.ddl == "" {
		return s.readLive(ctx)
	}
	return s.readDefinitions(ctx, stdin)
}

// readLive reads the catalogue of a database.
func (s *source) readLive(ctx context.Context) (*schema.Database, error) {
	if s.kind() == schema.SQLite {
		path := strings.TrimPrefix(s.db, "sqlite:")
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("-db: %w", err)
		}
		name := (&url.URL{Path: path}).EscapedPath() // escaped, so that ? or # in a path does not begin options
		pool, err := sql.Open("sqlite", "file:"+name+"?mode=ro&_busy_timeout=5000&_pragma=query_only(1)")
		if err != nil {
			return nil, err
		}
		return readIn(ctx, pool, nil, func(tx *sql.Tx) (*schema.Database, error) {
			live, err := schema.ReadSQLite(ctx, tx)
			if err == nil {
				err = live.LookAtCells(ctx, tx)
			}
			return live, err
		})
	}
	pc, err := postgresConfig("-db", s.db)
	if err != nil {
		return nil, err
	}
	return s.readPostgres(ctx, pc)
}

// readPostgres reads the catalogue of a PostgreSQL database.
func (s *source) readPostgres(ctx context.Context, pc *pgx.ConnConfig) (*schema.Database, error) {
	if s.schemas != "" {
		var path []string
		for _, n := range list(s.schemas) {
			path = append(path, pgx.Identifier{n}.Sanitize())
		}
		pc.RuntimeParams["search_path"] = strings.Join(path, ", ")
	}
	return readIn(ctx, stdlib.OpenDB(*own(pc)), &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}, func(tx *sql.Tx) (*schema.Database, error) {
		return schema.ReadPostgres(ctx, tx, list(s.schemas)...)
	})
}

// own returns a configuration for connections that share their session with no other client: the driver prepares
// statements by name, and definitions may set any parameter.
func own(pc *pgx.ConnConfig) *pgx.ConnConfig {
	c := pc.Copy()
	pgsession.Own(&c.Config)
	return c
}

// readIn calls read in a transaction, and then closes the pool.
func readIn(ctx context.Context, pool *sql.DB, opt *sql.TxOptions, read func(*sql.Tx) (*schema.Database, error)) (*schema.Database, error) {
	defer pool.Close()
	tx, err := pool.BeginTx(ctx, opt)
	if err != nil {
		return nil, fmt.Errorf("-db: %w", pgsession.Of(err))
	}
	defer tx.Rollback()
	return read(tx)
}

// These constants limit what a server may send, in bytes: each row, and the catalogue, is in memory as a whole.
const (
	maxMessage   = 16 << 20
	maxCatalogue = 512 << 20
)

// postgresConfig reads the URL of a flag.
func postgresConfig(flag, raw string) (*pgx.ConnConfig, error) {
	pc, err := pgx.ParseConfig(raw)
	if err != nil { // the parser's error is dropped, since it quotes the URL and may show the password
		return nil, errors.New(flag + ": the URL can't be read: want postgres://user@host:port/database; in a name or password write %2F for / and %40 for @")
	}
	pc.ConnectTimeout = cmp.Or(pc.ConnectTimeout, 15*time.Second)
	pgbound.Limit(&pc.Config, pgbound.Bounds{Message: maxMessage, Total: maxCatalogue})
	return pc, nil
}
