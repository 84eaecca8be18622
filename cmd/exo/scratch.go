package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/internal/ddl"
	"github.com/exoagent/exoagent/internal/pgsession"
	"github.com/exoagent/exoagent/schema"
)

// readDefinitions runs the file of definitions in a scratch database, and reads its catalogue, since
// the engine knows best what definitions mean.
func (s *source) readDefinitions(ctx context.Context, stdin io.Reader) (*schema.Database, error) {
	in, name := stdin, "standard input"
	if s.ddl != "-" {
		f, err := os.Open(s.ddl)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, filepath.Base(s.ddl)
	}
	text, err := readDDL(in, maxDDL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	all, err := ddl.Cut(text, s.kind())
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	var db *schema.Database
	if s.kind() == schema.SQLite {
		db, err = inMemory(ctx, all)
	} else {
		db, err = s.inScratch(ctx, all)
	}
	if e, ok := errors.AsType[*statementError](err); ok {
		return nil, fmt.Errorf("%s:%w", name, e)
	}
	return db, err
}

// statementError is the error of a statement that the database or exo refuses.
type statementError struct {
	line int
	err  error
}

func (e *statementError) Error() string { return fmt.Sprintf("%d: %v", e.line, e.err) }
func (e *statementError) Unwrap() error { return e.err }

// inMemory runs statements in a SQLite database in memory. The statements can't reach a file, since no database may be
// attached. That also prevents VACUUM INTO.
func inMemory(ctx context.Context, all []ddl.Statement) (*schema.Database, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	const attached = 7 // the value of SQLITE_LIMIT_ATTACHED
	if _, err := sqlite.Limit(conn, attached, 0); err != nil {
		return nil, err
	}
	for _, st := range all {
		if len(st.Words) > 2 && st.Is("CREATE", "TABLE") && strings.HasPrefix(st.Words[2], "SQLITE_") {
			continue // this table is SQLite's own, and .schema prints it: sqlite_sequence
		}
		if _, err := conn.ExecContext(ctx, st.Text); err != nil {
			return nil, &statementError{st.Line, err}
		}
	}
	return schema.ReadSQLite(ctx, conn)
}

// inScratch runs statements in a new database on the server of -scratch, and always drops it at the
// end. A new schema would not be enough, since each statement of a dump names its schema, mostly
// public.
func (s *source) inScratch(ctx context.Context, all []ddl.Statement) (db *schema.Database, err error) {
	server, err := postgresConfig("-scratch", s.scratch)
	if err != nil {
		return nil, err
	}
	name := "exo_scratch_" + strings.ToLower(rand.Text()[:16])
	if err := execute(ctx, server, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		if _, ok := errors.AsType[*pgsession.Error](err); ok {
			return nil, fmt.Errorf("-scratch: %w", err)
		}
		err = fmt.Errorf("-scratch: exo can't create a database on this server, where the URL's role needs the right CREATEDB: %w", err)
		return nil, errors.Join(err, drop(ctx, server, name)) // drop it: the server may have made it before its answer was lost
	}
	defer func() { err = errors.Join(err, drop(ctx, server, name)) }()
	scratch := server.Copy()
	scratch.Database = name
	path, err := runIn(ctx, scratch, all)
	if err != nil {
		return nil, err
	}
	if path != "" && s.schemas == "" {
		scratch.RuntimeParams["search_path"] = path
	}
	return s.readPostgres(ctx, scratch)
}

// drop drops a scratch database, even if the context has ended, for example by Ctrl-C. It tries
// again while the database has a session that its role may not end, such as autovacuum.
func drop(ctx context.Context, server *pgx.ConnConfig, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	for {
		err := execute(ctx, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		if err == nil {
			return nil
		}
		const mayNot, inUse = "42501", "55006"
		pe, _ := errors.AsType[*pgconn.PgError](err)
		if pe == nil || pe.Code != mayNot && pe.Code != inUse || ctx.Err() != nil {
			return fmt.Errorf("-scratch: exo could not drop the database %s that it made: run DROP DATABASE %[1]s: %w", name, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// execute runs one statement over a new connection.
func execute(ctx context.Context, pc *pgx.ConnConfig, statement string) error {
	conn, err := pgx.ConnectConfig(ctx, own(pc))
	if err != nil {
		return pgsession.Of(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return conn.PgConn().Exec(ctx, statement).Close()
}

// runIn runs statements over one connection, like psql, and returns the search path that is set at
// the end.
func runIn(ctx context.Context, pc *pgx.ConnConfig, all []ddl.Statement) (path string, err error) {
	conn, err := pgx.ConnectConfig(ctx, own(pc))
	if err != nil {
		return "", pgsession.Of(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, st := range all {
		if ofRights(st) {
			continue
		}
		if what := ofServer(st); what != "" {
			return "", &statementError{st.Line, fmt.Errorf("%s would change the whole server, not only the database that exo makes and drops: take this statement out of the file", what)}
		}
		err := conn.PgConn().Exec(ctx, st.Text).Close()
		pe, ok := errors.AsType[*pgconn.PgError](err)
		const unknownParameter = "42704"
		if ok && st.Is("SET") && pe.Code == unknownParameter {
			continue // a dump of a newer PostgreSQL may set a parameter that this server lacks
		}
		if ok {
			if pe.Position > 0 {
				before := string([]rune(st.Text)[:min(int(pe.Position)-1, len([]rune(st.Text)))])
				st.Line += strings.Count(before, "\n")
			}
			return "", &statementError{st.Line, pe}
		}
		if err != nil {
			return "", err
		}
	}
	if conn.PgConn().TxStatus() != 'I' {
		return "", errors.New("-ddl: the file begins a transaction and does not end it: add COMMIT")
	}
	if err := conn.QueryRow(ctx, "SHOW search_path").Scan(&path); err != nil {
		return "", err
	}
	if strings.Trim(path, `" `) == "" { // dumps set an empty path, since each name in them has its schema
		path = ""
	}
	return path, nil
}

// ofRights reports whether a statement sets rights, an owner or a role. Such statements are left
// out: they don't change tables, and their roles may not exist here.
func ofRights(st ddl.Statement) bool {
	return st.Is("GRANT") || st.Is("REVOKE") || st.Is("REASSIGN") || st.Is("ALTER", "DEFAULT", "PRIVILEGES") || st.Is("ALTER") && st.Has("OWNER", "TO") ||
		st.Is("SET", "ROLE") || st.Is("SET", "SESSION", "AUTHORIZATION")
}

// ofServer returns the first words of a statement that changes something outside of its database, like "CREATE ROLE", or "".
func ofServer(st ddl.Statement) string {
	if len(st.Words) < 2 || !st.Is("CREATE") && !st.Is("ALTER") && !st.Is("DROP") || st.Has("USER", "MAPPING") {
		return ""
	}
	switch st.Words[1] {
	case "DATABASE", "ROLE", "USER", "GROUP", "TABLESPACE", "SYSTEM":
		return st.Words[0] + " " + st.Words[1]
	}
	return ""
}
